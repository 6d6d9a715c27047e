// Places in a table's text, and mistakes there.
export module topbit.tables:position;

import topbit.std;
import topbit.core;

export namespace topbit::tables {

/// From 1; columns count bytes.
struct position {
  std::uint32_t line = 1, column = 1;
  friend constexpr bool operator==(position, position) noexcept = default;
};

/// The first thing that is wrong with a table: "found ..., wanted ...". Empty while nothing is.
struct mistake {
  position at{};
  author::verdict text{};
  constexpr bool ok() const noexcept { return text.ok(); }
};

/// "ops.yaml:3:12: found ..., wanted ..."; cut after 900 characters.
constexpr author::basic_verdict<900> sentence_of(std::string_view file, const mistake& m) noexcept {
  author::basic_verdict<900> v;
  if (!m.ok()) v.add(file).add(":").add(m.at.line).add(":").add(m.at.column).add(": ").add(m.text.view());
  return v;
}

}  // namespace topbit::tables

namespace topbit::tables {

// For the compiler's evaluator, which takes one step for these and several for each character otherwise.
constexpr bool same_text(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && __builtin_memcmp(a.data(), b.data(), a.size()) == 0;
}
constexpr void copy_text(char* to, std::string_view text) noexcept {
  if constexpr (requires { __builtin_char_memchr(to, 'a', std::size_t{}); }) {
    __builtin_memcpy(to, text.data(), text.size());
  } else {
    for (std::size_t i = 0; i < text.size(); ++i) to[i] = text[i];
  }
}

// Names by a hash, for tables with many: `slots` are at least twice as many as the names, and zero.
struct name_index {
  std::span<std::uint32_t> slots;

  // `at(i)` is name i. Returns i, or the index of an equal name that is there already.
  template <class NameAt>
  constexpr std::uint32_t insert(std::uint32_t i, NameAt at) const {
    const std::string_view name = at(i);
    std::size_t s = hash(name) % slots.size();
    for (; slots[s] != 0; s = s + 1 == slots.size() ? 0 : s + 1) {
      if (same_text(at(slots[s] - 1), name)) return slots[s] - 1;
    }
    slots[s] = i + 1;
    return i;
  }
  static constexpr std::size_t hash(std::string_view name) noexcept {
    std::uint32_t h = 2166136261U;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
    return h;
  }
};
template <class NameAt>
constexpr std::uint32_t find_name(std::span<const std::uint32_t> slots, std::string_view name, NameAt at,
                                  std::uint32_t none) {
  if (slots.empty()) return none;
  std::size_t s = name_index::hash(name) % slots.size();
  for (; slots[s] != 0; s = s + 1 == slots.size() ? 0 : s + 1) {
    if (same_text(at(slots[s] - 1), name)) return slots[s] - 1;
  }
  return none;
}

// Remembers the name nearest to a misspelt one. core's own allocates, which the compiler's evaluator cannot do with
// every standard library.
class near_name {
 public:
  constexpr explicit near_name(std::string_view wanted) noexcept : wanted_(wanted), distance_(wanted.size() / 3 + 2) {}

  constexpr void consider(std::string_view name) noexcept {
    const std::size_t longer = std::max(name.size(), wanted_.size()), shorter = std::min(name.size(), wanted_.size());
    if (longer > longest || longer - shorter >= distance_) return;
    if (const std::size_t d = distance_to(name); d < distance_) {
      distance_ = d;
      size_ = name.size();
      for (std::size_t i = 0; i < size_; ++i) best_[i] = name[i];
    }
  }
  /// Appends "; the nearest name is ..." where there is one.
  constexpr void suggest(author::verdict& v) const noexcept {
    if (size_ != 0) v.add("; the nearest name is ").add({best_, size_});
  }

 private:
  static constexpr std::size_t longest = 95;

  // Insertions, deletions and substitutions.
  constexpr std::size_t distance_to(std::string_view name) const noexcept {
    std::size_t row[longest + 1]{};
    for (std::size_t j = 0; j <= name.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= wanted_.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= name.size(); ++j) {
        const std::size_t substitute = diagonal + (wanted_[i - 1] == name[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min(substitute, std::min(row[j], row[j - 1]) + 1);
      }
    }
    return row[name.size()];
  }

  std::string_view wanted_;
  std::size_t distance_, size_ = 0;
  char best_[longest]{};
};

}  // namespace topbit::tables
