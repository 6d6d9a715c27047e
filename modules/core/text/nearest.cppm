// Suggestions for misspelt names, at compile time and at run time. Internal.
export module topbit.core:text.nearest;

import topbit.std;

namespace topbit::detail {

/// Names at least this far apart are different words, not typos.
constexpr std::size_t other_word(std::string_view name) noexcept { return name.size() / 3 + 2; }

/// Insertions, deletions and substitutions between two names. Needs b.size() + 1 elements of work space. Cost: the
/// product of both lengths.
constexpr std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t* row) noexcept {
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min(substitute, std::min(row[j], row[j - 1]) + 1);
    }
  }
  return row[b.size()];
}

/// Keeps the nearest of the names it is shown.
class nearest_name {
 public:
  explicit nearest_name(std::string_view wanted) : wanted_(wanted), best_distance_(other_word(wanted)) {}

  void consider(std::string_view name) { consider(name, name); }
  /// A name of which only a part is compared.
  void consider(std::string_view whole, std::string_view name) {
    const std::size_t longer = std::max(name.size(), wanted_.size()), shorter = std::min(name.size(), wanted_.size());
    if (longer - shorter >= best_distance_) return;
    row_.resize(name.size() + 1);
    if (const std::size_t distance = edit_distance(wanted_, name, row_.data()); distance < best_distance_) {
      best_distance_ = distance;
      best_ = whole;
    }
  }
  /// Empty if none is near.
  const std::string& best() const noexcept { return best_; }

 private:
  std::string_view wanted_;
  std::size_t best_distance_;
  std::string best_;
  std::vector<std::size_t> row_;
};

}  // namespace topbit::detail
