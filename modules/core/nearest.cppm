// The name that was probably meant where one is not found. Internal.
export module topbit.core:nearest;

import topbit.std;

namespace topbit::detail {

/// Keeps the nearest of the names it is shown. Cost of each: the product of both lengths.
class nearest_name {
 public:
  explicit nearest_name(std::string_view wanted) : wanted_(wanted), best_distance_(wanted.size() / 3 + 2) {}

  void consider(std::string_view name) { consider(name, name); }
  /// A name of which only a part is compared.
  void consider(std::string_view whole, std::string_view name) {
    // So far apart in length alone: another word, not a slip.
    const std::size_t longer = std::max(name.size(), wanted_.size()), shorter = std::min(name.size(), wanted_.size());
    if (longer - shorter >= best_distance_) return;
    if (const std::size_t distance = distance_to(name); distance < best_distance_) {
      best_distance_ = distance;
      best_ = whole;
    }
  }
  /// Empty if none is near.
  const std::string& best() const noexcept { return best_; }

 private:
  // Insertions, deletions and substitutions between the two.
  std::size_t distance_to(std::string_view name) {
    row_.resize(name.size() + 1);
    for (std::size_t j = 0; j < row_.size(); ++j) row_[j] = j;
    for (std::size_t i = 1; i <= wanted_.size(); ++i) {
      std::size_t diagonal = std::exchange(row_[0], i);
      for (std::size_t j = 1; j < row_.size(); ++j) {
        const std::size_t substitute = diagonal + (wanted_[i - 1] == name[j - 1] ? 0 : 1);
        diagonal = row_[j];
        row_[j] = std::min(substitute, std::min(row_[j], row_[j - 1]) + 1);
      }
    }
    return row_.back();
  }

  std::string_view wanted_;
  std::size_t best_distance_;
  std::string best_;
  std::vector<std::size_t> row_;
};

}  // namespace topbit::detail
