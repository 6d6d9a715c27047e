// Factory, fill and copy operators. Those without a tensor argument select their backend by the device: their
// BackendSelect kernel is generated from the schema.
//
// The _like operators keep the memory order of the tensor (memory_format preserve, their default), are dense, and use
// its dtype and device by default; none of these has a gradient. `out` must have the sizes of the result; it is never
// resized.
export module topbit.ops:create.create;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.device_check;

export namespace topbit::aten {

/// Uninitialised, dense, row-major.
///
/// Shapes   size -> size
/// Dtypes   dtype, float32 if none is given
/// Keys     BackendSelect, then the device's backend
/// Errors   shape_error for sizes that are negative or too many; error for a layout other than strided, for pinned
///          memory, and for memory_format preserve, since there is nothing to preserve
inline constexpr op<
    "aten::empty.memory_format(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    empty_memory_format;

/// Checks the sizes of out, and leaves its elements unchanged.
inline constexpr op<"aten::empty.out(int[] size, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)">
    empty_out;

/// Uninitialised, with these strides, of which none is negative. Elements may share memory, as with stride 0.
inline constexpr op<
    "aten::empty_strided(int[] size, int[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    empty_strided;

/// Uninitialised, like self.
inline constexpr op<
    "aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    empty_like;

/// Filled with one value. Without a dtype: float32 for a floating value, int64 for an integer, bool for a bool.
/// Otherwise as empty.
inline constexpr op<
    "aten::full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor">
    full;
inline constexpr op<"aten::full.out(int[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)"> full_out;

/// Filled with one value, like self.
inline constexpr op<
    "aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    full_like;

/// Filled with 0; otherwise as empty.
inline constexpr op<
    "aten::zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    zeros;
inline constexpr op<"aten::zeros.out(int[] size, *, Tensor(a!) out) -> Tensor(a!)"> zeros_out;

/// Filled with 0, like self.
inline constexpr op<
    "aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    zeros_like;

/// Filled with 1; otherwise as empty.
inline constexpr op<
    "aten::ones(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    ones;
inline constexpr op<"aten::ones.out(int[] size, *, Tensor(a!) out) -> Tensor(a!)"> ones_out;

/// Filled with 1, like self.
inline constexpr op<
    "aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    ones_like;

/// A zero-dimensional tensor; float32 by default, whatever the value.
inline constexpr op<
    "aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    scalar_tensor;

/// As the operators without `new_`, with the dtype and device of self by default.
inline constexpr op<
    "aten::new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor">
    new_empty;
inline constexpr op<
    "aten::new_empty_strided(Tensor self, int[] size, int[] stride, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor">
    new_empty_strided;
inline constexpr op<
    "aten::new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor">
    new_full;
inline constexpr op<
    "aten::new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor">
    new_zeros;
inline constexpr op<
    "aten::new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor">
    new_ones;

/// A tensor like self, filled with a value or with the value of a zero-dimensional tensor.
inline constexpr op<"aten::fill.Scalar(Tensor self, Scalar value) -> Tensor"> fill_Scalar;
inline constexpr op<"aten::fill.Tensor(Tensor self, Tensor value) -> Tensor"> fill_Tensor;

/// Writes the value, converted to the tensor's dtype, to every element. shape_error if elements share memory.
inline constexpr op<"aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)"> fill_Scalar_;

/// The same with the value of a zero-dimensional tensor, on any device.
inline constexpr op<"aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)"> fill_Tensor_;

/// A tensor like self, filled with 0.
inline constexpr op<"aten::zero(Tensor self) -> Tensor"> zero;

/// Writes 0 to every element; as fill_.
inline constexpr op<"aten::zero_(Tensor(a!) self) -> Tensor(a!)"> zero_;

/// Copies elements, converting dtype and moving between devices; src broadcasts to self.
inline constexpr op<"aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)"> copy_;
/// src, broadcast to the sizes of self and converted to its dtype: a copy. Composite.
inline constexpr op<"aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor"> copy;

/// A copy with another dtype or on another device, like self in memory.
inline constexpr op<
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor">
    _to_copy;

/// The only element, for the host. Waits for the device. `item<T>(x)` of topbit is this.
inline constexpr op<"aten::_local_scalar_dense(Tensor self) -> Scalar"> _local_scalar_dense;

/// Whether the only element is not zero.
inline constexpr op<"aten::is_nonzero(Tensor self) -> bool"> is_nonzero;

/// A copy, like self in memory; row-major with memory_format contiguous.
inline constexpr op<"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor"> clone;

}  // namespace topbit::aten

namespace topbit {

template <>
inline constexpr bool author::spans_devices<decltype(aten::copy_)> = true;
template <>
inline constexpr bool author::spans_devices<decltype(aten::copy)> = true;
template <>
inline constexpr bool author::spans_devices<decltype(aten::fill_Tensor)> = true;
template <>
inline constexpr bool author::spans_devices<decltype(aten::fill_Tensor_)> = true;

}  // namespace topbit

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::empty_memory_format, aten::empty_out> empty;
inline constexpr overloads<aten::empty_strided> empty_strided;
inline constexpr overloads<aten::empty_like> empty_like;
inline constexpr overloads<aten::full, aten::full_out> full;
inline constexpr overloads<aten::full_like> full_like;
inline constexpr overloads<aten::zeros, aten::zeros_out> zeros;
inline constexpr overloads<aten::zeros_like> zeros_like;
inline constexpr overloads<aten::ones, aten::ones_out> ones;
inline constexpr overloads<aten::ones_like> ones_like;
inline constexpr overloads<aten::scalar_tensor> scalar_tensor;
inline constexpr overloads<aten::new_empty> new_empty;
inline constexpr overloads<aten::new_empty_strided> new_empty_strided;
inline constexpr overloads<aten::new_full> new_full;
inline constexpr overloads<aten::new_zeros> new_zeros;
inline constexpr overloads<aten::new_ones> new_ones;
inline constexpr overloads<aten::fill_Scalar, aten::fill_Tensor> fill;
inline constexpr overloads<aten::is_nonzero> is_nonzero;
inline constexpr overloads<aten::fill_Scalar_, aten::fill_Tensor_> fill_;
inline constexpr overloads<aten::zero> zero;
inline constexpr overloads<aten::zero_> zero_;
inline constexpr overloads<aten::copy_> copy_;
inline constexpr overloads<aten::copy> copy;
inline constexpr overloads<aten::clone> clone;

}  // namespace topbit
