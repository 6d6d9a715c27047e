// Shape computations of views. Internal.
module topbit.ops:view.view_shapes;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

// The requested sizes, with -1 inferred. Throws shape_error unless they have as many elements as the tensor.
shape inferred_sizes(std::string_view op, const tensor& self, std::span<const std::int64_t> wanted);

// The strides of a view with the wanted sizes, of elements with these sizes and strides; none if a copy is needed.
std::optional<shape> strides_of_view(const shape& sizes, const shape& strides, const shape& wanted);

// The length of the diagonal of a matrix that begins `offset` columns to the right, or -offset rows below.
std::int64_t diagonal_length(std::int64_t rows, std::int64_t columns, std::int64_t offset) noexcept;
// The diagonal of two dimensions, as the last one of a view.
tensor diagonal_view(std::string_view op, const tensor& self, std::int64_t offset, std::int64_t dim1,
                     std::int64_t dim2);

}  // namespace topbit::detail
