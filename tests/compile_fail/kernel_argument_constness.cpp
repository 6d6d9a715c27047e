// expect: error: static assertion failed: kernel for myops::myadd, argument 2 'other': the schema needs 'const tensor&', the kernel takes 'tensor&'; add const, the operator does not write it$
// rule: R13, R15
// topic: kernels
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

#ifndef FIXED
tensor myadd_cpu(const tensor& self, tensor& other, std::int64_t alpha);
#else
tensor myadd_cpu(const tensor& self, const tensor& other, std::int64_t alpha);
#endif
const auto kernels = topbit::library("myops").def(myadd).impl<&myadd_cpu>(myadd, topbit::key::CPU);
