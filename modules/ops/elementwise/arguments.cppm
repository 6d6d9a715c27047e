// The arguments of an elementwise call: operands in order, then the numbers.
module topbit.ops:elementwise.arguments;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

struct elementwise_arguments {
  std::array<const tensor*, author::max_operands - 1> in;
  std::array<scalar, 3> number{};
  std::size_t inputs = 0, numbers = 0;

  inline void add(const tensor& t) noexcept { in[inputs++] = &t; }
  inline void add(const scalar& s) noexcept { number[numbers++] = s; }
  inline void add(double x) noexcept { number[numbers++] = x; }
  inline void add(std::int64_t x) noexcept { number[numbers++] = x; }
  inline std::span<const tensor* const> operands() const noexcept { return {in.data(), inputs}; }
};

template <class... A>
inline elementwise_arguments collect(const A&... a) {
  elementwise_arguments all;
  (all.add(a), ...);
  return all;
}

}  // namespace topbit::detail
