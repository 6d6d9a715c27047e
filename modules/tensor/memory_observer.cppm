// Observers of memory: who is told of every block that tensors allocate and free. Nothing is tested on the way of host
// memory while there is none.
export module topbit.tensor:memory_observer;

import topbit.std;
import topbit.core;
import :device;

namespace topbit {

export namespace author {

/// Told of memory that tensors allocate and free, on every device, by the thread that does so. Its functions are called
/// one at a time, and not for memory that they allocate themselves; they add and remove no observer. A forked child is
/// not observed.
///
/// Host memory is told of in blocks, as host_memory() counts it: sizes are rounded up, and the records of tensors
/// count. While there is an observer, threads keep no blocks of their own and take a lock for each. What another thread
/// has cached before, a MiB at most, it may give out untold until it next frees something.
class memory_observer {
 public:
  virtual ~memory_observer() = default;
  virtual void allocated(device where, const void* block, std::size_t bytes) noexcept = 0;
  /// Also of blocks that were allocated before the observer was there.
  virtual void freed(device where, const void* block, std::size_t bytes) noexcept = 0;
  /// What an error about missing memory says beside sizes, such as who holds it; empty if there is nothing to say.
  virtual std::string in_use([[maybe_unused]] device where) const { return {}; }
};

/// From now on, until it is removed; afterwards it is told of nothing.
void add_memory_observer(memory_observer& o);
void remove_memory_observer(memory_observer& o) noexcept;

/// What observers say of memory in use there, for the text of an error: "; ..." for each. For authors of backends.
std::string memory_notes(device where);

}  // namespace author

namespace detail {

// Of memory that backends provide. Host memory is told of by :allocator.
extern constinit std::atomic<bool> memory_is_observed;
void tell_allocated(device where, const void* block, std::size_t bytes) noexcept;
void tell_freed(device where, const void* block, std::size_t bytes) noexcept;

}  // namespace detail

}  // namespace topbit
