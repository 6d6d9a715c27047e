// Calls counted by operator, and reports as tables: for modules that say how often a slow path was taken.
export module topbit.core:observe.call_counts;

import topbit.std;

export namespace topbit::author {

struct call_count {
  std::string op;  // "aten::exp"
  std::uint64_t calls = 0;
};

/// Counts calls by operator, for slow paths: every count takes one lock, which all objects share. Any thread may use
/// it, also after static destruction and in a forked child. For namespace scope: it never frees what it has counted.
class call_counts {
 public:
  constexpr call_counts() noexcept = default;
  call_counts(const call_counts&) = delete;
  call_counts& operator=(const call_counts&) = delete;

  void add(std::string_view op);
  /// Most calls first, then by name. Cost: the lock and a copy.
  std::vector<call_count> report() const;
  void reset();

 private:
  struct counts;
  counts* counts_ = nullptr;
};

/// A table with a line for each operator.
std::string to_string(std::span<const call_count> report);

/// Lines of cells, the first of which are the heads of the columns, as a table. All lines have as many cells; those
/// from column `first_number` on end below each other, the others begin below each other.
std::string table_text(std::span<const std::vector<std::string>> lines, std::size_t first_number);

}  // namespace topbit::author
