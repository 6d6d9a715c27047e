// All differentiable elementwise functions, with the intervals on which their gradients can be compared with finite
// differences. Include this after every other header: it imports.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace support {

struct unary_function {
  std::string name;
  std::function<tb::tensor(const tb::tensor&)> call;
  std::function<void(tb::tensor&)> call_in_place = {};
  double low = -2, high = 2;
  std::vector<double> not_near = {0};
};

struct binary_function {
  std::string name;
  std::function<tb::tensor(const tb::tensor&, const tb::tensor&)> call;
  std::function<void(tb::tensor&, const tb::tensor&)> call_in_place = {};
  double low = -2, high = 2;
  // False if rounding to a narrow type may cross a discontinuity.
  bool narrow = true;
};

// BOTH: the operator and its in-place form with the same options; ONE: the operator alone.
#define BOTH(f, ...)                                                       \
  [](const tb::tensor& x) { return tb::f(x __VA_OPT__(, ) __VA_ARGS__); }, \
      [](tb::tensor& x) { tb::f##_(x __VA_OPT__(, ) __VA_ARGS__); }
#define ONE(f, ...) [](const tb::tensor& x) { return tb::f(x __VA_OPT__(, ) __VA_ARGS__); }
#define BOTH_OF_TWO(f, ...)                                                                        \
  [](const tb::tensor& a, const tb::tensor& b) { return tb::f(a, b __VA_OPT__(, ) __VA_ARGS__); }, \
      [](tb::tensor& a, const tb::tensor& b) { tb::f##_(a, b __VA_OPT__(, ) __VA_ARGS__); }
#define ONE_OF_TWO(f) [](const tb::tensor& a, const tb::tensor& b) { return tb::f(a, b); }

inline const std::vector<unary_function> unary_functions = {
    {"neg", BOTH(neg)},
    {"rad2deg", BOTH(rad2deg)},
    {"abs", BOTH(abs)},
    {"square", BOTH(square)},
    {"sqrt", BOTH(sqrt), 0.3, 3},
    {"rsqrt", BOTH(rsqrt), 0.3, 3},
    {"reciprocal", BOTH(reciprocal), 0.4, 3},
    {"exp", BOTH(exp)},
    {"exp2", BOTH(exp2)},
    {"expm1", BOTH(expm1)},
    {"log", BOTH(log), 0.3, 3},
    {"log2", BOTH(log2), 0.3, 3},
    {"log10", BOTH(log10), 0.3, 3},
    {"log1p", BOTH(log1p), -0.6, 3},
    {"sin", BOTH(sin)},
    {"cos", BOTH(cos)},
    {"tan", BOTH(tan), -1, 1},
    {"asin", BOTH(asin), -0.7, 0.7},
    {"acos", BOTH(acos), -0.7, 0.7},
    {"atan", BOTH(atan)},
    {"sinh", BOTH(sinh)},
    {"cosh", BOTH(cosh)},
    {"tanh", BOTH(tanh)},
    {"asinh", BOTH(asinh)},
    {"acosh", BOTH(acosh), 1.5, 4},
    {"atanh", BOTH(atanh), -0.7, 0.7},
    {"erf", BOTH(erf)},
    {"erfc", BOTH(erfc)},
    {"erfinv", BOTH(erfinv), -0.7, 0.7},
    {"lgamma", BOTH(lgamma), 0.4, 4},
    {"lgamma below 0", BOTH(lgamma), -1.7, -1.3},
    {"digamma", BOTH(digamma), 0.4, 4},
    {"digamma below 0", BOTH(digamma), -1.7, -1.3},
    {"sigmoid", BOTH(sigmoid)},
    {"logit", BOTH(logit), 0.2, 0.8},
    {"logit with eps",
     [](const tb::tensor& x) { return tb::aten::logit(x, 0.3); },
     [](tb::tensor& x) { tb::aten::logit_(x, 0.3); },
     0.1,
     0.9,
     {0.3, 0.7}},
    {"nan_to_num", BOTH(nan_to_num)},
    {"frac", BOTH(frac), -2, 2, {-2, -1, 0, 1, 2}},
    {"sign", BOTH(sign)},
    {"sgn", BOTH(sgn)},
    {"ceil", BOTH(ceil), -2, 2, {-2, -1, 0, 1, 2}},
    {"floor", BOTH(floor), -2, 2, {-2, -1, 0, 1, 2}},
    {"trunc", BOTH(trunc), -2, 2, {-2, -1, 0, 1, 2}},
    {"round", BOTH(round), -2, 2, {-1.5, -0.5, 0.5, 1.5}},
    {"round to a decimal",
     [](const tb::tensor& x) { return tb::aten::round_decimals(x, tb::arg<"decimals"> = -1); },
     [](tb::tensor& x) { tb::aten::round_decimals_(x, tb::arg<"decimals"> = -1); },
     -20,
     20,
     {-15, -5, 5, 15}},
};

inline const std::vector<unary_function> activations = {
    {"relu", BOTH(relu), -4, 4},
    {"relu6", BOTH(relu6), -4, 4},
    {"hardtanh", BOTH(hardtanh, -2, 1), -4, 4, {-2, 1}},
    {"leaky_relu", BOTH(leaky_relu), -4, 4},
    {"leaky_relu with a slope", BOTH(leaky_relu, 0.3), -4, 4},
    {"elu", BOTH(elu), -4, 4},
    {"elu with factors", BOTH(elu, 1.5, 0.7, 0.4), -4, 4},
    {"selu", BOTH(selu), -4, 4},
    {"celu", BOTH(celu), -4, 4},
    {"celu with alpha", BOTH(celu, 0.6), -4, 4},
    {"silu", BOTH(silu), -4, 4},
    {"gelu", BOTH(gelu), -4, 4},
    {"gelu by tanh", BOTH(gelu, tb::arg<"approximate"> = "tanh"), -4, 4},
    {"mish", BOTH(mish), -4, 4},
    {"softplus", ONE(softplus), {}, -4, 4},
    {"softplus with a threshold", ONE(softplus, 2, 3), {}, -4, 4, {1.5}},
    {"hardswish", BOTH(hardswish), -4, 4, {-3, 3}},
    {"hardsigmoid", BOTH(hardsigmoid), -4, 4, {-3, 3}},
    {"log_sigmoid", ONE(log_sigmoid), {}, -4, 4},
    {"threshold", BOTH(threshold, 1, 5), -4, 4, {1}},
    {"hardshrink", ONE(hardshrink), {}, -4, 4, {-0.5, 0.5}},
    {"softshrink", ONE(softshrink), {}, -4, 4, {-0.5, 0.5}},
    {"glu", ONE(glu, 1), {}, -4, 4},
    {"glu, the last dimension", ONE(glu), {}, -4, 4},
};

inline const std::vector<binary_function> binary_functions = {
    {"add", BOTH_OF_TWO(add)},
    {"add with alpha", BOTH_OF_TWO(add, tb::arg<"alpha"> = 2)},
    {"sub", BOTH_OF_TWO(sub)},
    {"sub with alpha", BOTH_OF_TWO(sub, tb::arg<"alpha"> = 0.5)},
    {"rsub", ONE_OF_TWO(rsub)},
    {"mul", BOTH_OF_TWO(mul)},
    {"div", BOTH_OF_TWO(div), 0.5, 2},
    {"div, not rounded", BOTH_OF_TWO(div, tb::arg<"rounding_mode"> = std::nullopt), 0.5, 2},
    {"div rounded down", BOTH_OF_TWO(div, tb::arg<"rounding_mode"> = "floor"), 0.5, 0.9},
    {"div rounded to zero", BOTH_OF_TWO(div, tb::arg<"rounding_mode"> = "trunc"), 0.5, 0.9},
    {"floor_divide", BOTH_OF_TWO(floor_divide), 0.5, 0.9},
    {"remainder", BOTH_OF_TWO(remainder), 0.5, 0.9, false},
    {"fmod", BOTH_OF_TWO(fmod), 0.5, 0.9, false},
    {"pow", BOTH_OF_TWO(pow), 0.4, 2},
    {"maximum", ONE_OF_TWO(maximum)},
    {"minimum", ONE_OF_TWO(minimum)},
    {"fmax", ONE_OF_TWO(fmax)},
    {"fmin", ONE_OF_TWO(fmin)},
    {"atan2", BOTH_OF_TWO(atan2)},
    {"hypot", BOTH_OF_TWO(hypot)},
    {"copysign", BOTH_OF_TWO(copysign)},
    {"logaddexp", ONE_OF_TWO(logaddexp)},
    {"xlogy", BOTH_OF_TWO(xlogy), 0.4, 2},
    {"heaviside", BOTH_OF_TWO(heaviside)},
};

#undef BOTH
#undef ONE
#undef BOTH_OF_TWO
#undef ONE_OF_TWO

}  // namespace support
