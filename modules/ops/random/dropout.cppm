// Dropout: elements are set to 0 at random, and the others scaled to preserve the mean. All are composites.
export module topbit.ops:random.dropout;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// If train is true each element is 0 with probability p, else divided by 1 - p; if it is false, or p is 0, returns
/// self. Uses one number per element of the device's default generator. Floating dtypes. error unless p is within 0 and
/// 1.
inline constexpr op<"aten::dropout(Tensor input, float p, bool train) -> Tensor"> dropout;
inline constexpr op<"aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"> dropout_;

/// Dropout that preserves the mean and variance of selu's results: dropped elements become selu's limit, and all are
/// scaled.
inline constexpr op<"aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor"> alpha_dropout;
inline constexpr op<"aten::alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"> alpha_dropout_;

/// Dropout and its mask, which is true for kept elements. Without train, or if it is true, elements are dropped.
inline constexpr op<"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)"> native_dropout;

/// grad_output * mask * scale: the gradient of native_dropout, for a scale of 1 / (1 - p).
inline constexpr op<"aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor">
    native_dropout_backward;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::dropout> dropout;
inline constexpr overloads<aten::dropout_> dropout_;
inline constexpr overloads<aten::alpha_dropout> alpha_dropout;
inline constexpr overloads<aten::alpha_dropout_> alpha_dropout_;
inline constexpr overloads<aten::native_dropout> native_dropout;
inline constexpr overloads<aten::native_dropout_backward> native_dropout_backward;

}  // namespace topbit
