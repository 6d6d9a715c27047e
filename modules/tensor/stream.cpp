module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

constexpr std::size_t pool_size = 32;

struct stream_pool {
  std::mutex lock;
  std::vector<void*> streams;
  std::size_t next = 0;
};

// Of a hook that was replaced, streams are another's.
stream_pool& pool_of(const stream_hook& of, device d, bool high_priority) {
  // Never destroyed: streams may be requested during exit.
  static auto& pools = *new std::map<std::tuple<const stream_hook*, std::int8_t, bool>, stream_pool>;
  static std::mutex& lock = author::hold_at_fork(*new std::mutex, author::fork_order::leaf);
  const std::lock_guard held(lock);
  const auto [pool, is_new] = pools.try_emplace({&of, d.index, high_priority});
  if (is_new) author::hold_at_fork(pool->second.lock, author::fork_order::registering);
  return pool->second;
}

constinit thread_local stream_guard* innermost = nullptr;

const stream_hook& streams_of(device d) noexcept { return author::device_hook_of(d.type).streams; }

void tell_current(device d) noexcept {
  if (const auto tell = streams_of(d).set_current; tell != nullptr) tell(d, author::current_stream(d));
}

}  // namespace

void* author::current_stream(topbit::device d) noexcept {
  for (const stream_guard* g = innermost; g != nullptr; g = g->outer_) {
    if (g->stream_.device() == d) return g->stream_.native();
  }
  return nullptr;
}

struct event::state {
  topbit::device where;
  const stream_hook& by;  // that made it; hooks are never freed
  void* native;

  state(topbit::device d, const stream_hook& hook, void* made) noexcept : where(d), by(hook), native(made) {}
  state(const state&) = delete;
  ~state() {
    if (native != nullptr) by.destroy_event(where, native);
  }
};

event::event() noexcept = default;
event::~event() = default;
event::event(const event&) noexcept = default;
event::event(event&&) noexcept = default;
event& event::operator=(const event&) noexcept = default;
event& event::operator=(event&&) noexcept = default;

device event::device() const noexcept { return state_ == nullptr ? cpu : state_->where; }
void* event::native() const noexcept { return state_ == nullptr ? nullptr : state_->native; }

bool event::done() const {
  if (native() != nullptr) return state_->by.done(device(), native());
  synchronize();
  return true;
}

void event::synchronize() const {
  if (native() != nullptr) return state_->by.synchronize(device(), native());
  topbit::synchronize(device());
}

double milliseconds_between(const event& from, const event& to) {
  const auto elapsed = streams_of(to.device()).milliseconds;
  if (from.device() != to.device() || from.native() == nullptr || to.native() == nullptr || elapsed == nullptr) {
    throw device_error("milliseconds_between: found events of " + to_string(from.device()) + " and " +
                       to_string(to.device()) + ", wanted two of one device that measures time");
  }
  return elapsed(to.device(), from.native(), to.native());
}

stream stream::current(topbit::device d) {
  author::check_device(d);
  return {d, author::current_stream(d)};
}

stream stream::default_stream(topbit::device d) {
  author::check_device(d);
  return {d, nullptr};
}

stream stream::from_pool(topbit::device d, bool high_priority) {
  author::check_device(d);
  const stream_hook& hook = streams_of(d);
  if (hook.make == nullptr) return {d, nullptr};
  stream_pool& pool = pool_of(hook, d, high_priority);
  const std::lock_guard held(pool.lock);
  if (pool.streams.size() == pool_size) return {d, pool.streams[pool.next++ % pool_size]};
  pool.streams.push_back(hook.make(d, high_priority));
  return {d, pool.streams.back()};
}

stream stream::of_native(topbit::device d, void* native) {
  author::check_device(d);
  const stream_hook& hook = streams_of(d);
  if (native != nullptr && hook.make == nullptr) {
    throw device_error("stream: found a native stream for " + to_string(d) + ", which has none, wanted null");
  }
  const topbit::device found = native == nullptr || hook.device_of == nullptr ? d : hook.device_of(native);
  if (found == d) return {d, native};
  throw device_error("stream: found a stream of " + to_string(found) + ", wanted one of " + to_string(d));
}

bool stream::done() const {
  if (const auto ask = streams_of(device_).stream_done; ask != nullptr) return ask(device_, native_);
  synchronize();
  return true;
}

void stream::synchronize() const {
  const stream_hook& hook = streams_of(device_);
  if (hook.synchronize_stream != nullptr) return hook.synchronize_stream(device_, native_);
  if (hook.record == nullptr) return topbit::synchronize(device_);
  record().synchronize();
}

void stream::wait(const event& e) const {
  const stream_hook& hook = streams_of(device_);
  if (e.native() != nullptr && &e.state_->by == &hook) {
    hook.wait(device_, native_, e.native());
  } else {
    e.synchronize();
  }
}

event stream::record(bool timing) const {
  const stream_hook& hook = streams_of(device_);
  void* const native = hook.record == nullptr ? nullptr : hook.record(device_, native_, timing);
  event recorded;
  try {
    recorded.state_ = std::make_shared<const event::state>(device_, hook, native);
  } catch (...) {
    if (native != nullptr) hook.destroy_event(device_, native);
    throw;
  }
  return recorded;
}

stream_guard::stream_guard(const stream& s) : stream_(s), outer_(innermost) {
  author::check_device(s.device());
  innermost = this;
  tell_current(s.device());
}
stream_guard::~stream_guard() {
  stream_guard** at = &innermost;
  while (*at != nullptr && *at != this) at = &(*at)->outer_;
  if (*at == this) *at = outer_;
  tell_current(stream_.device());
}

void record_stream(const tensor& t, const stream& s) {
  if (!t.defined() || t.device() != s.device()) {
    throw device_error("record_stream: found " +
                       (t.defined() ? "a tensor on " + to_string(t.device()) : "an undefined tensor") +
                       " and a stream of " + to_string(s.device()) + ", wanted one device");
  }
  if (t.layout() != layout::strided) author::refuse_layout("record_stream", "a tensor", t.layout(), layout::strided);
  const auto& data = author::record_of(t).data;
  if (!data || data->data == nullptr) return;
  if (const auto use = streams_of(s.device()).record_stream; use != nullptr) use(s.device(), data->data, s.native());
}

}  // namespace topbit
