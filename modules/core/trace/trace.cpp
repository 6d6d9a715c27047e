module topbit.core;

import topbit.std;
import :registry.entry;
import :trace.trace_session;

namespace topbit {

using detail::trace_buffer;
using detail::trace_record;

trace_session::trace_session(std::size_t limit, bool process) : session_(std::make_shared<detail::trace_state>(limit)) {
  detail::start_clock();
  session_->begin = detail::clock_ticks();
  detail::start_listening(session_, process);
}
trace_session trace_session::this_thread(std::size_t limit) { return trace_session(limit, false); }
trace_session trace_session::process(std::size_t limit) { return trace_session(limit, true); }

trace_session::~trace_session() {
  stop();
  clear();  // a thread that makes no further calls keeps its buffer
}

void trace_session::stop() noexcept { detail::end_trace(session_); }

std::vector<inspect::trace_event> trace_session::events() const {
  const std::lock_guard lock(session_->mutex);
  std::vector<inspect::trace_event> all;
  std::vector<trace_record> records;
  const detail::trace_scale since{session_->begin};
  for (const auto& b : session_->buffers) {
    records.clear();
    b->read(records);
    for (const trace_record& r : records) all.push_back(detail::event_of(r, b->thread(), since));
  }
  return all;
}

std::string trace_session::text() const {
  const std::lock_guard lock(session_->mutex);
  const auto has_some = [](const auto& b) { return b->size() != 0; };
  const bool several = std::ranges::count_if(session_->buffers, has_some) > 1;
  std::string text;
  std::vector<trace_record> records;
  detail::trace_phrases phrases(&detail::text_phrase);
  const detail::trace_scale since{session_->begin};
  for (const auto& b : session_->buffers) {
    records.clear();
    b->read(records);
    if (several && !records.empty()) text += detail::thread_heading(b->thread());
    constexpr std::size_t usual_line = 128;
    text.reserve(text.size() + records.size() * usual_line);
    for (const trace_record& r : records) {
      detail::append_line(text, r.depth, phrases.of(r), since(r.end) - since(r.begin));
    }
  }
  return text;
}

std::uint64_t trace_session::dropped() const noexcept {
  const std::lock_guard lock(session_->mutex);
  std::uint64_t all = 0;
  for (const auto& b : session_->buffers) all += b->dropped();
  return all;
}

void trace_session::clear() noexcept {
  const std::lock_guard lock(session_->mutex);
  for (const auto& b : session_->buffers) b->clear(b->size());
}

inspect::trace_event detail::event_of(const trace_record& r, unsigned thread, const trace_scale& since) {
  const key_set keys = key_set::from_raw(r.keys) & key_set::full();
  inspect::trace_event e;
  e.op = entry_of(*r.ran->op).name;
  e.keys = keys;
  e.selected_kernel = row_of(*r.ran, keys);
  e.redispatch = r.redispatch;
  e.threw = r.threw;
  e.depth = r.depth;
  e.thread = thread;
  e.start_ns = since(r.begin);
  e.duration_ns = since(r.end) - e.start_ns;
  return e;
}

}  // namespace topbit
