module topbit.core;

import topbit.std;

namespace topbit {

using detail::entry;
using detail::live_registration;

namespace {

candidate make_candidate(dispatch_key k, row_reason rule, const live_registration* r, std::string why) {
  candidate c{k, false, rule, std::move(why), {}, 0};
  if (r != nullptr) {
    c.file = r->file;
    c.line = r->line;
  }
  return c;
}

// Adds what the selection at one key looked at. True if the call ends here, with a kernel or without one. `mask` is
// the operator's: a functionality that is passed through as a whole needs no backend to be passed.
bool consider(explanation& out, const detail::live_kernels& live, dispatch_key k, key_set mask) {
  if (k != key::Undefined && !mask.has(k.layer) && k.device == backend::none && per_backend(k.layer)) {
    out.candidates.push_back(
        make_candidate(k, row_reason::transparent, nullptr, "calls pass through it on every backend"));
    return false;
  }
  const auto note = [&](row_reason rule, const live_registration* r, const char* why) {
    out.candidates.push_back(make_candidate(k, rule, r, to_string(r->target) + " " + why));
  };
  const auto choice = detail::row_value(live, detail::row_of(k), note);
  if (k != key::Undefined && passes_through(choice)) {
    out.candidates.push_back(
        make_candidate(k, choice.why, choice.from,
                       choice.from == nullptr ? "nobody handles this key, calls pass through it" : "a fallthrough"));
    return false;
  }
  const bool found = choice.from != nullptr && choice.from->impl->kind != detail::kernel_kind::fallthrough;
  out.candidates.push_back(make_candidate(k, choice.why, choice.from, std::string(name_of(choice.why))));
  out.candidates.back().taken = found;
  out.selected = k;
  out.found = found;
  return true;
}

}  // namespace

explanation explain_keys(const operator_handle& op, std::span<const key_set> arguments) {
  const entry& e = detail::entry_of(op.entry());
  const std::lock_guard lock(e.home->mutex);
  explanation out;
  out.op = e.name;
  out.schema = e.schema_of().text();
  key_set brought;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    out.arguments.push_back({e.argument_label(i), arguments[i]});
    brought = brought | arguments[i];
  }
  const thread_key_state thread = current_thread_keys();
  out.included = thread.include;
  out.excluded = thread.exclude;
  out.always = key_set::from_raw(e.always.load(std::memory_order_acquire));
  const key_set mask = key_set::from_raw(e.mask.load(std::memory_order_acquire)) & key_set::full();
  const key_set wanted = (brought | out.included | out.always) - out.excluded;
  out.masked = wanted - mask;

  if (e.definitions.empty()) {
    out.candidates.push_back(
        make_candidate(wanted.highest(), row_reason::missing, nullptr, "the operator is not defined"));
    return out;
  }
  const detail::live_kernels live(e);
  for (key_set left = wanted;; left = left - key_set(building_block{left.highest_functionality()})) {
    out.effective = left;
    const dispatch_key k = key_of_row(left.row());
    if (consider(out, live, k, mask) || k == key::Undefined) break;
  }
  out.effective = out.effective & mask;
  return out;
}

namespace {

// A set without backends is a set of functionalities, and said as that.
std::string layers_text(key_set s) {
  if (s.highest_backend() != backend::none) return to_string(s);
  std::string text = "{";
  for (unsigned f = 1; f <= functionality_count; ++f) {
    const auto layer = static_cast<functionality>(f);
    if (s.has(layer)) text += (text.size() > 1 ? ", " : "") + std::string(name_of(layer));
  }
  return text + "}";
}

}  // namespace

std::string to_string(const explanation& e) {
  std::string text = e.op + "\n  schema    " + e.schema + "\n";
  for (const explained_argument& a : e.arguments) {
    if (!a.keys.empty()) text += "  " + a.name + " brings " + to_string(a.keys) + "\n";
  }
  if (!e.included.empty()) text += "  thread    includes " + layers_text(e.included) + "\n";
  if (!e.excluded.empty()) text += "  thread    excludes " + layers_text(e.excluded) + "\n";
  if (!e.always.empty()) text += "  always    " + to_string(e.always) + "\n";
  for (const candidate& c : e.candidates) {
    text += std::string(c.taken ? "  takes     " : "  passes    ") + to_string(c.key) + ": " + c.why;
    if (!c.file.empty()) text += ", registered at " + detail::place{c.file.c_str(), c.line}.text();
    text += "\n";
  }
  if (!e.found) text += "  result    no kernel: the call would throw\n";
  return text;
}

}  // namespace topbit
