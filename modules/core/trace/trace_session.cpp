module;

#include <unistd.h>

module topbit.core;

import topbit.std;
import :observe.event;
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

namespace {

class trace_part final : public call_listener::part {
 public:
  trace_part(trace_state& s, std::shared_ptr<trace_buffer> b) noexcept : state_(s), buffer_(std::move(b)) {}
  bool begin(const seen_event&, std::uint64_t&) noexcept override { return true; }
  void end(const seen_event& e, std::uint64_t) noexcept override {
    const bool redispatch = static_cast<observe::kind>(e.what) == observe::kind::redispatch;
    buffer_->add({e.ran, e.keys, e.begin, e.end, e.depth, redispatch, e.threw});
    const trace_output* output = state_.output.get();
    if (output != nullptr && output->is_due(buffer_->size(), e.depth == 0)) state_.flush(*buffer_);
  }
  void thread_ends() noexcept override {
    if (state_.output == nullptr || state_.belongs_to_another()) return;
    state_.flush(*buffer_);
    const std::lock_guard lock(state_.mutex);
    std::erase(state_.buffers, buffer_);
  }

 private:
  trace_state& state_;
  std::shared_ptr<trace_buffer> buffer_;
};

}  // namespace

trace_state::trace_state(std::size_t most, std::unique_ptr<trace_output> to) noexcept
    : limit(most), process(getpid()), output(std::move(to)) {
  goes_on_in_child = output == nullptr;
}

std::shared_ptr<call_listener::part> trace_state::part_of(unsigned thread) {
  auto buffer = std::make_shared<trace_buffer>(thread, limit);
  auto fresh = std::make_shared<trace_part>(*this, buffer);
  const std::lock_guard lock(mutex);
  buffers.push_back(std::move(buffer));
  return fresh;
}

void trace_state::hold() noexcept {
  if (output == nullptr) mutex.lock();
}
void trace_state::release() noexcept {
  if (output == nullptr) mutex.unlock();
}

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

void end_trace(const std::shared_ptr<trace_state>& s) noexcept {
  if (s->finish()) stop_listening(s);
}

}  // namespace topbit::detail
