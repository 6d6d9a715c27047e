module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view rounded = "numbers; the result has self's dtype, and integers stay as they are";
constexpr std::string_view in_double = "one pass; each element in float64, whatever its dtype";

constexpr operator_page pages[] = {
    page<elementwise::neg, aten::neg, aten::neg_, aten::neg_out>(
        {.summary = "Changes the sign; integers wrap.", .examples = {{"neg([1, -2])", "[-1, 2] (int64 [2])"}}}),
    page<elementwise::abs, aten::abs, aten::abs_, aten::abs_out>(
        {.summary = "Returns the magnitude; integers wrap, so the lowest is unchanged.",
         .examples = {{"abs([1.5, -2.5])", "[1.5, 2.5] (float32 [2])"}}}),
    page<elementwise::sign, aten::sign, aten::sign_, aten::sign_out>(
        {.summary = "Returns -1, 0 or 1 for elements below, at or above zero, and 0 for NaN.",
         .examples = {{"sign([2.5, -3.0, 0.0, nan])", "[1, -1, 0, 0] (float32 [4])"}}}),
    page<elementwise::sign, aten::sgn, aten::sgn_, aten::sgn_out>(
        {.summary =
             "Returns the same as sign: complex numbers, whose direction PyTorch's sgn returns, are no dtype here.",
         .examples = {{"sgn([2.5, -3.0, 0.0, nan])", "[1, -1, 0, 0] (float32 [4])"}}}),
    page<aten::positive>({.summary = "Returns self itself.",
                          .shapes = "self: [..] -> [..]",
                          .dtypes = "numbers",
                          .cost = "none",
                          .errors = {bad_dtype("self is of bool", "positive([True])")},
                          .examples = {{"positive([1, -2])", "[1, -2] (int64 [2])"}}}),
    page<elementwise::square, aten::square, aten::square_, aten::square_out>(
        {.summary = "Multiplies each element by itself; integers wrap.",
         .examples = {{"square([3, -4])", "[9, 16] (int64 [2])"}}}),
    page<elementwise::ceil, aten::ceil, aten::ceil_, aten::ceil_out>(
        {.summary = "Rounds up to an integer.",
         .dtypes = rounded,
         .examples = {{"ceil([1.5, -1.5])", "[2, -1] (float32 [2])"}}}),
    page<elementwise::floor, aten::floor, aten::floor_, aten::floor_out>(
        {.summary = "Rounds down to an integer.",
         .dtypes = rounded,
         .examples = {{"floor([1.5, -1.5])", "[1, -2] (float32 [2])"}}}),
    page<elementwise::round, aten::round, aten::round_, aten::round_out, aten::round_decimals, aten::round_decimals_,
         aten::round_decimals_out>(
        {.summary =
             "Rounds to the nearest integer, or to a number of decimals (negative: before the point); ties go to even.",
         .dtypes = rounded,
         .examples = {{"round([0.5, 1.5, 2.5, -1.6])", "[0, 2, 2, -2] (float32 [4])"},
                      {"round.decimals([3.14159, 2.71828], decimals=2)", "[3.14, 2.72] (float32 [2])"}}}),
    page<elementwise::trunc, aten::trunc, aten::trunc_, aten::trunc_out>(
        {.summary = "Rounds toward zero to an integer.",
         .dtypes = rounded,
         .examples = {{"trunc([1.5, -1.5])", "[1, -1] (float32 [2])"}}}),
    page<elementwise::frac, aten::frac, aten::frac_, aten::frac_out>(
        {.summary = "Returns what trunc takes away, with the sign of self.",
         .examples = {{"frac([1.5, -1.25])", "[0.5, -0.25] (float32 [2])"}}}),
    page<elementwise::nan_to_num, aten::nan_to_num, aten::nan_to_num_, aten::nan_to_num_out>(
        {.summary = "Replaces NaN by nan, or 0, and the infinities by posinf and neginf, or the maximum and minimum of "
                    "the dtype.",
         .dtypes = "any; the result has self's dtype, and what is not floating is copied",
         .examples = {{"nan_to_num([nan, 1.5, inf, -inf], 0.5, 9.0, -9.0)", "[0.5, 1.5, 9, -9] (float32 [4])"},
                      {"nan_to_num([nan, inf, -inf])", "[0, 3.4028235e+38, -3.4028235e+38] (float32 [3])"}}}),
    page<elementwise::bitwise_not, aten::bitwise_not, aten::bitwise_not_, aten::bitwise_not_out>(
        {.summary = "Flips every bit of integers, and negates bool.",
         .examples = {{"bitwise_not([0, 5])", "[-1, -6] (int64 [2])"},
                      {"bitwise_not([True, False])", "[false, true] (bool [2])"}}}),

    // Roots, exponentials and logarithms.
    page<elementwise::reciprocal, aten::reciprocal, aten::reciprocal_, aten::reciprocal_out>(
        {.summary = "Divides 1 by each element.", .examples = {{"reciprocal([2, 4])", "[0.5, 0.25] (float32 [2])"}}}),
    page<elementwise::deg2rad, aten::deg2rad, aten::deg2rad_, aten::deg2rad_out>(
        {.summary = "Converts degrees to radians.",
         .examples = {{"deg2rad([180, 90])", "[3.1415927, 1.5707964] (float32 [2])"}}}),
    page<elementwise::rad2deg, aten::rad2deg, aten::rad2deg_, aten::rad2deg_out>(
        {.summary = "Converts radians to degrees.",
         .examples = {{"rad2deg([0.0, 1.0])", "[0, 57.29578] (float32 [2])"}}}),
    page<elementwise::sqrt, aten::sqrt, aten::sqrt_, aten::sqrt_out>(
        {.summary = "Computes the square root; NaN below 0.",
         .examples = {{"sqrt([4.0, 2.0])", "[2, 1.4142135] (float32 [2])"}}}),
    page<elementwise::rsqrt, aten::rsqrt, aten::rsqrt_, aten::rsqrt_out>(
        {.summary = "Divides 1 by the square root; inf at 0, NaN below.",
         .examples = {{"rsqrt([4.0, 0.25])", "[0.5, 2] (float32 [2])"}}}),
    page<elementwise::exp, aten::exp, aten::exp_, aten::exp_out>(
        {.summary = "Raises e to the power of each element.",
         .examples = {{"exp([0.0, 1.0])", "[1, 2.7182817] (float32 [2])"}}}),
    page<elementwise::exp2, aten::exp2, aten::exp2_, aten::exp2_out>(
        {.summary = "Raises 2 to the power of each element.",
         .examples = {{"exp2([3.0, -1.0])", "[8, 0.5] (float32 [2])"}}}),
    page<elementwise::expm1, aten::expm1, aten::expm1_, aten::expm1_out>(
        {.summary = "Returns exp(self) - 1, without loss of precision near 0.",
         .examples = {{"expm1([1.0, 1e-8])", "[1.7182819, 1e-08] (float32 [2])"}}}),
    page<elementwise::log, aten::log, aten::log_, aten::log_out>(
        {.summary = "Computes the natural logarithm; -inf at 0, NaN below.",
         .examples = {{"log([1.0, 2.0, 0.0])", "[0, 0.6931472, -inf] (float32 [3])"}}}),
    page<elementwise::log2, aten::log2, aten::log2_, aten::log2_out>(
        {.summary = "Computes the logarithm to base 2; -inf at 0, NaN below.",
         .examples = {{"log2([8.0, 0.5])", "[3, -1] (float32 [2])"}}}),
    page<elementwise::log10, aten::log10, aten::log10_, aten::log10_out>(
        {.summary = "Computes the logarithm to base 10; -inf at 0, NaN below.",
         .examples = {{"log10([100.0, 0.1])", "[2, -1] (float32 [2])"}}}),
    page<elementwise::log1p, aten::log1p, aten::log1p_, aten::log1p_out>(
        {.summary = "Returns log(1 + self), without loss of precision near 0; -inf at -1, NaN below.",
         .examples = {{"log1p([1.0, 1e-8])", "[0.6931472, 1e-08] (float32 [2])"}}}),

    // Trigonometry.
    page<elementwise::sin, aten::sin, aten::sin_, aten::sin_out>(
        {.summary = "Computes the sine of angles in radians; NaN for infinities.",
         .examples = {{"sin([0.0, 1.0])", "[0, 0.84147096] (float32 [2])"}}}),
    page<elementwise::cos, aten::cos, aten::cos_, aten::cos_out>(
        {.summary = "Computes the cosine of angles in radians; NaN for infinities.",
         .examples = {{"cos([0.0, 1.0])", "[1, 0.5403023] (float32 [2])"}}}),
    page<elementwise::tan, aten::tan, aten::tan_, aten::tan_out>(
        {.summary = "Computes the tangent of angles in radians; NaN for infinities.",
         .examples = {{"tan([0.0, 1.0])", "[0, 1.5574077] (float32 [2])"}}}),
    page<elementwise::asin, aten::asin, aten::asin_, aten::asin_out>(
        {.summary = "Returns the angle from -pi/2 to pi/2 with this sine; NaN outside [-1, 1].",
         .examples = {{"asin([0.0, 1.0])", "[0, 1.5707964] (float32 [2])"}}}),
    page<elementwise::acos, aten::acos, aten::acos_, aten::acos_out>(
        {.summary = "Returns the angle from 0 to pi with this cosine; NaN outside [-1, 1].",
         .examples = {{"acos([1.0, 0.0])", "[0, 1.5707964] (float32 [2])"}}}),
    page<elementwise::atan, aten::atan, aten::atan_, aten::atan_out>(
        {.summary = "Returns the angle from -pi/2 to pi/2 with this tangent.",
         .examples = {{"atan([1.0, -inf])", "[0.7853982, -1.5707964] (float32 [2])"}}}),
    page<elementwise::sinh, aten::sinh, aten::sinh_, aten::sinh_out>(
        {.summary = "Computes the hyperbolic sine.",
         .examples = {{"sinh([0.0, 1.0])", "[0, 1.1752012] (float32 [2])"}}}),
    page<elementwise::cosh, aten::cosh, aten::cosh_, aten::cosh_out>(
        {.summary = "Computes the hyperbolic cosine.",
         .examples = {{"cosh([0.0, 1.0])", "[1, 1.5430806] (float32 [2])"}}}),
    page<elementwise::tanh, aten::tanh, aten::tanh_, aten::tanh_out>(
        {.summary = "Computes the hyperbolic tangent.",
         .examples = {{"tanh([0.0, 1.0])", "[0, 0.7615942] (float32 [2])"}}}),
    page<elementwise::asinh, aten::asinh, aten::asinh_, aten::asinh_out>(
        {.summary = "Computes the inverse of the hyperbolic sine.",
         .examples = {{"asinh([0.0, 1.0])", "[0, 0.8813736] (float32 [2])"}}}),
    page<elementwise::acosh, aten::acosh, aten::acosh_, aten::acosh_out>(
        {.summary = "Computes the inverse of the hyperbolic cosine; NaN below 1.",
         .examples = {{"acosh([1.0, 2.0])", "[0, 1.316958] (float32 [2])"}}}),
    page<elementwise::atanh, aten::atanh, aten::atanh_, aten::atanh_out>(
        {.summary = "Computes the inverse of the hyperbolic tangent; infinite at -1 and 1, NaN outside.",
         .examples = {{"atanh([0.5, 1.0])", "[0.54930615, inf] (float32 [2])"}}}),

    // Special functions.
    page<elementwise::erf, aten::erf, aten::erf_, aten::erf_out>(
        {.summary = "Computes the error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to self.",
         .examples = {{"erf([0.0, 1.0])", "[0, 0.8427008] (float32 [2])"}}}),
    page<elementwise::erfc, aten::erfc, aten::erfc_, aten::erfc_out>(
        {.summary = "Returns 1 - erf(self), without loss of precision for large elements.",
         .examples = {{"erfc([0.0, 1.0])", "[1, 0.1572992] (float32 [2])"}}}),
    page<elementwise::erfinv, aten::erfinv, aten::erfinv_, aten::erfinv_out>(
        {.summary = "Computes the inverse of erf; infinite at -1 and 1, NaN outside.",
         .examples = {{"erfinv([0.5, 1.0])", "[0.47693628, inf] (float32 [2])"}}}),
    page<elementwise::lgamma, aten::lgamma, aten::lgamma_, aten::lgamma_out>(
        {.summary =
             "Computes the logarithm of the magnitude of the gamma function; inf at 0 and the negative integers.",
         .cost = in_double,
         .examples = {{"lgamma([5.0, 0.0])", "[3.1780539, inf] (float32 [2])"}}}),
    page<elementwise::digamma, aten::digamma, aten::digamma_, aten::digamma_out>(
        {.summary = "Computes the derivative of lgamma; -inf at 0, inf at -0, NaN at the negative integers.",
         .cost = in_double,
         .examples = {{"digamma([1.0, 2.0])", "[-0.5772157, 0.42278433] (float32 [2])"}}}),
    page<elementwise::sigmoid, aten::sigmoid, aten::sigmoid_, aten::sigmoid_out>(
        {.summary = "Returns 1 / (1 + exp(-self)).",
         .examples = {{"sigmoid([0.0, 1.0])", "[0.5, 0.7310586] (float32 [2])"}}}),
    page<elementwise::logit, aten::logit, aten::logit_, aten::logit_out>(
        {.summary = "Returns log(self / (1 - self)), the inverse of sigmoid; self is first clamped to [eps, 1 - eps] "
                    "if eps is given.",
         .examples = {{"logit([0.5, 0.75])", "[0, 1.0986123] (float32 [2])"},
                      {"logit([0.0, 1.0], 0.25)", "[-1.0986123, 1.0986123] (float32 [2])"}}}),
};

void publish_unary_docs() { author::publish_pages({"Elementwise functions of one tensor", pages}).keep(); }

}  // namespace topbit::detail
