// What slots hold while calls are observed, and what an observed call passes through.
//
// A redispatch takes its key set as it is, so a layer with a key of its own would not see it. Instead every slot of
// every entry holds the entry's tracer then: a record which finds what the slot would hold, tells the observers of the
// thread, and jumps there. While nothing is observed, slots hold what they always do, and calls cost nothing more.
export module topbit.core:dispatch.tracer;

import topbit.std;
import :boxing.value;
import :dispatch.kernel;
import :dispatch.precedence;
import :keys.key;
import :keys.key_set;
import :keys.slot_relations;

namespace topbit {

namespace detail {

// What a call that selects a slot runs, and why. Immutable, interned per entry, and lives as long as it: a caller may
// still be inside when the last observer has ended.
struct selected_kernel {
  const kernel* record;
  const entry_head* op;
  inspect::row_reason why;
  std::optional<key_target> registered_for;  // empty: it throws
  const char* file;
  unsigned line;
  friend bool operator==(const selected_kernel&, const selected_kernel&) = default;
};

// The `state` of a tracer. A slot that was observed once keeps what it selected.
struct traced_slots {
  std::array<std::atomic<const selected_kernel*>, author::row_count> selected{};
};
inline const selected_kernel& selected_kernel_at(const kernel* tracer, key_set keys) noexcept {
  const auto* slots = static_cast<const traced_slots*>(tracer->state);
  return *slots->selected[keys.row()].load(std::memory_order_acquire);
}

class thread_observers;
struct thread_observed {
  thread_observers* observers = nullptr;  // null: none that this thread has heard of
  std::uint64_t seen = 0;                 // changes of observers that this thread has heard of
};
extern constinit thread_local thread_observed this_thread_observed [[gnu::tls_model("initial-exec")]];
// Counts the beginnings and ends that other threads must hear of.
extern constinit std::atomic<std::uint64_t> observer_changes;

inline bool this_thread_is_observed() noexcept {
  return this_thread_observed.observers != nullptr ||
         this_thread_observed.seen != observer_changes.load(std::memory_order_acquire);
}

// A call, redispatch or range under way, in the frame of what is observed. `what` is an observe::kind.
struct seen_event {
  const selected_kernel* ran;  // null: a range
  std::string_view name;       // of a range
  std::uint64_t about;         // of a range
  std::uint64_t keys;
  std::uint64_t number;      // of the thread
  std::uint64_t begin, end;  // ticks
  std::span<const value> arguments, results;
  unsigned thread;
  std::uint32_t depth;
  std::uint8_t what;
  bool threw;
};

// One call under way. It ends with the scope, as one that threw unless returned() was called.
class observed_call {
 public:
  // `given` is the set that selected the kernel, `brought` what the arguments bring. The observers see it begin, unless
  // one of them wants its arguments: then in begin().
  observed_call(const selected_kernel& w, key_set given, key_set brought) noexcept;
  observed_call(const observed_call&) = delete;
  observed_call& operator=(const observed_call&) = delete;
  ~observed_call();
  inline bool wants_arguments() const noexcept { return wants_arguments_; }
  inline bool wants_results() const noexcept { return wants_results_; }
  void begin(std::span<const value> arguments) noexcept;
  inline void returned() noexcept { event_.threw = false; }
  // Ends it; the scope does nothing more.
  void returned(std::span<const value> results) noexcept;

 private:
  void end() noexcept;
  thread_observers* observers_;  // null: this call is not observed
  bool wants_arguments_ = false, wants_results_ = false;
  seen_event event_;
};

// The boxed entry of every tracer.
void trace_boxed(const kernel* tracer, const operator_handle& op, key_set keys, boxed_stack& s);

}  // namespace detail

}  // namespace topbit
