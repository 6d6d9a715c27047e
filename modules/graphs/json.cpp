// The JSON of a graph, written member by member, and read by the events of a parser that does not recurse: memory is
// bounded by the text, and what is nested where the format has nothing nested is skipped.
module;

#include <nlohmann/json.hpp>

module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :document;
import :text;

namespace topbit::graphs {

namespace {

using json = nlohmann::json;

[[noreturn]] void refuse(const std::string& what) { throw graph_error("graph_from_json: " + what, "graph_from_json"); }

// --------------------------------------------------------------------------------------------------------- writing

std::string text(std::string_view t) {
  try {
    return json(t).dump();
  } catch (const json::type_error&) {
    throw graph_error("to_json: found the name " + in_quotes(t) + ", wanted UTF-8", "to_json");
  }
}

// {"a": 1, "b": [2, 3]} from texts of JSON; nothing for what is empty.
class object_writer {
 public:
  object_writer& add(std::string_view name, const std::string& value) {
    out_.append(out_.size() > 1 ? "," : "").append("\"").append(name).append("\":").append(value);
    return *this;
  }
  object_writer& add(std::string_view name, std::int64_t value) { return add(name, std::to_string(value)); }
  object_writer& add(std::string_view name, std::uint64_t value) { return add(name, std::to_string(value)); }
  object_writer& add(std::string_view name, number value) { return add(name, std::to_string(value)); }
  std::string take() { return std::move(out_) + "}"; }

 private:
  std::string out_ = "{";
};

template <class All, class Write>
std::string list(const All& all, Write write) {
  std::string out = "[";
  for (const auto& one : all) out.append(out.size() > 1 ? "," : "").append(write(one));
  return out + "]";
}
std::string numbers(const shape& all) {
  return list(all, [](std::int64_t n) { return std::to_string(n); });
}

std::string json_of(const document::tensor_entry& t) {
  object_writer out;
  out.add("dtype", text(name_of(t.is.type))).add("sizes", numbers(t.sizes));
  const bool is_strided = t.is.layout == layout::strided;
  if (is_strided && t.strides != dense_strides(t.sizes)) out.add("strides", numbers(t.strides));
  if (!is_strided) out.add("layout", text(name_of(t.is.layout)));
  out.add("device", text(to_string(t.is.where)));
  if (t.is.storage != nothing) out.add("storage", t.is.storage);
  if (t.is.offset != 0) out.add("offset", t.is.offset);
  if (t.is.requires_grad) out.add("requires_grad", "true");
  return out.take();
}

std::string json_of(const document::node_entry& n) {
  const auto argument = [&](const std::string& a) {
    if (a.starts_with('<')) {
      throw graph_error("to_json: " + n.op + ": found an argument of type " + a +
                            ", which has no text; specialise "
                            "topbit::boxed_type for it, with read() and write()",
                        "to_json");
    }
    return text(a);
  };
  object_writer out;
  out.add("operator", text(n.op)).add("arguments", list(n.arguments, argument)).add("results", list(n.results, text));
  if (n.parts != 0) out.add("parts", n.parts);
  if (n.phase != phase::forward) out.add("phase", text(name_of(n.phase)));
  if (n.forward != nothing) out.add("forward", n.forward);
  if (n.no_grad) out.add("no_grad", "true");
  if (n.draw) {
    out.add("draws", n.draw->count).add("generator", n.draw->generator);
    out.add("seed", n.draw->position.seed).add("position", n.draw->position.offset);
  }
  return out.take();
}

std::string json_of(const named_value& one) {
  return object_writer().add("name", text(one.name)).add("tensor", one.tensor).take();
}

// --------------------------------------------------------------------------------------------------------- reading

// A string, an integer or a boolean; whatever else is null.
using scalar_value = std::variant<std::nullptr_t, bool, std::uint64_t, std::int64_t, std::string>;

// An element of a list of the document: an object without objects in it, or a scalar, which is its member "".
class element {
 public:
  struct member {
    std::string name;
    bool is_list = false;
    std::vector<scalar_value> values;
  };
  std::string who;
  std::vector<member> members;

  void add(scalar_value v) { members.back().values.push_back(std::move(v)); }

  template <class T>
  T get(std::string_view name) const {
    const member* const m = find(name);
    if (m == nullptr) refuse(who + ": found no '" + std::string(name) + "'");
    if (m->is_list || m->values.size() != 1) refuse_value(name, wanted<T>);
    return convert<T>(name, m->values[0]);
  }
  template <class T>
  T get(std::string_view name, T otherwise) const {
    return find(name) == nullptr ? otherwise : get<T>(name);
  }
  template <class T>
  std::vector<T> list(std::string_view name) const {
    const member* const m = find(name);
    if (m == nullptr || !m->is_list) refuse_value(name, "a list");
    std::vector<T> all;
    for (const scalar_value& v : m->values) all.push_back(convert<T>(name, v));
    return all;
  }
  const member* find(std::string_view name) const {
    const auto found = std::ranges::find(members, name, &member::name);
    return found == members.end() ? nullptr : &*found;
  }
  [[noreturn]] void refuse_value(std::string_view name, std::string_view what) const {
    refuse(who + ", '" + std::string(name) + "': found something else, wanted " + std::string(what));
  }

 private:
  template <class T>
  static constexpr std::string_view wanted = std::same_as<T, std::string> ? "a string"
                                             : std::same_as<T, bool>      ? "true or false"
                                             : std::same_as<T, number>    ? "a number from 0 up"
                                                                          : "an integer in range";
  template <class T>
  T convert(std::string_view name, const scalar_value& v) const {
    if constexpr (std::same_as<T, std::string> || std::same_as<T, bool>) {
      if (const T* const found = std::get_if<T>(&v)) return *found;
    } else {
      constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
      if (const auto* const n = std::get_if<std::uint64_t>(&v); n != nullptr && *n <= most) return static_cast<T>(*n);
      // Only integers below zero are signed.
      if constexpr (std::signed_integral<T>) {
        if (const auto* const n = std::get_if<std::int64_t>(&v)) return *n;
      }
    }
    refuse_value(name, wanted<T>);
  }
};

shape shape_of(const element& e, std::string_view name) {
  const std::vector<std::int64_t> all = e.list<std::int64_t>(name);
  if (all.size() > static_cast<std::size_t>(max_dims)) {
    e.refuse_value(name, "at most " + std::to_string(max_dims) + " numbers");
  }
  return shape(all);
}

template <class T>
T named(const element& e, std::string_view name) {
  try {
    return author::read_text<T>(e.get<std::string>(name));
  } catch (const bad_argument& error) {
    refuse(e.who + ", '" + std::string(name) + "': " + error.what());
  }
}

document::tensor_entry tensor_from(const element& e) {
  document::tensor_entry t;
  t.is.type = named<dtype>(e, "dtype");
  t.sizes = shape_of(e, "sizes");
  if (e.find("layout") != nullptr) t.is.layout = named<layout>(e, "layout");
  t.strides = e.find("strides") != nullptr     ? shape_of(e, "strides")
              : t.is.layout == layout::strided ? dense_strides(t.sizes)
                                               : t.sizes;
  t.is.where = named<device>(e, "device");
  t.is.storage = e.get("storage", nothing);
  t.is.offset = e.get("offset", std::int64_t{0});
  t.is.requires_grad = e.get("requires_grad", false);
  return t;
}

document::node_entry node_from(const element& e) {
  document::node_entry n{.op = e.get<std::string>("operator")};
  n.arguments = e.list<std::string>("arguments");
  n.results = e.list<std::string>("results");
  n.parts = e.get("parts", number{0});
  const std::optional<phase> p = phase_named(e.get("phase", std::string("forward")));
  if (!p) e.refuse_value("phase", "forward, backward or update");
  n.phase = *p;
  n.forward = e.get("forward", nothing);
  n.no_grad = e.get("no_grad", false);
  if (e.find("draws") != nullptr) {
    n.draw = {{e.get<std::uint64_t>("seed"), e.get<std::uint64_t>("position")},
              e.get<std::uint64_t>("draws"),
              e.get<number>("generator")};
  }
  return n;
}

// Events of the parser, in the order of the text. Depth 1: the document; 2: a list of it, or the version; 3: an element
// of the list; one more: a list of a member.
class json_handler {
 public:
  document take() {
    if (!has_version_) refuse("found no 'topbit_graph', wanted the JSON of a graph");
    return std::move(d_);
  }

  bool null() { return scalar(nullptr); }
  bool boolean(bool b) { return scalar(b); }
  bool number_integer(std::int64_t n) { return scalar(n); }
  bool number_unsigned(std::uint64_t n) { return scalar(n); }
  bool number_float(double, const std::string&) { return scalar(nullptr); }
  bool string(std::string& s) { return scalar(std::move(s)); }
  bool binary(json::binary_t&) { return true; }  // JSON text has no binary values

  bool start_object(std::size_t) {
    enter();
    const bool is_version = depth_ == 2 && section_ == "topbit_graph";
    if (is_version || (depth_ == 3 && is_list_)) {
      begin_element();
      element_depth_ = depth_;
    }
    return true;
  }
  bool end_object() {
    if (depth_ == element_depth_) end_element();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) {
    enter();
    if (depth_ == 1) refuse("found a list, wanted an object with 'topbit_graph'");
    if (depth_ == 2) is_list_ = true;
    if (in_member(1)) current_.members.back().is_list = true;
    return true;
  }
  bool end_array() {
    if (depth_ == 2) is_list_ = false;
    --depth_;
    return true;
  }
  bool key(std::string& name) {
    if (depth_ == 1) {
      if (!sections_.insert({name, 0}).second) refuse("found " + in_quotes(name) + " twice");
      section_ = std::move(name);
    } else if (depth_ == element_depth_) {
      current_.members.push_back({std::move(name), false, {}});
    }
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const json::exception&) {
    refuse("found no JSON at byte " + std::to_string(byte));
  }

 private:
  static constexpr std::size_t deepest = 127;

  void enter() {
    if (++depth_ > deepest) refuse("found JSON nested more than " + std::to_string(deepest) + " deep");
  }
  bool in_member(std::size_t deeper) const {
    return element_depth_ != 0 && depth_ == element_depth_ + deeper && !current_.members.empty();
  }
  bool scalar(scalar_value v) {
    if (depth_ == 0) refuse("found no object, wanted one with 'topbit_graph'");
    if (depth_ == 2 && is_list_) {
      begin_element();
      current_.members.push_back({"", false, {}});
      current_.add(std::move(v));
      end_element();
    } else if (in_member(0) || (in_member(1) && current_.members.back().is_list)) {
      current_.add(std::move(v));
    }
    return true;
  }

  void begin_element() {
    current_.members.clear();
    current_.who = in_quotes(section_);
    if (is_list_) current_.who += " number " + std::to_string(sections_[section_]++);
  }
  void end_element() {
    element_depth_ = 0;
    const element& e = current_;
    const auto name = [&] { return named_value{e.get<std::string>("name"), e.get<number>("tensor")}; };
    if (section_ == "topbit_graph") {
      const auto major = e.get<std::uint64_t>("major");
      if (major != format_major) {
        refuse("found a graph of format " + std::to_string(major) + ", wanted format " + std::to_string(format_major));
      }
      has_version_ = true;
    } else if (section_ == "operators") {
      d_.operators.push_back(e.get<std::string>(""));
    } else if (section_ == "storages") {
      d_.storages.push_back({named<device>(e, "device"), 0, e.get<std::int64_t>("bytes")});
    } else if (section_ == "tensors") {
      d_.tensors.push_back(tensor_from(e));
    } else if (section_ == "inputs") {
      d_.inputs.push_back(name());
    } else if (section_ == "parameters") {
      d_.parameters.push_back(name());
    } else if (section_ == "captured") {
      d_.captured.push_back(name());
    } else if (section_ == "outputs") {
      d_.outputs.push_back(name());
    } else if (section_ == "nodes") {
      d_.nodes.push_back(node_from(e));
    } else if (section_ == "faults") {
      d_.faults.push_back({e.get<number>("node"), e.get<std::string>("text")});
    }
  }

  document d_;
  bool has_version_ = false;
  std::size_t depth_ = 0, element_depth_ = 0;
  bool is_list_ = false;  // what is at depth 2
  std::string section_;
  std::map<std::string, std::size_t> sections_;  // with the elements read
  element current_;
};

}  // namespace

std::string to_json(const graph& g) {
  const document d = document_of(g);
  const auto write = [](const auto& one) { return json_of(one); };
  return object_writer()
      .add("topbit_graph", object_writer().add("major", format_major).add("minor", format_minor).take())
      .add("operators", list(d.operators, text))
      .add("storages",
           list(d.storages,
                [](const storage_value& s) {
                  return object_writer().add("device", text(to_string(s.where))).add("bytes", s.bytes).take();
                }))
      .add("tensors", list(d.tensors, write))
      .add("inputs", list(d.inputs, write))
      .add("parameters", list(d.parameters, write))
      .add("captured", list(d.captured, write))
      .add("nodes", list(d.nodes, write))
      .add("outputs", list(d.outputs, write))
      .add("faults",
           list(d.faults,
                [](const fault& f) { return object_writer().add("node", f.node).add("text", text(f.text)).take(); }))
      .take();
}

document document_from_json(std::string_view text) {
  // The parser would treat a zero byte as the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    refuse("found no JSON at byte " + std::to_string(zero + 1));
  }
  json_handler handler;
  json::sax_parse(text.begin(), text.end(), &handler);
  return handler.take();
}

graph graph_from_json(std::string_view text) { return graph_from(document_from_json(text)); }

}  // namespace topbit::graphs
