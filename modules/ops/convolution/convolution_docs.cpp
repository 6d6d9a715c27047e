module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view bad_padding = "padding is neither, or 'same' with a stride other than 1";
constexpr std::string_view rows_of_channels =
    "input: [n, groups * c, length] or [groups * c, length], weight: [out, c, kernel], bias: [out] -> [n, out, length] "
    "or [out, length]";
constexpr std::string_view images =
    "input: [n, groups * c, height, width] or without n, weight: [out, c, kernel height, kernel width], bias: [out] -> "
    "[n, out, height, width] or without n";
constexpr std::string_view volumes =
    "input: [n, groups * c, depth, height, width] or without n, weight: [out, c, three sizes of the kernel], bias: "
    "[out] -> [n, out, depth, height, width] or without n";
constexpr std::string_view bad_shapes =
    "input, weight or bias has another number of dimensions or channels, or the kernel is larger than the padded input";
constexpr std::string_view bad_numbers =
    "a stride or dilation is below 1, a padding below 0, a list has another length, or the groups do not divide "
    "weight's first size";
constexpr std::string_view bad_transpose =
    "a tensor has another number of dimensions or channels, a list other numbers or another length, an output_padding "
    "is not below its stride, or the result would have no elements in a dimension";

constexpr family_lines convolution_family = {
    .dtypes = one_dtype,
    .cost =
        "out * c * kernel size * output positions multiply-adds for each image, as matrix products whose blocks are "
        "packed directly from the image; of integers, or on a backend without a kernel for it, the windows are copied "
        "side by side, of one image or as many as make a million elements, and an input with padding once before; a "
        "bias is added in another pass"};
constexpr family_lines gradient_family = {
    .dtypes = one_dtype,
    .cost =
        "the multiply-adds of the convolution itself, as matrix products with the windows unrolled in memory, of one "
        "image or of up to a million elements"};
constexpr family_lines transposed_family = {.dtypes = one_dtype,
                                            .cost = "convolve_input_gradient's, and one pass more for a bias"};

constexpr operator_page pages[] = {
    page<aten::convolution>(
        {.summary = "Convolution (cross-correlation) over one to three dimensions; transposed: the gradient of a "
                    "convolution with respect to its input; a list may have one number for all dimensions.",
         .shapes = "input: [n, groups * c, sizes..], weight: [out, c, kernel..], bias: [out] -> [n, out, sizes..], "
                   "each (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1, rounded down; transposed as "
                   "conv_transpose2d",
         .dtypes = one_dtype,
         .cost = "out * c * kernel size * output positions multiply-adds for each image, as matrix products whose "
                 "blocks are packed directly from the image, of integers as convolve says, and a bias is added in "
                 "another pass; transposed, convolve_input_gradient's",
         .errors = {bad_shape(bad_shapes, "convolution([[[1, 2]]], [[[1, 1, 1]]], None, [1], [0], [1], False, [0], 1)"),
                    not_one_dtype("convolution([[[1, 2]]], [[[1.5]]], None, [1], [0], [1], False, [0], 1)"),
                    bad_value(bad_numbers, "convolution([[[1, 2]]], [[[1]]], None, [0], [0], [1], False, [0], 1)"),
                    bad_shape("transposed, and an argument is one that conv_transpose2d refuses",
                              "convolution([[[1, 2]]], [[[1]]], None, [1], [0], [1], True, [1], 1)")},
         .examples = {{"convolution([[[1, 2, 3]]], [[[1, 10]]], [100], [1], [0], [1], False, [0], 1)",
                       "[[[121, 132]]] (int64 [1, 1, 2])"},
                      {"convolution([[[1, 2, 3]]], [[[1, 10]]], None, [2], [1], [1], False, [0], 1)",
                       "[[[10, 32]]] (int64 [1, 1, 2])"},
                      {"convolution([[[1, 2]]], [[[1, 10]]], [100], [2], [0], [1], True, [1], 1)",
                       "[[[101, 110, 102, 120, 100]]] (int64 [1, 1, 5])"}}}),
    page<aten::convolution_backward>(
        {.summary = "Returns the gradients of convolution's input, weight and bias, as selected by output_mask; the "
                    "others are undefined.",
         .shapes = "grad_output: [n, out, sizes..], input: [n, groups * c, sizes..], weight: [out, c, kernel..], or "
                   "transposed [groups * c, out / groups, kernel..] -> input's, weight's, [out]",
         .dtypes = one_dtype,
         .cost = "each gradient of input and weight costs as many multiply-adds as the convolution itself; that of the "
                 "bias is a sum",
         .errors = {bad_value("output_mask has not 3 elements",
                              "convolution_backward([[[1, 1]]], [[[1, 2, 3]]], [[[1, 10]]], None, [1], [0], [1], "
                              "False, [0], 1, [True, True])"),
                    bad_shape("grad_output has another shape than the result",
                              "convolution_backward([[[1]]], [[[1, 2, 3]]], [[[1, 10]]], None, [1], [0], [1], False, "
                              "[0], 1, [True, True, True])"),
                    not_one_dtype("convolution_backward([[[1.5, 1.5]]], [[[1, 2, 3]]], [[[1, 10]]], None, [1], [0], "
                                  "[1], False, [0], 1, [True, True, True])")},
         .examples = {{"convolution_backward([[[1, 1]]], [[[1, 2, 3]]], [[[1, 10]]], None, [1], [0], [1], False, [0], "
                       "1, [True, True, True])",
                       "[[[1, 11, 10]]] (int64 [1, 1, 3]); [[[3, 5]]] (int64 [1, 1, 2]); [2] (int64 [1])"},
                      {"convolution_backward([[[1.0, 1.0]]], [[[1.0, 2.0, 3.0]]], [[[1.0, 10.0]]], None, [1], [0], "
                       "[1], False, [0], 1, [False, True, False])",
                       "undefined tensor; [[[3, 5]]] (float32 [1, 1, 2]); undefined tensor"},
                      {"convolution_backward([[[1, 1, 1, 1]]], [[[1, 2, 3]]], [[[1, 10]]], None, [1], [0], [1], True, "
                       "[0], 1, [True, True, True])",
                       "[[[11, 11, 11]]] (int64 [1, 1, 3]); [[[6, 6]]] (int64 [1, 1, 2]); [4] (int64 [1])"}}}),
    page<convolution_family, aten::conv1d>(
        {.summary = "Computes the convolution over the last dimension, of a batch or of one input.",
         .shapes = rows_of_channels,
         .errors = {bad_shape(bad_shapes, "conv1d([[1, 2]], [[[1, 1, 1]]])"),
                    not_one_dtype("conv1d([[1, 2]], [[[1.5]]])"),
                    bad_value(bad_numbers, "conv1d([[1, 2]], [[[1]]], None, 0)")},
         .examples = {{"conv1d([[[1, 2, 3]]], [[[1, 10]]])", "[[[21, 32]]] (int64 [1, 1, 2])"},
                      {"conv1d([[1, 2, 3]], [[[1, 10]]], [100], padding=1)",
                       "[[110, 121, 132, 103]] (int64 [1, 4])"}}}),
    page<convolution_family, aten::conv2d>(
        {.summary = "Computes the convolution over the last two dimensions, of a batch or of one input.",
         .shapes = images,
         .errors = {bad_shape(bad_shapes, "conv2d([[[1, 2]]], [[[[1, 1, 1]]]])"),
                    not_one_dtype("conv2d([[[1, 2]]], [[[[1.5]]]])"),
                    bad_value(bad_numbers, "conv2d([[[1, 2]]], [[[[1]]]], None, 1, -1)")},
         .examples = {{"conv2d([[[[1, 2, 3], [4, 5, 6]]]], [[[[1, 10], [100, 1000]]]])",
                       "[[[[5421, 6532]]]] (int64 [1, 1, 1, 2])"},
                      {"conv2d([[[1, 2]], [[3, 4]]], [[[[1]]], [[[10]]]], groups=2)",
                       "[[[1, 2]], [[30, 40]]] (int64 [2, 1, 2])"}}}),
    page<convolution_family, aten::conv3d>(
        {.summary = "Computes the convolution over the last three dimensions, of a batch or of one input.",
         .shapes = volumes,
         .errors = {bad_shape(bad_shapes, "conv3d([[[[1, 2]]]], [[[[[1, 1, 1]]]]])"),
                    not_one_dtype("conv3d([[[[1, 2]]]], [[[[[1.5]]]]])"),
                    bad_value(bad_numbers, "conv3d([[[[1, 2]]]], [[[[[1]]]]], dilation=0)")},
         .examples = {{"conv3d([[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]], [[[[[1, 10]]]]])",
                       "[[[[21], [43]], [[65], [87]]]] (int64 [1, 2, 2, 1])"},
                      {"conv3d([[[[1, 2, 3]]]], [[[[[1, 10]]]]], stride=[1, 1, 2], padding=[0, 0, 1])",
                       "[[[[10, 32]]]] (int64 [1, 1, 1, 2])"}}}),
    page<aten::conv1d_padding>(
        {.summary = "Computes conv1d with padding 'valid' (none) or 'same' (the result has the input's length), the "
                    "larger half of which is at the end.",
         .shapes = rows_of_channels,
         .dtypes = one_dtype,
         .cost = "conv1d's; with 'same' and a kernel that reaches over an even number of elements, the input is padded "
                 "in a copy first",
         .errors = {bad_value(bad_padding, "conv1d.padding([[1, 2]], [[[1]]], None, 2, 'same')"),
                    bad_shape(bad_shapes, "conv1d.padding([[1, 2]], [[[1, 1, 1]]])"),
                    not_one_dtype("conv1d.padding([[1, 2]], [[[1.5]]])")},
         .examples = {{"conv1d.padding([[1, 2, 3]], [[[1, 10]]], None, 1, 'same')", "[[21, 32, 3]] (int64 [1, 3])"},
                      {"conv1d.padding([[1, 2, 3]], [[[1, 10]]], padding='valid')", "[[21, 32]] (int64 [1, 2])"}}}),
    page<aten::conv2d_padding>(
        {.summary = "Computes conv2d with padding 'valid' (none) or 'same' (the result has the input's height and "
                    "width), the larger half of which is at the end.",
         .shapes = images,
         .dtypes = one_dtype,
         .cost = "conv2d's; with 'same' and a kernel that reaches over an even number of elements, the input is padded "
                 "in a copy first",
         .errors = {bad_value(bad_padding, "conv2d.padding([[[1, 2]]], [[[[1]]]], None, 1, 'full')"),
                    bad_shape(bad_shapes, "conv2d.padding([[[1, 2]]], [[[[1, 1, 1]]]])"),
                    not_one_dtype("conv2d.padding([[[1, 2]]], [[[[1.5]]]])")},
         .examples = {{"conv2d.padding([[[1, 2], [3, 4]]], [[[[1, 10]]]], None, 1, 'same')",
                       "[[[21, 2], [43, 4]]] (int64 [1, 2, 2])"}}}),
    page<aten::conv3d_padding>(
        {.summary = "Computes conv3d with padding 'valid' (none) or 'same' (the result has the input's depth, height "
                    "and width), the larger half of which is at the end.",
         .shapes = volumes,
         .dtypes = one_dtype,
         .cost = "conv3d's; with 'same' and a kernel that reaches over an even number of elements, the input is padded "
                 "in a copy first",
         .errors = {bad_value(bad_padding, "conv3d.padding([[[[1, 2]]]], [[[[[1]]]]], None, 2, 'same')"),
                    bad_shape(bad_shapes, "conv3d.padding([[[[1, 2]]]], [[[[[1, 1, 1]]]]])"),
                    not_one_dtype("conv3d.padding([[[[1, 2]]]], [[[[[1.5]]]]])")},
         .examples = {{"conv3d.padding([[[[1, 2, 3]]]], [[[[[1, 10]]]]], None, 1, 'same')",
                       "[[[[21, 32, 3]]]] (int64 [1, 1, 1, 3])"}}}),
    page<transposed_family, aten::conv_transpose1d>(
        {.summary = "Computes a transposed conv1d, the gradient of conv1d with respect to its input, of a batch or of "
                    "one input.",
         .shapes = "input: [n, groups * c, length] or [groups * c, length], weight: [groups * c, out / groups, "
                   "kernel], bias: [out] -> [n, out, length] or [out, length], (length - 1) * stride - 2 * padding + "
                   "dilation * (kernel - 1) + output_padding + 1",
         .errors = {bad_shape(bad_transpose, "conv_transpose1d([[1, 2]], [[[1]]], None, 1, 0, 1)"),
                    not_one_dtype("conv_transpose1d([[1, 2]], [[[1.5]]])")},
         .examples = {{"conv_transpose1d([[[1, 2, 3]]], [[[1, 10]]])", "[[[1, 12, 23, 30]]] (int64 [1, 1, 4])"},
                      {"conv_transpose1d([[1, 2]], [[[1, 10]]], [100], 2, 0, 1)",
                       "[[101, 110, 102, 120, 100]] (int64 [1, 5])"}}}),
    page<transposed_family, aten::conv_transpose2d_input>(
        {.summary = "Computes a transposed conv2d, the gradient of conv2d with respect to its input, of a batch or of "
                    "one input.",
         .shapes = "input: [n, groups * c, height, width] or without n, weight: [groups * c, out / groups, kernel "
                   "height, kernel width], bias: [out] -> [n, out, height, width] or without n, each (size - 1) * "
                   "stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1",
         .errors = {bad_shape(bad_transpose, "conv_transpose2d.input([[[1, 2]]], [[[[1]]]], None, 0)"),
                    not_one_dtype("conv_transpose2d.input([[[1, 2]]], [[[[1.5]]]])")},
         .examples = {{"conv_transpose2d.input([[[[1, 2], [3, 4]]]], [[[[1, 10], [100, 1000]]]])",
                       "[[[[1, 12, 20], [103, 1234, 2040], [300, 3400, 4000]]]] (int64 [1, 1, 3, 3])"},
                      {"conv_transpose2d.input([[[1, 2]], [[3, 4]]], [[[[1]]], [[[10]]]], groups=2)",
                       "[[[1, 2]], [[30, 40]]] (int64 [2, 1, 2])"}}}),
    page<transposed_family, aten::conv_transpose3d_input>(
        {.summary = "Computes a transposed conv3d, the gradient of conv3d with respect to its input, of a batch or of "
                    "one input.",
         .shapes = "input: [n, groups * c, depth, height, width] or without n, weight: [groups * c, out / groups, "
                   "three sizes of the kernel], bias: [out] -> [n, out, depth, height, width] or without n, each (size "
                   "- 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1",
         .errors = {bad_shape(bad_transpose, "conv_transpose3d.input([[[1, 2]]], [[[[[1]]]]])"),
                    not_one_dtype("conv_transpose3d.input([[[[1, 2]]]], [[[[[1.5]]]]])")},
         .examples = {{"conv_transpose3d.input([[[[1, 2]]]], [[[[[1, 10]]]]])",
                       "[[[[1, 12, 20]]]] (int64 [1, 1, 1, 3])"},
                      {"conv_transpose3d.input([[[[1, 2]]]], [[[[[1, 10]]]]], stride=[1, 1, 2])",
                       "[[[[1, 10, 2, 20]]]] (int64 [1, 1, 1, 4])"}}}),
    page<convolution_family, native::convolve>(
        {.summary = "The kernel of convolution, with a gradient: without a bias, always with a batch.",
         .shapes = "input: [n, groups * c, sizes..], weight: [out, c, kernel..] -> [n, out, sizes..]",
         .errors = {bad_shape(bad_shapes, "convolve([[[1, 2]]], [[[1, 1, 1]]], [1], [0], [1], 1)"),
                    not_one_dtype("convolve([[[1, 2]]], [[[1.5]]], [1], [0], [1], 1)"),
                    bad_value(bad_numbers, "convolve([[[1, 2]]], [[[1]]], [0], [0], [1], 1)")},
         .examples = {{"convolve([[[1, 2, 3]]], [[[1, 10]]], [1], [0], [1], 1)", "[[[21, 32]]] (int64 [1, 1, 2])"}}}),
    page<gradient_family, native::convolve_input_gradient>(
        {.summary =
             "Returns the gradient of convolve's input: each contribution of a weight is added to its input element.",
         .shapes = "gradient: [n, out, sizes..], weight: [out, c, kernel..] -> input_sizes, [n, groups * c, sizes..]",
         .errors = {bad_shape("the gradient does not have the shape of convolve's result for input_sizes",
                              "convolve_input_gradient([[[1]]], [[[1, 10]]], [1, 1, 3], [1], [0], [1], 1)"),
                    not_one_dtype("convolve_input_gradient([[[1, 1]]], [[[1.5, 2.5]]], [1, 1, 3], [1], [0], [1], 1)"),
                    bad_value(bad_numbers,
                              "convolve_input_gradient([[[1, 1]]], [[[1, 10]]], [1, 1, 3], [1], [-1], [1], 1)")},
         .examples = {{"convolve_input_gradient([[[1, 1]]], [[[1, 10]]], [1, 1, 3], [1], [0], [1], 1)",
                       "[[[1, 11, 10]]] (int64 [1, 1, 3])"}}}),
    page<gradient_family, native::convolve_weight_gradient>(
        {.summary = "Returns the gradient of convolve's weight: for each image, the gradient times its windows.",
         .shapes = "gradient: [n, out, sizes..], input: [n, groups * c, sizes..] -> weight_sizes, [out, c, kernel..]",
         .errors = {bad_shape("the gradient does not have the shape of convolve's result for weight_sizes",
                              "convolve_weight_gradient([[[1]]], [[[1, 2, 3]]], [1, 1, 2], [1], [0], [1], 1)"),
                    not_one_dtype(
                        "convolve_weight_gradient([[[1, 1]]], [[[1.5, 2.5, 3.5]]], [1, 1, 2], [1], [0], [1], 1)"),
                    bad_value(
                        bad_numbers,
                        "convolve_weight_gradient([[[1, 1]]], [[[1, 2, 3]]], [1, 1, 2], [1], [0], [0], 1)")},
         .examples = {{"convolve_weight_gradient([[[1, 1]]], [[[1, 2, 3]]], [1, 1, 2], [1], [0], [1], 1)",
                       "[[[3, 5]]] (int64 [1, 1, 2])"}}}),
};

void publish_convolution_docs() { author::publish_pages({"Convolutions", pages}).keep(); }

}  // namespace topbit::detail
