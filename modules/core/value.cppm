// The boxed value: 16 bytes, a payload and what type it is, owned or borrowed.
//
// A borrowed value refers to an argument of the call in progress and costs no allocation and no reference count.
// Copying a borrowed value makes an owned one; moving keeps it borrowed; so only code that moves a value out of its
// call can let it dangle. Types of at most 8 bytes sit in the payload itself, others behind a pointer.
export module topbit.core:value;

import topbit.std;
import :boxed_type;
import :extract;
import :key_set;
import :text;
import :text_form;
import :text_reader;

namespace topbit {

export class value;
/// As text, as write_text() writes what the value holds; "None" where it holds nothing.
export std::string to_string(const value& v);

namespace detail {

union payload {
  std::int64_t integer;
  double number;
  void* pointer;
  unsigned char bytes[8];
};

// The operations of one C++ type in boxed form. Types are equal when their identities are: each image has its own
// object.
struct value_type {
  std::string_view name;  // for people
  std::string_view identity;
  std::size_t inline_size;                   // of an object that sits in the payload; 0: behind a pointer
  key_set (*keys)(const payload&) noexcept;  // null: brings none
  payload (*copy)(const payload&);           // makes an owned payload; null: the bytes are enough
  void (*destroy)(payload&) noexcept;        // null: nothing to do
  payload (*read)(text_reader&);             // makes an owned payload; null: nobody says how
  void (*write)(std::string&, const payload&);
};

[[noreturn]] void raise_no_copy(std::string_view type);

// What a box is given to own: itself where it is moved in, else a copy.
template <class T, class U>
decltype(auto) to_own(U&& x) {
  if constexpr (std::same_as<std::remove_cvref_t<U>, T> && std::is_lvalue_reference_v<U>)
    return copy_of<T>(x);
  else
    return std::forward<U>(x);
}

template <class T>
struct boxed_form;  // how T sits in a payload: get, keys, copy, destroy

template <boxed_inline T>
struct boxed_form<T> {
  static T& get(payload& p) noexcept { return *std::launder(reinterpret_cast<T*>(p.bytes)); }
  static const T& get(const payload& p) noexcept { return *std::launder(reinterpret_cast<const T*>(p.bytes)); }
  static payload borrow(const T& x) noexcept {
    payload p{.integer = 0};
    std::memcpy(p.bytes, static_cast<const void*>(std::addressof(x)), sizeof(T));
    return p;
  }
  template <class U>
  static payload own(U&& x) {
    payload p{.integer = 0};
    ::new (static_cast<void*>(p.bytes)) T(to_own<T>(std::forward<U>(x)));
    return p;
  }
  static constexpr bool trivial = std::is_trivially_copyable_v<T>;
};

template <class T>
  requires(!boxed_inline<T>)
struct boxed_form<T> {
  static T& get(const payload& p) noexcept { return *static_cast<T*>(p.pointer); }
  static payload borrow(const T& x) noexcept { return {.pointer = const_cast<T*>(std::addressof(x))}; }
  template <class U>
  static payload own(U&& x) {
    return {.pointer = new T(to_own<T>(std::forward<U>(x)))};
  }
  static constexpr bool trivial = false;
};

template <class Owner, class Range>
Owner list_of_copies(const Range& all) {
  if constexpr (std::is_copy_constructible_v<typename element<std::remove_cvref_t<decltype(*all.begin())>>::type>) {
    return Owner(all.begin(), all.end());
  } else {
    Owner copies;
    copies.reserve(all.size());
    for (const auto& x : all) copies.push_back(copy_of(x));
    return copies;
  }
}

// Views box as views; an owned one sits in front of its characters or elements, in one object.
template <class View, class Owner>
struct boxed_view {
  struct owned : View {
    explicit owned(Owner&& x) : data(std::move(x)) { static_cast<View&>(*this) = View(data); }
    template <class Range>
    explicit owned(const Range& x) : data(list_of_copies<Owner>(x)) {
      static_cast<View&>(*this) = View(data);
    }
    owned(const owned&) = delete;
    Owner data;
  };
  static const View& get(const payload& p) noexcept { return *static_cast<View*>(p.pointer); }
  static payload borrow(const View& x) noexcept { return {.pointer = const_cast<View*>(std::addressof(x))}; }
  static payload own(const View& x) { return {.pointer = static_cast<View*>(new owned(x))}; }
  // Moved in: a temporary of the owning type is deduced, an object with a name is not.
  template <std::same_as<Owner> T>
  static payload own(T&& x) {
    return {.pointer = static_cast<View*>(new owned(std::move(x)))};
  }
  static void destroy(payload& p) noexcept { delete static_cast<owned*>(static_cast<View*>(p.pointer)); }
  static constexpr bool trivial = false;
};
template <>
struct boxed_form<std::string_view> : boxed_view<std::string_view, std::string> {};
template <class T>
struct boxed_form<std::span<const T>> : boxed_view<std::span<const T>, std::vector<T>> {};

// A vector of bool has no elements to view.
class bool_list {
 public:
  template <class Iterator>
  bool_list(Iterator first, Iterator last) : size_(static_cast<std::size_t>(last - first)), data_(new bool[size_]) {
    for (bool* to = data_.get(); first != last; ++first) *to++ = *first;
  }
  const bool* begin() const noexcept { return data_.get(); }
  const bool* end() const noexcept { return data_.get() + size_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_;
  std::unique_ptr<bool[]> data_;
};
template <>
struct boxed_form<std::span<const bool>> : boxed_view<std::span<const bool>, bool_list> {
  using boxed_view::own;
  static payload own(const std::vector<bool>& x) {
    return {.pointer = static_cast<std::span<const bool>*>(new owned(x))};
  }
};

template <class T>
inline constexpr bool is_view = false;
template <>
inline constexpr bool is_view<std::string_view> = true;
template <class T>
inline constexpr bool is_view<std::span<const T>> = true;

// The type a C++ argument or result has inside a box: strings and lists as views, the rest as itself.
template <class T>
struct canonical {
  using type = T;
};
template <>
struct canonical<std::string> {
  using type = std::string_view;
};
template <>
struct canonical<const char*> {
  using type = std::string_view;
};
template <std::size_t N>
struct canonical<char[N]> {
  using type = std::string_view;
};
template <class T>
struct canonical<std::vector<T>> {
  using type = std::span<const T>;
};
template <class T>
using canonical_t = canonical<std::remove_cvref_t<T>>::type;

// The type that owns what the type in the box may only view.
template <class T>
struct owner {
  using type = T;
};
template <>
struct owner<std::string_view> {
  using type = std::string;
};
template <class T>
struct owner<std::span<const T>> {
  using type = std::vector<T>;
};

template <class T>
constexpr auto keys_function() noexcept -> key_set (*)(const payload&) noexcept {
  if constexpr (may_bring_keys<T>) {
    return [](const payload& p) noexcept { return keys_in(static_cast<const T&>(boxed_form<T>::get(p))); };
  } else {
    return nullptr;
  }
}
template <class T>
constexpr auto copy_function() noexcept -> payload (*)(const payload&) {
  if constexpr (boxed_form<T>::trivial)
    return nullptr;
  else if constexpr (can_copy<T>)
    return [](const payload& p) { return boxed_form<T>::own(std::as_const(boxed_form<T>::get(p))); };
  else
    return [](const payload&) -> payload { raise_no_copy(boxed_name<T>()); };
}
template <class T>
constexpr auto destroy_function() noexcept -> void (*)(payload&) noexcept {
  if constexpr (boxed_form<T>::trivial)
    return nullptr;
  else if constexpr (is_view<T>)
    return &boxed_form<T>::destroy;
  else if constexpr (boxed_inline<T>)
    return [](payload& p) noexcept { std::destroy_at(&boxed_form<T>::get(p)); };
  else
    return [](payload& p) noexcept { delete &boxed_form<T>::get(p); };
}

template <class T>
constexpr auto read_function() noexcept -> payload (*)(text_reader&) {
  using owner_type = owner<T>::type;
  if constexpr (readable_text<owner_type>)
    return [](text_reader& in) { return boxed_form<T>::own(read_text<owner_type>(in)); };
  else
    return nullptr;
}
template <class T>
void write_boxed(std::string& out, const payload& p) {
  write_text<T>(out, boxed_form<T>::get(p));
}

template <class T>
inline constexpr value_type type_of{boxed_name<T>(),    raw_type_name<T>(), boxed_inline<T> ? sizeof(T) : 0,
                                    keys_function<T>(), copy_function<T>(), destroy_function<T>(),
                                    read_function<T>(), &write_boxed<T>};

value read_value(const value_type& type, text_reader& in);

}  // namespace detail

namespace detail {
struct value_word;
}

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
  /// True if what is held is somebody else's; a trivial word is copied instead.
  inline bool is_borrowed() const noexcept { return is_reference() || ((type_ & owned_bit) == 0 && needs_copy()); }
  /// True if writing to the value writes to what it was made from; true of some borrowed values only.
  inline bool is_reference() const noexcept { return (type_ & reference_bit) != 0; }
  /// The C++ type held, as a person would write it; "none" when empty.
  inline std::string_view type_name() const noexcept { return type_ == 0 ? "none" : type()->name; }

  template <class T>
  bool is() const noexcept {
    return (type_ & ~marks) == word_of<T>() || is_of_another_image<T>();
  }
  /// The value as T, to read. Precondition: is<T>().
  template <class T>
  const T& get() const noexcept {
    if constexpr (boxed_inline<T>) {
      if (is_reference()) return *static_cast<const T*>(payload_.pointer);
    }
    return form<T>::get(payload_);
  }
  /// The value as T, to write. What the value refers to is written; a mere loan becomes a copy of its own first.
  template <class T>
  T& write() {
    if (!is_reference()) make_owned();
    if constexpr (boxed_inline<T>) {
      if (is_reference()) return *static_cast<T*>(payload_.pointer);
    }
    return form<T>::get(payload_);
  }

  /// Makes a borrowed value own what it holds, so that moving out of it takes nothing from the lender.
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
  friend value detail::read_value(const detail::value_type& type, text_reader& in);

  // In the low bits of the type's address, which are zero.
  static constexpr std::uintptr_t owned_bit = 1;      // what is held is given back by the type's destroy
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
  // Each image has an object of its own for a type.
  template <class T>
  bool is_of_another_image() const noexcept {
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
  // Nothing but `owned` may be set if v holds a T, as this image knows it, and is a reference or is none, as wanted.
  template <class T>
  static std::uintptr_t difference(const value& v, bool reference) noexcept {
    return v.type_ ^ (value::word_of<T>() | (reference ? value::reference_bit : 0));
  }
  // Precondition: no such difference.
  template <class T>
  static const T& plain(const value& v) noexcept {
    return boxed_form<T>::get(v.payload_);
  }
  template <class T>
  static T& referred(const value& v) noexcept {
    return *static_cast<T*>(v.payload_.pointer);
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
