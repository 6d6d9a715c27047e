module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view class_shapes =
    "self: [n, classes], target: [n], weight: [classes]; or self: [classes], target: [] -> [], or target's if "
    "reduction is None (0), and []";
constexpr std::string_view bad_gradient_types =
    "self is not floating, grad_output or the weights have another dtype, or labels are not int64";
constexpr std::string_view label_dtypes =
    "floating; the result and the weights have self's, and labels are int64; sums are kept in float64";
constexpr std::string_view bad_labels = "the shapes do not match, or a label is neither a class nor ignore_index";
constexpr std::string_view bad_label_types =
    "self is not floating, labels are not int64, or the weights have another dtype";
constexpr std::string_view bad_reduction = "reduction is not None (0), Mean (1) or Sum (2)";
constexpr std::string_view composed_cost =
    "composed of elementwise operators, each with a tensor of the broadcast sizes, and a reduction";

constexpr std::string_view fused_cost = "one pass to a tensor of the broadcast sizes, and a reduction";

constexpr family_lines pair_family = {.shapes = "self: [..], target: [..] -> [], or broadcast if reduction is None (0)",
                                      .dtypes = "floating; both are promoted, so one that is floating will do",
                                      .cost = composed_cost};
constexpr family_lines labels_family = {.dtypes = label_dtypes,
                                        .cost =
                                            "labels are checked first, then one element of each row is read; rows that "
                                            "are not dense, or float16 or bfloat16, are converted whole"};
constexpr family_lines label_gradient_family = {
    .shapes =
        "grad_output: the sizes of the result, self: [n, classes] or [classes], target: [n] or [], weight: [classes], "
        "total_weight: one element -> self's",
    .dtypes = "floating; grad_output and the weights have self's, and labels are int64"};

constexpr operator_page pages[] = {
    page<labels_family, aten::nll_loss, aten::nll_loss_out>(
        {.summary = "Computes the negative log-likelihood of labels, -weight[target] * self[target], given "
                    "log-probabilities of classes; labels equal to ignore_index are ignored, and the mean is weighted.",
         .shapes = "self: [n, classes], target: [n], weight: [classes]; or self: [classes], target: [] -> [], or "
                   "target's if reduction is None (0)",
         .errors = {bad_shape(bad_labels, "nll_loss([[-0.5, -1.5]], [2])"),
                    bad_dtype(bad_label_types, "nll_loss([[-0.5, -1.5]], [0.0])"),
                    bad_value(bad_reduction, "nll_loss([[-0.5, -1.5]], [0], None, 3)")},
         .examples = {{"nll_loss([[-1.0, -2.0], [-3.0, -4.0]], [0, 1] (int64))", "2.5 (float32 [])"},
                      {"nll_loss([[-1.0, -2.0], [-3.0, -4.0]], [0, 1], [1.0, 3.0])", "3.25 (float32 [])"},
                      {"nll_loss([[-1.0, -2.0], [-3.0, -4.0]], [0, -100], None, 0)", "[1, 0] (float32 [2])"}}}),
    page<labels_family, aten::nll_loss_forward, aten::nll_loss_forward_output>(
        {.summary = "Returns nll_loss and the sum of the weights, or 0 without a reduction: the kernel of nll_loss.",
         .shapes = class_shapes,
         .errors = {bad_shape(bad_labels, "nll_loss_forward([[-0.5, -1.5]], [2], None, 1, -100)"),
                    bad_dtype(bad_label_types, "nll_loss_forward([[-0.5, -1.5]], [0.0], None, 1, -100)"),
                    bad_value(bad_reduction, "nll_loss_forward([[-0.5, -1.5]], [0], None, 3, -100)")},
         .examples = {{"nll_loss_forward([[-1.0, -2.0], [-3.0, -4.0]], [0, 1] (int64), [1.0, 3.0], 1, -100)",
                       "3.25 (float32 []); 4 (float32 [])"}}}),
    page<label_gradient_family, aten::nll_loss_backward, aten::nll_loss_backward_grad_input>(
        {.summary = "Returns the gradient of nll_loss_forward: -weight[target] * grad_output at each label, divided by "
                    "total_weight for a mean, and 0 elsewhere.",
         .cost = "labels are checked first, then each element of the result is written once; self is not read",
         .errors = {bad_shape(bad_labels, "nll_loss_backward(1.0, [[-0.5, -1.5]], [2], None, 1, -100, 1.0)"),
                    bad_dtype(bad_gradient_types, "nll_loss_backward(1.0, [[-0.5, -1.5]], [0.0], None, 1, -100, 1.0)"),
                    bad_value(bad_reduction, "nll_loss_backward(1.0, [[-0.5, -1.5]], [0], None, 3, -100, 1.0)")},
         .examples = {{"nll_loss_backward(1.0, [[-1.0, -2.0], [-3.0, -4.0]], [0, 1] (int64), None, 1, -100, 2.0)",
                       "[[-0.5, 0], [0, -0.5]] (float32 [2, 2])"}}}),
    page<aten::nll_loss_nd, aten::nll_loss2d, aten::nll_loss2d_out>(
        {.summary = "Computes nll_loss with any number of dimensions after the classes; nll_loss2d has two.",
         .shapes =
             "self: [n, classes, ..], target: [n, ..], weight: [classes] -> [], or target's if reduction is None (0)",
         .dtypes = label_dtypes,
         .cost = "nll_loss's; with dimensions after the classes, self is copied so that classes are last",
         .errors = {bad_shape("the shapes do not match, a label is neither a class nor ignore_index, or self of "
                              "nll_loss2d is not four-dimensional",
                              "nll_loss_nd([[[-0.5], [-1.5]]], [0])"),
                    bad_dtype(bad_label_types, "nll_loss_nd([[[-0.5], [-1.5]]], [[0.0]])"),
                    bad_value(bad_reduction, "nll_loss_nd([[[-0.5], [-1.5]]], [[0]], None, 3)")},
         .examples = {{"nll_loss_nd([[[-1.0, -2.0], [-3.0, -4.0]]], [[0, 1]] (int64))", "2.5 (float32 [])"},
                      {"nll_loss2d([[[[-1.0, -2.0]], [[-3.0, -4.0]]]], [[[0, 1]]], None, 0)",
                       "[[[1, 4]]] (float32 [1, 1, 2])"}}}),
    page<aten::cross_entropy_loss>(
        {.summary = "Computes nll_loss_nd of log_softmax(self) for labels or class probabilities; label_smoothing is "
                    "distributed evenly over all classes.",
         .shapes = "self: [n, classes, ..] or [classes], target: [n, ..] or [], or self's sizes, weight: [classes] -> "
                   "[], or [n, ..] if reduction is None (0)",
         .dtypes = "floating; the result has self's; labels are int64, probabilities floating",
         .cost = "topbit::cross_entropy for labels without smoothing, which makes no tensor of self's sizes; else a "
                 "log_softmax, and nll_loss_nd or some elementwise passes",
         .errors =
             {bad_shape(bad_labels, "cross_entropy_loss([[0.5, 1.5]], [2])"),
              bad_dtype(
                  "self or probabilities are not floating, labels are not int64, or the weights have another dtype",
                  "cross_entropy_loss([[0, 1]], [0])"),
              bad_value("reduction is not None (0), Mean (1) or Sum (2), or label_smoothing is not from 0 to 1",
                        "cross_entropy_loss([[0.5, 1.5]], [0], None, 1, -100, 2.0)")},
         .examples = {{"cross_entropy_loss([[0.0, 0.0], [1.0, 0.0]], [0, 1] (int64))", "1.0032043 (float32 [])"},
                      {"cross_entropy_loss([[0.0, 1.0]], [[0.5, 0.5]])", "0.8132616 (float32 [])"},
                      {"cross_entropy_loss([[0.0, 1.0]], [1], label_smoothing=0.5)", "0.5632616 (float32 [])"}}}),
    page<native::cross_entropy>(
        {.summary = "Returns cross_entropy_loss of labels, without smoothing, and the sum of the weights, or 0 without "
                    "a reduction: the kernel of cross_entropy_loss.",
         .shapes = class_shapes,
         .dtypes = label_dtypes,
         .cost = "labels are checked first, then self is read once: no tensor of its sizes is made; rows that are not "
                 "dense, or float16 or bfloat16, are converted some at a time",
         .errors = {bad_shape(bad_labels, "cross_entropy([[0.5, 1.5]], [2], None, 1, -100)"),
                    bad_dtype(bad_label_types, "cross_entropy([[0.5, 1.5]], [0.0], None, 1, -100)"),
                    bad_value(bad_reduction, "cross_entropy([[0.5, 1.5]], [0], None, 3, -100)")},
         .examples = {{"cross_entropy([[0.0, 0.0], [1.0, 0.0]], [0, 1] (int64), None, 1, -100)",
                       "1.0032043 (float32 []); 2 (float32 [])"}}}),
    page<label_gradient_family, native::cross_entropy_backward>(
        {.summary = "Returns the gradient of topbit::cross_entropy: softmax(self), less 1 at each label, times "
                    "grad_output and the label's weight, divided by total_weight for a mean.",
         .cost = "labels are checked first, then one pass: each row's exponentials are stored in its result",
         .errors = {bad_shape(bad_labels, "cross_entropy_backward(1.0, [[0.5, 1.5]], [2], None, 1, -100, 1.0)"),
                    bad_dtype(bad_gradient_types,
                              "cross_entropy_backward(1.0, [[0.5, 1.5]], [0.0], None, 1, -100, 1.0)"),
                    bad_value(bad_reduction, "cross_entropy_backward(1.0, [[0.5, 1.5]], [0], None, 3, -100, 1.0)")},
         .examples = {{"cross_entropy_backward(1.0, [[0.0, 0.0], [0.0, 0.0]], [0, 1] (int64), None, 1, -100, 2.0)",
                       "[[-0.25, 0.25], [0.25, -0.25]] (float32 [2, 2])"}}}),
    page<pair_family, aten::mse_loss, aten::mse_loss_out>(
        {.summary = "Computes the squares of self - target, and their mean or sum.",
         .cost = fused_cost,
         .errors = {no_broadcast("mse_loss([1.5, 2.5], [1.5, 2.5, 3.5])"),
                    bad_dtype("neither is floating", "mse_loss([1, 2], [3, 4])"),
                    bad_value(bad_reduction, "mse_loss([1.5], [2.5], 3)")},
         .examples = {{"mse_loss([1.0, 2.0], [1.0, 4.0])", "2 (float32 [])"},
                      {"mse_loss([1.0, 2.0], [1.0, 4.0], 0)", "[0, 4] (float32 [2])"}}}),
    page<elementwise::squared_difference, native::squared_difference>(
        {.summary = "Computes (self - target)^2, the elements of mse_loss.",
         .examples = {{"squared_difference([1.0, 2.0], [1.0, 4.0])", "[0, 4] (float32 [2])"}}}),
    page<elementwise::squared_difference_backward, native::squared_difference_backward>(
        {.summary = "Returns 2 * grad_output * (self - target), the gradient of topbit::squared_difference.",
         .examples = {{"squared_difference_backward([1.0, 0.5], [1.0, 2.0], [1.0, 4.0])", "[0, -2] (float32 [2])"}}}),
    page<elementwise::smooth_l1, native::smooth_l1>(
        {.summary = "Computes the elements of smooth_l1_loss.",
         .examples = {{"smooth_l1([1.0, 2.0], [1.5, 4.0], 2.0)", "[0.0625, 1] (float32 [2])"}}}),
    page<elementwise::smooth_l1_backward, native::smooth_l1_backward>(
        {.summary = "Returns grad_output * (self - target) / beta, the factor limited to [-1, 1]: the gradient of "
                    "topbit::smooth_l1.",
         .examples = {{"smooth_l1_backward([1.0, 1.0], [1.5, 0.0], [1.0, 4.0], 2.0)", "[0.25, -1] (float32 [2])"}}}),
    page<elementwise::huber, native::huber>(
        {.summary = "Computes the elements of huber_loss.",
         .examples = {{"huber([1.0, 2.0], [1.5, 4.0], 0.5)", "[0.125, 0.875] (float32 [2])"}}}),
    page<elementwise::huber_backward, native::huber_backward>(
        {.summary = "Returns grad_output times self - target, limited to [-delta, delta]: the gradient of "
                    "topbit::huber.",
         .examples = {{"huber_backward([1.0, 1.0], [1.5, 0.0], [1.0, 4.0], 0.75)", "[0.5, -0.75] (float32 [2])"}}}),
    page<pair_family, aten::soft_margin_loss, aten::soft_margin_loss_out>(
        {.summary =
             "Computes log(1 + exp(-target * self)), without overflow, for targets of 1 and -1, and its mean or sum.",
         .dtypes = "floating; both are promoted, and target may be of integers or bool",
         .errors = {no_broadcast("soft_margin_loss([1.5, 2.5], [1.5, 2.5, 3.5])"),
                    not_floating("soft_margin_loss([1, 2], [1, -1])"),
                    bad_value(bad_reduction, "soft_margin_loss([1.5], [1.0], 3)")},
         .examples = {{"soft_margin_loss([0.0, 2.0], [1.0, -1.0])", "1.4100376 (float32 [])"},
                      {"soft_margin_loss([0.0, 2.0], [1.0, -1.0], 0)", "[0.6931472, 2.126928] (float32 [2])"}}}),
    page<pair_family, aten::l1_loss>(
        {.summary = "Computes the magnitudes of self - target, and their mean or sum.",
         .dtypes = "floating; both are promoted; integers too without a mean, as in sub, abs and sum",
         .errors = {no_broadcast("l1_loss([1.5, 2.5], [1.5, 2.5, 3.5])"),
                    bad_dtype("the mean of integers is asked for, or both are bool", "l1_loss([1, 2], [3, 4])"),
                    bad_value(bad_reduction, "l1_loss([1.5], [2.5], 3)")},
         .examples = {{"l1_loss([1.0, 2.0], [1.0, 4.0])", "1 (float32 [])"},
                      {"l1_loss([1.0, 2.0], [1.0, 4.0], 2)", "2 (float32 [])"}}}),
    page<pair_family, aten::smooth_l1_loss, aten::smooth_l1_loss_out>(
        {.summary = "Computes, with d = abs(self - target), d^2 / (2 * beta) below beta and d - beta / 2 from there, "
                    "and their mean or sum; beta 0 gives l1_loss.",
         .cost = fused_cost,
         .errors = {no_broadcast("smooth_l1_loss([1.5, 2.5], [1.5, 2.5, 3.5])"),
                    bad_dtype("neither is floating", "smooth_l1_loss([1], [0])"),
                    bad_value("reduction is not None (0), Mean (1) or Sum (2), or beta is below 0",
                              "smooth_l1_loss([1.5], [2.5], 1, -1.0)")},
         .examples = {{"smooth_l1_loss([1.0, 4.0], [1.0, 2.0])", "0.75 (float32 [])"},
                      {"smooth_l1_loss([1.0, 2.0], [1.5, 4.0], 0, 2.0)", "[0.0625, 1] (float32 [2])"}}}),
    page<pair_family, aten::huber_loss, aten::huber_loss_out>(
        {.summary = "Computes, with d = abs(self - target), d^2 / 2 up to delta and delta * (d - delta / 2) above, and "
                    "their mean or sum.",
         .cost = fused_cost,
         .errors = {no_broadcast("huber_loss([1.5, 2.5], [1.5, 2.5, 3.5])"),
                    bad_dtype("neither is floating", "huber_loss([1], [0])"),
                    bad_value("reduction is not None (0), Mean (1) or Sum (2), or delta is not above 0",
                              "huber_loss([1.5], [2.5], 1, 0.0)")},
         .examples = {{"huber_loss([1.0, 4.0], [1.0, 2.0])", "0.75 (float32 [])"},
                      {"huber_loss([1.0, 2.0], [1.5, 4.0], 0, 0.5)", "[0.125, 0.875] (float32 [2])"}}}),
    page<aten::binary_cross_entropy, aten::binary_cross_entropy_out>(
        {.summary = "Computes -weight * (target * log(self) + (1 - target) * log(1 - self)) of probabilities, with "
                    "logarithms of at least -100, and their mean or sum.",
         .shapes = "self: [..], target: self's, weight: broadcasts with them -> [], or the sizes of both if reduction "
                   "is None (0)",
         .dtypes = "floating; all are promoted, and only self must be floating",
         .cost = "composed of elementwise operators, each with a tensor of self's sizes, and a reduction; before that "
                 "all of self is checked to be from 0 to 1",
         .errors = {bad_shape("the sizes of self and target differ", "binary_cross_entropy([0.5, 0.5], [1.0])"),
                    not_floating("binary_cross_entropy([0, 1], [0, 1])"),
                    bad_value(
                        "an element of self is not from 0 to 1, or reduction is not None (0), Mean (1) or Sum (2)",
                        "binary_cross_entropy([1.5], [1.0])")},
         .examples = {{"binary_cross_entropy([0.5, 0.25], [1.0, 0.0])", "0.49041462 (float32 [])"},
                      {"binary_cross_entropy([0.0], [1.0])", "100 (float32 [])"}}}),
    page<pair_family, aten::kl_div>(
        {.summary =
             "Computes target * (log(target) - self), the divergence of probabilities from the log-probabilities in "
             "self, and the mean or sum over all elements; with log_target, target holds logarithms too.",
         .dtypes = "floating; both are promoted",
         .errors = {no_broadcast("kl_div([-1.0, -2.0], [0.5, 0.25, 0.25])"),
                    bad_dtype("self or target is not floating", "kl_div([-1, -2], [0.5, 0.25])"),
                    bad_value(bad_reduction, "kl_div([-1.0], [0.5], 3)")},
         .examples = {{"kl_div([-1.0, -2.0], [0.5, 0.25], 0)", "[0.15342641, 0.15342641] (float32 [2])"},
                      {"kl_div([-1.0, -2.0], [0.0, 0.25], 2)", "0.15342641 (float32 [])"},
                      {"kl_div([-1.0, -2.0], [-1.0, 0.0], 0, log_target=True)", "[0, 2] (float32 [2])"}}}),
    page<aten::binary_cross_entropy_with_logits>(
        {.summary =
             "Computes binary_cross_entropy of sigmoid(self), without overflow; pos_weight weights the term of target.",
         .shapes = "self: [..], target: [..], weight, pos_weight: broadcast with them -> [], or broadcast if reduction "
                   "is None (0)",
         .dtypes = "floating; all are promoted",
         .cost = composed_cost,
         .errors = {no_broadcast("binary_cross_entropy_with_logits([0.5, 1.5], [0.5, 1.5, 2.5])"),
                    bad_dtype("self or target is not floating", "binary_cross_entropy_with_logits([0, 1], [0, 1])"),
                    bad_value(bad_reduction, "binary_cross_entropy_with_logits([0.5], [1.0], None, None, 3)")},
         .examples = {{"binary_cross_entropy_with_logits([0.0, 0.0], [1.0, 0.0])", "0.6931472 (float32 [])"},
                      {"binary_cross_entropy_with_logits([0.0, 2.0], [1.0, 0.0], None, [3.0], 0)",
                       "[2.0794415, 2.126928] (float32 [2])"}}}),
};

void publish_loss_docs() { author::publish_pages({"Losses", pages}).keep(); }

}  // namespace topbit::detail
