// Fills a tensor with start + i * step.
#include "elementwise/elements.cuh"
#include "random_functions.h"
#include "runtime/launch.cuh"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

struct arange_call {
  void* out;
  int64_t count, stride;
  tb_scalar start, step;
};

template <typename E>
__global__ void __launch_bounds__(block_threads) fill_arange(arange_call call) {
  for (int64_t i = first_index(); i < call.count; i += index_step()) {
    E& out = static_cast<E*>(call.out)[i * call.stride];
    if constexpr (is_float<E>) {
      out = from_compute<E>(call.start.f + tb_kernel::product(double(i), call.step.f));
    } else {
      out = from_compute<E>(int64_t(uint64_t(call.start.i) + uint64_t(i) * uint64_t(call.step.i)));
    }
  }
}

}  // namespace

tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, const tb_call* where) {
  const tb_operand& out = plan->operand[0];
  const int64_t count = plan->sizes[0];
  if (count == 0) return TB_OK;
  const scope on(out.data, where);
  if (on.status() != TB_OK) return on.status();
  return with_element(out.dtype, [&](auto e) {
    return launch_over(on, "arange", count, fill_arange<typename decltype(e)::type>,
                       arange_call{out.data, count, out.strides[0], start, step});
  });
}

}  // namespace tb_cuda
