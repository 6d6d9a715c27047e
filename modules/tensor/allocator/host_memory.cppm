// Host memory of tensors: blocks by size class, cached when freed and reused.
//
// A freed block goes to the cache of the thread that frees it, without lock or atomic instruction, and the next block
// of its class comes from there. What exceeds the thread's capacity, and large blocks, go to a cache shared by all
// threads, and from there, oldest first, back to the system. The contents of a block are unknown to this folder.
export module topbit.tensor:allocator.host_memory;

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

}  // namespace topbit
