// Gradient rules of scans, cross products, sorting, and selection of row elements.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

using integers = std::span<const std::int64_t>;
using want1 = std::array<bool, 1>;
using values_and_indices = std::tuple<tensor, tensor>;

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
// The positive and negative parts of g are handled separately, since their logarithms are taken. If recorded, both are
// raised by the same constant, so that the logarithm is differentiable where g is 0.
using logcumsumexp_kernel = derivative<aten::logcumsumexp, keep<0, the_result>, [](T g, T x, T y, std::int64_t dim) {
  if (x.numel() == 0) return tensor(g);
  tensor above = aten::where_ScalarOther(aten::gt_Scalar(g, 0), g, 0);
  if (grad_enabled()) above = above + size_of(g);
  return weighed(above, x, y, dim) - weighed(above - g, x, y, dim);
}>;

// Elements of rows that the result reorders or selects, by their indices. The gradient is scattered back to them.
struct taken_elements {
  kind_of self;
  saved_result indices;
  std::int64_t dim;
  bool dim_is_gone = false;
  static taken_elements of(T self, std::int64_t dim, const values_and_indices& r, bool keepdim = true) {
    return {self, saved_result(std::get<1>(r), 1), dim, !keepdim};
  }
  // `several`: an element may have been selected more than once.
  grads1 put_back(T g, bool several = false) const {
    if (self.sizes.empty()) return {g};
    tensor whole = self.zeros_beside(g);
    const tensor at = dim_is_gone ? aten::unsqueeze(indices.get(), dim) : indices.get();
    const tensor there = dim_is_gone ? aten::unsqueeze(g, dim) : g;
    return {several ? aten::scatter_add_(whole, dim, at, there) : aten::scatter_src_(whole, dim, at, there)};
  }
};

struct running_extreme_rule {
  taken_elements from;
  static running_extreme_rule save(T self, std::int64_t dim, const values_and_indices& r) {
    return {taken_elements::of(self, dim, r)};
  }
  grads1 backward(const std::array<tensor, 2>& g, want1) const { return from.put_back(g[0], true); }
};

// One element of each row: max, median, kthvalue and the like.
struct picked_rule {
  taken_elements from;
  static picked_rule save(T self, std::int64_t dim, bool keepdim, const values_and_indices& r) {
    return {taken_elements::of(self, dim, r, keepdim)};
  }
  static picked_rule save(T self, std::int64_t, std::int64_t dim, bool keepdim, const values_and_indices& r) {
    return save(self, dim, keepdim, r);
  }
  grads1 backward(const std::array<tensor, 2>& g, want1) const { return from.put_back(g[0]); }
};

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

struct cross_gradient {
  saved_tensor self, other;
  std::int64_t dim;
  static cross_gradient save(T self, T other, std::int64_t dim, T) {
    return {saved_tensor(self), saved_tensor(other), dim};
  }
  static cross_gradient save(T self, T other, std::optional<std::int64_t> dim, T r) {
    return save(self, other, dim.value_or(std::ranges::find(self.sizes(), 3) - self.sizes().begin()), r);
  }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? aten::linalg_cross(other.get(), g, arg<"dim"> = dim) : tensor(),
            wanted[1] ? aten::linalg_cross(g, self.get(), arg<"dim"> = dim) : tensor()};
  }
};

// Not differentiable. Throws, since ignoring the call would lose a gradient.
template <const auto& Op, std::size_t Results>
struct unique_kernel {
  static unique_kernel save(const auto&...) { return {}; }
  grads1 backward(const std::array<tensor, Results>&, want1) const {
    throw error(std::string(Op.name()) + ": found a gradient, wanted none: it has no derivative; detach() its argument",
                std::string(Op.name()));
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::cumsum, cumsum_rule<aten::cumsum>>(),
    gradient_row<aten::cumsum_, cumsum_rule<aten::cumsum>>(),
    gradient_row<aten::cumprod, cumprod_rule<aten::cumprod>>(),
    gradient_row<aten::cumprod_, cumprod_rule<aten::cumprod>>(),
    gradient_row<aten::logcumsumexp, logcumsumexp_kernel>(),
    gradient_row<aten::cummax, running_extreme_rule>(),
    gradient_row<aten::cummin, running_extreme_rule>(),
    gradient_row<aten::max_dim, picked_rule>(),
    gradient_row<aten::min_dim, picked_rule>(),
    gradient_row<aten::median_dim, picked_rule>(),
    gradient_row<aten::nanmedian_dim, picked_rule>(),
    gradient_row<aten::mode, picked_rule>(),
    gradient_row<aten::kthvalue, picked_rule>(),
    gradient_row<aten::sort, order_rule>(),
    gradient_row<aten::sort_stable, order_rule>(),
    gradient_row<aten::topk, order_rule>(),
    gradient_row<aten::linalg_cross, cross_gradient>(),
    gradient_row<aten::cross, cross_gradient>(),
    gradient_row<aten::_unique2, unique_kernel<aten::_unique2, 3>>(),
    gradient_row<aten::_unique, unique_kernel<aten::_unique, 2>>(),
    gradient_row<aten::unique_dim, unique_kernel<aten::unique_dim, 3>>(),
    gradient_row<aten::unique_consecutive, unique_kernel<aten::unique_consecutive, 3>>(),
    gradient_row<aten::unique_dim_consecutive, unique_kernel<aten::unique_dim_consecutive, 3>>(),
};

}  // namespace

std::span<const author::kernel_row> scan_gradients() { return rows; }

}  // namespace topbit::detail
