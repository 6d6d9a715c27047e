module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :calls;

namespace topbit::graphs {

chosen_calls::chosen_calls(const graph& g) : g_(g), opened_(g.nodes().size()) {
  const std::span<const node> nodes = g.nodes();
  // Composites that end before a reader, and of which a part makes what it reads.
  const auto look = [&](number reader, number t) {
    const tensor_value& made = g.tensors()[t];
    if (made.maker == nothing) return;
    for (number p = nodes[made.maker].parent; p != nothing; p = nodes[p].parent) {
      if (reader >= p && reader < nodes[p].end) return;
      if (!gives(p, t)) opened_[p] = true;
    }
  };
  for (number i = 0; i < nodes.size(); ++i) {
    g.each_tensor(g.arguments(nodes[i]), [&](number t, const argument&) { look(i, t); });
  }
  for (const node& n : nodes) {
    if (n.draws == nothing) continue;
    for (number p = n.parent; p != nothing; p = nodes[p].parent) opened_[p] = true;
  }
  for (const named_value& output : g.outputs()) look(static_cast<number>(nodes.size()), output.tensor);
  for (number i = 0; i < nodes.size();) {
    if (!opened_[i]) {
      calls_.push_back(i);
      i = nodes[i].end;
      continue;
    }
    g.each_tensor(g.results(nodes[i]), [&](number t, const argument&) {
      if (g.tensors()[t].maker != i) return;
      throw graph_error("graph: " + text_of_node(g, i) +
                            ": found a part that draws random numbers, or is read outside of it, but what it "
                            "returns no part makes",
                        "graph");
    });
    ++i;
  }
}

bool chosen_calls::gives(number n, number t) const {
  bool found = false;
  g_.each_tensor(g_.results(g_.nodes()[n]), [&](number r, const argument&) { found = found || r == t; });
  return found;
}

call_effects effects_of(const graph& g, number call) {
  call_effects all;
  for (number i = call; i < g.nodes()[call].end; ++i) {
    const node& n = g.nodes()[i];
    all.tags = all.tags | n.op.tags();
    all.draws = all.draws || n.draws != nothing;
    const std::span<const argument> arguments = g.arguments(n);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      if (!graph::writes(n, a)) continue;
      g.each_tensor(arguments.subspan(a, 1), [&](number t, const argument&) {
        if (const number s = g.tensors()[t].storage; s != nothing) all.written.push_back(s);
      });
    }
  }
  return all;
}

bool writes_itself(const graph& g, number call) {
  const node& n = g.nodes()[call];
  std::vector<number> of_parts;
  for (number part = call + 1; part < n.end; part = g.nodes()[part].end) {
    std::ranges::copy(effects_of(g, part).written, std::back_inserter(of_parts));
  }
  const std::span<const argument> arguments = g.arguments(n);
  bool found = false;
  for (std::size_t a = 0; a < arguments.size() && n.end != call + 1; ++a) {
    if (!graph::writes(n, a)) continue;
    g.each_tensor(arguments.subspan(a, 1), [&](number t, const argument&) {
      const number s = g.tensors()[t].storage;
      found = found || (s != nothing && std::ranges::find(of_parts, s) == of_parts.end());
    });
  }
  return found;
}

// The text of a number that is no NaN says all of its bits.
std::string exact_text(const value& v) {
  std::string text = std::string(v.type_name()) + " " + to_string(v);
  const auto add_bits = [&](double x) {
    text += " ";
    author::write_text(text, std::bit_cast<std::uint64_t>(x));
  };
  if (v.is<double>()) add_bits(v.get<double>());
  if (v.is<scalar>()) {
    text += std::string(name_of(v.get<scalar>().type()));
    add_bits(v.get<scalar>().to_double());
  }
  if (v.is<std::span<const double>>()) {
    for (const double x : v.get<std::span<const double>>()) add_bits(x);
  }
  return text;
}

std::string text_of_node(const graph& g, number n) {
  return "node " + std::to_string(n) + ", " + std::string(g.nodes()[n].op.name());
}

device place_of(const graph& g, const node& n) {
  std::optional<device> found;
  const auto look = [&](number t, const argument&) {
    if (!found) found = g.tensors()[t].where;
  };
  g.each_tensor(g.arguments(n), look);
  g.each_tensor(g.results(n), look);
  return found.value_or(cpu);
}

}  // namespace topbit::graphs
