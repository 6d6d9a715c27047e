// Blocks from the calling thread's cache: the path that takes no lock. Internal.
module topbit.tensor:allocator.thread_cache;

import topbit.std;
import :allocator.block_class;

namespace topbit {

namespace detail {

// The largest block in a thread cache. Larger blocks are used long enough that a lock does not matter.
inline constexpr std::size_t largest_thread_block = 64 << 10;
inline constexpr unsigned thread_classes = block_class(largest_thread_block) + 1;
static_assert(block_bytes(thread_classes - 1) == largest_thread_block);

struct free_block {
  free_block* next;
};

// Only the thread itself touches the lists. The three words are read by whoever asks for statistics, hence atomic, but
// written by plain moves.
struct alignas(block_alignment) thread_cache {
  std::array<free_block*, thread_classes> free{};
  std::atomic<std::size_t> bytes{0};    // in the lists
  std::atomic<std::size_t> allowed{0};  // others lower it
  std::atomic<std::uint64_t> reused{0};
  std::size_t share = 0;  // of the limit; under the lock, like `next`
  thread_cache* next = nullptr;
};

// Never null: before it has a cache and after it ended, a thread sees an empty one with capacity 0.
extern constinit thread_local thread_cache* this_thread_cache [[gnu::tls_model("initial-exec")]];

// Told of every block, while threads cache none.
struct block_events {
  void (*allocated)(const void* block, std::size_t bytes) noexcept;
  void (*freed)(const void* block, std::size_t bytes) noexcept;
};
// From now on, or no more if it is null.
void watch_blocks(const block_events* e) noexcept;
// In the child of a fork: no blocks are watched any more; caches stay as they are.
void watch_no_blocks() noexcept;

void* take_elsewhere(unsigned size_class);
void give_elsewhere(void* block, unsigned size_class) noexcept;

/// A block of block_bytes(size_class) bytes. Throws std::bad_alloc.
inline void* take_block(unsigned size_class) {
  if (size_class < thread_classes) [[likely]] {
    thread_cache& mine = *this_thread_cache;
    if (free_block* const block = mine.free[size_class]) [[likely]] {
      mine.free[size_class] = block->next;
      mine.bytes.store(mine.bytes.load(std::memory_order_relaxed) - block_bytes(size_class), std::memory_order_relaxed);
      mine.reused.store(mine.reused.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return block;
    }
  }
  return take_elsewhere(size_class);
}

/// On any thread.
inline void give_block(void* block, unsigned size_class) noexcept {
  if (size_class < thread_classes) [[likely]] {
    thread_cache& mine = *this_thread_cache;
    const std::size_t bytes = mine.bytes.load(std::memory_order_relaxed) + block_bytes(size_class);
    if (bytes <= mine.allowed.load(std::memory_order_relaxed)) [[likely]] {
      mine.free[size_class] = ::new (block) free_block{mine.free[size_class]};
      mine.bytes.store(bytes, std::memory_order_relaxed);
      return;
    }
  }
  give_elsewhere(block, size_class);
}

}  // namespace detail

}  // namespace topbit
