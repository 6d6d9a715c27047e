// Found and wanted results, compared as a file's rules say. Floating elements are decoded here, from their bits, so
// that no conversion of the library judges itself. Include this after every other header: it imports.
#pragma once

#include <bit>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>
#include <vector>

#include "data.h"
#include "support/tensor_values.h"

import topbit;

namespace golden {

namespace tb = topbit;

template <class T>
T bits_at(const std::byte* at) {
  T x;
  std::memcpy(&x, at, sizeof x);
  return x;
}

inline double half_value(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 31) return sign * (fraction != 0 ? std::nan("") : HUGE_VAL);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

/// An element as a number; none for a dtype that is not floating.
inline std::optional<double> floating_value(std::string_view type, const std::byte* at) {
  if (type == "float16") return half_value(bits_at<std::uint16_t>(at));
  if (type == "bfloat16") return std::bit_cast<float>(static_cast<std::uint32_t>(bits_at<std::uint16_t>(at)) << 16);
  if (type == "float32") return bits_at<float>(at);
  if (type == "float64") return bits_at<double>(at);
  return std::nullopt;
}

inline bool agree(double found, double wanted, tolerance within, bool signed_zeros) {
  if (std::isnan(wanted)) return std::isnan(found);
  if (found == wanted) return !signed_zeros || wanted != 0 || std::signbit(found) == std::signbit(wanted);
  if (std::isinf(wanted) || std::isinf(found)) return false;
  return std::abs(found - wanted) <= within.relative * std::abs(wanted) + within.absolute;
}

inline tolerance tolerance_of(const rules& how, std::string_view type) {
  const auto rule = how.within.find(type);
  return rule == how.within.end() ? tolerance{} : rule->second;
}

/// Empty if they agree, else a sentence.
inline std::string difference(const tb::tensor& given, const tb::tensor& wanted, const rules& how,
                              tolerance more = {}) {
  const tb::tensor found = support::on_host(given);
  std::ostringstream text;
  text.precision(17);
  const std::string_view type = tb::name_of(wanted.dtype());
  if (!found.defined() || found.dtype() != wanted.dtype() || found.sizes() != wanted.sizes()) {
    text << "found " << to_string(found, {.one_line = true}) << ", wanted " << to_string(wanted, {.one_line = true});
    return text.str();
  }
  if (how.no_elements) return {};
  tolerance within = tolerance_of(how, type);
  within = {std::max(within.relative, more.relative), std::max(within.absolute, more.absolute)};
  support::each_index(wanted.sizes(), [&](const tb::shape& index) {
    if (text.tellp() != 0) return;
    const std::byte *f = support::address(found, index), *w = support::address(wanted, index);
    const std::optional<double> number = floating_value(type, w);
    if (number ? agree(*floating_value(type, f), *number, within, how.signed_zeros)
               : std::memcmp(f, w, tb::size_of(wanted.dtype())) == 0)
      return;
    text << "element " << tb::to_string(index) << " of " << to_string(found, {.one_line = true});
    if (number) {
      text << ": found " << *floating_value(type, f) << ", wanted " << *number << " within " << std::setprecision(3)
           << within.relative << " of it plus " << within.absolute;
    } else {
      text << ": wanted " << to_string(wanted, {.one_line = true});
    }
  });
  return text.str();
}

/// The same of one boxed result and its text in the file. `seen` is what happens to the tensors that are wanted.
template <class Seen>
std::string difference(const tb::value& found, std::string_view wanted, const rules& how, Seen seen) {
  if (found.is<tb::tensor>())
    return difference(found.get<tb::tensor>(), seen(tb::author::read_text<tb::tensor>(wanted)), how);
  if (found.is<std::span<const tb::tensor>>()) {
    const auto list = found.get<std::span<const tb::tensor>>();
    const auto all = tb::author::read_text<std::vector<tb::tensor>>(wanted);
    if (list.size() != all.size()) {
      return "found a list of " + std::to_string(list.size()) + ", wanted " + std::to_string(all.size());
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::string text = difference(list[i], seen(all[i]), how); !text.empty()) return text;
    }
    return {};
  }
  const std::string text = to_string(found);
  return text == wanted ? std::string() : "found " + text + ", wanted " + std::string(wanted);
}

}  // namespace golden
