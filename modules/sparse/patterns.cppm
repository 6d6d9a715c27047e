// Arithmetic on index tensors, by the CPU kernels or by operators. Nothing here is recorded: integers have no gradient.
// Internal.
module topbit.sparse:patterns;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::sparse {

// The sizes of the sparse and of the dense dimensions.
shape sparse_sizes(const tensor& s);
shape dense_sizes(const tensor& s);
shape joined(const shape& a, const shape& b);

tensor zeros_of(const shape& sizes, dtype type, device where);

constexpr bool is_half(dtype type) noexcept { return type == dtype::float16 || type == dtype::bfloat16; }
// In which sums are computed, to be rounded once.
constexpr dtype sum_type(dtype type) noexcept { return is_half(type) ? dtype::float32 : type; }
// alpha * values; values themselves for 1.
tensor scaled(const tensor& values, const scalar& alpha);
// s if it has the dtype or no entries at one place, otherwise coalesced: entries at one place are added before their
// values are converted to `type`.
tensor convertible(const tensor& s, dtype type);
// The sums of the values [entries, ..] at each of `count` positions: [count, ..]. Floating-point numbers are added in
// float64 and rounded once. Differentiable.
tensor sums_at(const tensor& positions, const tensor& values, std::int64_t count);
// Whether what is computed from both is recorded, so that operators, not kernels, compute it.
bool recorded(const tensor& a, const tensor& b) noexcept;

// Row-major positions of index tuples [dims, entries]: int64 [entries]. And the inverse.
tensor linear_indices(const tensor& indices, const shape& sizes);
tensor indices_at(const tensor& linear, const shape& sizes);

// A tensor of zeros; of a compressed layout it has two sparse dimensions.
tensor without_entries(layout how, const shape& sizes, std::int64_t sparse_dims, dtype type, device where);

// int64 [2, entries] of a compressed matrix, in the order of its entries; the indices of a COO tensor.
tensor coordinates(const tensor& s);
// int64 [entries]: the line of each entry.
tensor lines_of(const tensor& compressed, std::int64_t entries);
// [lines + 1] of `type`, from ascending int64 line numbers.
tensor offsets_of(const tensor& lines, std::int64_t count, dtype type);
// The same from the number of entries of each line, int64 [lines] on the host; int64 if `type` does not hold their sum.
tensor offsets_from_counts(const tensor& counts, dtype type);

// A coalesced matrix line by line: [lines + 1] and [entries], as compressed_payload has them; of a COO matrix its rows.
struct line_parts {
  tensor compressed, plain;
};
line_parts line_parts_of(const tensor& s);

// The distinct tuples, ascending, and for each entry the position of its tuple among them.
struct sorted_places {
  tensor indices, groups;
};
sorted_places sort_places(const tensor& indices, const shape& sizes);
// The same with the sums of the values [entries, dense...] at each place, in order of appearance: indices and sums.
std::pair<tensor, tensor> sum_places(const tensor& indices, const tensor& values, const shape& sizes);
// The first entry of each group.
tensor first_of_groups(const tensor& groups, std::int64_t count);

// The parts of the transpose of a compressed matrix.
struct transposed_parts {
  tensor compressed, plain, values;
};
// Recorded for the values, if they have a history.
transposed_parts transpose_parts(const tensor& compressed, const tensor& plain, const tensor& values,
                                 std::int64_t columns);

// For each of the linear indices `wanted` its position in the ascending, distinct `present`, or the length of `present`
// where it is missing. `all_found` is set where this is known never to happen.
tensor positions_in(const tensor& present, const tensor& wanted, bool& all_found);

}  // namespace topbit::sparse
