module;

#include "sparse_kernels.h"

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kernels;
import :checks;
import :known_indices;

namespace topbit::sparse {

namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

bool is_index(const tensor& t) { return t.dtype() == dtype::int32 || t.dtype() == dtype::int64; }

void check_not_empty(std::string_view op, std::string_view name, const tensor& compressed) {
  if (compressed.sizes()[0] != 0) return;
  refuse<shape_error>(op, "found an empty " + std::string(name) + ", wanted at least one element, 0");
}

// `plain` may be null: then the offsets alone are checked.
void check_lines_of(std::string_view op, const line_words& w, const tb_csr& matrix);

}  // namespace

std::string conversion_to(layout how, std::string_view name) {
  const std::string_view function = how == layout::sparse_coo   ? "to_sparse"
                                    : how == layout::sparse_csr ? "to_sparse_csr"
                                    : how == layout::sparse_csc ? "to_sparse_csc"
                                                                : "to_dense";
  return std::string(function) + "(" + std::string(name) + ")";
}

void check_sizes(std::string_view op, const shape& sizes) {
  std::int64_t elements = sizeof(double);
  for (std::int64_t s : sizes) {
    if (s < 0) refuse<shape_error>(op, "found sizes " + to_string(sizes) + ", wanted none below 0");
  }
  for (std::int64_t s : sizes) {
    if (s > 1 && __builtin_mul_overflow(elements, s, &elements)) {
      refuse<shape_error>(op, "found sizes " + to_string(sizes) + ", more elements than 64 bits can count");
    }
  }
}

void check_layout(std::string_view op, std::string_view argument, const tensor& t, layout wanted) {
  if (!t.defined()) {
    refuse<error>(op, "found an undefined tensor as " + std::string(argument) + ", wanted one of layout " +
                          std::string(name_of(wanted)));
  }
  if (t.layout() == wanted) return;
  if (wanted == layout::strided) author::refuse_layout(op, argument, t.layout(), wanted, op);
  refuse<layout_error>(op, "found " + std::string(argument) + " of layout " + std::string(name_of(t.layout())) +
                               ", wanted " + std::string(name_of(wanted)) + "; " + conversion_to(wanted) + " converts");
}

void check_sparse(std::string_view op, const tensor& t) {
  if (t.defined() && is_sparse(t)) return;
  const std::string found = t.defined() ? "layout " + std::string(name_of(t.layout())) : "an undefined tensor";
  refuse<layout_error>(op, "found " + found + ", wanted sparse_coo, sparse_csr or sparse_csc; to_sparse(x) converts");
}

std::int64_t wrapped_dim(std::string_view op, std::int64_t dim, std::int64_t dims) {
  const std::int64_t d = dim < 0 ? dim + dims : dim;
  if (d < 0 || d >= dims) {
    refuse<shape_error>(op, "found dimension " + number(dim) + " of a tensor of " + number(dims) +
                                " dimensions, wanted " +
                                (dims == 0 ? "one that has any" : number(-dims) + " to " + number(dims - 1)));
  }
  return d;
}

bool check_coo(std::string_view op, const tensor& given, const shape& sizes) {
  const std::int64_t dims = given.sizes()[0], entries = given.sizes()[1];
  if (!has_elements(given)) return entries <= 1;
  const tensor indices = contiguous(to(given, cpu));
  const tb_coo coo{.indices = indices.data_ptr<std::int64_t>(),
                   .step = entries,
                   .sizes = std::span<const std::int64_t>(sizes).data(),
                   .dims = dims,
                   .nnz = entries};
  const std::int64_t parts = parts_for(entries);
  std::array<tb_coo_facts, 64> facts;
  author::parallel_for(parts, [&](std::int64_t i) {
    facts[static_cast<std::size_t>(i)] = kernels().check_coo(&coo, entries * i / parts, entries * (i + 1) / parts);
  });
  bool ascends = true;
  for (const tb_coo_facts& f : std::span(facts).first(static_cast<std::size_t>(parts))) {
    if (f.bad_entry >= 0) {
      const std::int64_t size = sizes[static_cast<std::size_t>(f.bad_dim)];
      refuse<shape_error>(op, "found index " + number(f.bad_index) + " in dimension " + number(f.bad_dim) +
                                  " of entry " + number(f.bad_entry) + ", wanted 0 to below its size, " + number(size));
    }
    ascends = ascends && f.coalesced != 0;
  }
  return ascends;
}

line_words words_of(layout how) {
  if (how == layout::sparse_csr) return {"crow_indices", "col_indices", "row", "rows", "columns"};
  return {"ccol_indices", "row_indices", "column", "columns", "rows"};
}

void check_part(std::string_view op, std::string_view name, const tensor& t, std::int64_t dims) {
  check_layout(op, name, t, layout::strided);
  if (t.dim() == dims) return;
  refuse<shape_error>(op, "found " + std::string(name) + " of sizes " + to_string(t.sizes()) + ", wanted " +
                              number(dims) + (dims == 1 ? " dimension" : " dimensions"));
}

void check_one_dtype(std::string_view op, std::string_view first, const tensor& a, std::string_view second,
                     const tensor& b) {
  if (a.dtype() == b.dtype()) return;
  refuse<dtype_error>(op, "found " + std::string(first) + " of dtype " + std::string(name_of(a.dtype())) + " and " +
                              std::string(second) + " of dtype " + std::string(name_of(b.dtype())) +
                              ", wanted one dtype; convert one with to()");
}

void check_floating(std::string_view op, std::string_view name, const tensor& t) {
  if (is_floating(t.dtype())) return;
  refuse<dtype_error>(
      op, "found " + std::string(name) + " of dtype " + std::string(name_of(t.dtype())) + ", wanted a floating dtype");
}

bool check_coo_parts(std::string_view op, const tensor& indices, const tensor& values, const shape& sizes,
                     bool is_coalesced) {
  check_part(op, "indices", indices, 2);
  check_layout(op, "values", values, layout::strided);
  if (indices.dtype() != dtype::int64) {
    refuse<dtype_error>(op, "found indices of dtype " + std::string(name_of(indices.dtype())) + ", wanted int64");
  }
  const std::int64_t dims = indices.sizes()[0], entries = indices.sizes()[1];
  if (values.dim() == 0 || values.sizes()[0] != entries) {
    const std::string found = values.dim() == 0 ? "a zero-dimensional value" : number(values.sizes()[0]) + " values";
    refuse<shape_error>(op,
                        "found " + number(entries) + " columns of indices and " + found + ", wanted as many of both");
  }
  const shape dense(std::span<const std::int64_t>(values.sizes()).subspan(1));
  const auto sparse = static_cast<std::size_t>(dims);
  if (sizes.size() != sparse + dense.size()) {
    refuse<shape_error>(op, "found sizes " + to_string(sizes) + ", wanted " + number(dims) +
                                " sparse dimensions, a row of indices each, and " + std::to_string(dense.size()) +
                                " dense ones, as values have");
  }
  const std::span<const std::int64_t> all(sizes);
  const shape sparse_sizes(all.first(sparse));
  const bool known = is_known(facts_of_places(indices, sparse_sizes, is_coalesced));
  if (!known) check_sizes(op, sizes);
  if (shape(all.subspan(sparse)) != dense) {
    refuse<shape_error>(op, "found sizes " + to_string(sizes) + " and values of sizes " + to_string(values.sizes()) +
                                ", wanted equal sizes of the dense dimensions");
  }
  if (known) return is_coalesced;
  const bool ascends = check_coo(op, indices, sparse_sizes);
  if (is_coalesced && !ascends && has_elements(indices)) {
    refuse<shape_error>(op,
                        "found is_coalesced=True and entries that repeat a place or are not in row-major order; "
                        "leave it out, and coalesce(x) adds and sorts them");
  }
  return ascends;
}

void check_index_tensors(std::string_view op, const line_words& words, const tensor& compressed, const tensor& plain) {
  check_part(op, words.compressed, compressed, 1);
  check_part(op, words.plain, plain, 1);
  const auto refuse_types = [&](const std::string& wanted) {
    refuse<dtype_error>(op, "found " + std::string(words.compressed) + " of dtype " +
                                std::string(name_of(compressed.dtype())) + " and " + std::string(words.plain) +
                                " of dtype " + std::string(name_of(plain.dtype())) + ", wanted " + wanted);
  };
  if (!is_index(compressed) || !is_index(plain)) refuse_types("int32 or int64; to(x, dtype::int64) converts");
  if (compressed.dtype() != plain.dtype()) refuse_types("the same dtype; to(x, dtype::int64) converts");
  check_not_empty(op, words.compressed, compressed);
}

void check_entries(std::string_view op, const line_words& words, const tensor& plain, std::string_view name,
                   const tensor& values) {
  check_part(op, name, values, 1);
  if (plain.sizes()[0] == values.sizes()[0]) return;
  refuse<shape_error>(op, "found " + number(plain.sizes()[0]) + " elements in " + std::string(words.plain) + " and " +
                              number(values.sizes()[0]) + " " + std::string(name) + ", wanted as many of both");
}

void check_matrix_sizes(std::string_view op, layout how, const tensor& compressed, const shape& sizes) {
  if (sizes.size() != 2) refuse<shape_error>(op, "found sizes " + to_string(sizes) + ", wanted those of a matrix");
  check_sizes(op, sizes);
  if (compressed.sizes()[0] - 1 == sizes[line_dim(how)]) return;
  const line_words words = words_of(how);
  refuse<shape_error>(op, "found sizes " + to_string(sizes) + " and " + number(compressed.sizes()[0]) +
                              " elements in " + std::string(words.compressed) + ", wanted one more than there are " +
                              std::string(words.lines));
}

void check_indices(std::string_view op, const line_words& words, const tensor& compressed, const tensor& plain,
                   std::int64_t columns) {
  if (is_known(facts_of_matrix(compressed, plain, columns))) return;
  check_index_tensors(op, words, compressed, plain);
  check_sizes(op, {compressed.sizes()[0] - 1, columns});
  if (!has_elements(plain)) return;
  const tensor offsets = contiguous(to(compressed, cpu)), along = contiguous(to(plain, cpu));
  check_lines_of(op, words, csr_view(offsets, along, columns));
}

void check_line_parts(std::string_view op, const tensor& compressed, const tensor& values) {
  check_part(op, "compressed", compressed, 1);
  check_layout(op, "values", values, layout::strided);
  if (!is_index(compressed)) {
    refuse<dtype_error>(op, "found compressed of dtype " + std::string(name_of(compressed.dtype())) +
                                ", wanted int32 or int64; to(x, dtype::int64) converts");
  }
  check_not_empty(op, "compressed", compressed);
  if (values.dim() == 0) refuse<shape_error>(op, "found zero-dimensional values, wanted a dimension for the entries");
  const std::int64_t entries = values.sizes()[0];
  if (is_known(facts_of_lines(compressed, entries)) || !has_elements(compressed)) return;
  const tensor offsets = contiguous(to(compressed, cpu));
  check_lines_of(op, parts_words,
                 {.compressed = offsets.data(),
                  .plain = nullptr,
                  .rows = offsets.sizes()[0] - 1,
                  .columns = std::numeric_limits<std::int64_t>::max(),
                  .nnz = entries,
                  .index = code_of(offsets.dtype()),
                  .reserved = 0});
}

namespace {

void check_lines_of(std::string_view op, const line_words& w, const tb_csr& matrix) {
  const std::int64_t lines = matrix.rows, columns = matrix.columns;
  const std::int64_t parts = std::min(parts_for(lines + matrix.nnz), std::max<std::int64_t>(lines, 1));
  std::array<tb_csr_facts, 64> facts;
  author::parallel_for(parts, [&](std::int64_t i) {
    facts[static_cast<std::size_t>(i)] = kernels().check_csr(&matrix, lines * i / parts, lines * (i + 1) / parts);
  });
  const auto bad = std::ranges::find_if(std::span(facts).first(static_cast<std::size_t>(parts)),
                                        [](const tb_csr_facts& f) { return f.fault != TB_CSR_VALID; });
  if (bad == std::span(facts).first(static_cast<std::size_t>(parts)).end()) return;
  const std::string first(w.compressed), second(w.plain), line(w.line),
      found = number(bad->found), row = number(bad->row), entries = number(matrix.nnz);
  const auto fail = [&](const std::string& text) { refuse<shape_error>(op, text); };
  switch (static_cast<tb_csr_fault>(bad->fault)) {
    case TB_CSR_FIRST: return fail("found " + found + " as first element of " + first + ", wanted 0");
    case TB_CSR_LAST:
      return fail("found " + found + " as last element of " + first + ", wanted the number of entries, " + entries);
    case TB_CSR_OFFSET:
      return fail("found " + found + " in " + first + " at " + row + ", wanted 0 to the number of entries, " + entries);
    case TB_CSR_DESCENDS:
      return fail("found " + first + " descending to " + found + " behind " + line + " " + row +
                  ", wanted none less than the one before");
    case TB_CSR_TOO_LONG:
      return fail("found " + found + " entries in " + line + " " + row + ", wanted at most one for each of " +
                  number(columns) + " " + std::string(w.across));
    case TB_CSR_OUT_OF_RANGE:
      return fail("found " + found + " in " + second + " at entry " + number(bad->entry) + " of " + line + " " + row +
                  ", wanted 0 to below the number of " + std::string(w.across) + ", " + number(columns));
    case TB_CSR_UNSORTED:
      return fail("found " + found + " in " + second + " at entry " + number(bad->entry) + " of " + line + " " + row +
                  ", which is not greater than the one before, wanted them to ascend without repetition in each " +
                  line);
    case TB_CSR_VALID: break;
  }
}

}  // namespace

}  // namespace topbit::sparse
