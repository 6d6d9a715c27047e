// Operators of three tensors, or of one and bounds, element by element.
export module topbit.ops:ternary;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// self if the condition is not 0, else other; both are promoted. The condition is bool or uint8.
inline constexpr op<"aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor"> where;
inline constexpr op<
    "aten::where.self_out(Tensor condition, Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    where_out;

/// A number if the condition holds. Composite.
inline constexpr op<"aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor"> where_scalar_self;

/// A number if it does not. Composite.
inline constexpr op<"aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor">
    where_scalar_other;

/// One of two numbers. Composite.
inline constexpr op<"aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor"> where_scalar;

/// self within [min, max]; one of them may be missing. A NaN stays. max takes precedence if it is below min. error for
/// bounds that exclude all numbers of an integer dtype.
inline constexpr op<"aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor"> clamp;
inline constexpr op<"aten::clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)"> clamp_;
inline constexpr op<"aten::clamp.out(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor(a!) out) -> Tensor(a!)">
    clamp_out;

/// The same with tensors as bounds; NaN in a bound propagates. Composite.
inline constexpr op<"aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"> clamp_tensor;
inline constexpr op<"aten::clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)">
    clamp_tensor_;
inline constexpr op<
    "aten::clamp.Tensor_out(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor(a!) out) -> Tensor(a!)">
    clamp_tensor_out;

/// max(self, min) with a number. Composite.
inline constexpr op<"aten::clamp_min(Tensor self, Scalar min) -> Tensor"> clamp_min;
inline constexpr op<"aten::clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)"> clamp_min_;
inline constexpr op<"aten::clamp_min.out(Tensor self, Scalar min, *, Tensor(a!) out) -> Tensor(a!)"> clamp_min_out;

/// max(self, min). Composite.
inline constexpr op<"aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor"> clamp_min_tensor;
inline constexpr op<"aten::clamp_min_.Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)"> clamp_min_tensor_;
inline constexpr op<"aten::clamp_min.Tensor_out(Tensor self, Tensor min, *, Tensor(a!) out) -> Tensor(a!)">
    clamp_min_tensor_out;

/// min(self, max) with a number. Composite.
inline constexpr op<"aten::clamp_max(Tensor self, Scalar max) -> Tensor"> clamp_max;
inline constexpr op<"aten::clamp_max_(Tensor(a!) self, Scalar max) -> Tensor(a!)"> clamp_max_;
inline constexpr op<"aten::clamp_max.out(Tensor self, Scalar max, *, Tensor(a!) out) -> Tensor(a!)"> clamp_max_out;

/// min(self, max). Composite.
inline constexpr op<"aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor"> clamp_max_tensor;
inline constexpr op<"aten::clamp_max_.Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)"> clamp_max_tensor_;
inline constexpr op<"aten::clamp_max.Tensor_out(Tensor self, Tensor max, *, Tensor(a!) out) -> Tensor(a!)">
    clamp_max_tensor_out;

/// self + weight * (end - self), exact at both ends. Floating, all of one dtype.
inline constexpr op<"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor"> lerp;
inline constexpr op<"aten::lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)"> lerp_;
inline constexpr op<"aten::lerp.Tensor_out(Tensor self, Tensor end, Tensor weight, *, Tensor(a!) out) -> Tensor(a!)">
    lerp_out;

/// The same with a number as the weight. Composite.
inline constexpr op<"aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor"> lerp_scalar;
inline constexpr op<"aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)"> lerp_scalar_;
inline constexpr op<"aten::lerp.Scalar_out(Tensor self, Tensor end, Scalar weight, *, Tensor(a!) out) -> Tensor(a!)">
    lerp_scalar_out;

/// self + value * tensor1 * tensor2.
inline constexpr op<"aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor"> addcmul;
inline constexpr op<"aten::addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)">
    addcmul_;
inline constexpr op<
    "aten::addcmul.out(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor(a!) out) -> Tensor(a!)">
    addcmul_out;

/// self + value * tensor1 / tensor2; floating types.
inline constexpr op<"aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor"> addcdiv;
inline constexpr op<"aten::addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)">
    addcdiv_;
inline constexpr op<
    "aten::addcdiv.out(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor(a!) out) -> Tensor(a!)">
    addcdiv_out;

}  // namespace topbit::ops
