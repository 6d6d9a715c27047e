// A set of table slots, and the relations between keys that the tables are made by.
//
// Each relation is stated once, as a table of slot sets, and read in both directions: the selection asks which slots a
// key depends on, and the registry asks which slots a registration can change. So no slot can be forgotten.
export module topbit.core:keys.slot_relations;

import topbit.std;
import :keys.key;
import :keys.key_set;

namespace topbit {

namespace detail {

/// Slots as bits. Constexpr, no allocation.
class slot_set {
 public:
  constexpr slot_set() noexcept = default;

  constexpr bool has(unsigned slot) const noexcept { return (words_[slot / 64] >> slot % 64 & 1) != 0; }
  constexpr void add(unsigned slot) noexcept { words_[slot / 64] |= std::uint64_t{1} << slot % 64; }
  constexpr slot_set& operator|=(const slot_set& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr bool intersects(const slot_set& other) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  /// Calls f(slot) for each slot, ascending.
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

constexpr unsigned slot_index(key_set k) noexcept { return k.row(); }
/// The slot of a per-backend functionality for a set that names no backend; it always throws.
constexpr bool lacks_backend(dispatch_key k) noexcept {
  return author::per_backend(k.layer) && k.device == backend::none;
}

// Slots whose tensors carry AutogradOther; a composite beside a kernel for one of them is ambiguous there.
constexpr bool served_by_autograd_other(dispatch_key k) noexcept {
  using enum functionality;
  return k.layer == FPGA || k.layer == MSNPU || k.layer == MLC || k.layer == Vulkan || k.layer == Metal ||
         k.layer == CustomRNGKeyId || k.layer == MkldnnCPU ||
         (k.device != backend::none && (k.layer == Sparse || k.layer == SparseCsr || k.layer == Quantized));
}

/// The slots each alias stands for; slot 0, the empty set, is among those of the composites.
consteval std::array<slot_set, author::alias_count> build_alias_slots() {
  using enum functionality;
  std::array<slot_set, author::alias_count> slots{};
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    const dispatch_key k = author::key_of_row(slot);
    if (lacks_backend(k)) continue;
    const bool explicit_layer = slot != 0 && k.layer <= SparseCsr;
    const bool autograd_layer = k.layer == AutogradOther || k.layer == Autograd || k.layer == AutogradNestedTensor;
    const bool sparse_or_lazy = k.layer == Sparse || k.device == backend::XLA || k.device == backend::Lazy;
    const auto stands = [&](alias_key a, bool yes) {
      if (yes) slots[a.index].add(slot);
    };
    stands(key::Autograd, autograd_layer);
    stands(key::CompositeExplicitAutograd, slot == 0 || explicit_layer);
    stands(key::CompositeExplicitAutogradNonFunctional, slot == 0 || (explicit_layer && !sparse_or_lazy));
    // A composite is batched by its parts.
    stands(key::CompositeImplicitAutograd, slot == 0 || explicit_layer || autograd_layer || k.layer == NestedTensor ||
                                               k.layer == Functionalize || k.layer == FuncTorchBatched);
    stands(key::CompositeImplicitAutogradNestedTensor, k.layer == NestedTensor || k.layer == AutogradNestedTensor);
    stands(key::FuncTorchBatchedDecomposition, k.layer == FuncTorchBatched);
    stands(key::Autocast, k.layer == Autocast);
    stands(key::AnySparse, k.layer == Sparse);
    stands(key::AnySparseCsr, k.layer == SparseCsr);
    stands(key::AnyQuantized, k.layer == Quantized);
  }
  return slots;
}
inline constexpr std::array<slot_set, author::alias_count> alias_slots = build_alias_slots();

/// A layout on every backend. Kernels for these count as kernels of backends.
inline constexpr std::array layout_aliases{key::AnySparse, key::AnySparseCsr, key::AnyQuantized};

/// For an autograd slot, the slots below it whose kernels a composite must not shadow; empty for every other slot.
consteval std::array<slot_set, author::row_count> build_backend_slots() {
  using enum functionality;
  std::array<slot_set, author::row_count> below{};
  for (unsigned slot = 1; slot < author::row_count; ++slot) {
    const dispatch_key k = author::key_of_row(slot);
    if (lacks_backend(k)) continue;
    if (k.layer == Dense) below[slot_index(author::autograd_key_of(k.device))].add(slot);
    if (k.layer == NestedTensor) below[slot_index(key::AutogradNestedTensor)].add(slot);
    if (served_by_autograd_other(k)) below[slot_index(key::AutogradOther)].add(slot);
  }
  return below;
}
inline constexpr std::array<slot_set, author::row_count> backend_slots = build_backend_slots();

/// The slots that a kernel registered for a slot can change: itself, and every autograd slot that asks for it.
consteval std::array<slot_set, author::row_count> build_dependent_slots() {
  std::array<slot_set, author::row_count> dependents{};
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    dependents[slot].add(slot);
    backend_slots[slot].for_each([&](unsigned below) { dependents[below].add(slot); });
  }
  return dependents;
}
inline constexpr std::array<slot_set, author::row_count> dependent_slots = build_dependent_slots();

/// The same for an alias.
consteval std::array<slot_set, author::alias_count> build_slots_of_alias_changes() {
  std::array<slot_set, author::alias_count> slots = alias_slots;
  for (alias_key a : layout_aliases) {
    alias_slots[a.index].for_each([&](unsigned slot) { slots[a.index] |= dependent_slots[slot]; });
  }
  // An explicit composite keeps the implicit one from every slot that asks for a backend's kernel.
  slots[key::CompositeExplicitAutograd.index] |= alias_slots[key::CompositeImplicitAutograd.index];
  return slots;
}
inline constexpr std::array<slot_set, author::alias_count> slots_of_alias_changes = build_slots_of_alias_changes();

/// The slots whose choice a registration for this target can change.
constexpr slot_set slots_changed_by(key_target target) noexcept {
  return target.is_alias() ? slots_of_alias_changes[target.alias] : dependent_slots[slot_index(target.row)];
}

/// The slots a fallback for this target serves: the empty set has none.
constexpr slot_set slots_of_fallback(key_target target) noexcept {
  slot_set slots;
  if (!target.is_alias()) {
    slots.add(slot_index(target.row));
    return slots;
  }
  alias_slots[target.alias].for_each([&](unsigned slot) {
    if (slot != 0) slots.add(slot);
  });
  return slots;
}

static_assert(alias_slots[key::Autograd.index].has(slot_index(key::AutogradHIP)));
static_assert(alias_slots[key::CompositeExplicitAutograd.index].has(0) && !alias_slots[key::Autograd.index].has(0));
static_assert(slots_changed_by(key::SparseCPU).has(slot_index(key::AutogradOther)));
static_assert(slots_changed_by(key::AnySparse).has(slot_index(key::AutogradOther)));
static_assert(slots_changed_by(key::HIP).has(slot_index(key::AutogradHIP)));

}  // namespace detail

}  // namespace topbit
