// Host memory of tensors: blocks by size class, cached when freed and reused.
//
// A freed block goes to the cache of the thread that frees it, without lock or atomic instruction, and the next block
// of its class comes from there. What exceeds the thread's capacity, and large blocks, go to a cache shared by all
// threads, and from there, oldest first, back to the system. The contents of a block are unknown here.
export module topbit.tensor:memory;

import topbit.std;

namespace topbit {

/// Host memory held by tensors, in blocks: sizes are rounded up by at most an eighth, or to 64 bytes, and the records
/// of tensors count, those on other devices too.
export struct memory_statistics {
  std::size_t bytes_in_use = 0;
  std::size_t bytes_cached = 0;  // freed, and cached for reuse
  /// Peak usage, thread caches (at most a MiB each) included.
  std::size_t peak_bytes_in_use = 0;
  std::uint64_t allocations = 0;  // allocations so far
  std::uint64_t reused = 0;       // of these, how many were served from a cache
};

/// The sums over all threads. Exact while no other thread makes or drops tensors. Locks.
export memory_statistics host_memory() noexcept;

/// Sets the maximum number of cached bytes, 1 GiB by default; 0 caches none. Up to half of it is for thread caches, a
/// MiB each. The excess is returned to the system: at once, except what is in another thread's cache, which is returned
/// when that thread next frees beyond its capacity, or ends. An address sanitizer build starts with 0, so that every
/// use after free is found.
export void set_host_memory_limit(std::size_t bytes) noexcept;

/// Returns all cached memory to the system; another thread's cache is returned when it next frees something, or ends. A
/// failed allocation calls this and retries once before it throws std::bad_alloc.
export void release_cached_memory() noexcept;

/// For authors of operators and layers.
export namespace author {

/// Host memory for many small short-lived objects, such as graph nodes; aligned to 64 bytes. Freed with the same number
/// of bytes, on any thread. Throws std::bad_alloc.
void* take_memory(std::size_t bytes);
void give_memory(void* p, std::size_t bytes) noexcept;

}  // namespace author

namespace detail {

// A cache line, and the widest vector register. All blocks are aligned to it.
inline constexpr std::size_t block_alignment = 64;

// Classes are 64 bytes apart up to 1 KiB, and above that an eighth of a power of two.
constexpr unsigned block_class(std::size_t bytes) noexcept {
  const std::size_t last = (bytes - 1) / block_alignment;
  const auto width = static_cast<unsigned>(std::bit_width(last));
  const unsigned shift = width > 4 ? width - 4 : 0;
  return shift * 8 + static_cast<unsigned>(last >> shift);
}
constexpr std::size_t block_bytes(unsigned size_class) noexcept {
  const unsigned shift = size_class < 16 ? 0 : size_class / 8 - 1;
  return (std::size_t{size_class - shift * 8 + 1} << shift) * block_alignment;
}

// The largest block in a thread cache. Larger blocks are used long enough that a lock does not matter.
inline constexpr std::size_t largest_thread_block = 64 << 10;
inline constexpr unsigned thread_classes = block_class(largest_thread_block) + 1;

static_assert(block_class(1) == 0 && block_class(64) == 0 && block_class(65) == 1 && block_class(1024) == 15);
static_assert(block_class(1025) == 16 && block_bytes(16) == 1152 && block_bytes(thread_classes - 1) == 64 << 10);
static_assert([] {
  for (unsigned c = 0; c < 440; ++c) {
    if (block_class(block_bytes(c)) != c || block_class(block_bytes(c) + 1) != c + 1) return false;
  }
  return true;
}());

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
