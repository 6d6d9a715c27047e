// Selects the loops of layer norm, RMS norm and their gradients by compute type.
#include "layer_norm_loops.h"
#include "layout.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {

rows_loop layer_norm(const tb_rowwise& call) {
  const rows_loop of_half = half_layer_loop(call);
  return of_half.run != nullptr   ? of_half
         : call.compute == TB_F32 ? layer_loop<float>(call.op)
         : call.compute == TB_F64 ? layer_loop<double>(call.op)
                                  : rows_loop{};
}

}  // namespace tb_cpu::TOPBIT_ARCH
