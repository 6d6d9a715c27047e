// expect: error: static assertion failed: autograd rule for toy::power: needs save\(\), static, of the operator's arguments and the result, that returns the rule; found none that takes and returns this$
// topic: rules
// A rule has save() and backward().
#include <array>
#include <cstdint>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

inline constexpr topbit::op<"toy::power(Tensor self, int n) -> Tensor"> power;

struct power_rule {
#ifndef FIXED
  // nothing to save
#else
  static power_rule save(const tensor& self, std::int64_t n, const tensor& result);
#endif
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1> wanted) const;
};
template struct topbit::author::autograd_kernel<power, power_rule>;
