// expect: error: static assertion failed: autograd rule for toy::rank, result: found 'int64_t', a rule differentiates tensors, a tuple with tensors or a list of them; write the kernel for key::Autograd by hand$
// topic: rules
// What returns no tensor has no derivative.
#include <array>
#include <cstdint>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

#ifndef FIXED
inline constexpr topbit::op<"toy::rank(Tensor self) -> int"> rank;
using result = std::int64_t;
#else
inline constexpr topbit::op<"toy::rank(Tensor self) -> Tensor"> rank;
using result = tensor;
#endif

struct rule {
  static rule save(const tensor& self, const result&);
  std::array<tensor, 1> backward(const tensor&, std::array<bool, 1>) const;
};
template struct topbit::author::autograd_kernel<rank, rule>;
