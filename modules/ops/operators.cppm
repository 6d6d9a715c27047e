// Arithmetic on tensors as people write it, and conversions. Thin spellings of the operators; nothing is computed here.
export module topbit.ops:operators;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :create;
import :elementwise;
import :linalg;
import :reduce;

export namespace topbit {

inline tensor operator+(const tensor& a, const tensor& b) { return ops::add(a, b); }
inline tensor operator-(const tensor& a, const tensor& b) { return ops::sub(a, b); }
inline tensor operator*(const tensor& a, const tensor& b) { return ops::mul(a, b); }
inline tensor operator/(const tensor& a, const tensor& b) { return ops::div(a, b); }
inline tensor operator+(const tensor& a, const scalar& b) { return ops::add_scalar(a, b); }
inline tensor operator-(const tensor& a, const scalar& b) { return ops::sub_scalar(a, b); }
inline tensor operator*(const tensor& a, const scalar& b) { return ops::mul_scalar(a, b); }
inline tensor operator/(const tensor& a, const scalar& b) { return ops::div_scalar(a, b); }
inline tensor operator+(const scalar& a, const tensor& b) { return ops::add_scalar(b, a); }
tensor operator-(const scalar& a, const tensor& b);
inline tensor operator*(const scalar& a, const tensor& b) { return ops::mul_scalar(b, a); }
tensor operator/(const scalar& a, const tensor& b);
inline tensor operator-(const tensor& a) { return ops::neg(a); }
inline tensor& operator+=(tensor& a, const tensor& b) { return ops::add_(a, b); }
inline tensor& operator-=(tensor& a, const tensor& b) { return ops::sub_(a, b); }
inline tensor& operator*=(tensor& a, const tensor& b) { return ops::mul_(a, b); }
inline tensor& operator/=(tensor& a, const tensor& b) { return ops::div_(a, b); }
// With a number in place, the tensor keeps its dtype: one that cannot hold the result is a dtype_error.
tensor& operator+=(tensor& a, const scalar& b);
tensor& operator-=(tensor& a, const scalar& b);
tensor& operator*=(tensor& a, const scalar& b);
tensor& operator/=(tensor& a, const scalar& b);

/// The tensor itself if it is of that dtype already, else a dense copy.
inline tensor to(const tensor& t, dtype type) { return t.dtype() == type ? t : ops::to_copy(t, arg<"dtype"> = type); }
/// The tensor itself if it is there already, else a dense copy on that device.
inline tensor to(const tensor& t, device where) {
  return t.device() == where ? t : ops::to_copy(t, arg<"device"> = where);
}

/// The sum over some dimensions.
inline tensor sum(const tensor& t, std::initializer_list<std::int64_t> dim, bool keepdim = false) {
  return ops::sum_dim(t, std::optional(std::span<const std::int64_t>(dim.begin(), dim.size())), keepdim);
}

/// The one element of a tensor, moved to the host if need be. Throws shape_error if there are more or none.
double item(const tensor& t);

}  // namespace topbit
