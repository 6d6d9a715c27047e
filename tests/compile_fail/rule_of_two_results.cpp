// expect: error: static assertion failed: autograd rule for toy::split, backward\(\), argument 1, gradient of the result: the schema needs 'const std::array<tensor, 2>&', the autograd rule takes 'const tensor&'$
// topic: rules
// Each result brings a gradient.
#include <array>
#include <tuple>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

inline constexpr topbit::op<"toy::split(Tensor self) -> (Tensor, Tensor)"> split;

struct rule {
  static rule save(const tensor& self, const std::tuple<tensor, tensor>&);
#ifndef FIXED
  std::array<tensor, 1> backward(const tensor&, std::array<bool, 1>) const;
#else
  std::array<tensor, 1> backward(const std::array<tensor, 2>&, std::array<bool, 1>) const;
#endif
};
template struct topbit::author::autograd_kernel<split, rule>;
