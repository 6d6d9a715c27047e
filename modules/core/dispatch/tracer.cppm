// What slots hold while a trace is on, and what a traced call passes through.
//
// A redispatch takes its key set as it is, so a layer with a key of its own would not see it. Instead every slot of
// every entry holds the entry's tracer then: a record which finds what the slot would hold, notes the call where
// a trace is on, and jumps there. While no trace is on, slots hold what they always do, and calls cost
// nothing more.
export module topbit.core:dispatch.tracer;

import topbit.std;
import :dispatch.kernel;
import :dispatch.precedence;
import :keys.key;
import :keys.key_set;
import :keys.slot_relations;

namespace topbit {

namespace detail {

// What a call that selects a slot runs, and why. Immutable, interned per entry, and lives as long as it: a caller may
// still be inside when the trace has ended.
struct selected_kernel {
  const kernel* record;
  const entry_head* op;
  inspect::row_reason why;
  std::optional<key_target> registered_for;  // empty: it throws
  const char* file;
  unsigned line;
  friend bool operator==(const selected_kernel&, const selected_kernel&) = default;
};

// The `state` of a tracer. A slot that was traced once keeps what it selected.
struct traced_slots {
  std::array<std::atomic<const selected_kernel*>, author::row_count> selected{};
};
inline const selected_kernel& selected_kernel_at(const kernel* tracer, key_set keys) noexcept {
  const auto* slots = static_cast<const traced_slots*>(tracer->state);
  return *slots->selected[keys.row()].load(std::memory_order_acquire);
}

class thread_recorder;
struct thread_trace {
  thread_recorder* recorder = nullptr;  // null: no trace has begun here that this thread has heard of
  std::uint64_t seen = 0;               // changes of traces that this thread has heard of
};
extern constinit thread_local thread_trace this_thread_trace [[gnu::tls_model("initial-exec")]];
// Counts the beginnings and ends that other threads must hear of.
extern constinit std::atomic<std::uint64_t> trace_changes;

inline bool this_thread_is_traced() noexcept {
  return this_thread_trace.recorder != nullptr ||
         this_thread_trace.seen != trace_changes.load(std::memory_order_acquire);
}

// One call under way. It is recorded when the scope ends, as one that threw unless returned() was called.
class trace_scope {
 public:
  // `given` is the set that selected the kernel, `brought` what the arguments bring.
  trace_scope(const selected_kernel& w, key_set given, key_set brought) noexcept;
  trace_scope(const trace_scope&) = delete;
  trace_scope& operator=(const trace_scope&) = delete;
  ~trace_scope();
  inline void returned() noexcept { threw_ = false; }

 private:
  const selected_kernel& selected_;
  thread_recorder* recorder_;  // null: no trace records this thread
  std::uint64_t keys_, number_ = 0, begin_ = 0;
  bool redispatch_ = false, threw_ = true;
};

// The boxed entry of every tracer.
void trace_boxed(const kernel* tracer, const operator_handle& op, key_set keys, boxed_stack& s);

}  // namespace detail

}  // namespace topbit
