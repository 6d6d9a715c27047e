// Random operators within vmap: what the randomness of the innermost level says, asked before batched arguments are
// looked into, since factories have none. Internal.
module topbit.transform:random_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :rule;

namespace topbit::detail {

// Throws, or calls the operator once for all examples, or for each of them.
struct random_call {
  static constexpr author::kernel_note note{"draws numbers for each example, or the same for all"};
  void operator()(const operator_handle& op, key_set keys, boxed_stack& arguments) const;
};
// A composite that draws numbers in training only, into a tensor like its input.
struct dropout_call {
  static constexpr author::kernel_note note{"draws numbers for each example, or the same for all, in training"};
  void operator()(const operator_handle& op, key_set keys, boxed_stack& arguments) const;
};

template <auto Kernel, class List>
struct mode_rows;
template <auto Kernel, class... Op>
struct mode_rows<Kernel, operator_list<Op...>> {
  static constexpr std::array<author::kernel_row, sizeof...(Op)> rows{
      author::boxed_row<Kernel>(Op{}, key::FuncTorchVmapMode)...};
};
// Operators, or overload sets of them, with this kernel while a vmap runs.
template <auto Kernel, auto... X>
using rows_of_mode =
    mode_rows<Kernel, typename joined_operators<
                          operator_list<>, typename operators_in<std::remove_const_t<decltype(X)>>::type...>::type>;

inline constexpr auto random_rules =
    batching::rules(rows_of_mode<random_call{}, uniform_, normal_, exponential_, random_, bernoulli_, bernoulli, rand,
                                 rand_like, randn, randn_like, randint, randint_like, randperm, normal, multinomial>{},
                    rows_of_mode<dropout_call{}, dropout, dropout_, alpha_dropout, alpha_dropout_, native_dropout>{});

}  // namespace topbit::detail
