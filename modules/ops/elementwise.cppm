// Elementwise operators. Binary ones broadcast and promote; in-place ones keep the shape and dtype of self.
export module topbit.ops:elementwise;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// self + alpha * other.
///
/// Shapes   self: [..], other: [..]  ->  broadcast(self, other)
/// Dtypes   both promoted; the result has the promoted dtype. For bool it is `or`, and alpha must be 1
/// Keys     CPU, CUDA, Meta, Autograd; a backend without a kernel is a no_kernel error
/// Memory   the result is new and dense; inputs may alias
/// Cost     one pass where the dtypes agree, 2 loads and 1 store per element; an operand of another dtype is converted
///          into a copy first
/// Errors   shape_error if not broadcastable; device_error on mixed devices; dtype_error for a fractional alpha and
///          integers
inline constexpr op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> add;
/// add into self, whose shape and category the result must fit.
///
/// Memory   an operand that overlaps self in part is copied first
/// Errors   as add; shape_error if self would have to grow or is expanded; dtype_error if self cannot hold the result
inline constexpr op<"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> add_;
/// add into out, which has the shape of the result already. Otherwise as add_.
inline constexpr op<"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)">
    add_out;

/// self - alpha * other; otherwise as add. dtype_error for two bool tensors.
inline constexpr op<"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> sub;
/// sub into self; as add_.
inline constexpr op<"aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> sub_;
/// sub into out; as add_out.
inline constexpr op<"aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)">
    sub_out;

/// self * other; otherwise as add. For bool it is `and`.
inline constexpr op<"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"> mul;
/// mul into self; as add_.
inline constexpr op<"aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> mul_;
/// mul into out; as add_out.
inline constexpr op<"aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> mul_out;

/// self / other, true division: integers and bool become float32. Otherwise as add.
inline constexpr op<"aten::div.Tensor(Tensor self, Tensor other) -> Tensor"> div;
/// div into self, which must be floating; as add_.
inline constexpr op<"aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"> div_;
/// div into out, which must be floating; as add_out.
inline constexpr op<"aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> div_out;

/// add with a number. Composite: it becomes a tensor without dimensions, and raises the dtype only across categories.
inline constexpr op<"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> add_scalar;
/// sub with a number; as add_scalar.
inline constexpr op<"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> sub_scalar;
/// mul with a number; as add_scalar.
inline constexpr op<"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor"> mul_scalar;
/// div with a number; as add_scalar, and true division.
inline constexpr op<"aten::div.Scalar(Tensor self, Scalar other) -> Tensor"> div_scalar;

/// -self; dtype_error for bool.
inline constexpr op<"aten::neg(Tensor self) -> Tensor"> neg;
/// e to the power of self; integers and bool become float32.
inline constexpr op<"aten::exp(Tensor self) -> Tensor"> exp;
/// The natural logarithm; integers and bool become float32. -inf for 0, NaN below.
inline constexpr op<"aten::log(Tensor self) -> Tensor"> log;
/// max(self, 0); NaN stays NaN. dtype_error for bool.
inline constexpr op<"aten::relu(Tensor self) -> Tensor"> relu;
/// grad where result > 0, else 0: the gradient of relu, given its result.
inline constexpr op<"topbit::relu_backward(Tensor grad, Tensor result) -> Tensor"> relu_backward;

/// self == other, as bool. Comparisons broadcast and promote as add does, and a NaN is unequal to everything.
inline constexpr op<"aten::eq.Tensor(Tensor self, Tensor other) -> Tensor"> eq;
/// self != other; as eq.
inline constexpr op<"aten::ne.Tensor(Tensor self, Tensor other) -> Tensor"> ne;
/// self < other; as eq.
inline constexpr op<"aten::lt.Tensor(Tensor self, Tensor other) -> Tensor"> lt;
/// self <= other; as eq.
inline constexpr op<"aten::le.Tensor(Tensor self, Tensor other) -> Tensor"> le;
/// self > other; as eq.
inline constexpr op<"aten::gt.Tensor(Tensor self, Tensor other) -> Tensor"> gt;
/// self >= other; as eq.
inline constexpr op<"aten::ge.Tensor(Tensor self, Tensor other) -> Tensor"> ge;

}  // namespace topbit::ops
