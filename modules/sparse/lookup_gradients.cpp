module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :parts;
import :lookup_gradients;

namespace topbit::sparse {

namespace {

tensor embedding_gradient(const tensor& grad, const tensor& indices, std::int64_t rows, std::int64_t padding,
                          bool by_frequency) {
  constexpr std::string_view name = aten::embedding_sparse_backward.name();
  if (by_frequency) {
    throw error(std::string(name) + ": found scale_grad_by_freq=True, wanted False", std::string(name));
  }
  const std::int64_t count = indices.numel(), columns = grad.dim() == 0 ? 0 : grad.size(-1);
  shape wanted = indices.sizes();
  wanted.push_back(columns);
  if (grad.sizes() != wanted) {
    throw shape_error(std::string(name) + ": found a gradient " + to_string(grad.sizes()) + " for indices " +
                          to_string(indices.sizes()) + ", wanted " + to_string(wanted),
                      std::string(name));
  }
  tensor places = to(aten::reshape(indices, shape{count}), dtype::int64);
  tensor values = aten::reshape(grad, shape{count, columns});
  if (padding >= 0) {
    const tensor kept = aten::reshape(aten::nonzero(places != padding), shape{-1});
    places = aten::index_select(places, 0, kept);
    values = aten::index_select(values, 0, kept);
  }
  return aten::sparse_coo_tensor_indices_size(aten::unsqueeze(places, 0), values, shape{rows, columns});
}

tensor gather_gradient(const tensor& grad, std::int64_t dim, const tensor& index, std::span<const std::int64_t> sizes) {
  const auto dims = static_cast<std::int64_t>(sizes.size());
  const auto along = dims == 0 ? 0 : (dim < 0 ? dim + dims : dim);
  const shape entries{index.numel()};
  std::vector<tensor> places;
  for (std::int64_t d = 0; d < dims; ++d) {
    if (d == along) {
      places.push_back(aten::reshape(index, entries));
      continue;
    }
    shape line(static_cast<std::size_t>(dims), 1);
    line[static_cast<std::size_t>(d)] = index.size(d);
    const tensor steps = aten::arange(index.size(d), arg<"dtype"> = dtype::int64, arg<"device"> = index.device());
    places.push_back(aten::reshape(aten::expand(aten::reshape(steps, line), index.sizes()), entries));
  }
  const tensor indices =
      dims == 0 ? aten::zeros(shape{0, index.numel()}, arg<"dtype"> = dtype::int64, arg<"device"> = index.device())
                : aten::stack(places);
  return aten::sparse_coo_tensor_indices_size(indices, aten::reshape(grad, entries), sizes);
}

}  // namespace

bool register_lookup_gradients() {
  fragment("aten")
      .def(aten::embedding_sparse_backward)
      .impl<&embedding_gradient>(aten::embedding_sparse_backward, key::CompositeImplicitAutograd)
      .keep();
  fragment("topbit")
      .def(gather_sparse_backward)
      .impl<&gather_gradient>(gather_sparse_backward, key::CompositeImplicitAutograd)
      .keep();
  return true;
}

}  // namespace topbit::sparse
