module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :inspect.wording;

namespace topbit {

using detail::known_kernel;
using detail::known_live;

namespace {

inspect::candidate make_candidate(dispatch_key k, inspect::row_reason rule, const known_kernel* r, std::string why) {
  inspect::candidate c{k, false, rule, std::move(why), {}, {}, 0};
  if (r != nullptr) {
    c.note = r->note;
    c.file = r->place.file;
    c.line = r->place.line;
  }
  return c;
}

enum class step { ends, passes, selects_again };

// Appends the candidates considered at one key. `mask` is the operator's mask: a functionality outside it is skipped on
// every backend, so its key needs no backend.
step consider(inspect::explanation& out, const known_live& live, dispatch_key k, key_set mask) {
  if (k != key::Undefined && !mask.has(k.layer) && detail::lacks_backend(k)) {
    out.candidates.push_back(
        make_candidate(k, inspect::row_reason::transparent, nullptr, "calls pass through it on every backend"));
    return step::passes;
  }
  const auto note = [&](inspect::row_reason rule, const known_kernel* r, const char* why) {
    out.candidates.push_back(make_candidate(k, rule, r, to_string(r->key) + " " + why));
  };
  const auto choice = detail::choose_for_slot(live, detail::slot_index(k), note);
  if (detail::passes(choice, k)) {
    out.candidates.push_back(
        make_candidate(k, choice.why, choice.from,
                       choice.from == nullptr ? "no kernel handles this key, calls pass through it" : "a fallthrough"));
    return step::passes;
  }
  out.candidates.push_back(make_candidate(k, choice.why, choice.from, std::string(name_of(choice.why))));
  if (out.placed && choice.from != nullptr && choice.from->form == inspect::kernel_form::generated) {
    out.candidates.back().why = "adds " + to_string(*out.placed) + ", where the arguments say to run";
    return step::selects_again;
  }
  out.candidates.back().taken = out.found = detail::runs(choice);
  out.selected = k;
  return step::ends;
}

}  // namespace

inspect::explanation detail::explain_known(const snapshot& s, std::span<const key_set> arguments,
                                           std::optional<key_set> placed) {
  inspect::explanation out;
  out.op = s.op.name;
  out.schema = s.op.schema;
  out.placed = placed;
  key_set brought;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& labels = s.op.argument_labels;
    out.arguments.push_back({i < labels.size() ? labels[i] : "argument " + std::to_string(i + 1), arguments[i]});
    brought = brought | arguments[i];
  }
  for (unsigned b = 1; b <= author::backend_count; ++b) {
    if (brought.contains(static_cast<backend>(b))) out.backends.emplace_back(name_of(static_cast<backend>(b)));
  }
  const thread_key_state thread = current_thread_keys();
  out.included = thread.include;
  out.excluded = thread.exclude;
  out.always = s.op.always;
  const key_set all = brought | out.included | out.always;
  const key_set wanted = all - out.excluded;
  out.masked = all - s.op.mask;

  if (s.op.definitions.empty()) {
    out.candidates.push_back(
        make_candidate(wanted.highest(), inspect::row_reason::missing, nullptr, "the operator is not defined"));
    return out;
  }
  const known_live live(s.op.kernels, s.fallbacks);
  for (key_set left = wanted;;) {
    out.effective = left;
    const dispatch_key k = author::key_of_row(left.row());
    const step next = consider(out, live, k, s.op.mask);
    if (next == step::ends || k == key::Undefined) break;
    left = left - key_set(building_block{k.layer});
    // The generated BackendSelect kernel redispatches, so the thread's exclude mask is not applied again.
    if (next == step::selects_again) left = left | (*placed - key_set(k));
  }
  out.effective = out.effective & s.op.mask;
  return out;
}

inspect::explanation inspect::explain_keys(const operator_handle& op, std::span<const key_set> arguments,
                                           std::optional<key_set> placed) {
  return detail::explain_known(detail::take_snapshot(op), arguments, placed);
}

inspect::explanation detail::explain_call(const operator_handle& op, std::span<const key_set> arguments,
                                          std::optional<key_set> placed, std::span<const value> values) {
  const snapshot s = take_snapshot(op);
  inspect::explanation e = explain_known(s, arguments, placed);
  if (!e.found) return e;
  const auto taken = known_live(s.op.kernels, s.fallbacks);
  const kernel_note* const note =
      note_record_of(choose_for_slot(taken, slot_index(e.selected), [](auto&&...) {}).from->impl);
  if (note == nullptr || note->of_call == nullptr) return e;
  if (const std::string text = note->of_call(op, values); !text.empty()) e.candidates.back().note += ": " + text;
  return e;
}

namespace {

// The thread's exclusions, without the default exclusions that have no effect on this call.
key_set telling_exclusions(const inspect::explanation& e) {
  key_set brought = e.included | e.always;
  for (const inspect::explained_argument& a : e.arguments) brought = brought | a.keys;
  const key_set handled = brought - e.masked;
  return e.excluded - (detail::excluded_at_first - handled);
}

}  // namespace

std::string to_string(const inspect::explanation& e) {
  std::string text = e.op + "\n  schema    " + e.schema + "\n";
  for (const inspect::explained_argument& a : e.arguments) {
    if (!a.keys.empty()) text += "  " + a.name + " brings " + to_string(a.keys) + "\n";
  }
  if (!e.included.empty()) text += "  thread    includes " + detail::layers_text(e.included) + "\n";
  if (const key_set excluded = telling_exclusions(e); !excluded.empty())
    text += "  thread    excludes " + detail::layers_text(excluded) + "\n";
  if (!e.always.empty()) text += "  always    " + to_string(e.always) + "\n";
  for (const inspect::candidate& c : e.candidates) {
    const bool ends = &c == &e.candidates.back();
    text += c.taken ? "  takes     " : ends && !e.found ? "  throws at " : "  passes    ";
    text += to_string(c.key) + ": " + c.why;
    text += detail::note_text(c.note);
    if (!c.file.empty()) text += detail::registered_text({c.file, c.line});
    text += "\n";
  }
  if (!e.found) return text + "  result    no kernel: the call would throw\n";
  if (e.backends.size() < 2) return text;
  // Whether a kernel accepts arguments on several devices is not known statically.
  text += "  note      the arguments are on ";
  for (std::size_t i = 0; i < e.backends.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < e.backends.size() ? ", " : " and ") + e.backends[i];
  }
  return text + ": a kernel for one device would throw\n";
}

}  // namespace topbit
