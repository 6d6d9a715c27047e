// Arithmetic of two tensors, element by element. They broadcast and promote; in-place forms keep the shape and dtype of
// self, which must be able to hold the result's category, and refuse a self whose elements share memory.
export module topbit.ops:arithmetic.arithmetic;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// self + alpha * other. For bool it is `or`.
inline constexpr op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> add_Tensor;
inline constexpr op<"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> add_Tensor_;
inline constexpr op<"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)">
    add_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> add_Scalar;
inline constexpr op<"aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)"> add_Scalar_;

/// self - alpha * other. dtype_error for two bool tensors.
inline constexpr op<"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> sub_Tensor;
inline constexpr op<"aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> sub_Tensor_;
inline constexpr op<"aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)">
    sub_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> sub_Scalar;
inline constexpr op<"aten::sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)"> sub_Scalar_;

/// other - alpha * self. Composite.
inline constexpr op<"aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> rsub_Tensor;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> rsub_Scalar;

/// self * other. For bool it is `and`.
inline constexpr op<"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"> mul_Tensor;
inline constexpr op<"aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> mul_Tensor_;
inline constexpr op<"aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> mul_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor"> mul_Scalar;
inline constexpr op<"aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> mul_Scalar_;

/// self / other, true division: integers and bool become float32.
inline constexpr op<"aten::div.Tensor(Tensor self, Tensor other) -> Tensor"> div_Tensor;
inline constexpr op<"aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> div_Tensor_;
inline constexpr op<"aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> div_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::div.Scalar(Tensor self, Scalar other) -> Tensor"> div_Scalar;
inline constexpr op<"aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> div_Scalar_;

/// div rounded: rounding_mode 'floor', 'trunc' or none. Rounded integers stay integers; their division by zero is an
/// error.
inline constexpr op<"aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor">
    div_Tensor_mode;
inline constexpr op<"aten::div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)">
    div_Tensor_mode_;
inline constexpr op<
    "aten::div.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)">
    div_out_mode;

/// The same with a number. Composite.
inline constexpr op<"aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor">
    div_Scalar_mode;
inline constexpr op<"aten::div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)">
    div_Scalar_mode_;

/// Division rounded down, of integers and floating types.
inline constexpr op<"aten::floor_divide(Tensor self, Tensor other) -> Tensor"> floor_divide;
inline constexpr op<"aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> floor_divide_Tensor_;
inline constexpr op<"aten::floor_divide.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    floor_divide_out;

/// The same with a number. Composite.
inline constexpr op<"aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"> floor_divide_Scalar;
inline constexpr op<"aten::floor_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> floor_divide_Scalar_;

/// self - other * floor(self / other): has the sign of other. Division of integers by zero is an error.
inline constexpr op<"aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor"> remainder_Tensor;
inline constexpr op<"aten::remainder_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> remainder_Tensor_;
inline constexpr op<"aten::remainder.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    remainder_Tensor_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor"> remainder_Scalar;
inline constexpr op<"aten::remainder_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> remainder_Scalar_;
inline constexpr op<"aten::remainder.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    remainder_Scalar_out;

/// A number modulo a tensor. Composite.
inline constexpr op<"aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> remainder_Scalar_Tensor;

/// self - other * trunc(self / other): has the sign of self. Division of integers by zero is an error.
inline constexpr op<"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor"> fmod_Tensor;
inline constexpr op<"aten::fmod_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> fmod_Tensor_;
inline constexpr op<"aten::fmod.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    fmod_Tensor_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor"> fmod_Scalar;
inline constexpr op<"aten::fmod_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> fmod_Scalar_;
inline constexpr op<"aten::fmod.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    fmod_Scalar_out;

/// self to the power of exponent. Integers stay integers and wrap; a negative exponent gives 0 except for bases 1 and
/// -1.
inline constexpr op<"aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor"> pow_Tensor_Tensor;
inline constexpr op<"aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)"> pow_Tensor_;
inline constexpr op<"aten::pow.Tensor_Tensor_out(Tensor self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)">
    pow_Tensor_Tensor_out;

/// The same with a number, which for integers must not be negative. Composite.
inline constexpr op<"aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor"> pow_Tensor_Scalar;
inline constexpr op<"aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)"> pow_Scalar_;
inline constexpr op<"aten::pow.Tensor_Scalar_out(Tensor self, Scalar exponent, *, Tensor(a!) out) -> Tensor(a!)">
    pow_Tensor_Scalar_out;

/// A number to the power of a tensor. Composite.
inline constexpr op<"aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor"> pow_Scalar;
inline constexpr op<"aten::pow.Scalar_out(Scalar self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)">
    pow_Scalar_out;

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
inline constexpr op<"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor"> copysign_Tensor;
inline constexpr op<"aten::copysign_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> copysign_Tensor_;
inline constexpr op<"aten::copysign.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> copysign_out;

/// The same with a number, which promotes by category only. Composite.
inline constexpr op<"aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor"> copysign_Scalar;
inline constexpr op<"aten::copysign_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"> copysign_Scalar_;
inline constexpr op<"aten::copysign.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    copysign_Scalar_out;

/// log(exp(self) + exp(other)) without intermediate overflow.
inline constexpr op<"aten::logaddexp(Tensor self, Tensor other) -> Tensor"> logaddexp;
inline constexpr op<"aten::logaddexp.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> logaddexp_out;

/// self * log(other), 0 where self is 0.
inline constexpr op<"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor"> xlogy_Tensor;
inline constexpr op<"aten::xlogy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> xlogy_Tensor_;
inline constexpr op<"aten::xlogy.OutTensor(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    xlogy_OutTensor;

/// The same with a number, which promotes by category only. Composites.
inline constexpr op<"aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor"> xlogy_Scalar_Other;
inline constexpr op<"aten::xlogy_.Scalar_Other(Tensor(a!) self, Scalar other) -> Tensor(a!)"> xlogy_Scalar_Other_;
inline constexpr op<"aten::xlogy.OutScalar_Other(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)">
    xlogy_OutScalar_Other;
inline constexpr op<"aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor"> xlogy_Scalar_Self;
inline constexpr op<"aten::xlogy.OutScalar_Self(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    xlogy_OutScalar_Self;

/// 0 below zero, values at zero, 1 above. Both of one dtype.
inline constexpr op<"aten::heaviside(Tensor self, Tensor values) -> Tensor"> heaviside;
inline constexpr op<"aten::heaviside_(Tensor(a!) self, Tensor values) -> Tensor(a!)"> heaviside_;
inline constexpr op<"aten::heaviside.out(Tensor self, Tensor values, *, Tensor(a!) out) -> Tensor(a!)"> heaviside_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::add_Tensor, aten::add_out, aten::add_Scalar> add;
inline constexpr overloads<aten::add_Tensor_, aten::add_Scalar_> add_;
inline constexpr overloads<aten::sub_Tensor, aten::sub_out, aten::sub_Scalar> sub;
inline constexpr overloads<aten::sub_Tensor_, aten::sub_Scalar_> sub_;
inline constexpr overloads<aten::rsub_Tensor, aten::rsub_Scalar> rsub;
inline constexpr overloads<aten::mul_Tensor, aten::mul_out, aten::mul_Scalar> mul;
inline constexpr overloads<aten::mul_Tensor_, aten::mul_Scalar_> mul_;
inline constexpr overloads<aten::div_Tensor, aten::div_out, aten::div_Scalar, aten::div_Tensor_mode, aten::div_out_mode,
                           aten::div_Scalar_mode>
    div;
inline constexpr overloads<aten::div_Tensor_, aten::div_Scalar_, aten::div_Tensor_mode_, aten::div_Scalar_mode_> div_;
inline constexpr overloads<aten::floor_divide, aten::floor_divide_out, aten::floor_divide_Scalar> floor_divide;
inline constexpr overloads<aten::floor_divide_Tensor_, aten::floor_divide_Scalar_> floor_divide_;
inline constexpr overloads<aten::remainder_Tensor, aten::remainder_Tensor_out, aten::remainder_Scalar,
                           aten::remainder_Scalar_out, aten::remainder_Scalar_Tensor>
    remainder;
inline constexpr overloads<aten::remainder_Tensor_, aten::remainder_Scalar_> remainder_;
inline constexpr overloads<aten::fmod_Tensor, aten::fmod_Tensor_out, aten::fmod_Scalar, aten::fmod_Scalar_out> fmod;
inline constexpr overloads<aten::fmod_Tensor_, aten::fmod_Scalar_> fmod_;
inline constexpr overloads<aten::pow_Tensor_Tensor, aten::pow_Tensor_Tensor_out, aten::pow_Tensor_Scalar,
                           aten::pow_Tensor_Scalar_out, aten::pow_Scalar, aten::pow_Scalar_out>
    pow;
inline constexpr overloads<aten::pow_Tensor_, aten::pow_Scalar_> pow_;
inline constexpr overloads<aten::maximum, aten::maximum_out> maximum;
inline constexpr overloads<aten::minimum, aten::minimum_out> minimum;
inline constexpr overloads<aten::fmax, aten::fmax_out> fmax;
inline constexpr overloads<aten::fmin, aten::fmin_out> fmin;
inline constexpr overloads<aten::atan2, aten::atan2_out> atan2;
inline constexpr overloads<aten::atan2_> atan2_;
inline constexpr overloads<aten::hypot, aten::hypot_out> hypot;
inline constexpr overloads<aten::hypot_> hypot_;
inline constexpr overloads<aten::copysign_Tensor, aten::copysign_out, aten::copysign_Scalar, aten::copysign_Scalar_out>
    copysign;
inline constexpr overloads<aten::copysign_Tensor_, aten::copysign_Scalar_> copysign_;
inline constexpr overloads<aten::logaddexp, aten::logaddexp_out> logaddexp;
inline constexpr overloads<aten::xlogy_Tensor, aten::xlogy_OutTensor, aten::xlogy_Scalar_Other,
                           aten::xlogy_OutScalar_Other, aten::xlogy_Scalar_Self, aten::xlogy_OutScalar_Self>
    xlogy;
inline constexpr overloads<aten::xlogy_Tensor_, aten::xlogy_Scalar_Other_> xlogy_;
inline constexpr overloads<aten::heaviside, aten::heaviside_out> heaviside;
inline constexpr overloads<aten::heaviside_> heaviside_;

}  // namespace topbit
