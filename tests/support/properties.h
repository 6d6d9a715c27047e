// Property tests of operators: random tensors of any shape and arrangement, a call compared with its meta result, and
// the out and in-place forms. Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/scale.h"
#include "support/tensor_values.h"
#include "support/twins.h"

import topbit;

namespace support {

/// Calls visit(source, dtype) `rounds` times for every dtype.
template <class Visit>
void for_every_dtype(unsigned seed, int rounds, Visit visit) {
  numbers source(seed);
  for (int round = 0; round < scaled(rounds); ++round) {
    for (tb::dtype t : dtypes) {
      INFO("round " << round << " " << tb::name_of(t));
      visit(source, t);
    }
  }
}

/// `least` to `most_dims` dimensions of size 1 to `most`, rarely 0.
inline tb::shape any_shape(numbers& source, std::int64_t least, std::int64_t most_dims, std::int64_t most) {
  tb::shape sizes;
  for (std::int64_t d = source.whole(least, most_dims); d > 0; --d) {
    sizes.push_back(source.whole(0, 11) == 0 ? 0 : source.whole(1, most));
  }
  return sizes;
}

/// As any_shape(); rarely, one dimension has hundreds of elements and the others one or two, to reach blocked loops.
inline tb::shape any_long_shape(numbers& source, std::int64_t least, std::int64_t most_dims, std::int64_t most) {
  const tb::shape sizes = any_shape(source, least, most_dims, most);
  if (sizes.size() == 0 || source.whole(0, 14) != 0) return sizes;
  const auto at = static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(sizes.size()) - 1));
  tb::shape out;
  for (std::size_t d = 0; d < sizes.size(); ++d) out.push_back(d == at ? source.whole(200, 1300) : source.whole(1, 2));
  return out;
}

/// A dimension of a shape: its index, and an argument that denotes it, possibly counted from the end.
struct some_dim {
  std::size_t at;
  std::int64_t given;
};
inline some_dim any_dim(numbers& source, const tb::shape& sizes) {
  const std::int64_t n = std::max<std::int64_t>(static_cast<std::int64_t>(sizes.size()), 1);
  const std::int64_t at = source.whole(0, n - 1);
  return {static_cast<std::size_t>(at), source.whole(0, 1) == 0 ? at : at - n};
}

/// Uninitialised memory to write: dense, transposed, sliced, or dense from the second element on, which is not aligned
/// to a SIMD register.
inline tb::tensor any_room(numbers& source, const tb::shape& sizes, tb::dtype type) {
  const std::int64_t how = source.whole(0, 3);
  if (how != 3) return arranged(sizes, type, arrangements[how]);
  const tb::tensor whole = arranged({tb::numel(sizes) + 1}, type, arrangement::dense);
  return tb::author::make_view(whole, sizes, tb::dense_strides(sizes), 1);
}

inline void copy_elements(const tb::tensor& to, const tb::tensor& from) {
  each_index(to.sizes(), [&](const tb::shape& i) { set(to, i, get(from, i)); });
}

/// A copy in another arrangement.
inline tb::tensor moved(numbers& source, const tb::tensor& t) {
  const tb::tensor to = any_room(source, t.sizes(), t.dtype());
  copy_elements(to, t);
  return to;
}

/// Small random numbers in any arrangement.
inline tb::tensor any_tensor(numbers& source, const tb::shape& sizes, tb::dtype type) {
  if (source.whole(0, 4) == 0) return source.tensor(sizes, type, arrangement::expanded);
  return moved(source, source.tensor(sizes, type));
}

/// As any_tensor(); in floating dtypes a tenth of the elements are NaN, infinite or -0.
inline tb::tensor any_odd_tensor(numbers& source, const tb::shape& sizes, tb::dtype type) {
  const tb::tensor t = any_tensor(source, sizes, type);
  const double odd[] = {std::nan(""), INFINITY, -INFINITY, -0.0};
  each_index(sizes, [&](const tb::shape& i) {
    if (tb::is_floating(type) && source.whole(0, 9) == 0) set(t, i, odd[source.whole(0, 3)]);
  });
  return t;
}

/// Integers in any arrangement; with small bounds their sums and products are exact in every dtype, in any order.
inline tb::tensor any_whole_tensor(numbers& source, const tb::shape& sizes, tb::dtype type, std::int64_t low,
                                   std::int64_t high) {
  const tb::tensor t = any_tensor(source, sizes, type);
  each_index(sizes, [&](const tb::shape& i) { set(t, i, static_cast<double>(source.whole(low, high))); });
  return t;
}

/// f(index) for every index, in row-major order.
template <class F>
std::vector<double> listed(const tb::shape& sizes, F f) {
  std::vector<double> out;
  each_index(sizes, [&](const tb::shape& i) { out.push_back(f(i)); });
  return out;
}

template <class Op>
using calls_of = calls<typename std::remove_cvref_t<Op>::signature>;

/// The results on the CPU. Fails the test if an argument is written, or if sizes, strides or dtypes differ from those
/// on meta.
template <class Op, class... A>
std::vector<tb::tensor> results_of(const Op& op, const A&... given) {
  const auto bytes_before = std::tuple(bytes_of(given)...);
  auto here = std::tuple(given...);
  const std::vector<tb::tensor> found = calls_of<Op>::typed(op, here);
  REQUIRE(std::tuple(bytes_of(given)...) == bytes_before);
  auto there = std::tuple(twin_argument(given, tb::meta)...);
  const std::vector<tb::tensor> shapes = calls_of<Op>::typed(op, there);
  REQUIRE(shapes.size() == found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(shapes[i].device() == tb::meta);
    REQUIRE(shapes[i].dtype() == found[i].dtype());
    REQUIRE(tb::to_string(shapes[i].sizes()) == tb::to_string(found[i].sizes()));
    REQUIRE(tb::to_string(shapes[i].strides()) == tb::to_string(found[i].strides()));
  }
  return found;
}
template <class Op, class... A>
tb::tensor result_of(const Op& op, const A&... given) {
  const std::vector<tb::tensor> all = results_of(op, given...);
  REQUIRE(all.size() == 1);
  return all[0];
}

/// Fails the test unless the tensor has these sizes, this dtype and, within the tolerance, these elements.
inline void check_tensor(const tb::tensor& t, const tb::shape& sizes, tb::dtype type, const std::vector<double>& wanted,
                         double tolerance = 0) {
  REQUIRE(tb::to_string(t.sizes()) == tb::to_string(sizes));
  REQUIRE(t.dtype() == type);
  REQUIRE(difference(values(t), wanted, tolerance) == "");
}

/// Memory from any_room() was written only at the tensor's elements.
inline void check_nothing_beside(const tb::tensor& t) {
  const tb::tensor copy = twin(t, tb::cpu);
  each_index(copy.sizes(), [&](const tb::shape& i) { std::memset(address(copy, i), 0x55, tb::size_of(copy.dtype())); });
  const std::vector<std::byte> all = bytes(copy);
  REQUIRE(std::ranges::all_of(all, [](std::byte b) { return b == std::byte{0x55}; }));
}

/// Calls replace(tensor) for each tensor among the arguments; replace may exchange it temporarily.
template <class Replace, class... A>
void each_argument(std::tuple<A...>& arguments, Replace replace) {
  const auto one = [&]<class T>(T& x) {
    if constexpr (std::is_same_v<T, tb::tensor>) {
      replace(x);
    } else if constexpr (std::is_same_v<T, std::vector<tb::tensor>>) {
      for (tb::tensor& t : x) replace(t);
    }
  };
  std::apply([&](auto&... x) { (one(x), ...); }, arguments);
}

/// Two dense tensors of the same memory, the second shifted by one element; the first has the given elements.
inline std::pair<tb::tensor, tb::tensor> overlapping(const tb::tensor& elements) {
  const tb::shape& sizes = elements.sizes();
  const tb::tensor whole = tb::author::make_tensor({elements.numel() + 1}, elements.dtype(), tb::cpu);
  const auto part = [&](std::int64_t first) {
    return tb::author::make_view(whole, sizes, tb::dense_strides(sizes), first);
  };
  copy_elements(part(0), elements);
  return {part(0), part(1)};
}

/// The out form gives the functional result: into any arrangement and, for a single result, also over each argument of
/// the same sizes and dtype, exactly and shifted by one element.
template <class Op, std::size_t N, class... A>
void check_out(numbers& source, const Op& op, const std::array<tb::tensor, N>& wanted, const A&... given) {
  const auto check = [&](auto arguments, const std::array<tb::tensor, N>& out) {
    auto all = std::tuple_cat(arguments, out);
    const std::vector<tb::tensor> written = calls_of<Op>::typed(op, all);
    REQUIRE(written.size() == N);
    for (std::size_t i = 0; i < N; ++i) {
      REQUIRE(written[i].same_as(out[i]));
      REQUIRE(difference(values(out[i]), values(wanted[i]), 0) == "");
    }
  };
  std::array<tb::tensor, N> rooms;
  for (std::size_t i = 0; i < N; ++i) rooms[i] = any_room(source, wanted[i].sizes(), wanted[i].dtype());
  check(std::tuple(given...), rooms);
  for (const tb::tensor& room : rooms) check_nothing_beside(room);
  if constexpr (N == 1) {
    auto arguments = std::tuple(given...);
    each_argument(arguments, [&](tb::tensor& t) {
      if (t.sizes() != wanted[0].sizes() || t.dtype() != wanted[0].dtype()) return;
      const tb::tensor kept = t;
      t = moved(source, kept);
      check(arguments, {t});
      const auto [in, out] = overlapping(kept);
      t = in;
      check(arguments, {out});
      t = kept;
    });
  }
}
template <class Op, class... A>
void check_out(numbers& source, const Op& op, const tb::tensor& wanted, const A&... given) {
  check_out(source, op, std::array{wanted}, given...);
}

/// The in-place form gives the functional result, for any arrangement of self, also if self is another argument too,
/// which is read before it is written. If the functional form throws, the in-place form throws and writes nothing.
template <class Functional, class InPlace, class... A>
void check_in_place(numbers& source, const Functional& functional, const InPlace& in_place, const tb::tensor& self,
                    const A&... given) {
  const auto check = [&](const tb::tensor& place, auto wanted_of, auto arguments) {
    auto first = std::tuple_cat(std::tuple(self), wanted_of), all = std::tuple_cat(std::tuple(place), arguments);
    std::vector<double> wanted;
    bool refused = false;
    try {
      wanted = values(calls_of<Functional>::typed(functional, first)[0]);
    } catch (const tb::error&) {
      refused = true;
      wanted = values(self);
    }
    if (refused)
      REQUIRE_THROWS_AS(calls_of<InPlace>::typed(in_place, all), tb::error);
    else
      REQUIRE(calls_of<InPlace>::typed(in_place, all)[0].same_as(place));
    REQUIRE(difference(values(place), wanted, 0) == "");
    check_nothing_beside(place);
  };
  auto arguments = std::tuple(given...);
  check(moved(source, self), arguments, arguments);
  each_argument(arguments, [&](tb::tensor& t) {
    if (t.sizes() != self.sizes() || t.dtype() != self.dtype()) return;
    const tb::tensor kept = t, place = moved(source, self);
    t = self;
    const auto wanted_of = arguments;
    t = place;
    check(place, wanted_of, arguments);
    t = kept;
  });
}

/// The shape with some sizes replaced by 1; broadcasts to the original.
inline tb::shape with_ones(numbers& source, const tb::shape& sizes) {
  tb::shape out;
  for (std::int64_t n : sizes) out.push_back(n != 0 && source.whole(0, 3) == 0 ? 1 : n);
  return out;
}

}  // namespace support
