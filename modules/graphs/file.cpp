module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import topbit.training;
import :document;
import :file;
import :memory;
import :text;

namespace topbit::graphs {

namespace {

constexpr const char* metadata_name = "topbit.graph";

std::string of_captured(std::size_t i) { return "captured." + std::to_string(i); }
std::string of_storage(number s) { return "storage." + std::to_string(s); }

// What of a document has elements in the file, and where these are.
struct stored_tensor {
  std::string name;  // of it alone; otherwise its storage has one
  number tensor;
  bool is_alone;
};

std::vector<stored_tensor> stored_in(const document& d) {
  std::vector<stored_tensor> all;
  std::map<number, std::size_t> users;  // of storages
  const auto add = [&](std::string name, number t) {
    if (t >= d.tensors.size()) throw graph_error("graph: found no tensor %" + std::to_string(t), "graph");
    all.push_back({std::move(name), t, false});
    ++users[d.tensors[t].is.storage];
  };
  for (const named_value& one : d.parameters) add(one.name, one.tensor);
  for (std::size_t i = 0; i < d.captured.size(); ++i) add(of_captured(i), d.captured[i].tensor);
  for (stored_tensor& one : all) {
    const auto& [is, sizes, strides] = d.tensors[one.tensor];
    one.is_alone = is.storage >= d.storages.size() ||
                   (users[is.storage] == 1 && is.offset == 0 && strides == dense_strides(sizes) &&
                    d.storages[is.storage].bytes == numel(sizes) * static_cast<std::int64_t>(size_of(is.type)));
  }
  return all;
}

bool lies_as_recorded(const tensor& t, const document::tensor_entry& recorded, std::int64_t bytes) {
  const author::tensor_record& r = author::record_of(t);
  return r.how == layout::strided && r.offset == recorded.is.offset && r.strides == recorded.strides && r.data &&
         static_cast<std::int64_t>(r.data->bytes) == bytes;
}

}  // namespace

void save_graph(const std::string& path, const graph& g) {
  const no_grad no_graph;
  const document d = document_of(g);
  std::vector<named_tensor> tensors;
  std::map<number, tensor> storages;
  for (const stored_tensor& one : stored_in(d)) {
    const tensor& bound = g.bound(one.tensor);
    if (!bound.defined()) {
      throw graph_error("save_graph: found no elements of " + in_quotes(one.name) + ", " + g.describe(one.tensor) +
                            ", wanted a graph that was recorded or loaded from a file",
                        "save_graph");
    }
    if (one.is_alone) {
      tensors.push_back({one.name, bound});
      continue;
    }
    const document::tensor_entry& recorded = d.tensors[one.tensor];
    const number s = recorded.is.storage;
    const std::int64_t bytes = d.storages[s].bytes;
    tensor& whole = storages[s];
    if (lies_as_recorded(bound, recorded, bytes)) {
      if (!whole.defined()) whole = whole_memory_of(bound);
      continue;
    }
    // A copy, which is dense: its elements go where they were.
    if (!whole.defined())
      whole =
          aten::zeros(shape{bytes / static_cast<std::int64_t>(size_of(bound.dtype()))}, arg<"dtype"> = bound.dtype());
    tensor view = author::make_view(whole, recorded.sizes, recorded.strides, recorded.is.offset);
    aten::copy_(view, bound);
  }
  for (const auto& [s, whole] : storages) tensors.push_back({of_storage(s), whole});
  save_tensors(path, tensors, {{metadata_name, to_json(g)}});
}

graph load_graph(const std::string& path) {
  const tensor_metadata metadata = load_metadata(path);
  const auto text = metadata.find(metadata_name);
  const auto refuse = [&](const std::string& what) {
    throw graph_error("load_graph: " + in_quotes(path) + ": " + what);
  };
  if (text == metadata.end()) refuse("found no graph, wanted a file of save_graph()");
  const document d = document_from_json(text->second);

  const std::vector<named_tensor> tensors = load_tensors(path);
  std::map<std::string_view, const tensor*> by_name;
  for (const named_tensor& one : tensors) by_name.emplace(one.name, &one.value);
  const auto find = [&](const std::string& name) -> const tensor& {
    const auto found = by_name.find(name);
    if (found == by_name.end()) refuse("found no tensor " + in_quotes(name) + ", which the graph reads");
    return *found->second;
  };
  std::vector<tensor> bound;
  for (const stored_tensor& one : stored_in(d)) {
    const document::tensor_entry& recorded = d.tensors[one.tensor];
    const number s = recorded.is.storage;
    tensor t = find(one.is_alone ? one.name : of_storage(s));
    if (!one.is_alone) {
      if (t.dtype() != recorded.is.type ||
          t.numel() * static_cast<std::int64_t>(size_of(t.dtype())) != d.storages[s].bytes) {
        refuse("found another dtype or size of " + in_quotes(of_storage(s)) + " than the graph has");
      }
      t = author::make_view(t, recorded.sizes, recorded.strides, recorded.is.offset);
    }
    if (recorded.is.requires_grad) require_grad(t);
    bound.push_back(std::move(t));
  }
  return graph_from(d, bound);
}

}  // namespace topbit::graphs
