// Kernels of the family `activation`, and its composites.
module;

#include <cmath>

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.composite;
import :rowwise.softmax_kernels;
import :unary.activation_kernels;

namespace topbit::detail {

namespace {

// Activations refuse bool, which clamp would convert to numbers.
const tensor& number(std::string_view op, const tensor& self) {
  check_defined({nullptr, op}, self);
  if (self.dtype() == dtype::boolean) refuse<dtype_error>({nullptr, op}, "found bool, wanted numbers");
  return self;
}
tensor hardtanh(const tensor& self, const scalar& low, const scalar& high) {
  return aten::clamp(number(aten::hardtanh.name(), self), low, high);
}
tensor& hardtanh_in_place(tensor& self, const scalar& low, const scalar& high) { return aten::clamp_(self, low, high); }
tensor relu6(const tensor& self) { return aten::clamp(number(aten::relu6.name(), self), 0, 6); }
tensor& relu6_in_place(tensor& self) { return aten::clamp_(self, 0, 6); }

// Klambauer, Unterthiner, Mayr, Hochreiter: Self-Normalizing Neural Networks, 2017.
constexpr double selu_alpha = 1.6732632423543772848, selu_scale = 1.0507009873554804934;
tensor selu(const tensor& self) { return aten::elu(self, selu_alpha, selu_scale); }
tensor& selu_in_place(tensor& self) { return aten::elu_(self, selu_alpha, selu_scale); }

scalar inverse(std::string_view op, const scalar& alpha) {
  if (alpha.to_double() == 0) refuse<error>({nullptr, op}, "found alpha 0, wanted another number");
  return 1 / alpha.to_double();
}
tensor celu(const tensor& self, const scalar& alpha) {
  return aten::elu(self, alpha, 1, inverse(aten::celu.name(), alpha));
}
tensor& celu_in_place(tensor& self, const scalar& alpha) {
  return aten::elu_(self, alpha, 1, inverse(aten::celu_.name(), alpha));
}

tensor& hardtanh_out(const tensor& self, const scalar& low, const scalar& high, tensor& out) {
  return aten::clamp_out(number(aten::hardtanh_out.name(), self), low, high, out);
}

void check_activation(std::string_view op, const tensor& self) {
  check_defined({nullptr, op}, self);
  check_floating({nullptr, op}, self);
}

// For backends without the kernels of elementwise.def.

// A number in the tensor's dtype, which it does not promote.
tensor number_like(const tensor& self, const scalar& value) {
  return aten::full(std::span<const std::int64_t>(), value, arg<"dtype"> = self.dtype(), arg<"device"> = self.device());
}
tensor threshold_in_parts(const tensor& self, const scalar& bound, const scalar& value) {
  number(aten::threshold.name(), self);
  return aten::where_self(aten::le_Scalar(self, bound), number_like(self, value), self);
}
tensor hardshrink_in_parts(const tensor& self, const scalar& lambd) {
  check_activation(aten::hardshrink.name(), self);
  return aten::where_self(aten::le_Scalar(aten::abs(self), lambd), number_like(self, 0), self);
}
tensor softshrink_in_parts(const tensor& self, const scalar& lambd) {
  softshrink_kernel::meta(aten::softshrink.name(), self, lambd);
  const tensor outside = aten::where_self(aten::lt_Scalar(self, 0), self + lambd, self - lambd);
  return aten::where_self(aten::le_Scalar(aten::abs(self), lambd), self * 0, outside);
}
tensor prelu_in_parts(const tensor& self, const tensor& weight) {
  same_type_kernel<elementwise::prelu>::meta(aten::_prelu_kernel.name(), self, weight);
  return aten::where_self(aten::gt_Scalar(self, 0), self, self * weight);
}
tensor glu_in_parts(const tensor& self, std::int64_t dim) {
  const shape half = glu_kernel::meta(aten::glu.name(), self, dim).sizes;
  const std::size_t d = dim_of({nullptr, aten::glu.name()}, dim, self);
  return aten::narrow(self, dim, 0, half[d]) * aten::sigmoid(aten::narrow(self, dim, half[d], half[d]));
}

tensor prelu(const tensor& self, const tensor& weight) {
  constexpr std::string_view op = aten::prelu.name();
  author::check_one_device(aten::prelu, self, weight);
  check_activation(op, self);
  check_defined({nullptr, op}, weight);
  if (weight.dtype() != self.dtype()) {
    refuse<dtype_error>({nullptr, op}, "found " + describe(self) + " and weights of " +
                                           std::string(name_of(weight.dtype())) + ", wanted one dtype");
  }
  const std::int64_t channels = self.dim() < 2 ? 1 : self.sizes()[1];
  if (weight.dim() > 1 || (weight.numel() != 1 && weight.numel() != channels)) {
    refuse<shape_error>({nullptr, op}, "found " + to_string(self.sizes()) + " and weights " +
                                           to_string(weight.sizes()) + ", wanted one, or one for each channel");
  }
  shape sizes(self.dim(), 1);
  if (weight.numel() != 1) sizes[1] = channels;
  return aten::_prelu_kernel(self, aten::reshape(weight, sizes));
}

}  // namespace

result_meta threshold_kernel::meta(std::string_view op, const tensor& self, const scalar&, const scalar&) {
  return elementwise_meta(op, elementwise::threshold, collect(self));
}
void threshold_kernel::run(backend_call c, const tensor& self, const scalar& bound, const scalar& value,
                           const tensor& out) {
  if (is_floating(self.dtype())) return run_elementwise(c, elementwise::threshold, collect(self, bound, value), out);
  using limits = std::numeric_limits<std::int64_t>;
  std::int64_t whole = bound.to_int64();
  if (is_floating(bound.type())) {
    const double below = ::std::floor(bound.to_double());
    // No integer is at or below a bound that is lower than all of them, or NaN.
    if (!(below >= static_cast<double>(limits::min()))) return copy_result(out, self);
    whole = below < 0x1p63 ? static_cast<std::int64_t>(below) : limits::max();
  }
  run_elementwise(c, elementwise::threshold, collect(self, whole, value.to_int64()), out);
}

result_meta softshrink_kernel::meta(std::string_view op, const tensor& self, const scalar& lambd) {
  check_activation(op, self);
  if (!(lambd.to_double() >= 0))
    refuse<error>({nullptr, op}, "found lambd " + to_string(lambd) + ", wanted at least 0");
  return elementwise_meta(op, elementwise::softshrink, collect(self));
}

namespace {

// The operation a * sigmoid(b), as the gradient of softplus with beta 1 and no threshold.
void run_gate(backend_call c, const tensor& a, const tensor& b, const tensor& out) {
  run_elementwise(c, elementwise::softplus_backward, collect(a, b, 1.0, std::numeric_limits<double>::infinity()), out);
}

}  // namespace

result_meta glu_kernel::meta(std::string_view op, const tensor& self, std::int64_t dim) {
  const backend_call c{nullptr, op};
  check_activation(op, self);
  const std::size_t d = dim_of(c, dim, self);
  if (self.dim() == 0 || self.sizes()[d] % 2 != 0) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted an even number of elements in dimension " +
                               std::to_string(d));
  }
  shape sizes = self.sizes();
  sizes[d] /= 2;
  return dense_meta(sizes, self.dtype(), self);
}
void glu_kernel::run(backend_call c, const tensor& self, std::int64_t dim, const tensor& out) {
  const std::size_t d = dim_of(c, dim, self);
  const std::int64_t half = out.sizes()[d];
  run_gate(c, part(self, d, 0, half), part(self, d, half, half), out);
}

result_meta glu_backward_kernel::meta(std::string_view op, const tensor& grad, const tensor& self, std::int64_t dim) {
  const backend_call c{nullptr, op};
  const shape wanted = glu_kernel::meta(op, self, dim).sizes;
  check_same_type(op, collect(self, grad));
  if (grad.sizes() != wanted) {
    refuse<shape_error>(c, "found a gradient " + to_string(grad.sizes()) + ", wanted " + to_string(wanted));
  }
  return dense_meta(self.sizes(), self.dtype(), self);
}
void glu_backward_kernel::run(backend_call c, const tensor& grad, const tensor& self, std::int64_t dim,
                              const tensor& out) {
  const std::size_t d = dim_of(c, dim, self);
  const std::int64_t half = grad.sizes()[d];
  const tensor a = part(self, d, 0, half), b = part(self, d, half, half);
  run_gate(c, grad, b, part(out, d, 0, half));
  run_elementwise(c, elementwise::glu_gate_backward, collect(grad, a, b), part(out, d, half, half));
}

namespace {

elementwise gelu_backward_code(std::string_view op, std::string_view approximate) {
  return gelu_kernel::code_of(op, approximate) == elementwise::gelu ? elementwise::gelu_backward
                                                                    : elementwise::gelu_tanh_backward;
}

}  // namespace

result_meta gelu_backward_kernel::meta(std::string_view op, const tensor& grad, const tensor& self,
                                       std::string_view approximate) {
  return elementwise_meta(op, gelu_backward_code(op, approximate), collect(grad, self));
}
void gelu_backward_kernel::run(backend_call c, const tensor& grad, const tensor& self, std::string_view approximate,
                               const tensor& out) {
  run_elementwise(c, gelu_backward_code(c.op, approximate), collect(grad, self), out);
}

result_meta elu_backward_kernel::meta(std::string_view op, const tensor& grad, const scalar& alpha, const scalar&,
                                      const scalar&, bool is_result, const tensor& x) {
  if (is_result && alpha.to_double() < 0) {
    refuse<error>({nullptr, op}, "found alpha " + to_string(alpha) + " with a result, wanted at least 0");
  }
  return elementwise_meta(op, elementwise::elu_backward, collect(grad, x));
}
void elu_backward_kernel::run(backend_call c, const tensor& grad, const scalar& alpha, const scalar& scale,
                              const scalar& input_scale, bool is_result, const tensor& x, const tensor& out) {
  const elementwise code = is_result ? elementwise::elu_result_backward : elementwise::elu_backward;
  run_elementwise(c, code, collect(grad, x, alpha, scale, input_scale), out);
}

result_meta leaky_relu_backward_kernel::meta(std::string_view op, const tensor& grad, const tensor& self,
                                             const scalar& slope, bool is_result) {
  if (is_result && slope.to_double() < 0) {
    refuse<error>({nullptr, op}, "found negative_slope " + to_string(slope) + " with a result, wanted at least 0");
  }
  return elementwise_meta(op, elementwise::leaky_relu_backward, collect(grad, self));
}
void leaky_relu_backward_kernel::run(backend_call c, const tensor& grad, const tensor& self, const scalar& slope, bool,
                                     const tensor& out) {
  run_elementwise(c, elementwise::leaky_relu_backward, collect(grad, self, slope), out);
}

void register_activation() {
  register_forms(activation_forms);
  register_forms(activation_backward_forms);
  register_composite<&hardtanh, aten::hardtanh>();
  register_composite<&hardtanh_in_place, aten::hardtanh_>();
  register_composite<&relu6, aten::relu6>();
  register_composite<&relu6_in_place, aten::relu6_>();
  register_composite<&selu, aten::selu>();
  register_composite<&selu_in_place, aten::selu_>();
  register_composite<&celu, aten::celu>();
  register_composite<&celu_in_place, aten::celu_>();
  register_composite<&hardtanh_out, aten::hardtanh_out>();
  register_in_parts<&threshold_in_parts, aten::threshold, aten::threshold_, aten::threshold_out>();
  register_in_parts<&hardshrink_in_parts, aten::hardshrink, aten::hardshrink_out>();
  register_in_parts<&softshrink_in_parts, aten::softshrink, aten::softshrink_out>();
  register_in_parts<&prelu_in_parts, aten::_prelu_kernel>();
  register_in_parts<&glu_in_parts, aten::glu, aten::glu_out>();
  register_composite<&prelu, aten::prelu>();
}

}  // namespace topbit::detail
