// expect: error: static assertion failed: autograd rule for toy::power, save\(\): the schema needs 3 arguments, the autograd rule takes 2; it lacks argument 3, result$
// topic: rules
// save() is given the result as well.
#include <array>
#include <cstdint>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

inline constexpr topbit::op<"toy::power(Tensor self, int n) -> Tensor"> power;

struct power_rule {
#ifndef FIXED
  static power_rule save(const tensor& self, std::int64_t n);
#else
  static power_rule save(const tensor& self, std::int64_t n, const tensor& result);
#endif
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1> wanted) const;
};
template struct topbit::author::autograd_kernel<power, power_rule>;
