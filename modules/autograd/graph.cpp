module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

struct drawn_node {
  std::string title, text;  // operator name; dtype and sizes of its result
  bool leaf = false;
  std::uint32_t depth = 0;
  std::vector<std::size_t> inputs;
};
struct drawn_graph {
  std::vector<drawn_node> nodes;  // breadth first from the roots
  std::size_t left_out = 0;
};

// Output nodes are drawn as their call.
const node* call_of(const node* n) noexcept {
  return (detail::node_access::flags(*n) & detail::node_access::output) != 0 ? n->inputs()[0].get() : n;
}

std::string text_of(const node& n) {
  const detail::value_kind* k = n.kind();
  return k == nullptr ? std::string() : std::string(name_of(k->type)) + " " + to_string(k->sizes);
}

drawn_graph collect(std::span<const tensor> roots, std::size_t most) {
  drawn_graph g;
  std::vector<const node*> order;
  std::unordered_map<const node*, std::size_t> number;
  std::vector<intrusive_ptr<node>> held;
  const auto add = [&](const node* n) {
    if (number.emplace(n, order.size()).second) order.push_back(n);
  };
  for (const tensor& t : roots) {
    held.push_back(t.defined() ? author::gradient_edge(t) : intrusive_ptr<node>());
    if (!held.back()) throw error("graph: found a tensor that was not computed from one that requires a gradient");
    add(call_of(held.back().get()));
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const auto& input : order[i]->inputs()) {
      if (input) add(call_of(input.get()));
    }
  }
  const std::size_t shown = std::min(order.size(), most);
  g.left_out = order.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const node& n = *order[i];
    drawn_node d{std::string(n.name()), text_of(n), n.role == detail::is_leaf, n.depth(), {}};
    for (const auto& input : n.inputs()) {
      if (!input) continue;
      if (const std::size_t to = number.at(call_of(input.get())); to < shown) d.inputs.push_back(to);
    }
    g.nodes.push_back(std::move(d));
  }
  return g;
}

std::string left_out_text(const drawn_graph& g) { return std::to_string(g.left_out) + " more nodes are not shown"; }

// Escapes text for XML. Operator names contain no such characters so far.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

std::string graph_as_dot(std::span<const tensor> roots, std::size_t most) {
  const drawn_graph g = collect(roots, most);
  std::string out = "digraph gradients {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const drawn_node& n = g.nodes[i];
    out += "  n" + std::to_string(i) + " [label=\"" + n.title + "\\n" + n.text + "\"" +
           (n.leaf ? ", shape=ellipse" : "") + "];\n";
  }
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    for (std::size_t to : g.nodes[i].inputs) out += "  n" + std::to_string(i) + " -> n" + std::to_string(to) + ";\n";
  }
  if (g.left_out != 0) out += "  more [label=\"" + left_out_text(g) + "\", style=dashed];\n";
  return out + "}\n";
}

std::string graph_as_svg(std::span<const tensor> roots, std::size_t most) {
  const drawn_graph g = collect(roots, most);
  constexpr std::size_t width = 190, height = 44, across = 20, between = 40, margin = 20;
  std::uint32_t deepest = 0;
  for (const drawn_node& n : g.nodes) deepest = std::max(deepest, n.depth);
  std::vector<std::size_t> in_row(deepest + 1, 0), column;
  for (const drawn_node& n : g.nodes) column.push_back(in_row[n.depth]++);
  const std::size_t widest = *std::ranges::max_element(in_row);
  const std::size_t page_width = 2 * margin + widest * (width + across) - across;
  const std::size_t page_height = 2 * margin + in_row.size() * (height + between) - (g.left_out == 0 ? between : 0);
  const auto left = [&](std::size_t i) {
    const std::size_t row = in_row[g.nodes[i].depth] * (width + across) - across;
    return (page_width - row) / 2 + column[i] * (width + across);
  };
  const auto top = [&](std::size_t i) { return margin + (deepest - g.nodes[i].depth) * (height + between); };
  const auto number = [](std::size_t n) { return "\"" + std::to_string(n) + "\""; };

  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=" + number(page_width) +
                    " height=" + number(page_height) +
                    " font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n";
  out += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<g stroke=\"#777\" fill=\"none\">\n";
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    for (std::size_t to : g.nodes[i].inputs) {
      out += "<line x1=" + number(left(i) + width / 2) + " y1=" + number(top(i) + height) +
             " x2=" + number(left(to) + width / 2) + " y2=" + number(top(to)) + "/>\n";
    }
  }
  out += "</g>\n";
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const drawn_node& n = g.nodes[i];
    out += "<rect x=" + number(left(i)) + " y=" + number(top(i)) + " width=" + number(width) +
           " height=" + number(height) + " rx=" + number(n.leaf ? height / 2 : 4) + " fill=\"" +
           (n.leaf ? "#e4f0e4" : "#e8ecf6") + "\" stroke=\"#555\"/>\n";
    const std::size_t middle = left(i) + width / 2;
    out += "<text x=" + number(middle) + " y=" + number(top(i) + 18) + ">" + escaped(n.title) + "</text>\n";
    out +=
        "<text x=" + number(middle) + " y=" + number(top(i) + 34) + " fill=\"#555\">" + escaped(n.text) + "</text>\n";
  }
  if (g.left_out != 0) {
    out += "<text x=" + number(page_width / 2) + " y=" + number(page_height - margin) + ">" + left_out_text(g) +
           "</text>\n";
  }
  return out + "</svg>\n";
}

std::string graph_as_dot(const tensor& root, std::size_t most) { return graph_as_dot(std::span(&root, 1), most); }
std::string graph_as_svg(const tensor& root, std::size_t most) { return graph_as_svg(std::span(&root, 1), most); }

}  // namespace topbit
