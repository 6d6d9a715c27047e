// backward(), grad(), require_grad() and leaf_grad() of batched tensors: of each example, by the graph of the tensors
// with all examples.
module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :places;

namespace topbit::detail {

namespace {

// Gradients are those of the tensors with all examples, whose factories make no examples.
using outside_of_mode = exclude_guard;

void require_of_examples(const tensor& t, bool wanted) {
  batch_places at;
  if (const tensor below = plain(t, at); wanted && requires_grad(below)) {
    require_grad(below);
    return;
  }
  if (!wanted) {
    throw error(
        "require_grad: found a batched tensor, which may be the caller's, wanted none; detach() gives one that "
        "requires no gradient");
  }
  // The caller's tensor requires none.
  const outside_of_mode outside(key::FuncTorchVmapMode);
  tensor& below = author::extension_of<batched_tensor>(t)->wrapped;
  const tensor leaf = released_from_graph(below);
  batch_places unused;
  require_grad(plain(leaf, unused));
  below = leaf;
}

tensor leaf_gradient(const tensor& t) {
  batch_places at;
  const tensor g = leaf_grad(plain(t, at));
  return g.defined() ? wrapped_at(g, at) : g;
}

// Roots without their wrappers, and the gradients that they begin with.
struct plain_roots {
  plain_roots(std::string_view who, std::span<const tensor> of, std::span<const tensor> gradients) {
    if (!gradients.empty()) check_alike(who, "gradient", "tensor", gradients, of);
    for (std::size_t i = 0; i < of.size(); ++i) {
      batch_places places;
      roots.push_back(plain(of[i], places));
      if (!gradients.empty() && gradients[i].defined()) {
        seeds.push_back(unwrapped_at(gradients[i], places));
      } else if (of[i].defined() && of[i].numel() != 1) {
        throw shape_error(std::string(who) + ": found a tensor of sizes " + to_string(of[i].sizes()) +
                          ", wanted one element, or a gradient of that shape");
      } else {
        seeds.push_back(of[i].defined() ? aten::ones_like(aten::detach(roots.back())) : tensor());
      }
      at.push_back(std::move(places));
    }
  }
  std::vector<tensor> roots, seeds;
  std::vector<batch_places> at;
};

std::vector<tensor> all_plain(std::span<const tensor> of) {
  std::vector<tensor> all;
  batch_places unused;
  for (const tensor& t : of) all.push_back(plain(t, unused));
  return all;
}

void backward_of_examples(std::span<const tensor> roots, std::span<const tensor> gradients,
                          const backward_options& options) {
  const outside_of_mode outside(key::FuncTorchVmapMode);
  const plain_roots below("backward", roots, gradients);
  backward(below.roots, below.seeds,
           {.retain_graph = options.retain_graph,
            .create_graph = options.create_graph,
            .inputs = all_plain(options.inputs)});
}

// Throws error for an input that examples share, which the outputs do not.
void check_shared(std::span<const batch_places> outputs, std::span<const batch_places> inputs) {
  for (const batch_places& output : outputs) {
    for (const auto& [level, dim] : output.all) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (std::ranges::find(inputs[i].all, level, &decltype(batch_places::all)::value_type::first) !=
            inputs[i].all.end())
          continue;
        throw error("grad: input " + std::to_string(i + 1) + " is the same for all examples (" + describe(*level) +
                    "), so its gradient would be their sum; give it a copy for each, per_example(), or take the "
                    "gradient outside");
      }
    }
  }
}

std::vector<tensor> gradients_of_examples(std::span<const tensor> outputs, std::span<const tensor> inputs,
                                          const grad_options& options) {
  const outside_of_mode outside(key::FuncTorchVmapMode);
  plain_roots below("grad", outputs, options.gradients);
  std::vector<tensor> of;
  std::vector<batch_places> at(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) of.push_back(plain(inputs[i], at[i]));
  check_shared(below.at, at);
  std::vector<tensor> found = grad(below.roots, of,
                                   {.retain_graph = options.retain_graph,
                                    .create_graph = options.create_graph,
                                    .allow_unused = options.allow_unused,
                                    .gradients = std::move(below.seeds)});
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].defined()) found[i] = wrapped_at(found[i], at[i]);
  }
  return found;
}

}  // namespace

bool register_gradients() {
  static constexpr author::wrapper_gradients of_batched{&require_of_examples, &leaf_gradient, &backward_of_examples,
                                                        &gradients_of_examples};
  author::set_wrapper_gradients(functionality::FuncTorchBatched, of_batched);
  return true;
}

}  // namespace topbit::detail
