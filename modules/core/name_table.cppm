// Name to entry: open addressing, append-only. Readers probe an immutable-size array through one atomic pointer and
// never wait; writers hold the registry's lock. A full array is replaced by one twice its size and kept for readers
// that still look at it, so all old arrays together are no larger than the newest.
export module topbit.core:name_table;

import topbit.std;
import :entry;

namespace topbit {

namespace detail {

class name_table {
 public:
  name_table() : current_(add_array(64)) {}

  // The first entry of this name; entries of other signatures follow by next_of_name. Null if there is none.
  entry* find(std::string_view name) const noexcept {
    const array& a = *current_.load(std::memory_order_acquire);
    for (std::size_t i = hash(name);; ++i) {
      entry* e = a.slots[i & a.mask].load(std::memory_order_acquire);
      if (e == nullptr || e->name == name) return e;
    }
  }

  // Writers only. A second signature of a name goes in front of the first.
  void insert(entry& e) {
    e.next_of_name = find(e.name);
    if (e.next_of_name == nullptr && ++names_ * 2 > current_.load(std::memory_order_relaxed)->mask) grow();
    place(*current_.load(std::memory_order_relaxed), e);
  }

 private:
  struct array {
    std::size_t mask;
    std::unique_ptr<std::atomic<entry*>[]> slots;
  };
  static std::size_t hash(std::string_view name) noexcept { return std::hash<std::string_view>{}(name); }

  static void place(array& a, entry& e) noexcept {
    for (std::size_t i = hash(e.name);; ++i) {
      std::atomic<entry*>& slot = a.slots[i & a.mask];
      const entry* there = slot.load(std::memory_order_relaxed);
      if (there == nullptr || there->name == e.name) return slot.store(&e, std::memory_order_release);
    }
  }
  array* add_array(std::size_t size) {
    arrays_.push_back(std::make_unique<array>(size - 1, std::make_unique<std::atomic<entry*>[]>(size)));
    return arrays_.back().get();
  }
  void grow() {
    const array& old = *arrays_.back();
    array* bigger = add_array((old.mask + 1) * 2);
    for (std::size_t i = 0; i <= old.mask; ++i) {
      if (entry* e = old.slots[i].load(std::memory_order_relaxed)) place(*bigger, *e);
    }
    current_.store(bigger, std::memory_order_release);
  }

  std::vector<std::unique_ptr<array>> arrays_;
  std::atomic<array*> current_;
  std::size_t names_ = 0;
};

}  // namespace detail

}  // namespace topbit
