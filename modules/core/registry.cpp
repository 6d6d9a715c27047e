module topbit.core;

import topbit.std;

namespace topbit {

namespace detail {

std::string place(std::string_view file, unsigned line) {
  return line == 0 ? std::string(file) : std::string(file) + ":" + std::to_string(line);
}

entry& registry_state::intern(const operator_info& op) {
  for (entry* e = names.find(op.name); e != nullptr; e = e->next_of_name) {
    if (e->signature_identity == op.signature->identity) return *e;
  }
  entries.push_back(std::make_unique<entry>(op, *this));
  names.insert(*entries.back());
  return *entries.back();
}

void registry_state::publish_all() {
  for (const auto& e : entries) publish(*e, fallbacks);
}

std::string registry_state::nearest(std::string_view name) const {
  std::string best;
  std::size_t best_distance = name.size() / 3 + 2;  // farther is another word, not a slip
  std::vector<std::size_t> row;
  for (const auto& e : entries) {
    if (e->definitions.empty()) continue;
    row.resize(e->name.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t substitute = diagonal + (name[i - 1] == e->name[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min(substitute, std::min(row[j], row[j - 1]) + 1);
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = e->name;
    }
  }
  return best;
}

namespace {

std::string undefined_text(const entry& e) {
  const registry_state& r = *e.home;
  std::string text = e.name + ": ";
  for (const entry* other = r.names.find(e.name); other != nullptr; other = other->next_of_name) {
    if (other->definitions.empty()) continue;
    const live_definition& d = other->definitions.front();
    return text + "is defined at " + place(d.file, d.line) + " with the signature '" + other->signature_name +
           "', this handle has '" + e.signature_name + "'";
  }
  if (e.was_defined) return text + "was withdrawn: its library is gone or was reset";
  if (!e.registrations.empty()) {
    const live_registration& r1 = e.registrations.back();
    return text + "implemented at " + place(r1.file, r1.line) +
           ", never defined: was the object that defines it linked?";
  }
  text += "declared, never registered: was its object linked?";
  if (const std::string near = r.nearest(e.name); !near.empty()) text += " The nearest registered name is " + near;
  return text;
}

std::string kernels_text(const entry& e) {
  std::string text;
  for (const live_registration& r : e.registrations) {
    if (r.impl->kind == kernel_kind::fallthrough) continue;
    text += (text.empty() ? "" : ", ") + to_string(r.target) + " (" + place(r.file, r.line) + ")";
  }
  return text.empty() ? "there is no kernel for any key" : "there are kernels for " + text;
}

std::string missing_text(const entry& e, key_set keys, std::span<const key_set> arguments) {
  const live_kernels live(e, e.home->fallbacks);
  const dispatch_key selected = key_of_row(keys.row());
  if (row_value(live, keys.row(), [](auto&&...) {}).why == row_reason::ambiguous) {
    return e.name + ": ambiguous at AutogradOther: a composite kernel and a kernel of a backend that shares this " +
           "row are both registered; register one for AutogradOther, or call below autograd; " + kernels_text(e);
  }
  if (selected == key::Undefined) {
    return e.name + ": no argument brought a key, and there is no catch-all kernel; " + kernels_text(e);
  }
  if (per_backend(selected.layer) && selected.device == backend::none) {
    return e.name + ": the key set has " + std::string(name_of(selected.layer)) + " without a backend";
  }
  std::string text = e.name + ": no kernel for " + to_string(selected);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].contains(selected)) continue;
    text += ", which " + e.argument_label(i) + " brought";
    break;
  }
  if (current_thread_keys().include.has(selected.layer)) text += ", which this thread includes";
  return text + "; " + kernels_text(e);
}

}  // namespace

void raise_no_kernel(const entry_head& head, key_set keys, std::span<const key_set> arguments) {
  const entry& e = entry_of(head);
  const std::unique_lock lock(e.home->mutex);
  std::string text = e.definitions.empty() ? undefined_text(e) : missing_text(e, keys, arguments);
  throw no_kernel(std::move(text), e.name, keys);
}

}  // namespace detail

using detail::entry;
using detail::entry_of;
using detail::place;

registration::registration(registration&& other) noexcept
    : registry_(std::exchange(other.registry_, nullptr)), entry_(other.entry_), id_(other.id_) {}

registration& registration::operator=(registration&& other) noexcept {
  if (this != &other) {
    reset();
    registry_ = std::exchange(other.registry_, nullptr);
    entry_ = other.entry_;
    id_ = other.id_;
  }
  return *this;
}

registration::~registration() { reset(); }

void registration::reset() noexcept {
  if (registry* r = std::exchange(registry_, nullptr)) r->withdraw(entry_, id_);
}

void registration::keep() noexcept { registry_ = nullptr; }

registry::registry() : state_(std::make_unique<detail::registry_state>()) {}
registry::~registry() = default;

registry& registry::process() noexcept {
  static registry& r = *new registry;
  return r;
}

std::optional<operator_handle> registry::try_find(std::string_view name) noexcept {
  for (entry* e = state_->names.find(name); e != nullptr; e = e->next_of_name) {
    if (e->defined.load(std::memory_order_acquire)) return operator_handle(*e);
  }
  return std::nullopt;
}

operator_handle registry::find(std::string_view name) {
  if (const auto found = try_find(name)) return *found;
  const std::string wanted(name);
  const std::lock_guard lock(state_->mutex);
  if (const entry* e = state_->names.find(name); e != nullptr && !e->registrations.empty()) {
    throw unknown_operator(wanted + ": an implementation was found, at " +
                               place(e->registrations.back().file, e->registrations.back().line) +
                               ", but no definition; was the object that defines it linked?",
                           wanted);
  }
  const std::string near = state_->nearest(name);
  throw unknown_operator(wanted + ": no operator of this name is registered" +
                             (near.empty() ? std::string() : "; the nearest name is " + near),
                         wanted);
}

std::vector<std::string> registry::operators() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> names;
  for (const auto& e : state_->entries) {
    if (!e->definitions.empty()) names.push_back(e->name);
  }
  std::ranges::sort(names);
  return names;
}

namespace {

// An entry runs code of the image that made it first. Before the lock is taken: see pin_image_of.
void pin_maker(const detail::operator_info& op) noexcept {
  detail::pin_image_of(reinterpret_cast<const void*>(op.signature->make));
}

}  // namespace

detail::entry_head& registry::bind(const detail::operator_info& op) {
  pin_maker(op);
  const std::lock_guard lock(state_->mutex);
  return state_->intern(op);
}

registration registry::define(const detail::operator_info& op, std::source_location where) {
  pin_maker(op);
  const std::lock_guard lock(state_->mutex);
  const std::string here = place(where.file_name(), where.line());
  const detail::schema_record wanted(op);
  for (const entry* e = state_->names.find(op.name); e != nullptr; e = e->next_of_name) {
    if (e->signature_identity != op.signature->identity && !e->registrations.empty()) {
      const detail::live_registration& r = e->registrations.front();
      throw bad_registration(std::string(op.name) + ": defined at " + here + " with the signature '" +
                                 std::string(op.signature->name) + "', implemented at " + place(r.file, r.line) +
                                 " with '" + e->signature_name + "'",
                             std::string(op.name));
    }
    if (e->definitions.empty()) continue;
    const std::string& found = e->schema_of().text;
    if (e->signature_identity == op.signature->identity && found == wanted.text) continue;
    const detail::live_definition& d = e->definitions.front();
    throw bad_registration(std::string(op.name) + ": defined at " + place(d.file, d.line) + " as '" + found +
                               "', and differently at " + here + " as '" + wanted.text + "'" +
                               (found == wanted.text ? "; the C++ signatures are '" + e->signature_name + "' and '" +
                                                           std::string(op.signature->name) + "'"
                                                     : std::string()),
                           std::string(op.name));
  }
  entry& e = state_->intern(op);
  detail::live_definition definition{state_->next_id, where.file_name(), where.line()};
  const detail::schema_record& text = e.intern(op);
  e.definitions.push_back(std::move(definition));
  e.schema_now.store(&text, std::memory_order_release);
  e.was_defined = true;
  publish(e, state_->fallbacks);
  return {*this, &e, state_->next_id++};
}

namespace {

void check_row(std::string_view what, key_target key, const std::string& here) {
  if (key.is_alias() || !per_backend(key.row.layer) || key.row.device != backend::none) return;
  throw bad_registration(std::string(what) + ": '" + std::string(name_of(key.row.layer)) + "' at " + here +
                         " is a building block and has no row; name a backend, for example " +
                         to_string(dispatch_key{key.row.layer, backend::CPU}));
}

}  // namespace

registration registry::implement(const detail::operator_info& op, key_target target, const detail::kernel& impl,
                                 std::source_location where) {
  const std::string here = place(where.file_name(), where.line());
  check_row(op.name, target, here);
  if (target == key_target(key::Undefined)) target = key::CompositeImplicitAutograd;  // no key: catch-all
  pin_maker(op);
  detail::pin_image_of(&impl);
  const std::lock_guard lock(state_->mutex);
  for (const entry* e = state_->names.find(op.name); e != nullptr; e = e->next_of_name) {
    if (e->definitions.empty() || e->signature_identity == op.signature->identity) continue;
    const detail::live_definition& d = e->definitions.front();
    throw bad_registration(std::string(op.name) + ": implemented at " + here + " with the signature '" +
                               std::string(op.signature->name) + "', defined at " + place(d.file, d.line) + " with '" +
                               e->signature_name + "'",
                           std::string(op.name));
  }
  entry& e = state_->intern(op);
  e.registrations.push_back({state_->next_id, target, &impl, where.file_name(), where.line()});
  publish(e, state_->fallbacks);
  return {*this, &e, state_->next_id++};
}

registration registry::claim(std::string_view ns, std::source_location where) {
  const std::string here = place(where.file_name(), where.line());
  const std::lock_guard lock(state_->mutex);
  for (const detail::claimed_namespace& other : state_->namespaces) {
    if (other.name != ns) continue;
    throw bad_registration("library '" + std::string(ns) + "' at " + here + ": the namespace has one already, at " +
                           other.place + "; add to it with fragment() or implement()");
  }
  state_->namespaces.push_back({state_->next_id, std::string(ns), here});
  return {*this, nullptr, state_->next_id++};
}

registration registry::fallback(key_target target, const detail::kernel& impl, std::source_location where) {
  const std::string here = place(where.file_name(), where.line());
  check_row("fallback", target, here);
  if (target == key_target(key::Undefined)) {
    throw bad_registration("fallback at " + here + ": needs a key, found Undefined");
  }
  detail::pin_image_of(&impl);
  const std::lock_guard lock(state_->mutex);
  std::vector<unsigned> rows;
  for (unsigned row = 1; row < row_count; ++row) {
    const bool stands =
        target.is_alias() ? (detail::alias_cover[row] >> target.alias & 1) != 0 : row == detail::row_of(target.row);
    if (!stands) continue;
    if (const detail::live_registration* other = state_->fallbacks[row]) {
      throw bad_registration("fallback for " + to_string(target) + " at " + here + ": " + to_string(key_of_row(row)) +
                             " has one already, registered at " + place(other->file, other->line));
    }
    rows.push_back(row);
  }
  state_->fallback_registrations.push_back(std::make_unique<detail::live_registration>(
      detail::live_registration{state_->next_id, target, &impl, where.file_name(), where.line()}));
  for (unsigned row : rows) state_->fallbacks[row] = state_->fallback_registrations.back().get();
  state_->publish_all();
  return {*this, nullptr, state_->next_id++};
}

void registry::withdraw(detail::entry_head* head, std::uint64_t id) noexcept {
  const std::lock_guard lock(state_->mutex);
  if (head == nullptr) {
    if (std::erase_if(state_->namespaces, [&](const auto& n) { return n.id == id; }) != 0) return;
    for (auto& f : state_->fallbacks) {
      if (f != nullptr && f->id == id) f = nullptr;
    }
    state_->publish_all();
    std::erase_if(state_->fallback_registrations, [&](const auto& r) { return r->id == id; });
    return;
  }
  entry& e = entry_of(*head);
  std::erase_if(e.registrations, [&](const auto& r) { return r.id == id; });
  std::erase_if(e.definitions, [&](const auto& d) { return d.id == id; });
  publish(e, state_->fallbacks);
}

}  // namespace topbit
