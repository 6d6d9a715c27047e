// Rows brought to mean 0 and variance 1, or to mean square 1, and the gradients of that.
#include "layer_norm_loops.h"
#include "layout.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {

rows_loop layer_norm(const tb_rowwise& call) {
  return call.compute == TB_F32   ? layer_loop<float>(call.op)
         : call.compute == TB_F64 ? layer_loop<double>(call.op)
                                  : rows_loop{};
}

}  // namespace tb_cpu::TOPBIT_ARCH
