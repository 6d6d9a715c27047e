// The argument stack of the boxed path: an array of values that usually lives in the caller's frame.
//
// A boxed call takes its arguments from the top and leaves its results there. The first buffer belongs to the
// caller; only a kernel that pushes beyond it makes the stack move to the heap.
export module topbit.core:stack;

import topbit.std;
import :value;

namespace topbit {

export class stack {
 public:
  /// Grows on the heap from the first push.
  inline stack() noexcept = default;
  stack(const stack&) = delete;
  stack& operator=(const stack&) = delete;
  inline ~stack() {
    drop(size_);
    if (heap_ != nullptr) ::operator delete(heap_);
  }

  inline std::size_t size() const noexcept { return size_; }
  inline bool empty() const noexcept { return size_ == 0; }
  inline value& operator[](std::size_t i) noexcept { return data_[i]; }
  inline const value& operator[](std::size_t i) const noexcept { return data_[i]; }

  /// The n topmost values, bottom first. Precondition: n <= size().
  inline std::span<value> top(std::size_t n) noexcept { return {data_ + (size_ - n), n}; }
  inline std::span<const value> top(std::size_t n) const noexcept { return {data_ + (size_ - n), n}; }

  inline void push(value v) {
    if (size_ == capacity_) grow();
    ::new (static_cast<void*>(data_ + size_)) value(std::move(v));
    ++size_;
  }
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, value>)
  void push(T&& x) {
    push(value(std::forward<T>(x)));
  }
  /// Removes and returns the top. Precondition: not empty.
  inline value pop() noexcept {
    value v = std::move(data_[size_ - 1]);
    drop(1);
    return v;
  }
  /// Removes the n topmost values. Precondition: n <= size().
  inline void drop(std::size_t n) noexcept {
    for (; n != 0; --n) std::destroy_at(data_ + --size_);
  }
  /// Removes n values below the topmost `kept`: what a kernel does when it replaces arguments by results.
  inline void drop_below(std::size_t n, std::size_t kept) noexcept {
    const std::size_t first = size_ - kept - n;
    for (std::size_t i = 0; i < kept; ++i) data_[first + i] = std::move(data_[first + n + i]);
    drop(n);
  }

 protected:
  inline stack(value* buffer, std::size_t capacity) noexcept : data_(buffer), capacity_(capacity) {}

 private:
  void grow();

  value* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  value* heap_ = nullptr;
};

/// A stack with room for N values in the frame of its owner.
export template <std::size_t N>
class inline_stack : public stack {
 public:
  inline_stack() noexcept : stack(reinterpret_cast<value*>(buffer_), N) {}
  ~inline_stack() { drop(size()); }  // while the buffer is still alive

 private:
  alignas(value) std::byte buffer_[N * sizeof(value)];
};

}  // namespace topbit
