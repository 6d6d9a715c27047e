// Selects the loops of softmax, log-softmax and their gradients by compute type.
#include "layout.h"
#include "rowwise/rowwise.h"
#include "softmax_family.h"

namespace tb_cpu::TOPBIT_ARCH {

rows_loop softmax_rows(const tb_rowwise& call) {
  rows_loop loop = call.compute == TB_F32   ? softmax_loop<float>(call.op)
                   : call.compute == TB_F64 ? softmax_loop<double>(call.op)
                                            : rows_loop{};
  loop.columns = 64;
  return loop;
}

}  // namespace tb_cpu::TOPBIT_ARCH
