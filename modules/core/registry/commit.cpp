// How a registry changes. Each request of a batch is checked against the live registrations and applied to the lists;
// slots are recomputed only after the whole batch was accepted. Callers read slots, so they never see part of a refused
// batch.
module topbit.core;

import topbit.std;
import :registry.recording;

namespace topbit::detail {

namespace {

// The shared object of a kernel. A function object is on the heap; its state points into its shared object.
const void* home_of(const kernel& k) { return image_of(k.kind == kernel_kind::boxed ? k.state : &k); }

std::string_view kind_of(kernel_kind k) {
  if (k == kernel_kind::boxed) return "boxed kernel";
  return k == kernel_kind::fallthrough ? "fallthrough" : "kernel";
}

// The compile-time mismatch message, for types that are known only at run time.
author::verdict kernel_mismatch(std::string_view op, const schema_record* schema, std::string_view kind,
                                const signature_types& wanted, const signature_types& found) {
  std::vector<argument_label> labels;
  const auto* parsed = schema != nullptr ? schema->parsed() : nullptr;
  if (parsed != nullptr) {
    for (const author::schema_item& a : parsed->view().arguments) labels.push_back({a.name});
  }
  const bool earlier = schema == nullptr;
  return explain_difference({.kind = kind,
                             .op = op,
                             .needs = earlier ? "an earlier kernel has" : "the schema needs",
                             .arity = earlier ? "an earlier kernel has" : "the schema has",
                             .wanted = wanted,
                             .found = found,
                             .labels = labels,
                             .has_schema = parsed != nullptr});
}

// "defined at f.cpp:12 with the signature 'int (int)', implemented for CPU at g.cpp:3 with 'int (double)'": the
// operator is live with other C++ types than the request has.
std::string two_signatures(const request& r, const entry& other) {
  const std::string what = r.kind == request_kind::define ? "defined" : "implemented for " + to_string(r.target);
  return std::string(r.op->name) + ": " + what + " at " + r.where.text() + " with the signature '" +
         std::string(r.op->signature->name()) + "', " + other.origin() + " with '" +
         std::string(other.signature->name()) + "'";
}
[[noreturn]] void refuse_definition(const request& r, const entry& other) {
  const std::string name(r.op->name);
  std::string text = two_signatures(r, other);
  if (other.definitions.empty()) {
    const live_registration& waiting = other.registrations.front();
    const author::verdict v =
        kernel_mismatch(name, r.schema, kind_of(waiting.impl->kind), r.op->signature->types, other.signature->types);
    text += "; " + std::string(v.view());
  }
  throw bad_registration(std::move(text), name);
}
[[noreturn]] void refuse_kernel(const request& r, const entry& other) {
  const std::string name(r.op->name);
  const schema_record* schema = other.definitions.empty() ? nullptr : other.definitions.front().schema;
  const author::verdict v =
      kernel_mismatch(name, schema, kind_of(r.impl->kind), other.signature->types, r.op->signature->types);
  throw bad_registration(two_signatures(r, other) + "; " + std::string(v.view()), name);
}

}  // namespace

registry_state::~registry_state() {
  while (functors != nullptr) functors.reset(functors->next);
}

void registry_state::ended::settle() noexcept {
  if (listens != nullptr) listens->silence();
  end_object_of(impl);
}

entry& registry_state::intern(const operator_info& op) {
  const signature_info& signature = *op.signature;
  for (entry* e = names.find(op.name); e != nullptr; e = e->next_of_name) {
    if (*e->signature != signature) continue;
    if (e->lacks_typed_entry() && as_text_signature(&signature) == nullptr) e->adopt(signature);
    return *e;
  }
  auto made = std::make_unique<entry>(op, signature, *this);
  if (entries.size() == entries.capacity()) entries.reserve(2 * entries.size() + 1);
  names.insert(*made);
  return *entries.emplace_back(std::move(made));
}

entry* registry_state::live(std::string_view name) const noexcept {
  entry* implemented = nullptr;
  for (entry* e = names.find(name); e != nullptr; e = e->next_of_name) {
    if (!e->definitions.empty()) return e;
    if (!e->registrations.empty()) implemented = e;
  }
  return implemented;
}

slot_set registry_state::slots_of_every_operator() const noexcept {
  static constexpr slot_set transparent = [] {
    slot_set slots;
    for (unsigned slot = 1; slot < author::row_count; ++slot) {
      if (transparent_keys.has(author::key_of_row(slot).layer) && !lacks_backend(author::key_of_row(slot)))
        slots.add(slot);
    }
    return slots;
  }();
  slot_set slots = transparent;
  for (const auto& fallback : fallback_registrations) slots |= slots_of_fallback(fallback->target);
  return slots;
}

void registry_state::commit(std::span<const request> requests) {
  std::size_t applied = 0;
  const std::size_t noted = overrides.size();
  try {
    for (; applied < requests.size(); ++applied) apply(requests[applied]);
    std::size_t events = 0;
    for (const request& r : requests) {
      if (r.kind == request_kind::define) events += heard_by.count();
      if (r.kind == request_kind::listen) events += entries.size();
    }
    heard_by.reserve(events);
  } catch (...) {
    while (applied-- != 0) remove(requests[applied].op, requests[applied].id);
    overrides.resize(noted);
    throw;
  }
  publish(requests, false);
}

void registry_state::tell(std::unique_lock<std::mutex>& lock) noexcept {
  const std::vector<std::string> warnings = std::exchange(overrides, {});
  heard_by.deliver(lock);
  if (warnings.empty()) return;
  lock.unlock();
  for (const std::string& each : warnings) author::warn({each});
  lock.lock();
}

registry_state::ended registry_state::withdraw(entry* op, std::uint64_t id) noexcept {
  if (const std::optional<change> removed = remove(op, id)) {
    publish(*removed);
    return {removed->listens, removed->impl};
  }
  ended found;
  for (std::vector<request>* batch : batches) {
    std::erase_if(*batch, [&](const request& r) {
      if (r.id == id) found.impl = r.impl;
      return r.id == id;
    });
  }
  return found;
}

std::shared_ptr<listener> registry_state::withdraw(std::vector<request>& batch) noexcept {
  std::shared_ptr<listener> listening;
  std::erase_if(batch, [&](const request& r) {
    const std::optional<change> removed = remove(r.op, r.id);
    if (removed && removed->listens) {
      removed->listens->next = std::move(listening);
      listening = removed->listens;
    }
    return !removed;
  });
  publish(batch, true);
  return listening;
}

// ------------------------------------------------------------------------------------------- checking and applying

void registry_state::apply(const request& r) {
  switch (r.kind) {
    case request_kind::define: return define(r);
    case request_kind::tag: return tag(r);
    case request_kind::implement: return implement(r);
    case request_kind::fallback: return add_fallback(r);
    case request_kind::claim: return claim(r);
    case request_kind::always: return always.push_back({r.id, r.keys, r.where});
    case request_kind::backend_name: return name_backend(r);
    case request_kind::listen: return listen(r);
  }
}

namespace {

void check_tags(const entry& op, tag_set tags, const place& where, const schema_record& of) {
  // Parsing is for these alone: most operators live and die without.
  if (!tags.contains(tag::view) && !tags.contains(tag::inplace_view) && !tags.contains(tag::view_copy)) return;
  const schema* const s = of.parsed();
  if (s == nullptr) return;
  if (const std::string_view misfit = author::misfit_of(tags, s->view()); !misfit.empty()) {
    const std::string name(op.name);
    throw bad_registration(name + ": tagged at " + where.text() + " as " + std::string(misfit), name);
  }
}

}  // namespace

void registry_state::define(const request& r) {
  for (const entry* e = r.op->first_of_name; e != nullptr; e = e->next_of_name) {
    const bool same_signature = e == r.op;
    if (!same_signature && !e->registrations.empty()) refuse_definition(r, *e);
    if (e->definitions.empty()) continue;
    const live_definition& d = e->definitions.front();
    if (same_signature && (d.schema == r.schema || d.schema->text() == r.schema->text())) continue;
    const std::string name(r.op->name);
    std::string text = name + ": defined at " + d.where.text() + " as '" + std::string(d.schema->text()) +
                       "', and differently at " + r.where.text() + " as '" + std::string(r.schema->text()) + "'";
    if (d.schema->text() == r.schema->text()) {
      text += "; the C++ signatures are '" + std::string(e->signature->name()) + "' and '" +
              std::string(r.op->signature->name()) + "'";
    } else if (d.schema->parsed() != nullptr && r.schema->parsed() != nullptr) {
      text += "; " + difference(d.schema->parsed()->view(), r.schema->parsed()->view());
    }
    throw bad_registration(std::move(text), name);
  }
  for (const live_tags& t : r.op->tags) check_tags(*r.op, t.tags, t.where, *r.schema);
  r.op->prepare(*r.schema);
  r.op->definitions.push_back({r.id, r.schema, r.where});
}

void registry_state::tag(const request& r) {
  for (const entry* e = r.op->first_of_name; e != nullptr; e = e->next_of_name) {
    if (e == r.op || (e->definitions.empty() && e->registrations.empty())) continue;
    const std::string name(r.op->name);
    throw bad_registration(name + ": tagged at " + r.where.text() + " with the signature '" +
                               std::string(r.op->signature->name()) + "', " + e->origin() + " with '" +
                               std::string(e->signature->name()) + "'",
                           name);
  }
  check_tags(*r.op, r.tags, r.where, r.op->schema_of());
  r.op->tags.push_back({r.id, r.tags, r.where});
}

void registry_state::implement(const request& r) {
  for (const entry* e = r.op->first_of_name; e != nullptr; e = e->next_of_name) {
    if (e != r.op && !(e->definitions.empty() && e->registrations.empty())) refuse_kernel(r, *e);
  }
  std::vector<live_registration>& live = r.op->registrations;
  auto at = live.end();
  const live_registration* overridden = nullptr;
  bool there = false;
  for (auto other = live.begin(); other != live.end(); ++other) {
    if (other->target != r.target) continue;
    there = true;
    // The same source line in another shared object: a static library linked into both. Not an override, so it is
    // inserted before the other registration, which stays active.
    const bool same_line = other->line == r.where.line && std::string_view(other->file) == r.where.file;
    if (same_line && other->impl != r.impl && home_of(*other->impl) != home_of(*r.impl)) at = other;
    if (!same_line) overridden = &*other;
  }
  if (r.replaces && !there) {
    const std::string name(r.op->name);
    throw bad_registration(name + ": replace() at " + r.where.text() + " for " + to_string(r.target) +
                               ": there is no kernel to replace; " + kernels_text(*r.op),
                           name);
  }
  if (overridden != nullptr && at == live.end() && !r.replaces) note_override(r, *overridden);
  r.op->prepare(*r.impl);
  // Grows by half: there are many operators, each with few kernels.
  if (live.size() == live.capacity()) {
    const auto index = at - live.begin();
    live.reserve(live.size() + live.size() / 2 + 2);
    at = live.begin() + index;
  }
  live.insert(at, {r.id, r.impl, r.where.file, r.where.line, r.target, r.replaces});
}

void registry_state::note_override(const request& r, const live_registration& other) {
  const override_policy policy = overrides_are();
  if (policy == override_policy::allowed) return;
  const std::string name(r.op->name);
  std::string text = name + ": the " + std::string(kind_of(r.impl->kind)) + " for " + to_string(r.target) + " at " +
                     r.where.text() + " overrides the one registered at " + other.place() +
                     "; use replace() to say that it is meant";
  if (r.of_plugin && policy == override_policy::refused_in_plugins) throw bad_registration(std::move(text), name);
  overrides.push_back(std::move(text));
}

void registry_state::add_fallback(const request& r) {
  const slot_set slots = slots_of_fallback(r.target);
  slots.for_each([&](unsigned slot) {
    const live_registration* other = fallbacks[slot];
    if (other == nullptr) return;
    throw bad_registration("fallback for " + to_string(r.target) + " at " + r.where.text() + ": " +
                           to_string(author::key_of_row(slot)) + " has one already, registered at " + other->place());
  });
  for (const auto& e : entries) e->prepare(*r.impl);
  fallback_registrations.push_back(std::make_unique<live_registration>(
      live_registration{r.id, r.impl, r.where.file, r.where.line, r.target, false}));
  slots.for_each([&](unsigned slot) { fallbacks[slot] = fallback_registrations.back().get(); });
}

void registry_state::claim(const request& r) {
  for (const claimed_namespace& other : namespaces) {
    if (other.name != r.text) continue;
    throw bad_registration("library '" + std::string(r.text) + "' at " + r.where.text() +
                           ": the namespace has one already, at " + other.where.text() +
                           "; add to it with fragment() or implement()");
  }
  namespaces.push_back({r.id, r.text, r.where});
}

void registry_state::name_backend(const request& r) {
  const auto refuse = [&](const std::string& why) {
    throw bad_registration("name '" + std::string(r.text) + "' for " + canonical_name(r.named) + " at " +
                           r.where.text() + ": " + why);
  };
  if (!author::is_private(r.named)) refuse("only PrivateUse1 to PrivateUse8 are given names");
  if (!is_identifier(r.text)) refuse("needs an identifier of letters, digits and '_'");
  for (const named_backend& other : backend_names) {
    if (other.which == r.named && other.name != r.text) {
      refuse("the backend is named '" + std::string(other.name) + "' already, at " + other.where.text());
    }
    if (other.which != r.named && other.name == r.text) {
      refuse(canonical_name(other.which) + " has this name already, given at " + other.where.text());
    }
    if (other.which != r.named && equal_but_for_case(other.name, r.text)) {
      refuse(canonical_name(other.which) + " has the name '" + std::string(other.name) +
             "', which differs in case alone, given at " + other.where.text());
    }
  }
  for (const named_backend& other : backend_names) {
    if (other.which == r.named) continue;
    if (const std::string twice = shared_instance(r.text, other.name); !twice.empty()) {
      refuse("with '" + std::string(other.name) + "', given at " + other.where.text() + ", '" + twice +
             "' would be the name of two keys");
    }
  }
  if (const std::string taken = key_named_like(r.text, r.named); !taken.empty()) {
    refuse("it would make the name of " + taken + " mean two keys");
  }
  backend_names.push_back({r.id, r.named, r.text, r.where});
}

void registry_state::listen(const request& r) { heard_by.add(r.id, std::make_shared<listener>(r.hears)); }

// ---------------------------------------------------------------------------------------------------------- removal

std::optional<registry_state::change> registry_state::remove(entry* op, std::uint64_t id) noexcept {
  const auto has_id = [&](const auto& each) { return each.id == id; };
  if (op != nullptr) {
    const auto found = std::ranges::find_if(op->registrations, has_id);
    if (found != op->registrations.end()) {
      change removed{request_kind::implement, found->target, op};
      removed.impl = found->impl;
      op->registrations.erase(found);
      return removed;
    }
    if (std::erase_if(op->definitions, has_id) != 0) return change{request_kind::define, key::Undefined, op};
    if (std::erase_if(op->tags, has_id) != 0) return change{request_kind::tag, key::Undefined, op};
    return std::nullopt;
  }
  for (auto& fallback : fallback_registrations) {
    if (fallback->id != id) continue;
    change removed{request_kind::fallback, fallback->target};
    removed.impl = fallback->impl;
    slots_of_fallback(removed.target).for_each([&](unsigned slot) { fallbacks[slot] = nullptr; });
    std::erase_if(fallback_registrations, [&](const auto& each) { return each->id == id; });
    return removed;
  }
  for (const named_backend& name : backend_names) {
    if (name.id != id) continue;
    const backend which = name.which;
    std::erase_if(backend_names, has_id);
    return change{request_kind::backend_name, key::Undefined, nullptr, id, which};
  }
  if (std::erase_if(always, has_id) != 0) return change{request_kind::always};
  if (std::erase_if(namespaces, has_id) != 0) return change{request_kind::claim};
  if (auto heard = heard_by.remove(id)) return change{request_kind::listen, key::Undefined, nullptr, id, {}, heard};
  return std::nullopt;
}

// ------------------------------------------------------------------------------------ publishing changes to callers

// Dependencies are published first and withdrawn last: kernels before the definition that makes the operator callable,
// both before the keys that are included in every call. A listener is notified of existing definitions, then of those
// in its batch.
void registry_state::publish(std::span<const request> batch, bool removed) noexcept {
  using enum request_kind;
  static constexpr std::array order{implement, tag, fallback, claim, backend_name, listen, define, always};
  for (std::size_t step = 0; step < order.size(); ++step) {
    const request_kind now = order[removed ? order.size() - 1 - step : step];
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const request& r = batch[i];
      if (r.kind != now) continue;
      if (now != implement) {
        publish({r.kind, r.target, r.op, r.id, r.named, nullptr});
        continue;
      }
      // Kernels of one operator are usually consecutive: its slots are refreshed once.
      slot_set slots = slots_changed_by(r.target);
      for (; i + 1 < batch.size() && batch[i + 1].kind == implement && batch[i + 1].op == r.op; ++i) {
        slots |= slots_changed_by(batch[i + 1].target);
      }
      r.op->refresh(slots);
    }
  }
}

void registry_state::publish(const change& c) noexcept {
  switch (c.kind) {
    case request_kind::implement: return c.op->refresh(slots_changed_by(c.target));
    case request_kind::fallback: return refresh_all(slots_of_fallback(c.target));
    case request_kind::tag: {
      tag_set all;
      for (const live_tags& each : c.op->tags) all = all | each.tags;
      return c.op->tags_now.store(all, std::memory_order_release);
    }
    case request_kind::define: {
      using enum registry_event::kind;
      if (!c.op->follow_definitions()) return;
      return heard_by.queue({c.op->definitions.empty() ? withdrawn : defined, handle_access::of(*c.op)});
    }
    case request_kind::always:
      always_included = {};
      for (const included_layers& each : always) always_included = always_included | each.keys;
      ever_included = ever_included | always_included;
      return refresh_all({});
    case request_kind::backend_name: {
      std::string_view name;
      for (const named_backend& each : backend_names) {
        if (each.which == c.named) name = each.name;
      }
      return set_backend_name(c.named, name);
    }
    case request_kind::listen:
      for (const auto& e : entries) {
        if (!e->defined.load(std::memory_order_relaxed)) continue;
        heard_by.queue_for(c.id, {registry_event::kind::defined, handle_access::of(*e)});
      }
      return;
    case request_kind::claim: return;
  }
}

void registry_state::refresh_all(const slot_set& slots) noexcept {
  for (const auto& e : entries) e->refresh(slots);
}

}  // namespace topbit::detail
