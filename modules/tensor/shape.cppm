// Sizes and strides: a small array with its length, and the arithmetic on it.
export module topbit.tensor:shape;

import topbit.std;
import :tensor_error;

namespace topbit {

/// The maximum number of dimensions of a tensor, limited by the kernel ABI.
export inline constexpr std::int64_t max_dims = 8;

/// Sizes or strides, at most max_dims of them, inline. Converts from braces and from spans.
export class shape {
 public:
  constexpr shape() noexcept { clear_for_constants(); }
  // Copies only the values in use: a copy of the whole array would stall on store forwarding.
  constexpr shape(const shape& other) noexcept : count_(other.count_) {
    clear_for_constants();
    copy_values(other);
  }
  constexpr shape& operator=(const shape& other) noexcept {
    count_ = other.count_;
    copy_values(other);
    return *this;
  }
  /// Throws shape_error for more than max_dims values, as all that makes one longer.
  constexpr shape(std::initializer_list<std::int64_t> values) : shape(std::span(values.begin(), values.size())) {}
  constexpr shape(std::span<const std::int64_t> values) {
    clear_for_constants();
    check(static_cast<std::int64_t>(values.size()));
    for (std::int64_t v : values) values_[count_++] = v;
  }
  constexpr shape(std::int64_t count, std::int64_t value) {
    clear_for_constants();
    check(count);
    while (count_ != static_cast<std::size_t>(count)) values_[count_++] = value;
  }

  /// As of any container; tensor::dim() is the same number, signed as sizes are.
  constexpr std::size_t size() const noexcept { return count_; }
  constexpr bool empty() const noexcept { return count_ == 0; }
  constexpr std::int64_t& operator[](std::integral auto i) noexcept { return values_[static_cast<std::size_t>(i)]; }
  constexpr std::int64_t operator[](std::integral auto i) const noexcept {
    return values_[static_cast<std::size_t>(i)];
  }
  constexpr const std::int64_t* begin() const noexcept { return values_.data(); }
  constexpr const std::int64_t* end() const noexcept { return values_.data() + count_; }
  constexpr operator std::span<const std::int64_t>() const noexcept { return {values_.data(), count_}; }
  constexpr void push_back(std::int64_t v) {
    check(static_cast<std::int64_t>(count_) + 1);
    values_[count_++] = v;
  }
  constexpr void erase(std::size_t i) noexcept {
    for (; i + 1 < count_; ++i) values_[i] = values_[i + 1];
    --count_;
  }
  friend constexpr bool operator==(const shape& a, const shape& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr void check(std::int64_t count) {
    if (count < 0 || count > max_dims) raise_bad_count(count);
  }
  [[noreturn]] static void raise_bad_count(std::int64_t count);
  // Unused values stay uninitialised, except in constant expressions, which do not allow that.
  constexpr void clear_for_constants() noexcept {
    if (std::is_constant_evaluated()) values_ = {};
  }
  constexpr void copy_values(const shape& other) noexcept {
#pragma clang loop vectorize(disable) unroll(disable)
    for (std::size_t i = 0; i < count_; ++i) values_[i] = other.values_[i];
  }
  std::array<std::int64_t, max_dims> values_;
  std::size_t count_ = 0;
};

/// The product of the sizes; 1 for a scalar.
export constexpr std::int64_t numel(const shape& sizes) noexcept {
  std::int64_t n = 1;
#pragma clang loop vectorize(disable) unroll(disable)
  for (std::int64_t s : sizes) n *= s;
  return n;
}

/// Row-major strides, in elements.
export constexpr shape dense_strides(const shape& sizes) {
  shape strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * (sizes[i] > 1 ? sizes[i] : 1);
  return strides;
}

/// True if the elements lie densely in row-major order; strides of dimensions of size 1, and of no
/// elements at all, do not matter.
export constexpr bool is_dense(const shape& sizes, const shape& strides) noexcept {
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
export shape broadcast(std::string_view op, const shape& a, const shape& b);

/// A dimension given from the front or, negative, from the end. Throws shape_error naming `op`.
export std::int64_t wrap_dim(std::string_view op, std::int64_t dim, std::int64_t ndim);

/// "[2, 3]"
export std::string to_string(const shape& d);

}  // namespace topbit
