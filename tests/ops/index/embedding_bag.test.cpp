// Sums, means and maxima of bags of rows, against the loops that define them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "oracle/dtype_rules.h"
#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::any_tensor;
using support::any_whole_tensor;
using support::check_tensor;
using support::get;
using support::numbers;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

constexpr dtype floats[] = {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64};

std::int64_t at(const tensor& t, std::int64_t i) { return static_cast<std::int64_t>(get(t, {i})); }

struct bags {
  tensor weight, index, offsets;
  std::int64_t mode, padding;
  bool ends;
  std::optional<tensor> factors;

  std::int64_t count() const { return offsets.numel() - (ends ? 1 : 0); }
  std::int64_t end_of(std::int64_t bag) const {
    return bag + 1 < offsets.numel() ? at(offsets, bag + 1) : index.numel();
  }
};

// Offsets of bags of random sizes, some of them empty.
list any_offsets(numbers& source, std::int64_t bags, std::int64_t indices, bool ends) {
  list all;
  for (std::int64_t i = 0; i < bags + (ends ? 1 : 0); ++i) {
    all.push_back(i == 0 ? 0 : static_cast<double>(source.whole(0, indices)));
  }
  std::sort(all.begin(), all.end());
  return all;
}

bags any_bags(numbers& source, dtype t) {
  const std::int64_t rows = source.whole(1, 6),
                     columns = source.whole(0, 3) == 0 ? source.whole(0, 200) : source.whole(0, 9);
  const std::int64_t count = source.whole(0, 6),
                     indices = source.whole(0, 4) == 0 ? source.whole(0, 300) : source.whole(0, 12);
  const bool ends = source.whole(0, 1) == 0;
  const dtype of_index = source.whole(0, 1) == 0 ? dtype::int64 : dtype::int32;
  bags b{any_whole_tensor(source, {rows, columns}, t, -4, 4),
         any_whole_tensor(source, {indices}, of_index, 0, rows - 1),
         {},
         source.whole(0, 2),
         source.whole(-1, rows - 1),
         ends,
         std::nullopt};
  const list offsets = any_offsets(source, count, indices, ends);
  b.offsets = tensor_of(offsets, {static_cast<std::int64_t>(offsets.size())}, of_index);
  if (b.mode == 0 && source.whole(0, 1) == 0) b.factors = any_whole_tensor(source, {indices}, t, -2, 2);
  return b;
}

auto run(const bags& b) {
  return aten::_embedding_bag(b.weight, b.index, b.offsets, false, b.mode, false, b.factors, b.ends, b.padding);
}

}  // namespace

TEST_CASE("embedding_bag: sums, means and maxima of the rows of each bag", "[ops][embedding_bag][property]") {
  numbers source(211);
  for (const dtype t : floats) {
    for (int round = 0; round < 60; ++round) {
      const bags b = any_bags(source, t);
      INFO(tb::name_of(t) << ", mode " << b.mode << ", padding " << b.padding << ", ends " << b.ends << ", weight "
                          << to_string(b.weight.sizes()) << ", offsets " << to_string(b.offsets, {.one_line = true}));
      const std::int64_t columns = b.weight.size(1);
      list wanted, sizes, rows;
      for (std::int64_t bag = 0; bag < b.count(); ++bag) {
        double size = 0;
        for (std::int64_t c = 0; c < columns; ++c) {
          double total = 0, row = 0;
          size = 0;
          for (std::int64_t i = at(b.offsets, bag); i < b.end_of(bag); ++i) {
            if (at(b.index, i) == b.padding) continue;
            const double x = get(b.weight, {at(b.index, i), c});
            size += 1;
            if (b.mode != 2) {
              total += b.factors ? x * get(*b.factors, {i}) : x;
            } else if (size == 1 || x > total) {
              total = x;
              row = static_cast<double>(at(b.index, i));
            }
          }
          wanted.push_back(oracle::stored(t, b.mode == 1 && size != 0 ? total / size : total));
          rows.push_back(row);
        }
        for (std::int64_t i = at(b.offsets, bag); columns == 0 && i < b.end_of(bag); ++i) {
          size += at(b.index, i) == b.padding ? 0 : 1;
        }
        sizes.push_back(size);
      }
      const auto [out, none, found_sizes, found_rows] = run(b);
      check_tensor(out, {b.count(), columns}, t, wanted, b.mode == 1 ? support::tolerance_of(t) : 0);
      CHECK(none.sizes() == tb::shape{0});
      check_tensor(found_sizes, {b.count()}, dtype::int64, sizes);
      if (b.mode == 2) check_tensor(found_rows, {b.count(), columns}, dtype::int64, rows);
    }
  }
}

TEST_CASE("embedding_bag: rows of a table larger than a cache are the same", "[ops][embedding_bag]") {
  constexpr std::int64_t rows = 700, columns = 100, bags = 40, in_a_bag = 6;
  numbers source(17);
  const tensor weight = any_whole_tensor(source, {rows, columns}, dtype::float32, -4, 4);
  const tensor index = any_whole_tensor(source, {bags, in_a_bag}, dtype::int64, 0, rows - 1);
  const tensor starts = aten::arange(bags) * in_a_bag, flat = aten::reshape(index, tb::shape{bags * in_a_bag});
  const tensor chosen = aten::reshape(aten::index_select(weight, 0, flat), tb::shape{bags, in_a_bag, columns});
  const tb::shape along{1};
  const auto reduced = [&](std::int64_t mode) {
    return std::get<0>(aten::embedding_bag(weight, flat, starts, false, mode));
  };
  CHECK(values(reduced(0)) == values(aten::sum_dim_IntList(chosen, along)));
  CHECK(values(reduced(2)) == values(aten::amax(chosen, along)));
}

TEST_CASE("embedding_bag: the error of a long bag is within its bound", "[ops][embedding_bag][property]") {
  numbers source(212);
  for (const std::int64_t count : {3, 100, 5000}) {
    const tensor weight = any_tensor(source, {50, 70}, dtype::float32),
                 index = any_whole_tensor(source, {count}, dtype::int64, 0, 49),
                 factors = any_tensor(source, {count}, dtype::float32);
    const tensor found =
        std::get<0>(aten::embedding_bag(weight, index, tensor_of({0}, {1}, dtype::int64), false, 0, false, factors));
    for (std::int64_t c = 0; c < 70; ++c) {
      long double exact = 0, magnitudes = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const long double term = static_cast<long double>(get(weight, {at(index, i), c})) * get(factors, {i});
        exact += term;
        magnitudes += std::abs(term);
      }
      const long double steps = static_cast<long double>(count + 1) * 0x1p-24L;
      CHECK(std::abs(get(found, {0, c}) - exact) <= steps / (1 - steps) * magnitudes);
    }
  }
}

TEST_CASE("embedding_bag: float16 is added in float32 and rounded once", "[ops][embedding_bag]") {
  // In float16, 2048 + 1 is 2048.
  const tensor weight = tensor_of({2048, 1}, {2, 1}, dtype::float16), index = tensor_of({0, 1, 1}, {3}, dtype::int64);
  CHECK(values(std::get<0>(aten::embedding_bag(weight, index, tensor_of({0}, {1}, dtype::int64)))) == list{2050});
}

TEST_CASE("embedding_bag: the overload with padding_idx counts negative ones from the end", "[ops][embedding_bag]") {
  const tensor weight = tensor_of({1, 2, 4}, {3, 1}), index = tensor_of({0, 1, 2}, {3}, dtype::int64),
               offsets = tensor_of({0}, {1}, dtype::int64);
  const auto total = [&](std::optional<std::int64_t> padding) {
    return values(std::get<0>(
        aten::embedding_bag_padding_idx(weight, index, offsets, false, 0, false, std::nullopt, false, padding)));
  };
  CHECK(total(std::nullopt) == list{7});
  CHECK(total(1) == list{5});
  CHECK(total(-1) == list{3});
  CHECK(total(-3) == list{6});
}

TEST_CASE("embedding_bag: a NaN is the maximum of its bag, the first of several", "[ops][embedding_bag]") {
  const double nan = std::nan("");
  const tensor weight = tensor_of({1, nan, nan, nan, 3, 5}, {3, 2}), index = tensor_of({0, 1, 2}, {3}, dtype::int64);
  const auto [out, none, sizes, rows] = aten::embedding_bag(weight, index, tensor_of({0}, {1}, dtype::int64), false, 2);
  CHECK(std::isnan(get(out, {0, 0})));
  CHECK(std::isnan(get(out, {0, 1})));
  CHECK(values(rows) == list{1, 0});
}

TEST_CASE("embedding_bag: bad arguments are named, and nothing is written", "[ops][embedding_bag]") {
  const auto whole = [](const list& all) {
    return tensor_of(all, {static_cast<std::int64_t>(all.size())}, dtype::int64);
  };
  const tensor weight = tensor_of({1, 2, 3, 4}, {2, 2}), index = whole({0, 1, 1}), first = whole({0});
  const auto text = [&]<class E>(std::type_identity<E>, const tensor& i, const tensor& o, std::int64_t mode = 0,
                                 const std::optional<tensor>& factors = std::nullopt, bool ends = false) {
    return text_of<E>([&] { aten::_embedding_bag(weight, i, o, false, mode, false, factors, ends); });
  };
  constexpr std::type_identity<tb::error> value;
  constexpr std::type_identity<tb::shape_error> sizes;
  constexpr std::type_identity<tb::dtype_error> types;
  const std::string bad_offsets =
      "aten::_embedding_bag: found offsets that do not begin with 0, decrease or are greater than the number of "
      "indices, 3; wanted the position of the first index of each bag";
  for (const std::int64_t mode : {0, 1, 2}) {
    CHECK(text(value, index, whole({1}), mode) == bad_offsets);
    CHECK(text(value, index, whole({0, 2, 1}), mode) == bad_offsets);
    CHECK(text(value, index, whole({0, 4}), mode) == bad_offsets);
    CHECK(text(value, index, whole({0, -1}), mode) == bad_offsets);
    CHECK(text(sizes, whole({0, 2}), first, mode) ==
          "aten::_embedding_bag: found the index 2 into 2 rows, wanted one from 0 to their number less 1");
    CHECK(text(sizes, whole({-1}), first, mode) ==
          "aten::_embedding_bag: found the index -1 into 2 rows, wanted one from 0 to their number less 1");
    // In no bag, and bad all the same.
    CHECK(text(sizes, whole({0, 2}), whole({0, 1}), mode, std::nullopt, true) ==
          "aten::_embedding_bag: found the index 2 into 2 rows, wanted one from 0 to their number less 1");
  }
  CHECK(text(value, index, first, 3) ==
        "aten::_embedding_bag: found mode 3, wanted 0 for sums, 1 for means or 2 for maxima");
  CHECK(text(value, index, first, 1, tensor_of({1, 1, 1}, {3})) ==
        "aten::_embedding_bag: found per_sample_weights with mode 1, wanted mode 0, the sum");
  CHECK(text(types, index, first, 0, tensor_of({1, 1, 1}, {3}, dtype::float32)) ==
        "aten::_embedding_bag: found float64 [2, 2] and per_sample_weights of float32, wanted one dtype; convert one "
        "with to()");
  CHECK(text(sizes, index, first, 0, tensor_of({1, 1}, {2})) ==
        "aten::_embedding_bag: found indices [3] and per_sample_weights [2], wanted one size");
  CHECK(text(sizes, index, whole({}), 0, std::nullopt, true) ==
        "aten::_embedding_bag: found no offsets with include_last_offset=True, wanted at least one");
  CHECK(text(sizes, tensor_of({0, 1}, {1, 2}, dtype::int64), first) ==
        "aten::_embedding_bag: found indices [1, 2], wanted one dimension");
  CHECK(text(types, tensor_of({0, 1}, {2}), first) ==
        "aten::_embedding_bag: found an index of float64, wanted int64 or int32");
  CHECK(text_of<tb::error>([&] { aten::_embedding_bag(weight, index, first, true, 2); }) ==
        "aten::_embedding_bag: found mode 2 with scale_grad_by_freq=True, wanted mode 0 or 1 with it");
  CHECK(text_of<tb::error>([&] { aten::_embedding_bag(weight, index, first, true, 0, true); }) ==
        "aten::_embedding_bag: found scale_grad_by_freq=True with sparse=True, wanted one of them");
  CHECK(
      text_of<tb::shape_error>(
          [&] { aten::embedding_bag_padding_idx(weight, index, first, false, 0, false, std::nullopt, false, 2); }) ==
      "aten::embedding_bag.padding_idx: found padding_idx 2 for 2 rows, wanted one of them, or negative from the end");
}
