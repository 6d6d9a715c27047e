// What a project writes that wants the tensor library and an operator of its own.
#include <cstdio>

import topbit;

namespace tb = topbit;

inline constexpr tb::op<"myops::myadd(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> myadd;

tb::tensor myadd_cpu(const tb::tensor& self, const tb::tensor& other, const tb::scalar& alpha) {
  return tb::ops::add(self, other, alpha);
}
const auto kernels = tb::library("myops").def(myadd).impl<&myadd_cpu>(myadd, tb::key::CPU);

int main() {
  const tb::tensor a = tb::from_values({1.0F, 2.0F, 3.0F}, {3});
  const tb::tensor b = tb::from_values({10.0F, 20.0F, 30.0F}, {3});
  const double total = tb::item(tb::sum(myadd(a, b, tb::arg<"alpha"> = 2), {0}));
  std::printf("%g\n", total);
  return total == 126 ? 0 : 1;
}
