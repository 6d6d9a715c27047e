// The dispatch table under hypothetical registrations, without registering anything.
export module topbit.core:inspect.what_if;

import topbit.std;
import :dispatch.handle;
import :inspect.computed_table;
import :keys.key;

namespace topbit {

namespace inspect {

/// One registration more or less. A key alone means a kernel for it.
export struct supposition {
  enum class kind : std::uint8_t { kernel, fallthrough, fallback, no_kernel, no_fallback };
  kind what = kind::kernel;
  key_target key;

  constexpr supposition(dispatch_key k) noexcept : key(k) {}
  constexpr supposition(alias_key k) noexcept : key(k) {}
  constexpr supposition(kind w, key_target k) noexcept : what(w), key(k) {}
  friend constexpr bool operator==(const supposition&, const supposition&) = default;
};

/// A kernel for the key, newer than all others; no key means catch-all.
export constexpr supposition adding(key_target key) noexcept { return {supposition::kind::kernel, key}; }
/// A fallthrough for the key, newer than all others.
export constexpr supposition fallthrough_at(key_target key) noexcept { return {supposition::kind::fallthrough, key}; }
/// A backend fallback for the key, or for every key that the alias stands for.
export constexpr supposition fallback_at(key_target key) noexcept { return {supposition::kind::fallback, key}; }
/// Without the newest registration for the key: the one before it is active again, if there is one.
export constexpr supposition removing(key_target key) noexcept { return {supposition::kind::no_kernel, key}; }
/// Without the fallback for the key, or for every key that the alias stands for.
export constexpr supposition removing_fallback(key_target key) noexcept {
  return {supposition::kind::no_fallback, key};
}

export struct changed_row {
  table_row from, to;  // of the same key
};

export struct what_if_result {
  std::string op;  // empty: an operator for which nothing is registered
  std::vector<supposition> suppositions;
  std::vector<table_row> table;      // every slot but those that would miss a kernel, ascending
  std::vector<changed_row> changed;  // against what is registered now, ascending
};

}  // namespace inspect

export std::string_view name_of(inspect::supposition::kind k) noexcept;
/// "kernel for CPU", "no kernel for CPU", ...
export std::string to_string(const inspect::supposition& s);

/// The operator's table if these were registered, or taken back, one after the other; as if it were defined. Registers
/// nothing. Throws bad_registration where a registry would refuse, and where there is nothing to take back. Takes the
/// registry's lock and copies.
export inspect::what_if_result what_if(const operator_handle& op, std::span<const inspect::supposition> suppositions);
export inline inspect::what_if_result what_if(const operator_handle& op,
                                              std::initializer_list<inspect::supposition> suppositions) {
  return what_if(op, std::span<const inspect::supposition>(suppositions.begin(), suppositions.size()));
}
/// The same for an operator for which nothing is registered, in a registry without fallbacks.
export inspect::what_if_result what_if(std::span<const inspect::supposition> suppositions);
export inline inspect::what_if_result what_if(std::initializer_list<inspect::supposition> suppositions) {
  return what_if(std::span<const inspect::supposition>(suppositions.begin(), suppositions.size()));
}

/// Human-readable: what was supposed, what changes, and, for an operator for which nothing is registered, the table.
export std::string to_string(const inspect::what_if_result& r);

}  // namespace topbit
