// What a profile found, as data, text, JSON and CSV.
export module topbit.profiler:table;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :cost;

namespace topbit {

export namespace profile {

/// What the calls of one operator, one range, or one node's operator took.
struct row {
  std::string name{};
  observe::kind kind = observe::kind::call;  // redispatches are with the calls of their operator
  std::string inputs{};                      // "float32[8, 16], float32[16]" where signatures were recorded
  std::string range{};                       // the innermost range of the program around it
  std::uint64_t calls = 0;                   // not counted inside a call of the same operator: layers make those
  std::int64_t self_ns = 0;                  // without what was called inside
  std::int64_t total_ns = 0;                 // with it; calls of this row inside each other once
  std::uint64_t allocated = 0;               // bytes taken by it itself, freed or not
  std::optional<cost> work{};                // of its kernels; empty if there is no rule, or costs were not recorded
  std::int64_t own_ns = 0;                   // of total_ns: what recording the events inside took the profile itself
  // Of total_ns and own_ns: in calls of the same operator with other inputs or another range, which have it too.
  std::int64_t nested_ns = 0, nested_own_ns = 0;
  friend bool operator==(const row&, const row&) = default;
};

/// Who held memory when most was in use.
struct holder {
  std::string name, range;
  std::uint64_t bytes = 0, blocks = 0;
  friend bool operator==(const holder&, const holder&) = default;
};
struct peak {
  device where{};
  std::uint64_t bytes = 0;
  std::vector<holder> holders;  // the largest first
  friend bool operator==(const peak&, const peak&) = default;
};

/// Whether products with keys that causal attention masks are counted. Kernels that skip them compute half.
enum class causal_counting : std::uint8_t { whole, half };

/// products: per second of self_ns, as to_string() shows them.
enum class column : std::uint8_t { name, self, total, mean, calls, allocated, products };
enum class grouping : std::uint8_t { names, inputs, ranges };

struct table {
  std::vector<row> rows;        // one for each name, inputs and range that were seen
  std::int64_t elapsed_ns = 0;  // while it recorded
  std::uint64_t events = 0, dropped = 0;
  double own_ns = 0;  // what recording an event takes: the median of a thousand empty ones, when the profile began
  std::optional<causal_counting> causal{};  // how causal attention was counted; empty if there was none
  std::vector<peak> peaks;
  std::vector<std::string> without_cost;  // operators with kernels of which no rule says what they cost

  /// Rows that differ in nothing but what is left out become one; sorted, the greatest first, names ascending.
  table grouped(grouping by = grouping::names, column sorted = column::self) const;
};

}  // namespace profile

/// Columns for people: names, calls, times, and what else was recorded; at most so many rows.
export std::string to_string(const profile::table& t, std::size_t most_rows);
export std::string to_string(const profile::table& t);
export std::string to_json(const profile::table& t);
/// A line of names, and one for each row: RFC 4180.
export std::string to_csv(const profile::table& t);

}  // namespace topbit
