// expect: error: static assertion failed: autograd rule for toy::shift, argument 2 'by': found 'const std::optional<tensor>&', a rule takes tensors as 'const tensor&' only; write the kernel for key::Autograd by hand$
// topic: rules
// A rule has no place for the gradient of a tensor that may be missing, and must not drop it.
#include <array>
#include <optional>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

#ifndef MENDED
inline constexpr topbit::op<"toy::shift(Tensor self, Tensor? by) -> Tensor"> shift;
using gradients = std::array<tensor, 1>;
using second = const std::optional<tensor>&;
#else
inline constexpr topbit::op<"toy::shift(Tensor self, Tensor by) -> Tensor"> shift;
using gradients = std::array<tensor, 2>;
using second = const tensor&;
#endif

struct rule {
  static rule save(const tensor&, second, const tensor&);
  gradients backward(const tensor&, std::array<bool, std::tuple_size_v<gradients>>) const;
};
template struct topbit::author::autograd_kernel<shift, rule>;
