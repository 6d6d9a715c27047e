#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::arrangement;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::tensor;
using toy::text_of;

namespace {
std::vector<double> naive_mm(const tensor& a, const tensor& b) {
  std::vector<double> out;
  support::each_index({a.sizes()[0], b.sizes()[1]}, [&](const tb::dims& i) {
    double sum = 0;
    for (std::int64_t k = 0; k < a.sizes()[1]; ++k) sum += support::get(a, {i[0], k}) * support::get(b, {k, i[1]});
    out.push_back(sum);
  });
  return out;
}
}  // namespace

TEST_CASE("linalg: mm multiplies matrices of any strides", "[ops][linalg]") {
  support::numbers source(1);
  const tb::dims shapes[] = {{1, 1, 1},   {2, 3, 4}, {1, 5, 1}, {5, 1, 5}, {17, 33, 9},
                             {8, 64, 16}, {3, 0, 2}, {0, 3, 2}, {2, 3, 0}};
  for (dtype t : {dtype::float32, dtype::float64}) {
    for (arrangement how_a : support::arrangements) {
      for (arrangement how_b : support::arrangements) {
        for (const tb::dims& s : shapes) {
          INFO(tb::name_of(t) << " " << tb::to_string(s) << " " << support::name_of(how_a) << " "
                              << support::name_of(how_b));
          const tensor a = source.tensor({s[0], s[1]}, t, how_a), b = source.tensor({s[1], s[2]}, t, how_b);
          const tensor c = ops::mm(a, b);
          REQUIRE(c.sizes() == tb::dims{s[0], s[2]});
          REQUIRE(c.dtype() == t);
          REQUIRE(c.is_contiguous());
          const double tolerance = support::tolerance_of(t) * static_cast<double>(1 + 4 * s[1]);
          REQUIRE(support::difference(values(c), naive_mm(a, b), tolerance) == "");
        }
      }
    }
  }
}

TEST_CASE("linalg: mm over an empty middle is zero", "[ops][linalg]") {
  CHECK(values(ops::mm(tensor_of({}, {2, 0}), tensor_of({}, {0, 3}))) == std::vector<double>(6, 0));
}

TEST_CASE("linalg: matmul of two matrices is mm", "[ops][linalg]") {
  support::numbers source(2);
  const tensor a = source.tensor({3, 4}, dtype::float64), b = source.tensor({4, 2}, dtype::float64);
  CHECK(values(ops::matmul(a, b)) == values(ops::mm(a, b)));
  CHECK(text_of<tb::shape_error>([&] { ops::matmul(a, tensor_of({1, 2, 3, 4}, {4})); }) ==
        "aten::matmul: found [3, 4] and [4], wanted two matrices");
}

TEST_CASE("linalg: what is no product of matrices is refused", "[ops][linalg]") {
  const auto matrix = [](std::int64_t m, std::int64_t n, dtype t = dtype::float32) {
    return tb::author::make_tensor({m, n}, t, tb::cpu);
  };
  CHECK(text_of<tb::shape_error>([&] { ops::mm(matrix(2, 3), matrix(2, 3)); }) ==
        "aten::mm: found [2, 3] and [2, 3], wanted [m, k] and [k, n]");
  CHECK(text_of<tb::shape_error>([&] { ops::mm(matrix(2, 3), tensor_of({1, 2, 3}, {3}, dtype::float32)); }) ==
        "aten::mm: found [2, 3] and [3], wanted [m, k] and [k, n]");
  CHECK(text_of<tb::dtype_error>([&] { ops::mm(matrix(2, 3), matrix(3, 2, dtype::float64)); }) ==
        "aten::mm: found float32 and float64, wanted one dtype");
  CHECK(text_of<tb::dtype_error>([&] { ops::mm(matrix(2, 3, dtype::int64), matrix(3, 2, dtype::int64)); }) ==
        "aten::mm: found int64, wanted float32 or float64");
}
