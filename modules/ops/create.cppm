// Operators that make tensors or fill them. Those without a tensor argument find their backend through the device:
// their BackendSelect kernel is generated from the schema.
export module topbit.ops:create;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// Uninitialised, dense, row-major.
///
/// Shapes   size -> size
/// Dtypes   dtype, float32 if none is given
/// Keys     BackendSelect, then the device's backend
/// Errors   shape_error for a negative size or too many; error for a layout other than strided, and for pinned memory
inline constexpr op<
    "aten::empty.memory_format(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    empty;

/// Filled with one value. Without a dtype: float32 for a floating value, int64 for an integer, bool for a bool.
/// Otherwise as empty.
inline constexpr op<
    "aten::full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor">
    full;

/// Filled with 0; otherwise as empty.
inline constexpr op<
    "aten::zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    zeros;
/// Filled with 1; otherwise as empty.
inline constexpr op<
    "aten::ones(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    ones;

/// 0, 1, 2, ... below `end`. Without a dtype: int64 for an integer end, float32 for a floating one.
///
/// Errors   shape_error for an end below 0 or above 9e15; dtype_error for bool
inline constexpr op<
    "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    arange;

/// Writes the value, converted to the tensor's dtype, to every element. shape_error if elements share memory.
inline constexpr op<"aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)"> fill_;
/// Writes 0 to every element; as fill_.
inline constexpr op<"aten::zero_(Tensor(a!) self) -> Tensor(a!)"> zero_;

/// Copies elements, converting dtype and moving between devices; src broadcasts to self.
inline constexpr op<"aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)"> copy_;

/// A dense copy with another dtype or on another device.
inline constexpr op<
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor">
    to_copy;

/// A dense row-major copy.
inline constexpr op<"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor"> clone;

}  // namespace topbit::ops
