// An operator's entry: the head and rows that calls read, and behind them, under the registry's lock, what they were
// computed from. Internal: templates outside this module see only the head.
export module topbit.core:entry;

import topbit.std;
import :handle;
import :kernel;
import :key;
import :key_set;
import :operator_info;
import :schema;
import :table;

namespace topbit {

namespace detail {

struct live_registration {
  std::uint64_t id;
  key_target target;
  const kernel* impl;
  std::string file;
  unsigned line;
};

struct live_definition {
  std::uint64_t id;
  std::string file;
  unsigned line;
};

struct registry_state;

// A schema text and its parts. Interned per entry and never changed, so that views of it may be handed out.
struct schema_record {
  std::string text;
  std::optional<schema> parsed;  // absent where only a C++ signature was given
  explicit schema_record(const operator_info& op);
};

// One per (name, C++ signature). Immortal: it stays when everything registered for it is gone, and is found again.
struct entry : entry_head {
  std::atomic<const kernel*> more_rows[row_count - 1];

  std::string name, signature_name, signature_identity;
  const signature_info* signature;
  registry_state* home;
  std::atomic<const schema_record*> schema_now;  // that of the live definition, or of whoever came first
  std::atomic<bool> defined{false};
  bool was_defined = false;
  entry* next_of_name = nullptr;  // other signatures; set before the entry is published

  std::vector<live_definition> definitions;      // identical ones; the operator is defined while there is one
  std::vector<live_registration> registrations;  // newest last

  entry(const operator_info& op, registry_state& registry);
  entry(const entry&) = delete;
  ~entry();

  // "argument 2 'other'"
  std::string argument_label(std::size_t index) const;
  inline const schema_record& schema_of() const noexcept { return *schema_now.load(std::memory_order_acquire); }
  const schema_record& intern(const operator_info& op);
  inline void store_row(unsigned row, const kernel* k) noexcept { (&row0)[row].store(k, std::memory_order_release); }

  // Records are made once and reused, so their number is bounded by what was ever registered.
  inline const kernel* raiser() const noexcept { return raiser_; }
  // The BackendSelect kernel made from the signature; null if there is none to make.
  inline const live_registration* generated() const noexcept { return selector_.get(); }
  const kernel* skip_of(functionality f);
  const kernel* adapter_of(const kernel* boxed);

 private:
  kernel* make(kernel_kind kind);
  std::vector<kernel*> records_;
  kernel* raiser_ = nullptr;
  std::unique_ptr<live_registration> selector_;
  std::vector<std::unique_ptr<schema_record>> schemas_;
};

inline entry& entry_of(entry_head& head) noexcept { return static_cast<entry&>(head); }
inline const entry& entry_of(const entry_head& head) noexcept { return static_cast<const entry&>(head); }

// The rows of an entry are reached from row0 by index.
static_assert(sizeof(std::atomic<const kernel*>) == sizeof(void*) && alignof(entry_head) == sizeof(void*));

// What is live for one entry, looked up once per publication: the input of row_value.
class live_kernels {
 public:
  using fallback_table = std::array<const live_registration*, row_count>;
  live_kernels(const entry& e, const fallback_table& fallbacks) noexcept;
  inline const live_registration* direct(unsigned row) const noexcept { return direct_[row]; }
  inline const live_registration* alias(alias_key a) const noexcept { return alias_[a.index]; }
  inline const live_registration* fallback(unsigned row) const noexcept { return fallbacks_[row]; }

 private:
  std::array<const live_registration*, row_count> direct_{};
  std::array<const live_registration*, alias_count> alias_{};
  const fallback_table& fallbacks_;
};

// True if a row with this choice is passed through instead of being run.
bool passes_through(const row_choice<live_registration>& choice) noexcept;

// Recomputes all rows and words of an entry and stores them for the callers.
void publish(entry& e, const live_kernels::fallback_table& fallbacks);

// Keeps the shared library that contains the address mapped for good; its code may be in a row. Waits for the dynamic
// loader, so no lock may be held that an initialiser of a library could want: the registry's above all.
void pin_image_of(const void* address) noexcept;

}  // namespace detail

}  // namespace topbit
