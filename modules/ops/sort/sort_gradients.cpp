// Gradient rules of sorting, and of selection by order.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

struct order_rule {
  taken_elements from;
  static order_rule save(T self, std::int64_t dim, bool, const values_and_indices& r) {
    return {taken_elements::of(self, dim, r)};
  }
  static order_rule save(T self, std::optional<bool>, std::int64_t dim, bool descending, const values_and_indices& r) {
    return save(self, dim, descending, r);
  }
  static order_rule save(T self, std::int64_t, std::int64_t dim, bool largest, bool, const values_and_indices& r) {
    return save(self, dim, largest, r);
  }
  grads1 backward(const std::array<tensor, 2>& g, want1) const { return from.put_back(g[0]); }
};

constexpr author::kernel_row rows[] = {
    derivative_row<aten::median, keep<0, the_result>, shared_by_equals>(),
    derivative_row<aten::nanmedian, keep<0, the_result>, shared_by_equals>(),
    gradient_row<aten::median_dim, picked_rule>(),
    gradient_row<aten::nanmedian_dim, picked_rule>(),
    gradient_row<aten::mode, picked_rule>(),
    gradient_row<aten::kthvalue, picked_rule>(),
    gradient_row<aten::sort, order_rule>(),
    gradient_row<aten::sort_stable, order_rule>(),
    gradient_row<aten::topk, order_rule>(),
};

}  // namespace

std::span<const author::kernel_row> sort_gradients() { return rows; }

}  // namespace topbit::detail
