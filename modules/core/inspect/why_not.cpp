module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :inspect.wording;

namespace topbit {

using detail::known_kernel;
using detail::known_live;

std::string_view name_of(inspect::why_not_reason r) noexcept {
  switch (r) {
    case inspect::why_not_reason::not_defined: return "not defined";
    case inspect::why_not_reason::not_registered: return "not registered";
    case inspect::why_not_reason::fallthrough: return "fallthrough";
    case inspect::why_not_reason::excluded: return "excluded";
    case inspect::why_not_reason::not_brought: return "not brought";
    case inspect::why_not_reason::higher_key: return "higher key";
    case inspect::why_not_reason::composite: return "composite";
    case inspect::why_not_reason::not_covered: return "not covered";
    case inspect::why_not_reason::preferred: return "preferred";
    case inspect::why_not_reason::overridden: return "overridden";
    case inspect::why_not_reason::runs: return "runs";
  }
  return "unknown";
}

std::string to_string(const inspect::why_not_answer& a) { return a.sentence; }

namespace {

// The registrations for one key, and an answer with the fields that do not depend on the reason.
struct subject {
  const known_kernel* newest = nullptr;
  const known_kernel* older = nullptr;  // overridden by newest
  inspect::why_not_answer answer;

  subject(const detail::snapshot& s, key_target key) : answer{s.op.name, key} {
    for (const known_kernel& k : s.op.kernels) {
      if (k.key == key) older = std::exchange(newest, &k);
    }
    if (newest != nullptr) answer.kernel = newest->place;
  }

  inspect::why_not_answer because(inspect::why_not_reason reason, const std::string& text) const {
    inspect::why_not_answer a = answer;
    a.reason = reason;
    a.sentence = a.op + ": " + text;
    return a;
  }

  // The newest kernel runs, so the question is about the overridden one, if there is one.
  inspect::why_not_answer runs(const std::string& where) const {
    if (older == nullptr) return because(inspect::why_not_reason::runs, text_of(*newest) + " is what runs" + where);
    inspect::why_not_answer a =
        because(inspect::why_not_reason::overridden, text_of(*older) + " is overridden by the newer one at " +
                                                         to_string(newest->place) + ", which runs" + where);
    a.kernel = older->place;
    return a;
  }

  // "the kernel for CPU, registered at f.cpp:12,"
  static std::string text_of(const known_kernel& k) {
    const std::string place = detail::registered_text(k.place);
    return "the kernel for " + to_string(k.key) + place + (k.place.line == 0 ? "" : ",");
  }
};

// Reasons that follow from the registrations alone, without a call.
std::optional<inspect::why_not_answer> without_call(const detail::snapshot& s, const subject& asked,
                                                    const std::string& instead) {
  const std::string name = to_string(asked.answer.key);
  if (s.op.definitions.empty()) {
    return asked.because(inspect::why_not_reason::not_defined, "the operator is not defined, so every call throws");
  }
  if (asked.newest == nullptr) {
    return asked.because(inspect::why_not_reason::not_registered, "nothing is registered for " + name + instead);
  }
  if (asked.newest->form == inspect::kernel_form::fallthrough) {
    return asked.because(inspect::why_not_reason::fallthrough,
                         "calls pass through " + name + " because of a fallthrough" +
                             detail::registered_text(asked.newest->place) + instead);
  }
  return std::nullopt;
}

inspect::why_not_answer alias_without_call(const detail::snapshot& s, key_target key) {
  const subject asked(s, key);
  if (auto known = without_call(s, asked, "")) return *known;
  const known_live live(s.op.kernels, s.fallbacks);
  unsigned stands = 0, holds = 0;
  std::string other;
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    if (!detail::alias_slots[key.alias].has(slot)) continue;
    ++stands;
    const inspect::table_row r = detail::row_at(live, author::key_of_row(slot));
    if (r.registered_for == key)
      ++holds;
    else if (other.empty())
      other = to_string(r);
  }
  if (holds != 0) return asked.runs(" for " + std::to_string(holds) + " of " + std::to_string(stands) + " keys");
  return asked.because(
      inspect::why_not_reason::preferred,
      subject::text_of(*asked.newest) + " is held by none of the slots it stands for; the first one is " + other);
}

inspect::why_not_answer after_call(const detail::snapshot& s, key_target key, const inspect::explanation& call) {
  subject asked(s, key);
  const known_live live(s.op.kernels, s.fallbacks);
  const inspect::table_row end = detail::row_at(live, call.selected);
  asked.answer.selected = call.selected;
  asked.answer.found = call.found;
  asked.answer.instead = end.place;
  const std::string ends =
      call.found ? "; the call takes " + to_string(end) : "; the call throws at " + to_string(call.selected);
  if (auto known = without_call(s, asked, ends)) return *known;

  const std::string name = to_string(key);
  if (call.found && end.registered_for == key) return asked.runs("");
  if (key.is_alias()) {
    if (!detail::alias_slots[key.alias].has(detail::slot_index(call.selected))) {
      return asked.because(inspect::why_not_reason::not_covered,
                           name + " does not stand for " + to_string(call.selected) + ends);
    }
    return asked.because(inspect::why_not_reason::preferred,
                         to_string(call.selected) + " prefers another registration to that for " + name + ends);
  }
  key_set all = call.included | call.always | call.placed.value_or(key_set());
  for (const inspect::explained_argument& a : call.arguments) all = all | a.keys;
  if (!all.contains(key.row)) {
    return asked.because(inspect::why_not_reason::not_brought,
                         "neither an argument nor this thread brings " + name + ends);
  }
  if (call.excluded.has(key.row.layer)) {
    return asked.because(inspect::why_not_reason::excluded,
                         "this thread excludes " + std::string(name_of(key.row.layer)) + ends);
  }
  if (asked.newest->form == inspect::kernel_form::generated && call.placed) {
    return asked.runs(", and adds " + to_string(*call.placed) + ends);
  }
  if (end.why == inspect::row_reason::composite_kernel || end.why == inspect::row_reason::nested_kernel) {
    return asked.because(inspect::why_not_reason::composite,
                         to_string(call.selected) + " comes before " + name + " and a composite wins there" + ends);
  }
  return asked.because(inspect::why_not_reason::higher_key, to_string(call.selected) + " comes before " + name + ends);
}

}  // namespace

inspect::why_not_answer inspect::why_not_keys(const operator_handle& op, key_target key,
                                              std::span<const key_set> arguments, std::optional<key_set> placed) {
  const detail::snapshot s = detail::take_snapshot(op);
  return after_call(s, detail::as_registered(key), detail::explain_known(s, arguments, placed));
}

inspect::why_not_answer why_not(const operator_handle& op, key_target given) {
  const key_target key = detail::as_registered(given);
  const detail::snapshot s = detail::take_snapshot(op);
  if (key.is_alias()) return alias_without_call(s, key);
  const key_set brought(key.row);
  return after_call(s, key, detail::explain_known(s, {&brought, 1}, std::nullopt));
}

}  // namespace topbit
