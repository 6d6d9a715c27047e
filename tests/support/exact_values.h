// Elements as long double, which represents every dtype exactly; operands with edge values of a dtype; errors in units
// in the last place. Include this after every other header: it imports.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "oracle/dtype_rules.h"
#include "support/tensor_values.h"

import topbit;

namespace support {

using extended = long double;
static_assert(std::numeric_limits<extended>::digits >= 64);

inline extended exact(const tb::tensor& t, const tb::shape& index) {
  const std::byte* at = address(t, index);
  return tb::with_element_type(t.dtype(), [at]<class T>(T x) {
    std::memcpy(&x, at, sizeof x);
    if constexpr (std::is_same_v<T, tb::half> || std::is_same_v<T, tb::bfloat16>)
      return static_cast<extended>(static_cast<float>(x));
    else
      return static_cast<extended>(x);
  });
}

inline void put(const tb::tensor& t, const tb::shape& index, extended value) {
  if (t.dtype() != tb::dtype::int64) return set(t, index, static_cast<double>(value));
  const auto whole = static_cast<std::int64_t>(value);
  std::memcpy(address(t, index), &whole, sizeof whole);
}

inline std::vector<extended> exact_values(const tb::tensor& t) {
  std::vector<extended> all;
  each_index(t.sizes(), [&](const tb::shape& i) { all.push_back(exact(t, i)); });
  return all;
}

/// The compute type of elementwise operations on this dtype.
inline tb::dtype computed_in(tb::dtype t) {
  if (t == tb::dtype::boolean || t == tb::dtype::float64) return t;
  return tb::is_floating(t) ? tb::dtype::float32 : tb::dtype::int64;
}

/// The least and the greatest finite value of a dtype.
inline std::pair<extended, extended> range_of(tb::dtype t) {
  using enum tb::dtype;
  switch (t) {
    case boolean: return {0, 1};
    case uint8: return {0, 255};
    case int8: return {-128, 127};
    case int16: return {-32768, 32767};
    case int32: return {-0x1p31L, 0x1p31L - 1};
    case int64: return {-0x1p63L, 0x1p63L - 1};
    case float16: return {-65504, 65504};
    case bfloat16: return {-0x1.fep127L, 0x1.fep127L};
    case float32: return {-0x1.fffffep127L, 0x1.fffffep127L};
    case float64: break;
  }
  return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
}

/// Significant bits of a floating dtype, including the implicit one, and the exponent of its smallest subnormal.
inline std::pair<int, int> precision_of(tb::dtype t) {
  switch (t) {
    case tb::dtype::float16: return {11, -24};
    case tb::dtype::bfloat16: return {8, -133};
    case tb::dtype::float32: return {24, -149};
    default: return {53, -1074};
  }
}

/// The ulp of a floating dtype at x.
inline extended unit_at(tb::dtype t, extended x) {
  const auto [bits, least] = precision_of(t);
  int exponent = least;
  if (x != 0) std::frexp(x, &exponent);
  return std::ldexp(extended(1), std::max(exponent - bits, least));
}

/// An expected value and the magnitude of the numbers it was computed from, for cancellation: errors are relative to
/// the larger one.
struct approximately {
  extended value, scale = 0;
  approximately(extended x) : value(x) {}
  approximately(extended x, extended of) : value(x), scale(std::isfinite(of) ? std::abs(of) : 0) {}
};

/// True if an element matches the expected value: integers and bool exactly, floating dtypes within `units` ulp. For
/// float16 and bfloat16 these are ulp of float32, plus one rounding of the result. NaN matches NaN; exact zeros must
/// have the same sign unless units > 1.
inline bool agrees(tb::dtype t, extended found, approximately wanted, extended units) {
  if (std::isnan(wanted.value)) return std::isnan(found);
  const extended nearest = oracle::stored(t, wanted.value);
  if (found == nearest) {
    return found != 0 || units > 1 || !tb::is_floating(t) || std::signbit(found) == std::signbit(nearest);
  }
  if (!tb::is_floating(t) || std::isnan(found) || std::isinf(wanted.value)) return false;
  // Overflow: infinity counts as the number one ulp above the greatest one.
  const auto finite = [t](extended x) {
    const extended greatest = range_of(t).second;
    return std::isinf(x) ? std::copysign(greatest + unit_at(t, greatest), x) : x;
  };
  const extended at = finite(nearest), here = finite(found), size = std::max(std::abs(at), wanted.scale);
  const bool half = precision_of(t).first < 24;
  const extended most = units * unit_at(half ? tb::dtype::float32 : t, size) +
                        (half ? std::max(unit_at(t, at), unit_at(t, here)) / 2 : 0);
  return std::abs(here - wanted.value) <= most;
}

inline std::string text_of_number(extended x) {
  std::ostringstream out;
  out.precision(21);
  out << x;
  return out.str();
}

/// Compares elements in row-major order; returns an empty string if all match, else a message.
inline std::string disagreement(const tb::tensor& found, const std::vector<approximately>& wanted, extended units) {
  const std::vector<extended> all = exact_values(found);
  if (all.size() != wanted.size()) return "found " + std::to_string(all.size()) + " elements";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (agrees(found.dtype(), all[i], wanted[i], units)) continue;
    return "element " + std::to_string(i) + ": found " + text_of_number(all[i]) + ", wanted " +
           text_of_number(wanted[i].value);
  }
  return {};
}

inline std::string disagreement(const tb::tensor& found, const std::vector<extended>& wanted, extended units) {
  return disagreement(found, std::vector<approximately>(wanted.begin(), wanted.end()), units);
}

/// Random operands: few, many or no elements, zero dimensions; any strides; aligned to the element size only.
class edge_numbers : public numbers {
 public:
  using numbers::numbers;

  tb::dtype dtype() { return tb::all_dtypes[static_cast<std::size_t>(whole(0, 9))]; }
  tb::dtype floating() { return static_cast<tb::dtype>(whole(6, 9)); }
  bool flip() { return whole(0, 1) != 0; }

  tb::shape any_shape() {
    switch (whole(0, 9)) {
      case 0: return {};
      case 1: return {whole(0, 2), 0, whole(0, 3)};
      case 2: return {whole(500, 1100)};
      case 3: return {whole(1, 3), 67};
      default: return shape(4, 5);
    }
  }

  /// A random value of the dtype: an edge value, any magnitude, or between low and high.
  extended number(tb::dtype t, extended low = -9, extended high = 9) {
    if (t == tb::dtype::boolean) return flip();
    const auto [least, greatest] = range_of(t);
    const std::int64_t pick = whole(0, 9);
    if (tb::is_integer(t)) {
      const extended edges[] = {
          0, 1, least, greatest, least + 1, greatest - 1, greatest / 2, least == 0 ? 2.0L : -1.0L};
      if (pick < 3) return oracle::stored(t, edges[whole(0, 7)]);
      if (pick < 5) return oracle::stored(t, extended(whole(INT64_MIN, INT64_MAX)));
      const extended x = std::round(between(low, high));
      return least == 0 ? std::abs(x) : x;
    }
    const auto [bits, smallest] = precision_of(t);
    const extended normal = std::ldexp(extended(1), smallest + bits - 1), step = std::ldexp(extended(1), 1 - bits);
    const extended edges[] = {0,           -0.0L,
                              INFINITY,    -INFINITY,
                              NAN,         greatest,
                              least,       normal,
                              -normal / 2, 1,
                              -1,          std::ldexp(extended(1), smallest),
                              1 + step,    1 - step / 2,
                              0.5,         -0.5,
                              1.5,         2.5,
                              -2,          3,
                              1 / step,    -1 / step,
                              2 / step};
    if (pick < 2) return oracle::stored(t, edges[whole(0, std::ssize(edges) - 1)]);
    if (pick < 4) {
      const auto exponent = static_cast<int>(whole(smallest, std::ilogb(greatest)));
      return oracle::stored(t, std::ldexp(extended(real(-2, 2)), exponent));
    }
    return oracle::stored(t, between(low, high));
  }

  tb::tensor operand(const tb::shape& sizes, tb::dtype t, extended low = -9, extended high = 9, bool distinct = false) {
    const tb::tensor x = memory(sizes, t, distinct);
    each_index(sizes, [&](const tb::shape& i) { put(x, i, number(t, low, high)); });
    return x;
  }

  /// Uninitialised elements in a random arrangement; `distinct`: without overlap, so that it can be written.
  tb::tensor memory(const tb::shape& sizes, tb::dtype t, bool distinct) {
    const std::int64_t pick = whole(0, 4);
    if (pick == 3 && !distinct) return arranged(sizes, t, arrangement::expanded);
    if (pick >= 3) return shifted(sizes, t);
    return arranged(sizes, t, static_cast<arrangement>(pick));
  }

  /// Dense, starting at the second element of its memory.
  static tb::tensor shifted(const tb::shape& sizes, tb::dtype t) {
    const tb::tensor whole = tb::author::make_tensor({tb::numel(sizes) + 1}, t, tb::cpu);
    return tb::author::make_view(whole, sizes, tb::dense_strides(sizes), 1);
  }

 private:
  extended between(extended low, extended high) { return real(static_cast<double>(low), static_cast<double>(high)); }
};

}  // namespace support
