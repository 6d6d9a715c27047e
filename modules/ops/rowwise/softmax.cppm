// Softmax and its logarithm along a dimension.
export module topbit.ops:rowwise.softmax;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// exp(self) / sum(exp(self)) along a dimension, without overflow; self is converted to dtype first. Composite over
/// _softmax.
///
/// Errors   shape_error for a dimension out of range; dtype_error for integers
inline constexpr op<"aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"> softmax_int;
inline constexpr op<
    "aten::softmax.int_out(Tensor self, int dim, ScalarType? dtype=None, *, Tensor(a!) out) -> Tensor(a!)">
    softmax_int_out;
/// The kernel of softmax. half_to_float: float16 and bfloat16 are converted as they are read, to a float32 result.
inline constexpr op<"aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"> _softmax;
inline constexpr op<"aten::_softmax.out(Tensor self, int dim, bool half_to_float, *, Tensor(a!) out) -> Tensor(a!)">
    _softmax_out;
/// output * (grad - sum(grad * output)) along a dimension: the gradient of softmax_forward, given its result.
inline constexpr op<
    "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor">
    _softmax_backward_data;
inline constexpr op<
    "aten::_softmax_backward_data.out(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype, *, "
    "Tensor(a!) grad_input) -> Tensor(a!)">
    _softmax_backward_data_out;

/// log(softmax(self)) along a dimension. Composite over _log_softmax; otherwise as softmax.
inline constexpr op<"aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"> log_softmax_int;
inline constexpr op<
    "aten::log_softmax.int_out(Tensor self, int dim, ScalarType? dtype=None, *, Tensor(a!) out) -> Tensor(a!)">
    log_softmax_int_out;
/// The kernel of log_softmax; half_to_float as in _softmax.
inline constexpr op<"aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"> _log_softmax;
inline constexpr op<"aten::_log_softmax.out(Tensor self, int dim, bool half_to_float, *, Tensor(a!) out) -> Tensor(a!)">
    _log_softmax_out;
/// grad - exp(output) * sum(grad) along a dimension: the gradient of log_softmax_forward, given its result.
inline constexpr op<
    "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor">
    _log_softmax_backward_data;
inline constexpr op<
    "aten::_log_softmax_backward_data.out(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype, *, "
    "Tensor(a!) out) -> Tensor(a!)">
    _log_softmax_backward_data_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::softmax_int, aten::softmax_int_out> softmax;
inline constexpr overloads<aten::log_softmax_int, aten::log_softmax_int_out> log_softmax;

}  // namespace topbit
