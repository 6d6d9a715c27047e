#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oracle/products.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::arrangement;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::tensor;
using toy::text_of;

using sizes = std::vector<std::int64_t>;
using tb::arg;

namespace {

// Products take every dtype but bool; small whole numbers are exact in all of them.
constexpr dtype product_dtypes[] = {dtype::uint8,   dtype::int8,     dtype::int16,   dtype::int32,  dtype::int64,
                                    dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64};

tensor made(support::numbers& source, const tb::shape& given_shape, dtype t, arrangement how = arrangement::dense) {
  std::vector<double> all;
  for (std::int64_t n = tb::numel(given_shape); n > 0; --n) all.push_back(static_cast<double>(source.whole(0, 2)));
  const tensor dense = tensor_of(all, given_shape);
  if (how == arrangement::expanded) return tb::to(dense, t);
  tensor out = support::arranged(given_shape, t, how);
  return aten::copy_(out, dense);
}
std::vector<double> numbers_of(const tensor& t) { return values(tb::to(t, dtype::float64)); }
double element(const tensor& t, const tb::shape& index) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * t.strides()[d];
  return tb::with_element_type(t.dtype(), [&]<class T>(T) { return static_cast<double>(t.data_ptr<T>()[offset]); });
}
void check(const tensor& found, const std::vector<double>& wanted, const tb::shape& given_shape, dtype t) {
  REQUIRE(found.sizes() == given_shape);
  REQUIRE(found.dtype() == t);
  REQUIRE(found.is_contiguous());
  REQUIRE(support::difference(numbers_of(found), wanted, t == dtype::float64 ? 1e-12 : 0) == "");
}

std::vector<double> naive_mm(const tensor& a, const tensor& b) {
  std::vector<double> out;
  support::each_index({a.sizes()[0], b.sizes()[1]}, [&](const tb::shape& i) {
    const auto term = [&](std::int64_t k) { return support::get(a, {i[0], k}) * support::get(b, {k, i[1]}); };
    out.push_back(oracle::sum_of(a.sizes()[1], term).value);
  });
  return out;
}
}  // namespace

TEST_CASE("linalg: mm multiplies matrices of any strides", "[ops][linalg][property]") {
  support::numbers source(1);
  const tb::shape shapes[] = {{1, 1, 1},   {2, 3, 4}, {1, 5, 1}, {5, 1, 5}, {17, 33, 9},
                              {8, 64, 16}, {3, 0, 2}, {0, 3, 2}, {2, 3, 0}};
  for (dtype t : {dtype::float32, dtype::float64}) {
    for (arrangement how_a : support::arrangements) {
      for (arrangement how_b : support::arrangements) {
        for (const tb::shape& s : shapes) {
          INFO(tb::name_of(t) << " " << tb::to_string(s) << " " << support::name_of(how_a) << " "
                              << support::name_of(how_b));
          const tensor a = source.tensor({s[0], s[1]}, t, how_a), b = source.tensor({s[1], s[2]}, t, how_b);
          const tensor c = aten::mm(a, b);
          REQUIRE(c.sizes() == tb::shape{s[0], s[2]});
          REQUIRE(c.dtype() == t);
          REQUIRE(c.is_contiguous());
          const double tolerance = support::tolerance_of(t) * static_cast<double>(1 + 4 * s[1]);
          REQUIRE(support::difference(values(c), naive_mm(a, b), tolerance) == "");
        }
      }
    }
  }
}

TEST_CASE("linalg: mm over an inner dimension of size 0 is zero", "[ops][linalg]") {
  CHECK(values(aten::mm(tensor_of({}, {2, 0}), tensor_of({}, {0, 3}))) == std::vector<double>(6, 0));
}

TEST_CASE("linalg: every product agrees with naive sums, in every dtype and memory layout", "[ops][linalg][property]") {
  support::numbers source(3);
  for (dtype t : product_dtypes) {
    for (arrangement how : support::arrangements) {
      for (int round = 0; round < 6; ++round) {
        const std::int64_t b = source.whole(0, 3), m = source.whole(0, 5), k = source.whole(0, 6),
                           n = source.whole(0, 5);
        INFO(tb::name_of(t) << " " << support::name_of(how) << " " << b << " " << m << " " << k << " " << n);
        const tensor x = made(source, {b, m, k}, t, how), y = made(source, {b, k, n}, t, how);
        const tensor start = made(source, {m, n}, t, how), row = made(source, {n}, t, how);
        std::vector<double> products, sums, with_row;
        support::each_index({b, m, n}, [&](const tb::shape& i) {
          const auto term = [&](std::int64_t p) { return element(x, {i[0], i[1], p}) * element(y, {i[0], p, i[2]}); };
          const long double sum = oracle::sum_of(k, term).value;
          products.push_back(sum);
          sums.push_back(2 * element(start, {i[1], i[2]}) + 3 * sum);
          with_row.push_back(element(row, {i[2]}) + sum);
        });
        check(aten::bmm(x, y), products, {b, m, n}, t);
        check(aten::matmul(x, y), products, {b, m, n}, t);
        check(aten::baddbmm(start, x, y, arg<"beta"> = 2, arg<"alpha"> = 3), sums, {b, m, n}, t);
        check(aten::baddbmm(row, x, y), with_row, {b, m, n}, t);
        check(aten::linear(x, made(source, {0, k}, t, how)), {}, {b, m, 0}, t);
        if (b == 0) continue;
        const tensor one = aten::slice_Tensor(x, 0, 0, 1), other = aten::slice_Tensor(y, 0, 0, 1);
        const tensor left = aten::reshape(one, sizes{m, k}), right = aten::reshape(other, sizes{k, n});
        const auto first = [&](std::vector<double> all) {
          all.resize(static_cast<std::size_t>(m * n));
          return all;
        };
        check(aten::mm(left, right), first(products), {m, n}, t);
        check(aten::addmm(start, left, right, arg<"beta"> = 2, arg<"alpha"> = 3), first(sums), {m, n}, t);
        check(aten::linear(left, aten::transpose_int(right, 0, 1), row), first(with_row), {m, n}, t);
        if (n == 0) continue;
        const tensor vector = aten::reshape(aten::slice_Tensor(right, 1, 0, 1), sizes{k});
        std::vector<double> column;
        for (std::int64_t i = 0; i < m; ++i) column.push_back(products[static_cast<std::size_t>(i * n)]);
        check(aten::mv(left, vector), column, {m}, t);
        check(aten::matmul(left, vector), column, {m}, t);
        if (m == 0) continue;
        check(aten::dot(aten::reshape(aten::slice_Tensor(left, 0, 0, 1), sizes{k}), vector), {column[0]}, {}, t);
      }
    }
  }
}

TEST_CASE("linalg: matmul broadcasts batches, and treats a vector as a row or a column", "[ops][linalg][property]") {
  support::numbers source(4);
  const std::pair<tb::shape, tb::shape> pairs[] = {{{3}, {3}},
                                                   {{3}, {3, 2}},
                                                   {{2, 3}, {3}},
                                                   {{4, 2, 3}, {3}},
                                                   {{3}, {4, 3, 2}},
                                                   {{4, 2, 3}, {3, 5}},
                                                   {{2, 3}, {4, 3, 5}},
                                                   {{4, 1, 2, 3}, {5, 3, 2}},
                                                   {{1, 2, 3}, {4, 3, 1}},
                                                   {{0, 3}, {3, 2}},
                                                   {{2, 0}, {0}},
                                                   {{2, 1, 3, 0}, {4, 0, 2}}};
  for (const auto& [a, b] : pairs) {
    for (arrangement how : support::arrangements) {
      INFO(tb::to_string(a) << " " << tb::to_string(b) << " " << support::name_of(how));
      const tensor x = source.tensor(a, dtype::float64, how), y = source.tensor(b, dtype::float64, how);
      tb::shape wide_a = a, wide_b = b;
      if (a.size() == 1) wide_a = {1, a[0]};
      if (b.size() == 1) wide_b = {b[0], 1};
      const auto batch_of = [](const tb::shape& s) { return tb::shape(std::span(s.begin(), s.size() - 2)); };
      const tb::shape batch = tb::broadcast("", batch_of(wide_a), batch_of(wide_b));
      tb::shape all = batch;
      all.push_back(wide_a[wide_a.size() - 2]);
      all.push_back(wide_b[wide_b.size() - 1]);
      std::vector<double> wanted;
      support::each_index(all, [&](const tb::shape& i) {
        const auto sum = oracle::sum_of(a[a.size() - 1], [&](std::int64_t p) {
          tb::shape at_a = support::broadcast_index(tb::shape(std::span(i.begin(), batch.size())), batch_of(wide_a));
          tb::shape at_b = support::broadcast_index(tb::shape(std::span(i.begin(), batch.size())), batch_of(wide_b));
          if (a.size() > 1) at_a.push_back(i[batch.size()]);
          at_a.push_back(p);
          at_b.push_back(p);
          if (b.size() > 1) at_b.push_back(i[batch.size() + 1]);
          return support::get(x, at_a) * support::get(y, at_b);
        });
        wanted.push_back(sum.value);
      });
      tb::shape sizes = batch;
      if (a.size() > 1) sizes.push_back(all[batch.size()]);
      if (b.size() > 1) sizes.push_back(all[batch.size() + 1]);
      check(aten::matmul(x, y), wanted, sizes, dtype::float64);
    }
  }
}

TEST_CASE("linalg: a beta of 0 does not read self", "[ops][linalg][property]") {
  const tensor nan = tensor_of(std::vector<double>(4, std::nan("")), {2, 2}), one = tensor_of({1, 2, 3, 4}, {2, 2});
  CHECK(values(aten::addmm(nan, one, one, arg<"beta"> = 0)) == values(aten::mm(one, one)));
  CHECK(values(aten::addr(nan, tensor_of({1, 2}, {2}), tensor_of({3, 4}, {2}), arg<"beta"> = 0.0)) ==
        std::vector<double>{3, 4, 6, 8});
}

TEST_CASE("linalg: out forms agree with functional forms, for any strides, also when they overwrite arguments",
          "[ops][linalg][property]") {
  support::numbers source(5);
  for (dtype t : {dtype::float32, dtype::float16, dtype::int32}) {
    for (arrangement how : {arrangement::dense, arrangement::transposed, arrangement::sliced}) {
      INFO(tb::name_of(t) << " " << support::name_of(how));
      const tensor a = made(source, {3, 3}, t), b = made(source, {3, 3}, t), start = made(source, {3, 3}, t);
      tensor out = made(source, {3, 3}, t, how);
      CHECK(&aten::mm_out(a, b, out) == &out);
      CHECK(numbers_of(out) == numbers_of(aten::mm(a, b)));
      aten::matmul_out(a, b, out);
      CHECK(numbers_of(out) == numbers_of(aten::mm(a, b)));
      aten::addmm_out(start, a, b, 2, 3, out);
      const auto wanted = numbers_of(aten::addmm(start, a, b, arg<"beta"> = 2, arg<"alpha"> = 3));
      CHECK(numbers_of(out) == wanted);
      aten::copy_(out, start);
      CHECK(&aten::addmm_(out, a, b, arg<"beta"> = 2, arg<"alpha"> = 3) == &out);
      CHECK(numbers_of(out) == wanted);
      aten::copy_(out, a);
      aten::addmm_(out, out, out);
      CHECK(numbers_of(out) == numbers_of(aten::addmm(a, a, a)));
      aten::copy_(out, a);
      aten::mm_out(out, b, out);
      CHECK(numbers_of(out) == numbers_of(aten::mm(a, b)));
      CHECK(out.version() == 10);
    }
  }
}

TEST_CASE("linalg: a result that overwrites its scaled arguments", "[ops][linalg][property]") {
  support::numbers source(6);
  const tensor a = made(source, {60, 60}, dtype::float32), b = made(source, {60, 60}, dtype::float32);
  const auto wanted = numbers_of(aten::addmm(a, a, a, arg<"beta"> = 2));
  tensor out = aten::clone(a);
  aten::addmm_(out, out, out, arg<"beta"> = 2);
  CHECK(numbers_of(out) == wanted);
  aten::copy_(out, b);
  aten::mm_out(a, out, out);
  CHECK(numbers_of(out) == numbers_of(aten::mm(a, b)));
}

TEST_CASE("linalg: outer, kron, trace and diag", "[ops][linalg]") {
  const tensor x = tensor_of({1, 2, 3}, {3}), y = tensor_of({4, 5}, {2}), m = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(values(aten::outer(x, y)) == std::vector<double>{4, 5, 8, 10, 12, 15});
  CHECK(values(aten::kron(y, x)) == std::vector<double>{4, 8, 12, 5, 10, 15});
  CHECK(aten::kron(m, tensor_of({1, 2}, {2})).sizes() == tb::shape{2, 6});
  CHECK(values(aten::trace(m)) == std::vector<double>{6});
  CHECK(values(aten::diag(m, 1)) == std::vector<double>{2, 6});
  CHECK(values(aten::diag(m, -1)) == std::vector<double>{4});
  CHECK(values(aten::diag(y, 1)) == std::vector<double>{0, 4, 0, 0, 0, 5, 0, 0, 0});
  CHECK(values(aten::diag(y, -1)) == std::vector<double>{0, 0, 0, 4, 0, 0, 0, 5, 0});
  CHECK(values(aten::addbmm(tensor_of({1}, {1}), aten::reshape(m, sizes{3, 1, 2}), aten::reshape(m, sizes{3, 2, 1}))) ==
        std::vector<double>{1 + 1 + 4 + 9 + 16 + 25 + 36});
}

TEST_CASE("linalg: meta returns sizes, strides and dtype", "[ops][linalg][meta]") {
  const tensor a = tb::to(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, dtype::float32), tb::meta);
  const tensor c = aten::addmm(a, aten::mm(a, aten::t(a)), a);
  CHECK(c.sizes() == tb::shape{2, 3});
  CHECK(c.strides() == tb::shape{3, 1});
  CHECK(c.dtype() == dtype::float32);
  CHECK(c.device() == tb::meta);
}

TEST_CASE("linalg: matmul of two matrices is mm", "[ops][linalg]") {
  support::numbers source(2);
  const tensor a = source.tensor({3, 4}, dtype::float64), b = source.tensor({4, 2}, dtype::float64);
  CHECK(values(aten::matmul(a, b)) == values(aten::mm(a, b)));
  CHECK(text_of<tb::shape_error>([&] { aten::matmul(a, tensor_of({1, 2, 3}, {3})); }) ==
        "aten::matmul: found [3, 4] and [3], wanted the last size of the first to be the last but one of the second");
}

TEST_CASE("linalg: aliases of an operator report errors under their own name", "[ops][linalg]") {
  const tensor a = tensor_of({1, 2}, {2}), b = tensor_of({1, 2, 3}, {1, 3});
  CHECK(text_of<tb::shape_error>([&] { aten::vdot(a, b); }) ==
        "aten::vdot: found [2] and [1, 3], wanted two vectors of one length");
  CHECK(text_of<tb::shape_error>([&] { aten::ger(a, b); }) == "aten::ger: found [2] and [1, 3], wanted two vectors");
  CHECK(text_of<tb::shape_error>([&] { aten::linalg_matmul(a, b); }).starts_with("aten::linalg_matmul: found [2]"));
}

TEST_CASE("linalg: shapes that cannot be multiplied are refused", "[ops][linalg]") {
  const auto matrix = [](std::int64_t m, std::int64_t n, dtype t = dtype::float32) {
    return tb::author::make_tensor({m, n}, t, tb::cpu);
  };
  CHECK(text_of<tb::shape_error>([&] { aten::mm(matrix(2, 3), matrix(2, 3)); }) ==
        "aten::mm: found [2, 3] and [2, 3], wanted [m, k] and [k, n]");
  CHECK(text_of<tb::shape_error>([&] { aten::mm(matrix(2, 3), tensor_of({1, 2, 3}, {3}, dtype::float32)); }) ==
        "aten::mm: found [2, 3] and [3], wanted [m, k] and [k, n]");
  CHECK(text_of<tb::dtype_error>([&] { aten::mm(matrix(2, 3), matrix(3, 2, dtype::float64)); }) ==
        "aten::mm: found float32 and float64, wanted one dtype; convert one with to()");
  CHECK(text_of<tb::dtype_error>([&] { aten::mm(matrix(2, 3, dtype::boolean), matrix(3, 2, dtype::boolean)); }) ==
        "aten::mm: found bool, wanted a number; convert it with to()");
  CHECK(text_of<tb::shape_error>([&] { aten::addmm(matrix(3, 2), matrix(2, 3), matrix(3, 2)); }) ==
        "aten::addmm: found self [3, 2] for the product [2, 2], wanted it to broadcast to that");
  CHECK(text_of<tb::dtype_error>([&] {
          const tensor x = matrix(2, 2, dtype::int32);
          aten::addmm(x, x, x, arg<"alpha"> = 0.5);
        }) == "aten::addmm: found the factor 0.5 for int32, wanted an integer");
  CHECK(text_of<tb::shape_error>([&] { aten::mv(matrix(2, 3), matrix(2, 3)); }) ==
        "aten::mv: found [2, 3] and [2, 3], wanted [m, k] and [k]");
  CHECK(text_of<tb::shape_error>([&] { aten::linear(matrix(2, 3), matrix(2, 2)); }) ==
        "aten::linear: found [2, 3] and [2, 2], wanted [.., in] and [out, in] or [in]");
}

TEST_CASE("linalg: a refused call leaves the result unchanged", "[ops][linalg]") {
  const tensor a = tensor_of({1, 2, 3, 4}, {2, 2}, dtype::float32);
  tensor out = tensor_of({7, 7, 7}, {3}, dtype::float32);
  CHECK(text_of<tb::shape_error>([&] { aten::mm_out(a, a, out); }) ==
        "aten::mm.out: the result has sizes [2, 2], the tensor to write [3]");
  CHECK(text_of<tb::shape_error>([&] { aten::matmul_out(a, a, out); }) ==
        "aten::matmul.out: the result has sizes [2, 2], the tensor to write [3]");
  CHECK(values(out) == std::vector<double>{7, 7, 7});
  CHECK(out.version() == 0);
}
