// What a registry holds behind its lock, and the one way it changes: requests are checked and applied, all of them or
// none; then the slots they can change are chosen anew. Internal.
module topbit.core:registry.registry_state;

import topbit.std;
import :dispatch.functor;
import :dispatch.handle;
import :dispatch.kernel;
import :dispatch.operator_info;
import :keys.key;
import :keys.key_set;
import :keys.slot_relations;
import :registry.entry;
import :registry.listener;
import :registry.name_table;
import :schema.tag;
import :text.strings;

namespace topbit {

namespace detail {

enum class request_kind : std::uint8_t { define, tag, implement, fallback, claim, always, backend_name, listen };

/// A requested registration as plain data that outlives the shared object it came from.
struct request {
  request_kind kind;
  bool replaces = false;  // implement: a kernel must be there
  bool of_plugin = false;
  key_target target = key::Undefined;
  std::uint64_t id = 0;
  detail::place where{};
  entry* op = nullptr;                    // define, tag, implement
  const schema_record* schema = nullptr;  // define
  tag_set tags{};                         // tag
  const kernel* impl = nullptr;           // implement, fallback
  key_set keys{};                         // always
  backend named = backend::none;          // backend_name
  const void* image = nullptr;            // where the request came from
  std::string_view text{};                // claim: the namespace; backend_name: the name
  std::shared_ptr<const heard> hears{};   // listen
};

struct claimed_namespace {
  std::uint64_t id;
  std::string_view name;
  detail::place where;
};
struct included_layers {
  std::uint64_t id;
  key_set keys;
  detail::place where;
};
struct named_backend {
  std::uint64_t id;
  backend which;
  std::string_view name;
  detail::place where;
};

struct registry_state {
  mutable std::mutex mutex;
  string_pool strings;
  name_table names;
  std::vector<std::unique_ptr<entry>> entries;
  std::vector<std::unique_ptr<live_registration>> fallback_registrations;
  fallback_table fallbacks{};
  std::vector<claimed_namespace> namespaces;
  std::vector<included_layers> always;
  key_set always_included;
  key_set ever_included;  // by include_always(), at any time: see reselect_or_raise()
  std::vector<named_backend> backend_names;
  listeners heard_by;
  std::vector<std::vector<request>*> batches;  // that may be taken back and come again
  functor_ptr functors;                        // all there ever were, each the next of the one before it
  std::vector<std::string> overrides;          // to be warned of when the lock is free
  std::uint64_t next_id = 1;
  bool traced = false;  // slots hold tracers

  ~registry_state();

  // All of this is called under the lock.

  // The entry of this name and signature, made if there is none.
  entry& intern(const operator_info& op);
  // The entry of this name that is defined, or else has kernels; null if there is none.
  entry* live(std::string_view name) const noexcept;
  // Checks and applies all requests, or throws and leaves everything as it was.
  void commit(std::span<const request> requests);
  // Tells listeners and the error output what came of it, releasing the lock meanwhile.
  void tell(std::unique_lock<std::mutex>& lock) noexcept;
  // What has ended with a registration and is dealt with after the lock is released: a listener to be silenced,
  // a kernel whose object goes.
  struct ended {
    std::shared_ptr<listener> listens = nullptr;
    const kernel* impl = nullptr;
    void settle() noexcept;
  };
  // Takes back what the id stands for, if anything, now or in a batch that may come again.
  ended withdraw(entry* op, std::uint64_t id) noexcept;
  // Takes a batch back, and out of it what somebody has taken back before. Returns its listeners, the next behind the
  // other, to be silenced without the lock.
  std::shared_ptr<listener> withdraw(std::vector<request>& batch) noexcept;
  // The slots of an operator without kernels that do not raise: a fallback serves them, or calls pass through.
  slot_set slots_of_every_operator() const noexcept;
  // Puts tracers into the slots of every operator, or takes them out.
  void follow_trace(bool on) noexcept;
  // The defined name nearest to this one, if near enough to be a slip of the pen; else empty.
  std::string nearest(std::string_view name) const;

 private:
  // What has been added to the lists, or taken from them, and is not yet seen by callers.
  struct change {
    request_kind kind;
    key_target target = key::Undefined;
    entry* op = nullptr;
    std::uint64_t id = 0;
    backend named = backend::none;
    std::shared_ptr<listener> listens = nullptr;
    const kernel* impl = nullptr;
  };
  void apply(const request& r);
  void define(const request& r);
  void tag(const request& r);
  void implement(const request& r);
  void note_override(const request& r, const live_registration& other);
  void add_fallback(const request& r);
  void claim(const request& r);
  void name_backend(const request& r);
  void listen(const request& r);
  std::optional<change> remove(entry* op, std::uint64_t id) noexcept;
  void publish(std::span<const request> batch, bool removed) noexcept;
  void publish(const change& c) noexcept;
  void refresh_all(const slot_set& slots) noexcept;
};

// "there are kernels for CPU (a.cpp:3), Autograd (b.cpp:9)"
std::string kernels_text(const entry& e);

}  // namespace detail

}  // namespace topbit
