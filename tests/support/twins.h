// Copies of arguments for another call or device, and typed calls with them. Include this after every other header: it
// imports.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/tensor_values.h"

import topbit;

namespace support {

using sizes_argument = std::vector<std::int64_t>;

/// A copy of the argument, its tensors and devices replaced by those of a device.
template <class T>
T twin_argument(const T& x, tb::device where) {
  if constexpr (std::is_same_v<T, tb::tensor>)
    return twin(x, where);
  else if constexpr (std::is_same_v<T, std::vector<tb::tensor>>) {
    T twins;
    for (const tb::tensor& t : x) twins.push_back(twin(t, where));
    return twins;
  } else if constexpr (std::is_same_v<T, std::optional<tb::tensor>>) {
    return x ? T(twin(*x, where)) : x;
  } else if constexpr (std::is_same_v<T, std::vector<std::optional<tb::tensor>>>) {
    T twins;
    for (const auto& t : x) twins.push_back(twin_argument(t, where));
    return twins;
  } else if constexpr (std::is_same_v<T, std::optional<tb::device>>)
    return where;
  else
    return x;
}

/// The bytes of all tensors in an argument.
template <class T>
std::vector<std::byte> bytes_of(const T& argument) {
  if constexpr (std::is_same_v<T, tb::tensor>)
    return bytes(argument);
  else if constexpr (std::is_same_v<T, std::optional<tb::tensor>>)
    return argument ? bytes(*argument) : std::vector<std::byte>();
  else if constexpr (std::is_same_v<T, std::vector<tb::tensor>>) {
    std::vector<std::byte> all;
    for (const tb::tensor& t : argument) {
      const auto more = bytes(t);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  } else
    return {};
}

/// Calls an operator through its C++ signature.
template <class Sig>
struct calls;

template <class R, class... A>
struct calls<R(A...)> {
  /// Returns the results; an out or in-place form returns the tensor it wrote.
  template <class Op, class... Given>
  static std::vector<tb::tensor> typed(const Op& op, std::tuple<Given...>& given) {
    return std::apply([&](auto&... x) { return listed(op(static_cast<A>(x)...)); }, given);
  }

 private:
  static std::vector<tb::tensor> listed(const tb::tensor& t) { return {t}; }
  template <class... T>
  static std::vector<tb::tensor> listed(const std::tuple<T...>& results) {
    return std::apply([](const auto&... t) { return std::vector<tb::tensor>{t...}; }, results);
  }
  static std::vector<tb::tensor> listed(std::vector<tb::tensor> list) { return list; }
};

}  // namespace support
