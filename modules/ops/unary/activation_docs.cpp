module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view floating = "floating; the result has self's dtype";
constexpr std::string_view copied =
    "the result is new and dense, in the memory order of self; or out, into which it is copied";

constexpr operator_page pages[] = {
    page<elementwise::relu, aten::relu, aten::relu_>(
        {.summary = "Replaces negative elements by 0; NaN propagates.",
         .examples = {{"relu([1.5, -2.5, nan])", "[1.5, 0, nan] (float32 [3])"}}}),
    page<elementwise::clamp, aten::relu6, aten::relu6_>(
        {.summary = "Limits elements to [0, 6]: clamp with these bounds.",
         .examples = {{"relu6([-1.0, 3.0, 9.0])", "[0, 3, 6] (float32 [3])"}}}),
    page<elementwise::clamp, aten::hardtanh, aten::hardtanh_, aten::hardtanh_out>(
        {.summary = "Limits elements to [min_val, max_val]: clamp with both bounds.",
         .dtypes = "numbers; the result has self's dtype, or float32 for integers with a floating bound; only the form "
                   "with out takes bool too, as clamp does",
         .errors = {bad_value("the bounds exclude all numbers of self's integer dtype",
                              "hardtanh([1] (uint8), 300, 400)"),
                    bad_dtype("self in place, or out, is of integers, and a bound, or self, is floating",
                              "hardtanh_([1], -0.5, 0.5)")},
         .examples = {{"hardtanh([-2.0, 0.5, 3.0])", "[-1, 0.5, 1] (float32 [3])"}}}),
    page<elementwise::leaky_relu, aten::leaky_relu, aten::leaky_relu_, aten::leaky_relu_out>(
        {.summary = "Multiplies negative elements by negative_slope.",
         .examples = {{"leaky_relu([2.0, -2.0])", "[2, -0.02] (float32 [2])"},
                      {"leaky_relu([2.0, -2.0], 0.5)", "[2, -1] (float32 [2])"}}}),
    page<aten::prelu>(
        {.summary =
             "Multiplies negative elements by weight, one for all or one for each channel, which is dimension 1.",
         .shapes = "self: [N, C, ..], weight: [C], [1] or [] -> self's; of fewer than two dimensions only the last two",
         .dtypes = "floating; weight has self's dtype, which the result has",
         .memory = "the result is new and dense, in the memory order of self",
         .cost = "three elementwise passes, for the sign, the product and the choice, with a tensor each",
         .errors = {not_floating("prelu([1], 1)"), bad_dtype("weight has another dtype", "prelu([1.0], [1])"),
                    bad_shape("weight has two dimensions, or is neither one number nor one for each channel",
                              "prelu([1.0, 2.0], [0.5, 0.25])")},
         .examples = {{"prelu([2.0, -2.0], 0.25)", "[2, -0.5] (float32 [2])"},
                      {"prelu([[2.0, -2.0], [-3.0, -4.0]], [0.5, 0.25])",
                       "[[2, -0.5], [-1.5, -1]] (float32 [2, 2])"}}}),
    page<aten::softshrink, aten::softshrink_out>(
        {.summary = "Moves elements toward 0 by lambd, to 0 where that would cross it; NaN stays NaN.",
         .shapes = same_shape,
         .dtypes = floating,
         .memory = copied,
         .cost = "seven elementwise passes, for comparisons, differences and choices, with a tensor each",
         .errors = {not_floating("softshrink([1])"), bad_value("lambd is below 0, or NaN", "softshrink([1.0], -0.5)")},
         .examples = {{"softshrink([1.0, 0.25, -1.0])", "[0.5, 0, -0.5] (float32 [3])"}}}),
    page<aten::threshold, aten::threshold_, aten::threshold_out>(
        {.summary = "Replaces elements not above threshold by value; NaN propagates.",
         .shapes = same_shape,
         .dtypes =
             "numbers; the result has self's dtype, to which value is converted, while threshold is compared as it is",
         .memory = "the result is new and dense, in the memory order of self; or self or out, into which it is copied",
         .cost = "two elementwise passes, for a comparison and a choice, with a tensor each",
         .errors = {is_bool("threshold([True], 0, 0)")},
         .examples = {{"threshold([1.0, 3.0, 2.0], 2, 0)", "[0, 3, 0] (float32 [3])"},
                      {"threshold([1, 3], 2.5, 7.5)", "[7, 3] (int64 [2])"}}}),
    page<elementwise::elu, aten::elu, aten::elu_, aten::elu_out>(
        {.summary = "Returns scale * self above 0, and scale * alpha * (exp(input_scale * self) - 1) elsewhere.",
         .examples = {{"elu([1.0, -1.0])", "[1, -0.63212055] (float32 [2])"}}}),
    page<elementwise::elu, aten::selu, aten::selu_>(
        {.summary = "Applies elu with the scale and alpha that keep mean 0 and variance 1 from layer to layer "
                    "(Klambauer et al. 2017).",
         .examples = {{"selu([1.0, -1.0])", "[1.050701, -1.1113307] (float32 [2])"}}}),
    page<elementwise::elu, aten::celu, aten::celu_>(
        {.summary = "Returns self above 0, and alpha * (exp(self / alpha) - 1) elsewhere: elu with a slope of 1 at 0.",
         .errors = {bad_value("alpha is 0", "celu([1.0], 0)")},
         .examples = {{"celu([1.0, -1.0], 2.0)", "[1, -0.78693867] (float32 [2])"}}}),
    page<elementwise::silu, aten::silu, aten::silu_, aten::silu_out>(
        {.summary = "Returns self * sigmoid(self), also known as swish.",
         .examples = {{"silu([0.0, 1.0])", "[0, 0.7310586] (float32 [2])"}}}),
    page<elementwise::gelu, aten::gelu, aten::gelu_, aten::gelu_out>(
        {.summary = "Returns self * (1 + erf(self / sqrt(2))) / 2, or with approximate='tanh' the approximation by "
                    "tanh (Hendrycks and Gimpel 2016).",
         .errors = {bad_value("approximate is not 'none' or 'tanh'", "gelu([1.0], approximate='erf')")},
         .examples = {{"gelu([0.0, 1.0])", "[0, 0.8413447] (float32 [2])"},
                      {"gelu([0.0, 1.0], approximate='tanh')", "[0, 0.841192] (float32 [2])"}}}),
    page<elementwise::mish, aten::mish, aten::mish_, aten::mish_out>(
        {.summary = "Returns self * tanh(softplus(self)).",
         .examples = {{"mish([0.0, 1.0])", "[0, 0.86509836] (float32 [2])"}}}),
    page<elementwise::softplus, aten::softplus, aten::softplus_out>(
        {.summary = "Returns log(1 + exp(beta * self)) / beta, a smooth relu, and self itself where beta * self is "
                    "above threshold.",
         .examples = {{"softplus([0.0, 30.0])", "[0.6931472, 30] (float32 [2])"}}}),
    page<elementwise::hardswish, aten::hardswish, aten::hardswish_, aten::hardswish_out>(
        {.summary = "Returns self times hardsigmoid(self): a piecewise linear silu.",
         .examples = {{"hardswish([-3.0, 1.0, 3.0])", "[-0, 0.6666667, 3] (float32 [3])"}}}),
    page<elementwise::hardsigmoid, aten::hardsigmoid, aten::hardsigmoid_, aten::hardsigmoid_out>(
        {.summary = "Returns self + 3, limited to [0, 6], divided by 6: a piecewise linear sigmoid.",
         .examples = {{"hardsigmoid([-3.0, 0.0, 3.0])", "[0, 0.5, 1] (float32 [3])"}}}),
    page<elementwise::log_sigmoid, aten::log_sigmoid, aten::log_sigmoid_out>(
        {.summary = "Computes the logarithm of sigmoid, without overflow or loss of precision.",
         .examples = {{"log_sigmoid([0.0, -100.0])", "[-0.6931472, -100] (float32 [2])"}}}),
    page<aten::hardshrink, aten::hardshrink_out>(
        {.summary = "Replaces elements from -lambd to lambd by 0; NaN propagates.",
         .shapes = same_shape,
         .dtypes = floating,
         .memory = copied,
         .cost =
             "three passes, the first two into new tensors: magnitudes, a mask and the choice; one copy more for out",
         .errors = {not_floating("hardshrink([1])")},
         .examples = {{"hardshrink([-1.0, 0.25, 0.5, nan])", "[-1, 0, 0, nan] (float32 [4])"},
                      {"hardshrink([-1.0, 2.0], 1.5)", "[0, 2] (float32 [2])"}}}),
    page<aten::glu, aten::glu_out>(
        {.summary = "Multiplies the first half of a dimension by the sigmoid of the second: a gated linear unit.",
         .shapes = "self: [A, 2 * N], dim: 1 -> [A, N]; dim is the last one unless it is given",
         .dtypes = floating,
         .cost = "two passes over half of the elements each, the first one into a new tensor; one copy more for out",
         .errors = {not_floating("glu([1, 2])"),
                    bad_shape("the dimension has an odd number of elements, or self has no such dimension",
                              "glu([1.0, 2.0, 3.0])")},
         .examples = {{"glu([1.0, 2.0, 0.0, 0.0])", "[0.5, 1] (float32 [2])"},
                      {"glu([[1.0, 2.0], [0.0, 0.0]], 0)", "[[0.5, 1]] (float32 [1, 2])"}}}),
    page<elementwise::threshold_backward, aten::threshold_backward, aten::threshold_backward_grad_input>(
        {.summary = "Returns grad_output where self is above threshold, and 0 elsewhere: the gradient of relu.",
         .dtypes = "numbers; both are promoted, and threshold is converted to that dtype",
         .examples = {{"threshold_backward([1.0, 2.0], [0.5, -0.5], 0)", "[1, 0] (float32 [2])"}}}),
};

void publish_activation_docs() { author::publish_pages({"Activation functions", pages}).keep(); }

}  // namespace topbit::detail
