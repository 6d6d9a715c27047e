// Which kernel a row holds: one pure function of what is registered now.
//
// Nothing here depends on the order of registrations, on earlier tables or on threads. The registry calls it to fill
// rows; explain calls it, with a visitor, to say why. The labels are the rules of ARCHITECTURE.md, "Precedence".
export module topbit.core:table;

import topbit.std;
import :key;
import :key_set;

namespace topbit {

/// Why a row holds what it holds.
export enum class row_reason : std::uint8_t {
  kernel,                  // registered for this very key
  default_backend_kernel,  // CompositeExplicitAutograd or its NonFunctional form
  nested_kernel,           // CompositeImplicitAutogradNestedTensor
  ambiguous,               // AutogradOther, with both a composite and a backend kernel that shares the row
  composite_kernel,        // CompositeImplicitAutograd, or catch-all
  autograd_kernel,         // the Autograd alias
  batched_kernel,          // FuncTorchBatchedDecomposition
  backend_fallback,        // the fallback of this key
  transparent,             // nothing, and the key is one that calls pass through when nobody handles it
  missing
};
export std::string_view name_of(row_reason r) noexcept;

namespace detail {

// Bits 0..5 of alias_cover[row]: the aliases that stand for the row. One relation feeds every map.
consteval std::array<std::uint8_t, row_count> build_alias_cover() {
  using enum functionality;
  std::array<std::uint8_t, row_count> cover{};
  const auto bit = [](alias_key a) { return static_cast<std::uint8_t>(1U << a.index); };
  for (unsigned row = 0; row < row_count; ++row) {
    const dispatch_key k = key_of_row(row);
    const bool no_backend = per_backend(k.layer) && k.device == backend::none;
    if (row != 0 && no_backend) continue;
    const bool explicit_layer = row != 0 && k.layer <= SparseCsr;
    const bool autograd_layer = k.layer == AutogradOther || k.layer == Autograd || k.layer == AutogradNestedTensor;
    const bool sparse_or_lazy = k.layer == Sparse || k.device == backend::XLA || k.device == backend::Lazy;
    if (autograd_layer) cover[row] |= bit(key::Autograd);
    if (row == 0 || explicit_layer) cover[row] |= bit(key::CompositeExplicitAutograd);
    if (row == 0 || (explicit_layer && !sparse_or_lazy)) cover[row] |= bit(key::CompositeExplicitAutogradNonFunctional);
    if (row == 0 || explicit_layer || autograd_layer || k.layer == NestedTensor || k.layer == Functionalize) {
      cover[row] |= bit(key::CompositeImplicitAutograd);
    }
    if (k.layer == NestedTensor || k.layer == AutogradNestedTensor) {
      cover[row] |= bit(key::CompositeImplicitAutogradNestedTensor);
    }
    if (k.layer == FuncTorchBatched) cover[row] |= bit(key::FuncTorchBatchedDecomposition);
  }
  return cover;
}
inline constexpr std::array<std::uint8_t, row_count> alias_cover = build_alias_cover();

constexpr unsigned row_of(dispatch_key k) noexcept { return key_set(k).row(); }

// Rows whose tensors carry AutogradOther; a composite beside a kernel for one of them is ambiguous there.
constexpr bool served_by_autograd_other(dispatch_key k) noexcept {
  using enum functionality;
  return k.layer == FPGA || k.layer == MSNPU || k.layer == MLC || k.layer == Vulkan || k.layer == Metal ||
         k.layer == CustomRNGKeyId || k.layer == MkldnnCPU ||
         (k.device != backend::none && (k.layer == Sparse || k.layer == SparseCsr || k.layer == Quantized));
}

/// Calls pass through these keys where nobody has registered anything for them.
inline constexpr key_set transparent_keys{
    key::BackendSelect, key::ADInplaceOrView,       key::AutocastFunctionality, key::FuncTorchVmapMode,
    key::VmapMode,      key::AutogradFunctionality, key::AutogradOther,         key::AutogradNestedTensor};

template <class Registration>
struct row_choice {
  row_reason why = row_reason::missing;
  const Registration* from = nullptr;  // null for ambiguous, transparent and missing
};

// `live.direct(row)`, `live.alias(key)` and `live.fallback(row)` give the newest live registration or null.
// `note(reason, registration, text)` hears of each candidate that was passed over.
template <class Live, class Note>
constexpr auto row_value(const Live& live, unsigned row, Note&& note) {
  using registration = std::remove_cvref_t<decltype(*live.direct(0))>;
  using choice = row_choice<registration>;
  const dispatch_key k = key_of_row(row);
  const auto covers = [&](alias_key a) { return (alias_cover[row] >> a.index & 1) != 0; };
  if (per_backend(k.layer) && k.device == backend::none) return choice{};

  if (row != 0) {
    if (const registration* r = live.direct(row)) return choice{row_reason::kernel, r};  // P1
  }
  for (alias_key a : {key::CompositeExplicitAutogradNonFunctional, key::CompositeExplicitAutograd}) {  // P2 P3
    const registration* r = live.alias(a);
    if (r != nullptr && covers(a)) return choice{row_reason::default_backend_kernel, r};
  }

  // P4: is there a kernel below this autograd key that a composite must not shadow?
  bool backend_kernel = live.alias(key::CompositeExplicitAutograd) != nullptr;
  bool other_kernel = false;
  if (k.layer == functionality::Autograd) {
    backend_kernel |= live.direct(row_of({functionality::Dense, k.device})) != nullptr;
  } else if (k == key::AutogradNestedTensor || k == key::AutogradOther) {
    for (unsigned other = 1; other < row_count; ++other) {
      const dispatch_key below = key_of_row(other);
      const bool counts = k == key::AutogradOther
                              ? served_by_autograd_other(below)
                              : below.layer == functionality::NestedTensor && below.device != backend::none;
      if (counts && live.direct(other) != nullptr) other_kernel = true;
    }
    backend_kernel |= other_kernel;
  }

  if (const registration* r = live.alias(key::CompositeImplicitAutogradNestedTensor)) {  // P4n
    if (row != 0 && covers(key::CompositeImplicitAutogradNestedTensor)) return choice{row_reason::nested_kernel, r};
  }
  const registration* composite = live.alias(key::CompositeImplicitAutograd);
  if (composite != nullptr && covers(key::CompositeImplicitAutograd)) {  // P5
    if (k == key::AutogradOther && other_kernel) return choice{row_reason::ambiguous, nullptr};
    if (!backend_kernel) return choice{row_reason::composite_kernel, composite};
    note(row_reason::composite_kernel, composite, "must not shadow the kernel of a backend");
  }
  if (const registration* r = live.alias(key::Autograd)) {  // P6
    if (covers(key::Autograd)) return choice{row_reason::autograd_kernel, r};
  }
  if (const registration* r = live.alias(key::FuncTorchBatchedDecomposition)) {  // P7
    if (covers(key::FuncTorchBatchedDecomposition)) return choice{row_reason::batched_kernel, r};
  }
  if (row != 0) {
    if (const registration* r = live.fallback(row)) return choice{row_reason::backend_fallback, r};  // P8
    if (transparent_keys.has(k.layer)) return choice{row_reason::transparent, nullptr};
  }
  return choice{};  // P9
}

static_assert(alias_cover[row_of(key::AutogradHIP)] >> key::Autograd.index & 1);
static_assert(alias_cover[0] == 0b001110);

}  // namespace detail

}  // namespace topbit
