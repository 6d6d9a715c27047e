// expect: error: static assertion failed: autograd rule for toy::power, backward\(\): the schema needs 2 arguments, the autograd rule takes 1; it lacks argument 2, gradients that are wanted$
// topic: rules
// backward() is told which gradients are wanted.
#include <array>
#include <cstdint>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

inline constexpr topbit::op<"toy::power(Tensor self, int n) -> Tensor"> power;

struct power_rule {
  static power_rule save(const tensor& self, std::int64_t n, const tensor& result);
#ifndef FIXED
  std::array<tensor, 1> backward(const tensor& gradient) const;
#else
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1> wanted) const;
#endif
};
template struct topbit::author::autograd_kernel<power, power_rule>;
