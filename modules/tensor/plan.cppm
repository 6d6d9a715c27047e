// The iteration plan of a pass over elements: operands broadcast to one shape, dimensions ordered and collapsed.
//
// Index arithmetic only: it knows addresses and strides, no kernel. Three contiguous operands of any shape become one
// dimension, the case that determines the speed of small models.
module;

#include <topbit/plan.h>

export module topbit.tensor:plan;

import topbit.std;
import :dtype;
import :handle;
import :shape;

static_assert(TB_MAX_DIMS == topbit::max_dims);

namespace topbit {

export namespace author {

inline constexpr std::size_t max_operands = TB_MAX_OPERANDS;

/// One pass over elements, as kernels read it: <topbit/plan.h> says what its members mean. Operand 0 is the result.
using iteration_plan = ::tb_plan;

/// A plan over the shape of the first tensor, to which the others must broadcast (checked by the caller's shape
/// function).
iteration_plan make_plan(std::span<const tensor* const> operands);
inline iteration_plan make_plan(std::initializer_list<const tensor*> operands) {
  return make_plan(std::span<const tensor* const>(operands.begin(), operands.size()));
}

/// The reduced dimensions of a tensor, as a mask.
using dim_mask = std::array<bool, max_dims>;

/// A plan over the shape of the last tensor, the input of a reduction; the others are results, without the dimensions
/// of the mask or with size 1 there. Reduced and kept dimensions are ordered by the input's memory and collapsed
/// separately; there is at least one reduced dimension. `row_major` keeps the reduced ones in the tensor's order, so
/// that indices are row-major.
iteration_plan make_reduction_plan(std::span<const tensor* const> operands, const dim_mask& mask, bool row_major);

/// The strides of a new tensor of these sizes that is computed from the operands, which broadcast to it: its memory
/// order is theirs, the first one's if they disagree, so that transposed operands give a transposed result in one dense
/// pass. Empty if row-major. (PyTorch's rule.)
shape result_strides(const shape& sizes, std::span<const tensor* const> operands);

}  // namespace author

}  // namespace topbit
