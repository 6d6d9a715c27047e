// C++ operators for tensor arithmetic, and conversions. Thin wrappers of the operators; nothing is computed here.
export module topbit.ops:operators;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :comparison;
import :create;
import :elementwise;
import :linalg;
import :reduce;
import :unary;

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
inline tensor operator-(const scalar& a, const tensor& b) { return ops::rsub_scalar(b, a); }
inline tensor operator*(const scalar& a, const tensor& b) { return ops::mul_scalar(b, a); }
tensor operator/(const scalar& a, const tensor& b);
inline tensor operator-(const tensor& a) { return ops::neg(a); }
inline tensor& operator+=(tensor& a, const tensor& b) { return ops::add_(a, b); }
inline tensor& operator-=(tensor& a, const tensor& b) { return ops::sub_(a, b); }
inline tensor& operator*=(tensor& a, const tensor& b) { return ops::mul_(a, b); }
inline tensor& operator/=(tensor& a, const tensor& b) { return ops::div_(a, b); }
// In-place with a number, the tensor keeps its dtype: dtype_error if it cannot hold the result.
inline tensor& operator+=(tensor& a, const scalar& b) { return ops::add_scalar_(a, b); }
inline tensor& operator-=(tensor& a, const scalar& b) { return ops::sub_scalar_(a, b); }
inline tensor& operator*=(tensor& a, const scalar& b) { return ops::mul_scalar_(a, b); }
inline tensor& operator/=(tensor& a, const scalar& b) { return ops::div_scalar_(a, b); }

// Elementwise, as bool; == and != are omitted, since they have another meaning for values: use eq() and ne().
inline tensor operator<(const tensor& a, const tensor& b) { return ops::lt(a, b); }
inline tensor operator<=(const tensor& a, const tensor& b) { return ops::le(a, b); }
inline tensor operator>(const tensor& a, const tensor& b) { return ops::gt(a, b); }
inline tensor operator>=(const tensor& a, const tensor& b) { return ops::ge(a, b); }
inline tensor operator<(const tensor& a, const scalar& b) { return ops::lt_scalar(a, b); }
inline tensor operator<=(const tensor& a, const scalar& b) { return ops::le_scalar(a, b); }
inline tensor operator>(const tensor& a, const scalar& b) { return ops::gt_scalar(a, b); }
inline tensor operator>=(const tensor& a, const scalar& b) { return ops::ge_scalar(a, b); }
// Bits of integers, logic of bool.
inline tensor operator&(const tensor& a, const tensor& b) { return ops::bitwise_and(a, b); }
inline tensor operator|(const tensor& a, const tensor& b) { return ops::bitwise_or(a, b); }
inline tensor operator^(const tensor& a, const tensor& b) { return ops::bitwise_xor(a, b); }
inline tensor operator~(const tensor& a) { return ops::bitwise_not(a); }

/// The tensor itself if it is of that dtype already, else a dense copy.
inline tensor to(const tensor& t, dtype type) { return t.dtype() == type ? t : ops::to_copy(t, arg<"dtype"> = type); }
/// The tensor itself if it is on that device already, else a dense copy.
inline tensor to(const tensor& t, device where) {
  return t.device() == where ? t : ops::to_copy(t, arg<"device"> = where);
}

/// The sum over some dimensions.
inline tensor sum(const tensor& t, std::initializer_list<std::int64_t> dim, bool keepdim = false) {
  return ops::sum_dim(t, std::optional(std::span<const std::int64_t>(dim.begin(), dim.size())), keepdim);
}

namespace detail {
tensor one_element(const tensor& t, dtype type);
}

/// The only element of a tensor, converted to T and copied to the host if needed. Throws shape_error for any other
/// number of elements.
template <class T = double>
T item(const tensor& t) {
  return *detail::one_element(t, dtype_of<T>).template data_as<T>();
}

}  // namespace topbit
