// Reductions of sparse tensors. Unspecified elements count as zeros.
//
// A result is sparse if sparse dimensions are left, and strided otherwise. With keepdim=False that of a compressed
// matrix is always strided: a row's number, or all there is.
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
import :rows;

namespace topbit::sparse {

namespace {

using integers = std::span<const std::int64_t>;
using dim_list = std::optional<integers>;
using optional_dtype = std::optional<dtype>;

// The dimensions that an operator reduces.
struct reduced_dims {
  std::vector<bool> reduced;
  std::int64_t sparse = 0, reduced_sparse = 0;
  shape dense;  // as dimensions of the values

  reduced_dims(std::string_view op, const tensor& s, const dim_list& dims)
      : reduced(s.sizes().size(), !dims.has_value() || dims->empty()), sparse(sparse_dims_of(s)) {
    if (dims.has_value()) {
      for (std::int64_t d : *dims) {
        if (s.dim() == 0 && (d == 0 || d == -1)) continue;
        const std::int64_t dim = wrapped_dim(op, d, s.dim());
        if (reduced[static_cast<std::size_t>(dim)]) {
          refuse<shape_error>(op, "found dimension " + std::to_string(d) + " twice, wanted each once");
        }
        reduced[static_cast<std::size_t>(dim)] = true;
      }
    }
    for (std::int64_t d = 0; d < s.dim(); ++d) {
      if (!has(d)) continue;
      if (d < sparse)
        ++reduced_sparse;
      else
        dense.push_back(d - sparse + 1);
    }
  }
  bool has(std::int64_t dim) const { return reduced[static_cast<std::size_t>(dim)]; }
  bool all() const { return std::ranges::find(reduced, false) == reduced.end(); }
  // Whether no sparse dimension is left. Without any, entries at the one place stay apart unless all is reduced.
  bool reduces_entries() const { return reduced_sparse == sparse && (sparse > 0 || all()); }

  shape result_sizes(const shape& sizes, bool keepdim) const {
    shape out;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (!reduced[d])
        out.push_back(sizes[d]);
      else if (keepdim)
        out.push_back(1);
    }
    return out;
  }
  // Of the values when entries are reduced, too.
  shape with_entries() const {
    shape dims{0};
    for (std::int64_t d : dense) dims.push_back(d);
    return dims;
  }
};

// The rows of the indices of dimensions that are left.
tensor other_indices(const tensor& s, const reduced_dims& dims) {
  std::vector<tensor> rows;
  const tensor& indices = coo_parts(s).indices;
  for (std::int64_t d = 0; d < dims.sparse; ++d) {
    if (!dims.has(d)) rows.push_back(select(indices, 0, d));
  }
  return stack(rows, 0);
}
// With rows of zeros for the reduced ones, of size 1.
tensor with_kept_dims(const tensor& indices, const reduced_dims& dims) {
  std::vector<tensor> rows;
  const tensor zero_row = zeros_of({indices.sizes()[1]}, dtype::int64, indices.device());
  std::int64_t next = 0;
  for (std::int64_t d = 0; d < dims.sparse; ++d) rows.push_back(dims.has(d) ? zero_row : select(indices, 0, next++));
  return stack(rows, 0);
}

// The reduction of s from that of its COO form.
tensor in_layout_of(const tensor& s, const tensor& reduced, bool keepdim) {
  if (!is_compressed(s) || !is_sparse(reduced)) return reduced;
  if (!keepdim) return to_dense(reduced);
  return s.layout() == layout::sparse_csr ? csr_of(reduced) : csc_of(reduced);
}

// ---- Sums

constexpr dtype summed(dtype type) noexcept { return is_floating(type) ? type : dtype::int64; }

tensor sum_coo(const tensor& s, const reduced_dims& dims, bool keepdim, dtype type) {
  const shape sizes = dims.result_sizes(s.sizes(), keepdim);
  if (dims.reduces_entries()) {
    return reshape(sum(values_of(s), dims.with_entries(), false, arg<"dtype"> = type), sizes);
  }
  const tensor values =
      dims.dense.empty() ? to(values_of(s), type) : sum(values_of(s), dims.dense, keepdim, arg<"dtype"> = type);
  const coo_payload& p = coo_parts(s);
  if (dims.reduced_sparse == 0) return coo_of(p.indices, values, sizes, p.coalesced);
  const tensor indices = other_indices(s, dims);
  return coo_of(keepdim ? with_kept_dims(indices, dims) : indices, values, sizes, false);
}

// The sums of rows or columns: a strided vector.
tensor sum_lines(const tensor& s, std::int64_t dim, dtype type) {
  const compressed_payload& p = compressed_parts(s);
  const tensor values = type == summed(s.dtype()) ? values_of(s) : to(values_of(s), type);
  if ((dim == 1) == (s.layout() == layout::sparse_csr)) return to(known::row_sums(p.compressed, values), type);
  return sums_at(p.plain, to(values, type), s.sizes()[dim == 0 ? 1 : 0]);
}

tensor sum_over(std::string_view op, const tensor& self, const dim_list& given, bool keepdim, optional_dtype wanted) {
  check_sparse(op, self);
  const reduced_dims dims(op, self, given);
  const dtype type = wanted.value_or(summed(self.dtype()));
  if (type == dtype::boolean) refuse<dtype_error>(op, "found dtype bool, wanted a number");
  const tensor s = convertible(self, type);
  if (!is_compressed(s)) return sum_coo(s, dims, keepdim, type);
  if (dims.all() || keepdim || dims.reduced_sparse == 0)
    return in_layout_of(s, sum_coo(coo_from(s), dims, keepdim, type), keepdim || dims.reduced_sparse == 0);
  return sum_lines(s, dims.has(1) ? 1 : 0, type);
}

tensor sum_all(const tensor& self, optional_dtype type) {
  return sum_over(aten::sum.name(), self, std::nullopt, false, type);
}
tensor sum_dims(const tensor& self, dim_list dims, bool keepdim, optional_dtype type) {
  return sum_over(aten::sum_dim_IntList.name(), self, dims, keepdim, type);
}

// ---- Whether any element is not zero

tensor any_all(const tensor& self) {
  check_sparse(aten::any.name(), self);
  return any(values_of(coalesced(self)));
}
tensor any_along(const tensor& self, std::int64_t dim, bool keepdim) {
  constexpr std::string_view op = aten::any_dim.name();
  check_sparse(op, self);
  const tensor s = coalesced(coo_from(self));
  const reduced_dims dims(op, s, integers(&dim, 1));
  const shape sizes = dims.result_sizes(s.sizes(), keepdim);
  const dtype type = self.dtype() == dtype::uint8 ? dtype::uint8 : dtype::boolean;
  const tensor truths = ne(values_of(s), 0);
  if (dims.reduces_entries()) return to(reshape(any(truths, 0), sizes), type);
  const tensor values = dims.dense.empty() ? truths : any(truths, dims.dense[0]);
  const tensor indices = dims.dense.empty() ? other_indices(s, dims) : coo_parts(s).indices;
  const shape left = dims.result_sizes(s.sizes(), false);
  return to(reshape(to_dense(coo_of(indices, values, left, !dims.dense.empty())), sizes), type);
}

// ---- Extremes

// The extreme of m and an unspecified zero, where `incomplete` is true.
tensor beside_zero(const tensor& m, const tensor& incomplete, bool greatest) {
  return where(logical_and(incomplete, greatest ? lt(m, 0) : gt(m, 0)), 0, m);
}

tensor extreme_coo(const tensor& s, const reduced_dims& dims, bool keepdim, bool greatest) {
  const auto extreme = [&](const tensor& x, const shape& over, bool keep) {
    return greatest ? amax(x, over, keep) : amin(x, over, keep);
  };
  const shape sizes = dims.result_sizes(s.sizes(), keepdim);
  const std::int64_t entries = entries_of(s);
  const integers all(s.sizes());
  const tensor held = values_of(s);
  const tensor values = dims.dense.empty() ? held : extreme(held, dims.dense, keepdim);
  if (dims.reduces_entries()) {
    if (entries == 0) return zeros_of(sizes, s.dtype(), s.device());
    const tensor found = extreme(values, {0}, false);
    if (entries == numel(sparse_sizes(s))) return reshape(found, sizes);
    return reshape(beside_zero(found, ones_like(found, arg<"dtype"> = dtype::boolean), greatest), sizes);
  }
  if (dims.reduced_sparse == 0) return coo_of(coo_parts(s).indices, values, sizes, true);
  shape left;
  std::int64_t elements = 1;
  for (std::int64_t d = 0; d < dims.sparse; ++d) {
    const std::int64_t size = all[static_cast<std::size_t>(d)];
    if (dims.has(d))
      elements *= size;
    else
      left.push_back(size);
  }
  const sorted_places places = sort_places(other_indices(s, dims), left);
  const std::int64_t count = places.indices.sizes()[1];
  tensor groups = places.groups;
  const tensor none = zeros_of({count}, dtype::int64, s.device());
  tensor incomplete = lt(scatter_add(none, 0, groups, ones_like(groups)), elements);
  for (std::int64_t d = 1; d < values.dim(); ++d) {
    groups = topbit::unsqueeze(groups, -1);
    incomplete = topbit::unsqueeze(incomplete, -1);
  }
  shape reduced_sizes = values.sizes();
  reduced_sizes[0] = count;
  const tensor found =
      aten::scatter_reduce_two(zeros_of(reduced_sizes, s.dtype(), s.device()), 0, expand(groups, values.sizes()),
                               values, greatest ? "amax" : "amin", false);
  return coo_of(keepdim ? with_kept_dims(places.indices, dims) : places.indices,
                beside_zero(found, incomplete, greatest), sizes, true);
}

template <const auto& Op, bool Greatest>
tensor extreme(const tensor& self, integers given, bool keepdim) {
  constexpr std::string_view op = Op.name();
  check_sparse(op, self);
  const reduced_dims dims(op, self, given);
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (dims.has(d) && self.sizes()[static_cast<std::size_t>(d)] == 0) {
      refuse<shape_error>(op, "found sizes " + to_string(self.sizes()) + ", wanted at least one element to reduce");
    }
  }
  return in_layout_of(self, extreme_coo(coalesced(coo_from(self)), dims, keepdim, Greatest), keepdim);
}

// ---- Norms

// x^(1/p), with gradient 0 where x is 0, as that of norms of strided tensors.
tensor root_of(const tensor& x, double p) {
  if (is_sparse(x)) {
    const tensor s = coalesced(x);
    return with_values(s, root_of(values_of(s), p));
  }
  const tensor none = eq(x, 0);
  return where(none, 0, pow(where(none, 1, x), 1 / p));
}

tensor norm_along(const tensor& s, double p, const shape& dims, bool keepdim) {
  if (p == std::numeric_limits<double>::infinity()) return amax(abs(s), dims, keepdim);
  if (p == 0) return sum(with_values(s, to(ne(values_of(s), 0), s.dtype())), dims, keepdim);
  if (p == 1) return sum(abs(s), dims, keepdim);
  if (p == 2) return root_of(sum(square(s), dims, keepdim), 2);
  return root_of(sum(pow(abs(s), p), dims, keepdim), p);
}

tensor norm_over(std::string_view op, const tensor& self, const std::optional<scalar>& order, const dim_list& given,
                 bool keepdim, optional_dtype wanted) {
  check_sparse(op, self);
  const reduced_dims dims(op, self, given);
  const dtype type = wanted.value_or(self.dtype());
  if (!is_floating(self.dtype()) || !is_floating(type) || promote(self.dtype(), type) != type) {
    refuse<dtype_error>(op, "found " + std::string(name_of(self.dtype())) + " and dtype " + std::string(name_of(type)) +
                                ", wanted floating dtypes, the second of which holds the "
                                "first");
  }
  const double p = order.value_or(2).to_double();
  if (!(p >= 0)) {
    refuse<layout_error>(op, "found order " + std::to_string(p) +
                                 " of a sparse tensor, wanted 0 or more: zeros count; " + "to_dense(x) takes any");
  }
  const tensor s = coalesced(self);
  if (!dims.all()) {
    // Squares may overflow in the dtype that the norm has.
    const tensor wide = with_values(s, to(values_of(s), dtype::float64));
    return to(norm_along(wide, p, shape(*given), keepdim), type);
  }
  const shape sizes = dims.result_sizes(s.sizes(), keepdim);
  if (entries_of(s) == 0) return zeros_of(sizes, type, s.device());
  return reshape(linalg_vector_norm(values_of(s), p, std::nullopt, false, arg<"dtype"> = type), sizes);
}

tensor norm_all(const tensor& self, const scalar& p) {
  return norm_over(aten::norm_Scalar.name(), self, p, std::nullopt, false, std::nullopt);
}
tensor norm_all_in(const tensor& self, const std::optional<scalar>& p, dtype type) {
  return norm_over(aten::norm_ScalarOpt_dtype.name(), self, p, std::nullopt, false, type);
}
tensor norm_dims(const tensor& self, const std::optional<scalar>& p, integers dims, bool keepdim) {
  return norm_over(aten::norm_ScalarOpt_dim.name(), self, p, dims, keepdim, std::nullopt);
}
tensor norm_dims_in(const tensor& self, const std::optional<scalar>& p, integers dims, bool keepdim, dtype type) {
  return norm_over(aten::norm_ScalarOpt_dim_dtype.name(), self, p, dims, keepdim, type);
}
tensor vector_norm(const tensor& self, const scalar& p, dim_list dims, bool keepdim, optional_dtype type) {
  return norm_over(aten::linalg_vector_norm.name(), self, p, dims, keepdim, type);
}

constexpr auto rows = joined_rows(
    rows_of<&sum_all, aten::sum>(), rows_of<&sum_dims, aten::sum_dim_IntList>(),
    writing_rows<aten::sum_dim_IntList, aten::sum_IntList_out>(), rows_of<&any_all, aten::any>(),
    rows_of<&any_along, aten::any_dim>(), writing_rows<aten::any, aten::any_all_out>(),
    writing_rows<aten::any_dim, aten::any_out>(), rows_of<&extreme<aten::amax, true>, aten::amax>(),
    rows_of<&extreme<aten::amin, false>, aten::amin>(), writing_rows<aten::amax, aten::amax_out>(),
    writing_rows<aten::amin, aten::amin_out>(), rows_of<&norm_all, aten::norm_Scalar>(),
    rows_of<&norm_all_in, aten::norm_ScalarOpt_dtype>(), rows_of<&norm_dims, aten::norm_ScalarOpt_dim>(),
    rows_of<&norm_dims_in, aten::norm_ScalarOpt_dim_dtype>(), rows_of<&vector_norm, aten::linalg_vector_norm>(),
    writing_rows<aten::norm_ScalarOpt_dim, aten::norm_out>(),
    writing_rows<aten::linalg_vector_norm, aten::linalg_vector_norm_out>());

}  // namespace

void register_reduce() { author::register_rows(rows); }

}  // namespace topbit::sparse
