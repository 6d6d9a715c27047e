module;

#include <unistd.h>

module topbit.core;

import topbit.std;
import :registry.fork;
import :trace.trace_session;

namespace topbit::detail {

// ----------------------------------------------------------------------------------------------------------- buffers

trace_buffer::~trace_buffer() {
  for (block* b = first_.load(std::memory_order_relaxed); b != nullptr;) {
    delete std::exchange(b, b->next.load(std::memory_order_relaxed));
  }
}

void trace_buffer::add(const trace_record& r) noexcept {
  const std::size_t at = written_.load(std::memory_order_relaxed);
  const std::size_t held = at - cleared_.load(std::memory_order_acquire);
  if (held + r.depth >= limit_) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (at % block_size == 0) {
    block* b = new (std::nothrow) block;
    if (b == nullptr) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    (last_ == nullptr ? first_ : last_->next).store(b, std::memory_order_release);
    last_ = b;
  }
  last_->records[at % block_size] = r;
  written_.store(at + 1, std::memory_order_release);
}

void trace_buffer::read(std::vector<trace_record>& to) const {
  const auto in_order = [](const trace_record& a, const trace_record& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.depth < b.depth;
  };
  const std::size_t end = written_.load(std::memory_order_acquire);
  std::size_t at = cleared_.load(std::memory_order_relaxed);
  to.reserve(to.size() + (end - at));
  const block* b = first_.load(std::memory_order_acquire);
  std::size_t number = first_number_;
  auto sorted = static_cast<std::ptrdiff_t>(to.size());
  for (; at != end; ++at) {
    for (; number < at / block_size; ++number) b = b->next.load(std::memory_order_acquire);
    to.push_back(b->records[at % block_size]);
    if (to.back().depth != 0 && at + 1 != end) continue;
    // An outermost call is recorded after all calls inside it.
    const auto size = static_cast<std::ptrdiff_t>(to.size());
    if (size - sorted > 1) std::stable_sort(to.begin() + sorted, to.end(), in_order);
    sorted = size;
  }
}

void trace_buffer::clear(std::size_t count) noexcept {
  const std::size_t at = cleared_.load(std::memory_order_relaxed) + count;
  block* b = first_.load(std::memory_order_acquire);
  for (; b != nullptr && (first_number_ + 1) * block_size <= at; ++first_number_) {
    block* next = b->next.load(std::memory_order_acquire);
    if (next == nullptr) break;  // the block being written
    delete std::exchange(b, next);
    first_.store(b, std::memory_order_relaxed);
  }
  dropped_.store(0, std::memory_order_relaxed);
  cleared_.store(at, std::memory_order_release);
}

// ---------------------------------------------------------------------------------------------------------- sessions

trace_state::trace_state(std::size_t most) noexcept : limit(most), process(getpid()) {}

bool trace_state::belongs_to_another() const noexcept { return output != nullptr && process != getpid(); }

void trace_state::flush(trace_buffer& b) noexcept {
  if (belongs_to_another()) return ended.store(true, std::memory_order_release);
  const std::lock_guard lock(mutex);
  if (!ended.load(std::memory_order_relaxed)) write(b);
}

bool trace_state::finish() noexcept {
  if (belongs_to_another()) return false;
  const std::lock_guard lock(mutex);
  if (ended.load(std::memory_order_relaxed)) return false;
  ended.store(true, std::memory_order_release);
  if (output == nullptr) return true;
  for (const auto& b : buffers) write(*b);
  output->close();
  return true;
}

// If memory runs out, the records are lost.
void trace_state::write(trace_buffer& b) noexcept {
  const std::size_t count = b.size();
  if (count == 0) return;
  try {
    std::vector<trace_record> records;
    b.read(records);
    output->write(b.thread(), records, begin);
  } catch (const std::bad_alloc&) {
  }
  b.clear(count);
}

// ----------------------------------------------------------------------------------------------------------- threads

namespace {

// Active traces of the process. Never freed: threads may make calls after static destruction.
struct process_wide {
  std::mutex mutex;
  std::vector<std::shared_ptr<trace_state>> sessions;
};
process_wide& of_process() {
  static process_wide& all = *new process_wide;
  return all;
}

constinit std::atomic<unsigned> threads_listened_to = 0;
constinit thread_local bool recorder_is_gone = false;

bool has_ended(const std::shared_ptr<trace_state>& s) noexcept { return s->ended.load(std::memory_order_acquire); }

}  // namespace

thread_recorder::~thread_recorder() {
  this_thread_trace.recorder = nullptr;
  recorder_is_gone = true;
  for (const listening& l : all_) {
    if (l.session->output == nullptr || l.session->belongs_to_another()) continue;
    l.session->flush(*l.buffer);
    const std::lock_guard lock(l.session->mutex);
    std::erase(l.session->buffers, l.buffer);
  }
}

thread_recorder& thread_recorder::own() {
  thread_local thread_recorder mine;
  return mine;
}

thread_recorder* thread_recorder::of_this_thread() noexcept {
  thread_trace& t = this_thread_trace;
  const std::uint64_t changes = trace_changes.load(std::memory_order_acquire);
  if (t.seen != changes) {
    t.seen = changes;
    if (!recorder_is_gone) own().follow_changes();
  }
  return t.recorder;
}

void thread_recorder::follow_changes() noexcept {
  std::erase_if(all_, [](const listening& l) { return has_ended(l.session); });
  {
    process_wide& process = of_process();
    const std::lock_guard lock(process.mutex);
    for (const auto& s : process.sessions) {
      const auto is_this = [&](const listening& l) { return l.session == s; };
      if (std::ranges::find_if(all_, is_this) != all_.end() || s->belongs_to_another()) continue;
      try {
        attach(s);
      } catch (const std::bad_alloc&) {  // this thread is not traced
      }
    }
  }
  publish();
}

void thread_recorder::attach(const std::shared_ptr<trace_state>& s) {
  if (number_ == 0) number_ = threads_listened_to.fetch_add(1, std::memory_order_relaxed) + 1;
  auto buffer = std::make_shared<trace_buffer>(number_, s->limit);
  all_.reserve(all_.size() + 1);
  {
    const std::lock_guard lock(s->mutex);
    s->buffers.push_back(buffer);
  }
  all_.push_back({s, std::move(buffer), calls_, depth_});
}

void thread_recorder::attach_this_thread(const std::shared_ptr<trace_state>& s) {
  if (recorder_is_gone) return;
  of_this_thread();
  own().attach(s);
  own().publish();
}

void thread_recorder::publish() noexcept { this_thread_trace.recorder = all_.empty() ? nullptr : this; }

void thread_recorder::end(std::uint64_t number, trace_record r) noexcept {
  --depth_;
  for (listening& l : all_) {
    l.depth = std::min(l.depth, depth_);  // the call in which the trace started may have ended
    if (number <= l.after || has_ended(l.session)) continue;
    r.depth = depth_ - l.depth;
    l.buffer->add(r);
    const trace_output* output = l.session->output.get();
    if (output != nullptr && output->is_due(l.buffer->size(), r.depth == 0)) l.session->flush(*l.buffer);
  }
}

// -------------------------------------------------------------------------------------------- starting and stopping

namespace {

constinit std::mutex rows_mutex;  // locked before the registry's mutex
constinit std::size_t traces_on = 0;

void rows_follow(registry_state& state, bool on) noexcept {
  const std::lock_guard lock(state.mutex);
  state.follow_trace(on);
}

// A session with an output belongs to the parent and takes no lock in the child.
template <class F>
void for_each_shared_session(F&& f) noexcept {
  for (const auto& s : of_process().sessions) {
    if (s->output == nullptr) f(s->mutex);
  }
}

}  // namespace

void hold_traces() noexcept {
  rows_mutex.lock();
  of_process().mutex.lock();
  for_each_shared_session([](std::mutex& m) { m.lock(); });
}
void release_traces() noexcept {
  for_each_shared_session([](std::mutex& m) { m.unlock(); });
  of_process().mutex.unlock();
  rows_mutex.unlock();
}

namespace {

void add_to_process(const std::shared_ptr<trace_state>& s) {
  process_wide& process = of_process();
  const std::lock_guard lock(process.mutex);
  process.sessions.push_back(s);
  trace_changes.fetch_add(1, std::memory_order_release);
}

void start_rows(registry_state& state) noexcept {
  const std::lock_guard lock(rows_mutex);
  if (traces_on++ == 0) rows_follow(state, true);
}

}  // namespace

void start_trace(const std::shared_ptr<trace_state>& s, bool process) {
  registry_state& state = state_of(registry::process());
  start_trace_clock();
  s->begin = trace_ticks();
  if (process)
    add_to_process(s);
  else
    thread_recorder::attach_this_thread(s);
  start_rows(state);
}

void start_trace(const std::shared_ptr<trace_state>& s, registry_state& state) {
  start_trace_clock();
  s->begin = trace_ticks();
  add_to_process(s);
  start_rows(state);
}

void end_trace(const std::shared_ptr<trace_state>& s) noexcept {
  if (!s->finish()) return;
  {
    process_wide& process = of_process();
    const std::lock_guard lock(process.mutex);
    std::erase(process.sessions, s);
    trace_changes.fetch_add(1, std::memory_order_release);
  }
  thread_recorder::of_this_thread();
  const std::lock_guard lock(rows_mutex);
  if (--traces_on == 0) rows_follow(state_of(registry::process()), false);
}

}  // namespace topbit::detail
