// The checks of index tensors, and errors of this module. Internal.
module topbit.sparse:checks;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::sparse {

// Throws E: "op: text".
template <class E>
[[noreturn]] void refuse(std::string_view op, std::string_view text) {
  throw E(std::string(op) + ": " + std::string(text), std::string(op));
}

// The call that makes a tensor of this layout: "to_sparse(x)".
std::string conversion_to(layout how, std::string_view name = "x");
// Throws shape_error for a size below 0, and for more elements than 64 bits can count.
void check_sizes(std::string_view op, const shape& sizes);
// Throws layout_error unless t is defined and COO, CSR and so on.
void check_layout(std::string_view op, std::string_view argument, const tensor& t, layout wanted);
void check_sparse(std::string_view op, const tensor& t);
// As the operator's dimension, not negative. Throws shape_error.
std::int64_t wrapped_dim(std::string_view op, std::int64_t dim, std::int64_t dims);

// The names of the index tensors of a matrix and of its lines in errors.
struct line_words {
  std::string_view compressed, plain, line, lines, across;
};
line_words words_of(layout how);
// Of operators on the parts of a CSR matrix.
inline constexpr line_words parts_words{"compressed", "plain", "row", "rows", "columns"};

// A strided tensor of so many dimensions.
void check_part(std::string_view op, std::string_view name, const tensor& t, std::int64_t dims);
void check_one_dtype(std::string_view op, std::string_view first, const tensor& a, std::string_view second,
                     const tensor& b);
void check_floating(std::string_view op, std::string_view name, const tensor& t);

// The rules for the parts of a tensor, each with an error of its own. Elements of index tensors are read unless they
// are known, see :known_indices; on devices they are copied to the host. Devices are checked before, by
// author::check_one_device().

// int64 [dims, entries]. Throws shape_error for an index out of range. Returns whether the entries strictly ascend.
bool check_coo(std::string_view op, const tensor& indices, const shape& sizes);
// All parts of a COO tensor. Returns whether the entries strictly ascend; shape_error unless they do, if
// `is_coalesced`.
bool check_coo_parts(std::string_view op, const tensor& indices, const tensor& values, const shape& sizes,
                     bool is_coalesced);

// Layouts, dimensions and dtypes of the index tensors of a matrix; `compressed` is not empty.
void check_index_tensors(std::string_view op, const line_words& words, const tensor& compressed, const tensor& plain);
// The values of a matrix, `name` in errors.
void check_entries(std::string_view op, const line_words& words, const tensor& plain, std::string_view name,
                   const tensor& values);
// The dimension of a matrix whose indices are lines.
constexpr std::size_t line_dim(layout how) noexcept { return how == layout::sparse_csr ? 0 : 1; }
void check_matrix_sizes(std::string_view op, layout how, const tensor& compressed, const shape& sizes);
// The index tensors of a matrix, with their elements.
void check_indices(std::string_view op, const line_words& words, const tensor& compressed, const tensor& plain,
                   std::int64_t columns);

// Where lines begin, with its elements, and the values [entries, ..] of all lines.
void check_line_parts(std::string_view op, const tensor& compressed, const tensor& values);

}  // namespace topbit::sparse
