// Arithmetic of two tensors, element by element. They broadcast and promote; in-place forms keep the shape and dtype of
// self, which must be able to hold the result's category, and refuse a self whose elements share memory.
export module topbit.ops:elementwise;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// self + alpha * other. For bool it is `or`.
inline constexpr op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> add;
inline constexpr op<"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> add_;
inline constexpr op<"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)">
    add_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> add_scalar;
inline constexpr op<"aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)"> add_scalar_;

/// self - alpha * other. dtype_error for two bool tensors.
inline constexpr op<"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> sub;
inline constexpr op<"aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> sub_;
inline constexpr op<"aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)">
    sub_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> sub_scalar;
inline constexpr op<"aten::sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)"> sub_scalar_;

/// other - alpha * self. Composite.
inline constexpr op<"aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> rsub;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> rsub_scalar;

/// self * other. For bool it is `and`.
inline constexpr op<"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"> mul;
inline constexpr op<"aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> mul_;
inline constexpr op<"aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> mul_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor"> mul_scalar;
inline constexpr op<"aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> mul_scalar_;

/// self / other, true division: integers and bool become float32.
inline constexpr op<"aten::div.Tensor(Tensor self, Tensor other) -> Tensor"> div;
inline constexpr op<"aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> div_;
inline constexpr op<"aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> div_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::div.Scalar(Tensor self, Scalar other) -> Tensor"> div_scalar;
inline constexpr op<"aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> div_scalar_;

/// div rounded: rounding_mode 'floor', 'trunc' or none. Rounded integers stay integers; their division by zero is an
/// error.
inline constexpr op<"aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor"> div_mode;
inline constexpr op<"aten::div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)">
    div_mode_;
inline constexpr op<
    "aten::div.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)">
    div_mode_out;

/// The same with a number. Composite.
inline constexpr op<"aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor">
    div_mode_scalar;
inline constexpr op<"aten::div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)">
    div_mode_scalar_;

/// Division rounded down, of integers and floating types.
inline constexpr op<"aten::floor_divide(Tensor self, Tensor other) -> Tensor"> floor_divide;
inline constexpr op<"aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> floor_divide_;
inline constexpr op<"aten::floor_divide.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    floor_divide_out;

/// The same with a number. Composite.
inline constexpr op<"aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"> floor_divide_scalar;
inline constexpr op<"aten::floor_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> floor_divide_scalar_;

/// self - other * floor(self / other): has the sign of other. Division of integers by zero is an error.
inline constexpr op<"aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor"> remainder;
inline constexpr op<"aten::remainder_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> remainder_;
inline constexpr op<"aten::remainder.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    remainder_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor"> remainder_scalar;
inline constexpr op<"aten::remainder_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> remainder_scalar_;
inline constexpr op<"aten::remainder.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    remainder_scalar_out;

/// A number modulo a tensor. Composite.
inline constexpr op<"aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> remainder_scalar_base;

/// self - other * trunc(self / other): has the sign of self. Division of integers by zero is an error.
inline constexpr op<"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor"> fmod;
inline constexpr op<"aten::fmod_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> fmod_;
inline constexpr op<"aten::fmod.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> fmod_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor"> fmod_scalar;
inline constexpr op<"aten::fmod_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> fmod_scalar_;
inline constexpr op<"aten::fmod.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    fmod_scalar_out;

/// self to the power of exponent. Integers stay integers and wrap; a negative exponent gives 0 except for bases 1 and
/// -1.
inline constexpr op<"aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor"> pow;
inline constexpr op<"aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)"> pow_;
inline constexpr op<"aten::pow.Tensor_Tensor_out(Tensor self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)">
    pow_out;

/// The same with a number, which for integers must not be negative. Composite.
inline constexpr op<"aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor"> pow_scalar;
inline constexpr op<"aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)"> pow_scalar_;
inline constexpr op<"aten::pow.Tensor_Scalar_out(Tensor self, Scalar exponent, *, Tensor(a!) out) -> Tensor(a!)">
    pow_scalar_out;

/// A number to the power of a tensor. Composite.
inline constexpr op<"aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor"> pow_scalar_base;
inline constexpr op<"aten::pow.Scalar_out(Scalar self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)">
    pow_scalar_base_out;

/// The maximum; NaN propagates.
inline constexpr op<"aten::maximum(Tensor self, Tensor other) -> Tensor"> maximum;
inline constexpr op<"aten::maximum.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> maximum_out;

/// The minimum; NaN propagates.
inline constexpr op<"aten::minimum(Tensor self, Tensor other) -> Tensor"> minimum;
inline constexpr op<"aten::minimum.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> minimum_out;

/// The maximum; NaN is ignored.
inline constexpr op<"aten::fmax(Tensor self, Tensor other) -> Tensor"> fmax;
inline constexpr op<"aten::fmax.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> fmax_out;

/// The minimum; NaN is ignored.
inline constexpr op<"aten::fmin(Tensor self, Tensor other) -> Tensor"> fmin;
inline constexpr op<"aten::fmin.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> fmin_out;

/// The angle of the point (other, self), in radians.
inline constexpr op<"aten::atan2(Tensor self, Tensor other) -> Tensor"> atan2;
inline constexpr op<"aten::atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)"> atan2_;
inline constexpr op<"aten::atan2.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> atan2_out;

/// sqrt(self^2 + other^2) without intermediate overflow. Floating types.
inline constexpr op<"aten::hypot(Tensor self, Tensor other) -> Tensor"> hypot;
inline constexpr op<"aten::hypot_(Tensor(a!) self, Tensor other) -> Tensor(a!)"> hypot_;
inline constexpr op<"aten::hypot.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> hypot_out;

/// The magnitude of self with the sign of other.
inline constexpr op<"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor"> copysign;
inline constexpr op<"aten::copysign_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> copysign_;
inline constexpr op<"aten::copysign.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> copysign_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor"> copysign_scalar;
inline constexpr op<"aten::copysign_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> copysign_scalar_;
inline constexpr op<"aten::copysign.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    copysign_scalar_out;

/// log(exp(self) + exp(other)) without intermediate overflow.
inline constexpr op<"aten::logaddexp(Tensor self, Tensor other) -> Tensor"> logaddexp;
inline constexpr op<"aten::logaddexp.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> logaddexp_out;

/// self * log(other), 0 where self is 0.
inline constexpr op<"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor"> xlogy;
inline constexpr op<"aten::xlogy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> xlogy_;
inline constexpr op<"aten::xlogy.OutTensor(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> xlogy_out;

/// The same with a number, which promotes by category only. Composites.
inline constexpr op<"aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor"> xlogy_scalar;
inline constexpr op<"aten::xlogy_.Scalar_Other(Tensor(a!) self, Scalar other) -> Tensor(a!)"> xlogy_scalar_;
inline constexpr op<"aten::xlogy.OutScalar_Other(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    xlogy_scalar_out;
inline constexpr op<"aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor"> xlogy_scalar_base;
inline constexpr op<"aten::xlogy.OutScalar_Self(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    xlogy_scalar_base_out;

/// 0 below zero, values at zero, 1 above. Both of one dtype.
inline constexpr op<"aten::heaviside(Tensor self, Tensor values) -> Tensor"> heaviside;
inline constexpr op<"aten::heaviside_(Tensor(a!) self, Tensor values) -> Tensor(a!)"> heaviside_;
inline constexpr op<"aten::heaviside.out(Tensor self, Tensor values, *, Tensor(a!) out) -> Tensor(a!)"> heaviside_out;

}  // namespace topbit::ops
