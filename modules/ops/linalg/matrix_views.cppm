// Rearranged views for composites of products: view operators, so that gradients work. Internal.
module topbit.ops:linalg.matrix_views;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :view.view;

namespace topbit::detail {

inline tensor as_row(const tensor& vector) { return aten::unsqueeze(vector, 0); }
inline tensor as_column(const tensor& vector) { return aten::unsqueeze(vector, -1); }
// The sizes of all dimensions except the last two.
inline shape batch_of(const tensor& t) { return shape(std::span(t.sizes().begin(), t.dim() < 2 ? 0 : t.dim() - 2)); }
// Flattens all dimensions except the last two; without a copy also if the last two are swapped in memory.
tensor one_batch(const tensor& t);

}  // namespace topbit::detail
