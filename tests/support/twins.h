// Arguments that are made again for one more call, or for another device, and calls that take them. Include this after
// every other header: it imports.
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

/// An argument of its own for one more call, its tensors and devices on that device.
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

/// The bytes of the tensors that an argument is or has.
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

/// Calls an operator by its C++ signature.
template <class Sig>
struct calls;

template <class R, class... A>
struct calls<R(A...)> {
  /// The results. An out variant gives its last argument, an in-place one its first: both as the tensor.
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
