// expect: error: static assertion failed: autograd rule for toy::power: needs backward\(\), 'std::array<tensor, N> backward\(const tensor&, std::array<bool, N>\) const'; found none that takes and returns this$
// topic: rules
// A graph may be run twice, so backward() changes nothing in its rule.
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
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1> wanted);
#else
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1> wanted) const;
#endif
};
template struct topbit::author::autograd_kernel<power, power_rule>;
