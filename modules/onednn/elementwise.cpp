// Activations, and sums and products of elements.
module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;
import :recording;
import :rows;

namespace topbit::onednn {

namespace {

using library::binary, library::unary;

// Undefined where oneDNN does not compute it.
tensor activated(unary f, const tensor& x) {
  if (!is_simple(x, x.dtype()) || !is_float(x.dtype())) return {};
  array_ptr a = library::elementwise(f, array_of(x));
  return a != nullptr ? wrapped(std::move(a), x.sizes()) : tensor();
}

template <unary F, const auto& Op, class... A>
tensor activation(const tensor& self, A... a) {
  return computed<Op>(
      std::span(&self, 1), [](std::span<const tensor> in) { return activated(F, in[0]); },
      [=](std::span<const tensor> in) { return Op(in[0], a...); });
}

// The gradient is that of the result, so that relu_ may overwrite the argument.
tensor rectified(const tensor& self) {
  return computed<aten::relu>(
      std::span(&self, 1), [](std::span<const tensor> in) { return activated(unary::relu, in[0]); },
      [](std::span<const tensor> in) { return aten::relu(in[0]); },
      [](std::span<const tensor>, const tensor& result, const tensor& g) {
        return std::vector<tensor>{aten::threshold_backward(g, dense(result), 0)};
      },
      keeps::result);
}

// What `self` becomes, for the in-place forms of calls that are recorded.
tensor& become(tensor& self, const tensor& result) {
  write(self, result);
  if (requires_grad(result)) author::rebase(self, author::gradient_edge(result));
  return self;
}

tensor& rectify(tensor& self) {
  if (records(self)) return become(self, rectified(self));
  if (is_simple(self, self.dtype()) && is_float(self.dtype()) && library::elementwise_(unary::relu, array_of(self))) {
    return self;
  }
  const author::below_autograd guard;
  write(self, in_dense<aten::relu>(self));
  return self;
}

tensor gelu(const tensor& self, std::string_view approximate) {
  const std::string how(approximate);
  return computed<aten::gelu>(
      std::span(&self, 1),
      [&](std::span<const tensor> in) {
        if (how == "none") return activated(unary::gelu_erf, in[0]);
        return how == "tanh" ? activated(unary::gelu_tanh, in[0]) : tensor();
      },
      [how](std::span<const tensor> in) { return aten::gelu(in[0], arg<"approximate"> = std::string_view(how)); });
}

// A number as the other operand: a 0-dimensional tensor of the host.
std::optional<float> number_in(const tensor& t) {
  if (t.layout() != layout::strided || t.dim() != 0 || t.device() != cpu || t.dtype() == dtype::boolean) {
    return std::nullopt;
  }
  return static_cast<float>(item<double>(t));
}

bool broadcasts_to(const shape& from, const shape& to) {
  if (from.size() != to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i] && from[i] != 1) return false;
  }
  return true;
}

// alpha * x, for the operand that a sum scales.
array_ptr scaled(const library::array& x, float alpha) { return library::elementwise(unary::linear, x, alpha, 0); }

// self f (alpha * other); undefined where oneDNN does not compute it.
tensor combined(binary f, const tensor& self, const tensor& other, float alpha) {
  if (!is_float(self.dtype()) || !is_simple(self, self.dtype())) return {};
  const bool adds = f != binary::mul;
  if (const std::optional<float> n = number_in(other); n.has_value() && is_blocked(self)) {
    const float by = f == binary::sub ? -*n * alpha : *n * alpha;
    array_ptr a = library::elementwise(unary::linear, array_of(self), adds ? 1 : *n, adds ? by : 0);
    return a != nullptr ? wrapped(std::move(a), self.sizes()) : tensor();
  }
  if (!is_simple(other, self.dtype())) return {};
  const tensor* first = &self;
  const tensor* second = &other;
  if (!broadcasts_to(other.sizes(), self.sizes())) {
    if (f == binary::sub || alpha != 1 || !broadcasts_to(self.sizes(), other.sizes())) return {};
    std::swap(first, second);
  }
  const operand a(*first), b(*second);
  array_ptr factor = alpha != 1 ? scaled(b.get(), alpha) : nullptr;
  array_ptr result = library::combine(f, a.get(), factor != nullptr ? *factor : b.get());
  return result != nullptr ? wrapped(std::move(result), first->sizes()) : tensor();
}

float factor_of() { return 1; }
float factor_of(const scalar& alpha) { return static_cast<float>(alpha.to_double()); }

template <binary F, const auto& Op, class... A>
tensor arithmetic(const tensor& self, const tensor& other, A... alpha) {
  author::check_one_device(Op, self, other);
  return computed<Op>(
      std::array{self, other},
      [&](std::span<const tensor> in) { return combined(F, in[0], in[1], factor_of(alpha...)); },
      [=](std::span<const tensor> in) { return Op(in[0], in[1], alpha...); });
}

template <binary F, const auto& Op, const auto& Functional, class... A>
tensor& arithmetic_(tensor& self, const tensor& other, A... alpha) {
  author::check_one_device(Op, self, other);
  if (!is_blocked(self)) return write_dense<Op>(self, other, alpha...);
  if (records(self, other)) {
    // The gradient may need what is overwritten.
    const tensor before = clone(self);
    const tensor& second = other.same_as(self) ? before : other;
    const tensor result = Functional(before, second, alpha...);
    if (result.sizes() == self.sizes() && result.dtype() == self.dtype()) return become(self, result);
  }
  if (factor_of(alpha...) == 1 && is_float(self.dtype()) && is_simple(self, self.dtype()) &&
      is_simple(other, self.dtype()) && broadcasts_to(other.sizes(), self.sizes()) && !other.same_as(self)) {
    const operand b(other);
    if (library::combine_(F, array_of(self), b.get())) return self;
  }
  const author::below_autograd guard;
  tensor strided = to_dense(self);
  Op(strided, dense(other), alpha...);
  write(self, strided);
  return self;
}

// Into a tensor that exists: the functional form, and a copy.
template <const auto& Op, const auto& Functional, class... A>
tensor& arithmetic_out(const tensor& self, const tensor& other, A... alpha, tensor& out) {
  author::check_one_device(Op, self, other, out);
  if (!is_blocked(out)) {
    const counted_once guard;
    return Op(dense(self), dense(other), alpha..., out);
  }
  if (records(self, other, out)) {
    // The strided form says that it has no gradient.
    tensor strided = to_dense(out);
    Op(dense(self), dense(other), alpha..., strided);
  }
  const tensor result = Functional(self, other, alpha...);
  if (result.sizes() != out.sizes() || result.dtype() != out.dtype()) {
    tensor strided = to_dense(out);
    Op(dense(self), dense(other), alpha..., strided);  // says what is wrong, or converts
    write(out, strided);
    return out;
  }
  write(out, result);
  return out;
}

using number = const scalar&;

constexpr author::kernel_row rows[] = {
    blocked_row<&rectified, aten::relu>(),
    blocked_row<&rectify, aten::relu_>(),
    blocked_row<&activation<unary::sigmoid, aten::sigmoid>, aten::sigmoid>(),
    blocked_row<&activation<unary::tanh, aten::tanh>, aten::tanh>(),
    blocked_row<&gelu, aten::gelu>(),
    blocked_row<&arithmetic<binary::add, aten::add_Tensor, number>, aten::add_Tensor>(),
    blocked_row<&arithmetic<binary::sub, aten::sub_Tensor, number>, aten::sub_Tensor>(),
    blocked_row<&arithmetic<binary::mul, aten::mul_Tensor>, aten::mul_Tensor>(),
    blocked_row<&arithmetic_<binary::add, aten::add_Tensor_, aten::add_Tensor, number>, aten::add_Tensor_>(),
    blocked_row<&arithmetic_<binary::sub, aten::sub_Tensor_, aten::sub_Tensor, number>, aten::sub_Tensor_>(),
    blocked_row<&arithmetic_<binary::mul, aten::mul_Tensor_, aten::mul_Tensor>, aten::mul_Tensor_>(),
    blocked_row<&arithmetic_out<aten::add_out, aten::add_Tensor, number>, aten::add_out>(),
    blocked_row<&arithmetic_out<aten::sub_out, aten::sub_Tensor, number>, aten::sub_out>(),
    blocked_row<&arithmetic_out<aten::mul_out, aten::mul_Tensor>, aten::mul_out>(),
};

}  // namespace

std::span<const author::kernel_row> elementwise_rows() { return rows; }

}  // namespace topbit::onednn
