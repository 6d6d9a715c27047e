// Operators of three tensors, or of one and bounds, element by element.
export module topbit.ops:comparison.ternary;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// self if the condition is not 0, else other; both are promoted. The condition is bool or uint8.
inline constexpr op<"aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor"> where_self;
inline constexpr op<
    "aten::where.self_out(Tensor condition, Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    where_self_out;

/// A number if the condition holds. Composite.
inline constexpr op<"aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor"> where_ScalarSelf;

/// A number if it does not. Composite.
inline constexpr op<"aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor"> where_ScalarOther;

/// One of two numbers. Composite.
inline constexpr op<"aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor"> where_Scalar;

/// self within [min, max]; one of them may be missing. A NaN stays. max takes precedence if it is below min. error for
/// bounds that exclude all numbers of an integer dtype.
inline constexpr op<"aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor"> clamp;
inline constexpr op<"aten::clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)"> clamp_;
inline constexpr op<"aten::clamp.out(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor(a!) out) -> Tensor(a!)">
    clamp_out;

/// The same with tensors as bounds; NaN in a bound propagates. Composite.
inline constexpr op<"aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"> clamp_Tensor;
inline constexpr op<"aten::clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)">
    clamp_Tensor_;
inline constexpr op<
    "aten::clamp.Tensor_out(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor(a!) out) -> Tensor(a!)">
    clamp_Tensor_out;

/// max(self, min) with a number. Composite.
inline constexpr op<"aten::clamp_min(Tensor self, Scalar min) -> Tensor"> clamp_min;
inline constexpr op<"aten::clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)"> clamp_min_;
inline constexpr op<"aten::clamp_min.out(Tensor self, Scalar min, *, Tensor(a!) out) -> Tensor(a!)"> clamp_min_out;

/// max(self, min). Composite.
inline constexpr op<"aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor"> clamp_min_Tensor;
inline constexpr op<"aten::clamp_min_.Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)"> clamp_min_Tensor_;
inline constexpr op<"aten::clamp_min.Tensor_out(Tensor self, Tensor min, *, Tensor(a!) out) -> Tensor(a!)">
    clamp_min_Tensor_out;

/// min(self, max) with a number. Composite.
inline constexpr op<"aten::clamp_max(Tensor self, Scalar max) -> Tensor"> clamp_max;
inline constexpr op<"aten::clamp_max_(Tensor(a!) self, Scalar max) -> Tensor(a!)"> clamp_max_;
inline constexpr op<"aten::clamp_max.out(Tensor self, Scalar max, *, Tensor(a!) out) -> Tensor(a!)"> clamp_max_out;

/// min(self, max). Composite.
inline constexpr op<"aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor"> clamp_max_Tensor;
inline constexpr op<"aten::clamp_max_.Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)"> clamp_max_Tensor_;
inline constexpr op<"aten::clamp_max.Tensor_out(Tensor self, Tensor max, *, Tensor(a!) out) -> Tensor(a!)">
    clamp_max_Tensor_out;

/// self + weight * (end - self), exact at both ends. Floating, all of one dtype.
inline constexpr op<"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor"> lerp_Tensor;
inline constexpr op<"aten::lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)"> lerp_Tensor_;
inline constexpr op<"aten::lerp.Tensor_out(Tensor self, Tensor end, Tensor weight, *, Tensor(a!) out) -> Tensor(a!)">
    lerp_Tensor_out;

/// The same with a number as the weight. Composite.
inline constexpr op<"aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor"> lerp_Scalar;
inline constexpr op<"aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)"> lerp_Scalar_;
inline constexpr op<"aten::lerp.Scalar_out(Tensor self, Tensor end, Scalar weight, *, Tensor(a!) out) -> Tensor(a!)">
    lerp_Scalar_out;

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

/// nonzero as a list, one tensor for each dimension. Composite.
inline constexpr op<"aten::where(Tensor condition) -> Tensor[]"> where;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::where, aten::where_self, aten::where_self_out, aten::where_ScalarSelf,
                           aten::where_ScalarOther, aten::where_Scalar>
    where;
inline constexpr overloads<aten::clamp, aten::clamp_out, aten::clamp_Tensor, aten::clamp_Tensor_out> clamp;
inline constexpr overloads<aten::clamp_, aten::clamp_Tensor_> clamp_;
inline constexpr overloads<aten::clamp_min, aten::clamp_min_out, aten::clamp_min_Tensor, aten::clamp_min_Tensor_out>
    clamp_min;
inline constexpr overloads<aten::clamp_min_, aten::clamp_min_Tensor_> clamp_min_;
inline constexpr overloads<aten::clamp_max, aten::clamp_max_out, aten::clamp_max_Tensor, aten::clamp_max_Tensor_out>
    clamp_max;
inline constexpr overloads<aten::clamp_max_, aten::clamp_max_Tensor_> clamp_max_;
inline constexpr overloads<aten::lerp_Tensor, aten::lerp_Tensor_out, aten::lerp_Scalar, aten::lerp_Scalar_out> lerp;
inline constexpr overloads<aten::lerp_Tensor_, aten::lerp_Scalar_> lerp_;
inline constexpr overloads<aten::addcmul, aten::addcmul_out> addcmul;
inline constexpr overloads<aten::addcmul_> addcmul_;
inline constexpr overloads<aten::addcdiv, aten::addcdiv_out> addcdiv;
inline constexpr overloads<aten::addcdiv_> addcdiv_;

}  // namespace topbit
