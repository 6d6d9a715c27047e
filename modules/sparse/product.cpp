// Products with sparse matrices.
module;

#include "sparse_kernels.h"

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :checks;
import :forms;
import :kernels;
import :known_indices;
import :patterns;
import :registrations;

namespace topbit::sparse {

namespace {

using T = const tensor&;

void check_factors(std::string_view op, T a, T b, std::int64_t dims) {
  if (a.dim() != dims || b.dim() != dims ||
      a.sizes()[static_cast<std::size_t>(dims - 1)] != b.sizes()[static_cast<std::size_t>(dims - 2)]) {
    refuse<shape_error>(op, "found sizes " + to_string(a.sizes()) + " and " + to_string(b.sizes()) +
                                (dims == 2 ? ", wanted [n, m] and [m, k]" : ", wanted [b, n, m] and [b, m, k]"));
  }
  if (a.dtype() != b.dtype()) {
    refuse<dtype_error>(op, "found " + std::string(name_of(a.dtype())) + " and " + std::string(name_of(b.dtype())) +
                                ", wanted one dtype; convert one with to()");
  }
  if (a.dtype() == dtype::boolean) refuse<dtype_error>(op, "found bool, wanted a number; convert it with to()");
  for (const tensor* t : {&a, &b}) {
    if (is_sparse(*t) && sparse_dims_of(*t) != dims) {
      refuse<shape_error>(op, "found a sparse tensor with " + std::to_string(sparse_dims_of(*t)) +
                                  " sparse dimensions of " + std::to_string(dims) +
                                  ", wanted all sparse; to_sparse(to_dense(x)) makes one");
    }
  }
}

// Sparse times strided, and strided times sparse by (A B)^T = B^T A^T: the columns of S are the rows of its transpose.
tensor rows_times(T s, T dense) {
  const tensor by_rows = csr_of(s);
  const compressed_payload& p = compressed_parts(by_rows);
  return known::spmm(p.compressed, p.plain, values_of(by_rows), dense);
}
tensor times_columns(T dense, T s) {
  const tensor by_columns = csc_of(s);
  const compressed_payload& p = compressed_parts(by_columns);
  return contiguous(t(known::spmm(p.compressed, p.plain, values_of(by_columns), t(dense))));
}

// Two matrices without the rows and columns that have no entries, and what the others were.
struct compact_factors {
  tensor left, right;
  tensor rows, columns;

  compact_factors(T a, T b) {
    const tensor x = coo_from(coalesced(a)), y = coo_from(coalesced(b));
    const tensor &at = coo_parts(x).indices, &bt = coo_parts(y).indices;
    const auto one_row = [](T indices, std::int64_t row) { return narrow(indices, 0, row, 1); };
    const std::int64_t entries = at.sizes()[1];
    const sorted_places row = sort_places(one_row(at, 0), {a.sizes()[0]}),
                        column = sort_places(one_row(bt, 1), {b.sizes()[1]}),
                        inner = sort_places(cat(std::array{one_row(at, 1), one_row(bt, 0)}, 1), {b.sizes()[0]});
    rows = select(row.indices, 0, 0);
    columns = select(column.indices, 0, 0);
    const std::int64_t k = inner.indices.sizes()[1];
    left = coo_of(stack(std::array{row.groups, narrow(inner.groups, 0, 0, entries)}, 0), values_of(x),
                  {rows.sizes()[0], k}, true);
    right = coo_of(stack(std::array{narrow(inner.groups, 0, entries, bt.sizes()[1]), column.groups}, 0), values_of(y),
                   {k, columns.sizes()[0]}, true);
  }
  tensor expanded(T product, const shape& sizes) const {
    const tensor s = coo_from(product), places = coo_parts(s).indices;
    const tensor indices = stack(
        std::array{index_select(rows, 0, select(places, 0, 0)), index_select(columns, 0, select(places, 0, 1))}, 0);
    return coo_of(indices, values_of(s), sizes, true);
  }
};

tensor product_of_lines(T a, T b) {
  const tensor left = csr_of(a), right = csr_of(b);
  const compressed_payload &l = compressed_parts(left), &r = compressed_parts(right);
  const auto [compressed, plain, values] =
      known::spgemm(l.compressed, l.plain, values_of(left), r.compressed, r.plain, values_of(right), b.sizes()[1]);
  return compressed_of(layout::sparse_csr, compressed, plain, values, {a.sizes()[0], b.sizes()[1]});
}

// The layout of the result is that of the first factor.
tensor sparse_times_sparse(T a, T b) {
  const shape sizes{a.sizes()[0], b.sizes()[1]};
  if (!has_elements(a)) return without_entries(a.layout(), sizes, 2, a.dtype(), meta);
  const std::int64_t entries = entries_of(a) + entries_of(b);
  const bool compact =
      is_hypersparse(sizes[0], entries) || is_hypersparse(b.sizes()[0], entries) || is_hypersparse(sizes[1], entries);
  tensor product;
  if (compact) {
    const compact_factors factors(a, b);
    product = factors.expanded(product_of_lines(factors.left, factors.right), sizes);
  } else {
    product = product_of_lines(a, b);
  }
  if (a.layout() == layout::sparse_coo) return coo_from(product);
  return a.layout() == layout::sparse_csr ? csr_of(product) : csc_of(product);
}

tensor product_of(std::string_view op, T self, T mat2) {
  check_factors(op, self, mat2, 2);
  if (is_sparse(self) && is_sparse(mat2)) return sparse_times_sparse(self, mat2);
  if (is_sparse(self)) {
    check_layout(op, "the second matrix", mat2, layout::strided);
    return rows_times(self, mat2);
  }
  check_layout(op, "the first matrix", self, layout::strided);
  return is_sparse(mat2) ? times_columns(self, mat2) : aten::mm(self, mat2);
}

tensor mm(T self, T mat2) {
  author::check_one_device(aten::mm, self, mat2);
  return product_of(aten::mm.name(), self, mat2);
}

bool broadcasts_to(const shape& from, const shape& sizes) {
  if (from.size() > sizes.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != sizes[sizes.size() - from.size() + i]) return false;
  }
  return true;
}

tensor addmm(T self, T mat1, T mat2, const scalar& beta, const scalar& alpha) {
  constexpr std::string_view op = aten::addmm.name();
  author::check_one_device(aten::addmm, self, mat1, mat2);
  const tensor product = product_of(op, mat1, mat2);
  const bool fits = is_sparse(self) ? self.sizes() == product.sizes() : broadcasts_to(self.sizes(), product.sizes());
  if (!fits) {
    refuse<shape_error>(op, "found self " + to_string(self.sizes()) + " for the product " + to_string(product.sizes()) +
                                ", wanted it to broadcast to that");
  }
  if (self.dtype() != product.dtype()) {
    refuse<dtype_error>(op, "found self of " + std::string(name_of(self.dtype())) + " and a product of " +
                                std::string(name_of(product.dtype())) + ", wanted one dtype; convert one with to()");
  }
  if (!is_floating(self.dtype()) && (is_floating(beta.type()) || is_floating(alpha.type()))) {
    refuse<dtype_error>(op, "found a floating factor of integers, wanted an integer");
  }
  if (is_sparse(self) && self.layout() != product.layout()) {
    refuse<layout_error>(op, "found self of layout " + std::string(name_of(self.layout())) +
                                 " for a product of layout " + std::string(name_of(product.layout())) +
                                 ", wanted that layout; " + conversion_to(product.layout(), "self") + " converts");
  }
  const tensor added = scaled(product, alpha);
  // A sparse result if self is sparse.
  const tensor result = is_sparse(self) || !is_sparse(added) ? added : to_dense(added);
  return beta.to_double() == 0 ? result : result + scaled(self, beta);
}

// One matrix with the examples' matrices on its diagonal.
tensor bmm(T self, T mat2) {
  const std::string_view op = aten::bmm.name();
  author::check_one_device(aten::bmm, self, mat2);
  if (self.layout() == layout::strided && mat2.layout() == layout::sparse_coo) {
    check_factors(op, self, mat2, 3);
    return contiguous(transpose(aten::bmm(transpose(mat2, 1, 2), transpose(self, 1, 2)), 1, 2));
  }
  check_layout(op, "argument 1 'self'", self, layout::sparse_coo);
  check_layout(op, "argument 2 'mat2'", mat2, layout::strided);
  check_factors(op, self, mat2, 3);
  if (sparse_dims_of(self) != 3 || self.sizes()[0] != mat2.sizes()[0]) {
    refuse<shape_error>(op, "found sizes " + to_string(self.sizes()) + " with " + std::to_string(sparse_dims_of(self)) +
                                " sparse dimensions and " + to_string(mat2.sizes()) +
                                ", wanted 3 sparse dimensions and the same number of matrices");
  }
  const tensor s = coalesced(self);
  const tensor& at = coo_parts(s).indices;
  const std::int64_t batch = self.sizes()[0], n = self.sizes()[1], m = self.sizes()[2], k = mat2.sizes()[2];
  const tensor row = select(at, 0, 0) * n + select(at, 0, 1), column = select(at, 0, 0) * m + select(at, 0, 2);
  const tensor product =
      known::spmm(offsets_of(row, batch * n, dtype::int64), column, values_of(s), reshape(mat2, {batch * m, k}));
  return reshape(product, {batch, n, k});
}

tensor linear(T input, T weight, const std::optional<tensor>& bias) {
  const std::string_view op = aten::linear.name();
  author::check_one_device(aten::linear, input, weight, bias);
  const bool biased = bias.has_value() && bias->defined();
  if (is_sparse(input)) {
    const tensor product = product_of(op, input, t(weight));
    if (biased && is_sparse(product)) {
      refuse<layout_error>(op,
                           "found a bias for the product of two sparse tensors, wanted none, or a strided input or "
                           "weight; to_dense(x) makes one");
    }
    return biased ? product + *bias : product;
  }
  check_layout(op, "argument 1 'input'", input, layout::strided);
  if (weight.dim() != 2 || input.dim() == 0 ||
      input.sizes()[static_cast<std::size_t>(input.dim() - 1)] != weight.sizes()[1]) {
    refuse<shape_error>(op, "found an input of sizes " + to_string(input.sizes()) + " and a weight of " +
                                to_string(weight.sizes()) + ", wanted [.., m] and [n, m]");
  }
  const std::int64_t m = weight.sizes()[1];
  const tensor flat = reshape(input, {m == 0 ? numel(input.sizes()) : input.numel() / m, m});
  shape sizes = input.sizes();
  sizes[sizes.size() - 1] = weight.sizes()[0];
  const tensor product = reshape(product_of(op, flat, t(weight)), sizes);
  return biased ? product + *bias : product;
}

tensor sampled_addmm(T self, T mat1, T mat2, const scalar& beta, const scalar& alpha) {
  const std::string_view op = aten::sparse_sampled_addmm.name();
  author::check_one_device(aten::sparse_sampled_addmm, self, mat1, mat2);
  check_sparse(op, self);
  check_layout(op, "argument 2 'mat1'", mat1, layout::strided);
  check_layout(op, "argument 3 'mat2'", mat2, layout::strided);
  check_factors(op, mat1, mat2, 2);
  if (sparse_dims_of(self) != self.dim()) {
    refuse<shape_error>(op,
                        "found a sparse tensor with dense dimensions, wanted all sparse; to_sparse(to_dense(x)) "
                        "makes one");
  }
  if (self.dim() != 2 || self.sizes()[0] != mat1.sizes()[0] || self.sizes()[1] != mat2.sizes()[1]) {
    refuse<shape_error>(op, "found sizes " + to_string(self.sizes()) + ", " + to_string(mat1.sizes()) + " and " +
                                to_string(mat2.sizes()) + ", wanted [n, m], [n, k] and [k, m]");
  }
  if (self.dtype() != mat1.dtype() || !is_floating(self.dtype())) {
    refuse<dtype_error>(op, "found " + std::string(name_of(self.dtype())) + " and " +
                                std::string(name_of(mat1.dtype())) + ", wanted one floating dtype");
  }
  const tensor s = coalesced(self);
  const bool by_columns = s.layout() == layout::sparse_csc;
  const line_parts lines = line_parts_of(s);
  const tensor left = by_columns ? t(mat2) : mat1, right = by_columns ? mat1 : t(mat2);
  const tensor product = scaled(known::sddmm(lines.compressed, lines.plain, left, right), alpha);
  return with_values(s, beta.to_double() == 0 ? product : scaled(values_of(s), beta) + product);
}

constexpr std::array reductions{std::string_view("sum"), std::string_view("mean"), std::string_view("amax"),
                                std::string_view("amin")};

tensor mm_reduce_kernel(T self, T other, std::string_view reduce) {
  const std::string_view op = mm_reduce.name();
  author::check_one_device(mm_reduce, self, other);
  check_sparse(op, self);
  check_layout(op, "argument 2 'other'", other, layout::strided);
  check_factors(op, self, other, 2);
  if (std::ranges::find(reductions, reduce) == reductions.end()) {
    refuse<error>(op, "found reduction '" + std::string(reduce) + "', wanted sum, mean, amax or amin");
  }
  if (!is_floating(self.dtype())) {
    refuse<dtype_error>(op, "found " + std::string(name_of(self.dtype())) + ", wanted a floating dtype");
  }
  const tensor s = csr_of(self);
  if (reduce == "sum") return rows_times(s, other);
  const compressed_payload& p = compressed_parts(s);
  return known::spmm_reduce(p.compressed, p.plain, values_of(s), other, reduce);
}

using author::row;

constexpr auto rows = joined_rows(rows_of<&mm, aten::mm>(), rows_of<&addmm, aten::addmm>(), rows_of<&bmm, aten::bmm>(),
                                  rows_of<&linear, aten::linear>(), writing_rows<aten::mm, aten::mm_out>(),
                                  writing_rows<aten::bmm, aten::bmm_out>(), writing_rows<aten::addmm, aten::addmm_>(),
                                  writing_rows<aten::addmm, aten::addmm_out>());
constexpr author::kernel_row own[] = {
    author::define(aten::sparse_sampled_addmm),
    author::define(aten::sparse_sampled_addmm_out),
    author::define(mm_reduce),
    row<&sampled_addmm>(aten::sparse_sampled_addmm, key::CompositeImplicitAutograd),
    row<&writing_form<aten::sparse_sampled_addmm, aten::sparse_sampled_addmm_out>::run>(aten::sparse_sampled_addmm_out,
                                                                                        key::CompositeExplicitAutograd),
    row<&author::counts_writes<aten::sparse_sampled_addmm_out>::run>(aten::sparse_sampled_addmm_out,
                                                                     key::ADInplaceOrView),
    row<&author::in_place_autograd<aten::sparse_sampled_addmm_out>::run>(aten::sparse_sampled_addmm_out, key::Autograd),
    row<&mm_reduce_kernel>(mm_reduce, key::CompositeImplicitAutograd),
};

}  // namespace

void register_product() {
  author::register_rows(rows);
  author::register_rows(own);
}

}  // namespace topbit::sparse
