// Fast path for small tensors: elementwise calls whose operands are dense, of one shape, dtype and device skip shape
// function and plan, which would cost more than the elements.
//
// It gives the same result as the general path or declines: errors and special cases are left to the general path.
module topbit.ops:elementwise.fast_path;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.arguments;
import :elementwise.operation;

namespace topbit::detail {

// Properties of an elementwise operation known before the call.
struct fast_path_facts {
  std::uint16_t types = 0;  // bits of the dtypes whose operands are computed in the same dtype
  bool predicate = false, number_in_type = false;
};

consteval fast_path_facts fast_path_facts_of(elementwise code) {
  const elementwise_facts& known = facts_of(code);
  fast_path_facts facts{0, known.is_predicate(), known.number_in_type()};
  if (known.has_condition()) return facts;
  for (unsigned i = 0; i < dtype_count; ++i) {
    const dtype t = static_cast<dtype>(i);
    const bool accepted = is_floating(t)  ? known.accepts_floats()
                          : is_integer(t) ? known.accepts_integers()
                                          : known.accepts_bool();
    const bool stays = is_floating(t) || known.result == result_rule::same || known.is_predicate() ||
                       (known.result == result_rule::number && is_integer(t));
    // A number with bool tensors has special rules.
    if (accepted && stays && !(t == dtype::boolean && known.number_in_type())) facts.types |= std::uint16_t(1U << i);
  }
  return facts;
}

// Computes an operation with `Inputs` operands and returns true; returns false without effect if the general path must
// be taken. With Makes `out` receives a new tensor, otherwise it is written.
template <int Inputs, bool Makes>
bool elementwise_fast_path(backend_call c, elementwise code, fast_path_facts facts, const elementwise_arguments& a,
                           tensor& out);

}  // namespace topbit::detail
