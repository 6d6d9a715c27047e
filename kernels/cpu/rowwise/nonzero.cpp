// Counts elements that are not zero and writes their coordinates.
#include "elementwise/convert.h"
#include "elementwise/for_each_row.h"
#include "layout.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Calls visit(index) for each element that is not zero; dimension 0 varies fastest.
template <typename Visit>
void each_nonzero(const tb_plan& plan, Visit visit) {
  const tb_operand& in = plan.operand[0];
  const convert_fn load = conversion(TB_BOOL, in.dtype);
  int64_t index[TB_MAX_DIMS] = {};
  const int64_t count = plan.sizes[0];
  constexpr int64_t block = 512;
  uint8_t flags[block];
  each_row<1>(plan, [&](char* const* at) {
    for (int64_t first = 0; first < count; first += block) {
      const int64_t some = count - first < block ? count - first : block;
      load(flags, 1, at[0] + first * in.strides[0] * element_bytes[in.dtype], in.strides[0], some);
      for (int64_t i = 0; i < some; ++i) {
        index[0] = first + i;
        if (flags[i] != 0) visit(static_cast<const int64_t*>(index));
      }
    }
    for (int d = 1; d < plan.ndim && ++index[d] == plan.sizes[d]; ++d) index[d] = 0;
  });
}

}  // namespace

tb_status nonzero(tb_nonzero* call, const tb_call*) {
  call->count = 0;
  each_nonzero(call->plan, [&](const int64_t* index) {
    int64_t* const to = call->out == nullptr ? nullptr : call->out + call->count * call->coordinates;
    for (int32_t d = 0; to != nullptr && d < call->coordinates; ++d) to[d] = index[call->coordinates - 1 - d];
    ++call->count;
  });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
