module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::graphs {

bool graph::writes(const node& n, std::size_t argument) noexcept {
  const author::schema_view* const schema = n.op.parsed_schema();
  return schema != nullptr && schema->arguments[argument].writes;
}

const tensor& graph::bound(number tensor) const noexcept {
  static const topbit::tensor none;
  return tensor < bound_.size() ? bound_[tensor] : none;
}

std::vector<number> graph::escapes() const {
  std::vector<number> found;
  for (number i = 0; i < nodes_.size(); ++i) {
    const node& n = nodes_[i];
    if (n.end == i + 1 && n.op.tags().contains(tag::escape)) found.push_back(i);
  }
  return found;
}

std::vector<number> graph::written() const {
  std::vector<number> found;
  for (const auto& outside : {inputs(), parameters(), captured()}) {
    for (const named_value& one : outside) {
      const tensor_value& t = tensors_[one.tensor];
      if (t.storage != nothing && storages_[t.storage].writes != 0) found.push_back(one.tensor);
    }
  }
  return found;
}

std::string graph::describe(number tensor) const {
  const tensor_value& t = tensors_[tensor];
  std::string text = "%" + std::to_string(tensor) + ", " + std::string(name_of(t.type)) + " ";
  author::write_text(text, sizes(tensor));
  return text + " on " + to_string(t.where);
}

// ----------------------------------------------------------------------------------------------------------- builder

namespace {

// Adds an element's place to the range that a strided tensor covers, in elements; false if it overflows.
bool covers(const tensor_value& t, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
            std::int64_t bytes) {
  std::int64_t last = t.offset;
  if (last < 0) return false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) return false;
    if (sizes[d] == 0) return true;
    std::int64_t extent = 0;
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &extent) || __builtin_add_overflow(last, extent, &last)) {
      return false;
    }
  }
  return last < bytes / static_cast<std::int64_t>(size_of(t.type));
}

}  // namespace

number builder::add_storage(device where, std::int64_t bytes) {
  made_.storages_.push_back({where, 0, bytes});
  return static_cast<number>(made_.storages_.size() - 1);
}

number builder::add_tensor(tensor_value description, std::span<const std::int64_t> sizes,
                           std::span<const std::int64_t> strides) {
  description.dims = static_cast<std::uint8_t>(sizes.size());
  description.maker = nothing;
  description.version = 0;
  description.geometry = static_cast<number>(made_.geometry_.size());
  made_.geometry_.insert(made_.geometry_.end(), sizes.begin(), sizes.end());
  made_.geometry_.insert(made_.geometry_.end(), strides.begin(), strides.end());
  made_.tensors_.push_back(description);
  return static_cast<number>(made_.tensors_.size() - 1);
}

number builder::add_tensor(const tensor& t, number storage, source from, bool requires_grad) {
  const author::tensor_record& r = author::record_of(t);
  return add_tensor({.type = r.type,
                     .layout = r.how,
                     .from = from,
                     .requires_grad = requires_grad,
                     .where = r.where,
                     .storage = storage,
                     .offset = r.offset},
                    r.sizes, r.how == layout::strided ? r.strides : r.sizes);
}

void builder::add_input(std::string name, number tensor) {
  bind(tensor, {});
  made_.inputs_.push_back({std::move(name), tensor});
}
void builder::bind(number tensor, topbit::tensor bound) {
  if (tensor >= made_.tensors_.size()) {
    throw graph_error("graph: found %" + std::to_string(tensor) + ", which is not a tensor of it", "graph");
  }
  if (!bound.defined()) return;
  if (tensor >= made_.bound_.size()) made_.bound_.resize(tensor + 1);
  made_.bound_[tensor] = std::move(bound);
}
void builder::add_parameter(std::string name, number tensor, topbit::tensor bound) {
  bind(tensor, std::move(bound));
  made_.parameters_.push_back({std::move(name), tensor});
}
void builder::add_captured(std::string name, number tensor, topbit::tensor bound) {
  bind(tensor, std::move(bound));
  made_.captured_.push_back({std::move(name), tensor});
}
void builder::add_output(std::string name, number tensor) { made_.outputs_.push_back({std::move(name), tensor}); }
void builder::add_fault(number node, std::string text) { made_.faults_.push_back({node, std::move(text)}); }

argument builder::constant(value v) {
  if (v.is_none()) return {};
  made_.constants_.push_back(std::move(v));
  return {argument::kind::constant, static_cast<number>(made_.constants_.size() - 1), 0};
}
argument builder::list(std::span<const argument> elements) {
  const argument made{argument::kind::tensors, static_cast<number>(made_.elements_.size()),
                      static_cast<number>(elements.size())};
  made_.elements_.insert(made_.elements_.end(), elements.begin(), elements.end());
  return made;
}
argument builder::text(std::string of_result) {
  made_.texts_.push_back(std::move(of_result));
  return {argument::kind::text, static_cast<number>(made_.texts_.size() - 1), 0};
}

number builder::begin_node(const operator_handle& op, std::span<const argument> arguments, graphs::phase phase,
                           number forward, bool no_grad) {
  if (op.parsed_schema() == nullptr) {
    throw graph_error("graph: found " + std::string(op.name()) + ", which has no schema, wanted an operator with one",
                      "graph");
  }
  if (arguments.size() != op.argument_count()) {
    throw graph_error("graph: " + std::string(op.name()) + ": found " + std::to_string(arguments.size()) +
                          " arguments, wanted " + std::to_string(op.argument_count()),
                      "graph");
  }
  const auto made = static_cast<number>(made_.nodes_.size());
  made_.nodes_.push_back({.op = op,
                          .first_argument = static_cast<number>(made_.arguments_.size()),
                          .parent = open_.empty() ? nothing : open_.back(),
                          .forward = forward,
                          .phase = phase,
                          .no_grad = no_grad});
  made_.arguments_.insert(made_.arguments_.end(), arguments.begin(), arguments.end());
  open_.push_back(made);
  return made;
}

void builder::end_node(std::span<const argument> results) {
  const number ended = open_.back();
  open_.pop_back();
  node& n = made_.nodes_[ended];
  n.end = static_cast<number>(made_.nodes_.size());
  n.first_result = static_cast<number>(made_.arguments_.size());
  made_.arguments_.insert(made_.arguments_.end(), results.begin(), results.end());
  made_.each_tensor(results, [&](number t, const argument&) {
    if (t >= made_.tensors_.size()) return;  // finish() refuses it
    tensor_value& made = made_.tensors_[t];
    if (made.from == source::node && made.maker == nothing) made.maker = ended;
  });
}

void builder::abandon_node() {
  abandoned_.push_back(open_.back());
  open_.pop_back();
}

void builder::require_grad(number tensor) { made_.tensors_[tensor].requires_grad = true; }

void builder::set_draws(number node, const random_draw& draws) {
  made_.nodes_[node].draws = static_cast<number>(made_.draws_.size());
  made_.draws_.push_back(draws);
}

namespace {

[[noreturn]] void refuse(std::string text) { throw graph_error("graph: " + text, "graph"); }

[[noreturn]] void refuse_node(const graph& g, number i, const std::string& what) {
  throw graph_error(std::string(g.nodes()[i].op.name()) + what, i);
}

}  // namespace

// Sets the versions in the order of the calls, and checks that every tensor is made before it is read.
struct builder::versions {
  explicit versions(graph& g) : g_(g), writes_(g.storages_.size()), is_made_(g.tensors_.size()) {
    for (number t = 0; t < g.tensors_.size(); ++t) {
      tensor_value& one = g.tensors_[t];
      if (one.storage != nothing && one.storage >= writes_.size()) {
        refuse("tensor " + g.describe(t) + " has storage " + std::to_string(one.storage) + ", wanted one below " +
               std::to_string(writes_.size()));
      }
      if (one.layout == layout::strided && one.storage != nothing &&
          !covers(one, g.sizes(t), g.strides(t), g.storages_[one.storage].bytes)) {
        refuse("tensor " + g.describe(t) + " leaves its storage of " + std::to_string(g.storages_[one.storage].bytes) +
               " bytes");
      }
      is_made_[t] = one.from != source::node;
    }
  }

  void visit(number i, number end) {
    while (i < end) {
      node& n = g_.nodes_[i];
      const auto arguments = std::span(g_.arguments_).subspan(n.first_argument, n.op.argument_count());
      read(i, arguments);
      // A composite may write what no part of it does.
      const std::vector<std::pair<number, number>> before = written_by(n, arguments);
      visit(i + 1, n.end);
      for (const auto& [s, writes] : before) {
        if (writes_[s] == writes) ++writes_[s];
      }
      make(i, std::span(g_.arguments_).subspan(n.first_result, n.op.result_count()));
      i = n.end;
    }
  }
  void finish() {
    for (std::size_t s = 0; s < writes_.size(); ++s) g_.storages_[s].writes = writes_[s];
    for (const named_value& output : g_.outputs_) {
      if (output.tensor >= is_made_.size() || !is_made_[output.tensor])
        refuse("found the output '" + output.name + "', which no node makes");
    }
  }

 private:
  void read(number i, std::span<argument> all) {
    for (argument& a : all) {
      if (a.is == argument::kind::tensors) read(i, std::span(g_.elements_).subspan(a.index, a.version));
      if (a.is != argument::kind::tensor) continue;
      if (a.index >= is_made_.size() || !is_made_[a.index]) {
        refuse_node(g_, i, ": found %" + std::to_string(a.index) + ", wanted a tensor that is made before it");
      }
      const number s = g_.tensors_[a.index].storage;
      a.version = s == nothing ? 0 : writes_[s];
    }
  }
  // The storages, and how often they were written before.
  std::vector<std::pair<number, number>> written_by(const node& n, std::span<const argument> arguments) const {
    std::vector<std::pair<number, number>> all;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!graph::writes(n, i)) continue;
      g_.each_tensor(arguments.subspan(i, 1), [&](number t, const argument&) {
        if (const number s = g_.tensors_[t].storage; s != nothing) all.emplace_back(s, writes_[s]);
      });
    }
    return all;
  }
  void make(number i, std::span<const argument> results) {
    g_.each_tensor(results, [&](number t, const argument&) {
      if (t >= is_made_.size()) refuse_node(g_, i, ": found %" + std::to_string(t) + ", which is not a tensor");
      if (is_made_[t]) return;
      is_made_[t] = true;
      tensor_value& made = g_.tensors_[t];
      made.version = made.storage == nothing ? 0 : writes_[made.storage];
    });
  }

  graph& g_;
  std::vector<number> writes_;
  std::vector<bool> is_made_;
};

void builder::drop_abandoned() {
  const auto count = static_cast<number>(made_.nodes_.size());
  std::vector<number> renamed(count + 1);
  std::vector<bool> gone(count);
  for (const number n : abandoned_) gone[n] = true;
  number kept = 0;
  for (number i = 0; i < count; ++i) {
    renamed[i] = kept;
    kept += !gone[i];
  }
  renamed[count] = kept;
  const auto rename = [&](number& n) {
    if (n != nothing) n = gone[n] ? nothing : renamed[n];
  };
  std::vector<node> nodes;
  nodes.reserve(kept);
  for (number i = 0; i < count; ++i) {
    if (gone[i]) continue;
    node n = made_.nodes_[i];
    while (n.parent != nothing && gone[n.parent]) n.parent = made_.nodes_[n.parent].parent;
    rename(n.parent);
    rename(n.forward);
    n.end = renamed[n.end];
    nodes.push_back(n);
  }
  made_.nodes_ = std::move(nodes);
  for (tensor_value& t : made_.tensors_) rename(t.maker);
  for (fault& f : made_.faults_) rename(f.node);
  std::erase_if(made_.faults_, [](const fault& f) { return f.node == nothing; });
}

graph builder::finish() && {
  if (!open_.empty()) refuse_node(made_, open_.back(), " has not ended");
  if (!abandoned_.empty()) drop_abandoned();
  versions all(made_);
  all.visit(0, static_cast<number>(made_.nodes_.size()));
  all.finish();
  return std::move(made_);
}

}  // namespace topbit::graphs
