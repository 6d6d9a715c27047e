// Operators that PyTorch calls views. Here they copy index tensors and share values, and a write to a result does not
// write to its argument.
module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :patterns;
import :checks;
import :registrations;

namespace topbit::sparse {

namespace {

using integers = std::span<const std::int64_t>;

tensor selected_rows(const tensor& indices, const std::vector<std::int64_t>& rows) {
  if (rows.empty()) return author::make_tensor({0, indices.sizes()[1]}, dtype::int64, indices.device());
  std::vector<tensor> all;
  for (std::int64_t r : rows) all.push_back(select(indices, 0, r));
  return stack(all, 0);
}

tensor permuted(std::string_view op, const tensor& self, integers order) {
  const coo_payload& p = coo_parts(self);
  const auto sparse = static_cast<std::size_t>(p.indices.sizes()[0]);
  std::vector<std::int64_t> rows;
  shape dense_order{0}, sizes;
  bool moved = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool from_sparse = order[i] < static_cast<std::int64_t>(sparse);
    if (from_sparse != (i < sparse)) {
      refuse<shape_error>(op, "found dimension " + std::to_string(order[i]) + " moving to " + std::to_string(i) +
                                  " in a tensor with " + std::to_string(sparse) +
                                  " sparse dimensions, wanted sparse and dense dimensions to stay apart; "
                                  "to_dense(x) makes a tensor without them");
    }
    sizes.push_back(self.sizes()[static_cast<std::size_t>(order[i])]);
    if (from_sparse) {
      rows.push_back(order[i]);
      moved = moved || order[i] != static_cast<std::int64_t>(i);
    } else {
      dense_order.push_back(order[i] - static_cast<std::int64_t>(sparse) + 1);
    }
  }
  const tensor values = values_of(self);
  return coo_of(moved ? selected_rows(p.indices, rows) : p.indices,
                dense_order.size() > 2 ? aten::permute(values, dense_order) : values, sizes, p.coalesced && !moved);
}

tensor permute(const tensor& self, integers dims) {
  constexpr std::string_view op = aten::permute.name();
  shape order;
  for (std::int64_t d : dims) {
    const std::int64_t wrapped = wrapped_dim(op, d, self.dim());
    if (std::ranges::find(order, wrapped) != order.end()) {
      refuse<shape_error>(op, "found dimension " + std::to_string(d) + " twice, wanted each once");
    }
    order.push_back(wrapped);
  }
  if (static_cast<std::int64_t>(order.size()) != self.dim()) {
    refuse<shape_error>(op, "found " + std::to_string(order.size()) + " dimensions, wanted the " +
                                std::to_string(self.dim()) + " of the tensor");
  }
  return permuted(op, self, order);
}

tensor transpose(const tensor& self, std::int64_t dim0, std::int64_t dim1) {
  constexpr std::string_view op = aten::transpose_int.name();
  const auto a = static_cast<std::size_t>(wrapped_dim(op, dim0, self.dim()));
  const auto b = static_cast<std::size_t>(wrapped_dim(op, dim1, self.dim()));
  shape order;
  for (std::int64_t d = 0; d < self.dim(); ++d) order.push_back(d);
  std::swap(order[a], order[b]);
  return permuted(op, self, order);
}

// The rows of a matrix are the columns of its transpose.
tensor transpose_compressed(const tensor& self, std::int64_t dim0, std::int64_t dim1) {
  constexpr std::string_view op = aten::transpose_int.name();
  check_sparse(op, self);
  if (wrapped_dim(op, dim0, self.dim()) == wrapped_dim(op, dim1, self.dim())) return aten::alias(self);
  const compressed_payload& p = compressed_parts(self);
  const layout how = self.layout() == layout::sparse_csr ? layout::sparse_csc : layout::sparse_csr;
  return compressed_of(how, p.compressed, p.plain, values_of(self), {self.sizes()[1], self.sizes()[0]});
}

tensor unsqueeze(const tensor& self, std::int64_t dim) {
  const std::int64_t at = wrapped_dim(aten::unsqueeze.name(), dim, self.dim() + 1);
  const coo_payload& p = coo_parts(self);
  const std::int64_t sparse = p.indices.sizes()[0];
  const integers all(self.sizes());
  const auto before = static_cast<std::size_t>(at);
  const shape sizes = joined(joined(shape(all.first(before)), {1}), shape(all.subspan(before)));
  if (at > sparse) return coo_of(p.indices, aten::unsqueeze(values_of(self), at - sparse + 1), sizes, p.coalesced);
  const tensor zeros_row = zeros_of({1, p.indices.sizes()[1]}, dtype::int64, self.device());
  const tensor above = narrow(p.indices, 0, 0, at), below = narrow(p.indices, 0, at, sparse - at);
  return coo_of(cat(std::array{above, zeros_row, below}, 0), values_of(self), sizes, p.coalesced);
}

// Without the dimensions for which drop(d) is true, which are of size 1.
template <class F>
tensor without_dims(const tensor& self, F drop) {
  const coo_payload& p = coo_parts(self);
  const std::int64_t sparse = p.indices.sizes()[0];
  std::vector<std::int64_t> rows;
  shape sizes, value_sizes{p.values.sizes()[0]};
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (drop(d)) continue;
    const std::int64_t size = self.sizes()[static_cast<std::size_t>(d)];
    sizes.push_back(size);
    if (d < sparse)
      rows.push_back(d);
    else
      value_sizes.push_back(size);
  }
  const bool all_kept = static_cast<std::int64_t>(rows.size()) == sparse;
  return coo_of(all_kept ? p.indices : selected_rows(p.indices, rows), reshape(values_of(self), value_sizes), sizes,
                p.coalesced);
}

tensor squeeze(const tensor& self) {
  return without_dims(self, [&](std::int64_t d) { return self.sizes()[static_cast<std::size_t>(d)] == 1; });
}
tensor squeeze_dim(const tensor& self, std::int64_t dim) {
  const std::int64_t at = self.dim() == 0 ? 0 : wrapped_dim(aten::squeeze_dim.name(), dim, self.dim());
  return without_dims(self, [&](std::int64_t d) { return d == at && self.sizes()[static_cast<std::size_t>(d)] == 1; });
}

using author::row;

constexpr author::kernel_row rows[] = {
    row<&permute>(aten::permute, key::AnySparse),
    row<&transpose>(aten::transpose_int, key::AnySparse),
    row<&transpose_compressed>(aten::transpose_int, key::AnySparseCsr),
    row<&unsqueeze>(aten::unsqueeze, key::AnySparse),
    row<&squeeze>(aten::squeeze, key::AnySparse),
    row<&squeeze_dim>(aten::squeeze_dim, key::AnySparse),
};

}  // namespace

void register_views() { author::register_rows(rows); }

}  // namespace topbit::sparse
