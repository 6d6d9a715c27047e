// Products of the parts of two sparse matrices, and their gradients: elements of such products at the entries of a
// factor, so that as much is computed as in the product itself.
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
using three_tensors = std::tuple<tensor, tensor, tensor>;

constexpr line_words other_words{"other_compressed", "other_plain", "row", "rows", "columns"};

dtype index_type(T a, T b) { return promote(a.dtype(), b.dtype()); }
tensor as_index(T x, dtype type) { return contiguous(to(x, type)); }

// For each of these rows all entries of a matrix there: the position of the row, and the entry.
struct row_entries {
  tensor from, entry;

  row_entries(T rows, T compressed) {
    const device where = rows.device();
    const std::int64_t count = rows.sizes()[0], lines = compressed.sizes()[0] - 1;
    const tensor start = to(narrow(compressed, 0, 0, lines), dtype::int64);
    const tensor length = to(narrow(compressed, 0, 1, lines), dtype::int64) - start;
    const tensor lengths = index_select(length, 0, rows), ends = cumsum(lengths, 0);
    const std::int64_t all = count == 0 ? 0 : item<std::int64_t>(select(ends, 0, count - 1));
    from = repeat_interleave(arange(count, arg<"device"> = where), lengths, std::nullopt, arg<"output_size"> = all);
    const tensor within = arange(all, arg<"device"> = where) - index_select(ends - lengths, 0, from);
    entry = index_select(index_select(start, 0, rows), 0, from) + within;
  }
};

three_tensors product_by_operators(T a_compressed, T a_plain, T a, T b_compressed, T b_plain, T b,
                                   std::int64_t columns) {
  const dtype type = a.dtype(), wide = sum_type(type);
  const std::int64_t rows = a_compressed.sizes()[0] - 1;
  const row_entries each(to(a_plain, dtype::int64), b_compressed);
  const tensor values = to(index_select(a, 0, each.from), wide) * to(index_select(b, 0, each.entry), wide);
  const tensor lines = index_select(lines_of(a_compressed, a_plain.sizes()[0]), 0, each.from);
  const tensor places = stack(std::array{lines, to(index_select(b_plain, 0, each.entry), dtype::int64)}, 0);
  const auto [indices, sums] = sum_places(places, values, {rows, columns});
  const dtype index = index_type(a_plain, b_plain);
  return {offsets_of(select(indices, 0, 0), rows, index), to(select(indices, 0, 1), index), to(sums, type)};
}

// Calls kernel(workspace, begin, end) over the rows of a, each concurrent call with memory of its own.
template <class F>
void in_workspaces(const tb_csr& a, std::int64_t columns, dtype type, F kernel) {
  // Never none: kernels pass the address of an empty workspace to functions that want one.
  const auto bytes =
      std::max<std::int64_t>(static_cast<std::int64_t>(kernels().spgemm_workspace(columns, code_of(type))), 1);
  const std::int64_t parts = std::min<std::int64_t>(parts_for(a.nnz * 8), 16), step = (bytes + 63) / 64 * 64;
  const tensor workspaces = zeros_of({parts, step}, dtype::uint8, cpu);
  std::byte* const memory = static_cast<std::byte*>(workspaces.data());
  author::parallel_for(parts, [&](std::int64_t i) {
    kernel(memory + i * step, kernels().row_of_part(&a, i, parts), kernels().row_of_part(&a, i + 1, parts));
  });
}

three_tensors spgemm(T a_compressed, T a_plain, T a, T b_compressed, T b_plain, T b, std::int64_t columns) {
  constexpr std::string_view op = spgemm_op.name();
  author::check_one_device(spgemm_op, a_compressed, a_plain, a, b_compressed, b_plain, b);
  check_indices(op, other_words, b_compressed, b_plain, columns);
  check_indices(op, parts_words, a_compressed, a_plain, b_compressed.sizes()[0] - 1);
  check_entries(op, parts_words, a_plain, "values", a);
  check_entries(op, other_words, b_plain, "other_values", b);
  check_one_dtype(op, "values", a, "other_values", b);
  check_sizes(op, {a_compressed.sizes()[0] - 1, columns});
  if (!on_host(a) || is_hypersparse(columns, a_plain.sizes()[0] + b_plain.sizes()[0]))
    return product_by_operators(a_compressed, a_plain, a, b_compressed, b_plain, b, columns);
  const dtype type = a.dtype();
  const std::int64_t rows = a_compressed.sizes()[0] - 1, inner = b_compressed.sizes()[0] - 1;
  const tensor a_values = contiguous(a), b_values = contiguous(b);
  dtype index = index_type(a_plain, b_plain);
  tensor a_offsets, a_along, b_offsets, b_along;
  tb_spgemm call{};
  call.a_values = a_values.data();
  call.b_values = b_values.data();
  call.dtype = code_of(type);
  const auto set_indices = [&] {
    a_offsets = as_index(a_compressed, index), a_along = as_index(a_plain, index);
    b_offsets = as_index(b_compressed, index), b_along = as_index(b_plain, index);
    call.a = csr_view(a_offsets, a_along, inner);
    call.b = csr_view(b_offsets, b_along, columns);
  };
  set_indices();
  const tensor counts = author::make_tensor({rows}, dtype::int64, cpu);
  call.counts = counts.data_ptr<std::int64_t>();
  in_workspaces(call.a, columns, type, [&](void* memory, std::int64_t begin, std::int64_t end) {
    kernels().spgemm_count(&call, memory, begin, end);
  });
  const tensor compressed = offsets_from_counts(counts, index);
  if (compressed.dtype() != index) {
    index = compressed.dtype();
    set_indices();
  }
  const std::int64_t entries = item<std::int64_t>(select(compressed, 0, rows));
  const tensor plain = author::make_tensor({entries}, index, cpu), values = author::make_tensor({entries}, type, cpu);
  call.compressed = compressed.data();
  call.plain = plain.data();
  call.values = values.data();
  in_workspaces(call.a, columns, type, [&](void* memory, std::int64_t begin, std::int64_t end) {
    kernels().spgemm_fill(&call, memory, begin, end);
  });
  return {compressed, plain, values};
}

tensor masked_by_operators(T compressed, T plain, T left_compressed, T left_plain, T left, T right_compressed,
                           T right_plain, T right, std::int64_t columns) {
  const dtype type = left.dtype(), wide = sum_type(type);
  const row_entries each(to(plain, dtype::int64), right_compressed);
  const tensor lines = index_select(lines_of(compressed, plain.sizes()[0]), 0, each.from);
  const tensor wanted = lines * columns + index_select(right_plain, 0, each.entry);
  const tensor present = lines_of(left_compressed, left_plain.sizes()[0]) * columns + left_plain;
  bool all_found = false;
  const tensor found = positions_in(present, wanted, all_found);
  const tensor held = cat(std::array{left, zeros_of({1}, type, left.device())}, 0);
  const tensor products = to(index_select(held, 0, found), wide) * to(index_select(right, 0, each.entry), wide);
  return to(sums_at(each.from, where(lt(found, left.sizes()[0]), products, 0), plain.sizes()[0]), type);
}

void check_masked(T compressed, T plain, T left_compressed, T left_plain, T left, T right_compressed, T right_plain,
                  T right, std::int64_t columns) {
  constexpr std::string_view op = masked_spgemm_op.name();
  constexpr line_words left_words{"left_compressed", "left_plain", "row", "rows", "columns"},
      right_words{"right_compressed", "right_plain", "row", "rows", "columns"};
  check_indices(op, left_words, left_compressed, left_plain, columns);
  check_indices(op, right_words, right_compressed, right_plain, columns);
  check_indices(op, parts_words, compressed, plain, right_compressed.sizes()[0] - 1);
  check_entries(op, left_words, left_plain, "left", left);
  check_entries(op, right_words, right_plain, "right", right);
  check_one_dtype(op, "left", left, "right", right);
  if (left_compressed.sizes()[0] != compressed.sizes()[0]) {
    refuse<shape_error>(op, "found " + std::to_string(compressed.sizes()[0]) + " elements in compressed and " +
                                std::to_string(left_compressed.sizes()[0]) +
                                " in left_compressed, wanted as many of both");
  }
}

tensor masked_spgemm(T compressed, T plain, T left_compressed, T left_plain, T left, T right_compressed, T right_plain,
                     T right, std::int64_t columns) {
  author::check_one_device(masked_spgemm_op, compressed, plain, left_compressed, left_plain, left, right_compressed,
                           right_plain, right);
  check_masked(compressed, plain, left_compressed, left_plain, left, right_compressed, right_plain, right, columns);
  const dtype type = left.dtype();
  if (!has_elements(left)) return author::make_tensor(plain.sizes(), type, left.device());
  const std::int64_t entries = plain.sizes()[0] + left_plain.sizes()[0] + right_plain.sizes()[0];
  if (!on_host(left) || is_hypersparse(columns, entries)) {
    return masked_by_operators(compressed, plain, left_compressed, left_plain, left, right_compressed, right_plain,
                               right, columns);
  }
  const dtype index = promote(plain.dtype(), index_type(left_plain, right_plain));
  const tensor offsets = as_index(compressed, index), along = as_index(plain, index),
               left_offsets = as_index(left_compressed, index), left_along = as_index(left_plain, index),
               right_offsets = as_index(right_compressed, index), right_along = as_index(right_plain, index),
               left_values = contiguous(left), right_values = contiguous(right),
               out = author::make_tensor(plain.sizes(), type, cpu);
  const tb_masked_spgemm call{.mask = csr_view(offsets, along, right_offsets.sizes()[0] - 1),
                              .a = csr_view(left_offsets, left_along, columns),
                              .b = csr_view(right_offsets, right_along, columns),
                              .a_values = left_values.data(),
                              .b_values = right_values.data(),
                              .out = out.data(),
                              .dtype = code_of(type),
                              .reserved = 0};
  in_workspaces(call.mask, columns, type, [&](void* memory, std::int64_t begin, std::int64_t end) {
    kernels().masked_spgemm(&call, memory, begin, end);
  });
  return out;
}

// With G the gradient: those of A and B are the elements of G B^T and A^T G at their entries.
struct spgemm_rule {
  saved_tensor a_compressed, a_plain, a, b_compressed, b_plain, b;
  saved_result compressed, plain;
  std::int64_t columns;
  static spgemm_rule save(T a_compressed, T a_plain, T a, T b_compressed, T b_plain, T b, std::int64_t columns,
                          const three_tensors& r) {
    return {saved_indices(a_compressed),     saved_indices(a_plain),          saved_tensor(a),
            saved_indices(b_compressed),     saved_indices(b_plain),          saved_tensor(b),
            saved_result(std::get<0>(r), 0), saved_result(std::get<1>(r), 1), columns};
  }
  std::array<tensor, 6> backward(const std::array<tensor, 3>& gradients, std::array<bool, 6> wanted) const {
    T g = gradients[2];
    std::array<tensor, 6> out;
    if (!g.defined()) return out;
    const tensor ac = a_compressed.get(), ap = a_plain.get(), bc = b_compressed.get(), bp = b_plain.get(),
                 c = compressed.get(), p = plain.get();
    if (wanted[2]) out[2] = known::masked_spgemm(ac, ap, c, p, g, bc, bp, b.get(), columns);
    if (!wanted[5]) return out;
    // By rows of G^T, which has an entry wherever entries of A and B meet, unlike rows of A^T.
    const std::int64_t rows = ac.sizes()[0] - 1, inner = bc.sizes()[0] - 1;
    const tensor numbers = arange(bp.sizes()[0], arg<"dtype"> = dtype::int64, arg<"device"> = g.device());
    const transposed_parts at = transpose_parts(ac, ap, a.get(), inner), gt = transpose_parts(c, p, g, columns),
                           bt = transpose_parts(bc, bp, numbers, columns);
    const tensor found = known::masked_spgemm(bt.compressed, bt.plain, gt.compressed, gt.plain, gt.values,
                                              at.compressed, at.plain, at.values, rows);
    out[5] = index_copy(zeros_of(found.sizes(), found.dtype(), found.device()), 0, bt.values, found);
    return out;
  }
};

// With M the gradient at the entries of the mask: those of L and R are the elements of M R and M^T L at their entries.
struct masked_spgemm_rule {
  saved_tensor compressed, plain, left_compressed, left_plain, left, right_compressed, right_plain, right;
  std::int64_t columns;
  static masked_spgemm_rule save(T compressed, T plain, T left_compressed, T left_plain, T left, T right_compressed,
                                 T right_plain, T right, std::int64_t columns, T) {
    return {saved_indices(compressed),  saved_indices(plain), saved_indices(left_compressed),
            saved_indices(left_plain),  saved_tensor(left),   saved_indices(right_compressed),
            saved_indices(right_plain), saved_tensor(right),  columns};
  }
  std::array<tensor, 8> backward(T g, std::array<bool, 8> wanted) const {
    std::array<tensor, 8> out;
    const tensor c = compressed.get(), p = plain.get(), lc = left_compressed.get(), lp = left_plain.get(),
                 rc = right_compressed.get(), rp = right_plain.get();
    const std::int64_t rows = c.sizes()[0] - 1, inner = rc.sizes()[0] - 1;
    if (wanted[4]) {
      const transposed_parts rt = transpose_parts(rc, rp, right.get(), columns);
      out[4] = known::masked_spgemm(lc, lp, c, p, g, rt.compressed, rt.plain, rt.values, inner);
    }
    if (wanted[7]) {
      const transposed_parts mt = transpose_parts(c, p, g, inner), lt = transpose_parts(lc, lp, left.get(), columns);
      out[7] =
          known::masked_spgemm(rc, rp, mt.compressed, mt.plain, mt.values, lt.compressed, lt.plain, lt.values, rows);
    }
    return out;
  }
};

constexpr author::kernel_row rows[] = {
    author::define(spgemm_op),
    author::define(masked_spgemm_op),
    author::row<&spgemm>(spgemm_op, key::CompositeExplicitAutograd),
    author::row<&masked_spgemm>(masked_spgemm_op, key::CompositeExplicitAutograd),
    author::row<&author::autograd_kernel<spgemm_op, spgemm_rule>::run>(spgemm_op, key::Autograd),
    author::row<&author::autograd_kernel<masked_spgemm_op, masked_spgemm_rule>::run>(masked_spgemm_op, key::Autograd),
};

}  // namespace

void register_spgemm() { author::register_rows(rows); }

}  // namespace topbit::sparse
