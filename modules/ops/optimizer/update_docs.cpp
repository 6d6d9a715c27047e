module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view dtypes =
    "floating; gradients have the parameters' dtypes, and so has the state, or float32 for float16 and bfloat16; "
    "float16 and bfloat16 are computed in float32";
constexpr std::string_view other_lengths = "a list has not one tensor for each parameter";
constexpr std::string_view other_sizes = "a tensor has other sizes than its parameter";
constexpr std::string_view other_dtypes =
    "a parameter is not floating, or a tensor has another dtype than its parameter";

constexpr operator_page pages[] = {
    page<aten::_fused_sgd_>(
        {.summary = "Performs a step of stochastic gradient descent for each parameter: self -= lr * g, where g is the "
                    "gradient plus weight_decay * self, or with momentum the running average in momentum_buffer_list.",
         .shapes = "self: any, grads: the same, momentum_buffer_list: the same, or none without momentum -> none",
         .dtypes = dtypes,
         .memory = "self and momentum_buffer_list are written, and grads if grad_scale is given; no two of them may "
                   "share elements",
         .cost = "one pass over each parameter, its gradient and its buffer; what is not dense, or float16 or "
                 "bfloat16, is copied first",
         .errors = {bad_value(other_lengths,
                              "_fused_sgd_([[1.0]], [], [], weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0, "
                              "nesterov=False, maximize=False, is_first_step=False)"),
                    bad_shape(other_sizes,
                              "_fused_sgd_([[1.0]], [[1.0, 2.0]], [], weight_decay=0.0, momentum=0.0, lr=0.1, "
                              "dampening=0.0, nesterov=False, maximize=False, is_first_step=False)"),
                    bad_dtype(other_dtypes,
                              "_fused_sgd_([[1]], [[1]], [], weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0, "
                              "nesterov=False, maximize=False, is_first_step=False)")},
         .examples = {{"_fused_sgd_([[1.0, 2.0]], [[1.0, -2.0]], [], weight_decay=0.0, momentum=0.0, lr=0.5, "
                       "dampening=0.0, nesterov=False, maximize=False, is_first_step=False)",
                       ""}}}),
    page<aten::_fused_adam_, aten::_fused_adamw_>(
        {.summary =
             "Performs a step of Adam for each parameter: self -= lr * m / (sqrt(v) + eps), where m and v are exp_avgs "
             "and exp_avg_sqs, the running averages of the gradient and of its square, each divided by 1 - beta^step; "
             "weight_decay * self is added to the gradient, or, of _fused_adamw_, lr times that taken from self.",
         .shapes = "self: any, grads: the same, exp_avgs: the same, exp_avg_sqs: the same, max_exp_avg_sqs: the same, "
                   "or none without amsgrad, state_steps: one element -> none",
         .dtypes = dtypes,
         .memory = "self and the state are written, except state_steps, and grads if grad_scale is given; no two of "
                   "them may share elements",
         .cost = "one pass over each parameter, its gradient and its state; what is not dense, or float16 or bfloat16, "
                 "is copied first; state_steps, grad_scale and found_inf on a device are read there, without waiting",
         .errors = {bad_value(other_lengths,
                              "_fused_adam_([[1.0]], [[1.0]], [[0.0]], [[0.0]], [], [], lr=0.1, beta1=0.9, beta2=0.5, "
                              "weight_decay=0.0, eps=0.0, amsgrad=False, maximize=False)"),
                    bad_shape(other_sizes,
                              "_fused_adam_([[1.0]], [[1.0]], [[0.0, 0.0]], [[0.0]], [], [1.0], lr=0.1, beta1=0.9, "
                              "beta2=0.5, weight_decay=0.0, eps=0.0, amsgrad=False, maximize=False)"),
                    bad_dtype(other_dtypes,
                              "_fused_adam_([[1]], [[1]], [[0]], [[0]], [], [1.0], lr=0.1, beta1=0.9, beta2=0.5, "
                              "weight_decay=0.0, eps=0.0, amsgrad=False, maximize=False)")},
         .examples = {{"_fused_adam_([[1.0, 2.0]], [[1.0, -2.0]], [[0.0, 0.0]], [[0.0, 0.0]], [], [1.0 (float32)], "
                       "lr=0.5, beta1=0.5, beta2=0.5, weight_decay=0.0, eps=0.0, amsgrad=False, maximize=False)",
                       ""}}}),
};

void publish_update_docs() { author::publish_pages({"Optimizers", pages}).keep(); }

}  // namespace topbit::detail
