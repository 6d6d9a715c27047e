module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

using author::page;
using author::page_example;
using author::page_lines;
using author::raises;

constexpr std::string_view same_number = "numbers; the result has self's dtype";
constexpr std::string_view same_any = "any; the result has self's dtype";
constexpr std::string_view rounded = "numbers; the result has self's dtype, and integers stay as they are";

constexpr std::string_view one_pass = "one pass; elements are converted on the way";
constexpr std::string_view library_call = "one pass; on the CPU a call of the C library for each element";
constexpr std::string_view vectors = "one pass; on the CPU in vectors";
constexpr std::string_view in_double = "one pass; each element in float64, whatever its dtype";

// Calls that throw for an operator with the usual three forms.
struct wrong_calls {
  std::string_view no_fit;  // a result of a higher category than what is written
  std::string_view sizes;   // an out of other sizes
};

consteval page_lines function(std::string_view summary, std::string_view dtypes, std::string_view cost,
                              page_example example, wrong_calls wrong) {
  return {
      .summary = summary,
      .shapes = "self: [..] -> the same",
      .dtypes = dtypes,
      .memory =
          "the result is new and dense, in the memory order of self; or self, or out, which may be self, and costs a "
          "copy if it overlaps it partly",
      .cost = cost,
      .errors = {raises<dtype_error>(
                     "the result is of a higher category (bool, integers, floating) than self in place, or out",
                     wrong.no_fit),
                 raises<shape_error>(
                     "out has another shape than self; or self in place, or out, has elements that share memory",
                     wrong.sizes),
                 raises<device_error>("self and out are on different devices")},
      .examples = {example},
  };
}
// The same for those that do not take every dtype, with what they say and a call.
consteval page_lines partial(page_lines lines, std::string_view when, std::string_view call) {
  lines.errors[3] = lines.errors[2];
  lines.errors[2] = lines.errors[1];
  lines.errors[1] = lines.errors[0];
  lines.errors[0] = raises<dtype_error>(when, call);
  return lines;
}
// A result that is floating.
consteval page_lines real(std::string_view summary, std::string_view cost, page_example example, wrong_calls wrong) {
  return function(summary, "any; the result is floating: of self's dtype, or float32 for integers and bool", cost,
                  example, wrong);
}
consteval page_lines with_example(page_lines lines, page_example second) {
  lines.examples[1] = second;
  return lines;
}

constexpr author::operator_page pages[] = {
    page<aten::neg, aten::neg_, aten::neg_out>(partial(
        function("Changes the sign; integers wrap.", same_number, one_pass, {"neg([1, -2])", "[-1, 2] (int64 [2])"},
                 {"neg.out([1.5], out=[0])", "neg.out([1], out=[0, 0])"}),
        "self is bool", "neg([True])")),
    page<aten::abs, aten::abs_, aten::abs_out>(function(
        "Returns the magnitude; integers wrap, so the lowest is unchanged.", same_any, one_pass,
        {"abs([1.5, -2.5])", "[1.5, 2.5] (float32 [2])"}, {"abs.out([1.5], out=[0])", "abs.out([1], out=[0, 0])"})),
    page<aten::sign, aten::sign_, aten::sign_out>(
        function("Returns -1, 0 or 1 for elements below, at or above zero, and 0 for NaN.", same_any, one_pass,
                 {"sign([2.5, -3.0, 0.0, nan])", "[1, -1, 0, 0] (float32 [4])"},
                 {"sign.out([1.5], out=[0])", "sign.out([1], out=[0, 0])"})),
    page<aten::square, aten::square_, aten::square_out>(function(
        "Multiplies each element by itself; integers wrap.", "any; the result has self's dtype, int64 for bool",
        one_pass, {"square([3, -4])", "[9, 16] (int64 [2])"}, {"square_([True])", "square.out([1], out=[0, 0])"})),
    page<aten::ceil, aten::ceil_, aten::ceil_out>(
        partial(function("Rounds up to an integer.", rounded, one_pass, {"ceil([1.5, -1.5])", "[2, -1] (float32 [2])"},
                         {"ceil.out([1.5], out=[0])", "ceil.out([1], out=[0, 0])"}),
                "self is bool", "ceil([True])")),
    page<aten::floor, aten::floor_, aten::floor_out>(partial(
        function("Rounds down to an integer.", rounded, one_pass, {"floor([1.5, -1.5])", "[1, -2] (float32 [2])"},
                 {"floor.out([1.5], out=[0])", "floor.out([1], out=[0, 0])"}),
        "self is bool", "floor([True])")),
    page<aten::round, aten::round_, aten::round_out, aten::round_decimals, aten::round_decimals_,
         aten::round_decimals_out>(with_example(
        partial(function("Rounds to the nearest integer, or to a number of decimals (negative: before the point); "
                         "ties go to even.",
                         rounded, one_pass, {"round([0.5, 1.5, 2.5, -1.6])", "[0, 2, 2, -2] (float32 [4])"},
                         {"round.out([1.5], out=[0])", "round.out([1], out=[0, 0])"}),
                "self is bool", "round([True])"),
        {"round.decimals([3.14159, 2.71828], decimals=2)", "[3.14, 2.72] (float32 [2])"})),
    page<aten::trunc, aten::trunc_, aten::trunc_out>(
        partial(function("Rounds toward zero to an integer.", rounded, one_pass,
                         {"trunc([1.5, -1.5])", "[1, -1] (float32 [2])"},
                         {"trunc.out([1.5], out=[0])", "trunc.out([1], out=[0, 0])"}),
                "self is bool", "trunc([True])")),
    page<aten::frac, aten::frac_, aten::frac_out>(partial(
        function("Returns what trunc takes away, with the sign of self.", "floating; the result has self's dtype",
                 one_pass, {"frac([1.5, -1.25])", "[0.5, -0.25] (float32 [2])"},
                 {"frac.out([1.5], out=[0])", "frac.out([1.5], out=[0.0, 0.0])"}),
        "self is not floating", "frac([1])")),
    page<aten::nan_to_num, aten::nan_to_num_, aten::nan_to_num_out>(
        with_example(function("Replaces NaN by nan, or 0, and the infinities by posinf and neginf, or the maximum and "
                              "minimum of the dtype.",
                              "any; the result has self's dtype, and what is not floating is copied", one_pass,
                              {"nan_to_num([nan, 1.5, inf, -inf], 0.5, 9.0, -9.0)", "[0.5, 1.5, 9, -9] (float32 [4])"},
                              {"nan_to_num.out([1.5], out=[0])", "nan_to_num.out([1], out=[0, 0])"}),
                     {"nan_to_num([nan, inf, -inf])", "[0, 3.4028235e+38, -3.4028235e+38] (float32 [3])"})),
    page<aten::bitwise_not, aten::bitwise_not_, aten::bitwise_not_out>(with_example(
        partial(
            function("Flips every bit of integers, and negates bool.", "integers and bool; the result has self's dtype",
                     one_pass, {"bitwise_not([0, 5])", "[-1, -6] (int64 [2])"},
                     {"bitwise_not.out([1], out=[True])", "bitwise_not.out([1], out=[0, 0])"}),
            "self is floating", "bitwise_not([1.5])"),
        {"bitwise_not([True, False])", "[false, true] (bool [2])"})),

    // Roots, exponentials and logarithms.
    page<aten::reciprocal, aten::reciprocal_, aten::reciprocal_out>(
        real("Divides 1 by each element.", one_pass, {"reciprocal([2, 4])", "[0.5, 0.25] (float32 [2])"},
             {"reciprocal_([2])", "reciprocal.out([1.0], out=[0.0, 0.0])"})),
    page<aten::deg2rad, aten::deg2rad_, aten::deg2rad_out>(
        real("Converts degrees to radians.", one_pass, {"deg2rad([180, 90])", "[3.1415927, 1.5707964] (float32 [2])"},
             {"deg2rad_([180])", "deg2rad.out([180.0], out=[0.0, 0.0])"})),
    page<aten::sqrt, aten::sqrt_, aten::sqrt_out>(real("Computes the square root; NaN below 0.", one_pass,
                                                       {"sqrt([4.0, 2.0])", "[2, 1.4142135] (float32 [2])"},
                                                       {"sqrt_([4])", "sqrt.out([1.0], out=[0.0, 0.0])"})),
    page<aten::rsqrt, aten::rsqrt_, aten::rsqrt_out>(real("Divides 1 by the square root; inf at 0, NaN below.",
                                                          one_pass, {"rsqrt([4.0, 0.25])", "[0.5, 2] (float32 [2])"},
                                                          {"rsqrt_([4])", "rsqrt.out([1.0], out=[0.0, 0.0])"})),
    page<aten::exp, aten::exp_, aten::exp_out>(real("Raises e to the power of each element.", vectors,
                                                    {"exp([0.0, 1.0])", "[1, 2.7182817] (float32 [2])"},
                                                    {"exp_([1])", "exp.out([1.0], out=[0.0, 0.0])"})),
    page<aten::exp2, aten::exp2_, aten::exp2_out>(real("Raises 2 to the power of each element.", library_call,
                                                       {"exp2([3.0, -1.0])", "[8, 0.5] (float32 [2])"},
                                                       {"exp2_([1])", "exp2.out([1.0], out=[0.0, 0.0])"})),
    page<aten::expm1, aten::expm1_, aten::expm1_out>(real("Returns exp(self) - 1, without loss of precision near 0.",
                                                          library_call,
                                                          {"expm1([1.0, 1e-8])", "[1.7182819, 1e-08] (float32 [2])"},
                                                          {"expm1_([1])", "expm1.out([1.0], out=[0.0, 0.0])"})),
    page<aten::log, aten::log_, aten::log_out>(real("Computes the natural logarithm; -inf at 0, NaN below.", vectors,
                                                    {"log([1.0, 2.0, 0.0])", "[0, 0.6931472, -inf] (float32 [3])"},
                                                    {"log_([1])", "log.out([1.0], out=[0.0, 0.0])"})),
    page<aten::log2, aten::log2_, aten::log2_out>(real("Computes the logarithm to base 2; -inf at 0, NaN below.",
                                                       library_call, {"log2([8.0, 0.5])", "[3, -1] (float32 [2])"},
                                                       {"log2_([1])", "log2.out([1.0], out=[0.0, 0.0])"})),
    page<aten::log10, aten::log10_, aten::log10_out>(
        real("Computes the logarithm to base 10; -inf at 0, NaN below.", library_call,
             {"log10([100.0, 0.1])", "[2, -1] (float32 [2])"}, {"log10_([1])", "log10.out([1.0], out=[0.0, 0.0])"})),
    page<aten::log1p, aten::log1p_, aten::log1p_out>(
        real("Returns log(1 + self), without loss of precision near 0; -inf at -1, NaN below.", library_call,
             {"log1p([1.0, 1e-8])", "[0.6931472, 1e-08] (float32 [2])"},
             {"log1p_([1])", "log1p.out([1.0], out=[0.0, 0.0])"})),

    // Trigonometry.
    page<aten::sin, aten::sin_, aten::sin_out>(real("Computes the sine of angles in radians; NaN for infinities.",
                                                    library_call, {"sin([0.0, 1.0])", "[0, 0.84147096] (float32 [2])"},
                                                    {"sin_([1])", "sin.out([1.0], out=[0.0, 0.0])"})),
    page<aten::cos, aten::cos_, aten::cos_out>(real("Computes the cosine of angles in radians; NaN for infinities.",
                                                    library_call, {"cos([0.0, 1.0])", "[1, 0.5403023] (float32 [2])"},
                                                    {"cos_([1])", "cos.out([1.0], out=[0.0, 0.0])"})),
    page<aten::tan, aten::tan_, aten::tan_out>(real("Computes the tangent of angles in radians; NaN for infinities.",
                                                    library_call, {"tan([0.0, 1.0])", "[0, 1.5574077] (float32 [2])"},
                                                    {"tan_([1])", "tan.out([1.0], out=[0.0, 0.0])"})),
    page<aten::asin, aten::asin_, aten::asin_out>(
        real("Returns the angle from -pi/2 to pi/2 with this sine; NaN outside [-1, 1].", library_call,
             {"asin([0.0, 1.0])", "[0, 1.5707964] (float32 [2])"}, {"asin_([1])", "asin.out([1.0], out=[0.0, 0.0])"})),
    page<aten::acos, aten::acos_, aten::acos_out>(
        real("Returns the angle from 0 to pi with this cosine; NaN outside [-1, 1].", library_call,
             {"acos([1.0, 0.0])", "[0, 1.5707964] (float32 [2])"}, {"acos_([1])", "acos.out([1.0], out=[0.0, 0.0])"})),
    page<aten::atan, aten::atan_, aten::atan_out>(real("Returns the angle from -pi/2 to pi/2 with this tangent.",
                                                       library_call,
                                                       {"atan([1.0, -inf])", "[0.7853982, -1.5707964] (float32 [2])"},
                                                       {"atan_([1])", "atan.out([1.0], out=[0.0, 0.0])"})),
    page<aten::sinh, aten::sinh_, aten::sinh_out>(real("Computes the hyperbolic sine.", library_call,
                                                       {"sinh([0.0, 1.0])", "[0, 1.1752012] (float32 [2])"},
                                                       {"sinh_([1])", "sinh.out([1.0], out=[0.0, 0.0])"})),
    page<aten::cosh, aten::cosh_, aten::cosh_out>(real("Computes the hyperbolic cosine.", library_call,
                                                       {"cosh([0.0, 1.0])", "[1, 1.5430806] (float32 [2])"},
                                                       {"cosh_([1])", "cosh.out([1.0], out=[0.0, 0.0])"})),
    page<aten::tanh, aten::tanh_, aten::tanh_out>(real("Computes the hyperbolic tangent.", library_call,
                                                       {"tanh([0.0, 1.0])", "[0, 0.7615942] (float32 [2])"},
                                                       {"tanh_([1])", "tanh.out([1.0], out=[0.0, 0.0])"})),
    page<aten::asinh, aten::asinh_, aten::asinh_out>(real("Computes the inverse of the hyperbolic sine.", library_call,
                                                          {"asinh([0.0, 1.0])", "[0, 0.8813736] (float32 [2])"},
                                                          {"asinh_([1])", "asinh.out([1.0], out=[0.0, 0.0])"})),
    page<aten::acosh, aten::acosh_, aten::acosh_out>(real(
        "Computes the inverse of the hyperbolic cosine; NaN below 1.", library_call,
        {"acosh([1.0, 2.0])", "[0, 1.316958] (float32 [2])"}, {"acosh_([1])", "acosh.out([1.0], out=[0.0, 0.0])"})),
    page<aten::atanh, aten::atanh_, aten::atanh_out>(real(
        "Computes the inverse of the hyperbolic tangent; infinite at -1 and 1, NaN outside.", library_call,
        {"atanh([0.5, 1.0])", "[0.54930615, inf] (float32 [2])"}, {"atanh_([1])", "atanh.out([1.0], out=[0.0, 0.0])"})),

    // Special functions.
    page<aten::erf, aten::erf_, aten::erf_out>(
        real("Computes the error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to self.", library_call,
             {"erf([0.0, 1.0])", "[0, 0.8427008] (float32 [2])"}, {"erf_([1])", "erf.out([1.0], out=[0.0, 0.0])"})),
    page<aten::erfc, aten::erfc_, aten::erfc_out>(
        real("Returns 1 - erf(self), without loss of precision for large elements.", library_call,
             {"erfc([0.0, 1.0])", "[1, 0.1572992] (float32 [2])"}, {"erfc_([1])", "erfc.out([1.0], out=[0.0, 0.0])"})),
    page<aten::erfinv, aten::erfinv_, aten::erfinv_out>(
        real("Computes the inverse of erf; infinite at -1 and 1, NaN outside.", in_double,
             {"erfinv([0.5, 1.0])", "[0.47693628, inf] (float32 [2])"},
             {"erfinv_([1])", "erfinv.out([1.0], out=[0.0, 0.0])"})),
    page<aten::lgamma, aten::lgamma_, aten::lgamma_out>(
        real("Computes the logarithm of the magnitude of the gamma function; inf at 0 and the negative integers.",
             in_double, {"lgamma([5.0, 0.0])", "[3.1780539, inf] (float32 [2])"},
             {"lgamma_([1])", "lgamma.out([1.0], out=[0.0, 0.0])"})),
    page<aten::digamma, aten::digamma_, aten::digamma_out>(
        real("Computes the derivative of lgamma; -inf at 0, inf at -0, NaN at the negative integers.", in_double,
             {"digamma([1.0, 2.0])", "[-0.5772157, 0.42278433] (float32 [2])"},
             {"digamma_([1])", "digamma.out([1.0], out=[0.0, 0.0])"})),
    page<aten::sigmoid, aten::sigmoid_, aten::sigmoid_out>(
        real("Returns 1 / (1 + exp(-self)).", library_call, {"sigmoid([0.0, 1.0])", "[0.5, 0.7310586] (float32 [2])"},
             {"sigmoid_([1])", "sigmoid.out([1.0], out=[0.0, 0.0])"})),
    page<aten::logit, aten::logit_, aten::logit_out>(
        with_example(real("Returns log(self / (1 - self)), the inverse of sigmoid; self is first clamped to [eps, 1 - "
                          "eps] if eps is given.",
                          library_call, {"logit([0.5, 0.75])", "[0, 1.0986123] (float32 [2])"},
                          {"logit_([1])", "logit.out([0.5], out=[0.0, 0.0])"}),
                     {"logit([0.0, 1.0], 0.25)", "[-1.0986123, 1.0986123] (float32 [2])"})),
};

}  // namespace

void publish_unary_docs() { author::publish_pages({"Elementwise functions of one tensor", pages}).keep(); }

}  // namespace topbit::detail
