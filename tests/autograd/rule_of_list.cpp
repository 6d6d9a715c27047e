// expect: error: static assertion failed.*: gradient rule for toy::total, argument 2 'xs': found 'std::span<const tensor>', a rule takes tensors as 'const tensor&' only; write the kernel for key::Autograd by hand$
// A rule has no place for the gradients of a list, and must not drop them.
#include <array>
#include <span>
import topbit;

inline constexpr topbit::op<"toy::total(Tensor first, Tensor[] xs) -> Tensor"> total;

struct rule {
  static rule save(const topbit::tensor&, std::span<const topbit::tensor>, const topbit::tensor&);
  std::array<topbit::tensor, 1> backward(const topbit::tensor&, std::array<bool, 1>) const;
};
template struct topbit::author::autograd_kernel<total, rule>;
