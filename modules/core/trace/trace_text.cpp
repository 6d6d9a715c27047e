// Traces as text.
module topbit.core;

import topbit.std;
import :inspect.wording;
import :trace.trace_session;

namespace topbit {

namespace detail {

std::string text_phrase(const inspect::trace_event& e) {
  return e.op + (e.redispatch ? " redispatch at " : " call at ") + to_string(e.selected_kernel.key) + ": " +
         content_of(e.selected_kernel) + (e.threw ? ", threw" : "");
}

std::string thread_heading(unsigned thread) { return "thread " + std::to_string(thread) + "\n"; }

char* write_microseconds(char* to, std::int64_t nanoseconds) noexcept {
  std::uint64_t all = static_cast<std::uint64_t>(nanoseconds);
  if (nanoseconds < 0) {
    *to++ = '-';
    all = std::uint64_t{0} - all;
  }
  const std::uint64_t whole = all / 1000;
  const auto rest = static_cast<unsigned>(all % 1000);
  if (whole < 10)
    *to++ = static_cast<char>('0' + whole);
  else
    to = std::to_chars(to, to + 20, whole).ptr;
  *to++ = '.';
  *to++ = static_cast<char>('0' + rest / 100);
  *to++ = static_cast<char>('0' + rest / 10 % 10);
  *to++ = static_cast<char>('0' + rest % 10);
  return to;
}

void append_line(std::string& to, std::size_t depth, std::string_view phrase, std::int64_t duration) {
  char tail[32] = {',', ' '};
  char* end = write_microseconds(tail + 2, duration);
  for (const char c : {' ', 'u', 's', '\n'}) *end++ = c;
  if (depth != 0) to.append(2 * depth, ' ');
  to.append(phrase);
  to.append(tail, static_cast<std::size_t>(end - tail));
}

void trace_phrases::make(slot& s, const trace_record& r, std::uint64_t id) {
  s.ran = nullptr;  // stays null if allocation fails
  s.text = make_(event_of(r, 0, {r.begin}));
  s.ran = r.ran;
  s.id = id;
}

}  // namespace detail

std::string to_string(const inspect::trace_event& e) { return detail::text_phrase(e); }

std::string to_string(std::span<const inspect::trace_event> events) {
  std::string text;
  bool several = false;
  for (const inspect::trace_event& e : events) several |= e.thread != events.front().thread;
  unsigned thread = 0;
  for (const inspect::trace_event& e : events) {
    if (several && e.thread != std::exchange(thread, e.thread)) text += detail::thread_heading(e.thread);
    detail::append_line(text, e.depth, detail::text_phrase(e), e.duration_ns);
  }
  return text;
}

}  // namespace topbit
