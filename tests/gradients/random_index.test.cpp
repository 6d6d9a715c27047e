// Random calls of views, of joins, and of what takes and puts elements; see support/random_gradients.h.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/random_gradients.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::check_random_rules;
using support::drawn_call;
using support::random_rule;
using support::small_shape;
using tb::arg;
using tb::dims;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using source = support::numbers;
using T = const tensor&;

namespace {

std::int64_t count_of(const dims& sizes) { return static_cast<std::int64_t>(sizes.size()); }
// A dimension from the front or the back.
std::int64_t any_dim(source& s, const dims& sizes) { return s.whole(-count_of(sizes), count_of(sizes) - 1); }
std::int64_t size_at(const dims& sizes, std::int64_t dim) {
  return sizes[static_cast<std::size_t>(dim < 0 ? dim + count_of(sizes) : dim)];
}
dims with_size(dims sizes, std::int64_t dim, std::int64_t n) {
  sizes[static_cast<std::size_t>(dim < 0 ? dim + count_of(sizes) : dim)] = n;
  return sizes;
}
dims any_order(source& s, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::int64_t i = count; i > 1; --i)
    std::swap(order[static_cast<std::size_t>(i - 1)], order[static_cast<std::size_t>(s.whole(0, i - 1))]);
  return dims(order);
}
// Places below a length, none of them twice if `once`; without any where there are none.
tensor any_places(source& s, const dims& sizes, std::int64_t length) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < tb::numel(sizes); ++i) all.push_back(static_cast<double>(s.whole(0, length - 1)));
  return support::tensor_of(all, sizes, tb::dtype::int64);
}
tensor places_once(source& s, std::int64_t count, std::int64_t length) {
  const dims order = any_order(s, length);
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<double>(order[static_cast<std::size_t>(i)]));
  return support::tensor_of(all, {count}, tb::dtype::int64);
}

// Of one tensor with as many dimensions; `draw` says its other arguments, and what they are in words.
struct one_call {
  std::function<tensor(T)> run;
  std::string text = {};
};
random_rule of_one(const std::string& name, std::int64_t least_dims, std::function<one_call(source&, const dims&)> draw,
                   bool empty = true) {
  return {.name = name, .draw = [=](source& s) -> drawn_call {
            const dims sizes = small_shape(s, least_dims, 4, empty);
            const one_call c = draw(s, sizes);
            return {{sizes}, [f = c.run](in x) { return out{f(x[0]), f(x[0] * x[0])}; }, c.text};
          }};
}

const std::vector<random_rule> views{
    of_one("transpose", 1,
           [](source& s, const dims& sizes) -> one_call {
             const std::int64_t a = any_dim(s, sizes), b = any_dim(s, sizes);
             return {[=](T x) { return ops::transpose(x, a, b); }, std::to_string(a) + ", " + std::to_string(b)};
           }),
    of_one("permute", 0,
           [](source& s, const dims& sizes) -> one_call {
             const dims order = any_order(s, count_of(sizes));
             return {[=](T x) { return ops::permute(x, order); }, tb::to_string(order)};
           }),
    of_one("expand", 0,
           [](source& s, const dims& sizes) -> one_call {
             dims wide = sizes;
             for (std::size_t d = 0; d < wide.size(); ++d) {
               if (wide[d] == 1) wide[d] = s.whole(1, 3);
             }
             if (wide.size() < 3 && s.whole(0, 1) == 0) {
               dims more{2};
               for (const std::int64_t n : wide) more.push_back(n);
               wide = more;
             }
             return {[=](T x) { return ops::expand(x, wide); }, tb::to_string(wide)};
           }),
    of_one("reshape", 0,
           [](source& s, const dims& sizes) -> one_call {
             const std::int64_t count = tb::numel(sizes);
             dims other{count};
             for (const std::int64_t n : {2, 3}) {
               if (count != 0 && count % n == 0 && s.whole(0, 1) == 0) other = {n, count / n, 1};
             }
             return {[=](T x) { return ops::reshape(x, other); }, tb::to_string(other)};
           }),
    of_one("view", 0,
           [](source&, const dims& sizes) -> one_call {
             return {[n = tb::numel(sizes)](T x) { return ops::view(ops::contiguous(x), dims{n, 1}); }};
           }),
    of_one("squeeze", 0, [](source&, const dims&) -> one_call { return {[](T x) { return ops::squeeze(x); }}; }),
    of_one("squeeze.dim", 1,
           [](source& s, const dims& sizes) -> one_call {
             const std::int64_t d = any_dim(s, sizes);
             return {[=](T x) { return ops::squeeze_dim(x, d); }, std::to_string(d)};
           }),
    of_one("unsqueeze", 0,
           [](source& s, const dims& sizes) -> one_call {
             const std::int64_t d = s.whole(-count_of(sizes) - 1, count_of(sizes));
             return {[=](T x) { return ops::unsqueeze(x, d); }, std::to_string(d)};
           }),
    of_one(
        "select", 1,
        [](source& s, const dims& sizes) -> one_call {
          const std::int64_t d = any_dim(s, sizes), n = size_at(sizes, d), i = s.whole(-n, n - 1);
          return {[=](T x) { return ops::select(x, d, i); }, std::to_string(d) + ", " + std::to_string(i)};
        },
        false),
    of_one("slice", 1,
           [](source& s, const dims& sizes) -> one_call {
             const std::int64_t d = any_dim(s, sizes), n = size_at(sizes, d) + 1, a = s.whole(-n, n),
                                b = s.whole(-n, n), step = s.whole(1, 3);
             return {
                 [=](T x) { return ops::slice(x, d, a, b, step); },
                 std::to_string(d) + ", " + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(step)};
           }),
    of_one("diagonal", 2,
           [](source& s, const dims& sizes) -> one_call {
             const dims order = any_order(s, count_of(sizes));
             const std::int64_t offset = s.whole(-3, 3), a = order[0], b = order[1];
             return {[=](T x) { return ops::diagonal(x, offset, a, b); },
                     std::to_string(offset) + ", " + std::to_string(a) + ", " + std::to_string(b)};
           }),
    of_one(
        "unfold", 1,
        [](source& s, const dims& sizes) -> one_call {
          const std::int64_t d = any_dim(s, sizes), n = s.whole(1, std::max<std::int64_t>(1, size_at(sizes, d))),
                             step = s.whole(1, 3);
          return {[=](T x) { return ops::unfold(x, d, n, step); },
                  std::to_string(d) + ", " + std::to_string(n) + ", " + std::to_string(step)};
        },
        false),
    of_one("as_strided", 0,
           [](source& s, const dims& sizes) -> one_call {
             const std::int64_t count = tb::numel(sizes);
             const dims wanted{s.whole(1, 2), s.whole(1, 3)}, strides{s.whole(0, 2), s.whole(0, 1)};
             const std::int64_t reach = (wanted[0] - 1) * strides[0] + (wanted[1] - 1) * strides[1] + 1;
             if (reach > count) return {[](T x) { return ops::alias(x); }, "alias"};
             const std::int64_t first = s.whole(0, count - reach);
             return {[=](T x) {
                       return ops::as_strided(ops::clone(x, tb::memory_format::contiguous), wanted, strides, first);
                     },
                     tb::to_string(wanted) + ", " + tb::to_string(strides) + ", " + std::to_string(first)};
           }),
};

const std::vector<random_rule> moves{
    of_one("repeat", 0,
           [](source& s, const dims& sizes) -> one_call {
             dims times;
             for (std::size_t d = sizes.size() + static_cast<std::size_t>(s.whole(0, 1)); d > 0; --d)
               times.push_back(s.whole(0, 9) == 0 ? 0 : s.whole(1, 2));
             return {[=](T x) { return ops::repeat(x, times); }, tb::to_string(times)};
           }),
    of_one("fill and zero_", 0,
           [](source&, const dims&) -> one_call {
             return {[](T x) {
               tensor y = ops::clone(x), z = ops::clone(x);
               ops::fill_(y, 3);
               return ops::fill(x, 2) * x + y + ops::zero_(z);
             }};
           }),
    of_one("tril_ and triu_", 2,
           [](source& s, const dims&) -> one_call {
             const std::int64_t k = s.whole(-3, 3);
             return {[=](T x) {
                       tensor y = ops::clone(x), z = x * x;
                       return ops::tril_(y, k) + ops::triu_(z, k);
                     },
                     std::to_string(k)};
           }),
    of_one("tril and triu", 2,
           [](source& s, const dims&) -> one_call {
             const std::int64_t k = s.whole(-3, 3);
             return {[=](T x) { return ops::tril(x, k) + ops::triu(x * x, k); }, std::to_string(k)};
           }),
    {.name = "diag",
     .draw = [](source& s) -> drawn_call {
       const std::int64_t k = s.whole(-2, 2);
       return {{small_shape(s, 1, 2, false)}, [=](in x) { return out{ops::diag(x[0], k)}; }, std::to_string(k)};
     }},
    of_one("constant_pad_nd", 1,
           [](source& s, const dims& sizes) -> one_call {
             dims pad;
             for (std::int64_t d = s.whole(1, count_of(sizes)); d > 0; --d) {
               pad.push_back(s.whole(0, 2));
               pad.push_back(s.whole(sizes[static_cast<std::size_t>(d - 1)] > 4 ? -1 : 0, 2));
             }
             return {[=](T x) { return ops::constant_pad_nd(x, pad, 5); }, tb::to_string(pad)};
           }),
    {.name = "pad around an image",
     .draw = [](source& s) -> drawn_call {
       const dims sizes{s.whole(1, 2), s.whole(2, 3), s.whole(2, 3)};
       const dims pad{s.whole(0, 1), s.whole(0, 1), s.whole(0, 1), s.whole(0, 1)};
       return {{sizes},
               [=](in x) {
                 return out{ops::pad(x[0], pad, "reflect"), ops::pad(x[0], pad, "replicate"),
                            ops::pad(x[0], dims{pad[0], pad[1]}, "circular")};
               },
               tb::to_string(pad)};
     }},
    {.name = "cat",
     .draw = [](source& s) -> drawn_call {
       const dims sizes = small_shape(s, 1, 3);
       const std::int64_t d = any_dim(s, sizes);
       std::vector<dims> all;
       for (std::int64_t n = s.whole(1, 4); n > 0; --n)
         all.push_back(s.whole(0, 7) == 0 ? dims{0} : with_size(sizes, d, s.whole(0, 2)));
       all.push_back(sizes);
       return {all, [=](in x) { return out{ops::cat(x, d)}; }, std::to_string(d)};
     },
     .mixes = true},
    {.name = "stack",
     .draw = [](source& s) -> drawn_call {
       const dims sizes = small_shape(s, 0, 3);
       const std::int64_t d = s.whole(-count_of(sizes) - 1, count_of(sizes));
       return {std::vector(static_cast<std::size_t>(s.whole(1, 3)), sizes), [=](in x) { return out{ops::stack(x, d)}; },
               std::to_string(d)};
     }},
    {.name = "copy_ and fill_",
     .draw = [](source& s) -> drawn_call {
       const dims sizes = small_shape(s);
       return {{sizes, s.narrowed(sizes), {}}, [](in x) {
                 tensor y = ops::clone(x[0]), z = ops::clone(x[0]);
                 ops::copy_(y, x[1]);
                 ops::fill_tensor_(z, tb::to(x[2], z.dtype()));
                 return out{y, z, ops::clone(x[0]) * x[2], ops::fill_tensor(x[0], x[2])};
               }};
     },
     .mixes = true},
};

// A tensor, and another that is put at places of one of its dimensions.
struct put {
  dims sizes;
  std::int64_t dim, count;
};
put any_put(source& s) {
  put p{small_shape(s, 1, 3, false), 0, 0};
  p.dim = any_dim(s, p.sizes);
  p.count = s.whole(0, 3);
  return p;
}
// An index no longer than either, along every other dimension.
dims index_within(source& s, const dims& sizes, std::int64_t dim, std::int64_t count) {
  dims within = sizes;
  for (std::size_t d = 0; d < within.size(); ++d) within[d] = s.whole(1, within[d]);
  return with_size(within, dim, count);
}

// The operator of a tensor, a dimension, places along it and another tensor; and its form that writes.
using puts_elements = std::function<tensor(T, std::int64_t, T, T)>;
using writes_elements = std::function<void(tensor&, std::int64_t, T, T)>;
out in_both_forms(const puts_elements& f, const writes_elements& write, in x, std::int64_t dim, T index) {
  tensor y = ops::clone(x[0]);
  write(y, dim, index, x[1]);
  return {f(x[0], dim, index, x[1]), y};
}

// Each element has a place of its own in the index; no place twice if `once`.
random_rule by_elements(const std::string& name, bool once, puts_elements f, writes_elements write) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            put p = any_put(s);
            const std::int64_t length = size_at(p.sizes, p.dim);
            if (once) p.count = std::min(p.count, length);
            const dims index_sizes = index_within(s, p.sizes, p.dim, p.count);
            tensor index = any_places(s, index_sizes, length);
            if (once) {
              const dims line = with_size(dims(index_sizes.size(), 1), p.dim, p.count);
              index = ops::contiguous(ops::expand(ops::reshape(places_once(s, p.count, length), line), index_sizes));
            }
            dims from = index_sizes;
            for (std::size_t d = 0; d < from.size(); ++d) from[d] += s.whole(0, 1);
            return {{p.sizes, from},
                    [=](in x) { return in_both_forms(f, write, x, p.dim, index); },
                    "along " + std::to_string(p.dim)};
          },
          .low = 0.4,
          .repeats = false,
          .narrow = 4};
}
random_rule by_slices(const std::string& name, bool once, puts_elements f, writes_elements write) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            put p = any_put(s);
            const std::int64_t length = size_at(p.sizes, p.dim);
            if (once) p.count = std::min(p.count, length);
            const tensor index = once ? places_once(s, p.count, length) : any_places(s, {p.count}, length);
            return {{p.sizes, with_size(p.sizes, p.dim, p.count)},
                    [=](in x) { return in_both_forms(f, write, x, p.dim, index); },
                    "along " + std::to_string(p.dim)};
          },
          .low = 0.4,
          .repeats = false,
          .narrow = 4};
}

std::vector<random_rule> puts() {
  std::vector<random_rule> all{
      {.name = "gather",
       .draw = [](source& s) -> drawn_call {
         const put p = any_put(s);
         const tensor index = any_places(s, index_within(s, p.sizes, p.dim, p.count), size_at(p.sizes, p.dim));
         return {{p.sizes}, [=](in x) { return out{ops::gather(x[0], p.dim, index)}; }, std::to_string(p.dim)};
       }},
      {.name = "index_select, index_fill and take",
       .draw = [](source& s) -> drawn_call {
         const put p = any_put(s);
         const tensor index = any_places(s, {p.count}, size_at(p.sizes, p.dim));
         return {{p.sizes, {}},
                 [=](in x) {
                   return out{ops::index_select(x[0], p.dim, index), ops::take(x[0], index),
                              ops::index_fill(x[0], p.dim, index, 3), ops::index_fill_tensor(x[0], p.dim, index, x[1])};
                 },
                 std::to_string(p.dim)};
       }},
      {.name = "index",
       .draw = [](source& s) -> drawn_call {
         const dims sizes = small_shape(s, 2, 3, false);
         const dims places = small_shape(s, 0, 2, true, 4);
         std::vector<std::optional<tensor>> indices;
         for (const std::int64_t n : sizes)
           indices.push_back(s.whole(0, 2) == 0 ? std::optional<tensor>() : any_places(s, s.narrowed(places), n));
         indices[0] = any_places(s, places, sizes[0]);
         return {{sizes}, [=](in x) { return out{ops::index(x[0], indices)}; }};
       }},
      {.name = "index_put, adding",
       .draw = [](source& s) -> drawn_call {
         const dims sizes = small_shape(s, 2, 2, false), places = small_shape(s, 0, 2, true, 4);
         const std::vector<std::optional<tensor>> indices{any_places(s, places, sizes[0]),
                                                          any_places(s, s.narrowed(places), sizes[1])};
         return {{sizes, s.narrowed(places)}, [=](in x) {
                   tensor y = ops::clone(x[0]);
                   return out{ops::index_put(x[0], indices, x[1], true), ops::index_put_(y, indices, x[1], true)};
                 }};
       },
       .narrow = 4},
      {.name = "index_put",
       .draw = [](source& s) -> drawn_call {
         const dims sizes = small_shape(s, 2, 2, false);
         const std::int64_t count = s.whole(0, sizes[0]);
         const std::vector<std::optional<tensor>> indices{places_once(s, count, sizes[0])};
         return {{sizes, s.narrowed({count, sizes[1]})}, [=](in x) {
                   tensor y = ops::clone(x[0]);
                   return out{ops::index_put(x[0], indices, x[1]), ops::index_put_(y, indices, x[1])};
                 }};
       }},
      {.name = "embedding",
       .draw = [](source& s) -> drawn_call {
         const dims table{s.whole(1, 4), s.whole(0, 3)};
         const tensor index = any_places(s, small_shape(s, 0, 2, true, 4), table[0]);
         return {{table}, [=](in x) { return out{ops::embedding(x[0], index)}; }};
       },
       .narrow = 4},
      by_elements(
          "scatter", true, [](T x, std::int64_t d, T i, T y) { return ops::scatter(x, d, i, y); },
          [](tensor& x, std::int64_t d, T i, T y) { ops::scatter_(x, d, i, y); }),
      by_elements(
          "scatter.value", false,
          [](T x, std::int64_t d, T i, T y) { return ops::scatter_value(x, d, i, 3) + ops::sum(y); },
          [](tensor& x, std::int64_t d, T i, T) { ops::scatter_value_(x, d, i, 3); }),
      by_elements(
          "scatter_add", false, [](T x, std::int64_t d, T i, T y) { return ops::scatter_add(x, d, i, y); },
          [](tensor& x, std::int64_t d, T i, T y) { ops::scatter_add_(x, d, i, y); }),
      by_slices(
          "index_copy", true, [](T x, std::int64_t d, T i, T y) { return ops::index_copy(x, d, i, y); },
          [](tensor& x, std::int64_t d, T i, T y) { ops::index_copy_(x, d, i, y); }),
      by_slices(
          "index_add", false,
          [](T x, std::int64_t d, T i, T y) { return ops::index_add(x, d, i, y, arg<"alpha"> = -1.5); },
          [](tensor& x, std::int64_t d, T i, T y) { ops::index_add_(x, d, i, y); }),
  };
  for (const char* how : {"add", "multiply"}) {
    all.push_back(by_elements(
        "scatter.reduce to " + std::string(how), false,
        [=](T x, std::int64_t d, T i, T y) { return ops::scatter_reduction(x, d, i, y, arg<"reduce"> = how); },
        [=](tensor& x, std::int64_t d, T i, T) { ops::scatter_value_reduction_(x, d, i, 3, arg<"reduce"> = how); }));
    all.push_back(by_elements(
        "scatter_.reduce to " + std::string(how), false,
        [=](T x, std::int64_t d, T i, T y) {
          return ops::scatter_value_reduction(x, d, i, 3, arg<"reduce"> = how) + ops::sum(y);
        },
        [=](tensor& x, std::int64_t d, T i, T y) { ops::scatter_reduction_(x, d, i, y, arg<"reduce"> = how); }));
  }
  for (const char* how : {"sum", "prod", "mean", "amax", "amin"}) {
    for (const bool include : {true, false}) {
      const std::string name = std::string(" of ") + how + (include ? "" : " without self");
      all.push_back(by_elements(
          "scatter_reduce" + name, false,
          [=](T x, std::int64_t d, T i, T y) {
            return ops::scatter_reduce(x, d, i, y, how, arg<"include_self"> = include);
          },
          [=](tensor& x, std::int64_t d, T i, T y) {
            ops::scatter_reduce_(x, d, i, y, how, arg<"include_self"> = include);
          }));
      if (std::string(how) == "sum") continue;
      all.push_back(by_slices(
          "index_reduce" + name, false,
          [=](T x, std::int64_t d, T i, T y) {
            return ops::index_reduce(x, d, i, y, how, arg<"include_self"> = include);
          },
          [=](tensor& x, std::int64_t d, T i, T y) {
            ops::index_reduce_(x, d, i, y, how, arg<"include_self"> = include);
          }));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("random gradients: views", "[gradients][random]") { check_random_rules(views, 100); }
TEST_CASE("random gradients: concatenation and rearrangement", "[gradients][random]") {
  check_random_rules(moves, 100);
}
TEST_CASE("random gradients: indexing", "[gradients][random]") { check_random_rules(puts(), 100); }
