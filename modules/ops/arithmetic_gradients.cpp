// Gradients of operators of several tensors, element by element.
//
// Here a formula says for itself what it reads, and that is kept only where its gradient is wanted: x * 2 keeps nothing
// of x, which may then be written to or go.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

// Of a form that writes to its first argument: where the others require no gradients, a rule that keeps none of it is
// used, which saves a copy.
template <const auto& InPlace, class Rule, class Sig = std::remove_cvref_t<decltype(InPlace)>::signature>
struct in_place;
template <const auto& InPlace, class Sig, class First, class... Rest, class... A>
struct in_place<InPlace, derivative_in_parts<Sig, First, Rest...>, tensor&(tensor&, A...)> {
  template <class>
  using nothing = without_gradient;
  using whole = derivative_in_parts<Sig, First, Rest...>;
  using first_only = derivative_in_parts<Sig, First, nothing<Rest>...>;

  template <class B>
  static bool has_gradient(const B& x) {
    if constexpr (std::same_as<B, tensor>)
      return requires_grad(x);
    else
      return false;
  }
  static tensor& run(key_set keys, tensor& self, A... a) {
    if ((has_gradient(a) || ...)) return author::autograd_kernel<InPlace, whole>::run(keys, self, a...);
    return author::autograd_kernel<InPlace, first_only>::run(keys, self, a...);
  }
};
template <const auto& InPlace, class Rule>
constexpr author::kernel_row in_place_row(std::source_location where = std::source_location::current()) {
  return author::row<&in_place<InPlace, Rule>::run>(InPlace, key::Autograd, where);
}

// The factor of `other`, and no more: a gradient is a floating number, whatever alpha was.
template <int Sign>
struct add_rule {
  double alpha;
  static constexpr bool keeps_first_argument = false;
  static add_rule save(T, T, const scalar& alpha, T) { return {Sign * alpha.to_double()}; }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? g : tensor(), wanted[1] ? times(g, scalar(alpha)) : tensor()};
  }
};

using mul_rule = in_parts<ops::mul, formula<keep<1>, [](T g, T b) { return g * b; }>,
                          formula<keep<0>, [](T g, T a) { return g * a; }>>;
using div_rule = in_parts<ops::div, formula<keep<1>, [](T g, T b) { return g / b; }>,
                          formula<keep<0, 1>, [](T g, T a, T b) { return quotient(g * (a / b), b, -1); }>>;

using mode = std::optional<std::string>;
// Rounded, it is constant between its jumps.
using div_mode_rule_of_gradient =
    in_parts<ops::div_mode,
             formula<keep<1>, [](T g, T b, const mode& m) { return m.has_value() ? ops::zeros_like(g) : g / b; }>,
             formula<keep<0, 1>, [](T g, T a, T b, const mode& m) {
               return m.has_value() ? ops::zeros_like(g) : quotient(g * (a / b), b, -1);
             }>>;
using flat = formula<keep<>, [](T g) { return ops::zeros_like(g); }>;
using floor_divide_rule = in_parts<ops::floor_divide, flat, flat>;

template <const auto& Op, const char (&Mode)[6]>
using remainder_rule =
    in_parts<Op, formula<keep<>, [](T g) { return g; }>, formula<keep<0, 1>, [](T g, T a, T b) {
               return product(g, ops::div_mode(a, b, arg<"rounding_mode"> = std::string_view(Mode)), -1);
             }>>;
constexpr char rounded_down[] = "floor", rounded_to_zero[] = "trunc";

// Equal elements share the gradient, and beside a NaN both have it whole. Greater: of the maximum.
template <bool Greater>
struct extremum_rule {
  saved_tensor a, b;
  static extremum_rule save(T a, T b, T) { return {saved_tensor(a), saved_tensor(b)}; }
  grads2 backward(T g, wants2 wanted) const {
    const tensor x = a.get(), y = b.get();
    const tensor shared = ops::where(ops::eq(x, y), g * 0.5, g);
    const auto of = [&](T chosen, T other) {
      return ops::where_scalar_self(Greater ? chosen < other : chosen > other, 0, shared);
    };
    return {wanted[0] ? of(x, y) : tensor(), wanted[1] ? of(y, x) : tensor()};
  }
};
// The same where a number wins over a NaN, and the first of two NaNs loses.
template <bool Greater>
struct number_extremum_rule {
  saved_tensor a, b;
  static number_extremum_rule save(T a, T b, T) { return {saved_tensor(a), saved_tensor(b)}; }
  grads2 backward(T g, wants2 wanted) const {
    const tensor x = a.get(), y = b.get();
    const tensor same = ops::eq(x, y), shared = ops::where(same, g * 0.5, g);
    const tensor first = ops::logical_or(Greater ? x > y : x < y, ops::isnan(y));
    return {wanted[0] ? ops::where_scalar_other(ops::logical_or(first, same), shared, 0) : tensor(),
            wanted[1] ? ops::where_scalar_self(first, 0, shared) : tensor()};
  }
};

// A number in a tensor without dimensions, which is read at once. None if it has a gradient itself or is not at hand.
std::optional<double> number_in(T t) {
  if (t.dim() != 0 || requires_grad(t) || t.device() != cpu || !t.record().data) return std::nullopt;
  return item(t);
}
// g times the derivative by x of x to the power of e.
tensor power_gradient(T g, T x, double e) {
  if (e == 0) return ops::zeros_like(g);
  if (e == 1) return g;
  return product(g, e == 2 ? x : ops::pow_scalar(x, e - 1), e);
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
    return ops::where_scalar_self(ops::eq_scalar(e, 0), 0, g * (e * ops::pow(x, e - 1)));
  }
  // A base of 0 does not change where the exponent is 0 or more, though its logarithm is infinite.
  tensor of_exponent(T g) const {
    const tensor y = power.get();
    if (base_number && *base_number != 0) return product(g, y, std::log(*base_number));
    const tensor e = exponent.get(), x = base_number ? number_beside(e, 0) : base.get();
    const tensor constant = ops::logical_and(ops::eq_scalar(x, 0), e >= 0);
    return g * (y * ops::log(ops::where_scalar_self(constant, 1, x)));
  }
};

// 0 at the origin, where there is no derivative.
struct atan2_rule {
  saved_tensor y, x;
  static atan2_rule save(T y, T x, T) { return {saved_tensor(y), saved_tensor(x)}; }
  grads2 backward(T g, wants2 wanted) const {
    const tensor b = y.get(), a = x.get();
    const tensor square = ops::addcmul(a * a, b, b);
    const tensor divisor = ops::where_scalar_self(ops::eq_scalar(square, 0), 1, square);
    return {wanted[0] ? g * (a / divisor) : tensor(), wanted[1] ? product(g, b / divisor, -1) : tensor()};
  }
};

using hypot_rule = in_parts<ops::hypot, formula<keep<0, the_result>, [](T g, T a, T y) { return g * (a / y); }>,
                            formula<keep<1, the_result>, [](T g, T b, T y) { return g * (b / y); }>>;
using copysign_rule =
    in_parts<ops::copysign,
             formula<keep<0, the_result>, [](T g, T a, T y) { return g * (ops::sign(a) * ops::sign(y)); }>, flat>;
using logaddexp_rule =
    in_parts<ops::logaddexp, formula<keep<0, 1>, [](T g, T a, T b) { return g * ops::sigmoid(a - b); }>,
             formula<keep<0, 1>, [](T g, T a, T b) { return g * ops::sigmoid(b - a); }>>;
using xlogy_rule = in_parts<ops::xlogy,
                            formula<keep<0, 1>,
                                    [](T g, T a, T b) {
                                      const tensor constant = ops::logical_and(ops::eq_scalar(a, 0), b <= 0);
                                      return ops::where_scalar_self(constant, 0, ops::xlogy(g, b));
                                    }>,
                            formula<keep<0, 1>, [](T g, T a, T b) { return g * a / b; }>>;
using heaviside_rule =
    in_parts<ops::heaviside, flat,
             formula<keep<0>, [](T g, T a) { return ops::where_scalar_other(ops::eq_scalar(a, 0), g, 0); }>>;

// Each element's gradient goes where the element came from.
using where_rule_of_gradient =
    in_parts<ops::where, without_gradient, formula<keep<0>, [](T g, T c) { return ops::where_scalar_other(c, g, 0); }>,
             formula<keep<0>, [](T g, T c) { return ops::where_scalar_self(c, 0, g); }>>;

// 0 at the bounds too.
tensor clamp_gradient(T g, T x, const std::optional<scalar>& min, const std::optional<scalar>& max) {
  if (!max) return ops::where_scalar_other(x > *min, g, 0);
  const tensor below = x < *max;
  return ops::where_scalar_other(min ? ops::logical_and(x > *min, below) : below, g, 0);
}
using clamp_rule_of_gradient = in_parts<ops::clamp, formula<keep<0>, clamp_gradient>>;

using lerp_rule =
    in_parts<ops::lerp, formula<keep<2>, [](T g, T w) { return ops::addcmul(g, g, w, arg<"value"> = -1); }>,
             formula<keep<2>, [](T g, T w) { return g * w; }>,
             formula<keep<0, 1>, [](T g, T a, T b) { return g * (b - a); }>>;
using addcmul_rule =
    in_parts<ops::addcmul, formula<keep<>, [](T g, const scalar&) { return g; }>,
             formula<keep<2>, [](T g, T b, const scalar& value) { return product(g, b, value.to_double()); }>,
             formula<keep<1>, [](T g, T a, const scalar& value) { return product(g, a, value.to_double()); }>>;
using addcdiv_rule =
    in_parts<ops::addcdiv, formula<keep<>, [](T g, const scalar&) { return g; }>,
             formula<keep<2>, [](T g, T b, const scalar& value) { return quotient(g, b, value.to_double()); }>,
             formula<keep<1, 2>,
                     [](T g, T a, T b, const scalar& value) { return quotient(g * (a / b), b, -value.to_double()); }>>;

// What a comparison writes does not depend on what was there.
template <const auto& Op>
using comparison_rule = in_parts<Op, flat, flat>;

using fmod_rule = remainder_rule<ops::fmod, rounded_to_zero>;
using modulo_rule = remainder_rule<ops::remainder, rounded_down>;

constexpr author::kernel_row rows[] = {
    gradient_row<ops::add, add_rule<1>>(),
    gradient_row<ops::add_, add_rule<1>>(),
    gradient_row<ops::sub, add_rule<-1>>(),
    gradient_row<ops::sub_, add_rule<-1>>(),
    gradient_row<ops::mul, mul_rule>(),
    in_place_row<ops::mul_, mul_rule>(),
    gradient_row<ops::div, div_rule>(),
    in_place_row<ops::div_, div_rule>(),
    gradient_row<ops::div_mode, div_mode_rule_of_gradient>(),
    in_place_row<ops::div_mode_, div_mode_rule_of_gradient>(),
    gradient_row<ops::floor_divide, floor_divide_rule>(),
    gradient_row<ops::floor_divide_, floor_divide_rule>(),
    gradient_row<ops::fmod, fmod_rule>(),
    in_place_row<ops::fmod_, fmod_rule>(),
    gradient_row<ops::remainder, modulo_rule>(),
    in_place_row<ops::remainder_, modulo_rule>(),
    gradient_row<ops::pow, pow_rule>(),
    gradient_row<ops::pow_, pow_rule>(),
    gradient_row<ops::maximum, extremum_rule<true>>(),
    gradient_row<ops::minimum, extremum_rule<false>>(),
    gradient_row<ops::fmax, number_extremum_rule<true>>(),
    gradient_row<ops::fmin, number_extremum_rule<false>>(),
    gradient_row<ops::atan2, atan2_rule>(),
    gradient_row<ops::atan2_, atan2_rule>(),
    gradient_row<ops::hypot, hypot_rule>(),
    gradient_row<ops::hypot_, hypot_rule>(),
    gradient_row<ops::copysign, copysign_rule>(),
    gradient_row<ops::copysign_, copysign_rule>(),
    gradient_row<ops::logaddexp, logaddexp_rule>(),
    gradient_row<ops::xlogy, xlogy_rule>(),
    gradient_row<ops::xlogy_, xlogy_rule>(),
    gradient_row<ops::heaviside, heaviside_rule>(),
    gradient_row<ops::heaviside_, heaviside_rule>(),
    gradient_row<ops::eq_, comparison_rule<ops::eq_>>(),
    gradient_row<ops::ne_, comparison_rule<ops::ne_>>(),
    gradient_row<ops::lt_, comparison_rule<ops::lt_>>(),
    gradient_row<ops::le_, comparison_rule<ops::le_>>(),
    gradient_row<ops::gt_, comparison_rule<ops::gt_>>(),
    gradient_row<ops::ge_, comparison_rule<ops::ge_>>(),
    gradient_row<ops::where, where_rule_of_gradient>(),
    gradient_row<ops::clamp, clamp_rule_of_gradient>(),
    gradient_row<ops::clamp_, clamp_rule_of_gradient>(),
    gradient_row<ops::lerp, lerp_rule>(),
    in_place_row<ops::lerp_, lerp_rule>(),
    gradient_row<ops::addcmul, addcmul_rule>(),
    gradient_row<ops::addcmul_, addcmul_rule>(),
    gradient_row<ops::addcdiv, addcdiv_rule>(),
    gradient_row<ops::addcdiv_, addcdiv_rule>(),
};

}  // namespace

std::span<const author::kernel_row> arithmetic_gradients() { return rows; }

}  // namespace topbit::detail
