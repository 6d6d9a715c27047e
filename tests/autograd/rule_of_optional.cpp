// expect: error: static assertion failed.*: gradient rule for toy::shift, argument 2 'by': found 'const std::optional<tensor>&', a rule takes tensors as 'const tensor&' only; write the kernel for key::Autograd by hand$
// A rule has no place for the gradient of a tensor that may be missing, and must not drop it.
#include <array>
#include <optional>
import topbit;

inline constexpr topbit::op<"toy::shift(Tensor self, Tensor? by) -> Tensor"> shift;

struct rule {
  static rule save(const topbit::tensor&, const std::optional<topbit::tensor>&, const topbit::tensor&);
  std::array<topbit::tensor, 1> backward(const topbit::tensor&, std::array<bool, 1>) const;
};
template struct topbit::author::autograd_kernel<shift, rule>;
