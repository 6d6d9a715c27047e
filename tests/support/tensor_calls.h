// One call or more of every operator there is, with all of its arguments: what the tests that look at all operators
// alike walk over. Include this after every other header: it imports.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/reduce_calls.h"
#include "support/tensor_values.h"
#include "support/view_calls.h"

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

/// Calls visit(operator, arguments...) for every operator. The arguments are values: make twins of them to call.
template <class Visit>
void each_call(Visit visit) {
  namespace ops = topbit::ops;
  using tb::dtype;
  using tb::scalar;
  using tb::tensor;
  numbers source(17);
  const tensor a = source.tensor({2, 3}, dtype::float32), b = source.tensor({3}, dtype::float32);
  const tensor sliced = source.tensor({2, 3}, dtype::float64, arrangement::sliced);
  const tensor turned = source.tensor({2, 3}, dtype::float32, arrangement::transposed);
  const tensor repeated = source.tensor({2, 3}, dtype::float32, arrangement::expanded);
  const tensor whole = source.tensor({2, 3}, dtype::int64), flags = source.tensor({2, 3}, dtype::boolean);
  const tensor row = source.tensor({3}, dtype::int64);
  const tensor number = source.tensor({}, dtype::float64), nothing = source.tensor({0, 3}, dtype::float32);
  const tensor positive = source.positive({2, 3}, dtype::float32);
  const tensor labels = tensor_of({2, 0}, {2}, dtype::int64);
  using type = std::optional<dtype>;
  using how = std::optional<tb::layout>;
  using place = std::optional<tb::device>;
  using pinned = std::optional<bool>;
  using format = std::optional<tb::memory_format>;
  const type no_type;
  const auto made = [&](const auto& op, auto... first) {
    visit(op, first..., no_type, how(), place(), pinned());
    visit(op, first..., type(dtype::int64), how(tb::layout::strided), place(tb::cpu), pinned(false));
  };

  visit(ops::empty, sizes_argument{2, 3}, no_type, how(), place(), pinned(), format());
  made(ops::full, sizes_argument{2, 3}, scalar(2.5));
  made(ops::full, sizes_argument{}, scalar(true));
  made(ops::zeros, sizes_argument{0, 2});
  made(ops::ones, sizes_argument{3});
  made(ops::arange, scalar(5));
  made(ops::arange, scalar(2.5));
  for (const tensor& t : {a, turned, sliced, whole, flags, number, nothing}) {
    visit(ops::fill_, t, scalar(3));
    visit(ops::zero_, t);
    visit(ops::clone, t, format());
    visit(ops::to_copy, t, no_type, how(), place(), pinned(), false, format());
    visit(ops::to_copy, t, type(dtype::float32), how(), place(), pinned(), false, format());
    visit(ops::exp, t);
    visit(ops::sum, t, no_type);
    visit(ops::sum, t, type(dtype::float64));
    visit(ops::mul_scalar, t, scalar(2.5));
    visit(ops::div_scalar, t, scalar(2));
    visit(ops::add_scalar, t, scalar(2), scalar(1));
    visit(ops::eq, t, b);
    visit(ops::mul, t, b);
  }
  for (const tensor& t : {a, turned, sliced, repeated, nothing}) {
    visit(ops::copy_, tensor(source.tensor({2, t.sizes()[0], 3}, dtype::float64)), t, false);
    visit(ops::add, t, b, scalar(2));
    visit(ops::sub, t, row, scalar(1));
    visit(ops::div, row, t);
    visit(ops::sub_scalar, t, scalar(2), scalar(1));
    visit(ops::neg, t);
    visit(ops::relu, t);
    visit(ops::log, t);
    visit(ops::threshold_backward, t, t, tb::scalar(0));
    visit(ops::ne, t, b);
    visit(ops::lt, t, b);
    visit(ops::le, t, b);
    visit(ops::gt, t, b);
    visit(ops::ge, t, b);
    each_view_call(visit, t);
    if (tb::is_floating(t.dtype()) && t.numel() != 0) each_reduce_call(visit, t);
    visit(ops::log_softmax, t, std::int64_t{-1}, no_type);
    visit(ops::log_softmax_forward, t, std::int64_t{1}, false);
    visit(ops::log_softmax_backward, t, t, std::int64_t{1}, t.dtype());
    visit(ops::mm, t, tensor(source.tensor({3, 4}, t.dtype(), arrangement::transposed)));
    visit(ops::matmul, t, tensor(source.tensor({3, 0}, t.dtype())));
  }
  visit(ops::nll_loss, positive, labels, std::optional<tensor>(), std::int64_t{1}, std::int64_t{-100});
  const tensor one = source.tensor({}, dtype::float32);
  visit(ops::nll_loss_forward, turned, labels, std::optional<tensor>(), std::int64_t{2}, std::int64_t{-100});
  visit(ops::nll_loss_backward, one, a, labels, std::optional<tensor>(), std::int64_t{1}, std::int64_t{-100}, one);
  for (const tensor& out : {a, turned, sliced}) {
    visit(ops::add_, out, b, scalar(2));
    visit(ops::sub_, out, whole, scalar(2));
    visit(ops::mul_, out, number);
    visit(ops::div_, out, b);
    visit(ops::add_out, a, whole, scalar(2), out);
    visit(ops::sub_out, b, a, scalar(2), out);
    visit(ops::mul_out, flags, a, out);
    visit(ops::div_out, whole, whole, out);
  }
}

/// Calls an operator by its C++ signature: directly, and through its name with boxed arguments.
template <class Sig>
struct calls;

template <class R, class... A>
struct calls<R(A...)> {
  /// The results. An out variant gives its last argument, an in-place one its first: both as the tensor.
  template <class Op, class... Given>
  static std::vector<tb::tensor> typed(const Op& op, std::tuple<Given...>& given) {
    return std::apply([&](auto&... x) { return listed(op(static_cast<A>(x)...)); }, given);
  }
  template <class Op, class... Given>
  static std::vector<tb::tensor> boxed(const Op& op, std::tuple<Given...>& given) {
    tb::stack s;
    std::apply([&](auto&... x) { (push<A>(s, x), ...); }, given);
    tb::registry::process().find(op.name()).call_boxed(s);
    std::vector<tb::tensor> all;
    for (const tb::value& v : s.top(s.size()))
      tb::author::each_tensor(v, [&](const tb::tensor& t) { all.push_back(t); });
    return all;
  }

 private:
  static std::vector<tb::tensor> listed(const tb::tensor& t) { return {t}; }
  template <class... T>
  static std::vector<tb::tensor> listed(const std::tuple<T...>& results) {
    return std::apply([](const auto&... t) { return std::vector<tb::tensor>{t...}; }, results);
  }
  static std::vector<tb::tensor> listed(std::vector<tb::tensor> list) { return list; }
  template <class P, class T>
  static void push(tb::stack& s, T& x) {
    const std::remove_cvref_t<P> converted = static_cast<P>(x);
    if constexpr (requires { converted.has_value(); }) {
      if (converted.has_value())
        s.push(*converted);
      else
        s.push(tb::value());
    } else {
      s.push(converted);
    }
  }
};

}  // namespace support
