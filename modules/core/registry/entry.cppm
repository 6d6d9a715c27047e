// An operator's entry: the head and slots that calls read, and behind them, under the registry's lock, what they were
// computed from. Internal: templates outside this module see only the head.
module topbit.core:registry.entry;

import topbit.std;
import :dispatch.handle;
import :dispatch.kernel;
import :dispatch.operator_info;
import :dispatch.precedence;
import :keys.key;
import :keys.key_set;
import :keys.slot_relations;
import :registry.text_signature;
import :schema.schema;
import :schema.tag;
import :text.strings;

namespace topbit {

namespace detail {

struct registry_state;
struct entry;

// One registered kernel. Small: an operator has several.
struct live_registration {
  std::uint64_t id;
  const kernel* impl;
  const char* file;
  unsigned line;
  key_target target;
  bool replaces;  // said so, with replace()
  inline std::string place() const { return detail::place{file, line}.text(); }
};

// A schema text as it was given. Its canonical form and its parts are made on demand: most operators live and
// die without. Interned per entry and never changed, so that views of it may be handed out.
class schema_record {
 public:
  schema_record(const entry& op, std::string_view given) noexcept : op_(&op), given_(given) {}
  ~schema_record();
  std::string_view given() const noexcept { return given_; }
  // Canonical; the operator's name and its C++ types where only a signature was given.
  std::string_view text() const;
  // Null where only a C++ signature was given: some of its types would parse as something else.
  const schema* parsed() const;

  schema_record* next = nullptr;

 private:
  struct parts {
    std::string text;
    std::optional<schema> parsed;
  };
  const parts& made() const;
  const entry* op_;
  std::string_view given_;
  mutable std::atomic<const parts*> parts_ = nullptr;
};

struct live_definition {
  std::uint64_t id;
  const schema_record* schema;
  detail::place where;
};

struct live_tags {
  std::uint64_t id;
  tag_set tags;
  detail::place where;
};

struct free_record {
  void operator()(kernel* k) const noexcept { ::operator delete(k); }
};
using record_ptr = std::unique_ptr<kernel, free_record>;

struct tracing;
struct free_tracing {
  void operator()(tracing* t) const noexcept;
};

// Read by everybody, and set twice at most: see entry::adopt().
class known_signature {
 public:
  explicit known_signature(const signature_info* s) noexcept : now_(s) {}
  inline const signature_info* get() const noexcept { return now_.load(std::memory_order_acquire); }
  inline const signature_info& operator*() const noexcept { return *get(); }
  inline const signature_info* operator->() const noexcept { return get(); }
  inline void set(const signature_info& s) noexcept { now_.store(&s, std::memory_order_release); }

 private:
  std::atomic<const signature_info*> now_;
};

// One per (name, C++ signature). Immortal: it stays when everything registered for it is gone, and is found again.
struct entry : entry_head {
  std::atomic<const kernel*> more_slots[author::row_count - 1];

  std::string_view name;
  known_signature signature;
  const text_signature* made_from;  // of an entry that was made from one; else null
  registry_state* home;
  entry* first_of_name = this;  // the list of the signatures of one name
  std::atomic<entry*> next_of_name = nullptr;
  std::atomic<const schema_record*> schema_now;  // that of the live definition, or of whoever came first
  std::atomic<bool> defined{false};
  bool was_defined = false;

  std::atomic<tag_set> tags_now{tag_set()};  // all of `tags`

  std::vector<live_tags> tags;                   // as given
  std::vector<live_definition> definitions;      // identical ones; the operator is defined while there is one
  std::vector<live_registration> registrations;  // newest last

  entry(const operator_info& op, const signature_info& of_op, registry_state& registry);
  entry(const entry&) = delete;
  ~entry();

  // "argument 2 'other'"
  std::string argument_label(std::size_t index) const;
  // "defined at f.cpp:12", "implemented for CPU at g.cpp:3"; empty where nothing is live. Under the lock.
  std::string origin() const;
  // Given, or following from the schema.
  tag_set all_tags() const;
  inline const schema_record& schema_of() const noexcept { return *schema_now.load(std::memory_order_acquire); }
  const schema_record& intern(std::string_view schema_text);

  // Records are made once and reused, so their number is bounded by what was ever registered.
  // Makes what publishing this kernel will need, so that publishing cannot fail.
  void prepare(const kernel& impl);
  void prepare(const schema_record& s) const;
  // The BackendSelect kernel made from the signature; null if there is none to make.
  inline const live_registration* generated() const noexcept { return generated_.get(); }

  // What calls reach by this slot, through the tracer where there is one.
  const kernel* behind(unsigned slot) const noexcept;
  inline bool raises(unsigned slot) const noexcept { return behind(slot) == raiser_.get(); }
  // What a slot with this choice holds.
  const kernel* record_of(unsigned slot, const slot_choice<live_registration>& choice) const noexcept;
  // The record by which calls reach this kernel: itself, or its adapter.
  const kernel* front_of(const kernel& impl) const noexcept;
  // Chooses anew for these slots and stores what changed, then the words that follow from the slots.
  void refresh(const slot_set& slots) noexcept;
  // Lets an entry that was made from a text be called by this signature, which is the same. Under the registry's lock;
  // the shared object of the signature has been pinned.
  void adopt(const signature_info& typed);
  inline bool lacks_typed_entry() const noexcept { return made_from != nullptr && signature.get() == made_from; }
  // Lets calls reach the operator, or stops them, as its definitions now say. True if that is a change.
  bool follow_definitions() noexcept;
  // Puts the tracer into the slots, or takes it out of them, as the registry now says.
  void follow_trace() noexcept;

 private:
  void refresh_words(const slot_set& slots) noexcept;
  record_ptr make(kernel_kind kind);
  inline const kernel* stored(unsigned slot) const noexcept { return (&slot0)[slot].load(std::memory_order_relaxed); }
  void store(unsigned slot, const slot_choice<live_registration>& choice) noexcept;
  // What a traced slot holds instead of `record`: the tracer, or where there is no memory for it `record` itself.
  const kernel* traced(unsigned slot, const slot_choice<live_registration>& choice, const kernel* record) noexcept;

  kernel* tracer() const noexcept;
  bool reachable_ = false;                   // slots hold what is live; otherwise every one of them throws
  record_ptr raiser_;                        // throws no_kernel
  record_ptr skip_;                          // passes through
  record_ptr selector_;                      // selects by the device argument; null if the signature has none
  std::uint64_t seen_ = functionality_bits;  // functionalities that some slot does not pass through
  // Where in adapters_ this kernel's is, or would be.
  std::vector<record_ptr>::const_iterator place_of_adapter(const kernel& impl) const noexcept;
  std::vector<record_ptr> adapters_;  // one per boxed kernel that ever served this operator, by its address
  std::unique_ptr<live_registration> generated_;
  schema_record first_schema_;
  std::unique_ptr<tracing, free_tracing> tracing_;  // made by the first trace, and kept
};

inline entry& entry_of(entry_head& head) noexcept { return static_cast<entry&>(head); }
inline const entry& entry_of(const entry_head& head) noexcept { return static_cast<const entry&>(head); }

// The slots of an entry are reached from slot0 by index.
static_assert(sizeof(std::atomic<const kernel*>) == sizeof(void*) && alignof(entry_head) == sizeof(void*));

using fallback_table = std::array<const live_registration*, author::row_count>;

// What is live for one entry, looked up once per publication: the input of choose_for_slot.
class live_kernels {
 public:
  explicit live_kernels(const entry& e) noexcept;
  inline const live_registration* direct(unsigned slot) const noexcept {
    return direct_slots_.has(slot) ? newest(slot) : nullptr;
  }
  inline const live_registration* alias(alias_key a) const noexcept { return alias_[a.index]; }
  inline const live_registration* fallback(unsigned slot) const noexcept { return (*fallbacks_)[slot]; }

 private:
  const live_registration* newest(unsigned slot) const noexcept;
  const entry* entry_;
  const fallback_table* fallbacks_;
  slot_set direct_slots_;
  std::array<const live_registration*, author::alias_count> alias_{};
};

// True if a slot with this choice is passed through instead of being run.
bool passes_through(const slot_choice<live_registration>& choice) noexcept;

// The shared object an address belongs to, as the link_map of the dynamic loader; null for none that is known.
const void* image_of(const void* address) noexcept;
// The file name of the shared object an address belongs to.
std::string image_name(const void* address);
// All of them, in no order.
std::vector<const void*> loaded_images();
// Keeps the shared library that contains the address mapped for good; its code may be in a slot. Waits for the dynamic
// loader, so no lock may be held that an initialiser of a library could want: the registry's above all.
void pin_image_of(const void* address);

}  // namespace detail

}  // namespace topbit
