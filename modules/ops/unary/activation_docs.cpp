module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view floating = "floating; the result has self's dtype";

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
         .cost = "one pass",
         .errors = {not_floating("prelu([1], 1)"), bad_dtype("weight has another dtype", "prelu([1.0], [1])"),
                    bad_shape("weight has two dimensions, or is neither one number nor one for each channel",
                              "prelu([1.0, 2.0], [0.5, 0.25])")},
         .examples = {{"prelu([2.0, -2.0], 0.25)", "[2, -0.5] (float32 [2])"},
                      {"prelu([[2.0, -2.0], [-3.0, -4.0]], [0.5, 0.25])",
                       "[[2, -0.5], [-1.5, -1]] (float32 [2, 2])"}}}),
    page<elementwise::softshrink, aten::softshrink, aten::softshrink_out>(
        {.summary = "Moves elements toward 0 by lambd, to 0 where that would cross it; NaN stays NaN.",
         .errors = {bad_value("lambd is below 0, or NaN", "softshrink([1.0], -0.5)")},
         .examples = {{"softshrink([1.0, 0.25, -1.0])", "[0.5, 0, -0.5] (float32 [3])"}}}),
    page<elementwise::threshold, aten::threshold, aten::threshold_, aten::threshold_out>(
        {.summary = "Replaces elements not above threshold by value; NaN propagates.",
         .dtypes =
             "numbers; the result has self's dtype, to which value is converted, while threshold is compared as it is",
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
    page<elementwise::hardshrink, aten::hardshrink, aten::hardshrink_out>(
        {.summary = "Replaces elements from -lambd to lambd by 0; NaN propagates.",
         .examples = {{"hardshrink([-1.0, 0.25, 0.5, nan])", "[-1, 0, 0, nan] (float32 [4])"},
                      {"hardshrink([-1.0, 2.0], 1.5)", "[0, 2] (float32 [2])"}}}),
    page<aten::glu, aten::glu_out>(
        {.summary = "Multiplies the first half of a dimension by the sigmoid of the second: a gated linear unit.",
         .shapes = "self: [A, 2 * N], dim: 1 -> [A, N]; dim is the last one unless it is given",
         .dtypes = floating,
         .cost = "one pass",
         .errors = {not_floating("glu([1, 2])"),
                    bad_shape("the dimension has an odd number of elements, or self has no such dimension",
                              "glu([1.0, 2.0, 3.0])")},
         .examples = {{"glu([1.0, 2.0, 0.0, 0.0])", "[0.5, 1] (float32 [2])"},
                      {"glu([[1.0, 2.0], [0.0, 0.0]], 0)", "[[0.5, 1]] (float32 [1, 2])"}}}),
    page<elementwise::threshold_backward, aten::threshold_backward, aten::threshold_backward_grad_input>(
        {.summary = "Returns grad_output where self is above threshold, and 0 elsewhere: the gradient of relu.",
         .dtypes = "numbers; both are promoted, and threshold is converted to that dtype",
         .examples = {{"threshold_backward([1.0, 2.0], [0.5, -0.5], 0)", "[1, 0] (float32 [2])"}}}),
    page<elementwise::tanh_backward, aten::tanh_backward>(
        {.summary = "Returns the gradient of tanh from its result: grad_output * (1 - output^2).",
         .examples = {{"tanh_backward([1.0, 1.0], [0.0, 0.5])", "[1, 0.75] (float32 [2])"}}}),
    page<elementwise::sigmoid_backward, aten::sigmoid_backward>(
        {.summary = "Returns the gradient of sigmoid from its result: grad_output * (1 - output) * output.",
         .examples = {{"sigmoid_backward([1.0, 2.0], [0.5, 0.5])", "[0.25, 0.5] (float32 [2])"}}}),
    page<elementwise::silu_backward, aten::silu_backward>(
        {.summary = "Returns the gradient of silu.",
         .examples = {{"silu_backward([1.0, 2.0], [0.0, 0.0])", "[0.5, 1] (float32 [2])"}}}),
    page<elementwise::gelu_backward, aten::gelu_backward>(
        {.summary = "Returns the gradient of gelu, or with approximate='tanh' that of its approximation.",
         .errors = {bad_value("approximate is not 'none' or 'tanh'", "gelu_backward([1.0], [1.0], approximate='erf')")},
         .examples = {{"gelu_backward([1.0, 2.0], [0.0, 0.0])", "[0.5, 1] (float32 [2])"}}}),
    page<elementwise::mish_backward, aten::mish_backward>(
        {.summary = "Returns the gradient of mish.",
         .examples = {{"mish_backward([1.0, 5.0], [0.0, 0.0])", "[0.6, 3] (float32 [2])"}}}),
    page<elementwise::softplus_backward, aten::softplus_backward>(
        {.summary =
             "Returns the gradient of softplus: grad_output * sigmoid(beta * self), and grad_output itself where "
             "beta * self is above threshold. With beta=-1 that of log_sigmoid.",
         .examples = {{"softplus_backward([1.0, 1.0], [0.0, 30.0], 1, 20)", "[0.5, 1] (float32 [2])"}}}),
    page<elementwise::elu_backward, aten::elu_backward>(
        {.summary = "Returns the gradient of elu from its argument, or with is_result from its result.",
         .errors = {bad_value("is_result is given with an alpha below 0",
                              "elu_backward([1.5], -1, 1, 1, True, [0.5])")},
         .examples = {{"elu_backward([1.0, 1.0], 1, 1, 1, True, [-0.5, 2.0])", "[0.5, 1] (float32 [2])"}}}),
    page<elementwise::leaky_relu_backward, aten::leaky_relu_backward>(
        {.summary =
             "Returns grad_output, times negative_slope where self, the argument of leaky_relu or its result, is "
             "not above 0.",
         .errors = {bad_value("self_is_result is given with a negative_slope below 0",
                              "leaky_relu_backward([1.5], [0.5], -1, True)")},
         .examples = {{"leaky_relu_backward([1.0, 1.0], [2.0, -2.0], 0.25, False)", "[1, 0.25] (float32 [2])"}}}),
    page<elementwise::hardswish_backward, aten::hardswish_backward>(
        {.summary = "Returns the gradient of hardswish: grad_output * (self / 3 + 1 / 2) between -3 and 3.",
         .examples = {{"hardswish_backward([1.0, 1.0, 1.0], [-4.0, 0.0, 4.0])", "[0, 0.5, 1] (float32 [3])"}}}),
    page<elementwise::hardsigmoid_backward, aten::hardsigmoid_backward>(
        {.summary = "Returns the gradient of hardsigmoid: grad_output / 6 between -3 and 3, and 0 elsewhere.",
         .examples = {{"hardsigmoid_backward([3.0, 3.0], [0.0, 4.0])", "[0.5, 0] (float32 [2])"}}}),
    page<elementwise::clamp_backward, native::clamp_backward>(
        {.summary =
             "Returns grad_output where self lies between min and max, and 0 at them and beyond: the gradient of "
             "clamp, hardtanh and relu6.",
         .examples = {{"clamp_backward([1.5, 2.5], [0.5, 3.5], 0, 1)", "[1.5, 0] (float32 [2])"}}}),
    page<elementwise::shrink_backward, aten::hardshrink_backward, aten::softshrink_backward>(
        {.summary = "Returns 0 where self lies from -lambd to lambd, and the gradient elsewhere, also for NaN.",
         .examples = {{"hardshrink_backward([1.5, 2.5], [0.25, 1.0], 0.5)", "[0, 2.5] (float32 [2])"}}}),
    page<elementwise::prelu, aten::_prelu_kernel>(
        {.summary = "Multiplies negative elements by weights that broadcast to self: the kernel of prelu.",
         .dtypes = "floating; both have one dtype, which the result has",
         .errors = {bad_dtype("the dtypes differ", "_prelu_kernel([1.0], [1.0] (float64))")},
         .examples = {{"_prelu_kernel([2.0, -2.0], [0.5, 0.25])", "[2, -0.5] (float32 [2])"}}}),
    page<elementwise::prelu_backward, native::prelu_backward>(
        {.summary = "Returns grad_output, times weight where self is not above 0: the gradient of prelu.",
         .examples = {{"prelu_backward([1.0, 1.0], [2.0, -2.0], [0.25])", "[1, 0.25] (float32 [2])"}}}),
    page<elementwise::prelu_weight_backward, native::prelu_weight_backward>(
        {.summary = "Returns grad_output * self where self is not above 0, and 0 elsewhere: the gradient of prelu with "
                    "respect to a weight for each element.",
         .examples = {{"prelu_weight_backward([1.0, 1.0], [2.0, -2.0])", "[0, -2] (float32 [2])"}}}),
    page<aten::glu_backward>(
        {.summary = "Returns the gradient of glu.",
         .shapes = "grad_output: [A, N], self: [A, 2 * N], dim: 1 -> self's",
         .dtypes = "floating; grad_output has self's dtype, which the result has",
         .memory = "the result is new and dense",
         .cost = "two passes, one for each part of the result",
         .errors = {not_floating("glu_backward([1], [1, 2], 0)"),
                    bad_dtype("grad_output has another dtype", "glu_backward([1.0] (float64), [1.0, 2.0], 0)"),
                    bad_shape("the sizes are not those of glu, or self has no such dimension",
                              "glu_backward([1.0], [1.0, 2.0, 3.0, 4.0], 0)")},
         .examples = {{"glu_backward([1.0], [2.0, 0.0], 0)", "[0.5, 0.5] (float32 [2])"}}}),
};

void publish_activation_docs() { author::publish_pages({"Activation functions", pages}).keep(); }

}  // namespace topbit::detail
