// Sequences of numbers, the identity matrix, indices of triangles. Options are those of empty; `out` must have the
// sizes of the result.
export module topbit.ops:create.sequence;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// start, start + step, ... below `end`; start is 0 and step 1 by default. Without a dtype: int64 if all are integers,
/// else float32. Element i is start + i * step, computed in int64 or float64.
///
/// Errors   dtype_error for bool; error for a step of 0, one that leads away from the end, numbers that are not finite,
///          or a number of elements that overflows 64 bits
inline constexpr op<
    "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    arange;
inline constexpr op<
    "aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor">
    arange_start;
inline constexpr op<
    "aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor">
    arange_start_step;
inline constexpr op<"aten::arange.out(Scalar end, *, Tensor(a!) out) -> Tensor(a!)"> arange_out;
inline constexpr op<"aten::arange.start_out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)">
    arange_start_out;

/// As arange with `end` included if reached, and float32 by default.
inline constexpr op<
    "aten::range(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    range;
inline constexpr op<
    "aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    range_step;
inline constexpr op<"aten::range.out_(Scalar start, Scalar end, *, Tensor(a!) out) -> Tensor(a!)"> range_out_;
inline constexpr op<"aten::range.out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)">
    range_out;

/// `steps` numbers from start to end, both included, equally spaced, each computed from the nearer end in float64.
/// float32 without a dtype; integers are truncated.
inline constexpr op<
    "aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    linspace;
inline constexpr op<"aten::linspace.out(Scalar start, Scalar end, int steps, *, Tensor(a!) out) -> Tensor(a!)">
    linspace_out;

/// base to the power of linspace's numbers.
inline constexpr op<
    "aten::logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor">
    logspace;
inline constexpr op<
    "aten::logspace.out(Scalar start, Scalar end, int steps, float base=10.0, *, Tensor(a!) out) -> Tensor(a!)">
    logspace_out;

/// The identity matrix of n rows and m columns, by default n.
inline constexpr op<
    "aten::eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor">
    eye;
inline constexpr op<
    "aten::eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    eye_m;
inline constexpr op<"aten::eye.out(int n, *, Tensor(a!) out) -> Tensor(a!)"> eye_out;
inline constexpr op<"aten::eye.m_out(int n, int m, *, Tensor(a!) out) -> Tensor(a!)"> eye_m_out;

/// Row and column of each element on and below (above) a diagonal of a matrix, as [2, count], row by row; `offset`
/// moves the diagonal to the right. int64 if no dtype is given. Two operator calls per row.
inline constexpr op<
    "aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    tril_indices;
inline constexpr op<
    "aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    triu_indices;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::arange, aten::arange_start, aten::arange_start_step, aten::arange_out,
                           aten::arange_start_out>
    arange;
inline constexpr overloads<aten::range, aten::range_step, aten::range_out_, aten::range_out> range;
inline constexpr overloads<aten::linspace, aten::linspace_out> linspace;
inline constexpr overloads<aten::logspace, aten::logspace_out> logspace;
inline constexpr overloads<aten::eye, aten::eye_m, aten::eye_out, aten::eye_m_out> eye;
inline constexpr overloads<aten::tril_indices> tril_indices;
inline constexpr overloads<aten::triu_indices> triu_indices;

}  // namespace topbit
