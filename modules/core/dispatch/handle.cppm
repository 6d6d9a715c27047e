// An operator known by name: what boxed kernels receive, what find() returns.
//
// A handle is one pointer to an entry that is never freed. If the operator is withdrawn, calls through the handle
// throw; if it is registered again with the same signature, they work again.
export module topbit.core:dispatch.handle;

import topbit.std;
import :boxing.stack;
import :dispatch.kernel;
import :keys.key;
import :keys.key_set;
import :schema.schema;
import :schema.tag;

namespace topbit {

namespace inspect {

/// One registration as data.
export struct kernel_record {
  key_target target;
  bool boxed = false;
  bool fallthrough = false;
  std::string file;
  unsigned line = 0;
};

}  // namespace inspect

export template <class Sig>
class typed_handle;

namespace detail {
struct handle_access;
}  // namespace detail

export class operator_handle {
 public:
  /// "ns::name.overload"
  std::string_view name() const noexcept;
  /// The same for all handles of this operator, and for no other operator while its registry lives: for tables of one's
  /// own. An operator that is withdrawn and defined again with the same signature keeps it.
  inline const void* id() const noexcept { return entry_; }
  /// The schema text, canonical; inferred from the C++ signature where only that was given.
  std::string_view schema() const;
  /// The schema in parts, whose arguments say what the operator writes. Null where only a C++ signature was given.
  /// Stays valid for good. Parsed when it is first asked for, which allocates; after that it costs a load.
  const author::schema_view* parsed_schema() const;
  /// The tags that it was given, and those that follow from its schema. Parses the schema when it is first asked for.
  tag_set tags() const;
  /// The C++ signature, human-readable.
  std::string_view signature() const noexcept;
  std::size_t argument_count() const noexcept;
  /// "argument 2 'other'" for index 1, as errors call it; without the name where none is known.
  std::string argument_label(std::size_t index) const;
  std::size_t result_count() const noexcept;
  /// True while a definition is registered.
  bool is_defined() const;
  /// What is registered for this operator, newest last. Takes the registry's lock.
  std::vector<inspect::kernel_record> kernels() const;

  /// Calls with the topmost argument_count() values, which the result_count() results replace.
  inline void call_boxed(boxed_stack& s) const { entry_->call_boxed(entry_, s); }
  /// The same without looking at arguments or thread state: `keys` is the set, keys without a kernel are skipped.
  inline void redispatch_boxed(key_set keys, boxed_stack& s) const {
    const key_set left = key_set::from_raw(keys.raw() & entry_->mask.load(std::memory_order_relaxed));
    const detail::kernel* k = entry_->slot(left.row());
    k->boxed(k, *this, left, s);
  }

  /// Calls the kernel registered for this very key, or else the key's fallback; composites and what calls pass through
  /// do not count. It receives the key alone as its set. Throws no_kernel where there is neither. Takes the registry's
  /// lock to find it: for tools and tests, not for layers.
  void call_boxed_at(dispatch_key k, boxed_stack& s) const;

  /// The handle with its C++ signature; throws bad_argument, showing both, if the operator has another one.
  template <class Sig>
  typed_handle<Sig> typed() const;

  friend inline bool operator==(operator_handle a, operator_handle b) noexcept { return a.entry_ == b.entry_; }

 private:
  friend struct detail::handle_access;
  inline explicit operator_handle(detail::entry_head& e) noexcept : entry_(&e) {}
  detail::entry_head* entry_;
};

namespace detail {
// A handle and its entry, for what calls.
struct handle_access {
  static inline operator_handle of(entry_head& e) noexcept { return operator_handle(e); }
  static inline entry_head& entry(const operator_handle& h) noexcept { return *h.entry_; }
};
struct signature_info;
// What call_at() and call_boxed_at() run.
const kernel* kernel_at(const entry_head& e, dispatch_key k);
// Whether it is called by this signature; from now on, where it was defined from a text that says the same.
bool has_signature(const operator_handle& h, const signature_info& wanted);
[[noreturn]] void raise_wrong_signature(const operator_handle& h, std::string_view wanted);
}  // namespace detail

}  // namespace topbit
