// What observers are told of: calls, redispatches, ranges.
export module topbit.core:observe.event;

import topbit.std;
import :boxing.value;
import :dispatch.handle;
import :dispatch.tracer;
import :inspect.computed_table;
import :keys.key_set;

namespace topbit {

export namespace observe {

/// call: of an operator, by whatever way. redispatch: with another key set than a call with these arguments would have
/// had; layers make them. The others are ranges: of a program, of a backward pass (a node), of an optimizer (a step).
enum class kind : std::uint8_t { call, redispatch, range, backward, optimizer };

/// Nanoseconds since the clock of observers began: the first time that this process observed something. That clock is
/// the processor's counter where that runs at one rate, else the system's monotonic clock.
std::int64_t clock_ns() noexcept;

/// What began or ended. It is there for the length of begin() or end(), and so is all that it refers to.
class event {
 public:
  explicit constexpr event(const topbit::detail::seen_event& e) noexcept : seen_(&e) {}

  inline observe::kind kind() const noexcept { return static_cast<observe::kind>(seen_->what); }
  inline bool is_call() const noexcept { return seen_->ran != nullptr; }
  /// The operator's, or what the range was given.
  std::string_view name() const noexcept;
  /// Of the process: begin() and end() of one event have the same.
  inline std::uint64_t id() const noexcept { return std::uint64_t{seen_->thread} << thread_shift | seen_->number; }
  /// Of the process, from 1 in the order in which threads were first observed.
  inline unsigned thread() const noexcept { return seen_->thread; }
  /// How many events of the thread, seen by the same observer, it is inside of.
  inline unsigned depth() const noexcept { return seen_->depth; }
  /// What a range is about, as its maker says: of `backward`, the address of the node.
  inline std::uint64_t about() const noexcept { return is_call() ? 0 : seen_->about; }

  /// Of calls and redispatches: the operator, the set that selected the kernel, and what was selected. kernel() makes
  /// texts; selected() is the same for the same operator, slot and kernel, and is never another's.
  inline operator_handle op() const noexcept {
    return topbit::detail::handle_access::of(const_cast<topbit::detail::entry_head&>(*seen_->ran->op));
  }
  inline key_set keys() const noexcept { return key_set::from_raw(seen_->keys) & key_set::full(); }
  inspect::table_row kernel() const;
  inline const void* selected() const noexcept { return seen_->ran; }

  /// In begin(), for observers that want them: borrowed, so copy what you keep.
  inline std::span<const value> arguments() const noexcept { return seen_->arguments; }
  /// In end(), for observers that want them; empty if it threw.
  inline std::span<const value> results() const noexcept { return seen_->results; }

  /// In end(): ended by an exception, or a range left by one.
  inline bool threw() const noexcept { return seen_->threw; }
  /// In end(), by clock_ns(). The duration has everything inside the event, and what observing
  /// that takes.
  std::int64_t start_ns() const noexcept;
  std::int64_t duration_ns() const noexcept;

 private:
  static constexpr unsigned thread_shift = 40;
  const topbit::detail::seen_event* seen_;
};

}  // namespace observe

/// "call", "redispatch", "range", "backward", "optimizer"
export std::string_view name_of(observe::kind k) noexcept;

}  // namespace topbit
