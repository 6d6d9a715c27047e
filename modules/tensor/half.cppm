// The two 16-bit floating-point types, as elements: they hold and convert; arithmetic is done in float.
export module topbit.tensor:half;

import topbit.std;

namespace topbit {

namespace detail {

// IEEE 754 binary16: 5 bits of exponent, 10 of mantissa. Rounds to nearest, ties to even; overflow is infinity.
constexpr std::uint16_t half_from_float(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fff'ffff;
  if (magnitude > 0x7f80'0000) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x4780'0000) return static_cast<std::uint16_t>(sign | 0x7c00);
  // Below 2^-14 results are denormal: what is left of the mantissa depends on the exponent.
  if (magnitude < 0x3880'0000) {
    if (magnitude < 0x3300'0000) return sign;
    const std::uint32_t mantissa = (magnitude & 0x7f'ffff) | 0x80'0000;
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
    return static_cast<std::uint16_t>(sign | (kept + (rest > half || (rest == half && (kept & 1) != 0))));
  }
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x3800'0000) >> 13));
}

constexpr float float_from_half(std::uint16_t x) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(x & 0x8000) << 16;
  const std::uint32_t exponent = x >> 10 & 0x1f, mantissa = x & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f80'0000 | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

// The upper half of a float: 8 bits of exponent, 7 of mantissa. Rounds to nearest, ties to even.
constexpr std::uint16_t bfloat16_from_float(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fff'ffff) > 0x7f80'0000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace detail

/// IEEE 754 binary16, the element of dtype::float16.
export struct half {
  std::uint16_t bits = 0;
  constexpr half() noexcept = default;
  constexpr explicit half(float x) noexcept : bits(detail::half_from_float(x)) {}
  constexpr operator float() const noexcept { return detail::float_from_half(bits); }
};

/// The upper half of a float, the element of dtype::bfloat16.
export struct bfloat16 {
  std::uint16_t bits = 0;
  constexpr bfloat16() noexcept = default;
  constexpr explicit bfloat16(float x) noexcept : bits(detail::bfloat16_from_float(x)) {}
  constexpr operator float() const noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

static_assert(half(1.0f).bits == 0x3c00 && half(65504.0f).bits == 0x7bff && half(65520.0f).bits == 0x7c00);
static_assert(half(0x1p-24f).bits == 1 && half(0x1p-25f).bits == 0 && half(0x1.8p-25f).bits == 1);
static_assert(bfloat16(1.0f).bits == 0x3f80);

}  // namespace topbit
