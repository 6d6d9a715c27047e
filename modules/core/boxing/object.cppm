// Reference-counted objects that are opaque to dispatch: what a kernel keeps between calls, such as
// packed weights or a generator. They are boxed like any other argument.
export module topbit.core:boxing.object;

import topbit.std;
import :boxing.boxed_type;
import :keys.key_set;
import :schema.extract;

namespace topbit {

/// Base of what object_ptr holds. The count is atomic; thread safety of the object is its class's.
export class object {
 public:
  object() noexcept = default;
  /// A copy is another object, with a count of zero.
  inline object(const object&) noexcept {}
  inline object& operator=(const object&) noexcept { return *this; }
  virtual ~object();

  /// How many object_ptr hold it; a snapshot where other threads copy or drop them.
  inline std::uint32_t use_count() const noexcept { return references_.load(std::memory_order_relaxed); }

 private:
  template <class T>
  friend class object_ptr;
  mutable std::atomic<std::uint32_t> references_{0};
};

/// Holds a T, a class derived from object, or nothing. Copying counts, moving does not. In a box it is one word; asking
/// the box for an object_ptr of another class is bad_argument, of a base class too.
export template <class T>
class object_ptr {
 public:
  inline constexpr object_ptr() noexcept = default;
  inline explicit object_ptr(T* x) noexcept : p_(x) { add(); }
  inline object_ptr(const object_ptr& other) noexcept : p_(other.p_) { add(); }
  inline object_ptr(object_ptr&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  /// As a pointer to a base class.
  template <class U>
    requires(!std::same_as<U, T> && std::is_convertible_v<U*, T*>)
  inline object_ptr(const object_ptr<U>& other) noexcept : object_ptr(static_cast<T*>(other.get())) {}
  inline object_ptr& operator=(object_ptr other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  inline ~object_ptr() {
    if (p_ != nullptr && count().fetch_sub(1, std::memory_order_acq_rel) == 1) delete p_;
  }

  inline T* get() const noexcept { return p_; }
  inline T& operator*() const noexcept { return *p_; }
  inline T* operator->() const noexcept { return p_; }
  inline explicit operator bool() const noexcept { return p_ != nullptr; }
  friend inline bool operator==(const object_ptr& a, const object_ptr& b) noexcept { return a.p_ == b.p_; }

 private:
  // Here and not in the class's head, so that T may still be incomplete there.
  inline std::atomic<std::uint32_t>& count() const noexcept {
    static_assert(std::is_base_of_v<object, T>, "object_ptr holds classes derived from topbit::object");
    return static_cast<const object*>(p_)->references_;
  }
  inline void add() const noexcept {
    if (p_ != nullptr) count().fetch_add(1, std::memory_order_relaxed);
  }

  T* p_ = nullptr;
};

/// A new object.
export template <class T, class... A>
object_ptr<T> make_object(A&&... a) {
  return object_ptr<T>(new T(std::forward<A>(a)...));
}

/// The keys of the object, where its class has keys_of(const T&); none without an object.
export template <keyed T>
inline key_set keys_of(const object_ptr<T>& p) noexcept {
  return p ? keys_of(*p) : key_set{};
}

template <class T>
struct boxed_type<object_ptr<T>> {
  static constexpr bool one_word = true;
};

}  // namespace topbit
