module;

#include "sparse_kernels.h"

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kernels;
import :checks;

namespace topbit::sparse {

namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

// The names of the index tensors and of their lines.
struct compressed_words {
  std::string_view compressed, plain, line, lines, across;
};
compressed_words words_of(layout how) {
  if (how == layout::sparse_csr) return {"crow_indices", "col_indices", "row", "rows", "columns"};
  return {"ccol_indices", "row_indices", "column", "columns", "rows"};
}

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
  const tensor indices = on_host(given) ? given : to(given, cpu);
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

void check_compressed(std::string_view op, layout how, const tensor& compressed, const tensor& plain,
                      std::int64_t lines, std::int64_t columns) {
  const compressed_words w = words_of(how);
  if (!has_elements(plain)) return;
  const tensor offsets = on_host(compressed) ? compressed : to(compressed, cpu);
  const tensor along = on_host(plain) ? plain : to(plain, cpu);
  const tb_csr matrix = csr_view(offsets, along, columns);
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

}  // namespace topbit::sparse
