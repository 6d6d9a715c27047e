// expect: error: static assertion failed: autograd rule for toy::total, argument 2 'xs': found 'std::span<const tensor>', a rule takes tensors as 'const tensor&' only; write the kernel for key::Autograd by hand$
// topic: rules
// A rule has no place for the gradients of a list, and must not drop them.
#include <array>
#include <cstdint>
#include <span>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

#ifndef MENDED
inline constexpr topbit::op<"toy::total(Tensor first, Tensor[] xs) -> Tensor"> total;
using second = std::span<const tensor>;
#else
inline constexpr topbit::op<"toy::total(Tensor first, int[] xs) -> Tensor"> total;
using second = std::span<const std::int64_t>;
#endif

struct rule {
  static rule save(const tensor&, second, const tensor&);
  std::array<tensor, 1> backward(const tensor&, std::array<bool, 1>) const;
};
template struct topbit::author::autograd_kernel<total, rule>;
