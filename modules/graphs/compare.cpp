module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :calls;
import :compare;
import :document;

namespace topbit::graphs {

namespace {

class comparison {
 public:
  comparison(const graph& a, const graph& b)
      : a_(a),
        b_(b),
        tensors_(a.tensors().size()),
        tensors_of_b_(b.tensors().size()),
        storages_(a.storages().size()),
        storages_of_b_(b.storages().size()) {}

  std::optional<difference> first() {
    if (outside(a_.inputs(), b_.inputs(), "input") || outside(a_.parameters(), b_.parameters(), "parameter")) {
      return found_;
    }
    const std::size_t common = std::min(a_.nodes().size(), b_.nodes().size());
    for (number n = 0; n < common; ++n) {
      if (nodes_differ(n)) return found_;
    }
    if (a_.nodes().size() != b_.nodes().size()) return at_node(static_cast<number>(common), "missing node"), found_;
    outputs();
    return found_;
  }

 private:
  // All return true where there is a difference, which found_ is then.
  bool set(difference d) {
    found_ = std::move(d);
    return true;
  }
  bool at_node(number n, std::string what) {
    const auto line = [&](const graph& g) { return n < g.nodes().size() ? line_of(g, n) : std::string(); };
    return set({n, std::move(what), line(a_), line(b_)});
  }

  bool outside(std::span<const named_value> a, std::span<const named_value> b, const std::string& who) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      const auto text = [&](const graph& g, std::span<const named_value> all) {
        return i < all.size() ? in_quotes(all[i].name) + " " + declaration_of(g, all[i].tensor) : std::string();
      };
      const auto differ = [&](const std::string& what) { return set({nothing, what, text(a_, a), text(b_, b)}); };
      const std::string name = who + " " + std::to_string(i);
      if (i >= a.size() || i >= b.size()) return differ("missing " + name);
      if (a[i].name != b[i].name) return differ("name of " + name);
      if (const std::string_view what = differ_as_new(a[i].tensor, b[i].tensor); !what.empty()) {
        return differ(std::string(what) + " of " + name);
      }
    }
    return false;
  }

  bool nodes_differ(number i) {
    const node &a = a_.nodes()[i], &b = b_.nodes()[i];
    if (a.op.name() != b.op.name()) return at_node(i, "operator");
    if (a.parent != b.parent) return at_node(i, "composite that it is a part of");
    if (a.phase != b.phase || a.forward != b.forward) return at_node(i, "phase");
    const std::span<const argument> in_a = a_.arguments(a), in_b = b_.arguments(b);
    for (std::size_t k = 0; k < in_a.size(); ++k) {
      if (!arguments_differ(in_a[k], in_b[k])) continue;
      return at_node(i, "argument '" + std::string(a.op.parsed_schema()->arguments[k].name) + "'");
    }
    const std::span<const argument> out_a = a_.results(a), out_b = b_.results(b);
    for (std::size_t k = 0; k < out_a.size(); ++k) {
      if (const std::string_view what = results_differ(out_a[k], out_b[k]); !what.empty()) {
        return at_node(i, std::string(what) + " of a result");
      }
    }
    const auto drawn = [](const graph& g, const node& n) {
      return n.draws == nothing ? std::pair(number{0}, std::uint64_t{0})
                                : std::pair(g.draws()[n.draws].generator, g.draws()[n.draws].count);
    };
    return drawn(a_, a) != drawn(b_, b) && at_node(i, "random numbers");
  }

  bool arguments_differ(const argument& a, const argument& b) {
    if (a.is != b.is) return true;
    if (a.is == argument::kind::tensor) return !is_same(a.index, b.index);
    if (a.is == argument::kind::tensors) {
      return !std::ranges::equal(a_.elements(a), b_.elements(b),
                                 [&](const argument& x, const argument& y) { return !arguments_differ(x, y); });
    }
    if (a.is != argument::kind::constant) return false;
    const value &x = a_.constant(a), &y = b_.constant(b);
    if (x.is<generator>() && y.is<generator>()) return false;
    return x.type_name() != y.type_name() || to_string(x) != to_string(y);
  }

  // What differs; empty if nothing does.
  std::string_view results_differ(const argument& a, const argument& b) {
    if (a.is != b.is) return "kind";
    if (a.is == argument::kind::tensor) {
      if (!tensors_[a.index] && !tensors_of_b_[b.index]) return differ_as_new(a.index, b.index);
      return tensors_[a.index] == b.index ? "" : "identity";
    }
    if (a.is != argument::kind::tensors) return "";
    const std::span<const argument> all_a = a_.elements(a), all_b = b_.elements(b);
    if (all_a.size() != all_b.size()) return "number of tensors";
    for (std::size_t i = 0; i < all_a.size(); ++i) {
      if (const std::string_view what = results_differ(all_a[i], all_b[i]); !what.empty()) return what;
    }
    return "";
  }

  // Captured tensors are known when they are first read.
  bool is_same(number a, number b) {
    if (!tensors_[a] && !tensors_of_b_[b] && a_.tensors()[a].from == source::captured &&
        b_.tensors()[b].from == source::captured) {
      return differ_as_new(a, b).empty() && numbers_are_same(a_.bound(a), b_.bound(b));
    }
    return tensors_[a] == b;
  }

  // Of captured numbers the elements count, as those of constants do.
  static bool numbers_are_same(const tensor& a, const tensor& b) {
    if (!a.defined() || !b.defined() || a.dim() != 0 || a.device() != cpu) return true;
    return exact_text(value(a)) == exact_text(value(b));
  }

  std::string_view differ_as_new(number a, number b) {
    const tensor_value &x = a_.tensors()[a], &y = b_.tensors()[b];
    if (x.type != y.type) return "dtype";
    if (x.where != y.where) return "device";
    if (x.layout != y.layout) return "layout";
    if (!std::ranges::equal(a_.sizes(a), b_.sizes(b))) return "sizes";
    if (!std::ranges::equal(a_.strides(a), b_.strides(b)) || x.offset != y.offset) return "strides";
    if (x.requires_grad != y.requires_grad) return "gradient";
    if ((x.storage == nothing) != (y.storage == nothing)) return "memory";
    if (x.storage != nothing) {
      std::optional<number>&of_a = storages_[x.storage], &of_b = storages_of_b_[y.storage];
      if (!of_a && !of_b) {
        of_a = y.storage;
        of_b = x.storage;
      }
      if (of_a != y.storage || of_b != x.storage) return "memory";
    }
    tensors_[a] = b;
    tensors_of_b_[b] = a;
    return "";
  }

  void outputs() {
    for (std::size_t i = 0; i < std::max(a_.outputs().size(), b_.outputs().size()); ++i) {
      const auto text = [&](const graph& g) {
        return i < g.outputs().size() ? in_quotes(g.outputs()[i].name) + " " + declaration_of(g, g.outputs()[i].tensor)
                                      : std::string();
      };
      const std::string name = "output " + std::to_string(i);
      const bool is_in_both = i < a_.outputs().size() && i < b_.outputs().size();
      if (!is_in_both) return void(set({nothing, "missing " + name, text(a_), text(b_)}));
      const named_value &a = a_.outputs()[i], &b = b_.outputs()[i];
      if (a.name != b.name) return void(set({nothing, "name of " + name, text(a_), text(b_)}));
      if (!is_same(a.tensor, b.tensor)) return void(set({nothing, name, text(a_), text(b_)}));
    }
  }

  const graph &a_, &b_;
  std::vector<std::optional<number>> tensors_, tensors_of_b_, storages_, storages_of_b_;  // of the other graph
  std::optional<difference> found_;
};

}  // namespace

std::optional<difference> compare_graphs(const graph& a, const graph& b) { return comparison(a, b).first(); }

std::string to_string(const difference& d) {
  const auto line = [](const std::string& text) { return "\n  " + (text.empty() ? "nothing" : text); };
  return (d.node == nothing ? "" : "node " + std::to_string(d.node) + ", ") + d.what + ":" + line(d.a) + line(d.b);
}

tensor other_elements(const tensor& t, int way) {
  const no_grad no_graph;
  if (!is_floating(t.dtype())) {
    std::vector<std::int64_t> all;
    for (std::int64_t d = 0; d < t.dim(); ++d) all.push_back(d);
    return aten::flip(t, all);
  }
  tensor made = aten::clone(t);
  mul_(made, way == 0 ? -3 : 1.0 / 64);
  return requires_grad(t) ? require_grad(made) : made;
}

}  // namespace topbit::graphs
