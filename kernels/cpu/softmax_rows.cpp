// Softmax of a row and its gradients.
#include "layout.h"
#include "rowwise.h"
#include "softmax_loops.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
void softmax(const rows_at& r) {
  softmax_row(r.as<const T>(1), r.as<T>(0), r.length[0]);
}
template <typename T>
void log_softmax(const rows_at& r) {
  log_softmax_row(r.as<const T>(1), r.as<T>(0), r.length[0]);
}
template <typename T>
void softmax_backward(const rows_at& r) {
  softmax_backward_row(r.as<const T>(1), r.as<const T>(2), r.as<T>(0), r.length[0]);
}
template <typename T>
void log_softmax_backward(const rows_at& r) {
  log_softmax_backward_row(r.as<const T>(1), r.as<const T>(2), r.as<T>(0), r.length[0]);
}

}  // namespace

rows_loop softmax_rows(const tb_rowwise& call) {
  switch (call.op) {
    case TB_SOFTMAX: return {.run = by_float(call, softmax<float>, softmax<double>)};
    case TB_LOG_SOFTMAX: return {.run = by_float(call, log_softmax<float>, log_softmax<double>)};
    case TB_SOFTMAX_BACKWARD: return {.run = by_float(call, softmax_backward<float>, softmax_backward<double>)};
    case TB_LOG_SOFTMAX_BACKWARD:
      return {.run = by_float(call, log_softmax_backward<float>, log_softmax_backward<double>)};
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
