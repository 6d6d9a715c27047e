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
namespace aten = topbit::aten;
using support::check_random_rules;
using support::drawn_call;
using support::random_rule;
using support::said;
using support::small_shape;
using tb::arg;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using source = support::numbers;
using T = const tensor&;

namespace {

std::int64_t count_of(const shape& sizes) { return static_cast<std::int64_t>(sizes.size()); }
// A dimension from the front or the back.
std::int64_t any_dim(source& s, const shape& sizes) { return s.whole(-count_of(sizes), count_of(sizes) - 1); }
std::int64_t size_at(const shape& sizes, std::int64_t dim) {
  return sizes[static_cast<std::size_t>(dim < 0 ? dim + count_of(sizes) : dim)];
}
shape with_size(shape sizes, std::int64_t dim, std::int64_t n) {
  sizes[static_cast<std::size_t>(dim < 0 ? dim + count_of(sizes) : dim)] = n;
  return sizes;
}
shape any_order(source& s, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::int64_t i = count; i > 1; --i)
    std::swap(order[static_cast<std::size_t>(i - 1)], order[static_cast<std::size_t>(s.whole(0, i - 1))]);
  return shape(order);
}
// Places below a length, none of them twice if `once`; without any where there are none.
tensor any_places(source& s, const shape& sizes, std::int64_t length) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < tb::numel(sizes); ++i) all.push_back(static_cast<double>(s.whole(0, length - 1)));
  return support::tensor_of(all, sizes, tb::dtype::int64);
}
tensor places_once(source& s, std::int64_t count, std::int64_t length) {
  const shape order = any_order(s, length);
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<double>(order[static_cast<std::size_t>(i)]));
  return support::tensor_of(all, {count}, tb::dtype::int64);
}

// Of one tensor with as many dimensions; `draw` says its other arguments, and what they are in words.
struct one_call {
  std::function<tensor(T)> run;
  std::string text = {};
};
random_rule of_one(const std::string& name, std::int64_t least_dims,
                   std::function<one_call(source&, const shape&)> draw, bool empty = true) {
  return {.name = name, .draw = [=](source& s) -> drawn_call {
            const shape sizes = small_shape(s, least_dims, 4, empty);
            const one_call c = draw(s, sizes);
            return {{sizes}, [f = c.run](in x) { return out{f(x[0]), f(x[0] * x[0])}; }, c.text};
          }};
}

const std::vector<random_rule> views{
    of_one("transpose", 1,
           [](source& s, const shape& sizes) -> one_call {
             const std::int64_t a = any_dim(s, sizes), b = any_dim(s, sizes);
             return {[=](T x) { return aten::transpose_int(x, a, b); }, std::to_string(a) + ", " + std::to_string(b)};
           }),
    of_one("permute", 0,
           [](source& s, const shape& sizes) -> one_call {
             const shape order = any_order(s, count_of(sizes));
             return {[=](T x) { return aten::permute(x, order); }, tb::to_string(order)};
           }),
    of_one("expand", 0,
           [](source& s, const shape& sizes) -> one_call {
             shape wide = sizes;
             for (std::size_t d = 0; d < wide.size(); ++d) {
               if (wide[d] == 1) wide[d] = s.whole(1, 3);
             }
             if (wide.size() < 3 && s.whole(0, 1) == 0) {
               shape more{2};
               for (const std::int64_t n : wide) more.push_back(n);
               wide = more;
             }
             return {[=](T x) { return aten::expand(x, wide); }, tb::to_string(wide)};
           }),
    of_one("reshape", 0,
           [](source& s, const shape& sizes) -> one_call {
             const std::int64_t count = tb::numel(sizes);
             shape other{count};
             for (const std::int64_t n : {2, 3}) {
               if (count != 0 && count % n == 0 && s.whole(0, 1) == 0) other = {n, count / n, 1};
             }
             return {[=](T x) { return aten::reshape(x, other); }, tb::to_string(other)};
           }),
    of_one("view", 0,
           [](source&, const shape& sizes) -> one_call {
             return {[n = tb::numel(sizes)](T x) { return aten::view(aten::contiguous(x), shape{n, 1}); }};
           }),
    of_one("squeeze", 0, [](source&, const shape&) -> one_call { return {[](T x) { return aten::squeeze(x); }}; }),
    of_one("squeeze.dim", 1,
           [](source& s, const shape& sizes) -> one_call {
             const std::int64_t d = any_dim(s, sizes);
             return {[=](T x) { return aten::squeeze_dim(x, d); }, std::to_string(d)};
           }),
    of_one("unsqueeze", 0,
           [](source& s, const shape& sizes) -> one_call {
             const std::int64_t d = s.whole(-count_of(sizes) - 1, count_of(sizes));
             return {[=](T x) { return aten::unsqueeze(x, d); }, std::to_string(d)};
           }),
    of_one(
        "select", 1,
        [](source& s, const shape& sizes) -> one_call {
          const std::int64_t d = any_dim(s, sizes), n = size_at(sizes, d), i = s.whole(-n, n - 1);
          return {[=](T x) { return aten::select_int(x, d, i); }, std::to_string(d) + ", " + std::to_string(i)};
        },
        false),
    of_one("slice", 1,
           [](source& s, const shape& sizes) -> one_call {
             const std::int64_t d = any_dim(s, sizes), n = size_at(sizes, d) + 1, a = s.whole(-n, n),
                                b = s.whole(-n, n), step = s.whole(1, 3);
             return {
                 [=](T x) { return aten::slice_Tensor(x, d, a, b, step); },
                 std::to_string(d) + ", " + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(step)};
           }),
    of_one("diagonal", 2,
           [](source& s, const shape& sizes) -> one_call {
             const shape order = any_order(s, count_of(sizes));
             const std::int64_t offset = s.whole(-3, 3), a = order[0], b = order[1];
             return {[=](T x) { return aten::diagonal(x, offset, a, b); },
                     std::to_string(offset) + ", " + std::to_string(a) + ", " + std::to_string(b)};
           }),
    of_one(
        "unfold", 1,
        [](source& s, const shape& sizes) -> one_call {
          const std::int64_t d = any_dim(s, sizes), n = s.whole(1, std::max<std::int64_t>(1, size_at(sizes, d))),
                             step = s.whole(1, 3);
          return {[=](T x) { return aten::unfold(x, d, n, step); },
                  std::to_string(d) + ", " + std::to_string(n) + ", " + std::to_string(step)};
        },
        false),
    of_one("as_strided", 0,
           [](source& s, const shape& sizes) -> one_call {
             const std::int64_t count = tb::numel(sizes);
             const shape wanted{s.whole(1, 2), s.whole(1, 3)}, strides{s.whole(0, 2), s.whole(0, 1)};
             const std::int64_t reach = (wanted[0] - 1) * strides[0] + (wanted[1] - 1) * strides[1] + 1;
             if (reach > count) return {[](T x) { return aten::alias(x); }, "alias"};
             const std::int64_t first = s.whole(0, count - reach);
             return {[=](T x) {
                       return aten::as_strided(aten::clone(x, tb::memory_format::contiguous), wanted, strides, first);
                     },
                     tb::to_string(wanted) + ", " + tb::to_string(strides) + ", " + std::to_string(first)};
           }),
};

const std::vector<random_rule> moves{
    of_one("repeat", 0,
           [](source& s, const shape& sizes) -> one_call {
             shape times;
             for (std::size_t d = sizes.size() + static_cast<std::size_t>(s.whole(0, 1)); d > 0; --d)
               times.push_back(s.whole(0, 9) == 0 ? 0 : s.whole(1, 2));
             return {[=](T x) { return aten::repeat(x, times); }, tb::to_string(times)};
           }),
    of_one("fill and zero_", 0,
           [](source&, const shape&) -> one_call {
             return {[](T x) {
               tensor y = aten::clone(x), z = aten::clone(x);
               aten::fill_Scalar_(y, 3);
               return aten::fill_Scalar(x, 2) * x + y + aten::zero_(z);
             }};
           }),
    of_one("tril_ and triu_", 2,
           [](source& s, const shape&) -> one_call {
             const std::int64_t k = s.whole(-3, 3);
             return {[=](T x) {
                       tensor y = aten::clone(x), z = x * x;
                       return aten::tril_(y, k) + aten::triu_(z, k);
                     },
                     std::to_string(k)};
           }),
    of_one("tril and triu", 2,
           [](source& s, const shape&) -> one_call {
             const std::int64_t k = s.whole(-3, 3);
             return {[=](T x) { return aten::tril(x, k) + aten::triu(x * x, k); }, std::to_string(k)};
           }),
    {.name = "diag",
     .draw = [](source& s) -> drawn_call {
       const std::int64_t k = s.whole(-2, 2);
       return {{small_shape(s, 1, 2, false)}, [=](in x) { return out{aten::diag(x[0], k)}; }, std::to_string(k)};
     }},
    of_one("constant_pad_nd", 1,
           [](source& s, const shape& sizes) -> one_call {
             shape pad;
             for (std::int64_t d = s.whole(1, count_of(sizes)); d > 0; --d) {
               pad.push_back(s.whole(0, 2));
               pad.push_back(s.whole(sizes[static_cast<std::size_t>(d - 1)] > 4 ? -1 : 0, 2));
             }
             return {[=](T x) { return aten::constant_pad_nd(x, pad, 5); }, tb::to_string(pad)};
           }),
    {.name = "pad around an image",
     .draw = [](source& s) -> drawn_call {
       const shape sizes{s.whole(1, 2), s.whole(2, 3), s.whole(2, 3)};
       const shape pad{s.whole(0, 1), s.whole(0, 1), s.whole(0, 1), s.whole(0, 1)};
       return {{sizes},
               [=](in x) {
                 return out{aten::pad(x[0], pad, "reflect"), aten::pad(x[0], pad, "replicate"),
                            aten::pad(x[0], shape{pad[0], pad[1]}, "circular")};
               },
               tb::to_string(pad)};
     }},
    {.name = "cat",
     .draw = [](source& s) -> drawn_call {
       const shape sizes = small_shape(s, 1, 3);
       const std::int64_t d = any_dim(s, sizes);
       std::vector<shape> all;
       for (std::int64_t n = s.whole(1, 4); n > 0; --n)
         all.push_back(s.whole(0, 7) == 0 ? shape{0} : with_size(sizes, d, s.whole(0, 2)));
       all.push_back(sizes);
       return {all, [=](in x) { return out{aten::cat(x, d)}; }, std::to_string(d)};
     },
     .mixes = true},
    {.name = "stack",
     .draw = [](source& s) -> drawn_call {
       const shape sizes = small_shape(s, 0, 3);
       const std::int64_t d = s.whole(-count_of(sizes) - 1, count_of(sizes));
       return {std::vector(static_cast<std::size_t>(s.whole(1, 3)), sizes),
               [=](in x) { return out{aten::stack(x, d)}; }, std::to_string(d)};
     }},
    {.name = "copy_ and fill_",
     .draw = [](source& s) -> drawn_call {
       const shape sizes = small_shape(s);
       return {{sizes, s.narrowed(sizes), {}}, [](in x) {
                 tensor y = aten::clone(x[0]), z = aten::clone(x[0]);
                 aten::copy_(y, x[1]);
                 aten::fill_Tensor_(z, tb::to(x[2], z.dtype()));
                 return out{y, z, aten::clone(x[0]) * x[2], aten::fill_Tensor(x[0], x[2])};
               }};
     },
     .mixes = true},
};

// A tensor, and another that is put at places of one of its dimensions.
struct put {
  shape sizes;
  std::int64_t dim, count;
};
put any_put(source& s) {
  put p{small_shape(s, 1, 3, false), 0, 0};
  p.dim = any_dim(s, p.sizes);
  p.count = s.whole(0, 3);
  return p;
}
// An index no longer than either, along every other dimension.
shape index_within(source& s, const shape& sizes, std::int64_t dim, std::int64_t count) {
  shape within = sizes;
  for (std::size_t d = 0; d < within.size(); ++d) within[d] = s.whole(1, within[d]);
  return with_size(within, dim, count);
}

// The operator of a tensor, a dimension, places along it and another tensor; and its form that writes.
using puts_elements = std::function<tensor(T, std::int64_t, T, T)>;
using writes_elements = std::function<void(tensor&, std::int64_t, T, T)>;
out in_both_forms(const puts_elements& f, const writes_elements& write, in x, std::int64_t dim, T index) {
  tensor y = aten::clone(x[0]);
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
            const shape index_sizes = index_within(s, p.sizes, p.dim, p.count);
            tensor index = any_places(s, index_sizes, length);
            if (once) {
              const shape line = with_size(shape(index_sizes.size(), 1), p.dim, p.count);
              index = aten::contiguous(aten::expand(aten::reshape(places_once(s, p.count, length), line), index_sizes));
            }
            shape from = index_sizes;
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
         return {{p.sizes}, [=](in x) { return out{aten::gather(x[0], p.dim, index)}; }, std::to_string(p.dim)};
       }},
      {.name = "index_select, index_fill and take",
       .draw = [](source& s) -> drawn_call {
         const put p = any_put(s);
         const tensor index = any_places(s, {p.count}, size_at(p.sizes, p.dim));
         return {{p.sizes, {}},
                 [=](in x) {
                   return out{aten::index_select(x[0], p.dim, index), aten::take(x[0], index),
                              aten::index_fill_int_Scalar(x[0], p.dim, index, 3),
                              aten::index_fill_int_Tensor(x[0], p.dim, index, x[1])};
                 },
                 std::to_string(p.dim)};
       }},
      {.name = "index",
       .draw = [](source& s) -> drawn_call {
         const shape sizes = small_shape(s, 2, 3, false);
         const shape places = small_shape(s, 0, 2, true, 4);
         std::vector<std::optional<tensor>> indices;
         for (const std::int64_t n : sizes)
           indices.push_back(s.whole(0, 2) == 0 ? std::optional<tensor>() : any_places(s, s.narrowed(places), n));
         indices[0] = any_places(s, places, sizes[0]);
         return {{sizes}, [=](in x) { return out{aten::index_Tensor(x[0], indices)}; }};
       }},
      {.name = "index_put, adding",
       .draw = [](source& s) -> drawn_call {
         const shape sizes = small_shape(s, 2, 2, false), places = small_shape(s, 0, 2, true, 4);
         const std::vector<std::optional<tensor>> indices{any_places(s, places, sizes[0]),
                                                          any_places(s, s.narrowed(places), sizes[1])};
         return {{sizes, s.narrowed(places)}, [=](in x) {
                   tensor y = aten::clone(x[0]);
                   return out{aten::index_put(x[0], indices, x[1], true), aten::index_put_(y, indices, x[1], true)};
                 }};
       },
       .narrow = 4},
      {.name = "index_put",
       .draw = [](source& s) -> drawn_call {
         const shape sizes = small_shape(s, 2, 2, false);
         const std::int64_t count = s.whole(0, sizes[0]);
         const std::vector<std::optional<tensor>> indices{places_once(s, count, sizes[0])};
         return {{sizes, s.narrowed({count, sizes[1]})}, [=](in x) {
                   tensor y = aten::clone(x[0]);
                   return out{aten::index_put(x[0], indices, x[1]), aten::index_put_(y, indices, x[1])};
                 }};
       }},
      {.name = "select_scatter and slice_scatter",
       .draw = [](source& s) -> drawn_call {
         const shape sizes = small_shape(s, 1, 3, false);
         const std::int64_t d = any_dim(s, sizes), n = size_at(sizes, d), i = s.whole(-n, n - 1), a = s.whole(-n, n),
                            b = s.whole(-n, n), step = s.whole(1, 3);
         const tensor all = aten::empty_memory_format(sizes);
         return {{sizes, aten::select_int(all, d, i).sizes(), aten::slice_Tensor(all, d, a, b, step).sizes()},
                 [=](in x) {
                   return out{aten::select_scatter(x[0], x[1], d, i), aten::slice_scatter(x[0], x[2], d, a, b, step)};
                 },
                 said("dim", d) + said("index", i) + said("from", a) + said("to", b) + said("step", step)};
       }},
      {.name = "diagonal_scatter",
       .draw = [](source& s) -> drawn_call {
         const shape sizes = small_shape(s, 2, 3, false), order = any_order(s, count_of(sizes));
         const std::int64_t offset = s.whole(-3, 3), a = order[0], b = order[1];
         const tensor all = aten::empty_memory_format(sizes);
         return {{sizes, aten::diagonal(all, offset, a, b).sizes()},
                 [=](in x) { return out{aten::diagonal_scatter(x[0], x[1], offset, a, b)}; },
                 said("offset", offset) + said("dims", order)};
       }},
      {.name = "as_strided_scatter",
       .draw = [](source& s) -> drawn_call {
         const shape sizes{s.whole(2, 3), s.whole(3, 4)}, view{s.whole(1, 2), s.whole(1, 2)}, strides{s.whole(2, 3), 1};
         const std::int64_t first = s.whole(0, tb::numel(sizes) - 1);
         const bool fits = first + (view[0] - 1) * strides[0] + view[1] <= tb::numel(sizes);
         const std::int64_t at = fits ? first : 0;
         return {{sizes, view},
                 [=](in x) {
                   const tensor dense = aten::clone(x[0], tb::memory_format::contiguous);
                   const tensor part = aten::slice_Tensor(aten::transpose_int(dense, 0, 1), 0, 1);
                   return out{aten::as_strided_scatter(dense, x[1], view, strides, at),
                              aten::as_strided_scatter(part, x[1], view, strides, at)};
                 },
                 said("size", view) + said("stride", strides) + said("offset", at)};
       }},
      {.name = "embedding",
       .draw = [](source& s) -> drawn_call {
         const shape table{s.whole(1, 4), s.whole(0, 3)};
         const tensor index = any_places(s, small_shape(s, 0, 2, true, 4), table[0]);
         return {{table}, [=](in x) { return out{aten::embedding(x[0], index)}; }};
       },
       .narrow = 4},
      by_elements(
          "scatter", true, [](T x, std::int64_t d, T i, T y) { return aten::scatter_src(x, d, i, y); },
          [](tensor& x, std::int64_t d, T i, T y) { aten::scatter_src_(x, d, i, y); }),
      by_elements(
          "scatter.value", false,
          [](T x, std::int64_t d, T i, T y) { return aten::scatter_value(x, d, i, 3) + aten::sum(y); },
          [](tensor& x, std::int64_t d, T i, T) { aten::scatter_value_(x, d, i, 3); }),
      by_elements(
          "scatter_add", false, [](T x, std::int64_t d, T i, T y) { return aten::scatter_add(x, d, i, y); },
          [](tensor& x, std::int64_t d, T i, T y) { aten::scatter_add_(x, d, i, y); }),
      by_slices(
          "index_copy", true, [](T x, std::int64_t d, T i, T y) { return aten::index_copy(x, d, i, y); },
          [](tensor& x, std::int64_t d, T i, T y) { aten::index_copy_(x, d, i, y); }),
      by_slices(
          "index_add", false,
          [](T x, std::int64_t d, T i, T y) { return aten::index_add(x, d, i, y, arg<"alpha"> = -1.5); },
          [](tensor& x, std::int64_t d, T i, T y) { aten::index_add_(x, d, i, y); }),
  };
  for (const char* how : {"add", "multiply"}) {
    all.push_back(by_elements(
        "scatter.reduce to " + std::string(how), false,
        [=](T x, std::int64_t d, T i, T y) { return aten::scatter_reduce(x, d, i, y, arg<"reduce"> = how); },
        [=](tensor& x, std::int64_t d, T i, T) { aten::scatter_value_reduce_(x, d, i, 3, arg<"reduce"> = how); }));
    all.push_back(by_elements(
        "scatter_.reduce to " + std::string(how), false,
        [=](T x, std::int64_t d, T i, T y) {
          return aten::scatter_value_reduce(x, d, i, 3, arg<"reduce"> = how) + aten::sum(y);
        },
        [=](tensor& x, std::int64_t d, T i, T y) { aten::scatter_reduce_(x, d, i, y, arg<"reduce"> = how); }));
  }
  for (const char* how : {"sum", "prod", "mean", "amax", "amin"}) {
    for (const bool include : {true, false}) {
      const std::string name = std::string(" of ") + how + (include ? "" : " without self");
      all.push_back(by_elements(
          "scatter_reduce" + name, false,
          [=](T x, std::int64_t d, T i, T y) {
            return aten::scatter_reduce_two(x, d, i, y, how, arg<"include_self"> = include);
          },
          [=](tensor& x, std::int64_t d, T i, T y) {
            aten::scatter_reduce_two_(x, d, i, y, how, arg<"include_self"> = include);
          }));
      if (std::string(how) == "sum") continue;
      all.push_back(by_slices(
          "index_reduce" + name, false,
          [=](T x, std::int64_t d, T i, T y) {
            return aten::index_reduce(x, d, i, y, how, arg<"include_self"> = include);
          },
          [=](tensor& x, std::int64_t d, T i, T y) {
            aten::index_reduce_(x, d, i, y, how, arg<"include_self"> = include);
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
