// What a project writes that wants the tensor library and an operator of its own.
#include <cstdint>
#include <iostream>

import topbit;

namespace tb = topbit;

inline constexpr tb::op<"myops::myadd(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> myadd;

tb::tensor myadd_cpu(const tb::tensor& self, const tb::tensor& other, const tb::scalar& alpha) {
  return tb::add(self, other, tb::arg<"alpha"> = alpha);
}
const auto kernels = tb::library("myops").def(myadd).impl<&myadd_cpu>(myadd, tb::key::CPU);

int main() {
  const tb::tensor a({1.F, 2, 3}), b({10.F, 20, 30});
  std::int64_t elements = 1;
  for (std::int64_t d = 0; d < a.dim(); ++d) elements *= a.sizes()[d];
  const double total = tb::item(tb::sum(myadd(a, b, tb::arg<"alpha"> = 2), {0}));
  std::cout << a << ' ' << tb::to_string(a, {.precision = 2}) << ' ' << tb::keys_of(a) << ' ' << total << '\n';
  return total == 126 && elements == a.numel() ? 0 : 1;
}
