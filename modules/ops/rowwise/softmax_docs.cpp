module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

using author::page;
using author::raises;

constexpr std::string_view one_pass = "each row is read twice, for its maximum and for its sum, and written once";

constexpr std::string_view new_or_copied = "the result is new and dense, or out, into which it is copied";
constexpr std::string_view out_dtype = "out is not floating";
constexpr std::string_view other_out = "dim is out of range, or out has other sizes";

constexpr author::operator_page pages[] = {
    page<aten::softmax_int, aten::softmax_int_out>({
        .summary = "Computes the softmax along a dimension: positive numbers that sum to 1.",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating; any with a floating dtype argument, to which self is converted first",
        .memory = new_or_copied,
        .cost = one_pass,
        .errors = {raises<dtype_error>("self is not floating and no dtype is given", "softmax.int([1, 2], 0)"),
                   raises<dtype_error>(out_dtype, "softmax.int_out([1.5, 2.5], 0, out=[0, 0])"),
                   raises<shape_error>(other_out, "softmax.int([1.5, 2.5], 1)")},
        .examples = {{"softmax.int([0.0, 0.0], 0)", "[0.5, 0.5] (float32 [2])"}},
    }),
    page<aten::log_softmax_int, aten::log_softmax_int_out>({
        .summary = "Computes the logarithm of softmax, without overflow or loss of precision.",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating; any with a floating dtype argument, to which self is converted first",
        .memory = new_or_copied,
        .cost = one_pass,
        .errors = {raises<dtype_error>("self is not floating and no dtype is given", "log_softmax.int([1, 2], 0)"),
                   raises<dtype_error>(out_dtype, "log_softmax.int_out([1.5, 2.5], 0, out=[0, 0])"),
                   raises<shape_error>(other_out, "log_softmax.int([1.5, 2.5], 1)")},
        .examples = {{"log_softmax.int([1000.0, 0.0], 0)", "[0, -1000] (float32 [2])"}},
    }),
    page<aten::_softmax, aten::_softmax_out>({
        .summary = "Computes softmax where its gradient is recorded: the kernel of softmax.",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating",
        .memory = "the result is new and dense, or out, which may be self",
        .cost = one_pass,
        .errors = {raises<dtype_error>("self is not floating", "_softmax([1, 2], 0, False)"),
                   raises<shape_error>("dim is out of range, or out has other sizes", "_softmax([1.5, 2.5], 1, False)"),
                   raises<error>("half_to_float is True: that is done by to()", "_softmax([1.5, 2.5], 0, True)")},
        .examples = {{"_softmax([0.0, 0.0], 0, False)", "[0.5, 0.5] (float32 [2])"}},
    }),
    page<aten::_log_softmax, aten::_log_softmax_out>({
        .summary = "Computes log_softmax where its gradient is recorded: the kernel of log_softmax.",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating",
        .memory = "the result is new and dense, or out, which may be self",
        .cost = one_pass,
        .errors = {raises<dtype_error>("self is not floating", "_log_softmax([1, 2], 0, False)"),
                   raises<shape_error>("dim is out of range, or out has other sizes",
                                       "_log_softmax([1.5, 2.5], 1, False)"),
                   raises<error>("half_to_float is True: that is done by to()", "_log_softmax([1.5, 2.5], 0, True)")},
        .examples = {{"_log_softmax([1000.0, 0.0], 0, False)", "[0, -1000] (float32 [2])"}},
    }),
    page<aten::_softmax_backward_data, aten::_softmax_backward_data_out>({
        .summary =
            "Computes the gradient of softmax from its result: output * (grad_output - sum(grad_output * output)).",
        .shapes = "grad_output: [..], output: the same -> the same",
        .dtypes = "floating; all three dtypes agree",
        .memory = "the result is new and dense, or grad_input",
        .cost = one_pass,
        .errors = {raises<shape_error>("the gradient has another shape than output",
                                       "_softmax_backward_data([1.5], [0.5, 0.5], 0, float32)"),
                   raises<dtype_error>("the dtypes differ, or are not floating",
                                       "_softmax_backward_data([1.5, 0.5], [0.5, 0.5], 0, float64)")},
        .examples = {{"_softmax_backward_data([1.0, 0.0], [0.5, 0.5], 0, float32)", "[0.25, -0.25] (float32 [2])"}},
    }),
    page<aten::_log_softmax_backward_data, aten::_log_softmax_backward_data_out>({
        .summary =
            "Computes the gradient of log_softmax from its result: grad_output - exp(output) * sum(grad_output).",
        .shapes = "grad_output: [..], output: the same -> the same",
        .dtypes = "floating; all three dtypes agree",
        .memory = "the result is new and dense, or out",
        .cost = one_pass,
        .errors = {raises<shape_error>("the gradient has another shape than output",
                                       "_log_softmax_backward_data([1.5], [0.0, 0.0], 0, float32)"),
                   raises<dtype_error>("the dtypes differ, or are not floating",
                                       "_log_softmax_backward_data([1.5, 0.5], [0.5, 0.5], 0, float64)")},
        .examples = {{"_log_softmax_backward_data([1.0, -1.0], [0.0, 0.0], 0, float32)", "[1, -1] (float32 [2])"}},
    }),
};

}  // namespace

void publish_softmax_docs() { author::publish_pages({"Softmax", pages}).keep(); }

}  // namespace topbit::detail
