// Gradient formulas, beside the operators they belong to. Each rule keeps what its formula reads and nothing else;
// broadcasting is undone by summing. The formulas are those of any calculus text. Those of views are in
// view_gradients.cpp.
export module topbit.ops:gradients;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :create;
import :activation;
import :elementwise;
import :unary;
import :operators;
import :reduce;
import :softmax;
import :view;

namespace topbit::detail {

/// Sums a gradient over the dimensions that were broadcast, back to the shape of the argument.
tensor sum_to(const tensor& gradient, const dims& sizes, dtype type);

using wants2 = std::array<bool, 2>;
using grads1 = std::array<tensor, 1>;
using grads2 = std::array<tensor, 2>;

// Shape and dtype of an argument, all that linear operators keep of it.
struct kind_of {
  dims sizes;
  dtype type;
  kind_of(const tensor& t) : sizes(t.sizes()), type(t.dtype()) {}
  tensor reduce(const tensor& gradient) const { return sum_to(gradient, sizes, type); }
};

template <int Sign>
struct add_rule {
  kind_of self, other;
  scalar alpha;
  static add_rule save(const tensor& self, const tensor& other, const scalar& alpha, const tensor&) {
    return {self, other, alpha};
  }
  grads2 backward(const tensor& g, wants2 wanted) const {
    const scalar factor =
        is_floating(alpha.type()) ? scalar(Sign * alpha.to_double()) : scalar(Sign * alpha.to_int64());
    return {wanted[0] ? self.reduce(g) : tensor(),
            wanted[1] ? other.reduce(factor == scalar(1) ? g : ops::mul_scalar(g, factor)) : tensor()};
  }
};

struct mul_rule {
  kind_of self_kind, other_kind;
  saved_tensor self, other;
  static mul_rule save(const tensor& a, const tensor& b, const tensor&) {
    return {a, b, saved_tensor(a), saved_tensor(b)};
  }
  grads2 backward(const tensor& g, wants2 wanted) const {
    constexpr std::string_view op = ops::mul.name();
    return {wanted[0] ? self_kind.reduce(g * other.get(op)) : tensor(),
            wanted[1] ? other_kind.reduce(g * self.get(op)) : tensor()};
  }
};

struct div_rule {
  kind_of self_kind, other_kind;
  saved_tensor other, result;
  static div_rule save(const tensor& a, const tensor& b, const tensor& result) {
    return {a, b, saved_tensor(b), saved_tensor(detach(result))};
  }
  grads2 backward(const tensor& g, wants2 wanted) const {
    const tensor scaled = g / other.get(ops::div.name());
    return {wanted[0] ? self_kind.reduce(scaled) : tensor(),
            wanted[1] ? other_kind.reduce(-(scaled * result.get(ops::div.name()))) : tensor()};
  }
};

struct neg_rule {
  static neg_rule save(const tensor&, const tensor&) { return {}; }
  grads1 backward(const tensor& g, std::array<bool, 1>) const { return {-g}; }
};

struct exp_rule {
  saved_tensor result;
  static exp_rule save(const tensor&, const tensor& result) { return {saved_tensor(detach(result))}; }
  grads1 backward(const tensor& g, std::array<bool, 1>) const { return {g * result.get(ops::exp.name())}; }
};

struct log_rule {
  saved_tensor self;
  static log_rule save(const tensor& self, const tensor&) { return {saved_tensor(self)}; }
  grads1 backward(const tensor& g, std::array<bool, 1>) const { return {g / self.get(ops::log.name())}; }
};

struct rsqrt_rule {
  saved_tensor result;
  static rsqrt_rule save(const tensor&, const tensor& result) { return {saved_tensor(detach(result))}; }
  grads1 backward(const tensor& g, std::array<bool, 1>) const {
    const tensor& y = result.get(ops::rsqrt.name());
    return {g * (y * y * y) * -0.5};
  }
};

struct relu_rule {
  saved_tensor result;
  static relu_rule save(const tensor&, const tensor& result) { return {saved_tensor(detach(result))}; }
  grads1 backward(const tensor& g, std::array<bool, 1>) const {
    return {ops::threshold_backward(g, result.get(ops::relu.name()), 0)};
  }
};

struct sum_rule {
  kind_of self;
  static sum_rule save(const tensor& self, std::optional<dtype>, const tensor&) { return {self}; }
  grads1 backward(const tensor& g, std::array<bool, 1>) const { return {ops::expand(to(g, self.type), self.sizes)}; }
};

struct sum_dim_rule {
  kind_of self;
  dims kept;  // the sizes of the result with keepdim
  static sum_dim_rule save(const tensor& self, std::optional<std::span<const std::int64_t>> dim, bool,
                           std::optional<dtype>, const tensor&);
  grads1 backward(const tensor& g, std::array<bool, 1>) const {
    return {ops::expand(ops::reshape(to(g, self.type), kept), self.sizes)};
  }
};

// to_copy, clone: the gradient goes back to where and what the argument was.
struct copy_rule {
  dtype type;
  device where;
  template <class... Options>
  static copy_rule save(const tensor& self, const Options&...) {
    return {self.dtype(), self.device()};
  }
  grads1 backward(const tensor& g, std::array<bool, 1>) const { return {to(to(g, where), type)}; }
};

struct softmax_rule {
  saved_tensor result;
  std::int64_t dim;
  static softmax_rule save(const tensor&, std::int64_t dim, bool, const tensor& result) {
    return {saved_tensor(detach(result)), dim};
  }
  grads1 backward(const tensor& g, std::array<bool, 1>) const {
    const tensor& y = result.get(ops::softmax_forward.name());
    return {ops::softmax_backward(g, y, dim, y.dtype())};
  }
};

struct log_softmax_rule {
  saved_tensor result;
  std::int64_t dim;
  static log_softmax_rule save(const tensor&, std::int64_t dim, bool, const tensor& result) {
    return {saved_tensor(detach(result)), dim};
  }
  grads1 backward(const tensor& g, std::array<bool, 1>) const {
    const tensor& y = result.get(ops::log_softmax_forward.name());
    return {ops::log_softmax_backward(g, y, dim, y.dtype())};
  }
};

}  // namespace topbit::detail
