// The boxed value: 16 bytes, a payload and what type it is, owned or borrowed.
//
// A borrowed value refers to an argument of the call in progress and costs no allocation and no reference count.
// Copying a borrowed value makes an owned one; moving keeps it borrowed; so only code that moves a value out of its
// call can let it dangle.
export module topbit.core:boxing.value;

import topbit.std;
import :boxing.boxed_form;
import :boxing.boxed_type;
import :boxing.text_reader;
import :keys.key_set;
import :schema.extract;

namespace topbit {

export class value;
/// As text, as write_text() writes what the value holds; "None" where it holds nothing.
export std::string to_string(const value& v);

namespace detail {
struct value_word;
// An owned value of this type. Precondition: the type has a read function. Throws what that throws.
value read_value(const value_type& type, author::text_reader& in);
}  // namespace detail

/// A dynamically typed argument or result. Empty ("none") by default.
export class value {
 public:
  constexpr value() noexcept : payload_{.integer = 0} {}

  /// Owns a copy of x (or x itself, moved). Strings and vectors are held as views over owned data; an optional is what
  /// it holds, or none.
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, value>)
  explicit value(T&& x) : value() {
    if constexpr (detail::is_optional<std::remove_cvref_t<T>>::value) {
      if (x.has_value()) *this = value(*std::forward<T>(x));
    } else {
      using held = detail::canonical_t<T>;
      payload_ = detail::boxed_form<held>::own(std::forward<T>(x));
      type_ = word_of<held>() | (detail::boxed_form<held>::trivial ? 0 : owned_bit);
    }
  }

  /// Refers to what this value holds, which must outlive it; what is written to one is written to the other where that
  /// was so of this one. Costs no allocation.
  inline value lend() const noexcept { return value(payload_, type_ & ~owned_bit); }

  /// Refers to x, which must outlive the value. T is a canonical type: a view, not a string or a vector.
  template <class T>
  static value borrow(const T& x) noexcept {
    return value(detail::boxed_form<T>::borrow(x), word_of<T>());
  }

  /// The same, for an argument that is there to be written: what is written to the value is written to x.
  template <class T>
  static value refer(T& x) noexcept {
    return value(detail::payload{.pointer = std::addressof(x)}, word_of<T>() | reference_bit);
  }

  inline value(const value& other) : payload_(other.fetched()), type_(other.type_ & ~marks) {
    if (!needs_copy()) return;
    payload_ = type()->copy(payload_);
    type_ |= owned_bit;
  }
  inline value(value&& other) noexcept : payload_(other.payload_), type_(std::exchange(other.type_, 0)) {}
  inline value& operator=(value other) noexcept {
    std::swap(payload_, other.payload_);
    std::swap(type_, other.type_);
    return *this;
  }
  inline ~value() {
    if ((type_ & owned_bit) != 0) [[unlikely]]
      type()->destroy(payload_);
  }

  inline bool is_none() const noexcept { return type_ == 0; }
  /// True if the value refers to an object it does not own; a trivial word is copied instead.
  inline bool is_borrowed() const noexcept { return is_reference() || ((type_ & owned_bit) == 0 && needs_copy()); }
  /// True if writing to the value writes to what it was made from; true of some borrowed values only.
  inline bool is_reference() const noexcept { return (type_ & reference_bit) != 0; }
  /// The C++ type held, as it is usually written; "none" when empty.
  inline std::string_view type_name() const noexcept { return type_ == 0 ? "none" : type()->name(); }

  template <class T>
  bool is() const noexcept {
    return (type_ & ~marks) == word_of<T>() || is_of_another_image<T>();
  }
  /// The value as T, to read. Precondition: is<T>().
  template <class T>
  const T& get() const noexcept {
    if constexpr (author::boxed_inline<T>) {
      if (is_reference()) return *static_cast<const T*>(payload_.pointer);
    }
    return form<T>::get(payload_);
  }
  /// The value as T, to write. What the value refers to is written; a borrowed value is copied first.
  template <class T>
  T& write() {
    if (!is_reference()) make_owned();
    if constexpr (author::boxed_inline<T>) {
      if (is_reference()) return *static_cast<T*>(payload_.pointer);
    }
    return form<T>::get(payload_);
  }

  /// Makes a borrowed value own what it holds, so that moving out of it leaves the original untouched.
  inline void make_owned() {
    if (is_borrowed()) *this = value(*this);
  }

  /// The keys the value brings to a call.
  inline key_set keys() const noexcept {
    return type_ == 0 || type()->keys == nullptr ? key_set{} : type()->keys(fetched());
  }

 private:
  friend struct detail::value_word;
  friend std::string to_string(const value& v);
  friend value detail::read_value(const detail::value_type& type, author::text_reader& in);

  // In the low bits of the type's address, which are zero.
  static constexpr std::uintptr_t owned_bit = 1;      // the type's destroy ends what is held
  static constexpr std::uintptr_t reference_bit = 2;  // the payload is an address even if the object would fit into it
  static constexpr std::uintptr_t marks = owned_bit | reference_bit;
  template <class T>
  using form = detail::boxed_form<T>;
  template <class T>
  static std::uintptr_t word_of() noexcept {
    return reinterpret_cast<std::uintptr_t>(&detail::type_of<T>);
  }

  inline value(detail::payload p, std::uintptr_t word) noexcept : payload_(p), type_(word) {}

  inline const detail::value_type* type() const noexcept {
    return reinterpret_cast<const detail::value_type*>(type_ & ~marks);
  }
  // Each shared object has an object of its own for a type. A type without a name of its own is known to one source
  // file only.
  template <class T>
  bool is_of_another_image() const noexcept {
    if constexpr (detail::has_local_name<T>) return false;
    return !is_none() && type()->identity == detail::type_of<T>.identity;
  }
  inline bool needs_copy() const noexcept { return type_ != 0 && type()->copy != nullptr; }
  // The payload as the type's functions take it, with an object referred to brought into it.
  inline detail::payload fetched() const noexcept {
    if (!is_reference() || type()->inline_size == 0) return payload_;
    detail::payload p{.integer = 0};
    std::memcpy(p.bytes, payload_.pointer, type()->inline_size);
    return p;
  }

  detail::payload payload_;
  std::uintptr_t type_ = 0;
};

static_assert(sizeof(value) == 16);

namespace detail {

// What generated code asks of several values at once, without a branch for each.
struct value_word {
  static constexpr std::uintptr_t owned = value::owned_bit;
  static inline std::uintptr_t of(const value& v) noexcept { return v.type_; }
  // Nothing but `owned` may be set if v holds a T, as this shared object knows it, and is a reference or is none, as
  // wanted.
  template <class T>
  static std::uintptr_t difference(const value& v, bool reference) noexcept {
    return v.type_ ^ (value::word_of<T>() | (reference ? value::reference_bit : 0));
  }
  // value::is() for a type known as data.
  static bool is(const value& v, const value_type& wanted) noexcept;
  // Precondition: no such difference.
  template <class T>
  static const T& plain(const value& v) noexcept {
    return boxed_form<T>::get(v.payload_);
  }
  template <class T>
  static T& referred(const value& v) noexcept {
    return *static_cast<T*>(v.payload_.pointer);
  }

  // The string or vector that an owned view is of. Precondition: it is owned.
  template <class View>
  static auto take_owner(value& v) noexcept {
    return boxed_form<View>::take(v.payload_);
  }

  // A value apart, so that it travels in registers; put() must follow.
  struct parts {
    payload held;
    std::uintptr_t word;
  };
  static inline parts take_apart(value&& v) noexcept { return {v.payload_, std::exchange(v.type_, 0)}; }
  static inline value put(parts p) noexcept { return value(p.held, p.word); }
};

}  // namespace detail

}  // namespace topbit
