// Rearranged views for composites of products: made of view operators, so that gradients pass. Internal.
export module topbit.ops:product_shapes;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

// A new dimension of size 1 before dimension d.
tensor with_dimension(const tensor& t, std::size_t d);
inline tensor as_row(const tensor& vector) { return with_dimension(vector, 0); }
inline tensor as_column(const tensor& vector) { return with_dimension(vector, vector.dim()); }
// Dimension i of the result is dimension order[i].
tensor rearranged(const tensor& t, const dims& order);
// The dimensions but the last two as one; without a copy also where the last two are exchanged in memory.
tensor one_batch(const tensor& t);
// Elements [i, i + offset] or, for a negative offset, [i - offset, i] of dimensions d and d + 1, as one dimension.
tensor diagonal_of(const tensor& t, std::size_t d, std::int64_t offset);

}  // namespace topbit::detail
