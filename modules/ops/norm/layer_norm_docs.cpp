module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view dtypes =
    "floating; the result has input's dtype; weight and bias have it too, or float32 beside float16 and bfloat16, and "
    "so do statistics; sums are kept in float64";
constexpr std::string_view other_shape =
    "input's last sizes are not normalized_shape, which has at least one, or weight or bias has other sizes";
constexpr std::string_view other_type = "input is not floating, or weight or bias has a dtype other than these";

constexpr family_lines layer_family = {
    .dtypes = dtypes,
    .cost =
        "each row is read three times, for its mean, for the squares around it and for the result, which is written "
        "once; a non-dense input is copied first, and float16 and bfloat16 go through a buffer of one row"};

constexpr operator_page pages[] = {
    page<layer_family, aten::layer_norm>(
        {.summary = "Returns (input - mean) / sqrt(variance + eps) * weight + bias with mean and variance of each row, "
                    "which is all elements of the last dimensions.",
         .shapes = "input: [.., normalized_shape..], weight, bias: normalized_shape -> input's; at least one dimension "
                   "is normalised",
         .errors = {bad_shape(other_shape, "layer_norm([[1.0, 3.0]], [3])"),
                    bad_dtype(other_type, "layer_norm([[1, 3]], [2])")},
         .examples = {{"layer_norm([[1.0, 3.0], [5.0, 9.0]], [2], None, None, 0.0)",
                       "[[-1, 1], [-1, 1]] (float32 [2, 2])"},
                      {"layer_norm([1.0, 3.0], [2], [2.0, 1.0], [10.0, 20.0], 0.0)", "[8, 21] (float32 [2])"}}}),
    page<layer_family, aten::native_layer_norm>(
        {.summary = "Returns layer_norm, and each row's mean and 1 / sqrt(variance + eps): the kernel of layer_norm.",
         .shapes = "input: [.., normalized_shape..], weight, bias: normalized_shape -> input's, and twice the same "
                   "with 1 for each normalised dimension",
         .errors = {bad_shape(other_shape, "native_layer_norm([[1.0, 3.0]], [2], [1.0], None, 0.0)"),
                    bad_dtype(other_type, "native_layer_norm([[1, 3]], [2], None, None, 0.0)")},
         .examples = {{"native_layer_norm([[1.0, 5.0]], [2], None, None, 0.0)",
                       "[[-1, 1]] (float32 [1, 2]); [[3]] (float32 [1, 1]); [[0.5]] (float32 [1, 1])"}}}),
    page<aten::native_layer_norm_backward>(
        {.summary = "Returns the gradients of native_layer_norm for input, weight and bias, as selected by "
                    "output_mask; the others are undefined.",
         .shapes = "grad_out, input: [.., normalized_shape..], mean, rstd: one number for each row, weight, bias: "
                   "normalized_shape -> input's, and twice normalized_shape",
         .dtypes = "floating; grad_out has input's dtype, as the first result; weight and bias have it too, or float32 "
                   "beside float16 and bfloat16, and so do the other results; mean and rstd are floating; means over a "
                   "row are kept in float64",
         .cost = "for input each row of it and of grad_out is read twice; for weight three elementwise passes with a "
                 "tensor of input's sizes, and a sum over the rows; for bias a sum over those of grad_out; non-dense "
                 "operands are copied first",
         .errors =
             {bad_shape("input's last sizes are not normalized_shape, grad_out, weight or bias has other sizes, or "
                        "mean or rstd not one number for each row",
                        "native_layer_norm_backward([[1.0]], [[1.0, 5.0]], [2], [[3.0]], [[0.5]], None, None, [True, "
                        "True, True])"),
              bad_dtype("input, mean or rstd is not floating, or grad_out, weight or bias has a dtype other than these",
                        "native_layer_norm_backward([[1, 0]], [[1.0, 5.0]], [2], [[3.0]], [[0.5]], None, None, [True, "
                        "True, True])"),
              bad_value(
                  "output_mask does not have three elements",
                  "native_layer_norm_backward([[1.0, 0.0]], [[1.0, 5.0]], [2], [[3.0]], [[0.5]], None, None, [True])")},
         .examples = {{"native_layer_norm_backward([[1.0, 0.0]], [[1.0, 5.0]], [2], [[3.0]], [[0.5]], [2.0, 1.0], "
                       "None, [True, True, True])",
                       "[[0, 0]] (float32 [1, 2]); [-1, 0] (float32 [2]); [1, 0] (float32 [2])"},
                      {"native_layer_norm_backward([[1.0, 0.0]], [[1.0, 5.0]], [2], [[3.0]], [[0.5]], None, None, "
                       "[False, False, True])",
                       "undefined tensor; undefined tensor; [1, 0] (float32 [2])"}}}),
    page<aten::rms_norm>(
        {.summary = "Returns input / sqrt(mean of squares + eps) * weight for each row, which is all elements of the "
                    "last dimensions; the default eps is the distance from 1 to the next number of the type that the "
                    "mean is computed in: float64 for float64, else float32.",
         .shapes = "input: [.., normalized_shape..], weight: normalized_shape -> input's; at least one dimension is "
                   "normalised",
         .dtypes = dtypes,
         .cost = "each row is read twice, for its squares and for the result, which is written once; a non-dense input "
                 "is copied first, and float16 and bfloat16 go through a buffer of one row",
         .errors =
             {bad_shape(
                  "input's last sizes are not normalized_shape, which has at least one, or weight has other sizes",
                  "rms_norm([3.0, 4.0], [3])"),
              bad_dtype(other_type, "rms_norm([3, 4], [2])")},
         .examples = {{"rms_norm([1.0, 7.0], [2], None, 0.0)", "[0.2, 1.4] (float32 [2])"},
                      {"rms_norm([[1.0, 7.0]], [2], [5.0, 10.0], 0.0)", "[[1, 14]] (float32 [1, 2])"}}}),
    page<native::rms_norm_backward>(
        {.summary =
             "Returns the gradients of rms_norm for input and weight, as selected by output_mask; the others are "
             "undefined.",
         .shapes =
             "grad_out, input: [.., normalized_shape..], weight: normalized_shape -> input's, and normalized_shape",
         .dtypes = "floating; grad_out has input's dtype, as the first result; weight has it too, or float32 beside "
                   "float16 and bfloat16, and so does the other result",
         .cost = "each row of input and of grad_out is read twice, for its sums and for the gradient; for weight both "
                 "once more; non-dense operands are copied first; on CUDA some elementwise passes and sums",
         .errors = {bad_shape("input's last sizes are not normalized_shape, or grad_out or weight has other sizes",
                              "rms_norm_backward([[1.0]], [[1.0, 7.0]], [2], None, 0.0, [True, True])"),
                    bad_dtype("input is not floating, or grad_out or weight has a dtype other than these",
                              "rms_norm_backward([[1, 0]], [[1.0, 7.0]], [2], None, 0.0, [True, True])"),
                    bad_value("output_mask does not have two elements",
                              "rms_norm_backward([[1.0, 0.0]], [[1.0, 7.0]], [2], None, 0.0, [True])")},
         .examples = {{"rms_norm_backward([[1.0, 1.0]], [[1.0, 7.0]], [2], None, 0.0, [True, True])",
                       "[[0.168, -0.024]] (float32 [1, 2]); [0.2, 1.4] (float32 [2])"}}}),
};

void publish_layer_norm_docs() { author::publish_pages({"Layer normalisation", pages}).keep(); }

}  // namespace topbit::detail
