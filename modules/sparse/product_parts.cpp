// Products of the parts of a sparse matrix with strided matrices, and their gradients, which are such products again.
module;

#include "sparse_kernels.h"

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :checks;
import :kernels;
import :known_indices;
import :patterns;
import :product;
import :registrations;

namespace topbit::sparse {

namespace {

using T = const tensor&;

tensor entry_products(T plain, T values, T dense) {
  const dtype type = sum_type(values.dtype());
  return unsqueeze(to(values, type), 1) * index_select(to(dense, type), 0, plain);
}

tensor sums_by_operators(T compressed, T plain, T values, T dense) {
  const shape sizes{compressed.sizes()[0] - 1, dense.sizes()[1]};
  const tensor none = zeros_of(sizes, sum_type(values.dtype()), values.device());
  const tensor lines = lines_of(compressed, plain.sizes()[0]);
  return to(index_add(none, 0, lines, entry_products(plain, values, dense)), values.dtype());
}

tb_spmm product_of(T compressed, T plain, T values, T dense, T out) {
  return {.a = csr_view(compressed, plain, dense.sizes()[0]),
          .values = values.data(),
          .dense = dense.data(),
          .out = out.data(),
          .n = dense.sizes()[1],
          .dense_step = dense.sizes()[1],
          .out_step = dense.sizes()[1],
          .dtype = code_of(values.dtype()),
          .reserved = 0};
}

// The parts of a product with `dense`.
void check_product(std::string_view op, T compressed, T plain, T values, T dense) {
  check_part(op, "dense", dense, 2);
  check_indices(op, parts_words, compressed, plain, dense.sizes()[0]);
  check_entries(op, parts_words, plain, "values", values);
  check_one_dtype(op, "values", values, "dense", dense);
  check_sizes(op, {compressed.sizes()[0] - 1, dense.sizes()[1]});
}

tensor spmm(T compressed, T plain, T values, T dense) {
  author::check_one_device(spmm_op, compressed, plain, values, dense);
  check_product(spmm_op.name(), compressed, plain, values, dense);
  const std::int64_t rows = compressed.sizes()[0] - 1, entries = plain.sizes()[0], n = dense.sizes()[1];
  if (!has_elements(values)) return author::make_tensor({rows, n}, values.dtype(), values.device());
  if (on_host(values)) {
    const tensor offsets = contiguous(compressed), columns = contiguous(plain), held = contiguous(values),
                 right = contiguous(dense), out = author::make_tensor({rows, n}, values.dtype(), cpu);
    const tb_spmm call = product_of(offsets, columns, held, right, out);
    in_rows(call.a, (entries + rows) * n, [&](std::int64_t b, std::int64_t e) { kernels().spmm(&call, b, e); });
    return out;
  }
  return sums_by_operators(compressed, plain, values, dense);
}

tensor sddmm(T compressed, T plain, T left, T right) {
  constexpr std::string_view op = sddmm_op.name();
  author::check_one_device(sddmm_op, compressed, plain, left, right);
  check_part(op, "left", left, 2);
  check_part(op, "right", right, 2);
  check_indices(op, parts_words, compressed, plain, right.sizes()[0]);
  check_one_dtype(op, "left", left, "right", right);
  if (left.sizes()[0] != compressed.sizes()[0] - 1 || left.sizes()[1] != right.sizes()[1]) {
    refuse<shape_error>(op, "found left " + to_string(left.sizes()) + " and right " + to_string(right.sizes()) +
                                " for " + std::to_string(compressed.sizes()[0] - 1) +
                                " rows, wanted [rows, k] and [columns, k]");
  }
  const std::int64_t entries = plain.sizes()[0], rows = compressed.sizes()[0] - 1, k = left.sizes()[1];
  if (!has_elements(left)) return author::make_tensor({entries}, left.dtype(), left.device());
  if (on_host(left)) {
    const tensor offsets = contiguous(compressed), columns = contiguous(plain), rows_left = contiguous(left),
                 rows_right = contiguous(right), out = author::make_tensor({entries}, left.dtype(), cpu);
    const tb_sddmm call{.a = csr_view(offsets, columns, right.sizes()[0]),
                        .left = rows_left.data(),
                        .right = rows_right.data(),
                        .out = out.data(),
                        .k = k,
                        .left_step = k,
                        .right_step = k,
                        .dtype = code_of(left.dtype()),
                        .reserved = 0};
    in_rows(call.a, (entries + rows) * std::max<std::int64_t>(k, 1),
            [&](std::int64_t b, std::int64_t e) { kernels().sddmm(&call, b, e); });
    return out;
  }
  const dtype type = sum_type(left.dtype());
  const tensor factors = index_select(to(left, type), 0, lines_of(compressed, entries));
  return to(sum(factors * index_select(to(right, type), 0, plain), 1, false, arg<"dtype"> = type), left.dtype());
}

tb_spmm_op code_of_reduction(std::string_view name) {
  if (name == "mean") return TB_SPMM_MEAN;
  if (name == "amax") return TB_SPMM_AMAX;
  if (name == "amin") return TB_SPMM_AMIN;
  refuse<error>(spmm_reduce_op.name(), "found reduction '" + std::string(name) + "', wanted mean, amax or amin");
}

// 1 / the number of entries of each row, as a column; 1 for rows without.
tensor inverse_counts(T compressed, dtype type) {
  const std::int64_t rows = compressed.sizes()[0] - 1;
  const tensor counts = narrow(compressed, 0, 1, rows) - narrow(compressed, 0, 0, rows);
  return unsqueeze(reciprocal(to(clamp_min(counts, 1), type)), 1);
}

using two_tensors = std::tuple<tensor, tensor>;

two_tensors reduce_by_operators(T compressed, T plain, T values, T dense, std::string_view reduce) {
  const device where = values.device();
  const std::int64_t entries = plain.sizes()[0];
  const shape sizes{compressed.sizes()[0] - 1, dense.sizes()[1]};
  if (reduce == "mean") {
    const dtype type = sum_type(values.dtype());
    const tensor sums = sums_by_operators(compressed, plain, to(values, type), to(dense, type));
    return {to(sums * inverse_counts(compressed, type), values.dtype()), zeros_of({0}, dtype::int64, where)};
  }
  const tensor products = entry_products(plain, values, dense);
  const tensor lines = unsqueeze(lines_of(compressed, entries), 1);
  const tensor rows = expand(lines, products.sizes());
  const tensor none = zeros_of(sizes, products.dtype(), where);
  const tensor best = scatter_reduce(none, 0, rows, products, reduce, arg<"include_self"> = false);
  // The first entry with this product.
  const tensor reached = gather(best, 0, rows);
  const tensor equals = logical_or(eq(products, reached), logical_and(isnan(products), isnan(reached)));
  const tensor numbers = arange(entries, arg<"dtype"> = dtype::int64, arg<"device"> = where);
  const tensor last = zeros_of(sizes, dtype::int64, where) + entries;
  const tensor candidates = topbit::where(equals, unsqueeze(numbers, 1), entries);
  const tensor first = scatter_reduce(last, 0, rows, candidates, "amin");
  return {to(best, values.dtype()), topbit::where(lt(first, entries), first, -1)};
}

two_tensors spmm_reduce(T compressed, T plain, T values, T dense, std::string_view reduce) {
  author::check_one_device(spmm_reduce_op, compressed, plain, values, dense);
  const tb_spmm_op how = code_of_reduction(reduce);
  check_product(spmm_reduce_op.name(), compressed, plain, values, dense);
  check_floating(spmm_reduce_op.name(), "values", values);
  const std::int64_t rows = compressed.sizes()[0] - 1, n = dense.sizes()[1];
  const shape sizes{rows, n}, chosen_sizes = how == TB_SPMM_MEAN ? shape{0} : sizes;
  const device where = values.device();
  if (!has_elements(values)) {
    return {author::make_tensor(sizes, values.dtype(), where), author::make_tensor(chosen_sizes, dtype::int64, where)};
  }
  if (!on_host(values)) return reduce_by_operators(compressed, plain, values, dense, reduce);
  const tensor offsets = contiguous(compressed), along = contiguous(plain), held = contiguous(values);
  const tensor right = contiguous(dense), out = author::make_tensor(sizes, values.dtype(), cpu);
  const tensor chosen = author::make_tensor(chosen_sizes, dtype::int64, cpu);
  if (n == 0) return {out, chosen};
  const tb_spmm_reduce call{.product = product_of(offsets, along, held, right, out),
                            .arg = how == TB_SPMM_MEAN ? nullptr : chosen.data_ptr<std::int64_t>(),
                            .op = how,
                            .reserved = 0};
  in_rows(call.product.a, (call.product.a.nnz + rows) * n,
          [&](std::int64_t begin, std::int64_t end) { kernels().spmm_reduce(&call, begin, end); });
  return {out, chosen};
}

// The product with the transpose.
tensor transposed_spmm(T compressed, T plain, T values, T dense, std::int64_t columns) {
  const transposed_parts t = transpose_parts(compressed, plain, values, columns);
  return known::spmm(t.compressed, t.plain, t.values, dense);
}

struct spmm_rule {
  saved_tensor compressed, plain, values, dense;
  std::int64_t columns;
  static spmm_rule save(T compressed, T plain, T values, T dense, T) {
    return {saved_indices(compressed), saved_indices(plain), saved_tensor(values), saved_tensor(dense),
            dense.sizes()[0]};
  }
  std::array<tensor, 4> backward(T g, std::array<bool, 4> wanted) const {
    const tensor c = compressed.get(), p = plain.get();
    return {tensor(), tensor(), wanted[2] ? known::sddmm(c, p, g, dense.get()) : tensor(),
            wanted[3] ? transposed_spmm(c, p, values.get(), g, columns) : tensor()};
  }
};

struct sddmm_rule {
  saved_tensor compressed, plain, left, right;
  static sddmm_rule save(T compressed, T plain, T left, T right, T) {
    return {saved_indices(compressed), saved_indices(plain), saved_tensor(left), saved_tensor(right)};
  }
  std::array<tensor, 4> backward(T g, std::array<bool, 4> wanted) const {
    const tensor c = compressed.get(), p = plain.get(), l = left.get(), r = right.get();
    return {tensor(), tensor(), wanted[2] ? known::spmm(c, p, g, r) : tensor(),
            wanted[3] ? transposed_spmm(c, p, g, l, r.sizes()[0]) : tensor()};
  }
};

struct spmm_reduce_rule {
  saved_tensor compressed, plain, values, dense;
  saved_result entries;
  bool mean;
  static spmm_reduce_rule save(T compressed, T plain, T values, T dense, std::string_view reduce,
                               const two_tensors& r) {
    return {saved_indices(compressed),       saved_indices(plain), saved_tensor(values), saved_tensor(dense),
            saved_result(std::get<1>(r), 1), reduce == "mean"};
  }
  std::array<tensor, 4> backward(const std::array<tensor, 2>& gradients, std::array<bool, 4> wanted) const {
    T g = gradients[0];
    if (!g.defined()) return {};
    std::array<tensor, 4> out;
    const tensor held = values.get(), right = dense.get(), along = plain.get();
    if (mean) {
      const tensor scaled = g * inverse_counts(compressed.get(), g.dtype());
      if (wanted[2]) out[2] = known::sddmm(compressed.get(), along, scaled, right);
      if (wanted[3]) out[3] = transposed_spmm(compressed.get(), along, held, scaled, right.sizes()[0]);
      return out;
    }
    if (held.sizes()[0] == 0) return {tensor(), tensor(), zeros_like(held), zeros_like(right)};
    // An element comes from one entry and one element of dense; those of empty rows from none.
    const tensor chosen = entries.get();
    const shape all{chosen.numel()};
    const tensor g_of = reshape(topbit::where(ge(chosen, 0), g, 0), all);
    const tensor entry = reshape(clamp_min(chosen, 0), all);
    const tensor column = arange(right.sizes()[1], arg<"dtype"> = dtype::int64, arg<"device"> = g.device());
    const tensor element = reshape(
        reshape(to(index_select(along, 0, entry), dtype::int64), chosen.sizes()) * right.sizes()[1] + column, all);
    const shape flat{right.numel()};
    if (wanted[2]) {
      const tensor met = index_select(reshape(right, flat), 0, element);
      out[2] = sums_at(entry, g_of * met, held.sizes()[0]);
    }
    if (wanted[3]) {
      const tensor met = index_select(held, 0, entry);
      out[3] = reshape(sums_at(element, g_of * met, right.numel()), right.sizes());
    }
    return out;
  }
};

constexpr author::kernel_row rows[] = {
    author::define(spmm_op),
    author::define(sddmm_op),
    author::define(spmm_reduce_op),
    author::row<&spmm_reduce>(spmm_reduce_op, key::CompositeExplicitAutograd),
    author::row<&author::autograd_kernel<spmm_reduce_op, spmm_reduce_rule>::run>(spmm_reduce_op, key::Autograd),
    author::row<&spmm>(spmm_op, key::CompositeExplicitAutograd),
    author::row<&sddmm>(sddmm_op, key::CompositeExplicitAutograd),
    author::row<&author::autograd_kernel<spmm_op, spmm_rule>::run>(spmm_op, key::Autograd),
    author::row<&author::autograd_kernel<sddmm_op, sddmm_rule>::run>(sddmm_op, key::Autograd),
};

}  // namespace

void register_product_parts() { author::register_rows(rows); }

}  // namespace topbit::sparse
