// Compile-time index of a kernel set with constant-time lookup: entries in the order they
// were bound, and a hash table over operator and key. Everything here is linear in the number of kernels.
export module topbit.core:static_dispatch.set_index;

import topbit.std;
import :dispatch.operator_info;
import :dispatch.precedence;
import :keys.key;
import :keys.key_name;
import :keys.key_set;
import :keys.slot_relations;
import :operators.op;
import :text.text;

namespace topbit {

namespace detail {

// FNV-1a of an operator's name. It only says where to look: whoever finds an equal one compares the operators.
constexpr std::uint64_t fnv1a(std::string_view name) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// An operator as the registry tells operators apart: by name and C++ signature. Made without the operator's info, which
// is more work for the compiler.
struct set_operator {
  std::uint64_t hash = 0;
  std::string_view name;
  const std::string_view* signature = nullptr;  // its type's raw name

  constexpr bool has_name_of(const set_operator& other) const noexcept {
    return hash == other.hash && (name.data() == other.name.data() || name == other.name);
  }
  friend constexpr bool operator==(const set_operator& a, const set_operator& b) noexcept {
    return a.has_name_of(b) && a.signature == b.signature;
  }
};
template <class Sig>
inline constexpr std::string_view raw_signature = raw_type_name<Sig>();
template <class Op>
inline constexpr set_operator set_operator_of{fnv1a(Op::name()), Op::name(), &raw_signature<typename Op::signature>};

// A key as a number: short in the names of types, and cheap to list.
using key_code = std::uint32_t;
constexpr key_code code_of(key_target k) noexcept {
  return (key_code{k.alias} << 16) | (static_cast<key_code>(k.row.layer) << 8) | static_cast<key_code>(k.row.device);
}
constexpr key_target key_of(key_code code) noexcept {
  const auto alias = static_cast<std::uint8_t>(code >> 16);
  if (alias != key_target::no_alias) return alias_key{alias};
  return dispatch_key{static_cast<functionality>(code >> 8 & 0xff), static_cast<backend>(code & 0xff)};
}

struct set_entry {
  const set_operator* op = nullptr;
  key_code key = 0;
};

inline constexpr key_code no_key = code_of(topbit::key::Undefined);
inline constexpr std::size_t not_there = static_cast<std::size_t>(-1);

constexpr std::size_t place_of(const set_operator& op, key_code k) noexcept {
  const std::uint64_t mixed = (op.hash ^ (k * 0x9e3779b97f4a7c15)) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(mixed >> 32);
}

// The first entry that is bound a second time, and where; `second` is not_there where all are different.
struct repeated_entry {
  std::size_t first = not_there, second = not_there;
};

// Named by the number of kernels alone, so that the functions about a large set have short names and are made once.
// Refers to the two lists, which are plain since each element of a list costs the compiler what it takes to initialise
// it.
template <std::size_t N>
class set_index {
 public:
  constexpr set_index(const set_operator* const* operators, const key_code* keys) noexcept
      : operators_(operators), keys_(keys) {
    for (std::size_t i = 0; i < N; ++i) {
      const set_operator& op = *operators[i];
      const key_code k = keys[i];
      std::size_t at = place_of(op, k) % slots;
      for (; place_[at] != 0; at = (at + 1) % slots) {
        const std::size_t other = place_[at] - 1;
        if (keys[other] == k && operators[other]->has_name_of(op)) break;
      }
      if (place_[at] == 0)
        place_[at] = static_cast<std::uint32_t>(i + 1);
      else if (repeated_.second == not_there)
        repeated_ = {place_[at] - 1, i};
    }
  }

  static constexpr std::size_t size() noexcept { return N; }
  constexpr set_entry operator[](std::size_t i) const noexcept { return {operators_[i], keys_[i]}; }
  constexpr repeated_entry repeated() const noexcept { return repeated_; }

  // The entry of this operator for this very key, or not_there.
  constexpr std::size_t find(const set_operator& op, key_code k) const noexcept {
    for (std::size_t at = place_of(op, k) % slots; place_[at] != 0; at = (at + 1) % slots) {
      const std::size_t i = place_[at] - 1;
      if (keys_[i] == k && *operators_[i] == op) return i;
    }
    return not_there;
  }
  // The entry that a table with these kernels has for the key; not_there if a call would find none.
  constexpr std::size_t select(const set_operator& op, key_code k) const noexcept {
    const std::size_t exact = find(op, k);
    if (exact != not_there || key_of(k).is_alias()) return exact;
    const std::size_t* chosen = choose_for_slot(known{*this, op}, slot_index(key_of(k).row), [](auto&&...) {}).from;
    return chosen == nullptr ? not_there : static_cast<std::size_t>(chosen - places.data());
  }
  // The entry for the key, as select(); where no key is said, the only one of the operator among these keys.
  template <std::size_t M>
  constexpr std::size_t to_call(const set_operator& op, key_code k, const std::array<key_code, M>& keys) const {
    if (k != no_key) return select(op, k);
    std::size_t only = not_there;
    for (key_code each : keys) {
      const std::size_t found = find(op, each);
      if (found == not_there) continue;
      if (only != not_there) return not_there;
      only = found;
    }
    return only;
  }

 private:
  // choose_for_slot names its choice by an address: that of the entry's own number.
  static constexpr std::array<std::size_t, N + 1> places = [] {
    std::array<std::size_t, N + 1> numbers{};
    for (std::size_t i = 0; i < N; ++i) numbers[i] = i;
    return numbers;
  }();
  // The input of choose_for_slot: one operator, no fallbacks.
  struct known {
    const set_index& index;
    const set_operator& op;
    constexpr const std::size_t* at(key_target k) const noexcept {
      const std::size_t i = index.find(op, code_of(k));
      return i == not_there ? nullptr : places.data() + i;
    }
    constexpr const std::size_t* direct(unsigned slot) const noexcept { return at(author::key_of_row(slot)); }
    constexpr const std::size_t* alias(alias_key a) const noexcept { return at(a); }
    constexpr const std::size_t* fallback(unsigned) const noexcept { return nullptr; }
  };
  static constexpr std::size_t slots = std::size_t{2} << (64 - std::countl_zero(std::uint64_t{N}));
  const set_operator* const* operators_;
  const key_code* keys_;
  std::array<std::uint32_t, slots> place_{};  // one more than the number of an entry; 0 is free
  repeated_entry repeated_;
};

// The key's own name, whatever name a private backend was given since.
constexpr void add_key(author::verdict& v, key_code code) noexcept {
  const key_target k = key_of(code);
  if (k.is_alias()) {
    v.add(alias_names[k.alias]);
  } else if (!author::per_backend(k.row.layer)) {
    v.add(functionality_names[static_cast<unsigned>(k.row.layer)]);
  } else {
    if (k.row.layer != functionality::Dense) v.add(functionality_names[static_cast<unsigned>(k.row.layer)]);
    v.add(backend_names[static_cast<unsigned>(k.row.device)]);
  }
}

}  // namespace detail

}  // namespace topbit
