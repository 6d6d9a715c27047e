// Comparisons, predicates and logic, element by element: the result is bool. Operands broadcast and promote as those of
// add do; a NaN is unequal to everything. And operations on bits, of integers and bool.
export module topbit.ops:comparison;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// self == other.
inline constexpr op<"aten::eq.Tensor(Tensor self, Tensor other) -> Tensor"> eq;
inline constexpr op<"aten::eq_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> eq_;
inline constexpr op<"aten::eq.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> eq_out;

/// self == other, a number. Composite.
inline constexpr op<"aten::eq.Scalar(Tensor self, Scalar other) -> Tensor"> eq_scalar;
inline constexpr op<"aten::eq_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> eq_scalar_;
inline constexpr op<"aten::eq.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> eq_scalar_out;

/// self != other.
inline constexpr op<"aten::ne.Tensor(Tensor self, Tensor other) -> Tensor"> ne;
inline constexpr op<"aten::ne_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> ne_;
inline constexpr op<"aten::ne.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> ne_out;

/// self != other, a number. Composite.
inline constexpr op<"aten::ne.Scalar(Tensor self, Scalar other) -> Tensor"> ne_scalar;
inline constexpr op<"aten::ne_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> ne_scalar_;
inline constexpr op<"aten::ne.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> ne_scalar_out;

/// self < other.
inline constexpr op<"aten::lt.Tensor(Tensor self, Tensor other) -> Tensor"> lt;
inline constexpr op<"aten::lt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> lt_;
inline constexpr op<"aten::lt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> lt_out;

/// self < other, a number. Composite.
inline constexpr op<"aten::lt.Scalar(Tensor self, Scalar other) -> Tensor"> lt_scalar;
inline constexpr op<"aten::lt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> lt_scalar_;
inline constexpr op<"aten::lt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> lt_scalar_out;

/// self <= other.
inline constexpr op<"aten::le.Tensor(Tensor self, Tensor other) -> Tensor"> le;
inline constexpr op<"aten::le_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> le_;
inline constexpr op<"aten::le.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> le_out;

/// self <= other, a number. Composite.
inline constexpr op<"aten::le.Scalar(Tensor self, Scalar other) -> Tensor"> le_scalar;
inline constexpr op<"aten::le_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> le_scalar_;
inline constexpr op<"aten::le.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> le_scalar_out;

/// self > other.
inline constexpr op<"aten::gt.Tensor(Tensor self, Tensor other) -> Tensor"> gt;
inline constexpr op<"aten::gt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> gt_;
inline constexpr op<"aten::gt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> gt_out;

/// self > other, a number. Composite.
inline constexpr op<"aten::gt.Scalar(Tensor self, Scalar other) -> Tensor"> gt_scalar;
inline constexpr op<"aten::gt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> gt_scalar_;
inline constexpr op<"aten::gt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> gt_scalar_out;

/// self >= other.
inline constexpr op<"aten::ge.Tensor(Tensor self, Tensor other) -> Tensor"> ge;
inline constexpr op<"aten::ge_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> ge_;
inline constexpr op<"aten::ge.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> ge_out;

/// self >= other, a number. Composite.
inline constexpr op<"aten::ge.Scalar(Tensor self, Scalar other) -> Tensor"> ge_scalar;
inline constexpr op<"aten::ge_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> ge_scalar_;
inline constexpr op<"aten::ge.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> ge_scalar_out;

// Logic: what is not 0 is true.

/// True if self is 0.
inline constexpr op<"aten::logical_not(Tensor self) -> Tensor"> logical_not;
inline constexpr op<"aten::logical_not_(Tensor(a!) self) -> Tensor(a!)"> logical_not_;
inline constexpr op<"aten::logical_not.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> logical_not_out;

/// True if both are true.
inline constexpr op<"aten::logical_and(Tensor self, Tensor other) -> Tensor"> logical_and;
inline constexpr op<"aten::logical_and_(Tensor(a!) self, Tensor other) -> Tensor(a!)"> logical_and_;
inline constexpr op<"aten::logical_and.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    logical_and_out;

/// True if one is true.
inline constexpr op<"aten::logical_or(Tensor self, Tensor other) -> Tensor"> logical_or;
inline constexpr op<"aten::logical_or_(Tensor(a!) self, Tensor other) -> Tensor(a!)"> logical_or_;
inline constexpr op<"aten::logical_or.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> logical_or_out;

/// True if exactly one is true.
inline constexpr op<"aten::logical_xor(Tensor self, Tensor other) -> Tensor"> logical_xor;
inline constexpr op<"aten::logical_xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)"> logical_xor_;
inline constexpr op<"aten::logical_xor.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    logical_xor_out;

/// True for NaN.
inline constexpr op<"aten::isnan(Tensor self) -> Tensor"> isnan;

/// True for infinities.
inline constexpr op<"aten::isinf(Tensor self) -> Tensor"> isinf;

/// True except for NaN and infinities.
inline constexpr op<"aten::isfinite(Tensor self) -> Tensor"> isfinite;

// Bits.

/// Bitwise and.
inline constexpr op<"aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_and;
inline constexpr op<"aten::bitwise_and_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> bitwise_and_;
inline constexpr op<"aten::bitwise_and.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_and_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor"> bitwise_and_scalar;
inline constexpr op<"aten::bitwise_and_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> bitwise_and_scalar_;
inline constexpr op<"aten::bitwise_and.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_and_scalar_out;
inline constexpr op<"aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> bitwise_and_scalar_base;

/// Bitwise or.
inline constexpr op<"aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_or;
inline constexpr op<"aten::bitwise_or_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> bitwise_or_;
inline constexpr op<"aten::bitwise_or.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_or_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor"> bitwise_or_scalar;
inline constexpr op<"aten::bitwise_or_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> bitwise_or_scalar_;
inline constexpr op<"aten::bitwise_or.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_or_scalar_out;
inline constexpr op<"aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> bitwise_or_scalar_base;

/// Bitwise exclusive or.
inline constexpr op<"aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_xor;
inline constexpr op<"aten::bitwise_xor_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> bitwise_xor_;
inline constexpr op<"aten::bitwise_xor.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_xor_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor"> bitwise_xor_scalar;
inline constexpr op<"aten::bitwise_xor_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> bitwise_xor_scalar_;
inline constexpr op<"aten::bitwise_xor.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_xor_scalar_out;
inline constexpr op<"aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> bitwise_xor_scalar_base;

/// self times 2 to the power of other; 0 for a shift by all bits or more, or by a negative number. Integers.
inline constexpr op<"aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_left_shift;
inline constexpr op<"aten::bitwise_left_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)">
    bitwise_left_shift_;
inline constexpr op<"aten::bitwise_left_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_left_shift_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor">
    bitwise_left_shift_scalar;
inline constexpr op<"aten::bitwise_left_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)">
    bitwise_left_shift_scalar_;
inline constexpr op<
    "aten::bitwise_left_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_left_shift_scalar_out;
inline constexpr op<"aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor">
    bitwise_left_shift_scalar_base;

/// self shifted right, its sign kept; a shift by all bits or more, or by a negative number, gives 0 or -1. Integers.
inline constexpr op<"aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_right_shift;
inline constexpr op<"aten::bitwise_right_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)">
    bitwise_right_shift_;
inline constexpr op<"aten::bitwise_right_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_right_shift_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor">
    bitwise_right_shift_scalar;
inline constexpr op<"aten::bitwise_right_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)">
    bitwise_right_shift_scalar_;
inline constexpr op<
    "aten::bitwise_right_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_right_shift_scalar_out;
inline constexpr op<"aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor">
    bitwise_right_shift_scalar_base;

// Of whole tensors.

/// abs(self - other) <= atol + rtol * abs(other); two NaN are close with equal_nan. Composite.
inline constexpr op<
    "aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor">
    isclose;

/// Whether all elements are close, as a bool. Composite.
inline constexpr op<
    "aten::allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool">
    allclose;

/// Whether sizes and all elements are the same, as a bool.
inline constexpr op<"aten::equal(Tensor self, Tensor other) -> bool"> equal;

}  // namespace topbit::ops
