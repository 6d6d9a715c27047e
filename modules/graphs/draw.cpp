module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :document;
import :draw;

namespace topbit::graphs {

namespace {

enum class box_kind : std::uint8_t { outside, captured, call, region, output };
struct box {
  box_kind kind;
  std::string title, text;
  std::size_t end = 0;  // of a region: boxes before this one are inside
  std::size_t depth = 0;
};
enum class edge_kind : std::uint8_t { data, alias, order };

struct picture {
  std::vector<box> boxes;  // in the order of the program
  std::map<std::pair<std::size_t, std::size_t>, edge_kind> edges;
  std::size_t left_out = 0;
};

class picture_maker {
 public:
  picture_maker(const graph& g, std::size_t most) : g_(g), shown_(std::min(g.nodes().size(), most)) {}

  picture make() && {
    box_of_tensor_.resize(g_.tensors().size());
    memory_.resize(g_.storages().size());
    outside(g_.inputs(), "input ", box_kind::outside);
    outside(g_.parameters(), "parameter ", box_kind::outside);
    outside(g_.captured(), "captured ", box_kind::captured);
    for (number i = 0; i < shown_; ++i) add(i);
    while (!regions_.empty()) leave();
    for (const named_value& output : g_.outputs()) {
      const std::size_t to = add_box(box_kind::output, "output " + in_quotes(output.name), text_of(output.tensor));
      join(output.tensor, to, edge_kind::data);
    }
    made_.left_out = g_.nodes().size() - shown_;
    return std::move(made_);
  }

 private:
  // Who used a storage since it was written, and who wrote.
  struct use {
    std::optional<std::size_t> writer;
    std::vector<std::size_t> readers;
  };

  std::string text_of(number t) const { return declaration_of(g_, t); }
  std::size_t add_box(box_kind kind, std::string title, std::string text) {
    made_.boxes.push_back({kind, std::move(title), std::move(text), 0, regions_.size()});
    return made_.boxes.size() - 1;
  }
  void outside(std::span<const named_value> all, const std::string& what, box_kind kind) {
    for (const named_value& one : all) {
      box_of_tensor_[one.tensor] = add_box(kind, what + in_quotes(one.name), text_of(one.tensor));
    }
  }

  // What no part has made, a composite made itself.
  void leave() {
    const auto [here, region] = regions_.back();
    made_.boxes[here].end = made_.boxes.size();
    regions_.pop_back();
    g_.each_tensor(g_.results(g_.nodes()[region]),
                   [&](number t, const argument&) { set_maker(t, made_.boxes.size() - 1); });
  }
  void set_maker(number t, std::size_t box) {
    if (!box_of_tensor_[t]) box_of_tensor_[t] = box;
  }
  void add(number i) {
    const node& n = g_.nodes()[i];
    while (!regions_.empty() && g_.nodes()[regions_.back().second].end <= i) leave();
    const bool is_region = n.end != i + 1;
    std::string text;
    g_.each_tensor(g_.results(n), [&](number t, const argument&) { text += (text.empty() ? "" : "; ") + text_of(t); });
    const std::size_t here =
        add_box(is_region ? box_kind::region : box_kind::call, std::string(n.op.name()), std::move(text));
    if (is_region) return regions_.emplace_back(here, i), void();
    edges(n, here);
    g_.each_tensor(g_.results(n), [&](number t, const argument&) { set_maker(t, here); });
  }

  void edges(const node& n, std::size_t here) {
    const std::span<const argument> arguments = g_.arguments(n);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const bool is_written = graph::writes(n, a);
      g_.each_tensor(arguments.subspan(a, 1), [&](number t, const argument&) {
        join(t, here, !is_written && is_shared(n, t) ? edge_kind::alias : edge_kind::data);
        if (const number s = g_.tensors()[t].storage; s != nothing) order(memory_[s], here, is_written);
      });
    }
  }
  bool is_shared(const node& n, number t) const {
    bool found = false;
    g_.each_tensor(g_.results(n), [&](number r, const argument&) {
      found = found || (r != t && g_.tensors()[r].storage == g_.tensors()[t].storage);
    });
    return found && g_.tensors()[t].storage != nothing;
  }
  void order(use& of, std::size_t here, bool is_written) {
    if (of.writer && *of.writer != here) made_.edges.try_emplace({*of.writer, here}, edge_kind::order);
    if (!is_written) return of.readers.push_back(here);
    for (const std::size_t reader : of.readers) {
      if (reader != here) made_.edges.try_emplace({reader, here}, edge_kind::order);
    }
    of = {here, {}};
  }
  void join(number t, std::size_t to, edge_kind kind) {
    if (const std::optional<std::size_t> from = box_of_tensor_[t]) made_.edges.insert_or_assign({*from, to}, kind);
  }

  const graph& g_;
  const std::size_t shown_;
  picture made_;
  std::vector<std::optional<std::size_t>> box_of_tensor_;
  std::vector<use> memory_;
  std::vector<std::pair<std::size_t, number>> regions_;  // that are open: box and node
};

std::string left_out_text(const picture& p) { return std::to_string(p.left_out) + " more calls are not shown"; }

// For a string of Graphviz, in quotes.
std::string for_dot(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}
std::string for_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
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

// How boxes and edges look, in both forms.
struct look {
  std::string_view fill, shape;
};
look look_of(box_kind kind) {
  switch (kind) {
    case box_kind::outside: return {"#e4f0e4", "ellipse"};
    case box_kind::captured: return {"#dddddd", "ellipse"};
    case box_kind::output: return {"#f6eedc", "ellipse"};
    case box_kind::call:
    case box_kind::region: break;
  }
  return {"#e8ecf6", "box"};
}
constexpr std::string_view order_color = "#cc0000";

}  // namespace

std::string as_dot(const graph& g, std::size_t most) {
  const picture p = picture_maker(g, most).make();
  std::string out = "digraph program {\n  node [style=filled, fontname=\"sans-serif\"];\n";
  std::vector<std::size_t> ends;
  const auto line = [&](const std::string& text) { out.append(2 + 2 * ends.size(), ' ').append(text).append("\n"); };
  for (std::size_t i = 0; i < p.boxes.size(); ++i) {
    const box& b = p.boxes[i];
    while (!ends.empty() && ends.back() <= i) {
      ends.pop_back();
      line("}");
    }
    if (b.kind == box_kind::region) {
      line("subgraph cluster_" + std::to_string(i) + " {");
      ends.push_back(b.end);
      line("label=\"" + for_dot(b.title) + "\"; fontname=\"sans-serif\"; color=\"#999999\";");
      continue;
    }
    line("n" + std::to_string(i) + " [label=\"" + for_dot(b.title) + "\\n" + for_dot(b.text) + "\", shape=" +
         std::string(look_of(b.kind).shape) + ", fillcolor=\"" + std::string(look_of(b.kind).fill) + "\"];");
  }
  for (; !ends.empty(); ends.pop_back()) out.append(2 * ends.size(), ' ').append("}\n");
  for (const auto& [ends_at, kind] : p.edges) {
    line("n" + std::to_string(ends_at.first) + " -> n" + std::to_string(ends_at.second) +
         (kind == edge_kind::alias   ? " [style=dashed]"
          : kind == edge_kind::order ? " [color=\"" + std::string(order_color) + "\"]"
                                     : "") +
         ";");
  }
  if (p.left_out != 0) line("more [label=\"" + left_out_text(p) + "\", style=dashed];");
  return out + "}\n";
}

std::string as_svg(const graph& g, std::size_t most) {
  const picture p = picture_maker(g, most).make();
  constexpr std::size_t height = 22, between = 6, margin = 16, indent = 14, letter = 7, widest_edge = 300;
  std::size_t longest = left_out_text(p).size();
  for (const box& b : p.boxes)
    longest = std::max(longest, b.title.size() + 2 + b.text.size() + b.depth * indent / letter);
  const std::size_t right = margin + longest * letter + 2 * indent;
  const std::size_t lines = p.boxes.size() + (p.left_out != 0);
  const auto top = [&](std::size_t i) { return margin + i * (height + between); };
  const auto left = [&](const box& b) { return margin + b.depth * indent; };
  const auto number = [](std::size_t n) { return "\"" + std::to_string(n) + "\""; };

  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=" + number(right + widest_edge + margin) +
                    " height=" + number(top(lines) + margin) +
                    " font-family=\"monospace\" font-size=\"11\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  const auto rectangle = [&](const box& b, std::size_t i, std::size_t count, std::string_view fill,
                             std::size_t rounded) {
    const std::size_t inset = b.depth * between / 2;
    out += "<rect x=" + number(left(b)) + " y=" + number(top(i)) + " width=" + number(right - left(b) - inset) +
           " height=" + number(count * (height + between) - between) + " rx=" + number(rounded) + " fill=\"" +
           std::string(fill) + "\" stroke=\"#999999\"/>\n";
  };
  for (std::size_t i = 0; i < p.boxes.size(); ++i) {
    const box& b = p.boxes[i];
    const bool is_call = b.kind == box_kind::call;
    if (b.kind == box_kind::region)
      rectangle(b, i, b.end - i, "none", 4);
    else
      rectangle(b, i, 1, look_of(b.kind).fill, is_call ? 4 : height / 2);
    out += "<text x=" + number(left(b) + indent / 2) + " y=" + number(top(i) + 15) + ">" + for_xml(b.title) +
           "<tspan fill=\"#666666\" dx=\"8\">" + for_xml(b.text) + "</tspan></text>\n";
  }
  if (p.left_out != 0) {
    out += "<text x=" + number(margin) + " y=" + number(top(lines - 1) + 15) + ">" + left_out_text(p) + "</text>\n";
  }
  out += "<g fill=\"none\" stroke=\"#446688\">\n";
  for (const auto& [ends, kind] : p.edges) {
    const std::size_t from = top(ends.first) + height / 2 + 4, to = top(ends.second) + height / 2 - 4;
    const std::size_t bow = std::min(widest_edge, 12 * (ends.second - ends.first)) + right;
    out += "<path d=\"M" + std::to_string(right) + " " + std::to_string(from) + " C" + std::to_string(bow) + " " +
           std::to_string(from) + " " + std::to_string(bow) + " " + std::to_string(to) + " " + std::to_string(right) +
           " " + std::to_string(to) + " l5 -3 m-5 3 l5 3\"";
    if (kind == edge_kind::alias) out += " stroke-dasharray=\"4 3\"";
    if (kind == edge_kind::order) out += " stroke=\"" + std::string(order_color) + "\"";
    out += "/>\n";
  }
  return out + "</g>\n</svg>\n";
}

}  // namespace topbit::graphs
