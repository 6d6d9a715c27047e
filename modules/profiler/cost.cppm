// What operators cost, from the sizes of their arguments: rules that stand beside operators.
export module topbit.profiler:cost;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export namespace profile {

/// Of one call. A multiplication and an addition are two operations. `products` counts matrix products, convolutions
/// and attention alone, without a bias, as PyTorch's FlopCounterMode does; `operations` everything.
struct cost {
  double products = 0, operations = 0;
  double bytes_read = 0, bytes_written = 0;
  double masked = 0;  // of products and operations: with keys that causal attention masks, half of them
  cost& operator+=(const cost& other) noexcept;
  friend bool operator==(const cost&, const cost&) = default;
};

/// What a call with these arguments costs; empty where no rule says. Operators with a rule of their own: matrix
/// products, linear layers, convolutions, attention. Pointwise operators and reductions have one by their
/// tags: an operation for each element; views cost nothing.
std::optional<cost> cost_of(const operator_handle& op, std::span<const value> arguments);

}  // namespace profile

export namespace author {

using cost_rule = std::optional<profile::cost> (*)(std::span<const value> arguments);

/// The rule of an operator, by its name with overload, in place of another; its in-place and .out forms use it too. It
/// gets arguments as boxed calls have them, before the operator has checked them, and returns nothing for those that it
/// does not know. Calls with the same tensors' dtypes, sizes and devices, and the same integers, cost the same.
void register_cost(std::string_view op, cost_rule rule);

}  // namespace author

}  // namespace topbit
