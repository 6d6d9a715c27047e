// expect: error: static assertion failed: autograd rule for toy::shift, backward\(\), argument 2, gradients that are wanted: the schema needs 'std::array<bool, 2>', the autograd rule takes 'std::array<bool, 1>'$
// topic: rules
// A tensor that may be missing has a gradient too, which a rule must not drop.
#include <array>
#include <optional>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

inline constexpr topbit::op<"toy::shift(Tensor self, Tensor? by) -> Tensor"> shift;
#ifndef FIXED
constexpr std::size_t gradients = 1;
#else
constexpr std::size_t gradients = 2;
#endif

struct rule {
  static rule save(const tensor&, const std::optional<tensor>&, const tensor&);
  std::array<tensor, gradients> backward(const tensor&, std::array<bool, gradients>) const;
};
template struct topbit::author::autograd_kernel<shift, rule>;
