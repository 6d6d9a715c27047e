module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

using author::page;
using author::page_error;
using author::raises;

constexpr std::string_view floating = "floating; the result has self's dtype";

constexpr std::string_view new_or_written =
    "the result is new and dense, in the memory order of self; or self, or out, which may be self, and costs a copy if "
    "it overlaps it partly";
constexpr std::string_view new_or_self = "the result is new and dense, in the memory order of self; or self";
constexpr std::string_view new_or_out =
    "the result is new and dense, in the memory order of self; or out, which may be self, and costs a copy if it "
    "overlaps it partly";

constexpr std::string_view copied =
    "the result is new and dense, in the memory order of self; or out, into which it is copied";

constexpr std::string_view one_pass = "one pass; elements are converted on the way";
constexpr std::string_view one_call = "one pass; on the CPU a call of the C library for each element";
constexpr std::string_view two_calls = "one pass; on the CPU two calls of the C library for each element";

consteval page_error not_floating(std::string_view example) {
  return raises<dtype_error>("self is not floating", example);
}
consteval page_error no_fit(std::string_view example) { return raises<dtype_error>("out is not floating", example); }
consteval page_error other_sizes(std::string_view example) {
  return raises<shape_error>(
      "out has another shape than self; or self in place, or out, has elements that share memory", example);
}
constexpr page_error two_devices = raises<device_error>("self and out are on different devices");

constexpr author::operator_page pages[] = {
    page<aten::relu, aten::relu_>({
        .summary = "Replaces negative elements by 0; NaN propagates.",
        .shapes = "self: [..] -> the same",
        .dtypes = "numbers; the result has self's dtype",
        .memory = new_or_self,
        .cost = one_pass,
        .errors = {raises<dtype_error>("self is bool", "relu([True])")},
        .examples = {{"relu([1.5, -2.5, nan])", "[1.5, 0, nan] (float32 [3])"}},
    }),
    page<aten::relu6, aten::relu6_>({
        .summary = "Limits elements to [0, 6]: clamp with these bounds.",
        .shapes = "self: [..] -> the same",
        .dtypes = "numbers; the result has self's dtype",
        .memory = new_or_self,
        .cost = one_pass,
        .errors = {raises<dtype_error>("self is bool", "relu6([True])")},
        .examples = {{"relu6([-1.0, 3.0, 9.0])", "[0, 3, 6] (float32 [3])"}},
    }),
    page<aten::hardtanh, aten::hardtanh_, aten::hardtanh_out>({
        .summary = "Limits elements to [min_val, max_val]: clamp with both bounds.",
        .shapes = "self: [..] -> the same",
        .dtypes = "numbers; the result has self's dtype, or float32 for integers with a floating bound; only the form "
                  "with out takes bool too, as clamp does",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<error>("the bounds exclude all numbers of self's integer dtype",
                                 "hardtanh([1] (uint8), 300, 400)"),
                   raises<dtype_error>("self is bool", "hardtanh([True])"),
                   raises<dtype_error>("self in place, or out, is of integers, and a bound, or self, is floating",
                                       "hardtanh_([1], -0.5, 0.5)"),
                   other_sizes("hardtanh.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"hardtanh([-2.0, 0.5, 3.0])", "[-1, 0.5, 1] (float32 [3])"}},
    }),
    page<aten::leaky_relu, aten::leaky_relu_, aten::leaky_relu_out>({
        .summary = "Multiplies negative elements by negative_slope.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {not_floating("leaky_relu([1])"), no_fit("leaky_relu.out([1.0], out=[0])"),
                   other_sizes("leaky_relu.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"leaky_relu([2.0, -2.0])", "[2, -0.02] (float32 [2])"},
                     {"leaky_relu([2.0, -2.0], 0.5)", "[2, -1] (float32 [2])"}},
    }),
    page<aten::prelu>({
        .summary = "Multiplies negative elements by weight, one for all or one for each channel, which is dimension 1.",
        .shapes = "self: [N, C, ..], weight: [C], [1] or [] -> self's; of fewer than two dimensions only the last two",
        .dtypes = "floating; weight has self's dtype, which the result has",
        .memory = "the result is new and dense, in the memory order of self",
        .cost = "three elementwise passes, for the sign, the product and the choice, with a tensor each",
        .errors = {not_floating("prelu([1], 1)"), raises<dtype_error>("weight has another dtype", "prelu([1.0], [1])"),
                   raises<shape_error>("weight has two dimensions, or is neither one number nor one for each channel",
                                       "prelu([1.0, 2.0], [0.5, 0.25])"),
                   raises<device_error>("self and weight are on different devices")},
        .examples = {{"prelu([2.0, -2.0], 0.25)", "[2, -0.5] (float32 [2])"},
                     {"prelu([[2.0, -2.0], [-3.0, -4.0]], [0.5, 0.25])", "[[2, -0.5], [-1.5, -1]] (float32 [2, 2])"}},
    }),
    page<aten::softshrink, aten::softshrink_out>({
        .summary = "Moves elements toward 0 by lambd, to 0 where that would cross it; NaN stays NaN.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = copied,
        .cost = "seven elementwise passes, for comparisons, differences and choices, with a tensor each",
        .errors = {not_floating("softshrink([1])"),
                   raises<error>("lambd is below 0, or NaN", "softshrink([1.0], -0.5)"),
                   no_fit("softshrink.out([1.0], out=[0])"), other_sizes("softshrink.out([1.0], out=[0.0, 0.0])"),
                   two_devices},
        .examples = {{"softshrink([1.0, 0.25, -1.0])", "[0.5, 0, -0.5] (float32 [3])"}},
    }),
    page<aten::threshold, aten::threshold_, aten::threshold_out>({
        .summary = "Replaces elements not above threshold by value; NaN propagates.",
        .shapes = "self: [..] -> the same",
        .dtypes = "numbers; the result has self's dtype, to which value is converted, while threshold is compared as "
                  "it is",
        .memory = "the result is new and dense, in the memory order of self; or self or out, into which it is copied",
        .cost = "two elementwise passes, for a comparison and a choice, with a tensor each",
        .errors = {raises<dtype_error>("self is bool", "threshold([True], 0, 0)"),
                   raises<dtype_error>("out's dtype cannot hold the result's", "threshold.out([1.5], 0, 0, out=[0])"),
                   other_sizes("threshold.out([1.0], 0, 0, out=[0.0, 0.0])"), two_devices},
        .examples = {{"threshold([1.0, 3.0, 2.0], 2, 0)", "[0, 3, 0] (float32 [3])"},
                     {"threshold([1, 3], 2.5, 7.5)", "[7, 3] (int64 [2])"}},
    }),
    page<aten::elu, aten::elu_, aten::elu_out>({
        .summary = "Returns scale * self above 0, and scale * alpha * (exp(input_scale * self) - 1) elsewhere.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_written,
        .cost = one_call,
        .errors = {not_floating("elu([1])"), no_fit("elu.out([1.0], out=[0])"),
                   other_sizes("elu.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"elu([1.0, -1.0])", "[1, -0.63212055] (float32 [2])"}},
    }),
    page<aten::selu, aten::selu_>({
        .summary = "Applies elu with the scale and alpha that keep mean 0 and variance 1 from layer to layer "
                   "(Klambauer et al. 2017).",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_self,
        .cost = one_call,
        .errors = {not_floating("selu([1])")},
        .examples = {{"selu([1.0, -1.0])", "[1.050701, -1.1113307] (float32 [2])"}},
    }),
    page<aten::celu, aten::celu_>({
        .summary = "Returns self above 0, and alpha * (exp(self / alpha) - 1) elsewhere: elu with a slope of 1 at 0.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_self,
        .cost = one_call,
        .errors = {not_floating("celu([1])"), raises<error>("alpha is 0", "celu([1.0], 0)")},
        .examples = {{"celu([1.0, -1.0], 2.0)", "[1, -0.78693867] (float32 [2])"}},
    }),
    page<aten::silu, aten::silu_, aten::silu_out>({
        .summary = "Returns self * sigmoid(self), also known as swish.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_written,
        .cost = one_call,
        .errors = {not_floating("silu([1])"), no_fit("silu.out([1.0], out=[0])"),
                   other_sizes("silu.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"silu([0.0, 1.0])", "[0, 0.7310586] (float32 [2])"}},
    }),
    page<aten::gelu, aten::gelu_, aten::gelu_out>({
        .summary = "Returns self * (1 + erf(self / sqrt(2))) / 2, or with approximate='tanh' the approximation by tanh "
                   "(Hendrycks and Gimpel 2016).",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_written,
        .cost = one_call,
        .errors = {not_floating("gelu([1])"),
                   raises<error>("approximate is not 'none' or 'tanh'", "gelu([1.0], approximate='erf')"),
                   no_fit("gelu.out([1.0], out=[0])"), other_sizes("gelu.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"gelu([0.0, 1.0])", "[0, 0.8413447] (float32 [2])"},
                     {"gelu([0.0, 1.0], approximate='tanh')", "[0, 0.841192] (float32 [2])"}},
    }),
    page<aten::mish, aten::mish_, aten::mish_out>({
        .summary = "Returns self * tanh(softplus(self)).",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_written,
        .cost = "one pass; on the CPU three calls of the C library for each element",
        .errors = {not_floating("mish([1])"), no_fit("mish.out([1.0], out=[0])"),
                   other_sizes("mish.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"mish([0.0, 1.0])", "[0, 0.86509836] (float32 [2])"}},
    }),
    page<aten::softplus, aten::softplus_out>({
        .summary = "Returns log(1 + exp(beta * self)) / beta, a smooth relu, and self itself where beta * self is "
                   "above threshold.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_out,
        .cost = two_calls,
        .errors = {not_floating("softplus([1])"), no_fit("softplus.out([1.0], out=[0])"),
                   other_sizes("softplus.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"softplus([0.0, 30.0])", "[0.6931472, 30] (float32 [2])"}},
    }),
    page<aten::hardswish, aten::hardswish_, aten::hardswish_out>({
        .summary = "Returns self times hardsigmoid(self): a piecewise linear silu.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {not_floating("hardswish([1])"), no_fit("hardswish.out([1.0], out=[0])"),
                   other_sizes("hardswish.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"hardswish([-3.0, 1.0, 3.0])", "[-0, 0.6666667, 3] (float32 [3])"}},
    }),
    page<aten::hardsigmoid, aten::hardsigmoid_, aten::hardsigmoid_out>({
        .summary = "Returns self + 3, limited to [0, 6], divided by 6: a piecewise linear sigmoid.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {not_floating("hardsigmoid([1])"), no_fit("hardsigmoid.out([1.0], out=[0])"),
                   other_sizes("hardsigmoid.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"hardsigmoid([-3.0, 0.0, 3.0])", "[0, 0.5, 1] (float32 [3])"}},
    }),
    page<aten::log_sigmoid, aten::log_sigmoid_out>({
        .summary = "Computes the logarithm of sigmoid, without overflow or loss of precision.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = new_or_out,
        .cost = two_calls,
        .errors = {not_floating("log_sigmoid([1])"), no_fit("log_sigmoid.out([1.0], out=[0])"),
                   other_sizes("log_sigmoid.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"log_sigmoid([0.0, -100.0])", "[-0.6931472, -100] (float32 [2])"}},
    }),
    page<aten::hardshrink, aten::hardshrink_out>({
        .summary = "Replaces elements from -lambd to lambd by 0; NaN propagates.",
        .shapes = "self: [..] -> the same",
        .dtypes = floating,
        .memory = "the result is new and dense, in the memory order of self; or out, which may overlap self",
        .cost =
            "three passes, the first two into new tensors: magnitudes, a mask and the choice; one copy more for out",
        .errors = {not_floating("hardshrink([1])"), no_fit("hardshrink.out([1.0], out=[0])"),
                   other_sizes("hardshrink.out([1.0], out=[0.0, 0.0])"), two_devices},
        .examples = {{"hardshrink([-1.0, 0.25, 0.5, nan])", "[-1, 0, 0, nan] (float32 [4])"},
                     {"hardshrink([-1.0, 2.0], 1.5)", "[0, 2] (float32 [2])"}},
    }),
    page<aten::glu, aten::glu_out>({
        .summary = "Multiplies the first half of a dimension by the sigmoid of the second: a gated linear unit.",
        .shapes = "self: [A, 2 * N], dim: 1 -> [A, N]; dim is the last one unless it is given",
        .dtypes = floating,
        .memory = "the result is new and dense; or out, which may overlap self",
        .cost = "two passes over half of the elements each, the first one into a new tensor; one copy more for out",
        .errors = {not_floating("glu([1, 2])"),
                   raises<shape_error>("the dimension has an odd number of elements, or self has no such dimension",
                                       "glu([1.0, 2.0, 3.0])"),
                   raises<shape_error>("out has another shape than the result, or elements that share memory",
                                       "glu.out([1.0, 0.0], out=[0.0, 0.0])"),
                   no_fit("glu.out([1.0, 0.0], out=[0])"), two_devices},
        .examples = {{"glu([1.0, 2.0, 0.0, 0.0])", "[0.5, 1] (float32 [2])"},
                     {"glu([[1.0, 2.0], [0.0, 0.0]], 0)", "[[0.5, 1]] (float32 [1, 2])"}},
    }),
    page<aten::threshold_backward, aten::threshold_backward_grad_input>({
        .summary = "Returns grad_output where self is above threshold, and 0 elsewhere: the gradient of relu.",
        .shapes = "grad_output: [..], self: [..] -> their broadcast",
        .dtypes = "numbers; both are promoted, and threshold is converted to that dtype",
        .memory = "the result is new and dense, in the memory order of the operands; or grad_input, which may be one "
                  "of them, and costs a copy if it overlaps one partly",
        .cost = "one pass; both are converted and broadcast on the way, not copied",
        .errors = {raises<dtype_error>("both are bool", "threshold_backward([True], [True], 0)"),
                   raises<shape_error>("grad_output and self do not broadcast",
                                       "threshold_backward([1, 2, 3], [1, 2], 0)"),
                   raises<shape_error>("grad_input has other sizes than the result, or elements that share memory",
                                       "threshold_backward.grad_input([1], [1], 0, grad_input=[0, 0])"),
                   raises<dtype_error>("grad_input's dtype cannot hold the result's",
                                       "threshold_backward.grad_input([1.5], [1.5], 0, grad_input=[0])"),
                   raises<device_error>("the tensors are on different devices")},
        .examples = {{"threshold_backward([1.0, 2.0], [0.5, -0.5], 0)", "[1, 0] (float32 [2])"}},
    }),
};

}  // namespace

void publish_activation_docs() { author::publish_pages({"Activation functions", pages}).keep(); }

}  // namespace topbit::detail
