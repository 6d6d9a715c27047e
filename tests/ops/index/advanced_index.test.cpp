// Elements chosen by masks and by lists of coordinates, read and written, against the loops that define them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <vector>

#include "oracle/dtype_rules.h"
#include "support/properties.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::any_long_shape;
using support::any_odd_tensor;
using support::any_shape;
using support::any_tensor;
using support::any_whole_tensor;
using support::check_in_place;
using support::check_tensor;
using support::get;
using support::listed;
using support::numbers;
using support::result_of;
using tb::dtype;
using tb::scalar;
using tb::shape;
using tb::tensor;
using indices = std::vector<std::optional<tensor>>;
using list = std::vector<double>;

namespace {

tensor any_mask(numbers& source, const shape& sizes) {
  return any_whole_tensor(source, sizes, source.whole(0, 2) == 0 ? dtype::uint8 : dtype::boolean, 0, 1);
}

// A random index of x, and for each element of the result its place in x, row-major.
struct choice {
  indices given;
  shape result;
  std::vector<shape> places;

  choice(numbers& source, const tensor& x) {
    std::vector<std::vector<std::int64_t>> along(x.sizes().size());  // coordinates, row-major of `common`
    std::vector<bool> taken(x.sizes().size(), false);
    const std::int64_t chosen = source.whole(1, 3);
    shape common = any_shape(source, 0, 2, 3);
    // A mask gives a list, so one decides what is common to all.
    const bool masked = source.whole(0, 2) == 0;
    std::size_t d = 0;
    while (d < x.sizes().size() && static_cast<std::int64_t>(d) <= chosen) {
      const std::int64_t range = x.sizes()[d];
      if (source.whole(0, 2) == 0) {
        given.emplace_back();
        ++d;
      } else if (masked) {
        if (std::ranges::find(taken, true) != taken.end()) break;
        const auto width = static_cast<std::size_t>(
            source.whole(1, std::min<std::int64_t>(static_cast<std::int64_t>(x.sizes().size() - d), 2)));
        shape sizes;
        for (std::size_t k = 0; k < width; ++k) sizes.push_back(x.sizes()[d + k]);
        given.emplace_back(any_mask(source, sizes));
        support::each_index(sizes, [&](const shape& i) {
          if (get(*given.back(), i) == 0) return;
          for (std::size_t k = 0; k < width; ++k) along[d + k].push_back(i[k]);
        });
        common = {static_cast<std::int64_t>(along[d].size())};
        for (std::size_t k = 0; k < width; ++k) taken[d + k] = true;
        d += width;
      } else {
        if (range == 0) break;
        const dtype type = source.whole(0, 1) == 0 ? dtype::int64 : dtype::int32;
        given.emplace_back(any_whole_tensor(source, support::with_ones(source, common), type, -range, range - 1));
        taken[d] = true;
        ++d;
      }
    }
    // Broadcasting may leave less than was planned.
    if (!masked) {
      shape found;
      for (const auto& index : given) {
        if (index) found = tb::broadcast("", found, index->sizes());
      }
      common = found;
      for (std::size_t k = 0; k < given.size(); ++k) {
        if (!given[k]) continue;
        support::each_index(common, [&](const shape& i) {
          const auto at = static_cast<std::int64_t>(get(*given[k], support::broadcast_index(i, given[k]->sizes())));
          along[k].push_back(at < 0 ? at + x.sizes()[k] : at);
        });
      }
    }
    place_all(x, along, taken, common);
  }

 private:
  void place_all(const tensor& x, const std::vector<std::vector<std::int64_t>>& along, const std::vector<bool>& taken,
                 const shape& common) {
    std::vector<std::size_t> by_index, whole;
    for (std::size_t d = 0; d < x.sizes().size(); ++d) (taken[d] ? by_index : whole).push_back(d);
    if (by_index.empty()) {
      result = x.sizes();
      support::each_index(result, [&](const shape& i) { places.push_back(i); });
      return;
    }
    const bool together = by_index.back() - by_index.front() + 1 == by_index.size();
    const std::size_t front = together ? by_index.front() : 0;
    for (std::size_t k = 0; k < front; ++k) result.push_back(x.sizes()[whole[k]]);
    for (std::int64_t n : common) result.push_back(n);
    for (std::size_t k = front; k < whole.size(); ++k) result.push_back(x.sizes()[whole[k]]);
    support::each_index(result, [&](const shape& i) {
      shape at(x.dim(), 0);
      std::int64_t n = 0;
      for (std::size_t k = 0; k < common.size(); ++k) n = n * common[k] + i[front + k];
      for (std::size_t d : by_index) at[d] = along[d][static_cast<std::size_t>(n)];
      for (std::size_t k = 0; k < whole.size(); ++k) at[whole[k]] = i[k < front ? k : k + common.size()];
      places.push_back(at);
    });
  }
};

bool has_mask(const indices& given) {
  return std::ranges::any_of(
      given, [](const auto& i) { return i && (i->dtype() == dtype::boolean || i->dtype() == dtype::uint8); });
}

}  // namespace

TEST_CASE("advanced_index: any indices read the elements at their coordinates", "[ops][advanced_index][property]") {
  support::for_every_dtype(1, 60, [](numbers& source, dtype t) {
    const tensor x = any_odd_tensor(source, any_long_shape(source, 1, 4, 4), t);
    const choice c(source, x);
    list wanted;
    for (const shape& at : c.places) wanted.push_back(get(x, at));
    const tensor found = has_mask(c.given) ? aten::index_Tensor(x, c.given) : result_of(aten::index_Tensor, x, c.given);
    check_tensor(found, c.result, t, wanted);
    if (!has_mask(c.given)) support::check_out(source, aten::index_Tensor_out, found, x, c.given);
  });
}

TEST_CASE("advanced_index: any indices can be written; of equal ones the last wins, or all accumulate",
          "[ops][advanced_index][property]") {
  support::for_every_dtype(2, 60, [](numbers& source, dtype t) {
    const tensor x = any_whole_tensor(source, any_long_shape(source, 1, 4, 4), t, 0, 3);
    const choice c(source, x);
    const shape narrow = support::with_ones(source, c.result);
    const tensor from = any_whole_tensor(source, narrow, t, 0, 3);
    for (const bool accumulate : {false, true}) {
      const tensor wanted = support::tensor_of(support::values(x), x.sizes(), t);
      std::size_t n = 0;
      support::each_index(c.result, [&](const shape& i) {
        const shape& at = c.places[n++];
        const double v = get(from, support::broadcast_index(i, narrow));
        support::set(wanted, at, accumulate ? get(wanted, at) + v : v);
      });
      check_tensor(result_of(aten::index_put, x, c.given, from, accumulate), x.sizes(), t, support::values(wanted));
      check_in_place(source, aten::index_put, aten::index_put_, x, c.given, from, accumulate);
    }
  });
}

TEST_CASE("advanced_index: masked_fill writes one value where a mask is true", "[ops][advanced_index][property]") {
  support::for_every_dtype(3, 40, [](numbers& source, dtype t) {
    const shape sizes = any_long_shape(source, 0, 4, 4);
    const tensor x = any_odd_tensor(source, sizes, t), mask = any_mask(source, source.narrowed(sizes));
    const scalar value(2.5);
    const tensor number = support::tensor_of({2.5}, {}, dtype::float64);
    const list wanted = listed(sizes, [&](const shape& i) {
      return get(mask, support::broadcast_index(i, mask.sizes())) != 0 ? oracle::stored(t, 2.5) : get(x, i);
    });
    check_tensor(result_of(aten::masked_fill_Scalar, x, mask, value), sizes, t, wanted);
    check_tensor(result_of(aten::masked_fill_Tensor, x, mask, number), sizes, t, wanted);
    check_in_place(source, aten::masked_fill_Scalar, aten::masked_fill_Scalar_, x, mask, value);
    check_in_place(source, aten::masked_fill_Tensor, aten::masked_fill_Tensor_, x, mask, number);

    const tensor small = any_odd_tensor(source, source.narrowed(sizes), t), whole = any_mask(source, sizes);
    check_tensor(result_of(aten::masked_fill_Scalar, small, whole, value), sizes, t, listed(sizes, [&](const shape& i) {
                   return get(whole, i) != 0 ? oracle::stored(t, 2.5)
                                             : get(small, support::broadcast_index(i, small.sizes()));
                 }));
  });
}

TEST_CASE("advanced_index: masked_select reads where a mask is true, with broadcasting",
          "[ops][advanced_index][property]") {
  support::for_every_dtype(4, 40, [](numbers& source, dtype t) {
    const shape sizes = any_long_shape(source, 0, 4, 4);
    const bool whole_mask = source.whole(0, 1) == 0;
    const tensor x = any_odd_tensor(source, whole_mask ? source.narrowed(sizes) : sizes, t),
                 mask = any_mask(source, whole_mask ? sizes : source.narrowed(sizes));
    list wanted;
    support::each_index(sizes, [&](const shape& i) {
      if (get(mask, support::broadcast_index(i, mask.sizes())) == 0) return;
      wanted.push_back(get(x, support::broadcast_index(i, x.sizes())));
    });
    const shape count{static_cast<std::int64_t>(wanted.size())};
    const tensor found = aten::masked_select(x, mask);
    check_tensor(found, count, t, wanted);
    support::check_out(source, aten::masked_select_out, found, x, mask);
  });
}

TEST_CASE("advanced_index: nonzero returns the coordinates of nonzero elements, NaN included",
          "[ops][advanced_index][property]") {
  support::for_every_dtype(5, 40, [](numbers& source, dtype t) {
    // A long row goes through in blocks, of which the last is not full.
    const shape sizes = source.whole(0, 9) == 0 ? shape{2, source.whole(500, 1200)} : any_shape(source, 0, 4, 5);
    const tensor x = any_odd_tensor(source, sizes, t), zeros = any_whole_tensor(source, sizes, dtype::boolean, 0, 1);
    support::each_index(sizes, [&](const shape& i) {
      if (get(zeros, i) != 0) support::set(x, i, 0);
    });
    list places;
    support::each_index(sizes, [&](const shape& i) {
      if (get(x, i) == 0) return;
      for (std::int64_t at : i) places.push_back(static_cast<double>(at));
    });
    std::int64_t count = 0;
    for (double v : support::values(x)) count += v != 0;
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const tensor found = aten::nonzero(x);
    check_tensor(found, {count, rank}, dtype::int64, places);
    support::check_out(source, aten::nonzero_out, found, x);
    const std::vector<tensor> apart = aten::where(x);
    REQUIRE(static_cast<std::int64_t>(apart.size()) == std::max<std::int64_t>(rank, 1));
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      check_tensor(apart[d], {count}, dtype::int64,
                   listed({count}, [&](const shape& i) { return get(found, {i[0], static_cast<std::int64_t>(d)}); }));
    }
  });
}
