module;

#include "cuda_abi.h"

module topbit.cuda;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit {

namespace {
const tb_cuda_runtime& runtime() { return *tb_cuda_runtime_functions(); }

// Streams used only for capturing: calls of another thread on a shared stream would become part of the graph.
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
  stream get() const { return stream::of_native(device_, native_); }

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

// Reserves ranges of random numbers for the calls of a capture and gives them their Philox states.
class cuda_graph::recorder final : public author::random_recorder {
 public:
  // Construct before the capture begins: memory allocated during a capture may reuse that of an earlier call, which
  // every replay overwrites.
  explicit recorder(cuda_graph& graph)
      : graph_(graph), room_(author::make_tensor({most_generators, 2}, dtype::int64, graph.device_)) {}

  std::optional<author::recorded_numbers> draw(device target, const generator& source, std::uint64_t count) override {
    // A call on another stream is captured only if that stream waits for this one.
    if (target != graph_.device_) return {};
    if (runtime().stream_is_captured(target.index, runtime().current_stream(target.index)) == 0) return {};
    numbers& drawn = of(source);
    return author::recorded_numbers{drawn.state.data(), std::exchange(drawn.count, drawn.count + count)};
  }

 private:
  numbers& of(const generator& source) {
    const auto at = std::ranges::find(graph_.numbers_, source, &numbers::source);
    if (at != graph_.numbers_.end()) return *at;
    const auto place = static_cast<std::int64_t>(graph_.numbers_.size());
    if (place == most_generators) {
      throw device_error("cuda_graph: found random numbers of more than " + std::to_string(most_generators) +
                         " generators, wanted that many at most in a graph");
    }
    graph_.numbers_.push_back({source, author::make_view(room_, {2}, {1}, 2 * place)});
    return graph_.numbers_.back();
  }

  static constexpr std::int64_t most_generators = 32;
  cuda_graph& graph_;
  tensor room_;
};

cuda_graph cuda_graph::capture(const std::function<void()>& work, device d) {
  detail::check_cuda_device(d);
  const capturing_stream own(d);
  const stream own_stream = own.get();
  cuda_graph graph(d);
  const stream_guard here(own_stream);
  const recorder drawn(graph);
  detail::check_cuda(d, runtime().begin_capture(d.index, own_stream.native(), &graph.native_), "capturing a graph");
  try {
    work();
  } catch (...) {
    runtime().end_capture(d.index, own_stream.native(), graph.native_);
    throw;
  }
  detail::check_cuda(d, runtime().end_capture(d.index, own_stream.native(), graph.native_), "capturing a graph");
  return graph;
}

cuda_graph::cuda_graph(cuda_graph&& other) noexcept
    : device_(other.device_), native_(std::exchange(other.native_, nullptr)), numbers_(std::move(other.numbers_)) {}

cuda_graph& cuda_graph::operator=(cuda_graph&& other) noexcept {
  if (this == &other) return *this;
  drop();
  device_ = other.device_;
  native_ = std::exchange(other.native_, nullptr);
  numbers_ = std::move(other.numbers_);
  return *this;
}

cuda_graph::~cuda_graph() { drop(); }

void cuda_graph::drop() noexcept {
  if (native_ != nullptr) runtime().drop_graph(device_.index, std::exchange(native_, nullptr));
}

void cuda_graph::replay() const {
  if (native_ == nullptr) throw device_error("cuda_graph: found a moved-from graph, wanted a captured one");
  void* const stream = runtime().current_stream(device_.index);
  if (runtime().stream_is_captured(device_.index, stream) != 0) {
    throw device_error("cuda_graph: found a replay in a stream that is captured, wanted one in a stream that runs");
  }
  std::vector<tb_philox_state> states;
  for (const numbers& drawn : numbers_) {
    const philox_state next = generator(drawn.source).take(drawn.count);
    states.push_back({static_cast<std::uint64_t*>(drawn.state.data()), next.seed, next.offset});
  }
  detail::check_cuda(
      device_,
      runtime().launch_graph(device_.index, native_, states.data(), static_cast<std::int32_t>(states.size()), stream),
      "replaying a graph");
}

}  // namespace topbit
