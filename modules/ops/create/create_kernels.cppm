// Operators that make tensors and have backend kernels, each with its forms.
module topbit.ops:create.create_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :create.create;
import :registration.unstructured;
import :elementwise.elementwise;
import :create.sequence;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

tensor empty_strided(backend_call c, std::span<const std::int64_t> size, std::span<const std::int64_t> stride,
                     std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
                     std::optional<bool> pinned);
tensor& arange_out(backend_call c, const scalar& start, const scalar& end, const scalar& step, tensor& out);
tensor& range_out(backend_call c, const scalar& start, const scalar& end, const scalar& step, tensor& out);
tensor& linspace_out(backend_call c, const scalar& start, const scalar& end, std::int64_t steps, tensor& out);

inline constexpr auto create_forms =
    forms_list<unstructured<function_kernel<&empty_strided, all_of(table_entry::any)>, aten::empty_strided>>();

inline constexpr auto counting = all_of(table_entry::arange);
inline constexpr auto sequence_forms =
    forms_list<unstructured<function_kernel<&arange_out, counting>, aten::arange_start_out>,
               unstructured<function_kernel<&range_out, counting>, aten::range_out>,
               unstructured<function_kernel<&linspace_out, counting>, aten::linspace_out>>();

}  // namespace topbit::detail
