// The iteration plan of an elementwise pass: operands broadcast to one shape, dimensions ordered and collapsed.
//
// Index arithmetic only: it knows addresses and strides, no kernel. Three contiguous operands of any shape become one
// dimension, which is the case that decides how fast small models are.
export module topbit.tensor:plan;

import topbit.std;
import :dtype;
import :handle;
import :shape;

namespace topbit {

export namespace author {

inline constexpr std::size_t max_operands = 4;

struct plan_operand {
  void* data = nullptr;
  std::array<std::int64_t, max_dims> strides{};  // in elements, innermost first
  dtype type = dtype::float32;
};

/// One pass over `sizes`, innermost first. Operand 0 is the result.
struct iteration_plan {
  std::size_t ndim = 0;  // at least 1
  std::size_t operands = 0;
  std::array<std::int64_t, max_dims> sizes{};
  std::array<plan_operand, max_operands> operand{};
};

/// A plan over the shape of the first tensor, to which the others must broadcast (checked by the caller's shape rule).
iteration_plan make_plan(std::initializer_list<const tensor*> operands);

}  // namespace author

}  // namespace topbit
