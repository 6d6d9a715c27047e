// Entry point of row operations: selects the family of the operation.
#include "rowwise/rowwise.cuh"

#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

bool has_positions(const tb_rowwise& call) {
  for (int d = 0; d < call.ndim; ++d) {
    if (call.sizes[d] == 0) return false;
  }
  return true;
}

const void* written(const tb_rowwise& call) {
  for (int i = 0; i < call.operands; ++i) {
    if (call.row[i].written != 0 && call.row[i].data != nullptr) return call.row[i].data;
  }
  return call.row[0].data;  // index checks, which write nothing
}

}  // namespace

tb_status rowwise(const tb_rowwise* call, const tb_call* where) {
  if (!has_positions(*call)) return TB_OK;
  const scope on(written(*call), where);
  if (on.status() != TB_OK) return on.status();
  switch (call->op) {
    case TB_SOFTMAX:
    case TB_LOG_SOFTMAX:
    case TB_SOFTMAX_BACKWARD:
    case TB_LOG_SOFTMAX_BACKWARD: return softmax_rows(*call, on);
    case TB_LAYER_NORM:
    case TB_LAYER_NORM_BACKWARD:
    case TB_LAYER_NORM_WEIGHTS:
    case TB_RMS_NORM: return norm_rows(*call, on);
    case TB_NLL:
    case TB_NLL_BACKWARD:
    case TB_NLL_TOTAL:
    case TB_CROSS_ENTROPY:
    case TB_CROSS_ENTROPY_BACKWARD: return loss_rows(*call, on);
    case TB_GATHER:
    case TB_SCATTER:
    case TB_SCATTER_ADD:
    case TB_SCATTER_MUL:
    case TB_SCATTER_AMAX:
    case TB_SCATTER_AMIN:
    case TB_CHECK_INDEX: return index_rows(*call, on);
    case TB_CUMSUM:
    case TB_CUMPROD:
    case TB_CUMMAX:
    case TB_CUMMIN:
    case TB_LOGCUMSUMEXP: return scan_rows(*call, on);
    case TB_SORT:
    case TB_TOPK:
    case TB_KTH_VALUE:
    case TB_MEDIAN:
    case TB_MODE: return sort_rows(*call, on);
    case TB_SEARCHSORTED: return search_rows(*call, on);
    case TB_BAG_SUM:
    case TB_BAG_MEAN:
    case TB_BAG_MAX: return reduce_bags(*call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
