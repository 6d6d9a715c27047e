// Gradients of functions of one tensor, element by element. The formulas are those of any calculus text; what they keep
// is what PyTorch keeps, so that the other of argument and result may be written to.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

constexpr double pi = 3.14159265358979323846, ln_2 = 0.69314718055994530942, ln_10 = 2.30258509299404568402;
// 2 / sqrt(pi), of erf at 0.
constexpr double erf_slope = 1.12837916709551257390;

// What is constant between its jumps.
template <const auto& Op, const auto& InPlace>
constexpr std::array<author::kernel_row, 2> flat_rows() {
  return derivative_rows<Op, InPlace, keep<>, [](T g, const auto&...) { return ops::zeros_like(g); }>();
}

template <class... Rows>
constexpr std::array<author::kernel_row, 2 * sizeof...(Rows)> joined(const Rows&... rows) {
  std::array<author::kernel_row, 2 * sizeof...(Rows)> all;
  std::size_t i = 0;
  ((all[i++] = rows[0], all[i++] = rows[1]), ...);
  return all;
}

tensor exp_of_negative_square(T x) { return ops::exp(product(x, x, -1)); }

// The derivative of digamma: by its series for large arguments, to which smaller ones are raised by
// f(x) = f(x + 1) + 1 / x^2, and those below 1/2 brought by f(x) + f(1 - x) = (pi / sin(pi x))^2. (Abramowitz and
// Stegun 6.4.6, 6.4.7, 6.4.12.) Its operators have derivatives.
tensor trigamma(T x) {
  const tensor below = ops::lt_scalar(x, 0.5);
  tensor z = ops::where(below, 1 - x, x);
  tensor sum = ops::reciprocal(ops::square(z));
  for (int i = 1; i < 8; ++i) {
    z = z + 1;
    sum = sum + ops::reciprocal(ops::square(z));
  }
  const tensor r = ops::reciprocal(z + 1), q = ops::square(r);
  // 1 and the Bernoulli numbers B2 to B12; the next term is below 2e-14 for z > 8.
  constexpr std::array bernoulli = {1.0, 1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730};
  tensor series = q * bernoulli.back() + bernoulli[bernoulli.size() - 2];
  for (std::size_t i = bernoulli.size() - 2; i-- > 0;) series = series * q + bernoulli[i];
  const tensor above = sum + series * r + q * 0.5;
  // Elements that the reflection is not for must not be poles of it: their gradient would be NaN.
  const tensor sine = ops::sin(ops::where_scalar_other(below, x, 0.5) * pi);
  return ops::where(below, pi * pi / ops::square(sine) - above, above);
}

// NaN outside [0, 1], as logit; with eps 0 where it is clamped.
tensor logit_gradient(T g, T x, const std::optional<double>& eps) {
  const double low = eps.value_or(0), outside = eps.has_value() ? 0 : std::numeric_limits<double>::quiet_NaN();
  const tensor beyond = ops::logical_or(x < low, x > 1 - low);
  return ops::where_scalar_self(beyond, outside, g / ops::addcmul(x, x, x, arg<"value"> = -1));
}

constexpr auto rows = joined(
    derivative_rows<ops::neg, ops::neg_, keep<>, [](T g) { return -g; }>(),
    derivative_rows<ops::abs, ops::abs_, keep<0>, [](T g, T x) { return g * ops::sign(x); }>(),
    flat_rows<ops::sign, ops::sign_>(), flat_rows<ops::ceil, ops::ceil_>(), flat_rows<ops::floor, ops::floor_>(),
    flat_rows<ops::round, ops::round_>(), flat_rows<ops::round_decimals, ops::round_decimals_>(),
    flat_rows<ops::trunc, ops::trunc_>(), derivative_rows<ops::frac, ops::frac_, keep<>, [](T g) { return g; }>(),
    derivative_rows<ops::nan_to_num, ops::nan_to_num_, keep<0>,
                    [](T g, T x, const auto&...) { return ops::where_scalar_other(ops::isfinite(x), g, 0); }>(),

    derivative_rows<ops::square, ops::square_, keep<0>, [](T g, T x) { return product(g, x, 2); }>(),
    derivative_rows<ops::reciprocal, ops::reciprocal_, keep<the_result>,
                    [](T g, T y) { return product(g * y, y, -1); }>(),
    derivative_rows<ops::sqrt, ops::sqrt_, keep<the_result>, [](T g, T y) { return quotient(g, y, 0.5); }>(),
    derivative_rows<ops::rsqrt, ops::rsqrt_, keep<the_result>, [](T g, T y) { return product(g * y, y * y, -0.5); }>(),
    derivative_rows<ops::exp, ops::exp_, keep<the_result>, [](T g, T y) { return g * y; }>(),
    derivative_rows<ops::exp2, ops::exp2_, keep<the_result>, [](T g, T y) { return product(g, y, ln_2); }>(),
    derivative_rows<ops::expm1, ops::expm1_, keep<the_result>, [](T g, T y) { return ops::addcmul(g, g, y); }>(),
    derivative_rows<ops::log, ops::log_, keep<0>, [](T g, T x) { return g / x; }>(),
    derivative_rows<ops::log2, ops::log2_, keep<0>, [](T g, T x) { return quotient(g, x, 1 / ln_2); }>(),
    derivative_rows<ops::log10, ops::log10_, keep<0>, [](T g, T x) { return quotient(g, x, 1 / ln_10); }>(),
    derivative_rows<ops::log1p, ops::log1p_, keep<0>, [](T g, T x) { return g / (x + 1); }>(),

    derivative_rows<ops::sin, ops::sin_, keep<0>, [](T g, T x) { return g * ops::cos(x); }>(),
    derivative_rows<ops::cos, ops::cos_, keep<0>, [](T g, T x) { return product(g, ops::sin(x), -1); }>(),
    derivative_rows<ops::tan, ops::tan_, keep<the_result>, [](T g, T y) { return ops::addcmul(g, g * y, y); }>(),
    derivative_rows<ops::asin, ops::asin_, keep<0>,
                    [](T g, T x) { return g * ops::rsqrt(plus_product(1, x, x, -1)); }>(),
    derivative_rows<ops::acos, ops::acos_, keep<0>,
                    [](T g, T x) { return product(g, ops::rsqrt(plus_product(1, x, x, -1)), -1); }>(),
    derivative_rows<ops::atan, ops::atan_, keep<0>, [](T g, T x) { return g / plus_product(1, x, x); }>(),
    derivative_rows<ops::sinh, ops::sinh_, keep<0>, [](T g, T x) { return g * ops::cosh(x); }>(),
    derivative_rows<ops::cosh, ops::cosh_, keep<0>, [](T g, T x) { return g * ops::sinh(x); }>(),
    // g (1 - y^2), in two calls.
    derivative_rows<ops::tanh, ops::tanh_, keep<the_result>,
                    [](T g, T y) { return ops::addcmul(g, g * y, y, arg<"value"> = -1); }>(),
    derivative_rows<ops::asinh, ops::asinh_, keep<0>, [](T g, T x) { return g * ops::rsqrt(plus_product(1, x, x)); }>(),
    derivative_rows<ops::acosh, ops::acosh_, keep<0>,
                    [](T g, T x) { return g * ops::rsqrt(plus_product(-1, x, x)); }>(),
    derivative_rows<ops::atanh, ops::atanh_, keep<0>, [](T g, T x) { return g / plus_product(1, x, x, -1); }>(),

    derivative_rows<ops::erf, ops::erf_, keep<0>,
                    [](T g, T x) { return product(g, exp_of_negative_square(x), erf_slope); }>(),
    derivative_rows<ops::erfc, ops::erfc_, keep<0>,
                    [](T g, T x) { return product(g, exp_of_negative_square(x), -erf_slope); }>(),
    derivative_rows<ops::erfinv, ops::erfinv_, keep<0>,
                    [](T g, T x) { return product(g, ops::exp(ops::square(ops::erfinv(x))), 1 / erf_slope); }>(),
    derivative_rows<ops::lgamma, ops::lgamma_, keep<0>, [](T g, T x) { return g * ops::digamma(x); }>(),
    derivative_rows<ops::digamma, ops::digamma_, keep<0>, [](T g, T x) { return g * trigamma(x); }>(),
    // g y (1 - y), in two calls.
    derivative_rows<ops::sigmoid, ops::sigmoid_, keep<the_result>,
                    [](T g, T y) {
                      const tensor gy = g * y;
                      return ops::addcmul(gy, gy, y, arg<"value"> = -1);
                    }>(),
    derivative_rows<ops::logit, ops::logit_, keep<0>, logit_gradient>());

}  // namespace

std::span<const author::kernel_row> unary_gradients() { return rows; }

}  // namespace topbit::detail
