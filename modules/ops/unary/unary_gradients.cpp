// Gradient rules of elementwise functions of one tensor. They save the argument or the result as PyTorch does, so that
// the other one may be overwritten.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

constexpr double pi = 3.14159265358979323846, ln_2 = 0.69314718055994530942, ln_10 = 2.30258509299404568402;
// 2 / sqrt(pi), the derivative of erf at 0.
constexpr double erf_slope = 1.12837916709551257390;

// Piecewise constant functions.
template <const auto& Op, const auto& InPlace>
constexpr std::array<author::kernel_row, 2> flat_rows() {
  return derivative_rows<Op, InPlace, keep<>, [](T g, const auto&...) { return aten::zeros_like(g); }>();
}

tensor exp_of_negative_square(T x) { return aten::exp(product(x, x, -1)); }

// The derivative of digamma: by its asymptotic series for large arguments; smaller ones are raised by
// f(x) = f(x + 1) + 1 / x^2, and those below 1/2 reflected by f(x) + f(1 - x) = (pi / sin(pi x))^2. (Abramowitz and
// Stegun 6.4.6, 6.4.7, 6.4.12.) Composed of differentiable operators.
tensor trigamma(T x) {
  const tensor below = aten::lt_Scalar(x, 0.5);
  tensor z = aten::where_self(below, 1 - x, x);
  tensor sum = aten::reciprocal(aten::square(z));
  for (int i = 1; i < 8; ++i) {
    z = z + 1;
    sum = sum + aten::reciprocal(aten::square(z));
  }
  const tensor r = aten::reciprocal(z + 1), q = aten::square(r);
  // 1 and the Bernoulli numbers B2 to B12; the next term is below 2e-14 for z > 8.
  constexpr std::array bernoulli = {1.0, 1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730};
  tensor series = q * bernoulli.back() + bernoulli[bernoulli.size() - 2];
  for (std::size_t i = bernoulli.size() - 2; i-- > 0;) series = series * q + bernoulli[i];
  const tensor above = sum + series * r + q * 0.5;
  // Elements that are not reflected must not be poles of the reflection: their gradient would be NaN.
  const tensor sine = aten::sin(aten::where_ScalarOther(below, x, 0.5) * pi);
  return aten::where_self(below, pi * pi / aten::square(sine) - above, above);
}

// NaN outside [0, 1], as logit; 0 where eps clamps.
tensor logit_gradient(T g, T x, const std::optional<double>& eps) {
  const double low = eps.value_or(0), outside = eps.has_value() ? 0 : std::numeric_limits<double>::quiet_NaN();
  const tensor beyond = aten::logical_or(x < low, x > 1 - low);
  return aten::where_ScalarSelf(beyond, outside, g / aten::addcmul(x, x, x, arg<"value"> = -1));
}

constexpr auto rows = joined_rows(
    derivative_rows<aten::neg, aten::neg_, keep<>, [](T g) { return -g; }>(),
    derivative_rows<aten::abs, aten::abs_, keep<0>, [](T g, T x) { return g * aten::sign(x); }>(),
    flat_rows<aten::sign, aten::sign_>(), flat_rows<aten::sgn, aten::sgn_>(), flat_rows<aten::ceil, aten::ceil_>(),
    flat_rows<aten::floor, aten::floor_>(), flat_rows<aten::round, aten::round_>(),
    flat_rows<aten::round_decimals, aten::round_decimals_>(), flat_rows<aten::trunc, aten::trunc_>(),
    derivative_rows<aten::frac, aten::frac_, keep<>, [](T g) { return g; }>(),
    derivative_rows<aten::nan_to_num, aten::nan_to_num_, keep<0>,
                    [](T g, T x, const auto&...) { return aten::where_ScalarOther(aten::isfinite(x), g, 0); }>(),

    derivative_rows<aten::square, aten::square_, keep<0>, [](T g, T x) { return product(g, x, 2); }>(),
    derivative_rows<aten::reciprocal, aten::reciprocal_, keep<the_result>,
                    [](T g, T y) { return product(g * y, y, -1); }>(),
    derivative_rows<aten::deg2rad, aten::deg2rad_, keep<>, [](T g) { return aten::deg2rad(g); }>(),
    derivative_rows<aten::rad2deg, aten::rad2deg_, keep<>, [](T g) { return aten::rad2deg(g); }>(),
    derivative_rows<aten::sqrt, aten::sqrt_, keep<the_result>, [](T g, T y) { return quotient(g, y, 0.5); }>(),
    derivative_rows<aten::rsqrt, aten::rsqrt_, keep<the_result>,
                    [](T g, T y) { return product(g * y, y * y, -0.5); }>(),
    derivative_rows<aten::exp, aten::exp_, keep<the_result>, [](T g, T y) { return g * y; }>(),
    derivative_rows<aten::exp2, aten::exp2_, keep<the_result>, [](T g, T y) { return product(g, y, ln_2); }>(),
    derivative_rows<aten::expm1, aten::expm1_, keep<the_result>, [](T g, T y) { return aten::addcmul(g, g, y); }>(),
    derivative_rows<aten::log, aten::log_, keep<0>, [](T g, T x) { return g / x; }>(),
    derivative_rows<aten::log2, aten::log2_, keep<0>, [](T g, T x) { return quotient(g, x, 1 / ln_2); }>(),
    derivative_rows<aten::log10, aten::log10_, keep<0>, [](T g, T x) { return quotient(g, x, 1 / ln_10); }>(),
    derivative_rows<aten::log1p, aten::log1p_, keep<0>, [](T g, T x) { return g / (x + 1); }>(),

    derivative_rows<aten::sin, aten::sin_, keep<0>, [](T g, T x) { return g * aten::cos(x); }>(),
    derivative_rows<aten::cos, aten::cos_, keep<0>, [](T g, T x) { return product(g, aten::sin(x), -1); }>(),
    derivative_rows<aten::tan, aten::tan_, keep<the_result>, [](T g, T y) { return aten::addcmul(g, g * y, y); }>(),
    derivative_rows<aten::asin, aten::asin_, keep<0>,
                    [](T g, T x) { return g * aten::rsqrt(plus_product(1, x, x, -1)); }>(),
    derivative_rows<aten::acos, aten::acos_, keep<0>,
                    [](T g, T x) { return product(g, aten::rsqrt(plus_product(1, x, x, -1)), -1); }>(),
    derivative_rows<aten::atan, aten::atan_, keep<0>, [](T g, T x) { return g / plus_product(1, x, x); }>(),
    derivative_rows<aten::sinh, aten::sinh_, keep<0>, [](T g, T x) { return g * aten::cosh(x); }>(),
    derivative_rows<aten::cosh, aten::cosh_, keep<0>, [](T g, T x) { return g * aten::sinh(x); }>(),
    derivative_rows<aten::tanh, aten::tanh_, keep<the_result>, [](T g, T y) { return aten::tanh_backward(g, y); }>(),
    derivative_rows<aten::asinh, aten::asinh_, keep<0>,
                    [](T g, T x) { return g * aten::rsqrt(plus_product(1, x, x)); }>(),
    derivative_rows<aten::acosh, aten::acosh_, keep<0>,
                    [](T g, T x) { return g * aten::rsqrt(plus_product(-1, x, x)); }>(),
    derivative_rows<aten::atanh, aten::atanh_, keep<0>, [](T g, T x) { return g / plus_product(1, x, x, -1); }>(),

    derivative_rows<aten::erf, aten::erf_, keep<0>,
                    [](T g, T x) { return product(g, exp_of_negative_square(x), erf_slope); }>(),
    derivative_rows<aten::erfc, aten::erfc_, keep<0>,
                    [](T g, T x) { return product(g, exp_of_negative_square(x), -erf_slope); }>(),
    derivative_rows<aten::erfinv, aten::erfinv_, keep<0>,
                    [](T g, T x) { return product(g, aten::exp(aten::square(aten::erfinv(x))), 1 / erf_slope); }>(),
    derivative_rows<aten::lgamma, aten::lgamma_, keep<0>, [](T g, T x) { return g * aten::digamma(x); }>(),
    derivative_rows<aten::digamma, aten::digamma_, keep<0>, [](T g, T x) { return g * trigamma(x); }>(),
    derivative_rows<aten::sigmoid, aten::sigmoid_, keep<the_result>,
                    [](T g, T y) { return aten::sigmoid_backward(g, y); }>(),
    derivative_rows<aten::logit, aten::logit_, keep<0>, logit_gradient>());

}  // namespace

std::span<const author::kernel_row> unary_gradients() { return rows; }

}  // namespace topbit::detail
