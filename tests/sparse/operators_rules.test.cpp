// What holds for every operator of sparse tensors: entries at one place are one element, sums are added up in a wider
// type and rounded once, memory follows the entries and not the sizes, recording changes no bit, and no one writes to
// indices.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

import topbit;
import topbit.sparse;
import topbit.transform;

#include "operators.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::dtype, tb::layout, tb::shape, tb::tensor;

namespace {

const dtype dtypes[] = {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16, dtype::int64,
                        dtype::int32,   dtype::int8,    dtype::uint8,   dtype::boolean};

tensor elements(const tensor& t) { return tb::detach(t.layout() == layout::strided ? t : tb::to_dense(t)); }

// The same elements, NaN equal to itself.
bool same_elements(const tensor& a, const tensor& b) {
  if (a.sizes() != b.sizes() || a.dtype() != b.dtype()) return false;
  const std::vector<double> x = doubles(elements(a)), y = doubles(elements(b));
  return std::ranges::equal(x, y, [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); });
}

tensor half_ones(const shape& sizes, dtype type = dtype::float16) { return tb::ones(sizes, arg<"dtype"> = type); }

std::vector<tensor> index_parts(const tensor& s) {
  if (s.layout() == layout::sparse_coo) return {tb::_indices(s)};
  if (s.layout() == layout::sparse_csr) return {tb::crow_indices(s), tb::col_indices(s)};
  return {tb::ccol_indices(s), tb::row_indices(s)};
}

// Numbers that no dtype holds exactly, and their products even less.
tensor random_matrix(std::int64_t rows, std::int64_t columns, dtype type, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> number;
  std::vector<double> all(static_cast<std::size_t>(rows * columns));
  for (double& x : all) x = engine() % 3 == 0 ? number(engine) : 0;
  return tb::to(tb::from_values(all, {rows, columns}), type);
}

}  // namespace

TEST_CASE("sparse: the indices of a tensor cannot be written to, however it was made", "[sparse][operators]") {
  const tensor d = tb::tensor({{0.f, 2.f}, {3.f, 4.f}}), coo = tb::to_sparse(d), csr = tb::to_sparse_csr(d);
  const tensor places = tb::tensor({{0, 1}}), compressed = tb::tensor({0, 1, 2}), plain = tb::tensor({1, 0});
  const tensor given = tb::sparse::coo_of(places, tb::ones({2}), {2}, true);
  const tensor by_rows = tb::sparse::compressed_of(layout::sparse_csr, compressed, plain, tb::ones({2}), {2, 2});
  const tensor all[] = {coo,
                        csr,
                        tb::to_sparse_csc(d),
                        tb::to_sparse(csr),
                        tb::coalesce(tb::sparse_coo_tensor(tb::tensor({{1, 0}}), tb::ones({2}))),
                        tb::add(coo, coo),
                        tb::add(coo, tb::to_sparse(tb::eye(2))),
                        tb::mul(csr, tb::to_sparse_csr(tb::eye(2))),
                        tb::mm(csr, csr),
                        tb::index_select(coo, 0, tb::tensor({1, 0})),
                        tb::select(csr, 0, 1),
                        tb::cat({coo, coo}, 0),
                        tb::sum(coo, {0}),
                        tb::softmax(coo, 0),
                        tb::zeros_like(csr),
                        tb::transpose(coo, 0, 1),
                        tb::unsqueeze(coo, 0),
                        tb::to(coo, dtype::float64),
                        given,
                        by_rows};
  for (const tensor& s : all) {
    for (tensor part : index_parts(s)) {
      INFO(to_string(s));
      CHECK(error_of([&] { tb::fill_(part, 1); }).find("in read-only memory; clone() it first") != std::string::npos);
    }
  }
  tensor mine = places;
  CHECK(error_of([&] { tb::zero_(mine); }).find("read-only") != std::string::npos);
}

TEST_CASE("sparse: no conversion comes before the sum of entries at one place", "[sparse][operators]") {
  const tensor parts = tb::sparse_coo_tensor(tb::tensor({{0, 0, 1}}), tb::tensor({0.5f, 0.5f, 2.f}), {3});
  const tensor truths = tb::to(parts, dtype::boolean);
  CHECK(integers(tb::to_dense(tb::to(parts, dtype::int64))) == std::vector<std::int64_t>{1, 2, 0});
  const tensor twice =
      tb::sparse::coo_of(tb::clone(tb::_indices(parts)), tb::ones({3}, arg<"dtype"> = dtype::boolean), {3}, false);
  const tensor number = tb::sparse_coo_tensor(tb::tensor({{2}}), tb::tensor({5}), {3});
  CHECK(integers(tb::to_dense(tb::add(twice, number))) == std::vector<std::int64_t>{1, 1, 5});
  CHECK(integers(tb::add(tb::tensor({0, 0, 0}), twice)) == std::vector<std::int64_t>{1, 1, 0});
  CHECK(integers(tb::to_dense(tb::cat({twice, number}, 0))) == std::vector<std::int64_t>{1, 1, 0, 0, 0, 5});
  CHECK(integers(tb::to_dense(tb::to(twice, dtype::int64))) == std::vector<std::int64_t>{1, 1, 0});
  tensor target = tb::zeros_like(number);
  tb::copy_(target, parts);
  CHECK(integers(tb::to_dense(target)) == std::vector<std::int64_t>{1, 2, 0});
  tb::aten::add_out(twice, twice, 1, target);
  CHECK(integers(tb::to_dense(target)) == std::vector<std::int64_t>{1, 1, 0});
  tensor strided = tb::tensor({0, 0, 0});
  tb::add_(strided, twice);
  CHECK(integers(strided) == std::vector<std::int64_t>{1, 1, 0});
  // Sums of int8 are int8.
  const tensor bytes = tb::sparse_coo_tensor(tb::tensor({{0, 0}}), tb::to(tb::tensor({100, 100}), dtype::int8), {2});
  CHECK(integers(tb::sum(bytes)) == integers(tb::sum(tb::coalesce(bytes))));
}

TEST_CASE("sparse: every conversion gives what it gives for the coalesced tensor", "[sparse][operators][property]") {
  for (const dtype from : dtypes) {
    for (const tensor& s : samples(from)) {
      if (s.layout() != layout::sparse_coo) continue;
      for (const dtype to : dtypes) {
        INFO(name_of(from) << " to " << name_of(to) << " " << to_string(s.sizes()));
        const tensor once = tb::coalesce(s), d = tb::to(tb::to_dense(once), to);
        CHECK(same_elements(tb::to(s, to), d));
        tensor target = tb::zeros_like(s, arg<"dtype"> = to);
        tb::copy_(target, s);
        CHECK(same_elements(target, d));
        const tensor other = tb::to(once, to);
        CHECK(same_elements(tb::add(s, other), tb::add(once, other)));
        CHECK(same_elements(tb::add(d, s), tb::add(d, once)));
        CHECK(same_elements(tb::mul(s, d), tb::mul(once, d)));
        CHECK(same_elements(tb::cat({s, other}, 0), tb::cat({once, other}, 0)));
        if (to != dtype::boolean) {
          CHECK(same_elements(tb::sum(s, arg<"dtype"> = to), tb::sum(once, arg<"dtype"> = to)));
          const shape dims{0};
          CHECK(
              same_elements(tb::sum(s, dims, false, arg<"dtype"> = to), tb::sum(once, dims, false, arg<"dtype"> = to)));
        }
      }
    }
  }
}

TEST_CASE("sparse: thousands of float16 entries are added up in a wider type", "[sparse][operators][property]") {
  constexpr std::int64_t n = 5000;
  for (const dtype type : {dtype::float16, dtype::bfloat16}) {
    INFO(name_of(type));
    const double wanted = doubles(tb::to(tb::tensor(double(n)), type))[0];
    const auto only = [&](const tensor& t) {
      const std::vector<double> all = doubles(elements(t));
      REQUIRE(all.size() == 1);
      return all[0];
    };
    const tensor column = half_ones({n, 1}, type), row = half_ones({1, n}, type), one = half_ones({1, 1}, type);
    for (const tensor& s : {tb::to_sparse(column), tb::to_sparse_csr(column), tb::to_sparse_csc(column)}) {
      CHECK(only(tb::sum(s, {0})) == wanted);
      CHECK(only(tb::sum(s)) == wanted);
      CHECK(only(tb::mm(row, s)) == wanted);
    }
    for (const tensor& s : {tb::to_sparse(row), tb::to_sparse_csr(row), tb::to_sparse_csc(row)})
      CHECK(only(tb::sum(s, {1})) == wanted);
    // The gradient of a number, or an entry, that meets thousands of others.
    const tensor factor = tb::require_grad(tb::clone(one)), s = tb::to_sparse(column);
    CHECK(only(tb::grad(tb::sum(tb::mul(s, factor)), factor)) == wanted);
    for (const char* how : {"sum", "mean", "amax", "amin"}) {
      INFO(how);
      const tensor entry = tb::require_grad(tb::to_sparse_csr(one)), dense = tb::require_grad(tb::clone(one));
      CHECK(only(tb::grad(tb::sum(tb::mm_reduce(entry, row, how)), entry)) == wanted);
      CHECK(only(tb::grad(tb::sum(tb::mm_reduce(tb::to_sparse_csr(column), dense, how)), dense)) == wanted);
    }
  }
}

TEST_CASE("sparse: sums of float32 numbers do not stop to grow", "[sparse][operators]") {
  // 2^24 + 2 ones, as an element of 2^24 and two of 1.
  const tensor s = tb::to_sparse_csr(tb::tensor({{16777216.f}, {1.f}, {1.f}}));
  CHECK(doubles(tb::sum(s, {0})) == std::vector<double>{16777218});
}

TEST_CASE("sparse: norms along dimensions square numbers that have no square", "[sparse][operators]") {
  const std::int64_t dim[] = {1};
  const tensor narrow = tb::to(tb::tensor({{300.f, 400.f}, {0.f, -400.f}}), dtype::float16);
  CHECK(doubles(elements(tb::norm(tb::to_sparse(narrow), 2, dim))) == std::vector<double>{500, 400});
  const tensor large = tb::tensor({{1e30f, 0.f}, {0.f, 1e-30f}});
  CHECK(same_elements(tb::norm(tb::to_sparse(large), 2, dim), tb::norm(large, 2, dim)));
  CHECK(same_elements(tb::norm(tb::to_sparse(large), 3, dim), tb::norm(large, 3, dim)));
}

TEST_CASE("sparse: a + alpha * b is rounded once, recorded or not", "[sparse][operators][property]") {
  for (const dtype type : {dtype::float16, dtype::bfloat16}) {
    const tensor x = random_matrix(20, 20, type, 1), y = random_matrix(20, 20, type, 2);
    const tensor wanted = tb::add(x, y, arg<"alpha"> = 0.1);
    const tensor a = tb::to_sparse(x), b = tb::to_sparse(y);
    const tensor others = tb::to_sparse(tb::where(tb::ne(x, 0), y + 1, 0));
    const auto check = [&](const tensor& p, const tensor& q, const tensor& sum) {
      CHECK(same_elements(tb::add(p, q, arg<"alpha"> = 0.1), sum));
      if (p.layout() != layout::strided)
        CHECK(same_elements(tb::add(tb::require_grad(tb::clone(p)), q, arg<"alpha"> = 0.1), sum));
    };
    check(a, b, wanted);
    check(tb::to_sparse_csr(x), tb::to_sparse_csr(y), wanted);
    check(tb::to_sparse_csc(x), tb::to_sparse_csc(y), wanted);
    check(x, b, wanted);
    check(tb::unsqueeze(a, 0), tb::unsqueeze(b, 0), tb::unsqueeze(wanted, 0));
    if (tb::nnz(others) == tb::nnz(a)) {
      const tensor beside = tb::sparse::with_values(a, tb::_values(others));
      check(a, beside, tb::add(x, tb::to_dense(beside), arg<"alpha"> = 0.1));
    }
    const tensor again = tb::sparse::coo_of(tb::clone(tb::_indices(b)), tb::_values(b), b.sizes(), false);
    check(a, again, wanted);
  }
}

TEST_CASE("sparse: a product of two sparse matrices has the same bits recorded and not", "[sparse][operators]") {
  for (const dtype type : {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16}) {
    const tensor x = random_matrix(30, 40, type, 3), y = random_matrix(40, 25, type, 4);
    for (const auto convert :
         {+[](const tensor& t) { return tb::to_sparse(t); }, +[](const tensor& t) { return tb::to_sparse_csr(t); },
          +[](const tensor& t) { return tb::to_sparse_csc(t); }}) {
      const tensor a = convert(x), b = convert(y), plain = tb::mm(a, b);
      CHECK(same_elements(tb::mm(tb::require_grad(tb::clone(a)), b), plain));
      CHECK(same_elements(tb::mm(a, tb::require_grad(tb::clone(b))), plain));
    }
  }
}

TEST_CASE("sparse: gradients of a product of two sparse matrices, twice", "[sparse][operators]") {
  const tensor x = random_matrix(6, 7, dtype::float64, 5), y = random_matrix(7, 5, dtype::float64, 6);
  for (const auto convert :
       {+[](const tensor& t) { return tb::to_sparse(t); }, +[](const tensor& t) { return tb::to_sparse_csr(t); },
        +[](const tensor& t) { return tb::to_sparse_csc(t); }}) {
    const tensor a = tb::require_grad(convert(x)), b = tb::require_grad(convert(y));
    const tensor dx = tb::require_grad(tb::clone(x)), dy = tb::require_grad(tb::clone(y));
    const auto loss_of = [](const tensor& p) { return tb::sum(tb::mul(tb::mul(p, p), p)); };
    const auto masked = [](const tensor& g, const tensor& s) { return tb::values(tb::sparse_mask(g, s)); };
    const auto found = tb::grad({loss_of(tb::mm(a, b))}, {a, b}, {.create_graph = true});
    const auto wanted = tb::grad({loss_of(tb::mm(dx, dy))}, {dx, dy}, {.create_graph = true});
    CHECK(difference(tb::values(found[0]), masked(wanted[0], a), dtype::float64) == "");
    CHECK(difference(tb::values(found[1]), masked(wanted[1], b), dtype::float64) == "");
    // The second gradient speaks of the entries alone, so the dense one is restricted to them before.
    const auto energy = [](const tensor& g, const tensor& h) { return tb::sum(g * g) + tb::sum(h * h); };
    const auto twice = tb::grad({energy(tb::values(found[0]), tb::values(found[1]))}, {a, b});
    const tensor at = tb::detach(a), bt = tb::detach(b);
    const auto second = tb::grad({energy(masked(wanted[0], at), masked(wanted[1], bt))}, {dx, dy});
    CHECK(difference(tb::values(twice[0]), masked(second[0], at), dtype::float64) == "");
    CHECK(difference(tb::values(twice[1]), masked(second[1], bt), dtype::float64) == "");
  }
}

TEST_CASE("sparse: memory follows the entries, not the sizes", "[sparse][operators][property]") {
  constexpr std::int64_t n = std::int64_t{1} << 40;
  // The matrix of rows 3, 5 and 6 of a small one, in rows far apart; and its transpose.
  const tensor low = tb::tensor({{0, 1, 2, 2}, {3, 1, 0, 2}}), values = tb::tensor({1.f, 2.f, 3.f, -4.f});
  const tensor rows = tb::tensor({{7, 9, n - 1, n - 1}, {3, 1, 0, 2}});
  const tensor tall = tb::coalesce(tb::sparse_coo_tensor(rows, values, {n, 4})),
               small = tb::coalesce(tb::sparse_coo_tensor(low, values, {3, 4}));
  const tensor three = tb::tensor({7, 9, n - 1});
  const auto compare = [&](const tensor& found, const tensor& wanted) {
    CHECK(found.sizes()[0] == n);
    CHECK(same_elements(tb::index_select(found, 0, three), wanted));
    CHECK(tb::nnz(found) <= 8);
  };
  const tensor other = tb::coalesce(tb::index_select(tall * 2, 1, tb::tensor({3, 1, 2, 0}))),
               beside = tb::coalesce(tb::index_select(small * 2, 1, tb::tensor({3, 1, 2, 0})));
  compare(tb::add(tall, other), tb::to_dense(tb::add(small, beside)));
  compare(tb::sub(tall, other, arg<"alpha"> = 3), tb::to_dense(tb::sub(small, beside, arg<"alpha"> = 3)));
  compare(tb::add(tb::require_grad(tb::clone(tall)), other), tb::to_dense(tb::add(small, beside)));
  compare(tb::mul(tall, other), tb::to_dense(tb::mul(small, beside)));
  for (const std::int64_t dim : {0, 1}) {
    compare(tb::softmax(tall, dim), tb::to_dense(tb::softmax(small, dim)));
    compare(tb::log_softmax(tall, dim), tb::to_dense(tb::log_softmax(small, dim)));
  }
  compare(tb::square(tall), tb::to_dense(tb::square(small)));
  compare(tb::index_select(tall, 1, tb::tensor({0, 1, 2, 3})), tb::to_dense(small));
  const tensor right = tb::to_sparse(tb::tensor({{1.f, 0.f}, {0.f, 2.f}, {3.f, 0.f}, {1.f, 1.f}}));
  compare(tb::mm(tall, right), tb::mm(tb::to_dense(small), tb::to_dense(right)));
  const tensor wide = tb::coalesce(tb::transpose(tall, 0, 1)), wide_small = tb::to_dense(tb::transpose(small, 0, 1));
  CHECK(same_elements(tb::mm(wide, tall), tb::mm(wide_small, tb::to_dense(small))));
  compare(tb::transpose(tb::mm(tb::transpose(right, 0, 1), wide), 0, 1),
          tb::mm(tb::to_dense(small), tb::to_dense(right)));
  const tensor csr = tb::to_sparse_csr(wide);
  CHECK(tb::nnz(tb::mm(tb::to_sparse_csr(tb::eye(4)), csr)) == 4);
  const tensor a = tb::require_grad(tb::clone(tall)), b = tb::require_grad(tb::clone(right));
  const auto g = tb::grad({tb::sum(tb::mm(a, b))}, {a, b});
  compare(g[0], tb::to_dense(tb::sparse_mask(tb::mm(tb::ones({3, 2}), tb::t(tb::to_dense(right))), small)));
  CHECK(tb::nnz(g[1]) == tb::nnz(right));
  // Of three dimensions.
  const tensor deep = tb::unsqueeze(tall, 2), flat = tb::unsqueeze(small, 2);
  compare(tb::add(deep, tb::unsqueeze(other, 2)), tb::to_dense(tb::add(flat, tb::unsqueeze(beside, 2))));
  compare(tb::mul(deep, tb::unsqueeze(other, 2)), tb::to_dense(tb::mul(flat, tb::unsqueeze(beside, 2))));
  // Indices are checked as those of small tensors.
  CHECK(throws<tb::error>([&] { (void)tb::index_select(tall, 0, tb::tensor({n})); }));
  CHECK(throws<tb::error>([&] { (void)tb::index_select(tall, 0, tb::tensor({-1})); }));
  CHECK(throws<tb::error>([&] { (void)tb::index_select(tall, 0, tb::tensor({0.5f})); }));
}

TEST_CASE("sparse: tensors without sparse dimensions reduce their dense ones", "[sparse][operators]") {
  const tensor d = tb::tensor({{1.f, 0.f}, {0.f, 0.f}}), s = tb::to_sparse(d, 0);
  for (const std::int64_t dim : {0, 1}) {
    for (const bool keepdim : {false, true}) CHECK(same(tb::any(s, dim, keepdim), tb::any(d, dim, keepdim)));
  }
}

TEST_CASE("sparse: errors name the operator that was called, and a call that helps", "[sparse][operators]") {
  const tensor s = tb::to_sparse(tb::eye(2)), csr = tb::to_sparse_csr(tb::eye(2)), d = tb::eye(2);
  const struct {
    std::function<void()> run;
    const char* text;
  } all[] = {
      {[&] { tb::bmm(csr, tb::ones({1, 2, 2})); },
       "aten::bmm: found argument 1 'self' of layout sparse_csr, wanted sparse_coo; to_sparse(x) converts"},
      {[&] { tb::pow(2.0, s); },
       "aten::pow.Scalar: in aten::pow.Tensor_Tensor: found a sparse exponent, at whose zeros a power is 1, wanted a "
       "strided one; to_dense(x) makes one"},
      {[&] {
         tensor target = tb::clone(csr);
         tb::copy_(target, d);
       },
       "aten::copy_: found argument 2 'src' of layout strided, wanted sparse_csr as that of self; to_sparse_csr(src) "
       "converts"},
      {[&] { tb::select(s, 0, 2); },
       "aten::select.int: found index 2 for dimension 0 of a tensor [2, 2], wanted -2 to 1"},
      {[&] { tb::sampled_addmm(tb::to_sparse(d, 1), d, d); },
       "aten::sparse_sampled_addmm: found a sparse tensor with dense dimensions, wanted all sparse; "
       "to_sparse(to_dense(x)) makes one"},
      {[&] { tb::linear(s, s, tb::ones({2})); },
       "aten::linear: found a bias for the product of two sparse tensors, wanted none, or a strided input or weight; "
       "to_dense(x) makes one"},
      {[&] { tb::addmm(s, csr, csr, arg<"beta"> = 0); },
       "aten::addmm: found self of layout sparse_coo for a product of layout sparse_csr, wanted that layout; "
       "to_sparse_csr(self) converts"},
      {[&] { tb::zeros({std::numeric_limits<std::int64_t>::max(), 0}, arg<"layout"> = layout::sparse_csr); },
       "aten::zeros: found sizes [9223372036854775807, 0], more elements than 64 bits can count"},
      {[&] { tb::sparse::save_matrix_market("x.mtx", tb::to_sparse(tb::ones({2}))); },
       "save_matrix_market: 'x.mtx': found [2], wanted a matrix"},
      {[&] { tb::sparse_coo_tensor(tb::tensor({{5}}), tb::ones({1}), shape{3}, arg<"device"> = tb::meta); },
       "aten::sparse_coo_tensor.indices_size: found index 5 in dimension 0 of entry 0, wanted 0 to below its size, 3"},
      {[&] {
         tb::sparse_csr_tensor(tb::tensor({0, 7}), tb::tensor({9}), tb::ones({1}), shape{1, 3},
                               arg<"device"> = tb::meta);
       },
       "aten::sparse_csr_tensor.crow_col_value_size: found 7 as last element of crow_indices, wanted the number of "
       "entries, 1"},
  };
  for (const auto& c : all) CHECK(error_of(c.run) == c.text);
}

TEST_CASE("sparse: jvp and vmap take products with sparse tensors, or say what they take", "[sparse][operators]") {
  const tensor s = tb::to_sparse(tb::tensor({{1.f, 2.f}, {0.f, 3.f}}));
  const auto [y, t] = tb::jvp([&](const tensor& x) { return tb::mm(s, x); }, tb::ones({2, 1}), tb::ones({2, 1}));
  CHECK(doubles(t) == std::vector<double>{3, 3});
  CHECK(error_of([&] {
          (void)tb::jvp([&](const tensor& x) { return tb::to_dense(tb::mul(s, x)); }, tb::ones({2, 2}),
                        tb::ones({2, 2}));
        }) ==
        "jvp: found a tensor of layout sparse_coo that was computed from an argument, wanted strided ones; "
        "compute with to_dense(x), or use grad()");
  const std::string batched =
      error_of([&] { (void)tb::vmap([&](const tensor& x) { return tb::mv(s, x); })(tb::ones({3, 2})); });
  CHECK(batched.find("of layout sparse_coo, wanted strided; to_dense(x) makes one") != std::string::npos);
}
