module;

#include "cuda_abi.h"

module topbit.cuda;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {
const tb_cuda_runtime& runtime() { return *tb_cuda_runtime_functions(); }

// Streams that nothing but capturing uses: another thread's calls in one would become part of the graph.
class capturing_stream {
 public:
  explicit capturing_stream(device d) : device_(d) {
    idle_streams& idle = idle_of(d);
    const std::lock_guard held(idle.lock);
    if (idle.streams.empty()) {
      detail::check_cuda(d, runtime().make_stream(d.index, 0, &native_), "making a stream");
    } else {
      native_ = idle.streams.back();
      idle.streams.pop_back();
    }
  }
  capturing_stream(const capturing_stream&) = delete;
  capturing_stream& operator=(const capturing_stream&) = delete;
  ~capturing_stream() {
    idle_streams& idle = idle_of(device_);
    const std::lock_guard held(idle.lock);
    idle.streams.push_back(native_);
  }
  cuda_stream get() const { return cuda_stream::of_native(device_, native_); }

 private:
  struct idle_streams {
    std::mutex lock;
    std::vector<void*> streams;
  };
  static idle_streams& idle_of(device d) {
    static auto& all = *new std::array<idle_streams, 128>;
    return all[static_cast<std::size_t>(d.index)];
  }

  device device_;
  void* native_ = nullptr;
};

}  // namespace

cuda_graph cuda_graph::capture(const std::function<void()>& work, device d) {
  detail::check_cuda_device(d);
  const capturing_stream own(d);
  const cuda_stream stream = own.get();
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
  detail::check_cuda(
      device_, runtime().launch_graph(device_.index, native_, nullptr, 0, runtime().current_stream(device_.index)),
      "replaying a graph");
}

}  // namespace topbit
