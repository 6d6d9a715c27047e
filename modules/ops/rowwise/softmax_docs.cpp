module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view one_pass = "each row is read twice, for its maximum and for its sum, and written once";
constexpr std::string_view other_out = "dim is out of range";

constexpr family_lines softmax_family = {
    .shapes = same_shape,
    .dtypes = "floating; any with a floating dtype argument, to which self is converted first",
    .cost = one_pass};
constexpr family_lines kernel_family = {.shapes = same_shape, .dtypes = "floating", .cost = one_pass};
constexpr family_lines gradient_family = {.shapes = "grad_output: [..], output: the same -> the same",
                                          .dtypes = "floating; all three dtypes agree",
                                          .cost = one_pass};

constexpr operator_page pages[] = {
    page<softmax_family, aten::softmax_int, aten::softmax_int_out>(
        {.summary = "Computes the softmax along a dimension: positive numbers that sum to 1.",
         .errors = {bad_dtype("self is not floating and no dtype is given", "softmax.int([1, 2], 0)"),
                    bad_shape(other_out, "softmax.int([1.5, 2.5], 1)")},
         .examples = {{"softmax.int([0.0, 0.0], 0)", "[0.5, 0.5] (float32 [2])"}}}),
    page<softmax_family, aten::log_softmax_int, aten::log_softmax_int_out>(
        {.summary = "Computes the logarithm of softmax, without overflow or loss of precision.",
         .errors = {bad_dtype("self is not floating and no dtype is given", "log_softmax.int([1, 2], 0)"),
                    bad_shape(other_out, "log_softmax.int([1.5, 2.5], 1)")},
         .examples = {{"log_softmax.int([1000.0, 0.0], 0)", "[0, -1000] (float32 [2])"}}}),
    page<kernel_family, aten::_softmax, aten::_softmax_out>(
        {.summary =
             "Computes softmax where its gradient is recorded: the kernel of softmax. half_to_float: float16 and "
             "bfloat16 are converted as they are read, to a float32 result.",
         .errors = {not_floating("_softmax([1, 2], 0, False)"), bad_shape(other_out, "_softmax([1.5, 2.5], 1, False)"),
                    bad_dtype("half_to_float is True and self is not float16 or bfloat16",
                              "_softmax([1.5, 2.5], 0, True)")},
         .examples = {{"_softmax([0.0, 0.0], 0, False)", "[0.5, 0.5] (float32 [2])"},
                      {"_softmax([0.0, 0.0] (float16), 0, True)", "[0.5, 0.5] (float32 [2])"}}}),
    page<kernel_family, aten::_log_softmax, aten::_log_softmax_out>(
        {.summary =
             "Computes log_softmax where its gradient is recorded: the kernel of log_softmax. half_to_float as in "
             "_softmax.",
         .errors = {not_floating("_log_softmax([1, 2], 0, False)"),
                    bad_shape(other_out, "_log_softmax([1.5, 2.5], 1, False)"),
                    bad_dtype("half_to_float is True and self is not float16 or bfloat16",
                              "_log_softmax([1.5, 2.5], 0, True)")},
         .examples = {{"_log_softmax([1000.0, 0.0], 0, False)", "[0, -1000] (float32 [2])"}}}),
    page<gradient_family, aten::_softmax_backward_data, aten::_softmax_backward_data_out>(
        {.summary =
             "Computes the gradient of softmax from its result: output * (grad_output - sum(grad_output * output)).",
         .errors = {bad_shape("the gradient has another shape than output",
                              "_softmax_backward_data([1.5], [0.5, 0.5], 0, float32)"),
                    bad_dtype("the dtypes differ, or are not floating",
                              "_softmax_backward_data([1.5, 0.5], [0.5, 0.5], 0, float64)")},
         .examples = {{"_softmax_backward_data([1.0, 0.0], [0.5, 0.5], 0, float32)", "[0.25, -0.25] (float32 [2])"}}}),
    page<gradient_family, aten::_log_softmax_backward_data, aten::_log_softmax_backward_data_out>(
        {.summary =
             "Computes the gradient of log_softmax from its result: grad_output - exp(output) * sum(grad_output).",
         .errors = {bad_shape("the gradient has another shape than output",
                              "_log_softmax_backward_data([1.5], [0.0, 0.0], 0, float32)"),
                    bad_dtype("the dtypes differ, or are not floating",
                              "_log_softmax_backward_data([1.5, 0.5], [0.5, 0.5], 0, float64)")},
         .examples = {{"_log_softmax_backward_data([1.0, -1.0], [0.0, 0.0], 0, float32)", "[1, -1] (float32 [2])"}}}),
};

void publish_softmax_docs() { author::publish_pages({"Softmax", pages}).keep(); }

}  // namespace topbit::detail
