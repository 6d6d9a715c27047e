// The block cache shared by all threads, behind the caches of the threads. Internal.
module topbit.tensor:allocator.shared_cache;

import topbit.std;
import :allocator.block_class;
import :allocator.host_memory;
import :allocator.thread_cache;

namespace topbit {

namespace detail {

inline constexpr std::size_t largest_share = std::size_t{1} << 20;
inline constexpr unsigned classes = block_class(std::size_t{1} << 63) + 1;

// A block in the shared cache, linked into two lists: its size class and all blocks by age.
struct kept_block {
  kept_block *next, *previous;
  kept_block *older, *younger;
  unsigned size_class;
};
static_assert(sizeof(kept_block) <= block_alignment);

// Not synchronised: the caller holds `lock`.
class shared_cache {
 public:
  std::mutex lock;
  memory_statistics ended;  // process-wide counters, plus those of ended threads
  std::size_t limit;
  bool threads_cache = true;

  explicit constexpr shared_cache(std::size_t first_limit) noexcept : limit(first_limit) {}

  // Caches a freed block and returns the evicted ones. A block above the whole limit is returned itself and evicts
  // nothing.
  free_block* put(void* block, unsigned size_class) noexcept {
    if (block_bytes(size_class) > limit - shares_) {
      held_ -= block_bytes(size_class);
      return ::new (block) free_block{nullptr};
    }
    keep(block, size_class);
    return excess();
  }
  void keep(void* block, unsigned size_class) noexcept {
    auto* const b = ::new (block) kept_block{first_[size_class], nullptr, youngest_, nullptr, size_class};
    if (b->next != nullptr) b->next->previous = b;
    first_[size_class] = b;
    (youngest_ != nullptr ? youngest_->younger : oldest_) = b;
    youngest_ = b;
    bytes_ += block_bytes(size_class);
  }

  // Null if the class is empty.
  void* take(unsigned size_class) noexcept {
    kept_block* const b = first_[size_class];
    if (b != nullptr) leave(b);
    return b;
  }

  // Evicts the oldest blocks until the limit holds; returns them for to_system().
  free_block* excess() noexcept {
    free_block* chain = nullptr;
    while (bytes_ > limit - shares_) {
      kept_block* const b = oldest_;
      leave(b);
      held_ -= block_bytes(b->size_class);
      chain = ::new (static_cast<void*>(b)) free_block{chain};
    }
    return chain;
  }
  free_block* everything() noexcept {
    const std::size_t before = std::exchange(limit, shares_);
    free_block* const chain = excess();
    limit = before;
    return chain;
  }

  void count_taken(std::size_t from_system) noexcept {
    held_ += from_system;
    ended.peak_bytes_in_use = std::max(ended.peak_bytes_in_use, held_ - bytes_);
  }

  void add(thread_cache& c) noexcept {
    c.next = std::exchange(threads_, &c);
    allow(c);
  }
  void remove(thread_cache& c) noexcept {
    thread_cache** at = &threads_;
    while (*at != &c) at = &(*at)->next;
    *at = c.next;
    shares_ -= c.share;
    ended.reused += c.reused.load(std::memory_order_relaxed);
    ended.allocations += c.reused.load(std::memory_order_relaxed);
  }
  void set_limit(std::size_t bytes) noexcept {
    limit = bytes;
    shares_ = 0;
    for (thread_cache* c = threads_; c != nullptr; c = c->next) allow(*c);
  }

  // Moves blocks of the calling thread's cache here, largest first, until at most `to` bytes are left.
  void drain(thread_cache& mine, std::size_t to) noexcept {
    std::size_t left = mine.bytes.load(std::memory_order_relaxed);
    for (unsigned c = thread_classes; left > to;) {
      free_block* const block = mine.free[c - 1];
      if (block == nullptr) {
        --c;
        continue;
      }
      mine.free[c - 1] = block->next;
      left -= block_bytes(c - 1);
      keep(block, c - 1);
    }
    mine.bytes.store(left, std::memory_order_relaxed);
  }
  // Caches a block in the thread. If that exceeds its share, the block and all but half the share move here.
  free_block* put_half(thread_cache& mine, void* block, unsigned size_class) noexcept {
    const std::size_t with_it = mine.bytes.load(std::memory_order_relaxed) + block_bytes(size_class);
    if (with_it > mine.share) {
      drain(mine, mine.share / 2);
      return put(block, size_class);
    }
    mine.free[size_class] = ::new (block) free_block{mine.free[size_class]};
    mine.bytes.store(with_it, std::memory_order_relaxed);
    return nullptr;
  }
  // After ask_others() of another thread: moves this thread's whole cache here and evicts all blocks.
  free_block* put_all(thread_cache& mine, void* block, unsigned size_class) noexcept {
    mine.allowed.store(mine.share, std::memory_order_relaxed);
    drain(mine, 0);
    keep(block, size_class);
    return everything();
  }
  void ask_others(const thread_cache& mine) noexcept {
    for (thread_cache* c = threads_; c != nullptr; c = c->next) {
      if (c != &mine) c->allowed.store(0, std::memory_order_relaxed);
    }
  }

  memory_statistics statistics() noexcept {
    memory_statistics s = ended;
    s.bytes_cached = bytes_;
    for (const thread_cache* c = threads_; c != nullptr; c = c->next) {
      s.bytes_cached += c->bytes.load(std::memory_order_relaxed);
      s.reused += c->reused.load(std::memory_order_relaxed);
      s.allocations += c->reused.load(std::memory_order_relaxed);
    }
    s.bytes_in_use = held_ - std::min(held_, s.bytes_cached);  // a block in transit may be counted in two caches
    return s;
  }

 private:
  void leave(kept_block* b) noexcept {
    if (b->next != nullptr) b->next->previous = b->previous;
    (b->previous != nullptr ? b->previous->next : first_[b->size_class]) = b->next;
    (b->younger != nullptr ? b->younger->older : youngest_) = b->older;
    (b->older != nullptr ? b->older->younger : oldest_) = b->younger;
    bytes_ -= block_bytes(b->size_class);
  }
  void allow(thread_cache& c) noexcept {
    c.share = threads_cache ? std::min(largest_share, limit / 2 - std::min(limit / 2, shares_)) : 0;
    shares_ += c.share;
    c.allowed.store(c.share, std::memory_order_relaxed);
  }

  std::array<kept_block*, classes> first_{};
  kept_block *youngest_ = nullptr, *oldest_ = nullptr;
  std::size_t bytes_ = 0;   // cached here
  std::size_t held_ = 0;    // allocated from the system and not freed
  std::size_t shares_ = 0;  // sum of share over `threads_`
  thread_cache* threads_ = nullptr;
};
static_assert(std::is_trivially_destructible_v<shared_cache>);

}  // namespace detail

}  // namespace topbit
