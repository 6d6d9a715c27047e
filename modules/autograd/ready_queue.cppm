// The ready queue of a backward run: the nodes that have received gradients, deepest first. Internal.
module topbit.autograd:ready_queue;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :node;

namespace topbit::detail {

/// A node and the gradients received so far.
struct input_buffer {
  node* at = nullptr;
  tensor gradient;
  std::vector<tensor> of_results;  // instead of `gradient`, of a node whose results have output nodes
};

/// A heap by depth, a table by node. Everything is amortised constant but for the heap's logarithm, and in a chain both
/// hold one node. No order depends on addresses, so that sums have one value.
class ready_queue {
 public:
  /// The entry of a node, created if needed. Valid until the next call.
  input_buffer& at(node& n) {
    if (2 * (live_ + 1) > table_.size()) grow();
    std::size_t i = home(&n);
    for (; table_[i] != 0; i = (i + 1) & mask()) {
      if (input_buffer& a = entries_[table_[i] - 1]; a.at == &n) return a;
    }
    const std::uint32_t entry = take_entry();
    table_[i] = entry + 1;
    ++live_;
    entries_[entry].at = &n;
    if (n.role == is_leaf) {
      leaves_.push_back(entry);
    } else {
      heap_.push_back({n.depth(), entry});
      std::ranges::push_heap(heap_, {}, &waiting::depth);
    }
    return entries_[entry];
  }
  /// Removes the deepest node; false if only leaves are left.
  bool take(input_buffer& out) {
    if (heap_.empty()) return false;
    std::ranges::pop_heap(heap_, {}, &waiting::depth);
    const std::uint32_t entry = heap_.back().entry;
    heap_.pop_back();
    remove_from_table(entry);
    out = std::move(entries_[entry]);
    entries_[entry] = {};
    free_.push_back(entry);
    return true;
  }
  /// Leaves in the order in which the first gradient arrived.
  template <class Visit>
  void each_leaf(Visit&& visit) {
    for (std::uint32_t entry : leaves_) visit(entries_[entry]);
  }
  /// Clears it, keeping the memory of a small run.
  void clear() noexcept {
    if (entries_.capacity() > 4096) {
      *this = ready_queue();
      return;
    }
    entries_.clear();
    free_.clear();
    leaves_.clear();
    heap_.clear();
    if (live_ != 0) std::ranges::fill(table_, 0u);
    live_ = 0;
  }

 private:
  struct waiting {
    std::uint32_t depth, entry;
  };
  std::size_t mask() const noexcept { return table_.size() - 1; }
  std::size_t home(const node* n) const noexcept {
    const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(n) >> 6) * 0x9e3779b97f4a7c15u;
    return (mixed >> 32) & mask();
  }
  std::uint32_t take_entry() {
    if (!free_.empty()) {
      const std::uint32_t entry = free_.back();
      free_.pop_back();
      return entry;
    }
    entries_.emplace_back();
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }
  // Backward shift deletion: later entries move up, so that no tombstones are needed.
  void remove_from_table(std::uint32_t entry) noexcept {
    std::size_t hole = home(entries_[entry].at);
    while (table_[hole] != entry + 1) hole = (hole + 1) & mask();
    for (std::size_t i = (hole + 1) & mask(); table_[i] != 0; i = (i + 1) & mask()) {
      const std::size_t wanted = home(entries_[table_[i] - 1].at);
      if (((i - wanted) & mask()) < ((i - hole) & mask())) continue;
      table_[hole] = table_[i];
      hole = i;
    }
    table_[hole] = 0;
    --live_;
  }
  void grow() {
    std::vector<std::uint32_t> old(std::max<std::size_t>(16, 2 * table_.size()), 0);
    std::swap(old, table_);
    for (std::uint32_t e : old) {
      if (e == 0) continue;
      std::size_t i = home(entries_[e - 1].at);
      while (table_[i] != 0) i = (i + 1) & mask();
      table_[i] = e;
    }
  }

  std::vector<input_buffer> entries_;
  std::vector<std::uint32_t> free_, leaves_;
  std::vector<waiting> heap_;
  std::vector<std::uint32_t> table_;  // entry + 1; 0 is empty
  std::size_t live_ = 0;
};

}  // namespace topbit::detail
