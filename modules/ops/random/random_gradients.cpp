// Gradient rules of operators that overwrite a tensor with random numbers.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

constexpr author::kernel_row rows[] = {
    gradient_row<aten::uniform_, erase_rule<>>(),         gradient_row<aten::normal_, erase_rule<>>(),
    gradient_row<aten::exponential_, erase_rule<>>(),     gradient_row<aten::random_, erase_rule<>>(),
    gradient_row<aten::random_to_, erase_rule<>>(),       gradient_row<aten::random_from_, erase_rule<>>(),
    gradient_row<aten::bernoulli_float_, erase_rule<>>(), gradient_row<aten::bernoulli_Tensor_, erase_rule<2>>(),
};

}  // namespace

std::span<const author::kernel_row> random_gradients() { return rows; }

}  // namespace topbit::detail
