// Dropout: elements are set to 0 at random, and the others scaled so that the mean stays. All are composites.
export module topbit.ops:dropout;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// Where train is true each element is 0 with probability p, else divided by 1 - p; where it is false, or p is 0, self
/// itself. Takes a number per element from the device's default generator. Floating dtypes. error unless p is within 0
/// and 1.
inline constexpr op<"aten::dropout(Tensor input, float p, bool train) -> Tensor"> dropout;
inline constexpr op<"aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"> dropout_;

/// Dropout that keeps mean and variance of what selu gives: what is dropped becomes selu's limit, and all are scaled.
inline constexpr op<"aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor"> alpha_dropout;
inline constexpr op<"aten::alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"> alpha_dropout_;

/// Dropout and its mask, which is true where an element stays. Without train, or where it is true, elements are
/// dropped.
inline constexpr op<"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)"> native_dropout;

/// grad_output * mask * scale: the gradient of native_dropout, for a scale of 1 / (1 - p).
inline constexpr op<"aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor">
    native_dropout_backward;

}  // namespace topbit::ops
