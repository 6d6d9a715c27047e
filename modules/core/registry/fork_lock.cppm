// Locks that a fork holds. A child has one thread: a lock that another thread held at the fork stays locked in it, and
// what that thread was changing stays half changed. So the library's locks are taken before a fork and released on both
// sides of it, in one order for all of its modules.
export module topbit.core:registry.fork_lock;

import topbit.std;

namespace topbit {

export namespace author {

/// When a fork takes a lock. Whoever holds one of a group may take one of a later group, as the fork does, and none of
/// its own group or an earlier one.
enum class fork_order : std::uint8_t {
  registering,  // held while operators are registered, or functions of a device run
  calling,      // held while operators are looked up or called; the registry's own locks come after these
  leaf,         // held while nothing else of the library is called
};

/// From now on every fork holds the lock, so that a child finds it free and what it guards whole. For a lock that lives
/// as long as the process, before it is first locked; no thread may fork while it holds it. Without memory for
/// this, forks do without it. Returns the lock.
std::mutex& hold_at_fork(std::mutex& lock, fork_order order) noexcept;

/// The same for several locks, or for a child that has more to do: `hold` is called before every fork, `release` after
/// it, in the parent and in the child.
void hold_at_fork(void (*hold)() noexcept, void (*release)(bool in_child) noexcept, fork_order order) noexcept;

}  // namespace author

}  // namespace topbit
