// Gradient rules of arithmetic on two tensors.
//
// Each formula declares what it reads, which is saved only if its gradient is wanted: x * 2 saves nothing of x, which
// may then be overwritten or freed.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :registration.composite;

namespace topbit::detail {

namespace {

// Saves only the factor of `other`, as a double: gradients are floating-point whatever alpha is.
template <int Sign>
struct add_rule {
  double alpha;
  static constexpr bool keeps_first_argument = false;
  static add_rule save(T, T, const scalar& alpha, T) { return {Sign * alpha.to_double()}; }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? g : tensor(), wanted[1] ? times(g, scalar(alpha)) : tensor()};
  }
};

using mul_rule = in_parts<aten::mul_Tensor, formula<keep<1>, [](T g, T b) { return g * b; }>,
                          formula<keep<0>, [](T g, T a) { return g * a; }>>;
using div_rule = in_parts<aten::div_Tensor, formula<keep<1>, [](T g, T b) { return g / b; }>,
                          formula<keep<0, 1>, [](T g, T a, T b) { return quotient(g * (a / b), b, -1); }>>;

using mode = std::optional<std::string>;
// A rounded quotient is piecewise constant.
using div_mode_rule_of_gradient =
    in_parts<aten::div_Tensor_mode,
             formula<keep<1>, [](T g, T b, const mode& m) { return m.has_value() ? aten::zeros_like(g) : g / b; }>,
             formula<keep<0, 1>, [](T g, T a, T b, const mode& m) {
               return m.has_value() ? aten::zeros_like(g) : quotient(g * (a / b), b, -1);
             }>>;
using floor_divide_rule = in_parts<aten::floor_divide, flat, flat>;

template <const auto& Op, const char (&Mode)[6]>
using remainder_rule =
    in_parts<Op, formula<keep<>, [](T g) { return g; }>, formula<keep<0, 1>, [](T g, T a, T b) {
               return product(g, aten::div_Tensor_mode(a, b, arg<"rounding_mode"> = std::string_view(Mode)), -1);
             }>>;
constexpr char rounded_down[] = "floor", rounded_to_zero[] = "trunc";

// Equal elements share the gradient evenly; beside a NaN each gets all of it. Greater: maximum, else minimum.
template <bool Greater>
struct extremum_rule {
  saved_tensor a, b;
  static extremum_rule save(T a, T b, T) { return {saved_tensor(a), saved_tensor(b)}; }
  grads2 backward(T g, wants2 wanted) const {
    const tensor x = a.get(), y = b.get();
    const tensor shared = aten::where_self(aten::eq_Tensor(x, y), g * 0.5, g);
    const auto of = [&](T chosen, T other) {
      return aten::where_ScalarSelf(Greater ? chosen < other : chosen > other, 0, shared);
    };
    return {wanted[0] ? of(x, y) : tensor(), wanted[1] ? of(y, x) : tensor()};
  }
};
// fmax and fmin: a number wins over NaN, and the first of two NaNs gets the gradient.
template <bool Greater>
struct number_extremum_rule {
  saved_tensor a, b;
  static number_extremum_rule save(T a, T b, T) { return {saved_tensor(a), saved_tensor(b)}; }
  grads2 backward(T g, wants2 wanted) const {
    const tensor x = a.get(), y = b.get();
    const tensor same = aten::eq_Tensor(x, y), shared = aten::where_self(same, g * 0.5, g);
    const tensor first = aten::logical_or(Greater ? x > y : x < y, aten::isnan(y));
    return {wanted[0] ? aten::where_ScalarOther(aten::logical_or(first, same), shared, 0) : tensor(),
            wanted[1] ? aten::where_ScalarSelf(first, 0, shared) : tensor()};
  }
};

// The value of a zero-dimensional CPU tensor; none if a derivative by it is wanted or it is elsewhere.
std::optional<double> number_in(T t) {
  if (t.dim() != 0 || requires_grad(t) || t.keys().contains(key::ForwardAD) || t.device() != cpu ||
      !author::record_of(t).data)
    return std::nullopt;
  return item(t);
}
// g * d(x^e)/dx.
tensor power_gradient(T g, T x, double e) {
  if (e == 0) return aten::zeros_like(g);
  if (e == 1) return g;
  return product(g, e == 2 ? x : aten::pow_Tensor_Scalar(x, e - 1), e);
}
struct pow_rule {
  saved_tensor base, exponent;
  saved_result power;
  std::optional<double> base_number, exponent_number;

  static pow_rule save(T base, T exponent, T r) {
    const std::optional<double> b = number_in(base), e = number_in(exponent);
    const bool for_base = requires_grad(base), for_exponent = requires_grad(exponent);
    return {for_base || !b ? saved_tensor(base) : saved_tensor(),
            e || (b && *b != 0) ? saved_tensor() : saved_tensor(exponent),
            for_exponent ? saved_result(r) : saved_result(), b, e};
  }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? of_base(g) : tensor(), wanted[1] ? of_exponent(g) : tensor()};
  }

 private:
  tensor of_base(T g) const {
    const tensor x = base.get();
    if (exponent_number) return power_gradient(g, x, *exponent_number);
    const tensor e = exponent.get();
    return aten::where_ScalarSelf(aten::eq_Scalar(e, 0), 0, g * (e * aten::pow_Tensor_Tensor(x, e - 1)));
  }
  // The gradient is 0 for base 0 and exponent >= 0, although the logarithm is infinite.
  tensor of_exponent(T g) const {
    const tensor y = power.get();
    if (base_number && *base_number != 0) return product(g, y, std::log(*base_number));
    const tensor e = exponent.get(), x = base_number ? number_beside(e, 0) : base.get();
    const tensor constant = aten::logical_and(aten::eq_Scalar(x, 0), e >= 0);
    return g * (y * aten::log(aten::where_ScalarSelf(constant, 1, x)));
  }
};

// Gradient 0 at the origin, where atan2 has no derivative.
struct atan2_rule {
  saved_tensor y, x;
  static atan2_rule save(T y, T x, T) { return {saved_tensor(y), saved_tensor(x)}; }
  grads2 backward(T g, wants2 wanted) const {
    const tensor b = y.get(), a = x.get();
    const tensor square = aten::addcmul(a * a, b, b);
    const tensor divisor = aten::where_ScalarSelf(aten::eq_Scalar(square, 0), 1, square);
    return {wanted[0] ? g * (a / divisor) : tensor(), wanted[1] ? product(g, b / divisor, -1) : tensor()};
  }
};

using hypot_rule = in_parts<aten::hypot, formula<keep<0, the_result>, [](T g, T a, T y) { return g * (a / y); }>,
                            formula<keep<1, the_result>, [](T g, T b, T y) { return g * (b / y); }>>;
using copysign_rule =
    in_parts<aten::copysign_Tensor,
             formula<keep<0, the_result>, [](T g, T a, T y) { return g * (aten::sign(a) * aten::sign(y)); }>, flat>;
using logaddexp_rule =
    in_parts<aten::logaddexp, formula<keep<0, 1>, [](T g, T a, T b) { return g * aten::sigmoid(a - b); }>,
             formula<keep<0, 1>, [](T g, T a, T b) { return g * aten::sigmoid(b - a); }>>;
using xlogy_rule = in_parts<aten::xlogy_Tensor,
                            formula<keep<0, 1>,
                                    [](T g, T a, T b) {
                                      const tensor constant = aten::logical_and(aten::eq_Scalar(a, 0), b <= 0);
                                      return aten::where_ScalarSelf(constant, 0, aten::xlogy_Tensor(g, b));
                                    }>,
                            formula<keep<0, 1>, [](T g, T a, T b) { return g * a / b; }>>;
using heaviside_rule =
    in_parts<aten::heaviside, flat,
             formula<keep<0>, [](T g, T a) { return aten::where_ScalarOther(aten::eq_Scalar(a, 0), g, 0); }>>;

using fmod_rule = remainder_rule<aten::fmod_Tensor, rounded_to_zero>;
using modulo_rule = remainder_rule<aten::remainder_Tensor, rounded_down>;

constexpr author::kernel_row rows[] = {
    gradient_row<aten::add_Tensor, add_rule<1>>(),
    gradient_row<aten::add_Tensor_, add_rule<1>>(),
    gradient_row<aten::sub_Tensor, add_rule<-1>>(),
    gradient_row<aten::sub_Tensor_, add_rule<-1>>(),
    gradient_row<aten::mul_Tensor, mul_rule>(),
    in_place_row<aten::mul_Tensor_, mul_rule>(),
    gradient_row<aten::div_Tensor, div_rule>(),
    in_place_row<aten::div_Tensor_, div_rule>(),
    gradient_row<aten::div_Tensor_mode, div_mode_rule_of_gradient>(),
    in_place_row<aten::div_Tensor_mode_, div_mode_rule_of_gradient>(),
    gradient_row<aten::floor_divide, floor_divide_rule>(),
    gradient_row<aten::floor_divide_Tensor_, floor_divide_rule>(),
    gradient_row<aten::fmod_Tensor, fmod_rule>(),
    in_place_row<aten::fmod_Tensor_, fmod_rule>(),
    gradient_row<aten::remainder_Tensor, modulo_rule>(),
    in_place_row<aten::remainder_Tensor_, modulo_rule>(),
    gradient_row<aten::pow_Tensor_Tensor, pow_rule>(),
    gradient_row<aten::pow_Tensor_, pow_rule>(),
    gradient_row<aten::maximum, extremum_rule<true>>(),
    gradient_row<aten::minimum, extremum_rule<false>>(),
    gradient_row<aten::fmax, number_extremum_rule<true>>(),
    gradient_row<aten::fmin, number_extremum_rule<false>>(),
    gradient_row<aten::atan2, atan2_rule>(),
    gradient_row<aten::atan2_, atan2_rule>(),
    gradient_row<aten::hypot, hypot_rule>(),
    gradient_row<aten::hypot_, hypot_rule>(),
    gradient_row<aten::copysign_Tensor, copysign_rule>(),
    gradient_row<aten::copysign_Tensor_, copysign_rule>(),
    gradient_row<aten::logaddexp, logaddexp_rule>(),
    gradient_row<aten::xlogy_Tensor, xlogy_rule>(),
    gradient_row<aten::xlogy_Tensor_, xlogy_rule>(),
    gradient_row<aten::heaviside, heaviside_rule>(),
    gradient_row<aten::heaviside_, heaviside_rule>(),
};

}  // namespace

std::span<const author::kernel_row> arithmetic_gradients() { return rows; }

}  // namespace topbit::detail
