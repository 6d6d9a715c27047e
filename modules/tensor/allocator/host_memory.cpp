// Connects the caches of the threads, the shared cache and the system. One mutex guards everything except system
// allocation, which may be slow.
module;

#include <sys/mman.h>

module topbit.tensor;

import topbit.std;
import topbit.core;
import :allocator.block_class;
import :allocator.shared_cache;
import :allocator.thread_cache;

namespace topbit {

namespace detail {

namespace {

// Cached blocks are reused, which hides use-after-free from AddressSanitizer. Its builds cache nothing by default.
#if __has_feature(address_sanitizer)
constexpr std::size_t first_limit = 0;
#else
constexpr std::size_t first_limit = std::size_t{1} << 30;
#endif

constexpr std::size_t refill_bytes = std::size_t{16} << 10;

// Requests huge pages for a large block: mapping takes a quarter of the time, and reads are up to 1.5 times as fast.
// Failure is ignored.
void ask_for_large_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 4096;
  const auto first = reinterpret_cast<std::uintptr_t>(block), begin = (first + page - 1) / page * page;
  madvise(reinterpret_cast<void*>(begin), (first + bytes) / page * page - begin, MADV_HUGEPAGE);
#endif
}

void* from_system(std::size_t bytes) noexcept {
  constexpr std::size_t large = std::size_t{4} << 20;
  void* const block = ::operator new(bytes, std::align_val_t{block_alignment}, std::nothrow);
  if (block != nullptr && bytes >= large) ask_for_large_pages(block, bytes);
  return block;
}
void to_system(free_block* chain) noexcept {
  while (chain != nullptr) {
    free_block* const next = chain->next;
    ::operator delete(chain, std::align_val_t{block_alignment});
    chain = next;
  }
}

// Never destroyed: tensors in statics and thread-locals may end after everything else.
constinit shared_cache shared(first_limit);
// At load: at the first use, another thread might fork meanwhile.
[[maybe_unused]] const std::mutex& held_at_forks = author::hold_at_fork(shared.lock, author::fork_order::leaf);

// The caches of threads that have none yet, or whose cache was destroyed. Always empty.
constinit thread_cache none_yet, none_any_more;

constinit std::atomic<const block_events*> watched = nullptr;

struct cache_end {
  ~cache_end() {
    thread_cache* const mine = std::exchange(this_thread_cache, &none_any_more);
    free_block* chain = nullptr;
    {
      const std::lock_guard hold(shared.lock);
      shared.drain(*mine, 0);
      shared.remove(*mine);
      chain = shared.excess();
    }
    to_system(chain);
    delete mine;
  }
};

// Creates the thread's cache on first use. If that allocation fails, the thread runs without one.
thread_cache& own_cache() noexcept {
  if (this_thread_cache == &none_yet) {
    if (auto* const fresh = new (std::nothrow) thread_cache) {
      free_block* chain = nullptr;
      {
        const std::lock_guard hold(shared.lock);
        shared.add(*fresh);
        chain = shared.excess();  // the share is deducted from the limit
      }
      to_system(chain);
      this_thread_cache = fresh;
      static thread_local const cache_end at_end;
    }
  }
  return *this_thread_cache;
}

// Shares are computed anew; this thread's cache is cut down to its own.
template <class F>
void change_shares(F change) noexcept {
  free_block* chain = nullptr;
  {
    const std::lock_guard hold(shared.lock);
    change();
    thread_cache& mine = *this_thread_cache;
    if (mine.bytes.load(std::memory_order_relaxed) > mine.share) shared.drain(mine, mine.share);
    chain = shared.excess();
  }
  to_system(chain);
}

void* find_block(unsigned size_class) {
  if (size_class >= classes) throw std::bad_alloc();
  const std::size_t bytes = block_bytes(size_class);
  thread_cache& mine = own_cache();
  {
    const std::lock_guard hold(shared.lock);
    if (void* const block = shared.take(size_class)) {
      ++shared.ended.allocations;
      ++shared.ended.reused;
      // Refills the thread's cache, so that a thread whose tensors are freed by other threads locks less often.
      std::size_t has = mine.bytes.load(std::memory_order_relaxed);
      for (std::size_t more = bytes; more <= refill_bytes && has + bytes <= mine.share / 2; more += bytes) {
        void* const next = shared.take(size_class);
        if (next == nullptr) break;
        mine.free[size_class] = ::new (next) free_block{mine.free[size_class]};
        has += bytes;
      }
      mine.bytes.store(has, std::memory_order_relaxed);
      shared.count_taken(0);
      return block;
    }
  }
  void* block = from_system(bytes);
  if (block == nullptr) {
    release_cached_memory();
    block = from_system(bytes);
    if (block == nullptr) throw std::bad_alloc();
  }
  const std::lock_guard hold(shared.lock);
  ++shared.ended.allocations;
  shared.count_taken(bytes);
  return block;
}

}  // namespace

constinit thread_local thread_cache* this_thread_cache [[gnu::tls_model("initial-exec")]] = &none_yet;

void* take_elsewhere(unsigned size_class) {
  void* const block = find_block(size_class);
  if (const block_events* const e = watched.load(std::memory_order_acquire))
    e->allocated(block, block_bytes(size_class));
  return block;
}

void give_elsewhere(void* block, unsigned size_class) noexcept {
  if (const block_events* const e = watched.load(std::memory_order_acquire)) {
    e->freed(block, block_bytes(size_class));  // before another thread can be given it
  }
  thread_cache& mine = own_cache();
  free_block* chain = nullptr;
  {
    const std::lock_guard hold(shared.lock);
    chain = mine.allowed.load(std::memory_order_relaxed) != mine.share ? shared.put_all(mine, block, size_class)
            : size_class < thread_classes                              ? shared.put_half(mine, block, size_class)
                                                                       : shared.put(block, size_class);
  }
  to_system(chain);
}

void watch_no_blocks() noexcept { watched.store(nullptr, std::memory_order_release); }

void watch_blocks(const block_events* e) noexcept {
  watched.store(e, std::memory_order_release);
  change_shares([&] {
    shared.threads_cache = e == nullptr;
    shared.set_limit(shared.limit);
  });
}

}  // namespace detail

memory_statistics host_memory() noexcept {
  const std::lock_guard hold(detail::shared.lock);
  return detail::shared.statistics();
}

void set_host_memory_limit(std::size_t bytes) noexcept {
  detail::change_shares([&] { detail::shared.set_limit(bytes); });
}

void release_cached_memory() noexcept {
  detail::free_block* chain = nullptr;
  {
    const std::lock_guard hold(detail::shared.lock);
    detail::shared.drain(*detail::this_thread_cache, 0);
    detail::shared.ask_others(*detail::this_thread_cache);
    chain = detail::shared.everything();
  }
  detail::to_system(chain);
}

}  // namespace topbit
