// Pooling over the last two dimensions of [n, c, h, w] or [c, h, w]. A list may have one element, used for both; the
// stride defaults to the window size.
export module topbit.ops:convolution.pool;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The maximum of each window; NaN propagates. Any dtype but bool. Composite.
///
/// Errors   shape_error for other shapes or a window that is too large; error for a stride or dilation below 1, and for
///          a padding of more than half of the window
inline constexpr op<
    "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool "
    "ceil_mode=False) -> Tensor">
    max_pool2d;
/// max_pool2d, and the index of each maximum in its image, h * width + w: the first of equals.
inline constexpr op<
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] "
    "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)">
    max_pool2d_with_indices;
inline constexpr op<
    "aten::max_pool2d_with_indices.out(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] "
    "dilation=1, bool ceil_mode=False, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))">
    max_pool2d_with_indices_out;
/// The gradient of self: each element of grad_output added at its maximum.
inline constexpr op<
    "aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] "
    "padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor">
    max_pool2d_with_indices_backward;
inline constexpr op<
    "aten::max_pool2d_with_indices_backward.grad_input(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] "
    "stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices, *, Tensor(a!) grad_input) -> Tensor(a!)">
    max_pool2d_with_indices_backward_grad_input;

/// The average of each window. Padding counts as zeros with count_include_pad, else it is not counted; divisor_override
/// replaces the number of elements. Floating dtypes.
inline constexpr op<
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool "
    "count_include_pad=True, int? divisor_override=None) -> Tensor">
    avg_pool2d;
inline constexpr op<
    "aten::avg_pool2d.out(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, "
    "bool count_include_pad=True, int? divisor_override=None, *, Tensor(a!) out) -> Tensor(a!)">
    avg_pool2d_out;
/// The gradient of self: each element of grad_output distributed over its window.
inline constexpr op<
    "aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, "
    "bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor">
    avg_pool2d_backward;
inline constexpr op<
    "aten::avg_pool2d_backward.grad_input(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] "
    "padding, bool ceil_mode, bool count_include_pad, int? divisor_override, *, Tensor(a!) grad_input) -> Tensor(a!)">
    avg_pool2d_backward_grad_input;

/// Averages over windows such that the result has output_size; window sizes differ by at most one element if the image
/// is not divisible. Composite.
inline constexpr op<"aten::adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor"> adaptive_avg_pool2d;
inline constexpr op<"aten::adaptive_avg_pool2d.out(Tensor self, int[2] output_size, *, Tensor(a!) out) -> Tensor(a!)">
    adaptive_avg_pool2d_out;
/// The kernel of adaptive_avg_pool2d.
inline constexpr op<"aten::_adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor"> _adaptive_avg_pool2d;
/// Its gradient.
inline constexpr op<"aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor">
    _adaptive_avg_pool2d_backward;

// Over the last dimension of [n, c, l] or [c, l]. Composites: images one row high.

/// max_pool2d of rows.
inline constexpr op<
    "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool "
    "ceil_mode=False) -> Tensor">
    max_pool1d;
/// The same, with the index of each maximum in its row.
inline constexpr op<
    "aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] "
    "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)">
    max_pool1d_with_indices;
/// avg_pool2d of rows.
inline constexpr op<
    "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool "
    "count_include_pad=True) -> Tensor">
    avg_pool1d;
/// adaptive_avg_pool2d of rows.
inline constexpr op<"aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor"> adaptive_avg_pool1d;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::max_pool2d> max_pool2d;
inline constexpr overloads<aten::max_pool2d_with_indices, aten::max_pool2d_with_indices_out> max_pool2d_with_indices;
inline constexpr overloads<aten::max_pool2d_with_indices_backward, aten::max_pool2d_with_indices_backward_grad_input>
    max_pool2d_with_indices_backward;
inline constexpr overloads<aten::avg_pool2d, aten::avg_pool2d_out> avg_pool2d;
inline constexpr overloads<aten::avg_pool2d_backward, aten::avg_pool2d_backward_grad_input> avg_pool2d_backward;
inline constexpr overloads<aten::adaptive_avg_pool2d, aten::adaptive_avg_pool2d_out> adaptive_avg_pool2d;
inline constexpr overloads<aten::max_pool1d> max_pool1d;
inline constexpr overloads<aten::max_pool1d_with_indices> max_pool1d_with_indices;
inline constexpr overloads<aten::avg_pool1d> avg_pool1d;
inline constexpr overloads<aten::adaptive_avg_pool1d> adaptive_avg_pool1d;

}  // namespace topbit
