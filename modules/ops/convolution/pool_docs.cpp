module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

using author::page;
using author::raises;

constexpr std::string_view windows =
    "self: [n, channels, height, width] or without n -> the same with (size + 2 * padding - dilation * (kernel_size - "
    "1) - "
    "1) / stride + 1 for height and width, rounded up if ceil_mode";
constexpr std::string_view averages =
    "self: [n, channels, height, width] or without n -> the same with (size + 2 * padding - kernel_size) / stride + 1 "
    "for "
    "height and width, rounded up if ceil_mode";
constexpr std::string_view output_sizes =
    "self: [n, channels, height, width] or without n -> the same with output_size for height and width";
constexpr std::string_view like_self = "grad_output: the sizes of the result, self: as in the call -> self's";
constexpr std::string_view one_visit =
    "each window is visited once, without a test for each element; a non-dense input, or that is computed in another "
    "dtype, is copied first";
constexpr std::string_view share_cost =
    "zeros are written, then each element of grad_output is added to those of its window; non-dense operands, or those "
    "of another compute type, are copied first";
constexpr std::string_view new_or_gradient =
    "the result is new and dense, or grad_input; if that shares memory with an operand, the result is computed in a "
    "temporary and copied";
constexpr std::string_view row_windows =
    "self: [n, channels, length] or [channels, length] -> the same with (size + 2 * padding - dilation * (kernel_size "
    "- 1) - 1) / stride + 1 for length, rounded up if ceil_mode";
constexpr std::string_view bad_row_windows =
    "self has another number of dimensions, or no channels or length, or no window fits the padded row";
constexpr std::string_view bad_row_numbers =
    "a kernel_size, stride or dilation is below 1, a padding below 0 or more than half of the window, or a list has "
    "more than one number";
constexpr std::string_view bad_windows =
    "self has another number of dimensions, or no channels, height or width, or no window fits the padded image";
constexpr std::string_view bad_numbers =
    "a kernel_size, stride or dilation is below 1, a padding below 0 or more than half of the window, or a list does "
    "not have one or two numbers";

constexpr author::operator_page pages[] = {
    page<aten::max_pool2d>({
        .summary = "Computes the maximum of each window of an image, NaN propagates; the stride defaults to the window "
                   "size, and one number is used for both dimensions.",
        .shapes = windows,
        .dtypes = "numbers; the result has self's",
        .memory = "the result is new and dense",
        .cost = "max_pool2d_with_indices', whose indices it drops",
        .errors = {raises<shape_error>(bad_windows, "max_pool2d([[[1, 2]]], 2)"),
                   raises<dtype_error>("self is bool", "max_pool2d([[[True]]], 1)"),
                   raises<error>(bad_numbers, "max_pool2d([[[1, 2]]], 1, 0)")},
        .examples = {{"max_pool2d([[[1, 5, 2, 0], [3, 4, 8, 7]]], 2)", "[[[5, 8]]] (int64 [1, 1, 2])"},
                     {"max_pool2d([[[1, 5, 2]]], [1, 2], 1)", "[[[5, 5]]] (int64 [1, 1, 2])"},
                     {"max_pool2d([[[1, 5, 2]]], [1, 2], ceil_mode=True)", "[[[5, 2]]] (int64 [1, 1, 2])"}},
    }),
    page<aten::max_pool2d_with_indices, aten::max_pool2d_with_indices_out>({
        .summary = "Computes max_pool2d and the index of each maximum in its image, row * width + column, the first of "
                   "equals; -1 if dilation leaves only padding.",
        .shapes = windows,
        .dtypes = "numbers; values have self's, indices are int64",
        .memory = "both results are new and dense, or out and indices, which may not share memory with each other",
        .cost = one_visit,
        .errors = {raises<shape_error>("self has another number of dimensions, no window fits the padded image, or the "
                                       "tensors to write have other sizes",
                                       "max_pool2d_with_indices([[[1, 2]]], 2)"),
                   raises<dtype_error>("self is bool, or a tensor to write cannot hold its result",
                                       "max_pool2d_with_indices([[[True]]], 1)"),
                   raises<error>(bad_numbers, "max_pool2d_with_indices([[[1, 2]]], 1, 1, 1)")},
        .examples = {{"max_pool2d_with_indices([[[1, 5, 2, 0], [3, 4, 8, 7]]], 2)",
                      "[[[5, 8]]] (int64 [1, 1, 2]); [[[1, 6]]] (int64 [1, 1, 2])"}},
    }),
    page<aten::max_pool2d_with_indices_backward, aten::max_pool2d_with_indices_backward_grad_input>({
        .summary =
            "Returns the gradient of max_pool2d_with_indices: each element of grad_output is added at its maximum.",
        .shapes = "grad_output: the sizes of the result, self: as in the call, indices: grad_output's -> self's",
        .dtypes = "floating; both dtypes are the same, indices are int64",
        .memory = new_or_gradient,
        .cost = "zeros are written, then grad_output and indices are read once; indices are checked before",
        .errors = {raises<shape_error>(
                       "grad_output or indices have not the sizes of the result, or an index is not in the "
                       "image",
                       "max_pool2d_with_indices_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, 1, "
                       "False, [[[2]]])"),
                   raises<dtype_error>("self is not floating, grad_output has another dtype, or indices are not int64",
                                       "max_pool2d_with_indices_backward([[[1]]], [[[1, 5]]], [1, 2], [], 0, 1, False, "
                                       "[[[1]]])"),
                   raises<error>(bad_numbers,
                                 "max_pool2d_with_indices_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], 0, 0, 1, False, "
                                 "[[[1]]])")},
        .examples = {{"max_pool2d_with_indices_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, 1, False, [[[1]]] "
                      "(int64))",
                      "[[[0, 1]]] (float32 [1, 1, 2])"}},
    }),
    page<aten::max_pool1d>({
        .summary =
            "Computes the maximum of each window of a row, NaN propagates; the stride defaults to the window size.",
        .shapes = row_windows,
        .dtypes = "numbers; the result has self's",
        .memory = "the result is new and dense",
        .cost = "max_pool2d_with_indices' of images one row high, which are views of self; the indices are dropped",
        .errors = {raises<shape_error>(bad_row_windows, "max_pool1d([[1, 2]], 3)"),
                   raises<dtype_error>("self is bool", "max_pool1d([[True]], 1)"),
                   raises<error>(bad_row_numbers, "max_pool1d([[1, 2]], 1, 0)")},
        .examples = {{"max_pool1d([[1, 5, 2, 4]], 2)", "[[5, 4]] (int64 [1, 2])"},
                     {"max_pool1d([[1, 5, 2]], 2, 1)", "[[5, 5]] (int64 [1, 2])"},
                     {"max_pool1d([[1, 5, 2]], 2, ceil_mode=True)", "[[5, 2]] (int64 [1, 2])"}},
    }),
    page<aten::max_pool1d_with_indices>({
        .summary = "Computes max_pool1d and the index of each maximum in its row, the first of equals; -1 if dilation "
                   "leaves only padding.",
        .shapes = row_windows,
        .dtypes = "numbers; values have self's, indices are int64",
        .memory = "both results are new and dense",
        .cost = "max_pool2d_with_indices' of images one row high, which are views of self",
        .errors = {raises<shape_error>(bad_row_windows, "max_pool1d_with_indices([[1, 2]], 3)"),
                   raises<dtype_error>("self is bool", "max_pool1d_with_indices([[True]], 1)"),
                   raises<error>(bad_row_numbers, "max_pool1d_with_indices([[1, 2]], 1, 0)")},
        .examples = {{"max_pool1d_with_indices([[1, 5, 2, 4]], 2)",
                      "[[5, 4]] (int64 [1, 2]); [[1, 3]] (int64 [1, 2])"}},
    }),
    page<aten::avg_pool2d, aten::avg_pool2d_out>({
        .summary = "Computes the average of each window of an image; padding counts as zeros if count_include_pad, "
                   "else not at all, and divisor_override replaces the number of elements.",
        .shapes = averages,
        .dtypes = "floating; the result has self's, sums are kept in float64",
        .memory = "the result is new and dense, or out; if that shares memory with self, the result is computed in a "
                  "temporary and copied",
        .cost = one_visit,
        .errors = {raises<shape_error>(
                       "self has another number of dimensions, no window fits the padded image, or out has "
                       "other sizes",
                       "avg_pool2d([[[1.5, 2.5]]], 2)"),
                   raises<dtype_error>("self is not floating, or out cannot hold the result", "avg_pool2d([[[1]]], 1)"),
                   raises<error>("divisor_override is 0, a kernel_size or stride is below 1, a padding below 0 or more "
                                 "than half of the window, or a list does not have one or two numbers",
                                 "avg_pool2d([[[1.5]]], 1, divisor_override=0)")},
        .examples = {{"avg_pool2d([[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]], 2)",
                      "[[[3.5, 5.5]]] (float32 [1, 1, 2])"},
                     {"avg_pool2d([[[1.0, 2.0]]], [1, 2], 1, [0, 1])", "[[[0.5, 1.5, 1]]] (float32 [1, 1, 3])"},
                     {"avg_pool2d([[[1.0, 2.0]]], [1, 2], 1, [0, 1], count_include_pad=False)",
                      "[[[1, 1.5, 2]]] (float32 [1, 1, 3])"}},
    }),
    page<aten::avg_pool1d>({
        .summary = "Computes the average of each window of a row: avg_pool2d of images one element high.",
        .shapes =
            "self: [n, channels, length] or without n -> the same with (length + 2 * padding - kernel_size) / stride + "
            "1, rounded up if ceil_mode",
        .dtypes = "floating; the result has self's, sums are kept in float64",
        .memory = "the result is new and dense",
        .cost = one_visit,
        .errors = {raises<shape_error>("self has another number of dimensions, or no channels or length, or no window "
                                       "fits the padded row",
                                       "avg_pool1d([[1.5, 2.5]], 3)"),
                   raises<dtype_error>("self is not floating", "avg_pool1d([[1, 2]], 1)"),
                   raises<error>("kernel_size or stride is below 1, padding below 0 or more than half of the window, "
                                 "or one of them has not one number",
                                 "avg_pool1d([[1.5, 2.5]], 0)")},
        .examples = {{"avg_pool1d([[1.0, 2.0, 3.0, 4.0]], 2)", "[[1.5, 3.5]] (float32 [1, 2])"},
                     {"avg_pool1d([[1.0, 2.0]], 2, 1, 1)", "[[0.5, 1.5, 1]] (float32 [1, 3])"},
                     {"avg_pool1d([[1.0, 2.0, 3.0]], 2, ceil_mode=True)", "[[1.5, 3]] (float32 [1, 2])"}},
    }),
    page<aten::avg_pool2d_backward, aten::avg_pool2d_backward_grad_input>({
        .summary = "Returns the gradient of avg_pool2d: each element of grad_output is distributed over its window.",
        .shapes = like_self,
        .dtypes = "floating; both dtypes are the same",
        .memory = new_or_gradient,
        .cost = share_cost,
        .errors = {raises<shape_error>(
                       "grad_output has another shape than the result",
                       "avg_pool2d_backward([[[1.0, 1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, False, True, "
                       "None)"),
                   raises<dtype_error>("self is not floating, or grad_output has another dtype",
                                       "avg_pool2d_backward([[[1]]], [[[1, 5]]], [1, 2], [], 0, False, True, None)"),
                   raises<error>("divisor_override is 0, a kernel_size or stride is below 1, a padding below 0 or more "
                                 "than half of the window, or a list does not have one or two numbers",
                                 "avg_pool2d_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, False, True, 0)")},
        .examples = {{"avg_pool2d_backward([[[1.0]]], [[[1.0, 5.0]]], [1, 2], [], 0, False, True, None)",
                      "[[[0.5, 0.5]]] (float32 [1, 1, 2])"}},
    }),
    page<aten::adaptive_avg_pool2d, aten::adaptive_avg_pool2d_out, aten::_adaptive_avg_pool2d>({
        .summary = "Computes averages over windows such that the result has output_size; windows overlap by one "
                   "element if the size is not divisible.",
        .shapes = output_sizes,
        .dtypes = "floating; the result has self's, sums are kept in float64",
        .memory = "the result is new and dense, or copied to out, which may overlap self",
        .cost = one_visit,
        .errors = {raises<shape_error>("self has another number of dimensions, or no channels, height or width, or out "
                                       "has other sizes than the result",
                                       "adaptive_avg_pool2d([[1.5, 2.5]], 1)"),
                   raises<dtype_error>("self is not floating, or out cannot hold the result",
                                       "adaptive_avg_pool2d([[[1, 2]]], 1)"),
                   raises<error>("output_size has not one or two numbers, or one below 0",
                                 "adaptive_avg_pool2d([[[1.5, 2.5]]], -1)")},
        .examples = {{"adaptive_avg_pool2d([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], [1, 2])",
                      "[[[3, 4]]] (float32 [1, 1, 2])"},
                     {"adaptive_avg_pool2d([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], 1)", "[[[3.5]]] (float32 [1, 1, 1])"}},
    }),
    page<aten::adaptive_avg_pool1d>({
        .summary = "Computes averages over windows of a row such that the result has output_size: adaptive_avg_pool2d "
                   "of images one element high.",
        .shapes = "self: [n, channels, length] or without n -> the same with output_size for length",
        .dtypes = "floating; the result has self's, sums are kept in float64",
        .memory = "the result is new and dense",
        .cost = one_visit,
        .errors = {raises<shape_error>("self has another number of dimensions, or no channels or length",
                                       "adaptive_avg_pool1d([1.5, 2.5], 1)"),
                   raises<dtype_error>("self is not floating", "adaptive_avg_pool1d([[1, 2]], 1)"),
                   raises<error>("output_size has not one number, or one below 0",
                                 "adaptive_avg_pool1d([[1.5, 2.5]], -1)")},
        .examples = {{"adaptive_avg_pool1d([[1.0, 2.0, 3.0, 4.0]], 2)", "[[1.5, 3.5]] (float32 [1, 2])"},
                     {"adaptive_avg_pool1d([[1.0, 2.0, 3.0]], 2)", "[[1.5, 2.5]] (float32 [1, 2])"}},
    }),
    page<aten::_adaptive_avg_pool2d_backward>({
        .summary =
            "Returns the gradient of adaptive_avg_pool2d: each element of grad_output is distributed over its window.",
        .shapes = like_self,
        .dtypes = "floating; both dtypes are the same",
        .memory = "the result is new and dense",
        .cost = share_cost,
        .errors = {raises<shape_error>(
                       "self has another number of dimensions, or grad_output other sizes but height and "
                       "width",
                       "_adaptive_avg_pool2d_backward([[1.0]], [[[1.0, 5.0]]])"),
                   raises<dtype_error>("self is not floating, or grad_output has another dtype",
                                       "_adaptive_avg_pool2d_backward([[[1]]], [[[1, 5]]])")},
        .examples = {{"_adaptive_avg_pool2d_backward([[[1.0, 2.0]]], [[[1.0, 2.0, 3.0]]])",
                      "[[[0.5, 1.5, 1]]] (float32 [1, 1, 3])"}},
    }),
};

}  // namespace

void publish_pool_docs() { author::publish_pages({"Pooling", pages}).keep(); }

}  // namespace topbit::detail
