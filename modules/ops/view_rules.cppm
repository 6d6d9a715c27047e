// The rules about shapes that views share. Internal.
export module topbit.ops:view_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

// The sizes asked for, with -1 replaced by what the others leave. Throws shape_error unless they hold as many elements
// as the tensor.
dims inferred_sizes(std::string_view op, const tensor& self, std::span<const std::int64_t> wanted);

// The strides with which elements of these sizes and strides have the wanted sizes, as many elements; none if they
// would have to be copied.
std::optional<dims> strides_of_view(const dims& sizes, const dims& strides, const dims& wanted);

// How many elements the diagonal of a matrix has that begins `offset` columns to the right, or rows below.
std::int64_t diagonal_length(std::int64_t rows, std::int64_t columns, std::int64_t offset) noexcept;
// The diagonal of two dimensions, as the last one of a view.
tensor diagonal_view(std::string_view op, const tensor& self, std::int64_t offset, std::int64_t dim1,
                     std::int64_t dim2);

}  // namespace topbit::detail
