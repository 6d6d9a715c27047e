// expect: error: static assertion failed: autograd rule for toy::power, backward\(\), result: the schema needs 'std::array<tensor, 1>', the autograd rule returns 'std::array<tensor, 2>'; one gradient for each tensor argument of the operator$
// topic: rules
// backward() returns one gradient for each tensor argument.
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
  std::array<tensor, 2> backward(const tensor& gradient, std::array<bool, 1> wanted) const;
#else
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1> wanted) const;
#endif
};
template struct topbit::author::autograd_kernel<power, power_rule>;
