// expect: error: static assertion failed: autograd rule for toy::power, save\(\), argument 2 'n': the schema needs 'int64_t', the autograd rule takes 'int'; an int of a schema is std::int64_t$
// topic: rules
// save() takes the arguments of the operator, and then its result.
#include <array>
#include <cstdint>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

inline constexpr topbit::op<"toy::power(Tensor self, int n) -> Tensor"> power;

struct power_rule {
#ifndef FIXED
  static power_rule save(const tensor& self, int n, const tensor& result);
#else
  static power_rule save(const tensor& self, std::int64_t n, const tensor& result);
#endif
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1> wanted) const;
};
template struct topbit::author::autograd_kernel<power, power_rule>;
