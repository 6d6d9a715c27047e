// C++ operators for tensor arithmetic, and conversions. Thin wrappers of the operators; nothing is computed here.
export module topbit.ops:syntax.operators;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :comparison.comparison;
import :create.create;
import :arithmetic.arithmetic;
import :linalg.linalg;
import :reduce.reduce;
import :unary.unary;

namespace topbit::detail {
scalar number_in(const tensor& t);
}

export namespace topbit {

inline tensor operator+(const tensor& a, const tensor& b) { return aten::add_Tensor(a, b); }
inline tensor operator-(const tensor& a, const tensor& b) { return aten::sub_Tensor(a, b); }
inline tensor operator*(const tensor& a, const tensor& b) { return aten::mul_Tensor(a, b); }
inline tensor operator/(const tensor& a, const tensor& b) { return aten::div_Tensor(a, b); }
inline tensor operator+(const tensor& a, const scalar& b) { return aten::add_Scalar(a, b); }
inline tensor operator-(const tensor& a, const scalar& b) { return aten::sub_Scalar(a, b); }
inline tensor operator*(const tensor& a, const scalar& b) { return aten::mul_Scalar(a, b); }
inline tensor operator/(const tensor& a, const scalar& b) { return aten::div_Scalar(a, b); }
inline tensor operator+(const scalar& a, const tensor& b) { return aten::add_Scalar(b, a); }
inline tensor operator-(const scalar& a, const tensor& b) { return aten::rsub_Scalar(b, a); }
inline tensor operator*(const scalar& a, const tensor& b) { return aten::mul_Scalar(b, a); }
tensor operator/(const scalar& a, const tensor& b);
inline tensor operator-(const tensor& a) { return aten::neg(a); }
inline tensor& operator+=(tensor& a, const tensor& b) { return aten::add_Tensor_(a, b); }
inline tensor& operator-=(tensor& a, const tensor& b) { return aten::sub_Tensor_(a, b); }
inline tensor& operator*=(tensor& a, const tensor& b) { return aten::mul_Tensor_(a, b); }
inline tensor& operator/=(tensor& a, const tensor& b) { return aten::div_Tensor_(a, b); }
// In-place with a number, the tensor keeps its dtype: dtype_error if it cannot hold the result.
inline tensor& operator+=(tensor& a, const scalar& b) { return aten::add_Scalar_(a, b); }
inline tensor& operator-=(tensor& a, const scalar& b) { return aten::sub_Scalar_(a, b); }
inline tensor& operator*=(tensor& a, const scalar& b) { return aten::mul_Scalar_(a, b); }
inline tensor& operator/=(tensor& a, const scalar& b) { return aten::div_Scalar_(a, b); }
// A temporary view is written to as a variable is: `x[0] += 1`.
inline tensor operator+=(tensor&& a, const tensor& b) { return aten::add_Tensor_(a, b); }
inline tensor operator-=(tensor&& a, const tensor& b) { return aten::sub_Tensor_(a, b); }
inline tensor operator*=(tensor&& a, const tensor& b) { return aten::mul_Tensor_(a, b); }
inline tensor operator/=(tensor&& a, const tensor& b) { return aten::div_Tensor_(a, b); }
inline tensor operator+=(tensor&& a, const scalar& b) { return aten::add_Scalar_(a, b); }
inline tensor operator-=(tensor&& a, const scalar& b) { return aten::sub_Scalar_(a, b); }
inline tensor operator*=(tensor&& a, const scalar& b) { return aten::mul_Scalar_(a, b); }
inline tensor operator/=(tensor&& a, const scalar& b) { return aten::div_Scalar_(a, b); }

// Elementwise, as bool; a tensor is not a condition, so `if (a == b)` does not compile.
inline tensor operator==(const tensor& a, const tensor& b) { return aten::eq_Tensor(a, b); }
inline tensor operator!=(const tensor& a, const tensor& b) { return aten::ne_Tensor(a, b); }
inline tensor operator==(const tensor& a, const scalar& b) { return aten::eq_Scalar(a, b); }
inline tensor operator!=(const tensor& a, const scalar& b) { return aten::ne_Scalar(a, b); }
inline tensor operator==(const scalar& a, const tensor& b) { return aten::eq_Scalar(b, a); }
inline tensor operator!=(const scalar& a, const tensor& b) { return aten::ne_Scalar(b, a); }
inline tensor operator<(const tensor& a, const tensor& b) { return aten::lt_Tensor(a, b); }
inline tensor operator<=(const tensor& a, const tensor& b) { return aten::le_Tensor(a, b); }
inline tensor operator>(const tensor& a, const tensor& b) { return aten::gt_Tensor(a, b); }
inline tensor operator>=(const tensor& a, const tensor& b) { return aten::ge_Tensor(a, b); }
inline tensor operator<(const tensor& a, const scalar& b) { return aten::lt_Scalar(a, b); }
inline tensor operator<=(const tensor& a, const scalar& b) { return aten::le_Scalar(a, b); }
inline tensor operator>(const tensor& a, const scalar& b) { return aten::gt_Scalar(a, b); }
inline tensor operator>=(const tensor& a, const scalar& b) { return aten::ge_Scalar(a, b); }
inline tensor operator<(const scalar& a, const tensor& b) { return aten::gt_Scalar(b, a); }
inline tensor operator<=(const scalar& a, const tensor& b) { return aten::ge_Scalar(b, a); }
inline tensor operator>(const scalar& a, const tensor& b) { return aten::lt_Scalar(b, a); }
inline tensor operator>=(const scalar& a, const tensor& b) { return aten::le_Scalar(b, a); }
inline tensor operator!(const tensor& a) { return aten::logical_not(a); }
// Bits of integers, logic of bool.
inline tensor operator&(const tensor& a, const tensor& b) { return aten::bitwise_and_Tensor(a, b); }
inline tensor operator|(const tensor& a, const tensor& b) { return aten::bitwise_or_Tensor(a, b); }
inline tensor operator^(const tensor& a, const tensor& b) { return aten::bitwise_xor_Tensor(a, b); }
inline tensor operator~(const tensor& a) { return aten::bitwise_not(a); }

/// The tensor itself if it is of that dtype already, else a dense copy.
inline tensor to(const tensor& t, dtype type) { return t.dtype() == type ? t : aten::_to_copy(t, arg<"dtype"> = type); }
/// The tensor itself if it is on that device already, else a dense copy.
inline tensor to(const tensor& t, device where) {
  return t.device() == where ? t : aten::_to_copy(t, arg<"device"> = where);
}

/// The only element of a tensor, converted to T and copied to the host if needed. Throws shape_error for any other
/// number of elements.
template <tensor_element T = double>
T item(const tensor& t) {
  const scalar number = detail::number_in(t);
  if constexpr (std::is_arithmetic_v<T>)
    return number.to<T>();
  else
    return static_cast<T>(number.to<float>());
}

}  // namespace topbit
