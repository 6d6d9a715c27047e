module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view dtypes =
    "floating; the result has input's, float16 and bfloat16 are computed in float32, to which the others are converted";
constexpr std::string_view batch_cost =
    "on the CPU one kernel: in training each channel is read for its statistics and again, from a cache if it fits in "
    "one, for the result; else input is read once; a non-dense input is copied first; on CUDA two sums in training and "
    "some elementwise passes, each with a tensor of input's sizes";
constexpr std::string_view bad_shapes =
    "input has fewer than two dimensions, another tensor has not [channels], or running_var is given in training and a "
    "channel has fewer than two elements";
constexpr std::string_view bad_types = "input is not floating, or running statistics are not in training";

constexpr family_lines batch_family = {
    .shapes = "input: [n, channels, ..], weight, bias, running_mean, running_var: [channels] -> input's",
    .dtypes = dtypes,
    .cost = batch_cost};

constexpr operator_page pages[] = {
    page<batch_family, aten::batch_norm>(
        {.summary = "Normalises each channel: (input - mean) / sqrt(variance + eps) * weight + bias, with the "
                    "statistics of the batch in training, and the running statistics otherwise.",
         .memory = "the result is new and dense; in training running_mean and running_var, if given, are updated in "
                   "place with the mean and the unbiased variance of the batch, by momentum",
         .errors = {bad_shape(bad_shapes,
                              "batch_norm([[1.0], [3.0]], [1.0, 1.0], None, None, None, True, 0.1, 0.0, False)"),
                    bad_dtype(bad_types, "batch_norm([[1], [3]], None, None, None, None, True, 0.1, 0.0, False)"),
                    bad_value("a running statistic is missing outside training",
                              "batch_norm([[1.0], [3.0]], None, None, None, None, False, 0.1, 0.0, False)")},
         .examples = {{"batch_norm([[1.0], [3.0]], None, None, None, None, True, 0.1, 0.0, False)",
                       "[[-1], [1]] (float32 [2, 1])"},
                      {"batch_norm([[1.0], [3.0]], [2.0], [10.0], [2.0], [4.0], False, 0.1, 0.0, False)",
                       "[[9], [11]] (float32 [2, 1])"}}}),
    page<aten::native_batch_norm>(
        {.summary = "Returns batch_norm, and the mean and 1 / sqrt(variance + eps) that it computed, which are empty "
                    "outside training.",
         .shapes = "input: [n, channels, ..], weight, bias, running_mean, running_var: [channels] -> input's, and "
                   "twice [channels] or [0]",
         .dtypes = "floating; the first result has input's; float16 and bfloat16 are computed in float32, to which the "
                   "others are converted and which the statistics have",
         .memory = "the results are new and dense; in training running_mean and running_var, if given, are updated in "
                   "place with the mean and the unbiased variance of the batch, by momentum",
         .cost = batch_cost,
         .errors = {bad_shape(bad_shapes, "native_batch_norm([[1.0]], None, None, [0.0], [1.0], True, 0.1, 0.0)"),
                    bad_dtype(bad_types, "native_batch_norm([[1], [3]], None, None, None, None, True, 0.1, 0.0)"),
                    bad_value("a running statistic is missing outside training",
                              "native_batch_norm([[1.0], [3.0]], None, None, None, None, False, 0.1, 0.0)")},
         .examples = {{"native_batch_norm([[1.0], [5.0]], None, None, None, None, True, 0.1, 0.0)",
                       "[[-1], [1]] (float32 [2, 1]); [3] (float32 [1]); [0.5] (float32 [1])"},
                      {"native_batch_norm([[1.0], [3.0]], None, None, [2.0], [4.0], False, 0.1, 0.0)",
                       "[[-0.5], [0.5]] (float32 [2, 1]); [] (float32 [0]); [] (float32 [0])"}}}),
    page<aten::group_norm>(
        {.summary = "Returns (input - mean) / sqrt(variance + eps) * weight + bias with mean and variance of each "
                    "image's groups of channels.",
         .shapes = "input: [n, channels, ..], weight, bias: [channels] -> input's",
         .dtypes = dtypes,
         .cost =
             "on the CPU one kernel, which reads each group for its statistics and again, from a cache if it fits in "
             "one, for the result; a non-dense input is copied first; on CUDA two sums over input and some "
             "elementwise passes, each with a tensor of input's sizes",
         .errors = {bad_shape("input has fewer than two dimensions, or weight or bias has not [channels]",
                              "group_norm([[1.0, 3.0]], 1, [1.0])"),
                    bad_dtype("input is not floating", "group_norm([[1, 3]], 1)"),
                    bad_value("num_groups is below 1 or does not divide the channels", "group_norm([[1.0, 3.0]], 3)")},
         .examples = {{"group_norm([[1.0, 3.0, 0.0, 4.0]], 2, None, None, 0.0)", "[[-1, 1, -1, 1]] (float32 [1, 4])"},
                      {"group_norm([[1.0, 3.0]], 1, [2.0, 1.0], [10.0, 20.0], 0.0)", "[[8, 21]] (float32 [1, 2])"}}}),
    page<batch_family, aten::instance_norm>(
        {.summary = "Returns batch_norm of each channel of each image by itself, with its own statistics, or with the "
                    "running statistics without use_input_stats.",
         .memory =
             "the result is new and dense; with use_input_stats running_mean and running_var, if given, are updated in "
             "place with the averages over the images of the means and unbiased variances, by momentum",
         .cost = "group_norm's, or without use_input_stats batch_norm's",
         .errors = {bad_shape(bad_shapes,
                              "instance_norm([[[1.0, 3.0]]], [1.0, 1.0], None, None, None, True, 0.1, 0.0, False)"),
                    bad_dtype("input is not floating, or running statistics are not with use_input_stats",
                              "instance_norm([[[1, 3]]], None, None, None, None, True, 0.1, 0.0, False)"),
                    bad_value("a running statistic is missing without use_input_stats",
                              "instance_norm([[[1.0, 3.0]]], None, None, None, None, False, 0.1, 0.0, False)")},
         .examples = {{"instance_norm([[[1.0, 3.0], [0.0, 4.0]]], None, None, None, None, True, 0.1, 0.0, False)",
                       "[[[-1, 1], [-1, 1]]] (float32 [1, 2, 2])"},
                      {"instance_norm([[[1.0, 3.0]]], [2.0], [10.0], [2.0], [4.0], False, 0.1, 0.0, False)",
                       "[[[9, 11]]] (float32 [1, 1, 2])"}}}),
    page<native::channel_norm>(
        {.summary =
             "Returns (input - mean) / sqrt(variance + eps) * weight + bias, and the mean and the variance, divided "
             "by the number of elements: of each image's groups of channels; with groups = 0 of each channel over "
             "all images; or those given, and then empty results.",
         .shapes =
             "input: [n, channels, ..], weight, bias, mean, variance: [channels] -> input's, and twice [n, groups], "
             "[channels] or [0]",
         .dtypes = "floating; the first result has input's; float16 and bfloat16 are computed in float32, to which the "
                   "others are converted and which the statistics have",
         .memory = "the results are new and dense",
         .cost = "group_norm's",
         .errors = {bad_shape("input has fewer than two dimensions, or another tensor has not [channels]",
                              "channel_norm([[1.0, 3.0]], [1.0], None, None, None, 1, 0.0)"),
                    bad_dtype("an operand is not floating", "channel_norm([[1, 3]], None, None, None, None, 1, 0.0)"),
                    bad_value("groups is negative or does not divide the channels, or mean and variance are not given "
                              "together, with groups = 0",
                              "channel_norm([[1.0, 3.0]], None, None, None, None, 3, 0.0)")},
         .examples = {{"channel_norm([[1.0, 3.0, 0.0, 4.0]], None, None, None, None, 2, 0.0)",
                       "[[-1, 1, -1, 1]] (float32 [1, 4]); [[2, 2]] (float32 [1, 2]); [[1, 4]] (float32 [1, 2])"},
                      {"channel_norm([[1.0], [3.0]], [2.0], [10.0], [2.0], [4.0], 0, 0.0)",
                       "[[9], [11]] (float32 [2, 1]); [] (float32 [0]); [] (float32 [0])"}}}),
    page<native::channel_norm_backward>(
        {.summary = "Returns the gradients of channel_norm for input, weight and bias, as selected by output_mask; the "
                    "others are undefined. With given=True mean and variance are constants.",
         .shapes =
             "grad_out, input: [n, channels, ..], mean, variance: [n, groups], or [channels] with groups = 0, weight: "
             "[channels] -> input's, and twice [channels]",
         .dtypes = "floating; grad_out has input's dtype, as the first result; float16 and bfloat16 are computed in "
                   "float32, to which the others are converted and which the other results have",
         .memory = "the results are new and dense",
         .cost =
             "on the CPU one kernel, which reads input and grad_out for the sums of each group or channel and again, "
             "from a cache if they fit in one, for the gradient; non-dense operands are copied first; on CUDA some "
             "elementwise passes and sums",
         .errors =
             {bad_shape("grad_out has other sizes than input, or another tensor has not these",
                        "channel_norm_backward([[1.0]], [[1.0, 3.0]], [[2.0]], [[1.0]], None, 1, 0.0, False, [True, "
                        "True, True])"),
              bad_dtype("an operand is not floating, or grad_out has another dtype than input",
                        "channel_norm_backward([[1, 0]], [[1.0, 3.0]], [[2.0]], [[1.0]], None, 1, 0.0, False, "
                        "[True, True, True])"),
              bad_value("groups is negative or does not divide the channels, given=True is not with groups = 0, or "
                        "output_mask does not have three elements",
                        "channel_norm_backward([[1.0, 0.0]], [[1.0, 3.0]], [[2.0]], [[1.0]], None, 1, 0.0, False, "
                        "[True])")},
         .examples =
             {{"channel_norm_backward([[1.0, 0.0]], [[1.0, 3.0]], [[2.0]], [[1.0]], None, 1, 0.0, False, [True, "
               "True, True])",
               "[[0, 0]] (float32 [1, 2]); [-1, 0] (float32 [2]); [1, 0] (float32 [2])"},
              {"channel_norm_backward([[1.0], [0.0]], [[1.0], [3.0]], [2.0], [4.0], [3.0], 0, 0.0, True, [True, "
               "False, False])",
               "[[1.5], [0]] (float32 [2, 1]); undefined tensor; undefined tensor"}}}),
};

void publish_batch_norm_docs() { author::publish_pages({"Batch and group normalisation", pages}).keep(); }

}  // namespace topbit::detail
