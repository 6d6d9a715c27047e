// Elementwise operators. Binary ones broadcast and promote; in-place ones keep the shape and dtype of self.
export module topbit.ops:elementwise;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// self + alpha * other.
///
/// Shapes   self: [..], other: [..]  ->  broadcast(self, other)
/// Dtypes   both promoted; the result has the promoted dtype
/// Keys     CPU, CUDA, Meta, Autograd; others fall through
/// Memory   the result is new and dense; inputs may alias
/// Cost     one pass; 2 loads and 1 store per element
/// Errors   shape_error if not broadcastable; device_error on mixed devices
inline constexpr op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> add;
inline constexpr op<"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> add_;
inline constexpr op<"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"> add_out;

/// self - alpha * other.
inline constexpr op<"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> sub;
inline constexpr op<"aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> sub_;
inline constexpr op<"aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"> sub_out;

inline constexpr op<"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"> mul;
inline constexpr op<"aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> mul_;
inline constexpr op<"aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> mul_out;

/// True division: integers become float32.
inline constexpr op<"aten::div.Tensor(Tensor self, Tensor other) -> Tensor"> div;
inline constexpr op<"aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> div_;
inline constexpr op<"aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> div_out;

/// With a number: composite, it becomes a tensor without dimensions that does not raise the dtype within its category.
inline constexpr op<"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> add_scalar;
inline constexpr op<"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> sub_scalar;
inline constexpr op<"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor"> mul_scalar;
inline constexpr op<"aten::div.Scalar(Tensor self, Scalar other) -> Tensor"> div_scalar;

inline constexpr op<"aten::neg(Tensor self) -> Tensor"> neg;
/// exp and log compute integers in float32.
inline constexpr op<"aten::exp(Tensor self) -> Tensor"> exp;
inline constexpr op<"aten::log(Tensor self) -> Tensor"> log;
/// max(self, 0); NaN stays NaN.
inline constexpr op<"aten::relu(Tensor self) -> Tensor"> relu;
/// grad where result > 0, else 0: the gradient of relu, given its result.
inline constexpr op<"topbit::relu_backward(Tensor grad, Tensor result) -> Tensor"> relu_backward;

/// Comparisons promote their inputs and give bool; a NaN compares unequal to everything.
inline constexpr op<"aten::eq.Tensor(Tensor self, Tensor other) -> Tensor"> eq;
inline constexpr op<"aten::ne.Tensor(Tensor self, Tensor other) -> Tensor"> ne;
inline constexpr op<"aten::lt.Tensor(Tensor self, Tensor other) -> Tensor"> lt;
inline constexpr op<"aten::le.Tensor(Tensor self, Tensor other) -> Tensor"> le;
inline constexpr op<"aten::gt.Tensor(Tensor self, Tensor other) -> Tensor"> gt;
inline constexpr op<"aten::ge.Tensor(Tensor self, Tensor other) -> Tensor"> ge;

}  // namespace topbit::ops
