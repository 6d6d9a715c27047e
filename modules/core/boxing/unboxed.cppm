// How one argument or result of a signature is borrowed into a stack slot, type-checked there, and read back.
export module topbit.core:boxing.unboxed;

import topbit.std;
import :boxing.boxed_form;
import :boxing.boxed_type;
import :boxing.slot;
import :boxing.value;
import :keys.key_set;
import :schema.extract;

namespace topbit {

namespace detail {

// Boxes one argument of a typed call without owning it. An empty optional is none.
template <class A>
value borrowed(std::remove_reference_t<A>& x) noexcept {
  using T = std::remove_cvref_t<A>;
  if constexpr (is_written<A>)
    return value::refer<T>(x);
  else if constexpr (is_optional<T>::value)
    return x.has_value() ? borrowed<const typename T::value_type&>(*x) : value();
  else
    return value::borrow<T>(x);
}

// An optional around a handle that a value holds. It contains the handle's bytes, which are not destroyed: no count is
// taken. It must not outlive the value.
template <class T>
class lent_optional {
 public:
  explicit lent_optional(const T* x) noexcept {
    std::construct_at(&held_);
    if (x == nullptr) return;
    held_.emplace();
    std::memcpy(static_cast<void*>(std::addressof(*held_)), static_cast<const void*>(x), sizeof(T));
  }
  lent_optional(const lent_optional&) = delete;
  ~lent_optional() {}
  inline operator const std::optional<T>&() const noexcept { return held_; }

 private:
  union {
    std::optional<T> held_;
  };
};
// A default that owns nothing may be written over.
template <class T>
inline constexpr bool is_lent_in_optional =
    author::boxed_inline<T> && !std::is_trivially_copyable_v<T> && std::is_nothrow_default_constructible_v<T>;

// The optional that a parameter takes, of what a value holds, or of nothing.
template <class Optional, class Held>
decltype(auto) optional_of_held(const Held* x) {
  using T = Optional::value_type;
  if constexpr (is_lent_in_optional<T>)
    return lent_optional<T>(x);
  else
    return x == nullptr ? Optional() : Optional(std::in_place, to_own<T>(*x));
}

// A stack slot as parameter type A. References bind to the slot, views are copied out.
template <class A>
struct unboxed {
  using T = std::remove_cvref_t<A>;
  static constexpr bool optional = is_optional<T>::value && !is_written<A>;
  static constexpr auto held_type() {
    if constexpr (is_written<A>)
      return std::type_identity<T>();
    else if constexpr (optional)
      return std::type_identity<canonical_t<typename T::value_type>>();
    else
      return std::type_identity<canonical_t<T>>();
  }
  using held = decltype(held_type())::type;
  static std::string_view wanted() noexcept { return boxed_name<T>(); }

  static bool fits(const value& v) noexcept { return (optional && v.is_none()) || v.is<held>(); }
  static decltype(auto) read(value& v) {
    if constexpr (is_written<A>)
      return v.template write<T>();
    else if constexpr (optional)
      return optional_of_held<T, held>(v.is_none() ? nullptr : &std::as_const(v).template get<held>());
    else
      return std::as_const(v).template get<held>();
  }

  // The same for a value that a typed call borrowed. Nothing but `owned` may be set if it is one.
  static std::uintptr_t difference(const value& v) noexcept {
    if constexpr (optional) {
      if (v.is_none()) return 0;
    }
    return value_word::difference<held>(v, is_written<A>);
  }
  static decltype(auto) read_lent(value& v) {
    if constexpr (is_written<A>)
      return value_word::referred<T>(v);
    else if constexpr (optional)
      return optional_of_held<T, held>(v.is_none() ? nullptr : &value_word::plain<held>(v));
    else
      return value_word::plain<held>(v);
  }
  static key_set keys_lent(const value& v) noexcept {
    if constexpr (!may_bring_keys<held>)
      return {};
    else if constexpr (is_written<A>)
      return keys_in(static_cast<const held&>(value_word::referred<held>(v)));
    else
      return optional && v.is_none() ? key_set() : keys_in(value_word::plain<held>(v));
  }
};

// A result that is a reference is an argument: it comes back in the form in which that was boxed, or as a value of its
// own from a kernel that makes one.
template <class R>
struct unboxed_result : unboxed<std::remove_cvref_t<R>> {};
template <class T>
struct unboxed_result<T&> : unboxed<T&> {
  using as_value = unboxed<std::remove_cvref_t<T>>;
  static bool fits(const value& v) noexcept { return unboxed<T&>::fits(v) || as_value::fits(v); }
};

}  // namespace detail

}  // namespace topbit
