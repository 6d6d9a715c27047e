// Which kernel a slot holds: one pure function of what is registered now.
//
// Nothing here depends on the order of registrations, on earlier tables or on threads. The registry calls it to fill
// slots; explain calls it, with a visitor, to say why. The labels are those of docs/design/dispatch.md, "Precedence".
export module topbit.core:dispatch.precedence;

import topbit.std;
import :keys.key;
import :keys.key_set;
import :keys.slot_relations;

namespace topbit {

namespace inspect {

/// Why a slot holds what it holds.
export enum class row_reason : std::uint8_t {
  kernel,                  // registered for this very key
  layout_kernel,           // AnySparse, AnySparseCsr or AnyQuantized
  default_backend_kernel,  // CompositeExplicitAutograd or its NonFunctional form
  nested_kernel,           // CompositeImplicitAutogradNestedTensor
  ambiguous,               // AutogradOther, with both a composite and a backend kernel that shares the slot
  composite_kernel,        // CompositeImplicitAutograd, or catch-all
  autograd_kernel,         // the Autograd alias
  batched_kernel,          // FuncTorchBatchedDecomposition
  autocast_kernel,         // the Autocast alias
  backend_fallback,        // the fallback of this key
  transparent,             // nothing, and the key is one that calls pass through where no kernel handles it
  missing
};

}  // namespace inspect

export std::string_view name_of(inspect::row_reason r) noexcept;

namespace detail {

/// Calls pass through these keys where nothing is registered for them.
inline constexpr key_set transparent_keys{
    key::BackendSelect,        key::ADInplaceOrView, key::AutogradFunctionality, key::AutogradOther,
    key::AutogradNestedTensor, key::ForwardAD,       key::FuncTorchVmapMode,     key::AutocastFunctionality,
    key::ModesBelow,           key::ModesAbove};

template <class Registration>
struct slot_choice {
  inspect::row_reason why = inspect::row_reason::missing;
  const Registration* from = nullptr;  // null for ambiguous, transparent and missing
};

// `live.direct(slot)`, `live.alias(key)` and `live.fallback(slot)` give the newest live registration or null.
// `note(reason, registration, text)` hears of each candidate that was passed over.
template <class Live, class Note>
constexpr auto choose_for_slot(const Live& live, unsigned slot, Note&& note) {
  using registration = std::remove_cvref_t<decltype(*live.direct(0))>;
  using choice = slot_choice<registration>;
  const dispatch_key k = author::key_of_row(slot);
  const auto alias = [&](alias_key a) { return alias_slots[a.index].has(slot) ? live.alias(a) : nullptr; };
  if (lacks_backend(k)) return choice{};

  if (slot != 0) {
    if (const registration* r = live.direct(slot)) return choice{inspect::row_reason::kernel, r};  // P1
  }
  for (alias_key a : layout_aliases) {  // P1a
    if (const registration* r = alias(a)) return choice{inspect::row_reason::layout_kernel, r};
  }
  for (alias_key a : {key::CompositeExplicitAutogradNonFunctional, key::CompositeExplicitAutograd}) {  // P2 P3
    if (const registration* r = alias(a)) return choice{inspect::row_reason::default_backend_kernel, r};
  }
  if (const registration* r = alias(key::CompositeImplicitAutogradNestedTensor)) {  // P4n
    return choice{inspect::row_reason::nested_kernel, r};
  }
  if (const registration* r = alias(key::FuncTorchBatchedDecomposition)) {  // P4b
    return choice{inspect::row_reason::batched_kernel, r};
  }
  if (const registration* composite = alias(key::CompositeImplicitAutograd)) {  // P5
    bool below = false;  // P4: is there a kernel under this autograd key that a composite must not shadow?
    backend_slots[slot].for_each([&](unsigned other) { below |= live.direct(other) != nullptr; });
    for (alias_key a : layout_aliases) {
      below |= live.alias(a) != nullptr && backend_slots[slot].intersects(alias_slots[a.index]);
    }
    if (k == key::AutogradOther && below) return choice{inspect::row_reason::ambiguous, nullptr};
    if (!below && live.alias(key::CompositeExplicitAutograd) == nullptr) {
      return choice{inspect::row_reason::composite_kernel, composite};
    }
    note(inspect::row_reason::composite_kernel, composite, "must not shadow the kernel of a backend");
  }
  if (const registration* r = alias(key::Autograd)) return choice{inspect::row_reason::autograd_kernel, r};  // P6
  if (const registration* r = alias(key::Autocast)) return choice{inspect::row_reason::autocast_kernel, r};  // P7a
  if (slot != 0) {
    if (const registration* r = live.fallback(slot)) return choice{inspect::row_reason::backend_fallback, r};  // P8
    if (transparent_keys.has(k.layer)) return choice{inspect::row_reason::transparent, nullptr};
  }
  return choice{};  // P9
}

}  // namespace detail

}  // namespace topbit
