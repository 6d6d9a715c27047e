// Vector products, angles and distances, against sums in double.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using list = std::vector<double>;

namespace {

double at(const tensor& t, const shape& index) { return support::get(t, support::broadcast_index(index, t.sizes())); }

// The norm of differences, as its definition says.
double norm(const list& v, double p) {
  double sum = 0, most = 0;
  for (double x : v) {
    most = std::max(most, std::abs(x));
    sum += p == 0 ? (x != 0) : std::pow(std::abs(x), p);
  }
  return std::isinf(p) ? most : p == 0 ? sum : std::pow(sum, 1 / p);
}

}  // namespace

TEST_CASE("vectors: cross agrees with its definition, along any dimension", "[ops][vectors][property]") {
  support::numbers source(81);
  for (int round = 0; round < 8; ++round) {
    for (dtype type : tb::all_dtypes) {
      if (type == dtype::boolean) continue;
      for (support::arrangement how : support::arrangements) {
        shape sizes = source.shape(3, 4);
        if (sizes.size() == 0) sizes.push_back(3);
        const auto d = static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(sizes.size()) - 1));
        sizes[d] = 3;
        shape other = sizes;
        for (std::size_t k = 0; k < sizes.size(); ++k) other[k] = k != d && source.whole(0, 2) == 0 ? 1 : sizes[k];
        const tensor a = source.tensor(sizes, type, how), b = source.tensor(other, type, how);
        const tensor y = aten::linalg_cross(a, b, tb::arg<"dim"> = static_cast<std::int64_t>(d));
        list wanted;
        support::each_index(sizes, [&](const shape& i) {
          shape j = i, k = i;
          j[d] = (i[d] + 1) % 3;
          k[d] = (i[d] + 2) % 3;
          const double v = at(a, j) * at(b, k) - at(a, k) * at(b, j);
          wanted.push_back(type == dtype::uint8 ? v - 256 * std::floor(v / 256) : v);
        });
        CHECK(support::difference(values(y), wanted, 20 * support::tolerance_of(type)) == "");
        CHECK(y.dtype() == type);
        tensor out = support::arranged(sizes, type, support::arrangement::sliced);
        CHECK(values(aten::cross_out(a, b, static_cast<std::int64_t>(d), out)) == values(y));
      }
    }
  }
}

TEST_CASE("vectors: cross without a dimension takes the first of three elements", "[ops][vectors]") {
  support::numbers source(82);
  const tensor a = source.tensor({2, 3, 3}, dtype::float64), b = source.tensor({2, 3, 3}, dtype::float64);
  CHECK(values(aten::cross(a, b)) == values(aten::linalg_cross(a, b, tb::arg<"dim"> = 1)));
  const tensor whole = tensor_of({1, 2, 3}, {3}, dtype::int32), real = tensor_of({0.5, 0, 1}, {3}, dtype::float32);
  CHECK(aten::linalg_cross(whole, real).dtype() == dtype::float32);
  CHECK(values(aten::linalg_cross(whole, real)) == list{2, 0.5, -1});
}

TEST_CASE("vectors: distances and angles agree with their definitions", "[ops][vectors][property]") {
  support::numbers source(83);
  const double inf = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 6; ++round) {
    for (dtype type : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
      for (support::arrangement how : support::arrangements) {
        const std::int64_t n = source.whole(1, 4), m = source.whole(1, 4), w = source.whole(1, 5);
        const tensor a = source.tensor({n, w}, type, how), b = source.tensor({m, w}, type, how);
        const double tolerance = 40 * support::tolerance_of(type);
        const auto row = [&](const tensor& t, std::int64_t i, std::int64_t k) { return support::get(t, {i, k}); };
        for (double p : {0.0, 1.0, 2.0, 3.0, inf}) {
          list wanted;
          for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < m; ++j) {
              list d;
              for (std::int64_t k = 0; k < w; ++k) d.push_back(row(a, i, k) - row(b, j, k));
              wanted.push_back(norm(d, p));
            }
          }
          const tensor y = aten::cdist(a, b, p);
          CHECK(y.sizes() == shape{n, m});
          CHECK(support::difference(values(y), wanted, tolerance) == "");
        }
        const tensor c = source.tensor({n, w}, type, how);
        list distances, cosines;
        for (std::int64_t i = 0; i < n; ++i) {
          list d, x, y;
          double product = 0;
          for (std::int64_t k = 0; k < w; ++k) {
            d.push_back(row(a, i, k) - row(c, i, k) + 1e-6);
            x.push_back(row(a, i, k));
            y.push_back(row(c, i, k));
            product += x.back() * y.back();
          }
          distances.push_back(norm(d, 2));
          cosines.push_back(product / (norm(x, 2) * norm(y, 2)));
        }
        CHECK(support::difference(values(aten::pairwise_distance(a, c)), distances, tolerance) == "");
        CHECK(support::difference(values(aten::cosine_similarity(a, c)), cosines, tolerance) == "");
      }
    }
  }
}

TEST_CASE("vectors: cdist takes each pair of a batch, whose dimensions broadcast", "[ops][vectors]") {
  support::numbers source(84);
  const std::pair<shape, shape> sizes[] = {{{5, 3, 4}, {2, 4}},          {{3, 4}, {5, 2, 4}},
                                           {{2, 1, 3, 4}, {1, 5, 2, 4}}, {{2, 5, 3, 4}, {2, 1, 2, 4}},
                                           {{2, 5, 3, 0}, {1, 2, 0}},    {{0, 3, 4}, {2, 4}}};
  for (const auto& [first, second] : sizes) {
    for (support::arrangement how : support::arrangements) {
      const tensor a = source.tensor(first, dtype::float32, how), b = source.tensor(second, dtype::float64, how);
      const tensor differences = aten::unsqueeze(a, -2) - aten::unsqueeze(b, -3);
      const tensor wanted = aten::sqrt(tb::sum(differences * differences, {-1})), y = aten::cdist(a, b);
      CHECK(y.dtype() == dtype::float64);
      CHECK(y.sizes() == wanted.sizes());
      CHECK(support::difference(values(y), values(wanted), 1e-12) == "");
    }
  }
}

TEST_CASE("vectors: errors say what was found, on meta too", "[ops][vectors]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto made = [&](const shape& sizes, dtype type = dtype::float32) {
      return tb::author::make_tensor(sizes, type, where);
    };
    const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
    CHECK(text([&] { aten::linalg_cross(made({2, 3}), made({3})); }) ==
          "aten::linalg_cross: found [2, 3] and [3], wanted as many dimensions");
    CHECK(text([&] { aten::linalg_cross(made({2, 4}), made({2, 4})); }) ==
          "aten::linalg_cross: found [2, 4] and [2, 4], wanted 3 elements in dimension 1 of both");
    CHECK(text([&] { aten::cross(made({2, 4}), made({2, 4})); }) ==
          "aten::cross: found [2, 4], wanted a dimension of 3 elements");
    CHECK(text([&] { aten::cdist(made({2, 4}), made({2, 3})); }) ==
          "aten::cdist: found [2, 4] and [2, 3], wanted matrices, or batches of them, with as many columns");
    CHECK(toy::text_of<tb::dtype_error>([&] { aten::cosine_similarity(made({2}, dtype::int32), made({2})); }) ==
          "aten::cosine_similarity: found int32, wanted a floating dtype");
    CHECK(aten::linalg_cross(made({2, 3}), made({1, 3})).sizes() == shape{2, 3});
    CHECK(aten::cdist(made({5, 2, 4}), made({3, 4})).sizes() == shape{5, 2, 3});
  }
}
