// Maximum and minimum reductions; for BOOL these are any and all.
#include "reduce/minmax_reducers.cuh"

namespace tb_cuda {
namespace {

template <typename C>
tb_status choice_of(const tb_reduction& call, const scope& on, bool greatest) {
  return greatest ? reduce_elements(on, call, choosing<C, true>{}) : reduce_elements(on, call, choosing<C, false>{});
}

}  // namespace

tb_status reduce_minmax(const tb_reduction& call, const scope& on) {
  const bool greatest = call.op == TB_MAX || call.op == TB_ANY;
  if (call.compute == TB_BOOL) return choice_of<bool_t>(call, on, greatest);
  if (call.op == TB_ANY || call.op == TB_ALL) return TB_UNSUPPORTED_DTYPE;
  switch (call.compute) {
    case TB_I64: return choice_of<int64_t>(call, on, greatest);
    case TB_F32: return choice_of<float>(call, on, greatest);
    case TB_F64: return choice_of<double>(call, on, greatest);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
