// Kernels of the families `unary` and `activation`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.composite;
import :rowwise.softmax_kernels;
import :unary.unary_kernels;

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
// A number in the tensor's dtype, which it does not promote.
tensor number_like(const tensor& self, const scalar& value) {
  return aten::full(std::span<const std::int64_t>(), value, arg<"dtype"> = self.dtype(), arg<"device"> = self.device());
}

tensor threshold(const tensor& self, const scalar& bound, const scalar& value) {
  constexpr backend_call c{nullptr, aten::threshold.name()};
  check_defined(c, self);
  if (self.dtype() == dtype::boolean) refuse<dtype_error>(c, "found bool, wanted a number");
  return aten::where_self(aten::le_Scalar(self, bound), number_like(self, value), self);
}

tensor hardshrink(const tensor& self, const scalar& lambd) {
  check_activation(aten::hardshrink.name(), self);
  return aten::where_self(aten::le_Scalar(aten::abs(self), lambd), number_like(self, 0), self);
}

tensor softshrink(const tensor& self, const scalar& lambd) {
  constexpr std::string_view op = aten::softshrink.name();
  check_activation(op, self);
  if (!(lambd.to_double() >= 0))
    refuse<error>({nullptr, op}, "found lambd " + to_string(lambd) + ", wanted at least 0");
  // Not recorded: NaN gradients must not pass through the zeros.
  const tensor zero = [&] {
    const no_grad constant;
    return self * 0;
  }();
  const tensor outside = aten::where_self(aten::lt_Scalar(self, 0), self + lambd, self - lambd);
  return aten::where_self(aten::le_Scalar(aten::abs(self), lambd), zero, outside);
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
  return aten::where_self(aten::gt_Scalar(self, 0), self, self * aten::reshape(weight, sizes));
}

tensor glu(const tensor& self, std::int64_t dim) {
  constexpr backend_call c{nullptr, aten::glu.name()};
  check_activation(c.op, self);
  const std::size_t d = dim_of(c, dim, self);
  if (self.dim() == 0 || self.sizes()[d] % 2 != 0) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted an even number of elements in dimension " +
                               std::to_string(d));
  }
  const std::int64_t half = self.sizes()[d] / 2;
  return aten::narrow(self, dim, 0, half) * aten::sigmoid(aten::narrow(self, dim, half, half));
}

}  // namespace

void register_unary() {
  register_forms<unary_forms>();
  register_without_gradient<aten::bitwise_not>();
}

void register_activation() {
  register_forms<activation_forms>();
  register_composite<&hardtanh, aten::hardtanh>();
  register_composite<&hardtanh_in_place, aten::hardtanh_>();
  register_composite<&relu6, aten::relu6>();
  register_composite<&relu6_in_place, aten::relu6_>();
  register_composite<&selu, aten::selu>();
  register_composite<&selu_in_place, aten::selu_>();
  register_composite<&celu, aten::celu>();
  register_composite<&celu_in_place, aten::celu_>();
  register_composite<&hardtanh_out, aten::hardtanh_out>();
  register_composite<&threshold, aten::threshold>();
  register_out_variants<aten::threshold, aten::threshold_, aten::threshold_out>();
  register_composite<&hardshrink, aten::hardshrink>();
  register_out_variants<aten::hardshrink, aten::hardshrink_out>();
  register_composite<&softshrink, aten::softshrink>();
  register_out_variants<aten::softshrink, aten::softshrink_out>();
  register_composite<&prelu, aten::prelu>();
  register_composite<&glu, aten::glu>();
  register_out_variants<aten::glu, aten::glu_out>();
}

}  // namespace topbit::detail
