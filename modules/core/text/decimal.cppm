// Decimal numbers as schemas write them: one canonical text for one value, and that value as a double, at compile time
// too.
export module topbit.core:text.decimal;

import topbit.std;
import :text.characters;
import :text.text_sink;

namespace topbit {

namespace detail {

// Of a text such as -12.50e-3: where its significant digits are, and the exponent that belongs to 0.125.
struct decimal {
  std::string_view text;
  std::size_t first = 0, last = 0;  // of the significant digits, [first, last); equal: zero
  int exponent = 0;
  bool negative = false;

  constexpr explicit decimal(std::string_view t) noexcept : text(t), negative(t.starts_with('-')) {
    int after_point = 0, digits = 0;
    bool fraction = false;
    std::size_t i = negative ? 1 : 0;
    for (; i < text.size() && (is_digit(text[i]) || text[i] == '.'); ++i) {
      if (text[i] == '.') {
        fraction = true;
        continue;
      }
      if (last == 0 && text[i] == '0') {
        after_point += fraction ? 1 : 0;
        continue;
      }
      if (last == 0) first = i;
      if (text[i] != '0') last = i + 1;
      digits += fraction ? 0 : 1;
    }
    if (last == 0) {
      first = 0;
      return;
    }
    exponent = digits != 0 ? digits : -after_point;
    if (i < text.size()) exponent += power(text.substr(i + 1));
  }

  constexpr bool is_zero() const noexcept { return last == 0; }
  // In the range where a double keeps all of its bits.
  constexpr bool is_double() const noexcept { return is_zero() || (exponent >= -306 && exponent <= 308); }

  // Correctly rounded for up to 19 digits and powers of ten up to 19; within one unit in the last place elsewhere.
  constexpr double value() const noexcept {
    std::uint64_t mantissa = 0;
    int used = 0, dropped = exponent;
    for (std::size_t i = first; i < last; ++i) {
      if (text[i] == '.' || used == 19) continue;
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(text[i] - '0');
      ++used, --dropped;
    }
    const double magnitude = mantissa == 0 ? 0.0 : scaled(mantissa, dropped);
    return negative ? -magnitude : magnitude;
  }

  // 0.0001, 12.5, 1e-05, 1.5e+20: always recognisable as a floating-point number.
  constexpr void print(text_sink& out) const {
    if (is_zero()) {
      out += negative ? "-0.0" : "0.0";
      return;
    }
    text_sink all;
    for (std::size_t i = first; i < last; ++i) {
      if (text[i] != '.') all += text[i];
    }
    const std::string_view digits = all.view();
    if (negative) out += '-';
    const int size = static_cast<int>(digits.size());
    if (exponent > 16 || exponent < -3) {
      out += digits[0];
      if (size > 1) (out += '.') += digits.substr(1);
      const int power_of_ten = exponent - 1, positive = power_of_ten < 0 ? -power_of_ten : power_of_ten;
      out += power_of_ten < 0 ? "e-" : "e+";
      if (positive >= 100) out += static_cast<char>('0' + positive / 100);
      out += static_cast<char>('0' + positive / 10 % 10);
      out += static_cast<char>('0' + positive % 10);
    } else if (exponent <= 0) {
      out += "0.";
      out.append(static_cast<std::size_t>(-exponent), '0');
      out += digits;
    } else if (size <= exponent) {
      out += digits;
      out.append(static_cast<std::size_t>(exponent - size), '0');
      out += ".0";
    } else {
      out += digits.substr(0, static_cast<std::size_t>(exponent));
      out += '.';
      out += digits.substr(static_cast<std::size_t>(exponent));
    }
  }

 private:
  using wide = unsigned __int128;

  static constexpr int power(std::string_view digits) noexcept {
    const bool below = digits.starts_with('-');
    int n = 0;
    for (char c : digits) {
      if (is_digit(c) && n < 10'000) n = n * 10 + (c - '0');
    }
    return below ? -n : n;
  }
  static constexpr std::uint64_t ten_to(int n) noexcept {
    std::uint64_t p = 1;
    while (n-- > 0) p *= 10;
    return p;
  }
  // mantissa * 10^power
  static constexpr double scaled(std::uint64_t mantissa, int power) noexcept {
    if (power >= 0 && power <= 19) return static_cast<double>(wide{mantissa} * ten_to(power));
    if (power < 0 && power >= -19) {
      // A quotient of at least 63 bits and one that says whether something is left: more than rounding needs.
      const int shift = 64 + std::countl_zero(mantissa);
      const wide dividend = wide{mantissa} << shift;
      const wide divisor = ten_to(-power);
      const wide quotient = dividend / divisor;
      double x = static_cast<double>(quotient | (dividend % divisor != 0 ? 1 : 0));
      for (int i = 0; i < shift; ++i) x /= 2;
      return x;
    }
    long double x = static_cast<long double>(mantissa);
    for (int left = power < 0 ? -power : power; left > 0; left -= 19) {
      const auto step = static_cast<long double>(ten_to(left < 19 ? left : 19));
      x = power < 0 ? x / step : x * step;
    }
    return static_cast<double>(x);
  }
};

}  // namespace detail

}  // namespace topbit
