module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :registry.registry_state;

namespace topbit::detail {

namespace {

// Only these functions depend on how registrations, definitions and masks are stored.

inspect::source_location copy_of(const place& p) { return {p.file, p.line}; }

known_kernel copy_of(const live_registration& r) {
  inspect::kernel_form form = inspect::kernel_form::typed;
  if (r.impl->kind == kernel_kind::boxed) form = inspect::kernel_form::boxed;
  if (r.impl->kind == kernel_kind::fallthrough) form = inspect::kernel_form::fallthrough;
  if (r.impl->kind == kernel_kind::backend_select) form = inspect::kernel_form::generated;
  return {r.target, form, {r.file, r.line}, r.impl, r.replaces, std::string(note_of(r.impl))};
}

known_fallbacks copy_of(const registry_state& state) {
  known_fallbacks all;
  for (const auto& r : state.fallback_registrations) {
    all.kernels.push_back(copy_of(*r));
    const auto number = static_cast<std::int32_t>(all.kernels.size());
    for (unsigned slot = 0; slot < author::row_count; ++slot) {
      if (state.fallbacks[slot] == r.get()) all.of_slot[slot] = number;
    }
  }
  return all;
}

known_operator copy_of(const entry& e) {
  known_operator op;
  op.name = e.name;
  op.schema = e.schema_of().text();
  op.signature = e.signature->name();
  op.tags = e.all_tags();
  for (const live_definition& d : e.definitions) op.definitions.push_back(copy_of(d.where));
  if (e.generated() != nullptr) op.kernels.push_back(copy_of(*e.generated()));
  for (const live_registration& r : e.registrations) op.kernels.push_back(copy_of(r));
  for (std::size_t i = 0; i < e.signature->arguments; ++i) op.argument_labels.push_back(e.argument_label(i));
  op.mask = key_set::from_raw(e.mask.load(std::memory_order_acquire)) & key_set::full();
  op.always = key_set::from_raw(e.always.load(std::memory_order_acquire));
  return op;
}

// Without the lock: others' functions make remarks.
void add_remarks(known_operator& op) {
  for (known_kernel& k : op.kernels) {
    if (!k.note.empty() || k.key.is_alias() || k.form == inspect::kernel_form::fallthrough) continue;
    author::kernel_remark remark = remark_of(k.key.row, op.name, k.place);
    k.note = std::move(remark.text);
    k.word = remark.word;
  }
}

}  // namespace

const registry_state& state_of(const registry& r) noexcept { return *r.state_; }
registry_state& state_of(registry& r) noexcept { return *r.state_; }

snapshot take_snapshot(const operator_handle& op) {
  const entry& e = entry_of(handle_access::entry(op));
  snapshot s;
  {
    const std::lock_guard lock(e.home->mutex);
    s = {copy_of(e), copy_of(*e.home)};
  }
  add_remarks(s.op);
  return s;
}

registry_snapshot take_snapshot(const registry& r) {
  registry_snapshot all;
  {
    const registry_state& state = state_of(r);
    const std::lock_guard lock(state.mutex);
    for (const auto& e : state.entries) {
      if (!e->definitions.empty() || !e->registrations.empty()) all.operators.push_back(copy_of(*e));
    }
    all.fallbacks = copy_of(state);
    for (const claimed_namespace& n : state.namespaces) {
      all.namespaces.push_back({std::string(n.name), copy_of(n.where)});
    }
    for (const included_layers& l : state.always) all.layers.push_back({l.keys, copy_of(l.where)});
    for (const named_backend& n : state.backend_names) {
      all.backend_names.push_back({n.which, std::string(n.name), copy_of(n.where)});
    }
  }
  for (known_operator& op : all.operators) add_remarks(op);
  std::ranges::sort(all.operators, [](const known_operator& a, const known_operator& b) {
    return std::tie(a.name, a.signature) < std::tie(b.name, b.signature);
  });
  std::ranges::sort(all.namespaces, {}, &inspect::namespace_dump::name);
  std::ranges::stable_sort(all.backend_names, {}, &inspect::backend_name_dump::which);
  return all;
}

published take_published(const operator_handle& op) {
  const entry& e = entry_of(handle_access::entry(op));
  const std::lock_guard lock(e.home->mutex);
  published p;
  p.from = {copy_of(e), copy_of(*e.home)};
  p.layers = e.home->always_included;
  for (const included_layers& l : e.home->always) p.wanted_layers = p.wanted_layers | l.keys;
  p.mask = e.mask.load(std::memory_order_acquire);
  p.always = e.always.load(std::memory_order_acquire);
  p.defined = e.defined.load(std::memory_order_acquire);
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    const kernel* k = e.behind(slot);
    p.slots.push_back({k->kind, k, k->state});
  }
  p.arguments = e.signature->arguments;
  if (const schema* parsed = e.schema_of().parsed()) {
    const std::string_view text = e.schema_of().text();
    p.schema_name = std::string(text.substr(0, text.find('(')));
    p.schema_arguments = parsed->view().arguments.size();
  }
  return p;
}

known_live::known_live(std::span<const known_kernel> kernels, const known_fallbacks& fallbacks) noexcept
    : fallbacks_(fallbacks) {
  for (const known_kernel& k : kernels) {
    if (k.key.is_alias())
      alias_[k.key.alias] = &k;
    else
      direct_[slot_index(k.key.row)] = &k;
  }
}

bool passes(const slot_choice<known_kernel>& choice, dispatch_key k) noexcept {
  if (k == key::Undefined) return false;
  if (choice.why == inspect::row_reason::transparent) return true;
  return choice.from != nullptr && choice.from->form == inspect::kernel_form::fallthrough;
}

bool runs(const slot_choice<known_kernel>& choice) noexcept {
  return choice.from != nullptr && choice.from->form != inspect::kernel_form::fallthrough;
}

inspect::table_row row_at(const known_live& live, dispatch_key k) {
  const auto choice = choose_for_slot(live, slot_index(k), [](auto&&...) {});
  inspect::table_row row{k, choice.why, passes(choice, k), {}, {}};
  if (choice.from == nullptr) return row;
  if (!row.passes && !runs(choice)) return {k, inspect::row_reason::missing, false, {}, {}};
  row.registered_for = choice.from->key;
  row.place = choice.from->place;
  row.note = choice.from->note;
  row.word = choice.from->word;
  return row;
}

bool is_usable(const inspect::table_row& row) noexcept { return row.why != inspect::row_reason::missing; }

unsigned order_of(key_target t) noexcept { return t.is_alias() ? author::row_count + t.alias : slot_index(t.row); }

}  // namespace topbit::detail
