// The iteration plan of a pass over elements: operands brought to one shape, dimensions ordered and collapsed.
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
  std::size_t reduced = 0;  // so many of the first dimensions go away
  std::array<std::int64_t, max_dims> sizes{};
  std::array<plan_operand, max_operands> operand{};
};

/// A plan over the shape of the first tensor, to which the others must broadcast (checked by the caller's shape rule).
iteration_plan make_plan(std::span<const tensor* const> operands);
inline iteration_plan make_plan(std::initializer_list<const tensor*> operands) {
  return make_plan(std::span<const tensor* const>(operands.begin(), operands.size()));
}

/// Which dimensions of a tensor a reduction takes away.
using dim_mask = std::array<bool, max_dims>;

/// A plan over the shape of the last tensor, the input of a reduction; the others are results, without the dimensions
/// of the mask or with them as 1. Reduced and kept dimensions are ordered by the input's memory and collapsed, each
/// for themselves; there is at least one reduced dimension. `row_major` keeps the reduced ones in the order of the
/// tensor, so that positions in them count as its elements do.
iteration_plan make_reduction_plan(std::span<const tensor* const> operands, const dim_mask& mask, bool row_major);

/// The strides of a new tensor of these sizes that is computed from the operands, which broadcast to it: its memory is
/// in the order of theirs, the first one's where they disagree, so that transposed operands give a transposed result
/// and one dense pass. None where that is row-major. (The reference's rule.)
dims result_strides(const dims& sizes, std::span<const tensor* const> operands);

}  // namespace author

}  // namespace topbit
