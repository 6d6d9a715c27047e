// The argument stack of the boxed path: an array of values that usually lives in the caller's frame.
//
// A boxed call takes its arguments from the top and leaves its results there. The first buffer belongs to the
// caller; only a kernel that pushes beyond it makes the stack move to the heap.
export module topbit.core:boxing.stack;

import topbit.std;
import :boxing.value;

namespace topbit {

namespace detail {
struct stack_slots;
}

export class boxed_stack {
 public:
  /// Grows on the heap from the first push.
  inline boxed_stack() noexcept = default;
  boxed_stack(const boxed_stack&) = delete;
  boxed_stack& operator=(const boxed_stack&) = delete;
  inline ~boxed_stack() {
    clear();
    if (on_heap()) [[unlikely]]
      ::operator delete(begin_);
  }

  inline std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  inline bool empty() const noexcept { return begin_ == end_; }
  inline value& operator[](std::size_t i) noexcept { return begin_[i]; }
  inline const value& operator[](std::size_t i) const noexcept { return begin_[i]; }

  /// The n topmost values, bottom first. Precondition: n <= size().
  inline std::span<value> top(std::size_t n) noexcept { return {end_ - n, n}; }
  inline std::span<const value> top(std::size_t n) const noexcept { return {end_ - n, n}; }

  /// Boxes x on top, or pushes it where it is a value already. It may be what a slot of this stack holds.
  template <class T>
  void push(T&& x) {
    if (address(end_) >= limit_) [[unlikely]]
      return push_beyond(value(std::forward<T>(x)));
    std::construct_at(end_, std::forward<T>(x));
    ++end_;
  }
  /// Removes and returns the top. Precondition: not empty.
  inline value pop() noexcept {
    value v = std::move(*--end_);
    std::destroy_at(end_);
    return v;
  }
  /// Removes the n topmost values. Precondition: n <= size().
  inline void drop(std::size_t n) noexcept {
    for (; n != 0; --n) std::destroy_at(--end_);
  }

 protected:
  inline boxed_stack(value* buffer, std::size_t capacity) noexcept
      : begin_(buffer), end_(buffer), limit_(address(buffer + capacity)) {}
  inline void clear() noexcept {
    if (!empty()) [[unlikely]]
      drop_all();
  }

 private:
  friend struct detail::stack_slots;
  static inline std::uintptr_t address(const value* v) noexcept { return reinterpret_cast<std::uintptr_t>(v); }
  inline bool on_heap() const noexcept { return (limit_ & 1) != 0; }
  [[gnu::noinline]] void drop_all() noexcept;
  [[gnu::noinline]] void push_beyond(value v);

  value* begin_ = nullptr;
  value* end_ = nullptr;
  std::uintptr_t limit_ = 0;  // where the buffer ends; one less than that if it is on the heap
};

namespace detail {

// How generated code changes a stack whose room it knows.
struct stack_slots {
  // Precondition: there is room.
  static inline void push(boxed_stack& s, value&& v) noexcept { std::construct_at(s.end_++, std::move(v)); }
  // The N topmost.
  template <std::size_t N>
  static value* top(boxed_stack& s) noexcept {
    return s.end_ - N;
  }
  template <std::size_t N>
  static bool holds(const boxed_stack& s) noexcept {
    return bytes(s) >= N * sizeof(value);
  }
  template <std::size_t N>
  static bool ends_at(const boxed_stack& s, std::size_t below) noexcept {
    return bytes(s) == (below + N) * sizeof(value);
  }
  // Most values are borrowed, or trivially destructible: one test for all of them.
  template <std::size_t N>
  static bool own_nothing(const value* first) noexcept {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((std::uintptr_t{0} | ... | value_word::of(first[I])) & value_word::owned) == 0;
    }(std::make_index_sequence<N>{});
  }
  // Forgets what is above, which owns nothing.
  static inline void end_at(boxed_stack& s, value* end) noexcept { s.end_ = end; }
  static inline void forget(boxed_stack& s) noexcept { s.end_ = s.begin_; }

 private:
  static inline std::size_t bytes(const boxed_stack& s) noexcept {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(s.end_) - reinterpret_cast<const char*>(s.begin_));
  }
};

}  // namespace detail

/// A stack with room for N values in the frame of its owner.
export template <std::size_t N>
class inline_stack : public boxed_stack {
 public:
  inline_stack() noexcept : boxed_stack(reinterpret_cast<value*>(buffer_), N) {}
  ~inline_stack() { clear(); }  // while the buffer is still alive

 private:
  alignas(value) std::byte buffer_[N * sizeof(value)];
};

}  // namespace topbit
