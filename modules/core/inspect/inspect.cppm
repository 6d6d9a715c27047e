// What is registered, as data: one operator or a whole registry, with every place, and what overrides what.
//
// A dump is sorted and names no addresses, so two of them are equal exactly if the same is registered in the same
// order: a registration that was refused leaves an equal one behind. Nothing here decides anything; :table does.
export module topbit.core:inspect.inspect;

import topbit.std;
import :dispatch.handle;
import :keys.key;
import :keys.key_set;
import :registry.registry;
import :schema.tag;

namespace topbit {

namespace inspect {

/// Where something was registered. Line 0: not in a source file; `file` then says in parentheses what made it.
export struct source_location {
  std::string file;
  unsigned line = 0;
  friend bool operator==(const source_location&, const source_location&) = default;
};

/// How a registered kernel can be called.
export enum class kernel_form : std::uint8_t {
  typed,        // can be called with C++ arguments and with values
  boxed,        // takes values only
  fallthrough,  // no function: calls pass through the key
  generated     // made from the signature: the BackendSelect kernel of an operator that a device argument places
};

/// One registration of a kernel.
export struct kernel_dump {
  key_target key;
  kernel_form form = kernel_form::typed;
  source_location place{};
  std::optional<source_location> overridden_by{};  // the newest for the same key; empty if this one is active
  bool replaces = false;                           // registered by replace()
  std::string note{};                              // what the kernel does, if it says
  friend bool operator==(const kernel_dump&, const kernel_dump&) = default;
};

/// What is registered for one operator.
export struct operator_dump {
  std::string name;                          // "ns::name.overload"
  std::string schema;                        // canonical; inferred where only a C++ signature was given
  std::string signature;                     // C++
  tag_set tags;                              // given, or following from the schema
  std::vector<source_location> definitions;  // oldest first; empty if it is implemented and never defined
  std::vector<kernel_dump> kernels;          // slots ascending, then aliases; newest first for each key
  friend bool operator==(const operator_dump&, const operator_dump&) = default;
};

/// A namespace that a library() block owns.
export struct namespace_dump {
  std::string name;
  source_location owner;
  friend bool operator==(const namespace_dump&, const namespace_dump&) = default;
};

/// Keys that include_always() adds to every call.
export struct layer_dump {
  key_set keys;
  source_location place{};
  friend bool operator==(const layer_dump&, const layer_dump&) = default;
};

/// A name that name_backend() gives to a private backend.
export struct backend_name_dump {
  backend which = backend::none;
  std::string name;
  source_location place{};
  friend bool operator==(const backend_name_dump&, const backend_name_dump&) = default;
};

/// Everything registered in a registry except listeners; operators without registrations are left out.
export struct registry_dump {
  std::vector<operator_dump> operators;          // by name, then by signature
  std::vector<kernel_dump> fallbacks;            // slots ascending, then aliases
  std::vector<namespace_dump> namespaces;        // by name
  std::vector<layer_dump> layers;                // oldest first
  std::vector<backend_name_dump> backend_names;  // backends ascending, oldest first
  friend bool operator==(const registry_dump&, const registry_dump&) = default;
};

/// Names of the operators, defined or not, that have a kernel registered for exactly this key or alias; sorted. A
/// fallthrough counts. Takes the lock.
export std::vector<std::string> operators_with_kernel(key_target key, const registry& r = registry::process());
/// Names of the operators that are implemented and not defined: calls to them throw. Sorted. Takes the lock.
export std::vector<std::string> dangling_operators(const registry& r = registry::process());

/// Is a kernel registered for exactly this key or alias? A fallthrough and a generated kernel count. Takes the lock.
export bool has_kernel(const operator_handle& op, key_target key);
/// Is the newest registration for exactly this key or alias a fallthrough? Takes the lock.
export bool is_fallthrough_at(const operator_handle& op, key_target key);

}  // namespace inspect

/// "file:line"; without a line the file alone.
export std::string to_string(const inspect::source_location& p);

export std::string_view name_of(inspect::kernel_form f) noexcept;

/// What is registered for the operator. Takes the registry's lock and copies; cost: linear in what it returns.
export inspect::operator_dump dump(const operator_handle& op);
export inspect::registry_dump dump(const registry& r = registry::process());

/// Human-readable: one fact per line.
export std::string to_string(const inspect::kernel_dump& k);
export std::string to_string(const inspect::operator_dump& d);
export std::string to_string(const inspect::registry_dump& d);

}  // namespace topbit
