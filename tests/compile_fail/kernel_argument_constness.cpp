// expect: error: static assertion failed: kernel for myops::myadd, argument 2 'other': the schema needs 'const tensor&', the kernel takes 'tensor&'$
// rule: R13, R15
// Nothing converts between an operator and its kernel, not even constness.
#include <cstdint>
import topbit.core;

struct tensor {
  topbit::key_set keys;
};
constexpr topbit::key_set keys_of(const tensor& t) noexcept { return t.keys; }
template <>
struct topbit::schema_type<"Tensor"> {
  using value = tensor;
  using argument = const tensor&;
};

inline constexpr topbit::op<"myops::myadd(Tensor self, Tensor other, *, int alpha=1) -> Tensor"> myadd;

tensor myadd_cpu(const tensor& self, tensor& other, std::int64_t alpha);
const auto kernels = topbit::library("myops").def(myadd).impl<&myadd_cpu>(myadd, topbit::key::CPU);
