module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.composite;
import :registration.factory;

namespace topbit::detail {

namespace {

void check_dropped(backend_call c, const tensor& input, double p) {
  check_defined(c, input);
  if (!(p >= 0 && p <= 1)) refuse<error>(c, "found p " + to_string(scalar(p)) + ", wanted 0 to 1");
}

// True if elements may be dropped.
bool drops(backend_call c, const tensor& input, double p, bool train) {
  check_dropped(c, input, p);
  if (!train || p == 0 || input.numel() == 0) return false;
  check_floating(c, input.dtype());
  return true;
}

// 1 with probability 1 - p, else 0.
tensor kept(const tensor& input, double p) {
  tensor noise = aten::empty_like(input);
  return aten::bernoulli_float_(noise, 1 - p);
}
// The factors of the input: 0 or 1 / (1 - p).
tensor dropout_noise(const tensor& input, double p) {
  if (p == 1) return aten::zeros_like(input);
  tensor noise = kept(input, p);
  return aten::div_Scalar_(noise, 1 - p);
}

// Dropped elements become selu's negative limit, -scale * alpha; factor and shift restore mean 0 and variance 1
// (Klambauer, Unterthiner, Mayr, Hochreiter: "Self-normalizing neural networks", 2017).
struct alpha_noise {
  tensor factor, shift;
  alpha_noise(const tensor& input, double p) {
    constexpr double limit = 1.7580993408473766;
    if (p == 1) {
      factor = shift = aten::zeros_like(input);
      return;
    }
    const double scale = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
    factor = kept(input, p);
    shift = aten::sub_Scalar(factor, 1);
    aten::mul_Scalar_(shift, limit * scale);
    aten::add_Scalar_(shift, limit * scale * p);
    aten::mul_Scalar_(factor, scale);
  }
};

tensor dropout(const tensor& input, double p, bool train) {
  if (!drops({nullptr, aten::dropout.name()}, input, p, train)) return input;
  return aten::mul_Tensor(input, dropout_noise(input, p));
}
tensor& dropout_in_place(tensor& self, double p, bool train) {
  if (!drops({nullptr, aten::dropout_.name()}, self, p, train)) return self;
  return aten::mul_Tensor_(self, dropout_noise(self, p));
}
tensor alpha_dropout(const tensor& input, double p, bool train) {
  if (!drops({nullptr, aten::alpha_dropout.name()}, input, p, train)) return input;
  const alpha_noise noise(input, p);
  return aten::add_Tensor(aten::mul_Tensor(input, noise.factor), noise.shift);
}
tensor& alpha_dropout_in_place(tensor& self, double p, bool train) {
  if (!drops({nullptr, aten::alpha_dropout_.name()}, self, p, train)) return self;
  const alpha_noise noise(self, p);
  aten::mul_Tensor_(self, noise.factor);
  return aten::add_Tensor_(self, noise.shift);
}

tensor native_dropout_backward(const tensor& gradient, const tensor& mask, double scale) {
  author::check_one_device(aten::native_dropout_backward, gradient, mask);
  return aten::mul_Scalar(aten::mul_Tensor(gradient, mask), scale);
}

std::tuple<tensor, tensor> native_dropout(const tensor& input, double p, std::optional<bool> train) {
  constexpr backend_call c{nullptr, aten::native_dropout.name()};
  check_dropped(c, input, p);
  if (!train.value_or(true)) return {aten::clone(input), aten::ones_like(input, arg<"dtype"> = dtype::boolean)};
  check_floating(c, input.dtype());
  tensor mask = aten::empty_like(input, arg<"dtype"> = dtype::boolean);
  aten::bernoulli_float_(mask, 1 - p);
  return {native_dropout_backward(input, mask, p == 1 ? 0 : 1 / (1 - p)), mask};
}

}  // namespace

void register_dropout() {
  register_composite<&dropout, aten::dropout>();
  register_composite<&dropout_in_place, aten::dropout_>();
  register_composite<&alpha_dropout, aten::alpha_dropout>();
  register_composite<&alpha_dropout_in_place, aten::alpha_dropout_>();
  register_composite<&native_dropout, aten::native_dropout>();
  register_composite<&native_dropout_backward, aten::native_dropout_backward>();
}

}  // namespace topbit::detail
