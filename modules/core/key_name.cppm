// Names of keys and sets: printing is total, parsing accepts exactly what printing makes, aliases included.
export module topbit.core:key_name;

import topbit.std;
import :key;
import :key_set;

namespace topbit {

export std::string_view name_of(backend b) noexcept;
export std::string_view name_of(functionality f) noexcept;
export std::string_view name_of(alias_key a) noexcept;

/// "CPU", "SparseCUDA", "AutogradMeta", "BackendSelect"; "Undefined" for no key.
export std::string to_string(dispatch_key k);
export std::string to_string(alias_key a);
export std::string to_string(key_target t);
/// "{CPU, ADInplaceOrView, AutogradCPU}", ascending; "{}" when empty.
export std::string to_string(key_set s);

/// The key with this name, or nothing. Cost: linear in the number of names; for tools and tests.
export std::optional<key_target> parse_key(std::string_view name);

}  // namespace topbit
