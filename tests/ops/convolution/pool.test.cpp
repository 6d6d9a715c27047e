// Pooling, padding and attention in every dtype and arrangement, against their definitions.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "oracle/attention.h"
#include "oracle/dtype_rules.h"
#include "support/properties.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::any_odd_tensor;
using support::any_tensor;
using support::any_whole_tensor;
using support::check_out;
using support::check_tensor;
using support::get;
using support::listed;
using support::numbers;
using support::result_of;
using tb::dtype;
using tb::shape;
using tb::tensor;
using integers = std::vector<std::int64_t>;
using list = std::vector<double>;

namespace {

// Windows along one dimension.
struct side {
  std::int64_t length, kernel, stride, padding, dilation, out;

  side(numbers& source, bool ceil, bool dilated) {
    kernel = source.whole(1, 4);
    stride = source.whole(1, 3);
    padding = source.whole(0, kernel / 2);
    dilation = dilated ? source.whole(1, 2) : 1;
    length = dilation * (kernel - 1) + 1 + source.whole(0, 5);
    // By counting. One that is cut at the end is there if the one before it left something, and if it begins in the
    // image or before it.
    const auto first = [&](std::int64_t n) { return n * stride - padding; };
    const auto left = [&](std::int64_t n) { return length + padding - 1 - (first(n) + dilation * (kernel - 1)); };
    for (out = 1; ceil ? left(out - 1) > 0 && first(out) < length : left(out) >= 0;) ++out;
  }
  // Places of a window that the padded image has.
  std::vector<std::int64_t> window(std::int64_t at) const {
    std::vector<std::int64_t> places;
    for (std::int64_t k = 0; k < kernel; ++k) {
      const std::int64_t place = at * stride - padding + k * dilation;
      if (place < length + padding) places.push_back(place);
    }
    return places;
  }
};

struct windows {
  bool ceil;
  side rows, columns;
  shape image, result;

  windows(numbers& source, bool dilated)
      : ceil(source.whole(0, 1) == 0), rows(source, ceil, dilated), columns(source, ceil, dilated) {
    if (source.whole(0, 1) == 0) image.push_back(source.whole(0, 2));
    image.push_back(source.whole(1, 3));
    result = image;
    for (const side* s : {&rows, &columns}) image.push_back(s->length), result.push_back(s->out);
  }
  integers pair(std::int64_t side::* of) const { return {rows.*of, columns.*of}; }
  // Calls visit(place in the image) for each element of the window of a result; how many the padded image has.
  template <class Visit>
  std::int64_t each(const shape& i, Visit visit) const {
    std::int64_t there = 0;
    const std::size_t d = i.size() - 2;
    for (std::int64_t y : rows.window(i[d])) {
      for (std::int64_t x : columns.window(i[d + 1])) {
        ++there;
        if (y < 0 || x < 0 || y >= rows.length || x >= columns.length) continue;
        shape at = i;
        at[d] = y;
        at[d + 1] = x;
        visit(at);
      }
    }
    return there;
  }
};

std::size_t row_major(const shape& i, const shape& sizes) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < i.size(); ++d) at = at * sizes[d] + i[d];
  return static_cast<std::size_t>(at);
}

}  // namespace

TEST_CASE("pool: the first maximum of each window, NaN above all, and its gradient", "[ops][pool][property]") {
  support::for_every_dtype(1, 30, [](numbers& source, dtype t) {
    if (t == dtype::boolean) return;
    const windows w(source, true);
    INFO(tb::to_string(w.image) << " -> " << tb::to_string(w.result));
    const tensor x = any_odd_tensor(source, w.image, t);
    list greatest, places;
    support::each_index(w.result, [&](const shape& i) {
      double best = std::nan("");
      std::int64_t place = -1;
      w.each(i, [&](const shape& at) {
        const double v = get(x, at);
        if (place >= 0 && !(v > best) && !(std::isnan(v) && !std::isnan(best))) return;
        best = v;
        place = at[at.size() - 2] * w.columns.length + at[at.size() - 1];
      });
      greatest.push_back(best);
      places.push_back(static_cast<double>(place));
    });
    const integers kernel = w.pair(&side::kernel), stride = w.pair(&side::stride), padding = w.pair(&side::padding),
                   dilation = w.pair(&side::dilation);
    const auto found = support::results_of(aten::max_pool2d_with_indices, x, kernel, stride, padding, dilation, w.ceil);
    REQUIRE(tb::to_string(found[0].sizes()) == tb::to_string(w.result));
    // Dilation may leave a window nothing but padding.
    if (std::ranges::find(places, -1.0) != places.end()) return;
    check_tensor(found[0], w.result, t, greatest);
    check_tensor(found[1], w.result, dtype::int64, places);
    check_out(source, aten::max_pool2d_with_indices_out, std::array<tensor, 2>{found[0], found[1]}, x, kernel, stride,
              padding, dilation, w.ceil);
    check_tensor(result_of(aten::max_pool2d, x, kernel, stride, padding, dilation, w.ceil), w.result, t, greatest);
    if (!tb::is_floating(t)) return;

    const tensor gradient = any_whole_tensor(source, w.result, t, 0, 3);
    list shares(static_cast<std::size_t>(x.numel()), 0);
    std::size_t n = 0;
    support::each_index(w.result, [&](shape i) {
      const auto place = static_cast<std::int64_t>(places[n++]);
      const double share = get(gradient, i);
      i[i.size() - 2] = place / w.columns.length;
      i[i.size() - 1] = place % w.columns.length;
      shares[row_major(i, w.image)] += share;
    });
    const tensor back = result_of(aten::max_pool2d_with_indices_backward, gradient, x, kernel, stride, padding,
                                  dilation, w.ceil, found[1]);
    check_tensor(back, w.image, t, shares);
    check_out(source, aten::max_pool2d_with_indices_backward_grad_input, back, gradient, x, kernel, stride, padding,
              dilation, w.ceil, found[1]);
  });
}

TEST_CASE("pool: the average of each window over the counted elements, and its gradient", "[ops][pool][property]") {
  support::for_every_dtype(2, 60, [](numbers& source, dtype t) {
    if (!tb::is_floating(t)) return;
    const windows w(source, false);
    const bool count_padding = source.whole(0, 1) == 0;
    const std::optional<std::int64_t> divisor =
        source.whole(0, 2) == 0 ? std::optional(source.whole(0, 1) == 0 ? -3 : source.whole(1, 7)) : std::nullopt;
    INFO(tb::to_string(w.image) << " -> " << tb::to_string(w.result));
    const tensor x = any_odd_tensor(source, w.image, t), gradient = any_tensor(source, w.result, t);
    list averages, shares(static_cast<std::size_t>(x.numel()), 0);
    support::each_index(w.result, [&](const shape& i) {
      double sum = 0;
      std::int64_t inside = 0;
      const std::int64_t there = w.each(i, [&](const shape& at) { sum += get(x, at), ++inside; });
      const auto by = static_cast<double>(divisor.value_or(count_padding ? there : inside));
      averages.push_back(sum / by);
      w.each(i, [&](const shape& at) { shares[row_major(at, w.image)] += get(gradient, i) / by; });
    });
    const integers kernel = w.pair(&side::kernel), stride = w.pair(&side::stride), padding = w.pair(&side::padding);
    const double near = 4 * support::tolerance_of(t);
    const tensor found = result_of(aten::avg_pool2d, x, kernel, stride, padding, w.ceil, count_padding, divisor);
    check_tensor(found, w.result, t, averages, near);
    check_out(source, aten::avg_pool2d_out, found, x, kernel, stride, padding, w.ceil, count_padding, divisor);
    const tensor back =
        result_of(aten::avg_pool2d_backward, gradient, x, kernel, stride, padding, w.ceil, count_padding, divisor);
    check_tensor(back, w.image, t, shares, near);
    check_out(source, aten::avg_pool2d_backward_grad_input, back, gradient, x, kernel, stride, padding, w.ceil,
              count_padding, divisor);
  });
}

TEST_CASE("pool: adaptive windows partition the image, and so do their gradients", "[ops][pool][property]") {
  support::for_every_dtype(3, 60, [](numbers& source, dtype t) {
    if (!tb::is_floating(t)) return;
    shape image{source.whole(1, 3)};
    if (source.whole(0, 1) == 0) image.push_back(source.whole(1, 2));
    shape result = image;
    const integers out{source.whole(1, 5), source.whole(1, 5)};
    for (std::int64_t n : out) image.push_back(source.whole(1, 8)), result.push_back(n);
    const tensor x = any_odd_tensor(source, image, t), gradient = any_tensor(source, result, t);
    list averages, shares(static_cast<std::size_t>(x.numel()), 0);
    support::each_index(result, [&](const shape& i) {
      const std::size_t d = i.size() - 2;
      const auto first = [&](std::size_t k) { return i[k] * image[k] / result[k]; };
      const auto end = [&](std::size_t k) { return ((i[k] + 1) * image[k] + result[k] - 1) / result[k]; };
      double sum = 0;
      const auto count = static_cast<double>((end(d) - first(d)) * (end(d + 1) - first(d + 1)));
      for (std::int64_t y = first(d); y < end(d); ++y) {
        for (std::int64_t z = first(d + 1); z < end(d + 1); ++z) {
          shape at = i;
          at[d] = y;
          at[d + 1] = z;
          sum += get(x, at);
          shares[row_major(at, image)] += get(gradient, i) / count;
        }
      }
      averages.push_back(sum / count);
    });
    const double near = 4 * support::tolerance_of(t);
    check_tensor(result_of(aten::adaptive_avg_pool2d, x, out), result, t, averages, near);
    check_tensor(result_of(aten::_adaptive_avg_pool2d, x, out), result, t, averages, near);
    check_tensor(result_of(aten::_adaptive_avg_pool2d_backward, gradient, x), image, t, shares, near);
  });
}

TEST_CASE("pad: constant values are added around the elements, or elements are removed", "[ops][pad][property]") {
  support::for_every_dtype(4, 40, [](numbers& source, dtype t) {
    const shape sizes = support::any_shape(source, 0, 4, 4);
    const tensor x = any_odd_tensor(source, sizes, t);
    shape wide = sizes, before(sizes.size(), 0);
    integers around;
    for (std::int64_t k = source.whole(0, static_cast<std::int64_t>(sizes.size())); k > 0; --k) {
      const std::size_t d = sizes.size() - 1 - around.size() / 2;
      before[d] = source.whole(-1, 2);
      const std::int64_t after = std::max(source.whole(-2, 2), -sizes[d] - before[d]);
      around.push_back(before[d]);
      around.push_back(after);
      wide[d] = sizes[d] + before[d] + after;
    }
    const tb::scalar value(2.5);
    const list wanted = listed(wide, [&](const shape& i) {
      shape at = i;
      bool inside = true;
      for (std::size_t d = 0; d < i.size(); ++d) {
        at[d] = i[d] - before[d];
        inside = inside && at[d] >= 0 && at[d] < sizes[d];
      }
      return inside ? get(x, at) : oracle::stored(t, 2.5);
    });
    check_tensor(result_of(aten::constant_pad_nd, x, around, value), wide, t, wanted);
    check_tensor(result_of(aten::pad, x, around, std::string("constant"), std::optional(2.5)), wide, t, wanted);
  });
}

TEST_CASE("attention: each query's result is the mean of the values, weighted by the softmax of its scores",
          "[ops][attention][property]") {
  support::for_every_dtype(5, 40, [](numbers& source, dtype t) {
    if (!tb::is_floating(t)) return;
    const shape batch = source.whole(0, 1) == 0 ? shape{} : shape{source.whole(1, 3)};
    const std::int64_t l = source.whole(1, 5), s = source.whole(1, 5), e = source.whole(1, 6), v = source.whole(1, 5);
    const auto given_shape = [&](std::int64_t rows, std::int64_t columns) {
      shape sizes = batch;
      sizes.push_back(rows);
      sizes.push_back(columns);
      return sizes;
    };
    const tensor query = any_tensor(source, given_shape(l, e), t), key = any_tensor(source, given_shape(s, e), t),
                 value = any_tensor(source, given_shape(s, v), t);
    const std::int64_t how = source.whole(0, 3);
    const bool causal = how == 1;
    std::optional<tensor> mask;
    if (how == 2) mask = any_tensor(source, {l, s}, t);
    if (how == 3) {
      mask = any_whole_tensor(source, {l, s}, dtype::boolean, 0, 1);
      // A query without a key has no result.
      for (std::int64_t i = 0; i < l; ++i) support::set(*mask, {i, 0}, 1);
    }
    const std::optional<double> scale = source.whole(0, 1) == 0 ? std::nullopt : std::optional(0.3);
    const double by = scale.value_or(1 / std::sqrt(static_cast<double>(e)));
    const list wanted = listed(given_shape(l, v), [&](shape i) {
      const std::size_t d = i.size() - 2;
      const std::int64_t row = i[d], column = i[d + 1];
      const auto at = [&](const tensor& of, std::int64_t y, std::int64_t x) {
        i[d] = y;
        i[d + 1] = x;
        return get(of, i);
      };
      const oracle::attention of_query(s, [&](std::int64_t k) -> long double {
        const double masked = mask ? get(*mask, {row, k}) : 0;
        const bool keeps = mask && mask->dtype() == dtype::boolean;
        if ((causal && k > row) || (keeps && masked == 0)) return -INFINITY;
        const auto product = oracle::sum_of(e, [&](std::int64_t p) { return at(query, row, p) * at(key, k, p); });
        return product.value * by + (keeps ? 0 : masked);
      });
      return of_query.mean_of([&](std::int64_t k) { return at(value, k, column); });
    });
    check_tensor(result_of(aten::scaled_dot_product_attention, query, key, value, mask, 0.0, causal, scale, false),
                 given_shape(l, v), t, wanted, 40 * support::tolerance_of(t));
  });
}
