module;

#include "cuda_abi.h"

module topbit.cuda;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

const tb_cuda_runtime& runtime() { return *tb_cuda_runtime_functions(); }

constexpr std::size_t pool_size = 32;

struct stream_pool {
  std::mutex lock;
  std::vector<void*> streams;
  std::size_t next = 0;
};

stream_pool& pool_of(device d, bool high_priority) {
  // Never destroyed: streams may be requested during exit.
  static auto& pools = *new std::array<std::array<stream_pool, 2>, 128>;
  return pools[static_cast<std::size_t>(d.index)][high_priority ? 1 : 0];
}

}  // namespace

struct cuda_event::state {
  topbit::device where;
  void* native = nullptr;

  explicit state(topbit::device d) : where(d) {}
  state(const state&) = delete;
  ~state() {
    if (native != nullptr) runtime().drop_event(where.index, native);
  }
};

cuda_event::cuda_event(topbit::device d, bool timing) : state_(std::make_shared<state>(d)) {
  detail::check_cuda_device(d);
  detail::check_cuda(d, runtime().make_event(d.index, timing, &state_->native), "making an event");
}
cuda_event::~cuda_event() = default;
cuda_event::cuda_event(const cuda_event&) noexcept = default;
cuda_event& cuda_event::operator=(const cuda_event&) noexcept = default;

device cuda_event::device() const noexcept { return state_->where; }
void* cuda_event::native() const noexcept { return state_->native; }

void cuda_event::record(const cuda_stream& stream) {
  if (stream.device() != device()) {
    throw device_error("cuda_event: found a stream of " + to_string(stream.device()) + ", wanted one of " +
                       to_string(device()));
  }
  detail::check_cuda(device(), runtime().record_event(device().index, native(), stream.native()), "recording an event");
}

bool cuda_event::done() const {
  std::int32_t done = 0;
  detail::check_cuda(device(), runtime().event_is_done(device().index, native(), &done), "querying an event");
  return done != 0;
}

void cuda_event::synchronize() const {
  detail::check_cuda(device(), runtime().synchronize_event(device().index, native()), "waiting for an event");
  detail::check_reports(device());
}

double milliseconds_between(const cuda_event& from, const cuda_event& to) {
  float milliseconds = 0;
  detail::check_cuda(to.device(), runtime().milliseconds_between(from.native(), to.native(), &milliseconds),
                     "the time between two events, which want timing=true and to be done,");
  return milliseconds;
}

cuda_stream cuda_stream::current(topbit::device d) {
  detail::check_cuda_device(d);
  return {d, runtime().current_stream(d.index)};
}

cuda_stream cuda_stream::default_stream(topbit::device d) {
  detail::check_cuda_device(d);
  return {d, nullptr};
}

cuda_stream cuda_stream::from_pool(topbit::device d, bool high_priority) {
  detail::check_cuda_device(d);
  stream_pool& pool = pool_of(d, high_priority);
  const std::lock_guard held(pool.lock);
  if (pool.streams.size() < pool_size) {
    void* made = nullptr;
    detail::check_cuda(d, runtime().make_stream(d.index, high_priority, &made), "making a stream");
    pool.streams.push_back(made);
    return {d, made};
  }
  return {d, pool.streams[pool.next++ % pool_size]};
}

cuda_stream cuda_stream::of_native(topbit::device d, void* stream) {
  detail::check_cuda_device(d);
  std::int32_t found = d.index;
  if (stream != nullptr) {
    detail::check_cuda(d, runtime().device_of_stream(stream, &found), "querying the device of a stream");
  }
  if (found != d.index) {
    throw device_error("cuda_stream: found a stream of " + to_string(cuda(found)) + ", wanted one of " + to_string(d));
  }
  return {d, stream};
}

bool cuda_stream::done() const {
  std::int32_t done = 0;
  detail::check_cuda(device_, runtime().stream_is_done(device_.index, native_, &done), "querying a stream");
  return done != 0;
}

void cuda_stream::synchronize() const {
  detail::check_cuda(device_, runtime().synchronize_stream(device_.index, native_), "waiting for a stream");
  detail::check_reports(device_);
}

void cuda_stream::wait(const cuda_event& event) const {
  detail::check_cuda(device_, runtime().stream_waits_for(device_.index, native_, event.native()),
                     "making a stream wait");
}

cuda_event cuda_stream::record(bool timing) const {
  cuda_event event(device_, timing);
  event.record(*this);
  return event;
}

cuda_stream_guard::cuda_stream_guard(const cuda_stream& stream) : before_(cuda_stream::current(stream.device())) {
  runtime().set_current_stream(stream.device().index, stream.native());
}
cuda_stream_guard::~cuda_stream_guard() { runtime().set_current_stream(before_.device().index, before_.native()); }

void record_stream(const tensor& x, const cuda_stream& stream) {
  if (!x.defined() || x.device() != stream.device()) {
    throw device_error("record_stream: found " +
                       (x.defined() ? "a tensor on " + to_string(x.device()) : "an undefined tensor") +
                       " and a stream of " + to_string(stream.device()) + ", wanted one device");
  }
  const auto& data = author::record_of(x).data;
  if (!data || data->data == nullptr) return;
  detail::check_cuda(x.device(), runtime().record_stream(x.device().index, data->data, stream.native()),
                     "record_stream");
}

}  // namespace topbit
