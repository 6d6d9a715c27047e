module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :calls;
import :plan;

namespace topbit::graphs {

namespace {

bool has_kernel(const graph& g, number i, device where) {
  const node& n = g.nodes()[i];
  if (inspect::has_entry(n.op, key_of(where.type))) return true;
  if (n.end == i + 1) return false;
  for (number part = i + 1; part < n.end; part = g.nodes()[part].end) {
    if (!has_kernel(g, part, where)) return false;
  }
  return true;
}

}  // namespace

std::vector<uncovered> coverage(const graph& g, device_map map) {
  return uncovered_among(g, chosen_calls(g).all(), map);
}

std::vector<uncovered> uncovered_among(const graph& g, std::span<const number> calls, device_map map) {
  std::vector<uncovered> found;
  for (const number i : calls) {
    const device where = mapped(map, place_of(g, g.nodes()[i]));
    if (!has_kernel(g, i, where)) found.push_back({i, where});
  }
  return found;
}

std::int64_t peak_bytes(const graph& g) {
  const chosen_calls chosen(g);
  const std::span<const number> calls = chosen.all();
  constexpr std::size_t always = std::numeric_limits<std::size_t>::max();
  constexpr std::size_t never = always - 1;
  std::vector<std::size_t> last(g.storages().size(), never);
  std::vector<bool> is_live(g.storages().size());
  std::int64_t live = 0;
  const auto storage_of = [&](number t) { return g.tensors()[t].storage; };
  for (const auto& outside : {g.inputs(), g.parameters(), g.captured()}) {
    for (const named_value& one : outside) {
      const number s = storage_of(one.tensor);
      if (s == nothing || is_live[s]) continue;
      is_live[s] = true;
      last[s] = always;
      live += g.storages()[s].bytes;
    }
  }
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const node& n = g.nodes()[calls[c]];
    const auto use = [&](number t, const argument&) {
      if (const number s = storage_of(t); s != nothing && last[s] != always) last[s] = c;
    };
    g.each_tensor(g.arguments(n), use);
    g.each_tensor(g.results(n), use);
  }
  for (const named_value& output : g.outputs()) {
    if (const number s = storage_of(output.tensor); s != nothing) last[s] = always;
  }
  std::vector<std::vector<number>> ends(calls.size());
  for (number s = 0; s < last.size(); ++s) {
    if (last[s] < never) ends[last[s]].push_back(s);
  }
  std::int64_t peak = live;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    g.each_tensor(g.results(g.nodes()[calls[c]]), [&](number t, const argument&) {
      const number s = storage_of(t);
      if (s == nothing || is_live[s]) return;
      is_live[s] = true;
      live += g.storages()[s].bytes;
    });
    peak = std::max(peak, live);
    for (const number s : ends[c]) {
      if (is_live[s]) live -= g.storages()[s].bytes;
    }
  }
  return peak;
}

// ------------------------------------------------------------------------------------------------------ replayer

struct replayer::plan : replay_plan {
  using replay_plan::replay_plan;
};

replayer::replayer(const graph& g, const replay_options& options) : plan_(std::make_unique<plan>(g, options)) {}
replayer::~replayer() = default;

std::vector<tensor> replayer::operator()(std::span<const tensor> inputs) {
  plan& p = *plan_;
  struct end_guard {
    plan& of;
    ~end_guard() { of.clear(); }
  } const cleared{p};
  p.take_inputs(inputs);
  std::optional<no_grad> no_graph;
  if (!p.keeps_gradients()) no_graph.emplace();
  inline_stack<24> stack;
  for (const replay_plan::call& c : p.calls()) {
    p.run(c, stack);
    p.drop_dead(c);
  }
  return p.outputs();
}

const tensor& replayer::parameter(std::string_view name) const { return plan_->slot(plan_->parameter(name)); }

void replayer::set_parameter(std::string_view name, const tensor& t) {
  const number n = plan_->parameter(name);
  const graph& g = plan_->recorded();
  const tensor& now = plan_->slot(n);
  const bool fits = t.defined() && t.dtype() == g.tensors()[n].type && std::ranges::equal(t.sizes(), g.sizes(n)) &&
                    (!now.defined() || t.device() == now.device());
  if (!fits) {
    throw graph_error(
        "replay: parameter '" + std::string(name) + "': found " +
            (t.defined() ? std::string(name_of(t.dtype())) + " " + to_string(t.sizes()) + " on " + to_string(t.device())
                         : "an undefined tensor") +
            ", wanted " + g.describe(n) + (now.defined() ? ", on " + to_string(now.device()) + " in this replay" : ""),
        "replay");
  }
  plan_->slot(n) = t;
}

std::span<const number> replayer::stayed() const noexcept { return plan_->stayed(); }
std::size_t replayer::calls() const noexcept { return plan_->calls().size(); }

void check_capturable(const graph& g) {
  std::string text;
  for (number i = 0; i < g.nodes().size(); ++i) {
    const node& n = g.nodes()[i];
    if (n.end == i + 1 && tag_among(n.op.tags(), host_tags)) text += "\n  " + text_of_node(g, i);
  }
  if (text.empty()) return;
  throw graph_error(
      "graph: found calls that bring elements or sizes to the host, wanted none in what is captured:" + text, "graph");
}

std::vector<tensor> replay(const graph& g, std::span<const tensor> inputs, const replay_options& options) {
  return replayer(g, options)(inputs);
}

}  // namespace topbit::graphs
