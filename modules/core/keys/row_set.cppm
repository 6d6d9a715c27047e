// A set of table rows, and the relations between keys that the tables are made by.
//
// Each relation is stated once, as a table of row sets, and read in both directions: the selection asks which rows a
// key depends on, and the registry asks which rows a registration can change. So no row can be forgotten.
export module topbit.core:keys.row_set;

import topbit.std;
import :keys.key;
import :keys.key_set;

namespace topbit {

namespace detail {

/// Rows as bits. Constexpr, no allocation.
class row_set {
 public:
  constexpr row_set() noexcept = default;

  constexpr bool has(unsigned row) const noexcept { return (words_[row / 64] >> row % 64 & 1) != 0; }
  constexpr void add(unsigned row) noexcept { words_[row / 64] |= std::uint64_t{1} << row % 64; }
  constexpr row_set& operator|=(const row_set& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  /// Calls f(row) for each row, ascending.
  template <class F>
  constexpr void for_each(F&& f) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        f(static_cast<unsigned>(i * 64) + static_cast<unsigned>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::array<std::uint64_t, (author::row_count + 63) / 64> words_{};
};

constexpr unsigned row_of(key_set k) noexcept { return k.row(); }
/// The row of a per-backend functionality for a set that names no backend; it always throws.
constexpr bool lacks_backend(dispatch_key k) noexcept {
  return author::per_backend(k.layer) && k.device == backend::none;
}

// Rows whose tensors carry AutogradOther; a composite beside a kernel for one of them is ambiguous there.
constexpr bool served_by_autograd_other(dispatch_key k) noexcept {
  using enum functionality;
  return k.layer == FPGA || k.layer == MSNPU || k.layer == MLC || k.layer == Vulkan || k.layer == Metal ||
         k.layer == CustomRNGKeyId || k.layer == MkldnnCPU ||
         (k.device != backend::none && (k.layer == Sparse || k.layer == SparseCsr || k.layer == Quantized));
}

/// The rows each alias stands for; row 0, the empty set, is among those of the composites.
consteval std::array<row_set, author::alias_count> build_alias_rows() {
  using enum functionality;
  std::array<row_set, author::alias_count> rows{};
  for (unsigned row = 0; row < author::row_count; ++row) {
    const dispatch_key k = author::key_of_row(row);
    if (lacks_backend(k)) continue;
    const bool explicit_layer = row != 0 && k.layer <= SparseCsr;
    const bool autograd_layer = k.layer == AutogradOther || k.layer == Autograd || k.layer == AutogradNestedTensor;
    const bool sparse_or_lazy = k.layer == Sparse || k.device == backend::XLA || k.device == backend::Lazy;
    const auto stands = [&](alias_key a, bool yes) {
      if (yes) rows[a.index].add(row);
    };
    stands(key::Autograd, autograd_layer);
    stands(key::CompositeExplicitAutograd, row == 0 || explicit_layer);
    stands(key::CompositeExplicitAutogradNonFunctional, row == 0 || (explicit_layer && !sparse_or_lazy));
    stands(key::CompositeImplicitAutograd,
           row == 0 || explicit_layer || autograd_layer || k.layer == NestedTensor || k.layer == Functionalize);
    stands(key::CompositeImplicitAutogradNestedTensor, k.layer == NestedTensor || k.layer == AutogradNestedTensor);
    stands(key::FuncTorchBatchedDecomposition, k.layer == FuncTorchBatched);
    stands(key::Autocast, k.layer == Autocast);
  }
  return rows;
}
inline constexpr std::array<row_set, author::alias_count> alias_rows = build_alias_rows();

/// For an autograd row, the rows below it whose kernels a composite must not shadow; empty for every other row.
consteval std::array<row_set, author::row_count> build_backend_rows() {
  using enum functionality;
  std::array<row_set, author::row_count> below{};
  for (unsigned row = 1; row < author::row_count; ++row) {
    const dispatch_key k = author::key_of_row(row);
    if (lacks_backend(k)) continue;
    if (k.layer == Dense) below[row_of(author::autograd_key_of(k.device))].add(row);
    if (k.layer == NestedTensor) below[row_of(key::AutogradNestedTensor)].add(row);
    if (served_by_autograd_other(k)) below[row_of(key::AutogradOther)].add(row);
  }
  return below;
}
inline constexpr std::array<row_set, author::row_count> backend_rows = build_backend_rows();

/// The rows that a kernel registered for a row can change: itself, and every autograd row that asks for it.
consteval std::array<row_set, author::row_count> build_dependent_rows() {
  std::array<row_set, author::row_count> dependents{};
  for (unsigned row = 0; row < author::row_count; ++row) {
    dependents[row].add(row);
    backend_rows[row].for_each([&](unsigned below) { dependents[below].add(row); });
  }
  return dependents;
}
inline constexpr std::array<row_set, author::row_count> dependent_rows = build_dependent_rows();

/// The rows whose choice a registration for this target can change.
constexpr row_set rows_changed_by(key_target target) noexcept {
  if (!target.is_alias()) return dependent_rows[row_of(target.row)];
  row_set rows = alias_rows[target.alias];
  // An explicit composite keeps the implicit one from every row that asks for a backend's kernel.
  if (target == key_target(key::CompositeExplicitAutograd)) rows |= alias_rows[key::CompositeImplicitAutograd.index];
  return rows;
}

/// The rows a fallback for this target serves: the empty set has none.
constexpr row_set rows_of_fallback(key_target target) noexcept {
  row_set rows;
  if (!target.is_alias()) {
    rows.add(row_of(target.row));
    return rows;
  }
  alias_rows[target.alias].for_each([&](unsigned row) {
    if (row != 0) rows.add(row);
  });
  return rows;
}

static_assert(alias_rows[key::Autograd.index].has(row_of(key::AutogradHIP)));
static_assert(alias_rows[key::CompositeExplicitAutograd.index].has(0) && !alias_rows[key::Autograd.index].has(0));
static_assert(rows_changed_by(key::SparseCPU).has(row_of(key::AutogradOther)));
static_assert(rows_changed_by(key::HIP).has(row_of(key::AutogradHIP)));

}  // namespace detail

}  // namespace topbit
