// Gradient rules of scans.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

using integers = std::span<const std::int64_t>;

tensor flipped(T x, std::int64_t dim) { return aten::flip(x, integers(&dim, 1)); }

// An element gets the gradients of its own and all later sums.
template <const auto& Op>
using cumsum_rule = derivative<Op, keep<>, [](T g, std::int64_t dim, std::optional<dtype>) {
  return flipped(aten::cumsum(flipped(g, dim), dim), dim);
}>;

// d y[i] / d x[k] = y[k - 1] * x[k + 1] * .. * x[i]. The sums over i of these, times g[i], are computed by doubling (1,
// 2, 4, .. factors), without division, so that zeros need no special case.
tensor cumprod_gradient(T g, T x, T y, std::int64_t dim) {
  if (x.dim() == 0 || x.numel() == 0) return g;
  const std::int64_t n = x.size(dim);
  const auto part = [dim](T t, std::int64_t from, std::int64_t to) { return aten::slice_Tensor(t, dim, from, to); };
  tensor sums = g, factors = part(x, 1, n);
  for (std::int64_t reach = 1; reach < n; reach *= 2) {
    const std::int64_t left = n - reach;
    const tensor both[] = {aten::addcmul(part(sums, 0, left), factors, part(sums, reach, n)), part(sums, left, n)};
    sums = aten::cat(both, dim);
    if (reach * 2 < n) factors = part(factors, 0, left - reach) * part(factors, reach, left);
  }
  const tensor before[] = {aten::ones_like(part(y, 0, 1)), part(y, 0, n - 1)};
  return sums * aten::cat(before, dim);
}
template <const auto& Op>
using cumprod_rule = derivative<Op, keep<0, the_result>, [](T g, T x, T y, std::int64_t dim, std::optional<dtype>) {
  return cumprod_gradient(g, to(x, y.dtype()), y, dim);
}>;

// sum over i >= k of g[i] * exp(x[k] - y[i]), for g >= 0.
tensor weighed(T g, T x, T y, std::int64_t dim) {
  return aten::exp(x + flipped(aten::logcumsumexp(flipped(aten::log(g) - y, dim), dim), dim));
}
// A positive constant of the magnitude of g.
tensor size_of(T g) {
  const no_grad constant;
  const tensor most = aten::max(aten::abs(g));
  return aten::where_ScalarSelf(aten::eq_Scalar(most, 0), 1, most);
}
// The positive and negative parts of g are handled separately, since their logarithms are taken. If derived again, both
// are raised by the same constant, so that the logarithm is differentiable where g is 0.
using logcumsumexp_kernel = derivative<aten::logcumsumexp, keep<0, the_result>, [](T g, T x, T y, std::int64_t dim) {
  if (x.numel() == 0) return tensor(g);
  tensor above = aten::where_ScalarOther(aten::gt_Scalar(g, 0), g, 0);
  if (author::may_be_derived(x, g)) above = above + size_of(g);
  return weighed(above, x, y, dim) - weighed(above - g, x, y, dim);
}>;

struct running_extreme_rule {
  taken_elements from;
  static running_extreme_rule save(T self, std::int64_t dim, const values_and_indices& r) {
    return {taken_elements::of(self, dim, r)};
  }
  grads1 backward(const std::array<tensor, 2>& g, want1) const { return from.put_back(g[0], true); }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::cumsum, cumsum_rule<aten::cumsum>>(),
    gradient_row<aten::cumsum_, cumsum_rule<aten::cumsum>>(),
    gradient_row<aten::cumprod, cumprod_rule<aten::cumprod>>(),
    gradient_row<aten::cumprod_, cumprod_rule<aten::cumprod>>(),
    gradient_row<aten::logcumsumexp, logcumsumexp_kernel>(),
    gradient_row<aten::cummax, running_extreme_rule>(),
    gradient_row<aten::cummin, running_extreme_rule>(),
};

}  // namespace

std::span<const author::kernel_row> scan_gradients() { return rows; }

}  // namespace topbit::detail
