module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :document;
import :text;

namespace topbit::graphs {

namespace {

std::string numbers_of(const shape& all) {
  std::string text;
  for (const std::int64_t n : all) text.append(text.empty() ? "" : ",").append(std::to_string(n));
  return text;
}
std::string in_text_quotes(std::string_view text) {
  std::string out;
  author::write_text(out, text);
  return out;
}

// "float32[8,4]{1,8} cpu"
std::string type_of(const document::tensor_entry& t) {
  std::string text = std::string(name_of(t.is.type)) + "[" + numbers_of(t.sizes) + "]";
  const bool is_strided = t.is.layout == layout::strided;
  if (is_strided && t.strides != dense_strides(t.sizes)) text += "{" + numbers_of(t.strides) + "}";
  if (!is_strided) text.append(" ").append(name_of(t.is.layout));
  return text + " " + to_string(t.is.where);
}

// A result with a declaration behind each tensor that has none yet.
template <class Declare>
std::string with_declarations(const std::string& result, Declare declare) {
  if (result.starts_with('"')) return result;
  std::string text;
  for (std::size_t i = 0; i < result.size();) {
    const std::size_t end = std::min(result.find_first_not_of("0123456789", i + 1), result.size());
    text += result.substr(i, end - i);
    number t = 0;
    if (result[i] == '%' && std::from_chars(&result[i] + 1, result.data() + end, t).ec == std::errc{})
      text += declare(t);
    i = end;
  }
  return text;
}

template <class Declare>
std::string call_text(const document::node_entry& n, Declare declare) {
  std::string text;
  for (const std::string& r : n.results) {
    text.append(text.empty() ? "" : ", ").append(with_declarations(r, declare));
  }
  if (!text.empty()) text += " = ";
  text += n.op + "(";
  for (const std::string& a : n.arguments) text.append(text.ends_with('(') ? "" : ", ").append(a);
  return text + ")";
}

std::string circumstances(const document::node_entry& n) {
  std::string text;
  if (n.phase != phase::forward || n.forward != nothing) text.append(" ").append(name_of(n.phase));
  if (n.forward != nothing) text += " of " + std::to_string(n.forward);
  if (n.no_grad) text += " no_grad";
  if (n.draw) {
    text += " draws " + std::to_string(n.draw->count) + " from " + std::to_string(n.draw->generator) + ":" +
            std::to_string(n.draw->position.seed) + "+" + std::to_string(n.draw->position.offset);
  }
  return text;
}

class text_writer {
 public:
  explicit text_writer(const document& d)
      : d_(d), declared_(d.tensors.size()), mentioned_(d.storages.size()), referred_(d.nodes.size()) {}

  std::string write() && {
    line("topbit graph " + std::to_string(format_major) + "." + std::to_string(format_minor));
    for (const std::string& schema : d_.operators) line("operator " + schema);
    storages();
    names("input", d_.inputs);
    names("parameter", d_.parameters);
    names("captured", d_.captured);
    nodes();
    for (number t = 0; t < d_.tensors.size(); ++t) {
      if (!declared_[t]) line("unused %" + std::to_string(t) + declare(t));
    }
    for (const named_value& one : d_.outputs) {
      line("output " + in_text_quotes(one.name) + " %" + std::to_string(one.tensor));
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_.append(2 * ends_.size(), ' ').append(text).append("\n"); }

  // Those that are not where the first tensor is that has them.
  void storages() {
    std::vector<bool> known(d_.storages.size());
    for (const document::tensor_entry& t : d_.tensors) {
      const number s = t.is.storage;
      if (s != nothing && t.is.where == d_.storages[s].where) known[s] = true;
    }
    for (const document::tensor_entry& t : d_.tensors) {
      const number s = t.is.storage;
      if (s != nothing && t.is.where != d_.storages[s].where) known[s] = false;
    }
    for (number s = 0; s < known.size(); ++s) {
      if (known[s]) continue;
      line("storage" + mention(s) + " " + to_string(d_.storages[s].where));
    }
  }
  std::string mention(number s) {
    std::string text = " s" + std::to_string(s);
    if (!mentioned_[s]) text += ":" + std::to_string(d_.storages[s].bytes);
    mentioned_[s] = true;
    return text;
  }
  std::string declare(number t) {
    if (declared_[t]) return "";
    declared_[t] = true;
    const document::tensor_entry& entry = d_.tensors[t];
    std::string text = ": " + type_of(entry);
    if (entry.is.storage != nothing) text += mention(entry.is.storage);
    if (entry.is.offset != 0) text += "+" + std::to_string(entry.is.offset);
    return entry.is.requires_grad ? text + " grad" : text;
  }
  void names(std::string_view what, std::span<const named_value> all) {
    for (const named_value& one : all) {
      line(std::string(what) + " %" + std::to_string(one.tensor) + " " + in_text_quotes(one.name) +
           declare(one.tensor));
    }
  }

  void nodes() {
    for (const document::node_entry& n : d_.nodes) {
      if (n.forward != nothing) referred_[n.forward] = true;
    }
    auto fault = d_.faults.begin();
    for (number i = 0; i < d_.nodes.size(); ++i) {
      const document::node_entry& n = d_.nodes[i];
      std::string text = call_text(n, [&](number t) { return declare(t); }) + circumstances(n);
      for (; fault != d_.faults.end() && fault->node == i; ++fault) text += " fault " + in_text_quotes(fault->text);
      if (n.parts != 0) text += " {";
      if (referred_[i]) text += "  # " + std::to_string(i);
      line(text);
      if (n.parts != 0) ends_.push_back(i + 1 + n.parts);
      while (!ends_.empty() && ends_.back() == i + 1) {
        ends_.pop_back();
        line("}");
      }
    }
  }

  const document& d_;
  std::string out_;
  std::vector<bool> declared_, mentioned_, referred_;
  std::vector<number> ends_;  // of the composites that are open
};

// --------------------------------------------------------------------------------------------------------- reading

class text_parser {
 public:
  explicit text_parser(std::string_view text) : rest_(text) {}

  graph read() && {
    while (next_line()) {
      try {
        read_line();
      } catch (const error& e) {
        refuse(line_, e.what());
      }
    }
    if (!is_begun_) refuse(line_ + 1, "found the end, wanted 'topbit graph 1.0'");
    if (!open_.empty()) {
      refuse(line_ + 1, "found the end, wanted '}' for the '{' of line " + std::to_string(lines_[open_.back()]));
    }
    take_numbered(tensors_, d_.tensors, "%");
    take_numbered(storages_, d_.storages, "s");
    try {
      return graph_from(d_);
    } catch (const graph_error& e) {
      if (e.node() >= lines_.size()) throw;
      refuse(lines_[e.node()], e.what());
    }
  }

 private:
  template <class T>
  struct numbered {
    number is;
    std::size_t line;
    T entry;
  };

  [[noreturn]] static void refuse(std::size_t line, const std::string& what) {
    throw graph_error("parse_graph: line " + std::to_string(line) + ": " + what, "parse_graph");
  }

  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    text_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    in_ = author::text_reader(text_);
    ++line_;
    return true;
  }

  void read_line() {
    if (ends()) return;
    const std::size_t column = in_.column();
    if (!is_begun_) {
      begin();
    } else if (in_.take('}')) {
      if (open_.empty()) in_.fail_at(column, "a call, since no '{' is open");
      d_.nodes[open_.back()].parts = static_cast<number>(d_.nodes.size() - open_.back() - 1);
      open_.pop_back();
    } else if (in_.take_word("operator")) {
      return void(d_.operators.emplace_back(text_.substr(in_.column() - 1)));
    } else if (in_.take_word("storage")) {
      storage();
    } else if (in_.take_word("input")) {
      name(d_.inputs);
    } else if (in_.take_word("parameter")) {
      name(d_.parameters);
    } else if (in_.take_word("captured")) {
      name(d_.captured);
    } else if (in_.take_word("unused")) {
      tensor_reference();
    } else if (in_.take_word("output")) {
      std::string text = in_.string();
      in_.expect('%', "a tensor such as %3");
      d_.outputs.push_back({std::move(text), in_.number<number>()});
    } else {
      call();
    }
    if (!ends()) in_.fail("the end of the line");
  }
  bool ends() { return in_.at_end() || in_.peek() == '#'; }

  void begin() {
    if (!in_.take_word("topbit") || !in_.take_word("graph")) in_.fail("'topbit graph 1.0'");
    const std::size_t column = in_.column();
    const std::string_view version = in_.token();
    const std::string known = std::to_string(format_major) + ".";
    if (!version.starts_with(known)) in_.fail_at(column, "version " + known + "x");
    is_begun_ = true;
  }

  void storage() {
    in_.expect('s', "a storage such as s3");
    const number s = in_.number<number>();
    in_.expect(':', "':' and its bytes");
    const std::int64_t bytes = in_.number<std::int64_t>();
    storages_.push_back({s, line_, {author::read_text<device>(in_), 0, bytes}});
  }

  void name(std::vector<named_value>& all) {
    in_.expect('%', "a tensor such as %3");
    const number t = in_.number<number>();
    all.push_back({in_.string(), t});
    in_.expect(':', "':' and what the tensor is");
    declaration(t);
  }

  // "%3", or with a declaration.
  std::string tensor_reference() {
    in_.expect('%', "a tensor such as %3");
    const number t = in_.number<number>();
    if (in_.take(':')) declaration(t);
    return "%" + std::to_string(t);
  }

  void declaration(number t) {
    document::tensor_entry entry;
    entry.is.type = author::read_text<dtype>(in_);
    entry.sizes = list('[', ']');
    entry.strides = in_.peek() == '{' ? list('{', '}') : dense_strides(entry.sizes);
    for (const layout how : all_layouts) {
      if (how == layout::strided || !in_.take_word(name_of(how))) continue;
      entry.is.layout = how;
      entry.strides = entry.sizes;
    }
    entry.is.where = author::read_text<device>(in_);
    if (in_.take('s')) {
      entry.is.storage = in_.number<number>();
      if (in_.take(':')) {
        storages_.push_back({entry.is.storage, line_, {entry.is.where, 0, in_.number<std::int64_t>()}});
      }
    }
    if (in_.take('+')) entry.is.offset = in_.number<std::int64_t>();
    entry.is.requires_grad = in_.take_word("grad");
    tensors_.push_back({t, line_, entry});
  }
  shape list(char open, char close) {
    shape all;
    in_.expect(open);
    if (in_.take(close)) return all;
    do {
      const std::size_t column = in_.column();
      if (all.size() == static_cast<std::size_t>(max_dims)) {
        in_.fail_at(column, "at most " + std::to_string(max_dims) + " dimensions");
      }
      all.push_back(in_.number<std::int64_t>());
    } while (in_.take(','));
    in_.expect(close);
    return all;
  }

  void call() {
    document::node_entry n;
    const char first = in_.peek();
    if (first == '%' || first == '[' || first == '"' || in_.take_word("None") || in_.take_word("undefined")) {
      if (first == 'N' || first == 'u') in_.go_to(text_.find(first) + 1);
      do n.results.push_back(result());
      while (in_.take(','));
      in_.expect('=', "',' or '='");
    }
    const std::size_t column = in_.column();
    n.op = in_.token();
    if (n.op.find("::") == std::string::npos) in_.fail_at(column, "an operator such as aten::add.Tensor");
    in_.expect('(');
    if (!in_.take(')')) {
      do n.arguments.emplace_back(argument_text());
      while (in_.take(','));
      in_.expect(')', "',' or ')'");
    }
    circumstances(n);
    lines_.push_back(line_);
    d_.nodes.push_back(std::move(n));
  }

  std::string result() {
    if (in_.peek() == '"') return in_text_quotes(in_.string());
    if (in_.take_word("None")) return "None";
    if (in_.take_word("undefined")) return "undefined";
    if (!in_.take('[')) return tensor_reference();
    std::string text = "[";
    if (in_.take(']')) return "[]";
    do text.append(text.size() > 1 ? ", " : "").append(in_.take_word("undefined") ? "undefined" : tensor_reference());
    while (in_.take(','));
    in_.expect(']', "',' or ']'");
    return text + "]";
  }

  // Up to the comma or the parenthesis that ends it.
  std::string_view argument_text() {
    const std::size_t begin = in_.column() - 1;
    std::size_t at = begin;
    char quote = 0;
    for (std::size_t depth = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quote != 0) {
        if (c == '\\') ++at;
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[' || c == '(') {
        ++depth;
      } else if ((c == ']' || c == ')' || c == ',') && depth == 0) {
        break;
      } else if (c == ']' || c == ')') {
        --depth;
      }
    }
    if (at >= text_.size()) in_.fail_at(text_.size() + 1, quote != 0 ? "the quote that ends a string" : "',' or ')'");
    if (at == begin) in_.fail("an argument");
    in_.go_to(at + 1);
    std::string_view text = text_.substr(begin, at - begin);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
  }

  void circumstances(document::node_entry& n) {
    const auto self = static_cast<number>(d_.nodes.size());
    for (;;) {
      const std::size_t column = in_.column();
      const std::string_view word = in_.word();
      if (const std::optional<phase> p = phase_named(word)) {
        n.phase = *p;
        if (in_.take_word("of")) n.forward = in_.number<number>();
      } else if (word == "no_grad") {
        n.no_grad = true;
      } else if (word == "draws") {
        random_draw& draw = n.draw.emplace();
        draw.count = in_.number<std::uint64_t>();
        if (!in_.take_word("from")) in_.fail("'from' and the generator");
        draw.generator = in_.number<number>();
        in_.expect(':', "':' and the seed");
        draw.position.seed = in_.number<std::uint64_t>();
        in_.expect('+', "'+' and the position");
        draw.position.offset = in_.number<std::uint64_t>();
      } else if (word == "fault") {
        d_.faults.push_back({self, in_.string()});
      } else if (word.empty()) {
        if (!in_.take('{')) return;
        if (open_.size() == deepest_parts) {
          in_.fail_at(column, "parts at most " + std::to_string(deepest_parts) + " deep");
        }
        return open_.push_back(self);
      } else {
        in_.fail_at(column, "backward, update, no_grad, draws, fault, '{' or the end of the line");
      }
    }
  }

  // Each number once, and none left out.
  template <class T>
  void take_numbered(std::vector<numbered<T>>& all, std::vector<T>& to, const std::string& sign) {
    std::ranges::stable_sort(all, {}, &numbered<T>::is);
    for (number i = 0; i < all.size(); ++i) {
      const auto& [is, line, entry] = all[i];
      if (is < i) refuse(line, "found " + sign + std::to_string(is) + " again, which an earlier line has declared");
      if (is > i) refuse(line, "found " + sign + std::to_string(is) + ", but no " + sign + std::to_string(i));
      to.push_back(entry);
    }
  }

  std::string_view rest_, text_;
  author::text_reader in_{""};
  std::size_t line_ = 0;
  bool is_begun_ = false;
  document d_;
  std::vector<numbered<document::tensor_entry>> tensors_;
  std::vector<numbered<storage_value>> storages_;
  std::vector<std::size_t> lines_;  // of nodes
  std::vector<number> open_;
};

}  // namespace

std::string to_string(const graph& g) { return text_writer(document_of(g)).write(); }
graph parse_graph(std::string_view text) { return text_parser(text).read(); }

std::string declaration_of(const graph& g, number tensor) {
  return "%" + std::to_string(tensor) + ": " +
         type_of({g.tensors()[tensor], shape(g.sizes(tensor)), shape(g.strides(tensor))});
}

std::string line_of(const graph& g, number node) {
  const document::node_entry entry = entry_of(g, node);
  const auto declare = [&](number t) {
    const std::string text = declaration_of(g, t);
    return text.substr(text.find(':'));
  };
  return call_text(entry, declare) + circumstances(entry);
}

}  // namespace topbit::graphs
