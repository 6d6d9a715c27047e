// Softmax over the specified elements of rows, and sums of rows.
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
import :rows;

namespace topbit::sparse {

namespace {

// in_rows() of a matrix whose columns do not matter.
template <class F>
void over_rows(const tensor& compressed, std::int64_t entries, const F& f) {
  const tb_csr a{.compressed = compressed.data(),
                 .plain = nullptr,
                 .rows = compressed.sizes()[0] - 1,
                 .columns = 0,
                 .nnz = entries,
                 .index = code_of(compressed.dtype()),
                 .reserved = 0};
  in_rows(a, entries, f);
}

// A number of the row for each of its entries, along the dense dimensions of the values.
tensor lines_beside(const tensor& compressed, const tensor& values) {
  tensor lines = lines_of(compressed, values.sizes()[0]);
  for (std::int64_t d = 1; d < values.dim(); ++d) lines = topbit::unsqueeze(lines, -1);
  return expand(lines, values.sizes());
}

shape row_sizes(const tensor& compressed, const tensor& values) {
  shape sizes = values.sizes();
  sizes[0] = compressed.sizes()[0] - 1;
  return sizes;
}

tensor row_sums(const tensor& compressed, const tensor& values) {
  author::check_one_device(row_sums_op, compressed, values);
  check_line_parts(row_sums_op.name(), compressed, values);
  const dtype type = is_floating(values.dtype()) ? values.dtype() : dtype::int64;
  const shape sizes = row_sizes(compressed, values);
  if (!has_elements(values)) return author::make_tensor(sizes, type, values.device());
  if (!on_host(values)) {
    const dtype wide = sum_type(type);
    const tensor lines = lines_of(compressed, values.sizes()[0]);
    return to(index_add(zeros_of(sizes, wide, values.device()), 0, lines, to(values, wide)), type);
  }
  const tensor offsets = contiguous(compressed), held = contiguous(values), out = author::make_tensor(sizes, type, cpu);
  const std::int64_t entries = values.sizes()[0];
  const tb_row_sum call{.compressed = offsets.data(),
                        .values = held.data(),
                        .out = out.data(),
                        .inner = numel(shape(std::span<const std::int64_t>(sizes).subspan(1))),
                        .index = code_of(offsets.dtype()),
                        .dtype = code_of(values.dtype()),
                        .out_dtype = code_of(type),
                        .reserved = 0};
  over_rows(offsets, entries, [&](std::int64_t begin, std::int64_t end) { kernels().row_sum(&call, begin, end); });
  return out;
}

struct row_sums_rule {
  saved_tensor compressed;
  std::int64_t entries;
  static row_sums_rule save(const tensor& compressed, const tensor& values, const tensor&) {
    return {saved_indices(compressed), values.sizes()[0]};
  }
  std::array<tensor, 2> backward(const tensor& g, std::array<bool, 2>) const {
    return {tensor(), index_select(g, 0, lines_of(compressed.get(), entries))};
  }
};

tensor rows_at(const tensor& self, const tensor& positions) {
  constexpr std::string_view op = rows_at_op.name();
  check_layout(op, "self", self, layout::strided);
  check_part(op, "positions", positions, 1);
  if (self.dim() == 0) refuse<shape_error>(op, "found a zero-dimensional self, wanted a dimension for the rows");
  return index_select(self, 0, positions);
}

struct rows_at_rule {
  saved_tensor positions;
  std::int64_t rows;
  static rows_at_rule save(const tensor& self, const tensor& positions, const tensor&) {
    return {saved_tensor(positions), self.sizes()[0]};
  }
  std::array<tensor, 2> backward(const tensor& g, std::array<bool, 2>) const {
    return {sums_at(positions.get(), g, rows), tensor()};
  }
};

tensor softmax_by_operators(const tensor& compressed, const tensor& values, bool log) {
  const dtype type = sum_type(values.dtype());
  const tensor x = to(values, type), lines = lines_beside(compressed, values);
  const tensor none = zeros_of(row_sizes(compressed, values), type, values.device());
  const tensor greatest = aten::scatter_reduce_two(none, 0, lines, x, "amax", false);
  const tensor shifted = x - gather(greatest, 0, lines), powers = exp(shifted);
  const tensor sums = gather(scatter_add(none, 0, lines, powers), 0, lines);
  return to(log ? shifted - topbit::log(sums) : powers / sums, values.dtype());
}

// The softmax of values, or with its result as values its gradient.
tensor softmax_by_kernel(const tensor& compressed, const tensor& values, const tensor& grad, bool log) {
  const tensor offsets = contiguous(compressed), held = contiguous(values),
               g = grad.defined() ? contiguous(grad) : grad;
  const tensor out = author::make_tensor(values.sizes(), values.dtype(), cpu);
  const tb_row_softmax call{.compressed = offsets.data(),
                            .values = held.data(),
                            .grad = g.defined() ? g.data() : nullptr,
                            .out = out.data(),
                            .index = code_of(offsets.dtype()),
                            .dtype = code_of(values.dtype()),
                            .log = log ? 1 : 0,
                            .reserved = 0};
  const auto kernel = g.defined() ? kernels().row_softmax_backward : kernels().row_softmax;
  over_rows(offsets, values.sizes()[0], [&](std::int64_t begin, std::int64_t end) { kernel(&call, begin, end); });
  return out;
}

tensor row_softmax(const tensor& compressed, const tensor& values, bool log) {
  author::check_one_device(row_softmax_op, compressed, values);
  check_line_parts(row_softmax_op.name(), compressed, values);
  check_floating(row_softmax_op.name(), "values", values);
  if (!has_elements(values)) return author::make_tensor(values.sizes(), values.dtype(), values.device());
  if (!on_host(values) || values.dim() != 1) return softmax_by_operators(compressed, values, log);
  return softmax_by_kernel(compressed, values, {}, log);
}

struct row_softmax_rule {
  saved_tensor compressed;
  saved_result result;
  bool log;
  static row_softmax_rule save(const tensor& compressed, const tensor&, bool log, const tensor& r) {
    return {saved_indices(compressed), saved_result(r), log};
  }
  std::array<tensor, 2> backward(const tensor& g, std::array<bool, 2>) const {
    const tensor offsets = compressed.get(), y = result.get();
    if (on_host(y) && y.dim() == 1 && !recorded(g, y)) return {tensor(), softmax_by_kernel(offsets, y, g, log)};
    const tensor lines = lines_of(offsets, y.sizes()[0]);
    const auto sum_beside = [&](const tensor& x) { return index_select(known::row_sums(offsets, x), 0, lines); };
    return {tensor(), log ? g - exp(y) * sum_beside(g) : y * (g - sum_beside(g * y))};
  }
};

// The entries of a coalesced tensor in an order in which those that differ in dimension `dim` alone are together.
struct lines_along {
  tensor compressed;
  tensor order;  // undefined: the order that they have

  lines_along(const tensor& s, std::int64_t dim) {
    const tensor& indices = coo_parts(s).indices;
    const std::int64_t dims = indices.sizes()[0];
    shape sizes = sparse_sizes(s);
    if (dims == 2 && dim == 1 && !is_hypersparse(sizes[0], entries_of(s))) {
      compressed = offsets_of(select(indices, 0, 0), sizes[0], dtype::int64);
      return;
    }
    sizes.erase(static_cast<std::size_t>(dim));
    const tensor others = cat(std::array{narrow(indices, 0, 0, dim), narrow(indices, 0, dim + 1, dims - dim - 1)}, 0);
    const sorted_places places = sort_places(others, sizes);
    tensor groups = places.groups;
    if (dim != dims - 1) {
      order = argsort(groups, arg<"stable"> = true, arg<"dim"> = 0, arg<"descending"> = false);
      groups = index_select(groups, 0, order);
    }
    compressed = offsets_of(groups, places.indices.sizes()[1], dtype::int64);
  }
};

template <const auto& Op, bool Log>
tensor softmax(const tensor& self, std::int64_t given_dim, bool half_to_float) {
  constexpr std::string_view op = Op.name();
  check_sparse(op, self);
  const std::int64_t dim = wrapped_dim(op, given_dim, self.dim());
  if (!is_floating(self.dtype()) || (half_to_float && !is_half(self.dtype()))) {
    refuse<dtype_error>(op, "found " + std::string(name_of(self.dtype())) +
                                (half_to_float ? ", wanted float16 or bfloat16 for half_to_float=True"
                                               : ", wanted a floating dtype; convert it with to()"));
  }
  const auto computed = [&](const tensor& s) {
    return half_to_float ? to(values_of(s), dtype::float32) : values_of(s);
  };
  if (is_compressed(self)) {
    const bool by_lines = (dim == 1) == (self.layout() == layout::sparse_csr);
    if (by_lines) return with_values(self, known::row_softmax(compressed_parts(self).compressed, computed(self), Log));
    const bool is_csr = self.layout() == layout::sparse_csr;
    const tensor across = Op(is_csr ? csc_of(self) : csr_of(self), dim, half_to_float);
    return is_csr ? csr_of(across) : csc_of(across);
  }
  const tensor s = coalesced(self), values = computed(s);
  if (dim >= sparse_dims_of(s)) return with_values(s, Op(values, dim - sparse_dims_of(s) + 1, false));
  if (s.dim() == 2 && sparse_dims_of(s) == 2 && dim == 0 &&
      !is_hypersparse(s.sizes()[0] + s.sizes()[1], entries_of(s))) {
    // The entries of a CSR matrix have the order of those of s.
    return with_values(s, values_of(Op(csr_of(s), 0, half_to_float)));
  }
  const lines_along lines(s, dim);
  if (!lines.order.defined()) return with_values(s, known::row_softmax(lines.compressed, values, Log));
  const tensor moved = known::row_softmax(lines.compressed, index_select(values, 0, lines.order), Log);
  const tensor numbers = arange(entries_of(s), arg<"dtype"> = dtype::int64, arg<"device"> = s.device());
  return with_values(s, index_select(moved, 0, index_copy(zeros_like(numbers), 0, lines.order, numbers)));
}

using author::autograd_kernel;
using author::define;
using author::row;

constexpr author::kernel_row own[] = {
    define(row_sums_op),
    row<&row_sums>(row_sums_op, key::CompositeExplicitAutograd),
    row<&autograd_kernel<row_sums_op, row_sums_rule>::run>(row_sums_op, key::Autograd),
    define(rows_at_op),
    row<&rows_at>(rows_at_op, key::CompositeExplicitAutograd),
    row<&autograd_kernel<rows_at_op, rows_at_rule>::run>(rows_at_op, key::Autograd),
    define(row_softmax_op),
    row<&row_softmax>(row_softmax_op, key::CompositeExplicitAutograd),
    row<&autograd_kernel<row_softmax_op, row_softmax_rule>::run>(row_softmax_op, key::Autograd),
};
constexpr auto rows = joined_rows(rows_of<&softmax<aten::_softmax, false>, aten::_softmax>(),
                                  rows_of<&softmax<aten::_log_softmax, true>, aten::_log_softmax>(),
                                  writing_rows<aten::_softmax, aten::_softmax_out>(),
                                  writing_rows<aten::_log_softmax, aten::_log_softmax_out>());

}  // namespace

void register_softmax() {
  author::register_rows(own);
  author::register_rows(rows);
}

}  // namespace topbit::sparse
