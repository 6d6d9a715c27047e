// Gradients of functions of one tensor, element by element. The formulas are those of any calculus text.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

template <const auto& Op>
using neg_rule = derivative<Op, keep<>, [](T g) { return -g; }>;
template <const auto& Op>
using exp_rule = derivative<Op, keep<the_result>, [](T g, T y) { return g * y; }>;
template <const auto& Op>
using log_rule = derivative<Op, keep<0>, [](T g, T x) { return g / x; }>;
template <const auto& Op>
using rsqrt_rule = derivative<Op, keep<the_result>, [](T g, T y) { return g * (y * y * y) * -0.5; }>;
template <const auto& Op>
using relu_rule = derivative<Op, keep<the_result>, [](T g, T y) { return ops::threshold_backward(g, y, 0); }>;

constexpr author::kernel_row rows[] = {
    gradient_row<ops::neg, neg_rule<ops::neg>>(),       gradient_row<ops::neg_, neg_rule<ops::neg>>(),
    gradient_row<ops::exp, exp_rule<ops::exp>>(),       gradient_row<ops::exp_, exp_rule<ops::exp>>(),
    gradient_row<ops::log, log_rule<ops::log>>(),       gradient_row<ops::log_, log_rule<ops::log>>(),
    gradient_row<ops::rsqrt, rsqrt_rule<ops::rsqrt>>(), gradient_row<ops::rsqrt_, rsqrt_rule<ops::rsqrt>>(),
    gradient_row<ops::relu, relu_rule<ops::relu>>(),    gradient_row<ops::relu_, relu_rule<ops::relu>>(),
};

}  // namespace

std::span<const author::kernel_row> unary_gradients() { return rows; }

}  // namespace topbit::detail
