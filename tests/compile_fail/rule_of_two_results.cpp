// expect: error: static assertion failed: autograd rule for toy::split, result: found 'std::tuple<tensor, tensor>', a rule differentiates one 'tensor'; write the kernel for key::Autograd by hand$
// topic: rules
// A rule differentiates one result.
#include <array>
#include <tuple>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

#ifndef MENDED
inline constexpr topbit::op<"toy::split(Tensor self) -> (Tensor, Tensor)"> split;
using result = std::tuple<tensor, tensor>;
#else
inline constexpr topbit::op<"toy::split(Tensor self) -> Tensor"> split;
using result = tensor;
#endif

struct rule {
  static rule save(const tensor& self, const result&);
  std::array<tensor, 1> backward(const tensor&, std::array<bool, 1>) const;
};
template struct topbit::author::autograd_kernel<split, rule>;
