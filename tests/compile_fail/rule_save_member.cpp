// expect: error: static assertion failed: autograd rule for toy::power, save\(\): needs a function or a lambda without captures, found the member function 'power_rule \(power_rule::\*\)\(const tensor&, int64_t, const tensor&\)'; there is no object to call it on, make it static$
// topic: rules
// save() makes the rule, so there is none to call it on.
#include <array>
#include <cstdint>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

inline constexpr topbit::op<"toy::power(Tensor self, int n) -> Tensor"> power;

struct power_rule {
#ifndef FIXED
  power_rule save(const tensor& self, std::int64_t n, const tensor& result);
#else
  static power_rule save(const tensor& self, std::int64_t n, const tensor& result);
#endif
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1> wanted) const;
};
template struct topbit::author::autograd_kernel<power, power_rule>;
