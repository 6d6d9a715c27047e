// Name to entry: open addressing, append-only. Readers probe an immutable-size array through one atomic pointer and
// never wait; writers hold the registry's lock. A full array is replaced by one twice its size and kept for readers
// that still look at it, so all old arrays together are no larger than the newest.
module topbit.core:registry.name_table;

import topbit.std;
import :registry.entry;

namespace topbit {

namespace detail {

// Eight bytes a step, multiplied to the double word and folded: half the time of the standard library's for the
// names operators have.
inline std::uint64_t hash_of(std::string_view text) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
  const auto mix = [](std::uint64_t a, std::uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const auto word = [](const char* at, std::size_t size) {
    std::uint64_t w = 0;
    std::memcpy(&w, at, size);
    return w;
  };
  std::uint64_t h = text.size() * odd;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left > 8; at += 8, left -= 8) h = mix(h ^ word(at, 8), odd);
  // The last eight bytes at once, some of them a second time; a short name byte by byte.
  const std::uint64_t last = text.size() >= 8 ? word(at + left - 8, 8) : word(at, left);
  return mix(h ^ last, odd);
}

class name_table {
 public:
  name_table() : current_(add_array(64)) {}

  // The first entry of this name; entries of other signatures follow by next_of_name. Null if there is none.
  entry* find(std::string_view name) const noexcept {
    const array& a = *current_.load(std::memory_order_acquire);
    const std::uint64_t hash = hash_of(name);
    for (std::size_t i = hash;; ++i) {
      const slot& s = a.slots[i & a.mask];
      entry* e = s.first.load(std::memory_order_acquire);
      // The hash tells other names apart without a look at them.
      if (e == nullptr || (s.hash.load(std::memory_order_relaxed) == hash && e->name == name)) return e;
    }
  }

  // Writers only. Another signature of a name goes behind those that are there.
  void insert(entry& e) {
    if (entry* first = find(e.name); first != nullptr) {
      e.first_of_name = first;
      entry* last = first;
      while (entry* next = last->next_of_name) last = next;
      return last->next_of_name.store(&e, std::memory_order_release);
    }
    if ((names_ + 1) * 4 > current_.load(std::memory_order_relaxed)->mask * 3) grow();
    ++names_;
    place(*current_.load(std::memory_order_relaxed), e);
  }

 private:
  struct slot {
    std::atomic<std::uint64_t> hash{0};  // written before the entry, and once
    std::atomic<entry*> first{nullptr};
  };
  struct array {
    std::size_t mask;
    std::unique_ptr<slot[]> slots;
  };

  static void place(array& a, entry& e) noexcept {
    const std::uint64_t hash = hash_of(e.name);
    for (std::size_t i = hash;; ++i) {
      slot& s = a.slots[i & a.mask];
      if (s.first.load(std::memory_order_relaxed) != nullptr) continue;
      s.hash.store(hash, std::memory_order_relaxed);
      return s.first.store(&e, std::memory_order_release);
    }
  }
  array* add_array(std::size_t size) {
    arrays_.push_back(std::make_unique<array>(size - 1, std::make_unique<slot[]>(size)));
    return arrays_.back().get();
  }
  void grow() {
    const array& old = *arrays_.back();
    array* bigger = add_array((old.mask + 1) * 2);
    for (std::size_t i = 0; i <= old.mask; ++i) {
      if (entry* e = old.slots[i].first.load(std::memory_order_relaxed)) place(*bigger, *e);
    }
    current_.store(bigger, std::memory_order_release);
  }

  std::vector<std::unique_ptr<array>> arrays_;
  std::atomic<array*> current_;
  std::size_t names_ = 0;
};

}  // namespace detail

}  // namespace topbit
