// Shape functions and kernel thunks of layer normalisation.
module topbit.ops:norm.layer_norm_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.unstructured;
import :norm.layer_norm;
import :elementwise.elementwise;
import :rowwise.softmax_kernels;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

using layer_sizes = std::span<const std::int64_t>;

// The dtype of statistics and of gradients of parameters.
dtype type_of_parameters(const tensor& input, const std::optional<tensor>& weight, const std::optional<tensor>& bias);
// Machine epsilon of the compute type.
double step_of(dtype floating);

struct layer_norm_kernel {
  static constexpr auto needs = all_of(rowwise::layer_norm);
  static std::array<result_meta, 3> meta(std::string_view op, const tensor& input, layer_sizes shape,
                                         const std::optional<tensor>& weight, const std::optional<tensor>& bias,
                                         double eps);
  static void run(backend_call c, const tensor& input, layer_sizes shape, const std::optional<tensor>& weight,
                  const std::optional<tensor>& bias, double eps, const tensor& out, const tensor& mean,
                  const tensor& rstd);
};
struct layer_norm_backward_kernel {
  static constexpr auto needs = all_of(rowwise::layer_norm_backward, rowwise::layer_norm_weights);
  static std::tuple<tensor, tensor, tensor> run(backend_call c, const tensor& grad, const tensor& input,
                                                layer_sizes shape, const tensor& mean, const tensor& rstd,
                                                const std::optional<tensor>& weight, const std::optional<tensor>& bias,
                                                std::span<const bool> wanted);
};
struct rms_norm_kernel {
  static constexpr auto needs = all_of(rowwise::rms_norm);
  static result_meta meta(std::string_view op, const tensor& input, layer_sizes shape,
                          const std::optional<tensor>& weight, std::optional<double> eps);
  static void run(backend_call c, const tensor& input, layer_sizes shape, const std::optional<tensor>& weight,
                  std::optional<double> eps, const tensor& out);
};

struct rms_norm_backward_kernel {
  static constexpr auto needs = all_of(rowwise::rms_norm_backward, rowwise::layer_norm_weights);
  static std::tuple<tensor, tensor> run(backend_call c, const tensor& grad, const tensor& input, layer_sizes shape,
                                        const std::optional<tensor>& weight, double eps, std::span<const bool> wanted);
};
void check_rms_backward(backend_call c, const tensor& grad, const tensor& input, layer_sizes shape,
                        const std::optional<tensor>& weight, std::span<const bool> wanted);
// The same composed of differentiable operators.
std::tuple<tensor, tensor> composed_rms_norm_backward(const tensor& grad, const tensor& input, layer_sizes shape,
                                                      const std::optional<tensor>& weight, double eps,
                                                      std::span<const bool> wanted);

inline constexpr auto layer_norm_forms =
    forms_list<structured_forms<layer_norm_kernel, no_abilities, aten::native_layer_norm>,
               unstructured<layer_norm_backward_kernel, aten::native_layer_norm_backward>,
               structured_forms<rms_norm_kernel, no_abilities, aten::rms_norm>,
               unstructured<rms_norm_backward_kernel, native::rms_norm_backward>>();

}  // namespace topbit::detail
