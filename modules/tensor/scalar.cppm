// One number that has not become a tensor: a bool, an integer or a floating-point value.
export module topbit.tensor:scalar;

import topbit.std;
import topbit.core;
import :dtype;

namespace topbit {

/// Converts from every arithmetic type without narrowing and remembers the category for type promotion.
export class scalar {
 public:
  constexpr scalar() noexcept = default;
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  constexpr scalar(T x) noexcept
      : integer_(truncated(x)),
        number_(static_cast<double>(x)),
        type_(std::same_as<T, bool> ? dtype::boolean
              : std::integral<T>    ? dtype::int64
                                    : dtype::float64) {}

  /// boolean, int64 or float64: the category of the value.
  constexpr dtype type() const noexcept { return type_; }
  constexpr double to_double() const noexcept { return number_; }
  /// Truncates toward zero; out-of-range values and NaN become the lowest int64_t, as in tensor conversions.
  constexpr std::int64_t to_int64() const noexcept { return integer_; }
  /// The value as a T: to_int64() for an integer, to_double() for a floating-point type, not zero for bool.
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr T to() const noexcept {
    if constexpr (std::same_as<T, bool>)
      return number_ != 0;
    else if constexpr (std::integral<T>)
      return static_cast<T>(integer_);
    else
      return type_ == dtype::float64 ? static_cast<T>(number_) : static_cast<T>(integer_);
  }
  friend constexpr bool operator==(const scalar&, const scalar&) = default;

 private:
  template <class T>
  static constexpr std::int64_t truncated(T x) noexcept {
    if constexpr (std::floating_point<T>) {
      if (!(x >= T(-0x1p63) && x < T(0x1p63))) return std::numeric_limits<std::int64_t>::min();
    }
    return static_cast<std::int64_t>(x);
  }
  std::int64_t integer_ = 0;
  double number_ = 0;
  dtype type_ = dtype::int64;
};

export std::string to_string(const scalar& s);

}  // namespace topbit
