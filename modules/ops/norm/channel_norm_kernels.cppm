// Kernel thunks of native::channel_norm and its gradient, and the same composed of other operators.
module topbit.ops:norm.channel_norm_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.operands;
import :registration.structured;
import :registration.structured_forms;
import :registration.unstructured;
import :norm.batch_norm;

namespace topbit::detail {

using channel_results = std::tuple<tensor, tensor, tensor>;

struct channel_norm_kernel {
  static constexpr auto needs = all_of(table_entry::channel_norm);
  static channel_results run(backend_call c, const tensor& input, const optional_tensor& weight,
                             const optional_tensor& bias, const optional_tensor& mean, const optional_tensor& variance,
                             std::int64_t groups, double eps);
};
struct channel_norm_backward_kernel {
  static constexpr auto needs = all_of(table_entry::channel_norm);
  static channel_results run(backend_call c, const tensor& grad, const tensor& input, const tensor& mean,
                             const tensor& variance, const optional_tensor& weight, std::int64_t groups, double eps,
                             bool given, std::span<const bool> wanted);
};

// The same with other operators, for backends whose table has no such kernel, and where the gradient is recorded.
channel_results composed_channel_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                                      const optional_tensor& mean, const optional_tensor& variance, std::int64_t groups,
                                      double eps);
channel_results composed_channel_norm_backward(const tensor& grad, const tensor& input, const tensor& mean,
                                               const tensor& variance, const optional_tensor& weight,
                                               std::int64_t groups, double eps, bool given,
                                               std::span<const bool> wanted);

// A number for each channel, to broadcast with tensors of `rank` dimensions.
tensor beside_channels(const tensor& t, std::int64_t rank, dtype type);
void register_channel_norm();

inline constexpr auto channel_norm_forms =
    forms_list<unstructured<channel_norm_kernel, native::channel_norm>,
               unstructured<channel_norm_backward_kernel, native::channel_norm_backward>>();

}  // namespace topbit::detail
