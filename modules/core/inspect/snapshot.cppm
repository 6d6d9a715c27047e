// What is registered, copied under the registry's lock: what every answer about a registry is made from, so that the
// selection and the texts are made when the lock is free, and only snapshot.cpp knows how an entry stores things.
// Internal.
module topbit.core:inspect.snapshot;

import topbit.std;
import :dispatch.handle;
import :dispatch.kernel;
import :dispatch.precedence;
import :inspect.computed_table;
import :inspect.explain;
import :inspect.inspect;
import :keys.key;
import :keys.key_set;
import :keys.slot_relations;
import :registry.registry;
import :schema.tag;

namespace topbit {

namespace detail {

struct known_kernel {
  key_target key;
  inspect::kernel_form form = inspect::kernel_form::typed;
  inspect::source_location place;
  const kernel* impl = nullptr;  // null where the registration is only supposed
  bool replaces = false;
  std::string note{};       // what the kernel does, if it says, or its remark
  std::string_view word{};  // of its remark
};

struct known_fallbacks {
  std::vector<known_kernel> kernels;  // one per registration
  std::array<std::int32_t, author::row_count>
      of_slot{};  // one more than the index of the slot's fallback; 0: it has none
};

// A record that callers find in a slot, as far as it can be compared.
struct stored_record {
  kernel_kind kind;
  const kernel* record;
  const void* state;
};

struct known_operator {
  std::string name, schema, signature;
  tag_set tags;
  std::vector<inspect::source_location> definitions;  // oldest first
  std::vector<known_kernel> kernels;                  // oldest first; the generated one before all others
  std::vector<std::string> argument_labels;           // "argument 2 'other'"
  key_set mask, always;                               // as callers read them
};

// One operator, with what it takes to select a kernel.
struct snapshot {
  known_operator op;
  known_fallbacks fallbacks;
};
snapshot take_snapshot(const operator_handle& op);

struct registry_snapshot {
  std::vector<known_operator> operators;  // by name, then by signature; only those with something registered
  known_fallbacks fallbacks;
  std::vector<inspect::namespace_dump> namespaces;
  std::vector<inspect::layer_dump> layers;
  std::vector<inspect::backend_name_dump> backend_names;
};
registry_snapshot take_snapshot(const registry& r);

// The rest of what verify compares.
struct published {
  snapshot from;  // of the same moment
  std::vector<stored_record> slots;
  std::uint64_t mask = 0, always = 0;
  bool defined = false;
  key_set layers, wanted_layers;           // of every call: as kept, and as registered
  std::optional<std::string> schema_name;  // absent where there is no schema
  std::size_t schema_arguments = 0, arguments = 0;
};
published take_published(const operator_handle& op);

// The input of choose_for_slot, made of copies. Refers to them.
class known_live {
 public:
  known_live(std::span<const known_kernel> kernels, const known_fallbacks& fallbacks) noexcept;
  inline const known_kernel* direct(unsigned slot) const noexcept { return direct_[slot]; }
  inline const known_kernel* alias(alias_key a) const noexcept { return alias_[a.index]; }
  inline const known_kernel* fallback(unsigned slot) const noexcept {
    const std::int32_t i = fallbacks_.of_slot[slot];
    return i == 0 ? nullptr : &fallbacks_.kernels[static_cast<std::size_t>(i - 1)];
  }
  // The newest registration for exactly this target, or null.
  inline const known_kernel* at(key_target t) const noexcept {
    return t.is_alias() ? alias(alias_key{t.alias}) : direct(slot_index(t.row));
  }

 private:
  std::array<const known_kernel*, author::row_count> direct_{};
  std::array<const known_kernel*, author::alias_count> alias_{};
  const known_fallbacks& fallbacks_;
};

// True if calls pass through a slot with this choice. The slot of no key has nothing below it to pass to.
bool passes(const slot_choice<known_kernel>& choice, dispatch_key k) noexcept;
// True if a call that selects this slot runs a kernel.
bool runs(const slot_choice<known_kernel>& choice) noexcept;

// What the slot of this key holds.
inspect::table_row row_at(const known_live& live, dispatch_key k);
// Is there something in this slot that a call can use or must be told about?
bool is_usable(const inspect::table_row& row) noexcept;
// No key means catch-all, as at registration.
inline key_target as_registered(key_target t) noexcept {
  return t == key_target(key::Undefined) ? key_target(key::CompositeImplicitAutograd) : t;
}
// Slots ascending, then aliases.
unsigned order_of(key_target t) noexcept;

// The body of explain, from a copy.
inspect::explanation explain_known(const snapshot& s, std::span<const key_set> arguments,
                                   std::optional<key_set> placed);

}  // namespace detail

}  // namespace topbit
