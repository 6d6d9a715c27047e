// A trace: every call and redispatch of a while, with the kernel that ran and why, what called what, and how long it
// took. A debugger's view without a debugger, in a build made for speed.
//
// It costs nothing while none is on. The environment can ask for one for a whole process, without a change to it:
//   TOPBIT_TRACE=1          each call as a line on the standard error output
//   TOPBIT_TRACE=text:FILE  the same into a file
//   TOPBIT_TRACE=json:FILE  a file for trace viewers, in the Trace Event Format
//
// %p in FILE is the process's number. A process begins its file anew; where another process still writes it, as the one
// that started this one may, this one says so on its standard error output and runs untraced. A fork goes untraced, and
// says nothing.
//
// Text is written when an outermost call ends, or for 4096 calls inside one that has not ended: those stand under a
// line that says so, and the call itself comes after them.
//
// The variable is read when the process registry is made, which is before main() where something is registered before
// main(), and not at all by a program that runs with more rights than who started it. Another value, or a file that
// cannot be written, is an error: one sentence, and the process ends with status 2. A file that cannot be written any
// more ends the trace, not the program. Where FILE is a pipe with a name, its reader is waited for, but for three
// seconds only: before the first call, and later when it takes nothing.
export module topbit.core:trace.trace;

import topbit.std;
import :inspect.computed_table;
import :keys.key_set;

namespace topbit {

namespace detail {
class trace_state;
}  // namespace detail

namespace inspect {

/// A call or redispatch that ended.
export struct trace_event {
  std::string op;
  key_set keys;                  // what it was selected with
  table_row selected_kernel;     // the slot, and what ran; `missing` where no kernel did
  bool redispatch = false;       // with another set than a call with the same arguments would have had
  bool threw = false;            // ended by an exception
  unsigned depth = 0;            // traced calls of the same thread that it is inside of
  unsigned thread = 0;           // of the process: 1 is the first that a trace listened to
  std::int64_t start_ns = 0;     // since the trace began
  std::int64_t duration_ns = 0;  // with everything inside it, and with what tracing that takes
  friend bool operator==(const trace_event&, const trace_event&) = default;
};

/// {"displayTimeUnit", "traceEvents": [event]}: the Trace Event Format, which Perfetto and Chrome's about:tracing load.
/// An event is complete ("ph": "X"); its "args" are {"keys", "key", "reason", "registered_for", "place", "threw"}.
export std::string to_json(std::span<const trace_event> events);

}  // namespace inspect

/// Traces calls and redispatches of operators of the process registry, from its making until stop() or its end: those
/// of one thread, or those of all. Several may be on at once; each hears of everything. call_at(), which selects
/// nothing, is not traced, nor are keys that calls pass through. Cost: the first trace to begin and the last to end
/// store every slot anew, a microsecond or so for each operator, and the first of a process measures its clock for a
/// millisecond. A call that is traced takes two readings of the clock and some nanoseconds; one of a thread that no
/// trace wants to hear of, while another thread is traced, a jump. Threads: its members may be called from any thread,
/// whatever else is under way; events() then has what has ended.
export class [[nodiscard("the trace ends with the full expression that makes it")]] trace_session {
 public:
  /// Events of each thread that are kept; what comes after is counted by dropped().
  static constexpr std::size_t default_limit = 65536;

  /// Calls that this thread makes.
  static trace_session this_thread(std::size_t limit = default_limit);
  /// Calls that any thread makes.
  static trace_session process(std::size_t limit = default_limit);
  trace_session(const trace_session&) = delete;
  trace_session& operator=(const trace_session&) = delete;
  ~trace_session();
  /// Ends the trace; what it recorded stays.
  void stop() noexcept;

  /// What was recorded, thread by thread, each call before those inside it. A call that is still running is not in it.
  std::vector<inspect::trace_event> events() const;
  /// The same as text: to_string(events()), made faster.
  std::string text() const;
  /// Events that were not kept, for the limit or for want of memory.
  std::uint64_t dropped() const noexcept;
  /// Forgets what has been recorded.
  void clear() noexcept;

 private:
  explicit trace_session(std::size_t limit, bool process);
  std::shared_ptr<detail::trace_state> session_;
};

/// "img::blur call at CPU: kernel, registered at f.cpp:12"
export std::string to_string(const inspect::trace_event& e);
/// One line per event, indented by its depth, with the time it took; where there are several threads, a line before the
/// events of each.
export std::string to_string(std::span<const inspect::trace_event> events);

}  // namespace topbit
