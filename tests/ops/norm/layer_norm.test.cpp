// Normalised rows and their statistics, against sums in double.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "oracle/dtype_rules.h"
#include "oracle/rows.h"
#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::any_shape;
using support::check_tensor;
using support::get;
using support::listed;
using support::numbers;
using tb::dtype;
using tb::shape;
using tb::tensor;
using toy::text_of;
using integers = std::vector<std::int64_t>;
using list = std::vector<double>;
using maybe = std::optional<tensor>;

namespace {

// Rows of the last `depth` dimensions, as lists.
std::vector<list> rows_of(const tensor& t, std::size_t depth) {
  std::int64_t rows = 1, length = 1;
  for (std::size_t d = 0; d < t.sizes().size(); ++d) (d + depth < t.sizes().size() ? rows : length) *= t.sizes()[d];
  const list all = support::values(t);
  std::vector<list> out;
  for (std::int64_t r = 0; r < rows; ++r) {
    out.emplace_back(all.begin() + r * length, all.begin() + (r + 1) * length);
  }
  return out;
}

// A random input of some rows, short, or long enough for whole registers and a rest; how many dimensions a row has.
struct layer {
  tensor input;
  std::size_t depth;
  integers given_shape;
  dtype of_parameters;
  maybe weight, bias;
  double eps;

  layer(numbers& source, dtype t) {
    const bool is_long = source.whole(0, 4) == 0;
    const shape sizes = is_long ? shape{2, source.whole(100, 700)} : any_shape(source, 1, 4, 5);
    depth = is_long ? 1 : static_cast<std::size_t>(source.whole(1, static_cast<std::int64_t>(sizes.size())));
    for (std::size_t d = sizes.size() - depth; d < sizes.size(); ++d) given_shape.push_back(sizes[d]);
    input = source.whole(0, 3) == 0 ? support::any_odd_tensor(source, sizes, t) : support::any_tensor(source, sizes, t);
    // Next to a great mean the rest must not lose its digits.
    if (source.whole(0, 3) == 0) {
      const tensor x = support::moved(source, input);
      support::each_index(sizes, [&](const shape& i) { support::set(x, i, get(x, i) + 1000); });
      input = x;
    }
    const bool is_half = t == dtype::float16 || t == dtype::bfloat16;
    of_parameters = is_half && source.whole(0, 1) == 0 ? dtype::float32 : t;
    if (source.whole(0, 1) == 0) weight = support::any_tensor(source, shape(given_shape), of_parameters);
    if (source.whole(0, 1) == 0) bias = support::any_tensor(source, shape(given_shape), of_parameters);
    const double all_eps[] = {1e-5, 1e-3, 0.5};
    eps = all_eps[source.whole(0, 2)];
  }
  double factor(std::size_t i) const { return weight ? support::values(*weight)[i] : 1; }
  double summand(std::size_t i) const { return bias ? support::values(*bias)[i] : 0; }
  dtype of_statistics() const { return weight || bias ? of_parameters : input.dtype(); }
};

// A few units in the last place; of float64 what a sum of hundreds around a great mean leaves.
double near(dtype t) { return t == dtype::float64 ? 1e-10 : 4 * support::tolerance_of(t); }

template <class Visit>
void for_layers(unsigned seed, int rounds, Visit visit) {
  support::for_every_dtype(seed, rounds, [&](numbers& source, dtype t) {
    if (!tb::is_floating(t)) return;
    const layer l(source, t);
    INFO(tb::to_string(l.input.sizes()) << " over " << l.depth << ", eps " << l.eps);
    visit(source, t, l);
  });
}

}  // namespace

TEST_CASE("layer_norm: rows of the last dimensions have mean 0 and variance 1, then weight and bias",
          "[ops][layer_norm][property]") {
  for_layers(1, 60, [](numbers&, dtype t, const layer& l) {
    const dtype of_statistics = l.of_statistics();
    list wanted, means, inverses;
    for (const list& row : rows_of(l.input, l.depth)) {
      const oracle::moments of_row(row);
      const long double inverse = 1 / std::sqrt(of_row.variance() + l.eps);
      means.push_back(row.empty() ? 0 : oracle::stored(of_statistics, of_row.mean()));
      inverses.push_back(oracle::stored(of_statistics, inverse));
      for (std::size_t i = 0; i < row.size(); ++i) {
        wanted.push_back(oracle::stored(t, of_row.deviation(row[i]) * inverse * l.factor(i) + l.summand(i)));
      }
    }
    const auto all = support::results_of(aten::native_layer_norm, l.input, l.given_shape, l.weight, l.bias, l.eps);
    shape statistics = l.input.sizes();
    for (std::size_t d = statistics.size() - l.depth; d < statistics.size(); ++d) statistics[d] = 1;
    check_tensor(all[0], l.input.sizes(), t, wanted, near(t));
    check_tensor(all[1], statistics, of_statistics, means, near(of_statistics));
    check_tensor(all[2], statistics, of_statistics, inverses, near(of_statistics));
    check_tensor(support::result_of(aten::layer_norm, l.input, l.given_shape, l.weight, l.bias, l.eps, true),
                 l.input.sizes(), t, wanted, near(t));
  });
}

TEST_CASE(
    "layer_norm: rms_norm divides by the root of the mean square, eps being a step from 1 where it is "
    "computed if none is given",
    "[ops][layer_norm][property]") {
  for_layers(2, 60, [](numbers& source, dtype t, const layer& l) {
    const std::optional<double> eps = source.whole(0, 1) == 0 ? std::optional(l.eps) : std::nullopt;
    const dtype computed = t == dtype::float64 ? dtype::float64 : dtype::float32;
    double step = 1;
    while (oracle::stored(computed, 1 + step / 2) != 1) step /= 2;
    list wanted;
    for (const list& row : rows_of(l.input, l.depth)) {
      const auto squares = oracle::sum_of(row.size(), [&](std::size_t i) { return row[i] * row[i]; });
      const long double inverse = 1 / std::sqrt(squares.value / row.size() + eps.value_or(step));
      for (std::size_t i = 0; i < row.size(); ++i) {
        wanted.push_back(oracle::stored(t, row[i] * inverse * l.factor(i)));
      }
    }
    check_tensor(support::result_of(aten::rms_norm, l.input, l.given_shape, l.weight, eps), l.input.sizes(), t, wanted,
                 near(t));
  });
}

TEST_CASE("layer_norm: mismatched arguments are refused by name, on meta too", "[ops][layer_norm]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto make = [&](const shape& sizes, dtype t) { return tb::author::make_tensor(sizes, t, where); };
    const tensor x = make({2, 3}, dtype::float32);
    CHECK(text_of<tb::shape_error>([&] { aten::layer_norm(x, integers{2}); }) ==
          "aten::layer_norm: found [2, 3] and normalized_shape [2], wanted the sizes of the last dimensions, at "
          "least one");
    CHECK(
        text_of<tb::shape_error>([&] { aten::rms_norm(x, integers{}); }) ==
        "aten::rms_norm: found [2, 3] and normalized_shape [], wanted the sizes of the last dimensions, at least one");
    CHECK(text_of<tb::shape_error>([&] { aten::layer_norm(x, integers{3}, make({2}, dtype::float32)); }) ==
          "aten::layer_norm: found a weight [2], wanted [3]");
    CHECK(text_of<tb::dtype_error>([&] { aten::rms_norm(x, integers{3}, make({3}, dtype::float64)); }) ==
          "aten::rms_norm: found a weight of float64 for float32 [2, 3], wanted one dtype");
    CHECK(text_of<tb::dtype_error>([&] {
            aten::layer_norm(make({2, 3}, dtype::bfloat16), integers{3}, make({3}, dtype::float16));
          }) == "aten::layer_norm: found a weight of float16 for bfloat16 [2, 3], wanted one dtype, or float32");
    CHECK(text_of<tb::dtype_error>([&] {
            aten::layer_norm(make({2, 3}, dtype::int32), integers{3});
          }).starts_with("aten::layer_norm: found int32"));
  }
}
