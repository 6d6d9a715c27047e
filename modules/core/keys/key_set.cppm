// The key set: one 64-bit word whose highest set bit picks the kernel.
//
// Bit 0 is never used, bits 1..20 are backends, bits 21..56 functionalities, 57..63 spare. Leaving bit 0 free lets
// row() count leading zeros of (word | 1) without asking whether the word is empty: eight instructions, no
// branch. A set is a cross product: {SparseCPU, CUDA} cannot be told from {SparseCUDA, CPU}.
export module topbit.core:keys.key_set;

import topbit.std;
import :keys.key;

namespace topbit {

namespace detail {

constexpr unsigned functionality_bit(functionality f) noexcept {
  return author::backend_count + static_cast<unsigned>(f);
}
inline constexpr std::uint64_t backend_bits =
    ((std::uint64_t{1} << (author::backend_count + 1)) - 1) & ~std::uint64_t{1};
inline constexpr unsigned top_bit = functionality_bit(functionality::UserTop2);
inline constexpr std::uint64_t functionality_bits = ((std::uint64_t{2} << top_bit) - 1) & ~(backend_bits | 1);

// What the highest bit of a set says: where the slots of that functionality start, and which backend bits choose
// among them. A per-backend functionality has one more slot than there are backends, first, for a set that
// names no backend.
struct slot_rule {
  std::uint32_t offset = 0;
  std::uint32_t mask = 0;
};

consteval std::array<slot_rule, 64> build_slot_rules() {
  std::array<slot_rule, 64> rules{};
  std::uint32_t next = 1;  // slot 0: the empty set, and sets of backend bits alone
  for (unsigned f = 1; f <= author::functionality_count; ++f) {
    const auto layer = static_cast<functionality>(f);
    rules[functionality_bit(layer)] = {next, author::per_backend(layer) ? static_cast<std::uint32_t>(backend_bits) : 0};
    next += author::per_backend(layer) ? author::backend_count + 1 : 1;
  }
  return rules;
}
inline constexpr std::array<slot_rule, 64> slot_rules = build_slot_rules();

}  // namespace detail

namespace author {

/// Slots of every operator's table. Slot 0 is the empty set.
export inline constexpr unsigned row_count = detail::slot_rules[detail::top_bit].offset + 1;

}  // namespace author

/// A set of dispatch keys. Value type, 64 bits, all-zero is empty. Every operation is constexpr and branch-free
/// unless it says otherwise.
export class key_set {
 public:
  constexpr key_set() noexcept = default;
  constexpr key_set(dispatch_key k) noexcept : word_(bits_of(k.layer) | bits_of(k.device)) {}
  constexpr key_set(building_block b) noexcept : word_(bits_of(b.layer)) {}
  constexpr key_set(backend b) noexcept : word_(bits_of(b)) {}
  constexpr key_set(std::initializer_list<key_set> sets) noexcept {
    for (key_set s : sets) word_ |= s.word_;
  }

  static constexpr key_set from_raw(std::uint64_t word) noexcept {
    key_set s;
    s.word_ = word;
    return s;
  }
  /// Every backend and every functionality.
  static constexpr key_set full() noexcept { return from_raw(detail::backend_bits | detail::functionality_bits); }
  constexpr std::uint64_t raw() const noexcept { return word_; }

  constexpr bool empty() const noexcept { return word_ == 0; }
  /// All bits of `other` are present.
  constexpr bool contains(key_set other) const noexcept { return (word_ & other.word_) == other.word_; }
  constexpr bool intersects(key_set other) const noexcept { return (word_ & other.word_) != 0; }
  constexpr bool has(functionality f) const noexcept { return (word_ & bits_of(f)) != 0; }

  /// The table slot this set selects, in 0 .. row_count - 1. Bits outside full() must not be set.
  constexpr unsigned row() const noexcept { return slot_below(word_ | 1); }
  /// The same, two instructions cheaper. Precondition: not empty.
  constexpr unsigned row_of_nonempty() const noexcept { return slot_below(word_); }

  constexpr functionality highest_functionality() const noexcept {
    const std::uint64_t layers = word_ & detail::functionality_bits;
    return layers == 0
               ? functionality::undefined
               : static_cast<functionality>(63 - std::countl_zero(layers) - static_cast<int>(author::backend_count));
  }
  constexpr backend highest_backend() const noexcept {
    return static_cast<backend>(63 - std::countl_zero((word_ & detail::backend_bits) | 1));
  }
  /// The key whose slot is selected: the highest functionality, with the highest backend where it is per backend.
  constexpr dispatch_key highest() const noexcept {
    const functionality f = highest_functionality();
    return {f, author::per_backend(f) ? highest_backend() : backend::none};
  }

  /// The set to redispatch with from the kernel that this set selects: everything but its functionality. A set
  /// without functionalities stays as it is.
  constexpr key_set below_highest() const noexcept { return from_raw(word_ & ~bits_of(highest_functionality())); }

  friend constexpr key_set operator|(key_set a, key_set b) noexcept { return from_raw(a.word_ | b.word_); }
  friend constexpr key_set operator&(key_set a, key_set b) noexcept { return from_raw(a.word_ & b.word_); }
  friend constexpr key_set operator^(key_set a, key_set b) noexcept { return from_raw(a.word_ ^ b.word_); }
  /// Removes functionalities only; the backends of the left operand stay. Use without() for backends.
  friend constexpr key_set operator-(key_set a, key_set b) noexcept {
    return from_raw(a.word_ & ~(b.word_ & detail::functionality_bits));
  }
  constexpr key_set without(backend b) const noexcept { return from_raw(word_ & ~bits_of(b)); }
  friend constexpr bool operator==(key_set, key_set) noexcept = default;

  class iterator;
  /// Runtime keys in ascending order. A building block without a backend, or a backend alone, is no key.
  constexpr iterator begin() const noexcept;
  constexpr iterator end() const noexcept;

 private:
  // `top` has the word's highest bit, if it has one, and is not zero.
  constexpr unsigned slot_below(std::uint64_t top) const noexcept {
    const detail::slot_rule rule = detail::slot_rules[63U ^ static_cast<unsigned>(std::countl_zero(top))];
    const std::uint32_t chosen = (static_cast<std::uint32_t>(word_) & rule.mask) | 1U;
    return rule.offset + (31U ^ static_cast<unsigned>(std::countl_zero(chosen)));
  }
  static constexpr std::uint64_t bits_of(functionality f) noexcept {
    return f == functionality::undefined ? 0 : std::uint64_t{1} << detail::functionality_bit(f);
  }
  static constexpr std::uint64_t bits_of(backend b) noexcept {
    return (std::uint64_t{1} << static_cast<unsigned>(b)) & ~std::uint64_t{1};
  }
  std::uint64_t word_ = 0;
};

/// Forward iterator over the keys of a set; keys are made on the fly.
class key_set::iterator {
 public:
  using value_type = dispatch_key;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;

  constexpr iterator() noexcept = default;
  constexpr explicit iterator(std::uint64_t word) noexcept
      : layers_(word & detail::functionality_bits), all_backends_(word & detail::backend_bits) {
    settle();
  }
  constexpr dispatch_key operator*() const noexcept {
    const auto f = layer();
    return {f, author::per_backend(f) ? static_cast<backend>(std::countr_zero(backends_)) : backend::none};
  }
  constexpr iterator& operator++() noexcept {
    backends_ &= backends_ - 1;
    if (backends_ == 0) {
      layers_ &= layers_ - 1;
      settle();
    }
    return *this;
  }
  constexpr iterator operator++(int) noexcept {
    iterator old = *this;
    ++*this;
    return old;
  }
  friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
    return a.layers_ == b.layers_ && a.backends_ == b.backends_;
  }

 private:
  constexpr functionality layer() const noexcept {
    return static_cast<functionality>(std::countr_zero(layers_) - static_cast<int>(author::backend_count));
  }
  // Stops at the next functionality that has a key here; a plain one counts as having one backend.
  constexpr void settle() noexcept {
    for (backends_ = 0; layers_ != 0; layers_ &= layers_ - 1) {
      backends_ = author::per_backend(layer()) ? all_backends_ : 1;
      if (backends_ != 0) return;
    }
  }
  std::uint64_t layers_ = 0;
  std::uint64_t backends_ = 0;
  std::uint64_t all_backends_ = 0;
};

constexpr key_set::iterator key_set::begin() const noexcept { return iterator(word_); }
constexpr key_set::iterator key_set::end() const noexcept { return iterator(); }

/// Everything below this key's functionality, all backends included: `keys & below(my key)` is the set to redispatch.
/// Empty for key::Undefined.
export constexpr key_set below(dispatch_key k) noexcept {
  if (k.layer == functionality::undefined) return {};
  const std::uint64_t bit = std::uint64_t{1} << detail::functionality_bit(k.layer);
  return key_set::from_raw((bit - 1) & ~std::uint64_t{1});
}

/// Below the lowest functionality the alias stands for.
export constexpr key_set below(alias_key alias) noexcept {
  if (alias == key::Autograd) return below(key::AutogradOther);
  if (alias == key::CompositeImplicitAutogradNestedTensor) return below(key::NestedTensorCPU);
  if (alias == key::FuncTorchBatchedDecomposition) return below(key::FuncTorchBatched);
  if (alias == key::Autocast) return below(key::AutocastCPU);
  if (alias == key::AnySparse) return below(key::SparseCPU);
  if (alias == key::AnySparseCsr) return below(key::SparseCsrCPU);
  if (alias == key::AnyQuantized) return below(key::QuantizedCPU);
  return below(key::CPU);
}

/// Every autograd functionality, without backends.
export inline constexpr key_set autograd_keys{key::AutogradOther, key::AutogradFunctionality,
                                              key::AutogradNestedTensor};

namespace detail {

consteval std::array<dispatch_key, author::row_count> build_slot_keys() {
  std::array<dispatch_key, author::row_count> keys{};
  for (unsigned f = 1; f <= author::functionality_count; ++f) {
    const auto layer = static_cast<functionality>(f);
    const unsigned offset = slot_rules[functionality_bit(layer)].offset;
    for (unsigned b = 0; b <= (author::per_backend(layer) ? author::backend_count : 0); ++b) {
      keys[offset + b] = {layer, static_cast<backend>(b)};
    }
  }
  return keys;
}
inline constexpr std::array<dispatch_key, author::row_count> slot_keys = build_slot_keys();

}  // namespace detail

namespace author {

/// The inverse of row(): the key that owns a slot; key::Undefined for slot 0.
export constexpr dispatch_key key_of_row(unsigned slot) noexcept { return detail::slot_keys[slot]; }

}  // namespace author

static_assert(detail::top_bit <= 57, "at least six bits stay spare");
static_assert(key_set{}.row() == 0 && key_set(backend::CPU).row() == 0);
static_assert(key_set(key::CPU).highest() == key::CPU);
static_assert(key_set{key::CPU, key::AutogradCPU}.row() == key_set(key::AutogradCPU).row());
static_assert(key_set{key::CPU, key::Meta}.highest() == key::Meta);
static_assert(author::key_of_row(key_set(key::SparseCUDA).row()) == key::SparseCUDA);
static_assert(below(key::Autograd).contains(key::ADInplaceOrView) && !below(key::Autograd).intersects(autograd_keys));
// A policy of autocast is applied once, to what the caller called, and not to what a batching rule calls.
static_assert(below(key::Autocast).contains({key::FuncTorchBatched, key::FuncTorchVmapMode}));
// Rules for batches meet tensors with tangents, and tangents are computed by recorded calls.
static_assert(below(key::FuncTorchBatched).contains(key::ForwardAD) && below(key::ForwardAD).contains(autograd_keys));
static_assert(std::forward_iterator<key_set::iterator>);

}  // namespace topbit
