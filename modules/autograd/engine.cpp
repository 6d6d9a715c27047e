module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

// Bound by name: this module knows no operator library.
constexpr op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> add;
constexpr op<
    "aten::full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor">
    full;
constexpr op<"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor"> clone;

// Work that waits, deepest node first, with the gradient gathered so far.
using waiting = std::map<std::pair<std::uint64_t, node*>, tensor, std::greater<>>;

void gather(tensor& sum, const tensor& gradient) {
  if (!sum.defined())
    sum = gradient;
  else
    sum = add(sum, gradient);
}

// What a leaf keeps: dense elements that no one else sees, so that writing to one gradient changes no other.
tensor owned(tensor gradient) {
  const auto& r = gradient.record();
  const bool sole = r.references.load(std::memory_order_acquire) == 1 &&
                    (!r.data || r.data->references.load(std::memory_order_acquire) == 1);
  return sole && gradient.is_contiguous() ? gradient : clone(gradient, memory_format::contiguous);
}

// Another thread may deliver to the same leaf: then the sum is made again, on what that thread left.
void deliver(leaf_node& leaf, tensor gradient) {
  for (;;) {
    const tensor seen = leaf.gradient();
    if (!seen.defined()) gradient = owned(std::move(gradient));
    if (leaf.replace(seen, seen.defined() ? add(seen, gradient) : gradient)) return;
  }
}

void check_gradients(const node& n, std::span<const tensor> found) {
  const auto inputs = n.inputs();
  if (found.size() != inputs.size()) {
    throw error(std::string(n.name()) + ": its gradient rule gave " + std::to_string(found.size()) +
                    " gradients, wanted " + std::to_string(inputs.size()),
                std::string(n.name()));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (inputs[i] && found[i].defined() && !inputs[i]->takes(found[i])) detail::raise_wrong_gradient(n, i, found[i]);
  }
}

}  // namespace

namespace detail {

void raise_released(std::string_view op) {
  throw error(
      std::string(op) + ": its saved tensors were released by an earlier backward(); pass retain_graph = true there",
      std::string(op));
}

void raise_in_place(std::string_view op) {
  throw error(std::string(op) +
                  ": writes in place to, or from, a tensor that requires its gradient, and would not be "
                  "recorded; use the form that returns a new tensor, or a no_grad scope",
              std::string(op));
}

}  // namespace detail

void backward(const tensor& root, const tensor& gradient, bool retain_graph) {
  const intrusive_ptr<node> start = author::gradient_edge(root);
  if (!start) throw error("backward: the tensor does not require a gradient and was not computed from one that does");
  const no_grad guard;
  tensor seed = gradient;
  if (!seed.defined()) {
    if (root.numel() != 1) {
      throw shape_error("backward: found a tensor of sizes " + to_string(root.sizes()) +
                        ", wanted one element, or a gradient of that shape as second argument");
    }
    seed = full(root.sizes(), 1.0, root.dtype(), std::nullopt, root.device(), std::nullopt);
  } else if (seed.sizes() != root.sizes() || seed.dtype() != root.dtype()) {
    throw shape_error("backward: found a gradient of " + std::string(name_of(seed.dtype())) + " " +
                      to_string(seed.sizes()) + ", wanted " + std::string(name_of(root.dtype())) + " " +
                      to_string(root.sizes()));
  } else if (seed.device() != root.device()) {
    throw device_error("backward: found a gradient on " + to_string(seed.device()) + ", wanted it on " +
                       to_string(root.device()));
  }

  // Until every rule has succeeded, leaves keep their gradients and nodes what they saved: after an error, the graph
  // can be run again and counts once. `start` keeps all nodes alive.
  std::vector<node*> visited;
  std::vector<std::pair<leaf_node*, tensor>> leaves;
  waiting queue;
  queue.emplace(std::pair(start->depth(), start.get()), seed);
  while (!queue.empty()) {
    auto first = queue.extract(queue.begin());
    node& n = *first.key().second;
    tensor& gathered = first.mapped();
    if (auto* leaf = dynamic_cast<leaf_node*>(&n)) {
      leaves.emplace_back(leaf, std::move(gathered));
      continue;
    }
    if (n.released) detail::raise_released(n.name());
    const std::vector<tensor> gradients = n.backward(gathered);
    check_gradients(n, gradients);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      node* input = n.inputs()[i].get();
      if (input != nullptr && gradients[i].defined()) gather(queue[{input->depth(), input}], gradients[i]);
    }
    visited.push_back(&n);
  }
  for (auto& [leaf, gathered] : leaves) deliver(*leaf, std::move(gathered));
  if (retain_graph) return;
  for (node* n : visited) {
    n->release();
    n->released = true;
  }
}

}  // namespace topbit
