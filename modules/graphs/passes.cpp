module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :calls;
import :rewriting;

namespace topbit::graphs {

namespace {

bool has_fault(const graph& g, number call) {
  return std::ranges::any_of(g.faults(),
                             [&](const fault& f) { return f.node >= call && f.node < g.nodes()[call].end; });
}
// The storages whose elements the caller has.
std::vector<bool> outside_storages(const graph& g) {
  std::vector<bool> found(g.storages().size());
  for (const tensor_value& t : g.tensors()) {
    if (t.from != source::node && t.storage != nothing) found[t.storage] = true;
  }
  return found;
}

}  // namespace

pass_result remove_dead_code(const graph& g) {
  std::vector<bool> is_read(g.tensors().size()), is_live = outside_storages(g);
  const auto read = [&](number t) {
    is_read[t] = true;
    if (const number s = g.tensors()[t].storage; s != nothing) is_live[s] = true;
  };
  for (const named_value& output : g.outputs()) read(output.tensor);
  const chosen_calls calls(g);
  std::vector<number> kept;
  std::vector<pass_note> notes;
  for (std::size_t k = calls.all().size(); k-- > 0;) {
    const number c = calls.all()[k];
    const node& n = g.nodes()[c];
    const call_effects effects = effects_of(g, c);
    bool is_used = std::ranges::any_of(effects.written, [&](number s) { return is_live[s]; });
    g.each_tensor(g.results(n), [&](number t, const argument&) { is_used = is_used || is_read[t]; });
    if (!is_used) {
      std::optional<tag> kept_tag = tag_among(effects.tags, host_tags);
      if (!kept_tag) kept_tag = tag_among(effects.tags, std::array{tag::effect, tag::collective});
      if (!kept_tag && !has_fault(g, c)) {
        notes.push_back({c, true, "removed, nothing reads it"});
        continue;
      }
      notes.push_back({c, false,
                       kept_tag ? "kept, it is tagged " + std::string(name_of(*kept_tag))
                                : "kept, it did not do what its schema says"});
    }
    kept.push_back(c);
    g.each_tensor(g.arguments(n), [&](number t, const argument&) { read(t); });
    for (number part = c + 1; part < n.end; ++part) {
      g.each_tensor(g.arguments(g.nodes()[part]), [&](number t, const argument&) { read(t); });
    }
  }
  std::ranges::reverse(notes);
  std::ranges::reverse(kept);
  rewriting made(g);
  for (const number c : kept) made.copy(c);
  return {std::move(made).finish(), std::move(notes)};
}

// ------------------------------------------------------------------------------------------------ common calls

namespace {

class common_calls {
 public:
  explicit common_calls(const graph& g) : g_(g), made_(g) {
    for (const named_value& output : g.outputs()) is_output_.insert(g.tensors()[output.tensor].storage);
    // Nobody counted what a call did that its schema does not say.
    for (const fault& f : g.faults()) {
      g.each_tensor(g.arguments(g.nodes()[f.node]), [&](number t, const argument&) {
        if (g.tensors()[t].storage != nothing) is_unknown_.insert(g.tensors()[t].storage);
      });
    }
  }

  pass_result run() && {
    const chosen_calls calls(g_);
    for (const number c : calls.all()) {
      if (!merge(c)) made_.copy(c);
    }
    return {std::move(made_).finish(), std::move(notes_)};
  }

 private:
  static constexpr std::array kept_tags_{tag::escape, tag::effect, tag::collective, tag::nondeterministic};

  bool merge(number c) {
    const node& n = g_.nodes()[c];
    const call_effects effects = effects_of(g_, c);
    if (!effects.written.empty() || effects.draws || effects.tags.contains(tag::random)) return false;
    std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(n.op.id()));
    if (n.no_grad) key += " no_grad";
    for (const argument& a : g_.arguments(n)) add(key, a);
    const auto [known, is_first] = first_.try_emplace(std::move(key), c);
    if (is_first) return false;
    const number first = known->second;
    const std::string why = why_not(first, c, effects);
    const std::string of_first = text_of_node(g_, first);
    if (!why.empty()) {
      notes_.push_back({c, false, "kept beside " + of_first + ", " + why});
      return false;
    }
    std::vector<number> results;
    g_.each_tensor(g_.results(g_.nodes()[first]), [&](number t, const argument&) { results.push_back(t); });
    std::size_t i = 0;
    g_.each_tensor(g_.results(n), [&](number t, const argument&) { made_.replace(results[i++], t); });
    notes_.push_back({c, true, "merged with " + of_first});
    return true;
  }

  void add(std::string& key, const argument& a) const {
    key += '|';
    switch (a.is) {
      case argument::kind::none: key += "None"; break;
      case argument::kind::undefined: key += "undefined"; break;
      case argument::kind::tensor:
        key += "%" + std::to_string(made_.origin(a.index)) + "@" + std::to_string(a.version);
        break;
      case argument::kind::tensors:
        key += '[';
        for (const argument& e : g_.elements(a)) add(key, e);
        key += ']';
        break;
      default: key += exact_text(g_.constant(a));
    }
  }

  // Empty if the second may go.
  std::string why_not(number first, number second, const call_effects& effects) const {
    if (const std::optional<tag> kept = tag_among(effects.tags, kept_tags_)) {
      return "it is tagged " + std::string(name_of(*kept));
    }
    std::string why;
    g_.each_tensor(g_.arguments(g_.nodes()[second]), [&](number t, const argument&) {
      if (is_unknown_.contains(g_.tensors()[t].storage))
        why = "a call that did not do what its schema says had its argument";
    });
    if (!why.empty()) return why;
    std::vector<bool> firsts_output;
    g_.each_tensor(g_.results(g_.nodes()[first]),
                   [&](number t, const argument&) { firsts_output.push_back(is_returned(made_.origin(t))); });
    std::size_t i = 0;
    for (const number c : {first, second}) {
      g_.each_tensor(g_.results(g_.nodes()[c]), [&](number t, const argument&) {
        const tensor_value& made = g_.tensors()[t];
        const bool is_new = made.storage != nothing && !is_of_argument(c, made.storage);
        if (is_new && g_.storages()[made.storage].writes != 0) why = "a result is written later";
        if (c == second && is_returned(t) && i < firsts_output.size() && firsts_output[i]) why = "both are returned";
        if (c == second) ++i;
      });
    }
    if (i != firsts_output.size()) why = "it has other results";
    return why;
  }
  // It, or a view of it.
  bool is_returned(number t) const { return is_output_.contains(g_.tensors()[t].storage); }
  bool is_of_argument(number c, number storage) const {
    bool found = false;
    g_.each_tensor(g_.arguments(g_.nodes()[c]),
                   [&](number t, const argument&) { found = found || g_.tensors()[t].storage == storage; });
    return found;
  }

  const graph& g_;
  rewriting made_;
  std::unordered_set<number> is_output_;           // storages
  std::unordered_set<number> is_unknown_;          // storages
  std::unordered_map<std::string, number> first_;  // by what they compute
  std::vector<pass_note> notes_;
};

}  // namespace

pass_result merge_common_calls(const graph& g) { return common_calls(g).run(); }

std::string to_string(std::span<const pass_note> notes, const graph& given) {
  std::string text;
  for (const pass_note& n : notes) text += text_of_node(given, n.node) + ": " + n.text + "\n";
  return text;
}

}  // namespace topbit::graphs
