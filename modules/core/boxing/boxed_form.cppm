// The representation of a boxed value by its C++ type: the layout of the payload, and type-erased operations on it.
//
// Types of at most 8 bytes sit in the payload itself, others behind a pointer; strings and lists as views.
export module topbit.core:boxing.boxed_form;

import topbit.std;
import :boxing.boxed_type;
import :boxing.text_form;
import :boxing.text_reader;
import :keys.key_set;
import :schema.extract;
import :text.text;

namespace topbit {

namespace detail {

union payload {
  std::int64_t integer;
  double number;
  void* pointer;
  unsigned char bytes[8];
};

// The operations of one C++ type in boxed form. Types are equal when their identities are: each shared object has its
// own object.
struct value_type {
  std::string_view given_name;               // boxed_type's; empty if it has none
  std::string_view identity;                 // the type's raw name
  std::size_t inline_size;                   // of an object that sits in the payload; 0: behind a pointer
  key_set (*keys)(const payload&) noexcept;  // null: brings none
  payload (*copy)(const payload&);           // makes an owned payload; null: the bytes are enough
  void (*destroy)(payload&) noexcept;        // null: nothing to do
  payload (*read)(author::text_reader&);     // makes an owned payload; null if the type has no reader
  void (*write)(std::string&, const payload&);

  // Human-readable.
  std::string_view name() const noexcept { return given_name.empty() ? name_for_people(identity) : given_name; }
};

[[noreturn]] void raise_no_copy(std::string_view type);

// What a box owns: the object moved in, else a copy.
template <class T, class U>
decltype(auto) to_own(U&& x) {
  if constexpr (std::same_as<std::remove_cvref_t<U>, T> && std::is_lvalue_reference_v<U>)
    return copy_of<T>(x);
  else
    return std::forward<U>(x);
}

template <class T>
struct boxed_form;  // how T sits in a payload: get, keys, copy, destroy

template <author::boxed_inline T>
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
  requires(!author::boxed_inline<T>)
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
    return {.pointer = static_cast<View*>(new owned(std::forward<T>(x)))};
  }
  // What the view is of. Precondition: it is owned.
  static Owner take(const payload& p) noexcept {
    return std::move(static_cast<owned*>(static_cast<View*>(p.pointer))->data);
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
  else if constexpr (author::boxed_inline<T>)
    return [](payload& p) noexcept { std::destroy_at(&boxed_form<T>::get(p)); };
  else
    return [](payload& p) noexcept { delete &boxed_form<T>::get(p); };
}

template <class T>
constexpr auto read_function() noexcept -> payload (*)(author::text_reader&) {
  using owner_type = owner<T>::type;
  if constexpr (author::readable_text<owner_type>)
    return [](author::text_reader& in) { return boxed_form<T>::own(author::read_text<owner_type>(in)); };
  else
    return nullptr;
}
template <class T>
void write_boxed(std::string& out, const payload& p) {
  author::write_text<T>(out, boxed_form<T>::get(p));
}

template <class T>
inline constexpr value_type type_of{given_name<T>(),    raw_type_name<T>(), author::boxed_inline<T> ? sizeof(T) : 0,
                                    keys_function<T>(), copy_function<T>(), destroy_function<T>(),
                                    read_function<T>(), &write_boxed<T>};

}  // namespace detail

}  // namespace topbit
