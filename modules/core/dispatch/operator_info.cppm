// What the registry must know of an operator and of its signature: plain constant data, made by the templates of :op,
// read by code that is no template. Views point into the shared object that declares the operator; the registry copies
// names and texts, and pins the shared object of a signature, whose functions it calls.
export module topbit.core:dispatch.operator_info;

import topbit.std;
import :boxing.slot;
import :boxing.value;
import :dispatch.kernel;
import :schema.extract;
import :schema.mismatch;
import :schema.signature_types;
import :text.text;
import :version;

namespace topbit {

namespace detail {

struct signature_info {
  std::string_view identity;  // its type's raw name: the same across shared objects, unless
  bool is_local;              // some of its types are known to one source file only
  std::size_t arguments;
  std::size_t results;
  bool selects_backend;  // no argument brings keys of a place, and one says where to run
  bool result_aliases;   // a result is an argument: which one, the schema says
  entry_head::boxed_call_function call_boxed;
  // A new record of this kind with the signature's entry points. Freed by ::operator delete.
  kernel* (*make)(kernel_kind);
  const version_note* built_with;
  std::span<const slot_info> argument_slots;
  signature_types types;  // for sentences about what differs

  // Human-readable: "image(const image&, double)".
  std::string_view name() const noexcept { return name_for_people(identity); }

  friend inline bool operator==(const signature_info& a, const signature_info& b) noexcept {
    return &a == &b || (!a.is_local && a.identity == b.identity);
  }
};

// Where a signature's record is: known, or what a function returns, so that a constant can say so without making it.
class signature_pointer {
 public:
  constexpr signature_pointer() noexcept = default;
  constexpr signature_pointer(const signature_info* known) noexcept : known_(known) {}
  constexpr signature_pointer(const signature_info& (*find)() noexcept) noexcept : find_(find) {}
  inline operator const signature_info*() const noexcept { return find_ == nullptr ? known_ : &find_(); }
  inline const signature_info* operator->() const noexcept { return *this; }

 private:
  const signature_info* known_ = nullptr;
  const signature_info& (*find_)() noexcept = nullptr;
};

struct operator_info {
  std::string_view name;  // "ns::name.overload"
  std::string_view ns;
  std::string_view schema;  // empty where only a C++ signature was given
  signature_pointer signature;
};

template <class Sig>
inline constexpr bool signature_selects_backend = false;
template <class R, class... A>
inline constexpr bool signature_selects_backend<R(A...)> =
    !(may_place<A> || ...) && (author::selects_backend<std::remove_cvref_t<A>> || ...);

}  // namespace detail

}  // namespace topbit
