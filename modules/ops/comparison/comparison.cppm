// Comparisons, predicates and logic, element by element: the result is bool. Operands broadcast and promote as those of
// add do; a NaN is unequal to everything. And operations on bits, of integers and bool.
export module topbit.ops:comparison.comparison;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// self == other.
inline constexpr op<"aten::eq.Tensor(Tensor self, Tensor other) -> Tensor"> eq_Tensor;
inline constexpr op<"aten::eq_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> eq_Tensor_;
inline constexpr op<"aten::eq.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> eq_Tensor_out;

/// self == other, a number. Composite.
inline constexpr op<"aten::eq.Scalar(Tensor self, Scalar other) -> Tensor"> eq_Scalar;
inline constexpr op<"aten::eq_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> eq_Scalar_;
inline constexpr op<"aten::eq.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> eq_Scalar_out;

/// self != other.
inline constexpr op<"aten::ne.Tensor(Tensor self, Tensor other) -> Tensor"> ne_Tensor;
inline constexpr op<"aten::ne_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> ne_Tensor_;
inline constexpr op<"aten::ne.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> ne_Tensor_out;

/// self != other, a number. Composite.
inline constexpr op<"aten::ne.Scalar(Tensor self, Scalar other) -> Tensor"> ne_Scalar;
inline constexpr op<"aten::ne_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> ne_Scalar_;
inline constexpr op<"aten::ne.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> ne_Scalar_out;

/// self < other.
inline constexpr op<"aten::lt.Tensor(Tensor self, Tensor other) -> Tensor"> lt_Tensor;
inline constexpr op<"aten::lt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> lt_Tensor_;
inline constexpr op<"aten::lt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> lt_Tensor_out;

/// self < other, a number. Composite.
inline constexpr op<"aten::lt.Scalar(Tensor self, Scalar other) -> Tensor"> lt_Scalar;
inline constexpr op<"aten::lt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> lt_Scalar_;
inline constexpr op<"aten::lt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> lt_Scalar_out;

/// self <= other.
inline constexpr op<"aten::le.Tensor(Tensor self, Tensor other) -> Tensor"> le_Tensor;
inline constexpr op<"aten::le_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> le_Tensor_;
inline constexpr op<"aten::le.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> le_Tensor_out;

/// self <= other, a number. Composite.
inline constexpr op<"aten::le.Scalar(Tensor self, Scalar other) -> Tensor"> le_Scalar;
inline constexpr op<"aten::le_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> le_Scalar_;
inline constexpr op<"aten::le.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> le_Scalar_out;

/// self > other.
inline constexpr op<"aten::gt.Tensor(Tensor self, Tensor other) -> Tensor"> gt_Tensor;
inline constexpr op<"aten::gt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> gt_Tensor_;
inline constexpr op<"aten::gt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> gt_Tensor_out;

/// self > other, a number. Composite.
inline constexpr op<"aten::gt.Scalar(Tensor self, Scalar other) -> Tensor"> gt_Scalar;
inline constexpr op<"aten::gt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> gt_Scalar_;
inline constexpr op<"aten::gt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> gt_Scalar_out;

/// self >= other.
inline constexpr op<"aten::ge.Tensor(Tensor self, Tensor other) -> Tensor"> ge_Tensor;
inline constexpr op<"aten::ge_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> ge_Tensor_;
inline constexpr op<"aten::ge.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> ge_Tensor_out;

/// self >= other, a number. Composite.
inline constexpr op<"aten::ge.Scalar(Tensor self, Scalar other) -> Tensor"> ge_Scalar;
inline constexpr op<"aten::ge_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> ge_Scalar_;
inline constexpr op<"aten::ge.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"> ge_Scalar_out;

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

/// True for infinity.
inline constexpr op<"aten::isposinf(Tensor self) -> Tensor"> isposinf;
inline constexpr op<"aten::isposinf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> isposinf_out;

/// True for -infinity.
inline constexpr op<"aten::isneginf(Tensor self) -> Tensor"> isneginf;
inline constexpr op<"aten::isneginf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> isneginf_out;

/// True below zero, and for -0.0 and NaNs with a sign.
inline constexpr op<"aten::signbit(Tensor self) -> Tensor"> signbit;
inline constexpr op<"aten::signbit.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> signbit_out;

/// True except for NaN and infinities.
inline constexpr op<"aten::isfinite(Tensor self) -> Tensor"> isfinite;

// Bits.

/// Bitwise and.
inline constexpr op<"aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_and_Tensor;
inline constexpr op<"aten::bitwise_and_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> bitwise_and_Tensor_;
inline constexpr op<"aten::bitwise_and.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_and_Tensor_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor"> bitwise_and_Scalar;
inline constexpr op<"aten::bitwise_and_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> bitwise_and_Scalar_;
inline constexpr op<"aten::bitwise_and.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_and_Scalar_out;
inline constexpr op<"aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> bitwise_and_Scalar_Tensor;

/// Bitwise or.
inline constexpr op<"aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_or_Tensor;
inline constexpr op<"aten::bitwise_or_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> bitwise_or_Tensor_;
inline constexpr op<"aten::bitwise_or.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_or_Tensor_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor"> bitwise_or_Scalar;
inline constexpr op<"aten::bitwise_or_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> bitwise_or_Scalar_;
inline constexpr op<"aten::bitwise_or.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_or_Scalar_out;
inline constexpr op<"aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> bitwise_or_Scalar_Tensor;

/// Bitwise exclusive or.
inline constexpr op<"aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_xor_Tensor;
inline constexpr op<"aten::bitwise_xor_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> bitwise_xor_Tensor_;
inline constexpr op<"aten::bitwise_xor.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_xor_Tensor_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor"> bitwise_xor_Scalar;
inline constexpr op<"aten::bitwise_xor_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> bitwise_xor_Scalar_;
inline constexpr op<"aten::bitwise_xor.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_xor_Scalar_out;
inline constexpr op<"aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> bitwise_xor_Scalar_Tensor;

/// self times 2 to the power of other; 0 for a shift by all bits or more, or by a negative number. Integers.
inline constexpr op<"aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_left_shift_Tensor;
inline constexpr op<"aten::bitwise_left_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)">
    bitwise_left_shift_Tensor_;
inline constexpr op<"aten::bitwise_left_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_left_shift_Tensor_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor">
    bitwise_left_shift_Tensor_Scalar;
inline constexpr op<"aten::bitwise_left_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)">
    bitwise_left_shift_Tensor_Scalar_;
inline constexpr op<
    "aten::bitwise_left_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_left_shift_Tensor_Scalar_out;
inline constexpr op<"aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor">
    bitwise_left_shift_Scalar_Tensor;

/// self shifted right, its sign kept; a shift by all bits or more, or by a negative number, gives 0 or -1. Integers.
inline constexpr op<"aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor"> bitwise_right_shift_Tensor;
inline constexpr op<"aten::bitwise_right_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)">
    bitwise_right_shift_Tensor_;
inline constexpr op<"aten::bitwise_right_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_right_shift_Tensor_out;

/// The same with a number. Composite.
inline constexpr op<"aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor">
    bitwise_right_shift_Tensor_Scalar;
inline constexpr op<"aten::bitwise_right_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)">
    bitwise_right_shift_Tensor_Scalar_;
inline constexpr op<
    "aten::bitwise_right_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    bitwise_right_shift_Tensor_Scalar_out;
inline constexpr op<"aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor">
    bitwise_right_shift_Scalar_Tensor;

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

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::eq_Tensor, aten::eq_Tensor_out, aten::eq_Scalar, aten::eq_Scalar_out> eq;
inline constexpr overloads<aten::eq_Tensor_, aten::eq_Scalar_> eq_;
inline constexpr overloads<aten::ne_Tensor, aten::ne_Tensor_out, aten::ne_Scalar, aten::ne_Scalar_out> ne;
inline constexpr overloads<aten::ne_Tensor_, aten::ne_Scalar_> ne_;
inline constexpr overloads<aten::lt_Tensor, aten::lt_Tensor_out, aten::lt_Scalar, aten::lt_Scalar_out> lt;
inline constexpr overloads<aten::lt_Tensor_, aten::lt_Scalar_> lt_;
inline constexpr overloads<aten::le_Tensor, aten::le_Tensor_out, aten::le_Scalar, aten::le_Scalar_out> le;
inline constexpr overloads<aten::le_Tensor_, aten::le_Scalar_> le_;
inline constexpr overloads<aten::gt_Tensor, aten::gt_Tensor_out, aten::gt_Scalar, aten::gt_Scalar_out> gt;
inline constexpr overloads<aten::gt_Tensor_, aten::gt_Scalar_> gt_;
inline constexpr overloads<aten::ge_Tensor, aten::ge_Tensor_out, aten::ge_Scalar, aten::ge_Scalar_out> ge;
inline constexpr overloads<aten::ge_Tensor_, aten::ge_Scalar_> ge_;
inline constexpr overloads<aten::logical_not, aten::logical_not_out> logical_not;
inline constexpr overloads<aten::logical_not_> logical_not_;
inline constexpr overloads<aten::logical_and, aten::logical_and_out> logical_and;
inline constexpr overloads<aten::logical_and_> logical_and_;
inline constexpr overloads<aten::logical_or, aten::logical_or_out> logical_or;
inline constexpr overloads<aten::logical_or_> logical_or_;
inline constexpr overloads<aten::logical_xor, aten::logical_xor_out> logical_xor;
inline constexpr overloads<aten::logical_xor_> logical_xor_;
inline constexpr overloads<aten::isnan> isnan;
inline constexpr overloads<aten::isinf> isinf;
inline constexpr overloads<aten::isposinf, aten::isposinf_out> isposinf;
inline constexpr overloads<aten::isneginf, aten::isneginf_out> isneginf;
inline constexpr overloads<aten::signbit, aten::signbit_out> signbit;
inline constexpr overloads<aten::isfinite> isfinite;
inline constexpr overloads<aten::bitwise_and_Tensor, aten::bitwise_and_Tensor_out, aten::bitwise_and_Scalar,
                           aten::bitwise_and_Scalar_out, aten::bitwise_and_Scalar_Tensor>
    bitwise_and;
inline constexpr overloads<aten::bitwise_and_Tensor_, aten::bitwise_and_Scalar_> bitwise_and_;
inline constexpr overloads<aten::bitwise_or_Tensor, aten::bitwise_or_Tensor_out, aten::bitwise_or_Scalar,
                           aten::bitwise_or_Scalar_out, aten::bitwise_or_Scalar_Tensor>
    bitwise_or;
inline constexpr overloads<aten::bitwise_or_Tensor_, aten::bitwise_or_Scalar_> bitwise_or_;
inline constexpr overloads<aten::bitwise_xor_Tensor, aten::bitwise_xor_Tensor_out, aten::bitwise_xor_Scalar,
                           aten::bitwise_xor_Scalar_out, aten::bitwise_xor_Scalar_Tensor>
    bitwise_xor;
inline constexpr overloads<aten::bitwise_xor_Tensor_, aten::bitwise_xor_Scalar_> bitwise_xor_;
inline constexpr overloads<aten::bitwise_left_shift_Tensor, aten::bitwise_left_shift_Tensor_out,
                           aten::bitwise_left_shift_Tensor_Scalar, aten::bitwise_left_shift_Tensor_Scalar_out,
                           aten::bitwise_left_shift_Scalar_Tensor>
    bitwise_left_shift;
inline constexpr overloads<aten::bitwise_left_shift_Tensor_, aten::bitwise_left_shift_Tensor_Scalar_>
    bitwise_left_shift_;
inline constexpr overloads<aten::bitwise_right_shift_Tensor, aten::bitwise_right_shift_Tensor_out,
                           aten::bitwise_right_shift_Tensor_Scalar, aten::bitwise_right_shift_Tensor_Scalar_out,
                           aten::bitwise_right_shift_Scalar_Tensor>
    bitwise_right_shift;
inline constexpr overloads<aten::bitwise_right_shift_Tensor_, aten::bitwise_right_shift_Tensor_Scalar_>
    bitwise_right_shift_;
inline constexpr overloads<aten::isclose> isclose;
inline constexpr overloads<aten::allclose> allclose;
inline constexpr overloads<aten::equal> equal;

}  // namespace topbit
