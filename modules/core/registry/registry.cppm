// The registry: operators by name, their registrations, and the tables computed from them.
//
// Callers never come here; they read slots that were published. Everything that changes a registration takes one lock,
// checks first, then commits, then chooses the slots anew that can have changed. Entries are interned by name and C++
// signature and live as long as their registry; the process-wide registry is never destroyed.
export module topbit.core:registry.registry;

import topbit.std;
import :dispatch.functor;
import :dispatch.handle;
import :dispatch.kernel;
import :dispatch.operator_info;
import :keys.key;
import :keys.key_set;
import :registry.listener;
import :schema.tag;
import :text.error;

namespace topbit {

export class registry;

namespace detail {
struct registrar;
struct registry_state;
struct request;
// What a registry holds, for what reads it under the lock.
const registry_state& state_of(const registry& r) noexcept;
registry_state& state_of(registry& r) noexcept;
}  // namespace detail

/// Owns one registration and unregisters it when destroyed. Move-only; assigning over a live one unregisters that
/// first.
export class [[nodiscard("the registration ends when this is destroyed")]] registration {
 public:
  registration() noexcept = default;
  registration(registration&& other) noexcept;
  registration& operator=(registration&& other) noexcept;
  ~registration();
  /// Unregisters now.
  void reset() noexcept;
  /// Keeps it registered permanently.
  void keep() noexcept;

 private:
  friend class registry;
  inline registration(registry& r, detail::entry_head* e, std::uint64_t id) noexcept
      : registry_(&r), entry_(e), id_(id) {}
  registry* registry_ = nullptr;
  detail::entry_head* entry_ = nullptr;  // null: not about one operator
  std::uint64_t id_ = 0;
};

/// A set of operators. Tests and tools make their own, which must outlive what is registered in them; programs use
/// process().
/// Threads: every member may be called from any thread; lookups do not lock. A forked child may use process(), whatever
/// other threads were doing, and another registry unless one of them was changing it.
export class registry {
 public:
  registry();
  registry(const registry&) = delete;
  registry& operator=(const registry&) = delete;
  ~registry();

  /// The registry that operators declared in code bind to. Never destroyed.
  static registry& process() noexcept;

  /// The operator of this name. Throws unknown_operator, with the nearest name there is.
  operator_handle find(std::string_view name);
  std::optional<operator_handle> try_find(std::string_view name) noexcept;
  /// The operator of this name, also where kernels are registered for it and no definition is: a handle to look at, to
  /// take the typed handle of, and to keep. Calls throw no_kernel until it is defined. Takes the lock.
  std::optional<operator_handle> find_implemented(std::string_view name) const;
  /// Names of all defined operators, sorted. Takes the lock.
  std::vector<std::string> operators() const;

  /// Adds these keys to every call of every operator, on all threads, until the registration is taken back: how a layer
  /// is switched on for the process. Costs a call nothing. An operator without a kernel for such a key throws: register
  /// a fallback or a fallthrough() with it. After it ended, a redispatch to such a key that no argument brings and
  /// no kernel handles is passed on, since it cannot be told from a call that was under way.
  registration include_always(key_set keys, std::source_location where = std::source_location::current());
  /// Calls `tell` for every operator that is defined now, then for each definition and for each last withdrawal of one,
  /// in order, from the thread that caused it or from one that is telling already. It runs without the registry's lock
  /// and may register; it must not throw. When the registration is gone, it is not running and will not run again.
  /// Where the host has no memory left, a withdrawal may go untold.
  registration listen(std::function<void(const registry_event&)> tell,
                      std::source_location where = std::source_location::current());

  /// Claims a namespace: at most one claim per namespace lives. Throws bad_registration, naming both
  /// source locations.
  registration claim(std::string_view ns, std::source_location where);

 private:
  friend class registration;
  friend struct detail::registrar;
  friend const detail::registry_state& detail::state_of(const registry& r) noexcept;
  friend detail::registry_state& detail::state_of(registry& r) noexcept;
  friend registration name_backend(backend b, std::string_view name, std::source_location where);
  detail::entry_head& bind(const detail::operator_info& op);
  registration define(const detail::operator_info& op, std::source_location where);
  registration tag(const detail::operator_info& op, tag_set tags, std::source_location where);
  registration implement(const detail::operator_info& op, key_target target, const detail::kernel& impl,
                         std::source_location where, bool replaces = false);
  registration implement(const detail::operator_info& op, key_target target, detail::functor_ptr impl,
                         std::source_location where);
  // An alias registers a fallback for every key it stands for, or for none of them.
  registration fallback(key_target target, const detail::kernel& impl, std::source_location where);
  registration fallback(key_target target, detail::functor_ptr impl, std::source_location where);
  registration submit(detail::request r, std::source_location where, const detail::operator_info* op = nullptr,
                      std::string_view text = {});
  bool accepts(std::string_view what, key_target target, std::source_location where);
  void own(detail::functor_ptr k) noexcept;
  void withdraw(detail::entry_head* e, std::uint64_t id) noexcept;
  std::unique_ptr<detail::registry_state> state_;
};

namespace detail {

// Binds operators and registers kernels, for :op, :library and what is made of them.
struct registrar {
  static inline entry_head& bind(registry& r, const operator_info& op) { return r.bind(op); }
  static inline registration define(registry& r, const operator_info& op, std::source_location where) {
    return r.define(op, where);
  }
  static inline registration tag(registry& r, const operator_info& op, tag_set tags, std::source_location where) {
    return r.tag(op, tags, where);
  }
  static inline registration implement(registry& r, const operator_info& op, key_target target, const kernel& impl,
                                       std::source_location where, bool replaces = false) {
    return r.implement(op, target, impl, where, replaces);
  }
  static inline registration implement(registry& r, const operator_info& op, key_target target, functor_ptr impl,
                                       std::source_location where) {
    return r.implement(op, target, std::move(impl), where);
  }
  static inline registration fallback(registry& r, key_target target, const kernel& impl, std::source_location where) {
    return r.fallback(target, impl, where);
  }
  static inline registration fallback(registry& r, key_target target, functor_ptr impl, std::source_location where) {
    return r.fallback(target, std::move(impl), where);
  }
};

}  // namespace detail

/// The operator of this name in the process registry: `find("ns::name").typed<Sig>()` is the typed handle by name.
/// Throws unknown_operator, with the nearest name there is.
export inline operator_handle find(std::string_view name) { return registry::process().find(name); }

/// Gives one of the eight private backends its name: every instance of it prints so and parses so ("SparseNpu",
/// "AutogradNpu") until the registration is taken back. Giving the same name again is allowed. Throws bad_registration
/// for a backend that is not private, a name that is no identifier, or one that is in use, in whatever case: devices go
/// by their names in lower case.
export registration name_backend(backend b, std::string_view name,
                                 std::source_location where = std::source_location::current());

/// For functions that register: throws the error, unless the initialisers of a plugin run on this thread, through which
/// nothing may be thrown. Then it returns, and load_plugin() refuses the plugin with the error.
export namespace author {
void refuse_registration(const bad_registration& error, registry& r = registry::process());
}

namespace detail {

// What a record that throws calls: throws no_kernel, composed from the entry and the keys each argument brought, or
// returns the set to select again with, where the call met a change half way.
key_set reselect_or_raise(const entry_head& e, key_set keys, std::span<const key_set> arguments);

}  // namespace detail

}  // namespace topbit
