// Elements and rows by number, labels, and counts of numbers, against the loops that define them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
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
using support::any_long_shape;
using support::any_odd_tensor;
using support::any_shape;
using support::any_whole_tensor;
using support::check_out;
using support::check_tensor;
using support::get;
using support::listed;
using support::numbers;
using support::result_of;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

dtype index_dtype(numbers& source) { return source.whole(0, 1) == 0 ? dtype::int64 : dtype::int32; }
shape without_last(const shape& d) {
  shape out = d;
  out.erase(d.size() - 1);
  return out;
}

}  // namespace

TEST_CASE("embedding: take reads the elements in row-major order, negative ones from the end",
          "[ops][gather][property]") {
  support::for_every_dtype(1, 40, [](numbers& source, dtype t) {
    const tensor x = any_odd_tensor(source, source.shape(3, 5), t),
                 index = any_whole_tensor(source, any_shape(source, 0, 3, 4), dtype::int64, -x.numel(), x.numel() - 1);
    const list all = values(x);
    const tensor found = result_of(aten::take, x, index);
    check_tensor(found, index.sizes(), t, listed(index.sizes(), [&](const shape& i) {
                   const auto at = static_cast<std::int64_t>(get(index, i));
                   return all[static_cast<std::size_t>(at < 0 ? at + x.numel() : at)];
                 }));
    check_out(source, aten::take_out, found, x, index);
  });
}

TEST_CASE("embedding: each index selects its row", "[ops][gather][property]") {
  support::for_every_dtype(2, 40, [](numbers& source, dtype t) {
    const tensor weight = any_odd_tensor(source, {source.whole(1, 6), source.whole(0, 20)}, t);
    const tensor index =
        any_whole_tensor(source, any_long_shape(source, 0, 3, 4), index_dtype(source), 0, weight.sizes()[0] - 1);
    shape sizes = index.sizes();
    sizes.push_back(weight.sizes()[1]);
    const std::int64_t padding = source.whole(-1, 2);
    check_tensor(result_of(aten::embedding, weight, index, padding, source.whole(0, 1) == 0, false), sizes, t,
                 listed(sizes, [&](const shape& i) {
                   const auto row = static_cast<std::int64_t>(get(index, without_last(i)));
                   return get(weight, {row, i[i.size() - 1]});
                 }));
  });
}

TEST_CASE("embedding: its gradient sums or averages the rows of each index except padding", "[ops][gather][property]") {
  support::for_every_dtype(3, 40, [](numbers& source, dtype t) {
    const std::int64_t rows = source.whole(1, 5), columns = source.whole(0, 20), padding = source.whole(-1, 3);
    const bool by_frequency = tb::is_floating(t) && source.whole(0, 1) == 0;
    const shape places = by_frequency ? any_shape(source, 0, 3, 4) : any_long_shape(source, 0, 3, 4);
    const tensor index = any_whole_tensor(source, places, index_dtype(source), 0, rows - 1);
    shape sizes = index.sizes();
    sizes.push_back(columns);
    const tensor gradient = any_whole_tensor(source, sizes, t, 0, 3);
    list often(static_cast<std::size_t>(rows), 0), sums(static_cast<std::size_t>(rows * columns), 0);
    support::each_index(index.sizes(), [&](const shape& i) { often[static_cast<std::size_t>(get(index, i))] += 1; });
    support::each_index(sizes, [&](const shape& i) {
      const auto row = static_cast<std::int64_t>(get(index, without_last(i)));
      if (row == padding) return;
      double& sum = sums[static_cast<std::size_t>(row * columns + i[i.size() - 1])];
      const double x = get(gradient, i);
      sum = oracle::stored(t, sum + (by_frequency ? x / often[static_cast<std::size_t>(row)] : x));
    });
    check_tensor(result_of(aten::embedding_dense_backward, gradient, index, rows, padding, by_frequency),
                 {rows, columns}, t, sums, by_frequency ? 8 * support::tolerance_of(t) : 0);
  });
}

TEST_CASE("embedding: occurrences of an index are counted exactly, whatever the gradient's dtype",
          "[ops][gather][property]") {
  for (dtype t : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
    const tensor index = tensor_of(list(4096, 1), {4096}, dtype::int64),
                 gradient = tensor_of(list(4096, 0), {4096, 1}, t);
    support::set(gradient, {7, 0}, 4096);
    check_tensor(aten::embedding_dense_backward(gradient, index, 2, -1, true), {2, 1}, t, {0, 1});
  }
}

TEST_CASE("embedding: one_hot has a 1 at each label, with as many classes as the maximum needs, or more",
          "[ops][advanced_index][property]") {
  support::for_every_dtype(4, 20, [](numbers& source, dtype) {
    const tensor labels = any_whole_tensor(source, any_shape(source, 0, 4, 6), dtype::int64, 0, 9);
    const list all = values(labels);
    const auto least = all.empty() ? 1 : static_cast<std::int64_t>(*std::ranges::max_element(all)) + 1;
    for (const std::int64_t classes : {least, least + 3}) {
      shape sizes = labels.sizes();
      sizes.push_back(classes);
      const list wanted = listed(sizes, [&](const shape& i) {
        return get(labels, without_last(i)) == static_cast<double>(i[i.size() - 1]) ? 1 : 0;
      });
      check_tensor(result_of(aten::one_hot, labels, classes), sizes, dtype::int64, wanted);
      if (classes == least && !all.empty()) check_tensor(aten::one_hot(labels), sizes, dtype::int64, wanted);
    }
  });
}

TEST_CASE("embedding: bincount counts each value, or sums its weights", "[ops][advanced_index][property]") {
  support::for_every_dtype(5, 40, [](numbers& source, dtype t) {
    const shape sizes = support::any_long_shape(source, 1, 1, 30);
    const dtype types[] = {dtype::uint8, dtype::int8, dtype::int16, dtype::int32, dtype::int64};
    const tensor x = any_whole_tensor(source, sizes, types[source.whole(0, 4)], 0, 9),
                 weights = any_whole_tensor(source, sizes, t, 0, 3);
    const std::int64_t least = source.whole(0, 12);
    const list all = values(x), heavy = values(weights);
    const auto bins = static_cast<std::size_t>(
        std::max<double>(static_cast<double>(least), all.empty() ? 0 : *std::ranges::max_element(all) + 1));
    list counts(bins, 0), sums(bins, 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      counts[static_cast<std::size_t>(all[i])] += 1;
      sums[static_cast<std::size_t>(all[i])] += heavy[i];
    }
    const shape wanted{static_cast<std::int64_t>(bins)};
    check_tensor(aten::bincount(x, std::nullopt, least), wanted, dtype::int64, counts);
    check_tensor(aten::bincount(x, weights, least), wanted, t == dtype::float32 ? dtype::float32 : dtype::float64,
                 sums);
  });
}

TEST_CASE("embedding: an index out of range is named, and mismatched arguments are refused", "[ops][gather]") {
  const tensor weight = tensor_of({1, 2, 3, 4}, {2, 2}), far = tensor_of({1, 2}, {2}, dtype::int64),
               below = tensor_of({-1}, {1}, dtype::int64);
  const auto text = [](auto f) { return text_of<tb::shape_error>(f); };
  CHECK(text([&] { aten::embedding(weight, far); }) == "aten::embedding: found the index 2, wanted 0 to 1");
  CHECK(text([&] { aten::embedding(weight, below); }) == "aten::embedding: found the index -1, wanted 0 to 1");
  CHECK(text([&] { aten::take(weight, tensor_of({4}, {1}, dtype::int64)); }) ==
        "aten::take: found the index 4, wanted -4 to 3");
  CHECK(text([&] { aten::one_hot(far, 2); }).starts_with("aten::one_hot: found the index 2, wanted 0 to 1"));
  const tensor none = tb::author::make_tensor({0}, dtype::int64, tb::cpu);
  for (const tensor& labels : {none, tb::to(far, tb::meta)}) {
    CHECK(text_of<tb::error>([&] { aten::one_hot(labels); }) ==
          "aten::one_hot: found num_classes=-1 and no labels to count, wanted the number of classes");
  }
  CHECK(text([&] { aten::bincount(below); }).starts_with("aten::bincount: found the index -1"));
  CHECK(text([&] { aten::bincount(far, tensor_of({1}, {1})); }) ==
        "aten::bincount: found [2] and weights [1], wanted equal sizes");
  CHECK(text([&] { aten::embedding_dense_backward(weight, tensor_of({0}, {1}, dtype::int64), 2, -1, false); }) ==
        "aten::embedding_dense_backward: found a gradient float64 [2, 2] for indices [1]");
}
