module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :document;

namespace topbit::graphs {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw graph_error("graph: " + what, "graph"); }

std::string text_of(const graph& g, const argument& a) {
  switch (a.is) {
    case argument::kind::none: return "None";
    case argument::kind::undefined: return "undefined";
    case argument::kind::tensor: return "%" + std::to_string(a.index);
    case argument::kind::text: {
      std::string quoted;
      author::write_text(quoted, g.text(a));
      return quoted;
    }
    case argument::kind::constant: return g.constant(a).is<generator>() ? "generator" : to_string(g.constant(a));
    case argument::kind::tensors: break;
  }
  std::string text = "[";
  for (const argument& e : g.elements(a)) text += (text.size() > 1 ? ", " : "") + text_of(g, e);
  return text + "]";
}

}  // namespace

constexpr std::string_view phases[] = {"forward", "backward", "update"};

std::string_view name_of(phase p) noexcept { return phases[static_cast<std::size_t>(p)]; }
std::optional<phase> phase_named(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(phases, name);
  if (found == std::end(phases)) return std::nullopt;
  return static_cast<phase>(found - std::begin(phases));
}

std::string in_quotes(std::string_view text, std::size_t most) {
  std::string out;
  author::write_text(out, text.substr(0, most));
  return text.size() <= most ? out : out + "...";
}

document::node_entry entry_of(const graph& g, number node) {
  const graphs::node& n = g.nodes()[node];
  document::node_entry entry{.op = std::string(n.op.name())};
  const author::schema_view& schema = *n.op.parsed_schema();
  const std::span<const argument> arguments = g.arguments(n);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const author::schema_item& item = schema.arguments[a];
    entry.arguments.push_back((item.keyword_only ? std::string(item.name) + "=" : "") + text_of(g, arguments[a]));
  }
  for (const argument& r : g.results(n)) entry.results.push_back(text_of(g, r));
  entry.parts = n.end - node - 1;
  entry.phase = n.phase;
  entry.no_grad = n.no_grad;
  entry.forward = n.forward;
  if (n.draws != nothing) entry.draw = g.draws()[n.draws];
  return entry;
}

document document_of(const graph& g) {
  document d;
  d.storages.assign(g.storages().begin(), g.storages().end());
  for (number t = 0; t < g.tensors().size(); ++t) {
    d.tensors.push_back({g.tensors()[t], shape(g.sizes(t)), shape(g.strides(t))});
  }
  const auto copy = [](std::span<const named_value> all) { return std::vector(all.begin(), all.end()); };
  d.inputs = copy(g.inputs());
  d.parameters = copy(g.parameters());
  d.captured = copy(g.captured());
  d.outputs = copy(g.outputs());
  d.faults.assign(g.faults().begin(), g.faults().end());
  std::ranges::stable_sort(d.faults, {}, &fault::node);
  std::unordered_set<const void*> known;
  for (number i = 0; i < g.nodes().size(); ++i) {
    const operator_handle& op = g.nodes()[i].op;
    if (known.insert(op.id()).second) d.operators.emplace_back(op.schema());
    d.nodes.push_back(entry_of(g, i));
  }
  return d;
}

// --------------------------------------------------------------------------------------------------------- reading

namespace {

class document_reader {
 public:
  document_reader(const document& d, std::span<const tensor> bound) : d_(d), bound_(bound) {}

  graph read() && {
    if (d_.nodes.size() > most_nodes) {
      refuse("found " + std::to_string(d_.nodes.size()) + " nodes, wanted at most " + std::to_string(most_nodes));
    }
    for (const std::string& schema : d_.operators) add_operator(schema);
    for (const storage_value& s : d_.storages) {
      if (s.bytes < 0) refuse("found a storage of " + std::to_string(s.bytes) + " bytes");
      made_.add_storage(s.where, s.bytes);
    }
    add_tensors();
    for (at_ = 0; at_ < d_.nodes.size();) add_node(d_.nodes.size(), 0);
    for (const named_value& output : d_.outputs) {
      check_tensor(output.tensor, "the output " + in_quotes(output.name));
      made_.add_output(output.name, output.tensor);
    }
    for (const fault& f : d_.faults) {
      if (f.node >= d_.nodes.size()) refuse("found a fault of node " + std::to_string(f.node) + ", which is none");
      made_.add_fault(f.node, f.text);
    }
    return std::move(made_).finish();
  }

 private:
  void add_operator(const std::string& text) {
    const std::string_view name = std::string_view(text).substr(0, text.find('('));
    const std::optional<operator_handle> op = registry::process().try_find(name);
    const std::string who = "the operator " + in_quotes(name);
    if (!op) refuse("found " + who + ", which is not registered; import or load what defines it");
    if (op->parsed_schema() == nullptr) refuse(who + " has no schema here");
    const schema recorded = schema_of(name, text);
    author::schema_view here = *op->parsed_schema();
    // Arguments that were added since must have defaults.
    const std::size_t count = recorded.view().arguments.size();
    bool fits = here.arguments.size() >= count;
    for (std::size_t i = count; i < here.arguments.size(); ++i) fits = fits && here.arguments[i].has_default;
    if (fits) here.arguments = here.arguments.first(count);
    if (!fits || to_string(here) != to_string(recorded.view())) {
      refuse(who + " is another one here: found " + std::string(op->schema()) + ", the recording has " +
             in_quotes(text, 1000));
    }
    operators_.insert_or_assign(name, *op);
  }
  static schema schema_of(std::string_view name, const std::string& text) {
    try {
      return schema(text);
    } catch (const error&) {
      refuse("found " + in_quotes(text) + ", wanted the schema of " + in_quotes(name));
    }
  }

  void check_tensor(number t, const std::string& who) const {
    if (t >= d_.tensors.size()) {
      refuse(who + ": found %" + std::to_string(t) + ", wanted one of " + std::to_string(d_.tensors.size()) +
             " tensors");
    }
  }

  void add_tensors() {
    std::vector<source> from(d_.tensors.size(), source::node);
    const auto come = [&](std::span<const named_value> all, source where) {
      std::map<std::string_view, number> names;  // sorted: a file may choose names that collide
      for (const named_value& one : all) {
        check_tensor(one.tensor, in_quotes(one.name));
        if (std::exchange(from[one.tensor], where) != source::node) {
          refuse("found %" + std::to_string(one.tensor) + " under two names");
        }
        if (!names.emplace(one.name, one.tensor).second) refuse("found the name " + in_quotes(one.name) + " twice");
      }
    };
    come(d_.inputs, source::input);
    come(d_.parameters, source::parameter);
    come(d_.captured, source::captured);
    for (std::size_t t = 0; t < d_.tensors.size(); ++t) {
      document::tensor_entry entry = d_.tensors[t];
      entry.is.from = from[t];
      if (entry.sizes.size() != entry.strides.size() ||
          std::ranges::any_of(entry.sizes, [](auto n) { return n < 0; })) {
        refuse("%" + std::to_string(t) + ": found sizes " + to_string(entry.sizes) + " and strides " +
               to_string(entry.strides) + ", wanted as many of both, and sizes from 0 up");
      }
      made_.add_tensor(entry.is, entry.sizes, entry.strides);
    }
    std::size_t next = 0;
    const auto bound = [&](number t) {
      if (bound_.empty()) return tensor();
      const tensor& given = bound_[next++];
      const document::tensor_entry& wanted = d_.tensors[t];
      if (given.dtype() != wanted.is.type || given.sizes() != wanted.sizes) {
        refuse("the elements of " + made_.so_far().describe(t) + " are of another dtype or other sizes");
      }
      return given;
    };
    for (const named_value& one : d_.inputs) made_.add_input(one.name, one.tensor);
    for (const named_value& one : d_.parameters) made_.add_parameter(one.name, one.tensor, bound(one.tensor));
    for (const named_value& one : d_.captured) made_.add_captured(one.name, one.tensor, bound(one.tensor));
  }

  // About the node that is read.
  [[noreturn]] void refuse_node(const std::string& what) const {
    const std::string& op = d_.nodes[node_].op;
    throw graph_error((operators_.contains(op) ? op : in_quotes(op)) + ": " + what, node_);
  }

  // The node at at_, with its parts, which end before `end`.
  void add_node(std::size_t end, std::size_t depth) {
    const number n = node_ = static_cast<number>(at_++);
    const document::node_entry& entry = d_.nodes[n];
    const auto op = operators_.find(entry.op);
    if (op == operators_.end()) refuse_node("found an operator that is not among those that the graph lists");
    if (depth > deepest_parts) {
      refuse_node("found parts nested more than " + std::to_string(deepest_parts) + " deep");
    }
    if (entry.parts > end - at_) refuse_node("found " + std::to_string(entry.parts) + " parts, more than there are");
    if (entry.forward != nothing && entry.forward >= n) {
      refuse_node("found the gradient of node " + std::to_string(entry.forward) + ", wanted one before it");
    }
    made_.begin_node(op->second, arguments_of(op->second, entry), entry.phase, entry.forward, entry.no_grad);
    const std::size_t last = at_ + entry.parts;
    while (at_ < last) add_node(last, depth + 1);
    node_ = n;
    if (entry.results.size() != op->second.result_count()) {
      refuse_node("found " + std::to_string(entry.results.size()) + " results, wanted " +
                  std::to_string(op->second.result_count()));
    }
    std::vector<argument> results;
    for (const std::string& text : entry.results) results.push_back(result_of(text));
    made_.end_node(results);
    if (entry.draw) made_.set_draws(n, *entry.draw);
  }

  std::vector<argument> arguments_of(const operator_handle& op, const document::node_entry& entry) {
    const std::span<const author::schema_item> items = op.parsed_schema()->arguments;
    if (entry.arguments.size() > std::min(items.size(), most_arguments)) {
      refuse_node("found " + std::to_string(entry.arguments.size()) + " arguments, wanted at most " +
                  std::to_string(items.size()));
    }
    std::vector<argument> all;
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::string_view text;
      if (i < entry.arguments.size()) {
        text = entry.arguments[i];
        const std::string prefix = std::string(items[i].name) + "=";
        if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
      } else if (items[i].has_default) {
        text = items[i].default_text;
      } else {
        refuse_node("found no argument '" + std::string(items[i].name) + "', which has no default");
      }
      all.push_back(argument_of(op, i, text));
    }
    return all;
  }

  argument argument_of(const operator_handle& op, std::size_t i, std::string_view text) {
    const author::schema_item& item = op.parsed_schema()->arguments[i];
    if (text == "None") return {};
    if (item.type == "Tensor") return tensor_argument(text);
    if (item.type == "Generator" && text == "generator") return made_.constant(value(numbered_generator()));
    try {
      return made_.constant(author::read_argument(op, i, text));
    } catch (const error& e) {
      throw graph_error(e.what(), node_);
    }
  }
  // Nodes that drew from one generator have one again.
  generator numbered_generator() {
    const std::optional<random_draw>& draw = d_.nodes[node_].draw;
    const auto [at, is_new] = generators_.try_emplace(draw ? draw->generator : 0);
    if (is_new && draw) at->second.set_seed(draw->position.seed);
    return at->second;
  }

  argument tensor_argument(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']')) {
      text = text.substr(1, text.size() - 2);
      std::vector<argument> all;
      while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        all.push_back(element(text.substr(0, comma)));
        text.remove_prefix(std::min(comma + 1, text.size()));
      }
      return made_.list(all);
    }
    return element(text);
  }
  argument element(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (text == "None") return {};
    if (text == "undefined") return {.is = argument::kind::undefined};
    number t = nothing;
    const char* const end = text.data() + text.size();
    if (!text.starts_with('%') || std::from_chars(text.data() + 1, end, t).ptr != end || t >= d_.tensors.size()) {
      refuse_node("found " + in_quotes(text) + ", wanted one of " + std::to_string(d_.tensors.size()) +
                  " tensors such as %0, a list of such, undefined, or None");
    }
    return {.is = argument::kind::tensor, .index = t};
  }

  argument result_of(std::string_view text) {
    if (!text.starts_with('"') && !text.starts_with('\'')) return tensor_argument(text);
    try {
      return made_.text(author::read_text<std::string>(text));
    } catch (const error& e) {
      refuse_node(e.what());
    }
  }

  const document& d_;
  std::span<const tensor> bound_;
  builder made_;
  std::unordered_map<std::string_view, operator_handle> operators_;
  std::map<number, generator> generators_;
  std::size_t at_ = 0;
  number node_ = nothing;
};

}  // namespace

graph graph_from(const document& d, std::span<const tensor> bound) { return document_reader(d, bound).read(); }

}  // namespace topbit::graphs
