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

}  // namespace topbit::detail
