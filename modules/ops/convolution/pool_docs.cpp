module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view bad_average_numbers =
    "divisor_override is 0, a kernel_size or stride is below 1, a padding below 0 or more than half of the window, or "
    "a list does not have one or two numbers";
constexpr std::string_view windows =
    "self: [n, channels, height, width] or without n -> the same with (size + 2 * padding - dilation * (kernel_size - "
    "1) - 1) / stride + 1 for height and width, rounded up if ceil_mode";
constexpr std::string_view one_visit =
    "each window is visited once, without a test for each element; a non-dense input, or that is computed in another "
    "dtype, is copied first";
constexpr std::string_view row_windows =
    "self: [n, channels, length] or [channels, length] -> the same with (size + 2 * padding - dilation * (kernel_size "
    "- 1) - 1) / stride + 1 for length, rounded up if ceil_mode";
constexpr std::string_view bad_row_windows =
    "self has another number of dimensions, or no channels or length, or no window fits the padded row";
constexpr std::string_view bad_row_numbers =
    "a kernel_size, stride or dilation is below 1, a padding below 0 or more than half of the window, or a list has "
    "more than one number";
constexpr std::string_view bad_numbers =
    "a kernel_size, stride or dilation is below 1, a padding below 0 or more than half of the window, or a list does "
    "not have one or two numbers";

constexpr family_lines average_family = {
    .shapes =
        "self: [n, channels, height, width] or without n -> the same with (size + 2 * padding - kernel_size) / stride "
        "+ 1 for height and width, rounded up if ceil_mode",
    .dtypes = "floating; the result has self's, sums are kept in float64",
    .cost = one_visit};
constexpr family_lines gradient_family = {
    .shapes = "grad_output: the sizes of the result, self: as in the call -> self's",
    .dtypes = "floating; both dtypes are the same",
    .cost =
        "zeros are written, then each element of grad_output is added to those of its window; non-dense operands, or "
        "those of another compute type, are copied first"};

constexpr operator_page pages[] = {
    page<aten::max_pool2d>(
        {.summary = "Computes the maximum of each window of an image, NaN propagates; the stride defaults to the "
                    "window size, and one number is used for both dimensions.",
         .shapes = windows,
         .dtypes = "numbers; the result has self's",
         .cost = "max_pool2d_with_indices', whose indices it drops",
         .errors = {bad_shape("self has another number of dimensions, or no channels, height or width, or no window "
                              "fits the padded image",
                              "max_pool2d([[[1, 2]]], 2)"),
                    is_bool("max_pool2d([[[True]]], 1)"), bad_value(bad_numbers, "max_pool2d([[[1, 2]]], 1, 0)")},
         .examples = {{"max_pool2d([[[1, 5, 2, 0], [3, 4, 8, 7]]], 2)", "[[[5, 8]]] (int64 [1, 1, 2])"},
                      {"max_pool2d([[[1, 5, 2]]], [1, 2], 1)", "[[[5, 5]]] (int64 [1, 1, 2])"},
                      {"max_pool2d([[[1, 5, 2]]], [1, 2], ceil_mode=True)", "[[[5, 2]]] (int64 [1, 1, 2])"}}}),
    page<aten::max_pool2d_with_indices, aten::max_pool2d_with_indices_out>(
        {.summary = "Computes max_pool2d and the index of each maximum in its image, row * width + column, the first "
                    "of equals; -1 if dilation leaves only padding.",
         .shapes = windows,
         .dtypes = "numbers; values have self's, indices are int64",
         .cost = one_visit,
         .errors = {bad_shape("self has another number of dimensions, or no window fits the padded image",
                              "max_pool2d_with_indices([[[1, 2]]], 2)"),
                    is_bool("max_pool2d_with_indices([[[True]]], 1)"),
                    bad_value(bad_numbers, "max_pool2d_with_indices([[[1, 2]]], 1, 1, 1)")},
         .examples = {{"max_pool2d_with_indices([[[1, 5, 2, 0], [3, 4, 8, 7]]], 2)",
                       "[[[5, 8]]] (int64 [1, 1, 2]); [[[1, 6]]] (int64 [1, 1, 2])"}}}),
    page<aten::max_pool2d_with_indices_backward, aten::max_pool2d_with_indices_backward_grad_input>(
        {.summary =
             "Returns the gradient of max_pool2d_with_indices: each element of grad_output is added at its maximum.",
         .shapes = "grad_output: the sizes of the result, self: as in the call, indices: grad_output's -> self's",
         .dtypes = "floating; both dtypes are the same, indices are int64",
         .cost = "zeros are written, then grad_output and indices are read once; indices are checked before",
         .errors =
             {bad_shape(
                  "grad_output or indices have not the sizes of the result, or an index is not in the image",
                  "max_pool2d_with_indices_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, 1, False, [[[2]]])"),
              bad_dtype("self is not floating, grad_output has another dtype, or indices are not int64",
                        "max_pool2d_with_indices_backward([[[1]]], [[[1, 5]]], [1, 2], [], 0, 1, False, [[[1]]])"),
              bad_value(
                  bad_numbers,
                  "max_pool2d_with_indices_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], 0, 0, 1, False, [[[1]]])")},
         .examples =
             {{"max_pool2d_with_indices_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, 1, False, [[[1]]] (int64))",
               "[[[0, 1]]] (float32 [1, 1, 2])"}}}),
    page<aten::max_pool1d>(
        {.summary =
             "Computes the maximum of each window of a row, NaN propagates; the stride defaults to the window size.",
         .shapes = row_windows,
         .dtypes = "numbers; the result has self's",
         .cost = "max_pool2d_with_indices' of images one row high, which are views of self; the indices are dropped",
         .errors = {bad_shape(bad_row_windows, "max_pool1d([[1, 2]], 3)"), is_bool("max_pool1d([[True]], 1)"),
                    bad_value(bad_row_numbers, "max_pool1d([[1, 2]], 1, 0)")},
         .examples = {{"max_pool1d([[1, 5, 2, 4]], 2)", "[[5, 4]] (int64 [1, 2])"},
                      {"max_pool1d([[1, 5, 2]], 2, 1)", "[[5, 5]] (int64 [1, 2])"},
                      {"max_pool1d([[1, 5, 2]], 2, ceil_mode=True)", "[[5, 2]] (int64 [1, 2])"}}}),
    page<aten::max_pool1d_with_indices>(
        {.summary = "Computes max_pool1d and the index of each maximum in its row, the first of equals; -1 if dilation "
                    "leaves only padding.",
         .shapes = row_windows,
         .dtypes = "numbers; values have self's, indices are int64",
         .cost = "max_pool2d_with_indices' of images one row high, which are views of self",
         .errors = {bad_shape(bad_row_windows, "max_pool1d_with_indices([[1, 2]], 3)"),
                    is_bool("max_pool1d_with_indices([[True]], 1)"),
                    bad_value(bad_row_numbers, "max_pool1d_with_indices([[1, 2]], 1, 0)")},
         .examples = {{"max_pool1d_with_indices([[1, 5, 2, 4]], 2)",
                       "[[5, 4]] (int64 [1, 2]); [[1, 3]] (int64 [1, 2])"}}}),
    page<average_family, aten::avg_pool2d, aten::avg_pool2d_out>(
        {.summary = "Computes the average of each window of an image; padding counts as zeros if count_include_pad, "
                    "else not at all, and divisor_override replaces the number of elements.",
         .errors = {bad_shape("self has another number of dimensions, or no window fits the padded image",
                              "avg_pool2d([[[1.5, 2.5]]], 2)"),
                    not_floating("avg_pool2d([[[1]]], 1)"),
                    bad_value(bad_average_numbers, "avg_pool2d([[[1.5]]], 1, divisor_override=0)")},
         .examples = {{"avg_pool2d([[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]], 2)",
                       "[[[3.5, 5.5]]] (float32 [1, 1, 2])"},
                      {"avg_pool2d([[[1.0, 2.0]]], [1, 2], 1, [0, 1])", "[[[0.5, 1.5, 1]]] (float32 [1, 1, 3])"},
                      {"avg_pool2d([[[1.0, 2.0]]], [1, 2], 1, [0, 1], count_include_pad=False)",
                       "[[[1, 1.5, 2]]] (float32 [1, 1, 3])"}}}),
    page<average_family, aten::avg_pool1d>(
        {.summary = "Computes the average of each window of a row: avg_pool2d of images one element high.",
         .shapes = "self: [n, channels, length] or without n -> the same with (length + 2 * padding - kernel_size) / "
                   "stride + 1, rounded up if ceil_mode",
         .errors = {bad_shape(bad_row_windows, "avg_pool1d([[1.5, 2.5]], 3)"), not_floating("avg_pool1d([[1, 2]], 1)"),
                    bad_value("kernel_size or stride is below 1, padding below 0 or more than half of the window, or "
                              "one of them has not one number",
                              "avg_pool1d([[1.5, 2.5]], 0)")},
         .examples = {{"avg_pool1d([[1.0, 2.0, 3.0, 4.0]], 2)", "[[1.5, 3.5]] (float32 [1, 2])"},
                      {"avg_pool1d([[1.0, 2.0]], 2, 1, 1)", "[[0.5, 1.5, 1]] (float32 [1, 3])"},
                      {"avg_pool1d([[1.0, 2.0, 3.0]], 2, ceil_mode=True)", "[[1.5, 3]] (float32 [1, 2])"}}}),
    page<gradient_family, aten::avg_pool2d_backward, aten::avg_pool2d_backward_grad_input>(
        {.summary = "Returns the gradient of avg_pool2d: each element of grad_output is distributed over its window.",
         .errors = {bad_shape("grad_output has another shape than the result",
                              "avg_pool2d_backward([[[1.0, 1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, False, True, None)"),
                    bad_dtype("self is not floating, or grad_output has another dtype",
                              "avg_pool2d_backward([[[1]]], [[[1, 5]]], [1, 2], [], 0, False, True, None)"),
                    bad_value(bad_average_numbers,
                              "avg_pool2d_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, False, True, 0)")},
         .examples = {{"avg_pool2d_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, False, True, None)",
                       "[[[0.5, 0.5]]] (float32 [1, 1, 2])"}}}),
    page<average_family, aten::adaptive_avg_pool2d, aten::adaptive_avg_pool2d_out, aten::_adaptive_avg_pool2d>(
        {.summary = "Computes averages over windows such that the result has output_size; windows overlap by one "
                    "element if the size is not divisible.",
         .shapes = "self: [n, channels, height, width] or without n -> the same with output_size for height and width",
         .errors = {bad_shape("self has another number of dimensions, or no channels, height or width",
                              "adaptive_avg_pool2d([[1.5, 2.5]], 1)"),
                    not_floating("adaptive_avg_pool2d([[[1, 2]]], 1)"),
                    bad_value("output_size has not one or two numbers, or one below 0",
                              "adaptive_avg_pool2d([[[1.5, 2.5]]], -1)")},
         .examples =
             {{"adaptive_avg_pool2d([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], [1, 2])", "[[[3, 4]]] (float32 [1, 1, 2])"},
              {"adaptive_avg_pool2d([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], 1)", "[[[3.5]]] (float32 [1, 1, 1])"}}}),
    page<average_family, aten::adaptive_avg_pool1d>(
        {.summary = "Computes averages over windows of a row such that the result has output_size: adaptive_avg_pool2d "
                    "of images one element high.",
         .shapes = "self: [n, channels, length] or without n -> the same with output_size for length",
         .errors = {bad_shape("self has another number of dimensions, or no channels or length",
                              "adaptive_avg_pool1d([1.5, 2.5], 1)"),
                    not_floating("adaptive_avg_pool1d([[1, 2]], 1)"),
                    bad_value("output_size has not one number, or one below 0",
                              "adaptive_avg_pool1d([[1.5, 2.5]], -1)")},
         .examples = {{"adaptive_avg_pool1d([[1.0, 2.0, 3.0, 4.0]], 2)", "[[1.5, 3.5]] (float32 [1, 2])"},
                      {"adaptive_avg_pool1d([[1.0, 2.0, 3.0]], 2)", "[[1.5, 2.5]] (float32 [1, 2])"}}}),
    page<gradient_family, aten::_adaptive_avg_pool2d_backward>(
        {.summary =
             "Returns the gradient of adaptive_avg_pool2d: each element of grad_output is distributed over its window.",
         .errors = {bad_shape("self has another number of dimensions, or grad_output other sizes but height and width",
                              "_adaptive_avg_pool2d_backward([[1.0]], [[[1.0, 5.0]]])"),
                    bad_dtype("self is not floating, or grad_output has another dtype",
                              "_adaptive_avg_pool2d_backward([[[1]]], [[[1, 5]]])")},
         .examples = {{"_adaptive_avg_pool2d_backward([[[1.0, 2.0]]], [[[1.0, 2.0, 3.0]]])",
                       "[[[0.5, 1.5, 1]]] (float32 [1, 1, 3])"}}}),
};

void publish_pool_docs() { author::publish_pages({"Pooling", pages}).keep(); }

}  // namespace topbit::detail
