// Sizes and strides: a small array with its length, and the arithmetic on it.
export module topbit.tensor:shape;

import topbit.std;
import :tensor_error;

namespace topbit {

/// The maximum number of dimensions of a tensor, limited by the kernel ABI.
export inline constexpr std::size_t max_dims = 8;

/// Sizes or strides, at most max_dims of them, inline. Converts from braces and from spans.
export class dims {
 public:
  constexpr dims() noexcept { clear_for_constants(); }
  // Copies only the values in use: a copy of the whole array would stall on store forwarding.
  constexpr dims(const dims& other) noexcept : count_(other.count_) {
    clear_for_constants();
    copy_values(other);
  }
  constexpr dims& operator=(const dims& other) noexcept {
    count_ = other.count_;
    copy_values(other);
    return *this;
  }
  /// Throws shape_error for more than max_dims values.
  constexpr dims(std::initializer_list<std::int64_t> values) : dims(std::span(values.begin(), values.size())) {}
  constexpr dims(std::span<const std::int64_t> values) {
    clear_for_constants();
    check(values.size());
    for (std::int64_t v : values) values_[count_++] = v;
  }
  constexpr dims(std::size_t count, std::int64_t value) {
    clear_for_constants();
    check(count);
    while (count_ < count) values_[count_++] = value;
  }

  constexpr std::size_t size() const noexcept { return count_; }
  constexpr bool empty() const noexcept { return count_ == 0; }
  constexpr std::int64_t& operator[](std::size_t i) noexcept { return values_[i]; }
  constexpr std::int64_t operator[](std::size_t i) const noexcept { return values_[i]; }
  constexpr const std::int64_t* begin() const noexcept { return values_.data(); }
  constexpr const std::int64_t* end() const noexcept { return values_.data() + count_; }
  constexpr operator std::span<const std::int64_t>() const noexcept { return {values_.data(), count_}; }
  constexpr void push_back(std::int64_t v) {
    check(count_ + 1);
    values_[count_++] = v;
  }
  constexpr void erase(std::size_t i) noexcept {
    for (; i + 1 < count_; ++i) values_[i] = values_[i + 1];
    --count_;
  }
  friend constexpr bool operator==(const dims& a, const dims& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr void check(std::size_t count) {
    if (count > max_dims) throw_too_many(count);
  }
  [[noreturn]] static void throw_too_many(std::size_t count);
  // Unused values stay uninitialised, except in constant expressions, which do not allow that.
  constexpr void clear_for_constants() noexcept {
    if (std::is_constant_evaluated()) values_ = {};
  }
  constexpr void copy_values(const dims& other) noexcept {
#pragma clang loop vectorize(disable) unroll(disable)
    for (std::size_t i = 0; i < count_; ++i) values_[i] = other.values_[i];
  }
  std::array<std::int64_t, max_dims> values_;
  std::size_t count_ = 0;
};

/// The product of the sizes; 1 for a scalar.
export constexpr std::int64_t numel(const dims& sizes) noexcept {
  std::int64_t n = 1;
#pragma clang loop vectorize(disable) unroll(disable)
  for (std::int64_t s : sizes) n *= s;
  return n;
}

/// Row-major strides, in elements.
export constexpr dims dense_strides(const dims& sizes) {
  dims strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * (sizes[i] > 1 ? sizes[i] : 1);
  return strides;
}

/// True if the elements lie densely in row-major order; strides of dimensions of size 1, and of no
/// elements at all, do not matter.
export constexpr bool is_dense(const dims& sizes, const dims& strides) noexcept {
  std::int64_t expected = 1;
  bool dense = true;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    dense = dense && (sizes[i] == 1 || strides[i] == expected);
    expected *= sizes[i];
  }
  return dense;
}

/// The sizes both broadcast to: aligned at the end, equal or 1. Throws shape_error naming `op` and both shapes.
export dims broadcast(std::string_view op, const dims& a, const dims& b);

/// A dimension given from the front or, negative, from the end. Throws shape_error naming `op`.
export std::size_t wrap_dim(std::string_view op, std::int64_t dim, std::size_t ndim);

/// "[2, 3]"
export std::string to_string(const dims& d);

}  // namespace topbit
