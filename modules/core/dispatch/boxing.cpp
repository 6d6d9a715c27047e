module topbit.core;

import topbit.std;
import :registry.registry_state;

namespace topbit::detail {

namespace {

// "the boxed kernel registered for CUDA at f.cpp:12". Lists all source locations if a function is registered several
// times, none if it has been withdrawn since.
std::string name_of_target(const boxed_target& called) {
  const entry& e = entry_of(handle_access::entry(called.op));
  const std::lock_guard lock(e.home->mutex);
  std::string what = "kernel", places;
  const auto note = [&](const live_registration& r) {
    if (r.impl != called.target) return false;
    places += (places.empty() ? " registered for " : " and for ") + to_string(r.target) + " at " + r.place();
    return true;
  };
  for (const live_registration& r : e.registrations) note(r);
  const bool is_kernel = !places.empty();
  for (const auto& r : e.home->fallback_registrations) {
    if (note(*r) && !is_kernel) what = "fallback";
  }
  return "the boxed " + what + places;
}

}  // namespace

void raise_bad_result(const boxed_target& called, std::size_t index, std::string_view wanted, std::string_view found) {
  const std::string name(called.op.name());
  throw bad_argument(name + ": result " + std::to_string(index + 1) + " of " + name_of_target(called) + " is '" +
                         std::string(found) + "', wanted '" + std::string(wanted) + "'",
                     name);
}

void raise_result_count(const boxed_target& called, std::size_t wanted, std::ptrdiff_t found) {
  const std::string name(called.op.name());
  throw bad_argument(name + ": " + name_of_target(called) + " left " + std::to_string(found) +
                         " values on the stack, wanted " + std::to_string(wanted) +
                         "; it must replace the arguments by the results",
                     name);
}

std::size_t aliased_argument(const operator_handle& op, std::size_t result, std::size_t results,
                             std::span<const bool> candidates) {
  std::size_t first = candidates.size(), last = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i]) last = i;
    if (candidates[i] && first == candidates.size()) first = i;
  }
  if (const schema* s = entry_of(handle_access::entry(op)).schema_of().parsed(); s != nullptr) {
    if (s->view().returns[result].writes) return author::written_argument(s->view(), result);
  }
  if (results == 1) return candidates[0] ? first : last;
  if (candidates.size() + result < results) return first;
  const std::size_t from_end = candidates.size() - results + result;
  return candidates[from_end] ? from_end : last;
}

namespace {

[[noreturn]] void raise_bad_argument(const operator_handle& op, std::size_t index, std::string_view wanted,
                                     std::string_view found) {
  const std::string name(op.name());
  throw bad_argument(name + ", " + op.argument_label(index) + ": found '" + std::string(found) + "', wanted '" +
                         std::string(wanted) + "'",
                     name);
}

[[noreturn]] void raise_too_few(const operator_handle& op, std::size_t wanted, std::size_t found) {
  const std::string name(op.name());
  throw bad_argument(name + ": found " + std::to_string(found) + " values on the stack, wanted " +
                         std::to_string(wanted) + " arguments",
                     name);
}

}  // namespace

void check_arguments(const operator_handle& op, const boxed_stack& s, std::span<const slot_info> slots) {
  if (s.size() < slots.size()) raise_too_few(op, slots.size(), s.size());
  const std::span<const value> arguments = s.top(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if ((slots[i].optional && arguments[i].is_none()) || value_word::is(arguments[i], *slots[i].type)) continue;
    const std::string name(slots[i].type->name());
    raise_bad_argument(op, i, slots[i].optional ? "std::optional<" + name + ">" : name, arguments[i].type_name());
  }
}

std::span<value> arguments_on(boxed_stack& s, const operator_handle& op) {
  const std::span<const slot_info> slots = entry_of(handle_access::entry(op)).signature->argument_slots;
  check_arguments(op, s, slots);
  return s.top(slots.size());
}

void run_boxed_kernel(const kernel* k, entry_head* head, key_set keys, boxed_stack& s) {
  k->boxed(k, handle_access::of(*head), keys, s);
}

void call_with_values(entry_head* head, boxed_stack& s) {
  const operator_handle op = handle_access::of(*head);
  key_set brought;
  for (const value& v : arguments_on(s, op)) brought = brought | v.keys();
  const key_set keys = keys_of_call(*head, brought.raw());
  const kernel* k = head->slot(keys.row());
  k->boxed(k, op, keys, s);
}

void raise_no_kernel(const kernel* k, const operator_handle& op, key_set keys, boxed_stack& s) {
  std::vector<key_set> brought;
  for (const value& v : arguments_on(s, op)) brought.push_back(v.keys());
  op.redispatch_boxed(reselect_or_raise(*k->owner, keys, brought), s);
}

void raise_wrong_signature(const operator_handle& h, std::string_view wanted) {
  const entry& e = entry_of(handle_access::entry(h));
  const std::string name(e.name), schema(e.schema_of().text());
  const std::lock_guard lock(e.home->mutex);
  const std::string origin = e.origin();
  throw bad_argument(name + ": has the signature '" + std::string(h.signature()) + "', asked for '" +
                         std::string(wanted) + "'; its schema " + (origin.empty() ? "was '" : "is '") + schema + "'" +
                         (origin.empty() ? "" : ", ") + origin,
                     name);
}

}  // namespace topbit::detail
