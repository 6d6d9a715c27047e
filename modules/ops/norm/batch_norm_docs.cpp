module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view dtypes =
    "floating; the result has input's, float16 and bfloat16 are computed in float32, to which the others are converted";
constexpr std::string_view batch_cost =
    "in training two sums over input and three elementwise passes, else two passes; one more for weight and one for "
    "bias, each with a tensor of input's sizes";
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
         .cost = "two sums over input and three elementwise passes, one more for weight and one for bias, each with a "
                 "tensor of input's sizes; a non-dense input is copied first",
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
         .cost = "batch_norm's; channel parameters are copied for each image, and a non-dense input is copied first",
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
};

void publish_batch_norm_docs() { author::publish_pages({"Batch and group normalisation", pages}).keep(); }

}  // namespace topbit::detail
