// Entry point of reductions: selects the family of the operation.
#include "reduce/reduce.cuh"

#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

using family = tb_status (*)(const tb_reduction&, const scope&);

family family_of(int32_t op) {
  switch (op) {
    case TB_SUM:
    case TB_NANSUM:
    case TB_SUM_SQUARES:
    case TB_PROD:
    case TB_COUNT_NONZERO: return reduce_sums;
    case TB_VAR:
    case TB_STD:
    case TB_NORM:
    case TB_LOGSUMEXP: return reduce_moments;
    case TB_MAX:
    case TB_MIN:
    case TB_ANY:
    case TB_ALL: return reduce_minmax;
    case TB_MAX_INDEX:
    case TB_MIN_INDEX:
    case TB_ARGMAX:
    case TB_ARGMIN: return reduce_arg;
    default: return nullptr;
  }
}

}  // namespace

tb_status reduce(const tb_reduction* call, const tb_call* where) {
  const bool indexed = call->op == TB_MAX_INDEX || call->op == TB_MIN_INDEX;
  const family run = family_of(call->op);
  if (run == nullptr || call->plan.operands != (indexed ? 3 : 2)) return TB_UNSUPPORTED_DTYPE;
  const scope on(call->plan.operand[0].data, where);
  return on.status() != TB_OK ? on.status() : run(*call, on);
}

}  // namespace tb_cuda
