// expect: error: static assertion failed: autograd rule for toy::total, backward\(\), argument 2, gradients that are wanted: the schema needs 'std::span<const bool>', the autograd rule takes 'std::array<bool, 2>'$
// topic: rules
// A list of tensors has as many gradients as it is long.
#include <array>
#include <span>
#include <vector>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

inline constexpr topbit::op<"toy::total(Tensor first, Tensor[] xs) -> Tensor"> total;

struct rule {
  static rule save(const tensor&, std::span<const tensor>, const tensor&);
#ifndef FIXED
  std::array<tensor, 2> backward(const tensor&, std::array<bool, 2>) const;
#else
  std::vector<tensor> backward(const tensor&, std::span<const bool>) const;
#endif
};
template struct topbit::author::autograd_kernel<total, rule>;
