module;

#include "cuda_abi.h"

module topbit.cuda;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {
const tb_cuda_runtime& runtime() { return *tb_cuda_runtime_functions(); }
}  // namespace

cuda_graph cuda_graph::capture(const std::function<void()>& work, device d) {
  const cuda_stream stream = cuda_stream::from_pool(d);
  // What was started before is over before what is captured begins.
  stream.wait(cuda_stream::current(d).record());
  cuda_graph graph(d);
  const cuda_stream_guard here(stream);
  detail::check_cuda(d, runtime().begin_capture(d.index, stream.native(), &graph.native_), "capturing a graph");
  try {
    work();
  } catch (...) {
    runtime().end_capture(d.index, stream.native(), graph.native_);
    throw;
  }
  detail::check_cuda(d, runtime().end_capture(d.index, stream.native(), graph.native_), "capturing a graph");
  return graph;
}

cuda_graph::cuda_graph(cuda_graph&& other) noexcept
    : device_(other.device_), native_(std::exchange(other.native_, nullptr)) {}

cuda_graph& cuda_graph::operator=(cuda_graph&& other) noexcept {
  if (this == &other) return *this;
  drop();
  device_ = other.device_;
  native_ = std::exchange(other.native_, nullptr);
  return *this;
}

cuda_graph::~cuda_graph() { drop(); }

void cuda_graph::drop() noexcept {
  if (native_ != nullptr) runtime().drop_graph(device_.index, std::exchange(native_, nullptr));
}

void cuda_graph::replay() const {
  if (native_ == nullptr) throw device_error("cuda_graph: found one that was moved from, wanted one that was captured");
  detail::check_cuda(device_,
                     runtime().launch_graph(device_.index, native_, runtime().current_stream(device_.index)),
                     "replaying a graph");
}

}  // namespace topbit
