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
iteration_plan make_plan(std::span<const tensor* const> operands);
inline iteration_plan make_plan(std::initializer_list<const tensor*> operands) {
  return make_plan(std::span<const tensor* const>(operands.begin(), operands.size()));
}

/// The strides of a new tensor of these sizes that is computed from the operands, which broadcast to it: its memory is
/// in the order of theirs, the first one's where they disagree, so that transposed operands give a transposed result
/// and one dense pass. None where that is row-major. (The reference's rule.)
dims result_strides(const dims& sizes, std::span<const tensor* const> operands);

}  // namespace author

}  // namespace topbit
