module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :inspect.wording;
import :registry.registry_state;

namespace topbit {

std::vector<inspect::table_row> computed_table(const operator_handle& op) {
  const detail::snapshot s = detail::take_snapshot(op);
  std::vector<inspect::table_row> table;
  if (s.op.definitions.empty()) return table;
  const detail::known_live live(s.op.kernels, s.fallbacks);
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    inspect::table_row r = detail::row_at(live, author::key_of_row(slot));
    if (detail::is_usable(r)) table.push_back(std::move(r));
  }
  return table;
}

inspect::table_row inspect::computed_row(const operator_handle& op, dispatch_key key) {
  const detail::snapshot s = detail::take_snapshot(op);
  if (s.op.definitions.empty()) return {key};
  return detail::row_at(detail::known_live(s.op.kernels, s.fallbacks), key);
}

std::string to_string(const inspect::table_row& row) { return to_string(row.key) + ": " + detail::content_of(row); }

std::string to_string(std::span<const inspect::table_row> table) {
  std::vector<detail::keyed_line> lines;
  for (const inspect::table_row& row : table) lines.push_back({row.key, detail::content_of(row)});
  return detail::grouped(lines, "");
}

bool inspect::has_entry(const operator_handle& op, dispatch_key key) {
  const detail::entry& e = detail::entry_of(detail::handle_access::entry(op));
  const detail::kernel* const published = e.slot(detail::slot_index(key));
  if (published->kind != detail::kernel_kind::tracer) {
    return e.defined.load(std::memory_order_acquire) && published->kind != detail::kernel_kind::raise;
  }
  const inspect::table_row row = inspect::computed_row(op, key);
  return detail::is_usable(row) && row.why != inspect::row_reason::ambiguous;
}

namespace {

// True if the stored record matches the choice.
bool agrees(const detail::stored_record& stored, const detail::slot_choice<detail::known_kernel>& choice,
            dispatch_key k) {
  using enum detail::kernel_kind;
  if (detail::passes(choice, k)) return stored.kind == skip;
  if (!detail::runs(choice)) return stored.kind == raise;
  if (choice.from->form == inspect::kernel_form::boxed)
    return stored.kind == adapter && stored.state == choice.from->impl;
  return stored.record == choice.from->impl;
}

}  // namespace

std::vector<std::string> verify(const operator_handle& op) {
  const detail::published p = detail::take_published(op);
  const detail::known_operator& known = p.from.op;
  const detail::known_live live(known.kernels, p.from.fallbacks);
  const bool defined = !known.definitions.empty();
  std::vector<std::string> wrong;
  const auto say = [&](const std::string& what) { wrong.push_back(known.name + ": " + what); };

  std::uint64_t layers = 0;  // functionalities that at least one backend does not skip
  bool selects = false;
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    const dispatch_key k = author::key_of_row(slot);
    detail::slot_choice<detail::known_kernel> choice;
    // Without a definition every slot throws.
    if (defined) choice = detail::choose_for_slot(live, slot, [](auto&&...) {});
    if (!agrees(p.slots[slot], choice, k)) {
      say("the slot of " + to_string(k) + " is not what the registrations give: " +
          detail::content_of(defined ? detail::row_at(live, k) : inspect::table_row{k}));
    }
    if (!detail::lacks_backend(k) && !detail::passes(choice, k)) layers |= key_set(building_block{k.layer}).raw();
    if (k == key::BackendSelect) selects = detail::runs(choice);
  }
  const auto compare = [&](const char* what, std::uint64_t found, std::uint64_t wanted) {
    if (found != wanted) say(what + (" about " + detail::layers_text(key_set::from_raw(found ^ wanted))));
  };
  compare("the mask is wrong", p.mask, defined ? ~detail::functionality_bits | layers : ~std::uint64_t{0});
  const key_set always = p.wanted_layers | (selects ? key_set(key::BackendSelect) : key_set());
  compare("the include mask is wrong", p.always, defined ? always.raw() : 0);
  compare("what the registry adds to every call is wrong", p.layers.raw(), p.wanted_layers.raw());
  if (p.defined != defined) say(defined ? "callers find it undefined" : "callers find it defined");

  if (p.schema_name && *p.schema_name != known.name) say("the schema is that of " + *p.schema_name);
  if (p.schema_name && p.schema_arguments != p.arguments) {
    say("the schema has " + std::to_string(p.schema_arguments) + " arguments, the signature " +
        std::to_string(p.arguments));
  }
  if (live.direct(0) != nullptr)
    say("a kernel is stored under no key" + detail::registered_text(live.direct(0)->place));
  return wrong;
}

}  // namespace topbit
