// Gradient rules of reductions.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :reduce.reduce_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

using integers = std::span<const std::int64_t>;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

// The reduced dimensions, and any others of size 1, from the result's sizes with keepdim.
shape dims_over(const shape& kept) {
  shape over;
  for (std::size_t d = 0; d < kept.size(); ++d) {
    if (kept[d] == 1) over.push_back(static_cast<std::int64_t>(d));
  }
  return over;
}
tensor sum_over(T x, const shape& kept) { return aten::sum_dim_IntList(x, dim_list(dims_over(kept)), true); }

struct sum_rule {
  shape sizes;
  static sum_rule save(T self, std::optional<dtype>, T) { return {self.sizes()}; }
  grads1 backward(T g, want1) const { return {aten::expand(g, sizes)}; }
};

struct sum_dim_rule {
  shape sizes;
  shape kept;  // the sizes of the result with keepdim
  static sum_dim_rule save(T self, dim_list dim, bool, std::optional<dtype>, T) {
    return {self.sizes(), kept_sizes(aten::sum_dim_IntList.name(), self, dim)};
  }
  grads1 backward(T g, want1) const { return {aten::expand(aten::reshape(g, kept), sizes)}; }
};

// NaNs were ignored and get gradient 0.
struct nansum_rule {
  saved_tensor self;
  shape kept;
  static nansum_rule save(T self, dim_list dim, bool, std::optional<dtype>, T) {
    return {saved_tensor(self), kept_sizes(aten::nansum.name(), self, dim)};
  }
  grads1 backward(T g, want1) const {
    return {aten::where_ScalarSelf(aten::isnan(self.get()), 0, aten::reshape(g, kept))};
  }
};

// The exclusive cumulative product along a dimension.
tensor product_before(T x, std::int64_t dim) {
  const tensor ones = aten::ones_like(aten::slice_Tensor(x, dim, 0, 1));
  const tensor all[] = {ones, aten::cumprod(aten::slice_Tensor(x, dim, 0, x.size(dim) - 1), dim)};
  return aten::cat(all, dim);
}
// The product of all other elements. If it is derived again, without a division, which would lose second derivatives
// at 0.
tensor product_of_others(T x, std::int64_t dim) {
  if (x.numel() == 0) return x;
  if (author::may_be_derived(x)) {
    const std::int64_t back[] = {dim};
    return product_before(x, dim) * aten::flip(product_before(aten::flip(x, back), dim), back);
  }
  const tensor is_zero = aten::eq_Scalar(x, 0), zeros = sum(is_zero, {dim}, true);
  const tensor product = aten::prod_dim_int(aten::where_ScalarSelf(is_zero, 1, x), dim, true);
  const tensor at_zero = aten::where_ScalarOther(aten::eq_Scalar(zeros, 1), product, 0);
  return aten::where_self(is_zero, at_zero, aten::where_ScalarOther(aten::eq_Scalar(zeros, 0), product, 0) / x);
}

// `g` has the sizes of the result with keepdim.
tensor prod_gradient(T g, T x, std::int64_t dim) { return g * product_of_others(to(x, g.dtype()), dim); }

using prod_rule = derivative<aten::prod, keep<0>, [](T g, T x, std::optional<dtype>) {
  const std::int64_t line[] = {-1};
  return aten::reshape(prod_gradient(g, aten::reshape(x, line), 0), x.sizes());
}>;

struct prod_dim_rule {
  saved_tensor self;
  std::int64_t dim;
  shape kept;
  static prod_dim_rule save(T self, std::int64_t dim, bool, std::optional<dtype>, T) {
    return {saved_tensor(self), dim, kept_sizes(aten::prod_dim_int.name(), self, one_dim(dim))};
  }
  grads1 backward(T g, want1) const {
    const tensor x = self.get();
    return {x.dim() == 0 ? g : prod_gradient(aten::reshape(g, kept), x, dim)};
  }
};

// Shares g evenly among the elements of each row that equal the result. If the result is NaN, so is the gradient.
tensor shared_in_rows(T g, T x, T y, const shape& kept) {
  const tensor chosen = aten::eq_Tensor(x, aten::reshape(y, kept));
  return aten::reshape(g, kept) / sum_over(chosen, kept) * chosen;
}

template <const auto& Op>
struct extreme_kernel {
  saved_tensor self;
  saved_result result;
  shape kept;
  static extreme_kernel save(T self, integers dim, bool, T r) {
    return {saved_tensor(self), saved_result(r), kept_sizes(Op.name(), self, dim)};
  }
  grads1 backward(T g, want1) const { return {shared_in_rows(g, self.get(), result.get(), kept)}; }
};

struct aminmax_gradient {
  saved_tensor self;
  saved_result least, greatest;
  shape kept;
  static aminmax_gradient save(T self, std::optional<std::int64_t> dim, bool, const std::tuple<tensor, tensor>& r) {
    return {saved_tensor(self), saved_result(std::get<0>(r), 0), saved_result(std::get<1>(r), 1),
            kept_sizes(aten::aminmax.name(), self, one_dim(dim))};
  }
  grads1 backward(const std::array<tensor, 2>& g, want1) const {
    if (!g[1].defined()) return {shared_in_rows(g[0], self.get(), least.get(), kept)};
    const tensor of_greatest = shared_in_rows(g[1], self.get(), greatest.get(), kept);
    if (!g[0].defined()) return {of_greatest};
    return {shared_in_rows(g[0], self.get(), least.get(), kept) + of_greatest};
  }
};

struct logsumexp_rule {
  saved_tensor self;
  saved_result result;
  shape kept;
  static logsumexp_rule save(T self, integers dim, bool, T r) {
    return {saved_tensor(self), saved_result(r), kept_sizes(aten::logsumexp.name(), self, dim)};
  }
  grads1 backward(T g, want1) const {
    return {aten::exp(self.get() - aten::reshape(result.get(), kept)) * aten::reshape(g, kept)};
  }
};

// The gradient of the variance; `freedom` is the divisor of the sum of squares.
struct spread {
  saved_tensor self;
  shape kept;
  std::int64_t freedom;
  bool of_all;
  static spread of(std::string_view op, T self, dim_list dim, std::optional<std::int64_t> correction) {
    shape kept = kept_sizes(op, self, dim);
    std::int64_t count = 1;
    for (std::size_t d = 0; d < kept.size(); ++d) count *= kept[d] == 1 ? self.sizes()[d] : 1;
    return {saved_tensor(self), kept, count - correction.value_or(1), !dim.has_value() || self.dim() == 0};
  }
  tensor gradient(T g) const {
    const tensor x = self.get();
    const tensor off = x - aten::mean_dim(x, dim_list(dims_over(kept)), true);
    // As PyTorch, the limits of 2 / 0 * off.
    if (of_all && freedom <= 0) return g * to(aten::where_Scalar(aten::eq_Scalar(off, 0), nan, infinity), g.dtype());
    return aten::reshape(g, kept) * (2.0 / static_cast<double>(freedom)) * off;
  }
};
struct var_rule {
  spread of;
  static var_rule save(T self, dim_list dim, std::optional<std::int64_t> correction, bool, T) {
    return {spread::of(aten::var_correction.name(), self, dim, correction)};
  }
  grads1 backward(T g, want1) const { return {of.gradient(g)}; }
};
// Gradient 0 where the deviation is 0: the square root has no derivative there.
struct std_rule {
  spread of;
  saved_result result;
  static std_rule save(T self, dim_list dim, std::optional<std::int64_t> correction, bool, T r) {
    return {spread::of(aten::std_correction.name(), self, dim, correction), saved_result(r)};
  }
  grads1 backward(T g, want1) const {
    const tensor y = result.get();
    return {of.gradient(g / (aten::where_ScalarSelf(aten::eq_Scalar(y, 0), infinity, y) * 2))};
  }
};

// Shared evenly by the elements of maximum or minimum magnitude.
tensor extreme_norm_gradient(T g, T x, T y, const shape& kept) {
  const tensor chosen = aten::eq_Tensor(aten::abs(x), y);
  return aten::where_ScalarOther(chosen, aten::sign(x) * (g / sum_over(chosen, kept)), 0);
}
// (abs(x) / y)^(p - 1) with the sign of x; 0 where x or y is 0.
tensor power_norm_gradient(T g, T x, T y, double p) {
  // For p < 2 the power has no derivative at 0, which would make second derivatives NaN.
  const tensor size = p < 2 ? aten::where_ScalarSelf(aten::eq_Scalar(x, 0), 1, aten::abs(x)) : aten::abs(x);
  const tensor none = aten::eq_Scalar(y, 0);
  const tensor ratio = size / aten::where_ScalarSelf(none, 1, y);
  return aten::sign(x) * aten::pow_Tensor_Scalar(ratio, p - 1) * aten::where_ScalarSelf(none, 0, g);
}

struct norm_rule {
  saved_tensor self;
  saved_result result;
  shape kept;
  double p;
  using order = std::optional<scalar>;

  static norm_rule of(std::string_view op, T self, const order& p, dim_list dim, T r) {
    return {saved_tensor(self), saved_result(r), kept_sizes(op, self, dim), p.has_value() ? p->to_double() : 2};
  }
  static norm_rule save(T self, const scalar& p, T r) { return of(aten::norm_Scalar.name(), self, p, {}, r); }
  static norm_rule save(T self, const order& p, dtype, T r) {
    return of(aten::norm_ScalarOpt_dtype.name(), self, p, {}, r);
  }
  static norm_rule save(T self, const order& p, integers dim, bool, T r) {
    return of(aten::norm_ScalarOpt_dim.name(), self, p, dim, r);
  }
  static norm_rule save(T self, const order& p, integers dim, bool, dtype, T r) {
    return of(aten::norm_ScalarOpt_dim_dtype.name(), self, p, dim, r);
  }
  static norm_rule save(T self, const scalar& p, dim_list dim, bool, std::optional<dtype>, T r) {
    return of(aten::linalg_vector_norm.name(), self, p, dim, r);
  }

  grads1 backward(T of_result, want1) const {
    const tensor g = aten::reshape(of_result, kept);
    return {norm_gradient(g, to(self.get(), g.dtype()), aten::reshape(result.get(), kept), p, kept)};
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::sum, sum_rule>(),
    gradient_row<aten::sum_dim_IntList, sum_dim_rule>(),
    gradient_row<aten::nansum, nansum_rule>(),
    gradient_row<aten::prod, prod_rule>(),
    gradient_row<aten::prod_dim_int, prod_dim_rule>(),
    derivative_row<aten::max, keep<0, the_result>, shared_by_equals>(),
    derivative_row<aten::min, keep<0, the_result>, shared_by_equals>(),
    gradient_row<aten::max_dim, picked_rule>(),
    gradient_row<aten::min_dim, picked_rule>(),
    gradient_row<aten::amax, extreme_kernel<aten::amax>>(),
    gradient_row<aten::amin, extreme_kernel<aten::amin>>(),
    gradient_row<aten::aminmax, aminmax_gradient>(),
    gradient_row<aten::logsumexp, logsumexp_rule>(),
    gradient_row<aten::var_correction, var_rule>(),
    gradient_row<aten::std_correction, std_rule>(),
    gradient_row<aten::norm_Scalar, norm_rule>(),
    gradient_row<aten::norm_ScalarOpt_dtype, norm_rule>(),
    gradient_row<aten::norm_ScalarOpt_dim, norm_rule>(),
    gradient_row<aten::norm_ScalarOpt_dim_dtype, norm_rule>(),
    gradient_row<aten::linalg_vector_norm, norm_rule>(),
};

}  // namespace

tensor norm_gradient(const tensor& g, const tensor& x, const tensor& y, double p, const shape& kept) {
  if (p == 0) return aten::zeros_like(x);
  if (p == 1) return aten::sign(x) * g;
  if (p == 2) return x * (g / aten::where_ScalarSelf(aten::eq_Scalar(y, 0), infinity, y));
  if (std::abs(p) == infinity) return extreme_norm_gradient(g, x, y, kept);
  return power_norm_gradient(g, x, y, p);
}

shape kept_sizes(std::string_view op, const tensor& self, std::optional<std::span<const std::int64_t>> dim) {
  if (!dim.has_value() || dim->empty() || self.dim() == 0) return shape(self.dim(), 1);
  shape kept = self.sizes();
  for (std::int64_t d : *dim) kept[dim_of({nullptr, op}, d, self)] = 1;
  return kept;
}

tensor shared_by_equals(T g, T x, T y) {
  const tensor chosen = aten::where_self(aten::isnan(y), aten::isnan(x), aten::eq_Tensor(x, y));
  return aten::where_ScalarOther(chosen, g / aten::sum(chosen), 0);
}

std::span<const author::kernel_row> reduce_gradients() { return rows; }

}  // namespace topbit::detail
