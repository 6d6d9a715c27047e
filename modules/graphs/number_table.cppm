// Numbers by address: what a recording asks for several times a call. Internal.
module topbit.graphs:number_table;

import topbit.std;
import :graph;

namespace topbit::graphs {

// Open addressing in one array, at most three quarters full. Addresses are never 0.
class number_table {
 public:
  // `nothing` for an address that is not there.
  inline number find(std::uintptr_t address) const noexcept {
    if (entries_.empty()) return nothing;
    return entries_[slot_of(address)].number;
  }
  inline void set(std::uintptr_t address, number n) {
    if (4 * (used_ + 1) > 3 * entries_.size()) rebuild(std::max<std::size_t>(64, 2 * entries_.size()));
    entry& e = entries_[slot_of(address)];
    used_ += e.address == 0;
    e = {address, n};
  }
  // Empties it, with room for so many.
  inline void restart(std::size_t expected) {
    entries_.assign(std::size_t{1} << std::bit_width(2 * expected), {});
    used_ = 0;
  }
  // Erases those of which is_gone(number) is true.
  template <class IsGone>
  void erase_if(IsGone is_gone) {
    std::vector<entry> kept;
    for (const entry& e : entries_) {
      if (e.address != 0 && !is_gone(e.number)) kept.push_back(e);
    }
    refill(kept, entries_.size());
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const entry& e : entries_) {
      if (e.address != 0) visit(e.number);
    }
  }

 private:
  struct entry {
    std::uintptr_t address = 0;
    graphs::number number = nothing;
  };

  // The entry of an address, or the free one where it belongs.
  inline std::size_t slot_of(std::uintptr_t address) const noexcept {
    const std::size_t mask = entries_.size() - 1;  // a power of two
    // Fibonacci hashing: the high half of the product depends on all bits of an address.
    std::size_t slot = (address * 0x9E3779B97F4A7C15U) >> 32 & mask;
    while (entries_[slot].address != address && entries_[slot].address != 0) slot = (slot + 1) & mask;
    return slot;
  }
  inline void rebuild(std::size_t size) {
    const std::vector<entry> before = std::move(entries_);
    refill(before, size);
  }
  inline void refill(const std::vector<entry>& from, std::size_t size) {
    entries_.assign(size, {});
    used_ = 0;
    for (const entry& e : from) {
      if (e.address == 0) continue;
      entries_[slot_of(e.address)] = e;
      ++used_;
    }
  }

  std::vector<entry> entries_;
  std::size_t used_ = 0;
};

}  // namespace topbit::graphs
