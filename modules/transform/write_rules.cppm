// Writes within vmap of what is the same for all examples to a tensor from outside: a loop would write it for each of
// them. Refused where that differs from one write. Internal.
module topbit.transform:write_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :elementwise;
import :kind;
import :rule;

namespace topbit::detail {

// `tensors` are those of the call, of which the first is written. Throws error if none is batched at the innermost
// level and the first is older than that.
void check_written_within(const operator_handle& op, std::span<const tensor* const> tensors);

struct write_within {
  static constexpr author::kernel_note note{"refuses to write a tensor from outside once for all examples"};

  template <class R, class... A>
  R operator()(typed_handle<R(A...)> op, key_set keys, A... a) const {
    std::array<const tensor*, (std::size_t{is_operand<A>} + ...)> tensors;
    std::size_t i = 0;
    const auto add = [&]<class T>(const T& x) {
      if constexpr (is_operand<T>) tensors[i++] = &x;
    };
    (add(a), ...);
    check_written_within(op.handle(), {tensors.data(), tensors.size()});
    return op.redispatch(keys & below(key::FuncTorchVmapMode), static_cast<A>(a)...);
  }
};

template <class List>
struct write_rows;
template <class... Op>
struct write_rows<operator_list<Op...>> {
  static constexpr std::array<author::kernel_row, sizeof...(Op)> rows{
      author::signature_row<write_within{}>(Op{}, key::FuncTorchVmapMode)...};
};
template <auto... X>
using rows_of_writes = write_rows<
    typename joined_operators<operator_list<>, typename operators_in<std::remove_const_t<decltype(X)>>::type...>::type>;

// Formatted by hand: a family a line.
// clang-format off

// All but those that give the same however often they run, as copy_, zero_ and the out forms.
inline constexpr auto write_rules = batching::rules(rows_of_writes<
    add_, sub_, mul_, div_, floor_divide_, remainder_, fmod_, pow_, atan2_, hypot_, copysign_, xlogy_, heaviside_, lerp_,
    addcmul_, addcdiv_, logical_not_, logical_xor_, bitwise_not_, bitwise_xor_, bitwise_left_shift_, bitwise_right_shift_,
    neg_, square_, frac_, reciprocal_, deg2rad_, rad2deg_, sqrt_, rsqrt_,
    exp_, exp2_, expm1_, log_, log2_, log10_, log1p_, sin_, cos_, tan_, asin_, acos_, atan_, sinh_, cosh_, tanh_,
    asinh_, acosh_, atanh_, erf_, erfc_, erfinv_, lgamma_, digamma_, sigmoid_, logit_,
    leaky_relu_, elu_, selu_, celu_, silu_, gelu_, mish_, hardswish_, hardsigmoid_,
    cumsum_, cumprod_, index_add_, scatter_add_, addmm_, baddbmm_>{});

// clang-format on

}  // namespace topbit::detail
