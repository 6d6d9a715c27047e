// Activations and their gradients: the operation or structured kernel of each operator, and its forms.
module topbit.ops:unary.activation_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.arguments;
import :elementwise.elementwise;
import :elementwise.elementwise_kernels;
import :elementwise.operation;
import :registration.structured;
import :registration.structured_forms;
import :rowwise.softmax_kernels;
import :unary.activation;
import :unary.activation_backward;

namespace topbit::detail {

// The bound of integers may be any number.
struct threshold_kernel {
  static constexpr tag_set tags = tag::pointwise;
  static constexpr auto needs = all_of(elementwise::threshold);
  static result_meta meta(std::string_view op, const tensor& self, const scalar& bound, const scalar& value);
  static void run(backend_call c, const tensor& self, const scalar& bound, const scalar& value, const tensor& out);
};

struct softshrink_kernel : elementwise_kernel<elementwise::softshrink> {
  static result_meta meta(std::string_view op, const tensor& self, const scalar& lambd);
  template <bool Makes>
  static bool fast_path(backend_call c, tensor& out, const tensor& self, const scalar& lambd) {
    return lambd.to_double() >= 0 && elementwise_kernel<elementwise::softshrink>::fast_path<Makes>(c, out, self, lambd);
  }
};

struct glu_kernel {
  static constexpr auto needs = all_of(elementwise::softplus_backward);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim);
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& out);
};
struct glu_backward_kernel {
  static constexpr auto needs = all_of(elementwise::softplus_backward, elementwise::glu_gate_backward);
  static result_meta meta(std::string_view op, const tensor& grad, const tensor& self, std::int64_t dim);
  static void run(backend_call c, const tensor& grad, const tensor& self, std::int64_t dim, const tensor& out);
};

struct gelu_backward_kernel {
  static constexpr tag_set tags = tag::pointwise;
  static constexpr auto needs = all_of(elementwise::gelu_backward, elementwise::gelu_tanh_backward);
  static result_meta meta(std::string_view op, const tensor& grad, const tensor& self, std::string_view approximate);
  static void run(backend_call c, const tensor& grad, const tensor& self, std::string_view approximate,
                  const tensor& out);
};
struct elu_backward_kernel {
  static constexpr tag_set tags = tag::pointwise;
  static constexpr auto needs = all_of(elementwise::elu_backward, elementwise::elu_result_backward);
  static result_meta meta(std::string_view op, const tensor& grad, const scalar& alpha, const scalar& scale,
                          const scalar& input_scale, bool is_result, const tensor& x);
  static void run(backend_call c, const tensor& grad, const scalar& alpha, const scalar& scale,
                  const scalar& input_scale, bool is_result, const tensor& x, const tensor& out);
};
struct leaky_relu_backward_kernel {
  static constexpr tag_set tags = tag::pointwise;
  static constexpr auto needs = all_of(elementwise::leaky_relu_backward);
  static result_meta meta(std::string_view op, const tensor& grad, const tensor& self, const scalar& slope,
                          bool is_result);
  static void run(backend_call c, const tensor& grad, const tensor& self, const scalar& slope, bool is_result,
                  const tensor& out);
};

inline constexpr auto activation_forms = forms_list<
    elementwise_forms<elementwise::relu, aten::relu, aten::relu_>,
    elementwise_forms<elementwise::leaky_relu, aten::leaky_relu, aten::leaky_relu_, aten::leaky_relu_out>,
    elementwise_forms<elementwise::elu, aten::elu, aten::elu_, aten::elu_out>,
    elementwise_forms<elementwise::silu, aten::silu, aten::silu_, aten::silu_out>,
    structured_forms<gelu_kernel, elementwise_abilities, aten::gelu, aten::gelu_, aten::gelu_out>,
    elementwise_forms<elementwise::mish, aten::mish, aten::mish_, aten::mish_out>,
    elementwise_forms<elementwise::softplus, aten::softplus, aten::softplus_out>,
    elementwise_forms<elementwise::hardswish, aten::hardswish, aten::hardswish_, aten::hardswish_out>,
    elementwise_forms<elementwise::hardsigmoid, aten::hardsigmoid, aten::hardsigmoid_, aten::hardsigmoid_out>,
    elementwise_forms<elementwise::log_sigmoid, aten::log_sigmoid, aten::log_sigmoid_out>,
    elementwise_forms<elementwise::threshold_backward, aten::threshold_backward, aten::threshold_backward_grad_input>,
    structured_forms<threshold_kernel, elementwise_abilities, aten::threshold, aten::threshold_, aten::threshold_out>,
    elementwise_forms<elementwise::hardshrink, aten::hardshrink, aten::hardshrink_out>,
    structured_forms<softshrink_kernel, elementwise_abilities, aten::softshrink, aten::softshrink_out>,
    structured_forms<same_type_kernel<elementwise::prelu>, elementwise_abilities, aten::_prelu_kernel>,
    structured_forms<glu_kernel, no_abilities, aten::glu, aten::glu_out>>();

inline constexpr auto activation_backward_forms =
    forms_list<elementwise_forms<elementwise::tanh_backward, aten::tanh_backward>,
               elementwise_forms<elementwise::sigmoid_backward, aten::sigmoid_backward>,
               elementwise_forms<elementwise::silu_backward, aten::silu_backward>,
               structured_forms<gelu_backward_kernel, elementwise_abilities, aten::gelu_backward>,
               elementwise_forms<elementwise::mish_backward, aten::mish_backward>,
               elementwise_forms<elementwise::softplus_backward, aten::softplus_backward>,
               structured_forms<elu_backward_kernel, elementwise_abilities, aten::elu_backward>,
               structured_forms<leaky_relu_backward_kernel, elementwise_abilities, aten::leaky_relu_backward>,
               elementwise_forms<elementwise::hardswish_backward, aten::hardswish_backward>,
               elementwise_forms<elementwise::hardsigmoid_backward, aten::hardsigmoid_backward>,
               elementwise_forms<elementwise::clamp_backward, native::clamp_backward>,
               elementwise_forms<elementwise::shrink_backward, aten::hardshrink_backward>,
               elementwise_forms<elementwise::shrink_backward, aten::softshrink_backward>,
               structured_forms<glu_backward_kernel, no_abilities, aten::glu_backward>,
               elementwise_forms<elementwise::prelu_backward, native::prelu_backward>,
               elementwise_forms<elementwise::prelu_weight_backward, native::prelu_weight_backward>>();

}  // namespace topbit::detail
