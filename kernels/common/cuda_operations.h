// Which operations the CUDA backend has kernels for, where it is built and where its stub stands in for it.
#pragma once

#include <stdint.h>

#include "kernel_ops.h"

namespace tb_cuda {

// 0 for those that operators compose of others there.
inline int32_t runs(int32_t entry, int32_t op) {
  if (entry != TB_ENTRY_ROWWISE) return 1;
  switch (op) {
    case TB_MINMAX:
    case TB_BINCOUNT:
    case TB_HISTC:
    case TB_COMPRESS:
    case TB_RMS_NORM_BACKWARD:
    case TB_DISTANCE: return 0;
    default: return 1;
  }
}

}  // namespace tb_cuda
