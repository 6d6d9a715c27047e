// Elementwise operators of sparse tensors against those of their images, and what they refuse.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

import topbit;
import topbit.sparse;

#include "operators.h"
#include "sparse_values.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::dtype, tb::layout, tb::tensor;

namespace {

using unary = tensor (*)(const tensor&);
using in_place = tensor& (*)(tensor&);
struct function {
  const char* name;
  unary run;
  in_place write;  // null: there is none
};

#define FUNCTION(name)                                                                                      \
  function {                                                                                                \
    #name, [](const tensor& x) { return tb::name(x); }, [](tensor& x) -> tensor& { return tb::name##_(x); } \
  }
const function functions[] = {
    FUNCTION(abs),
    FUNCTION(asin),
    FUNCTION(asinh),
    FUNCTION(atan),
    FUNCTION(ceil),
    FUNCTION(deg2rad),
    FUNCTION(erf),
    FUNCTION(expm1),
    FUNCTION(floor),
    FUNCTION(frac),
    FUNCTION(log1p),
    FUNCTION(nan_to_num),
    FUNCTION(neg),
    FUNCTION(rad2deg),
    FUNCTION(relu),
    FUNCTION(round),
    FUNCTION(sgn),
    FUNCTION(sign),
    FUNCTION(sin),
    FUNCTION(sinh),
    FUNCTION(sqrt),
    FUNCTION(square),
    FUNCTION(tan),
    FUNCTION(tanh),
    FUNCTION(trunc),
    FUNCTION(atanh),
    FUNCTION(erfinv),
    {"isnan", [](const tensor& x) { return tb::isnan(x); }, nullptr},
    {"isinf", [](const tensor& x) { return tb::isinf(x); }, nullptr},
    {"isposinf", [](const tensor& x) { return tb::isposinf(x); }, nullptr},
    {"isneginf", [](const tensor& x) { return tb::isneginf(x); }, nullptr},
    {"signbit", [](const tensor& x) { return tb::signbit(x); }, nullptr},
    {"pow 2", [](const tensor& x) { return tb::pow(x, 2); }, [](tensor& x) -> tensor& { return tb::pow_(x, 2); }},
};
#undef FUNCTION

const dtype dtypes[] = {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16,
                        dtype::int64,   dtype::int32,   dtype::uint8};

std::string text_of(const tensor& t) { return to_string(t.sizes()) + " " + std::string(name_of(t.layout())); }

}  // namespace

TEST_CASE("sparse: functions that keep zero are those of the elements", "[sparse][operators]") {
  for (const dtype type : dtypes) {
    for (const tensor& s : samples(type)) {
      for (const function& f : functions) {
        // Functions of floating types alone.
        if (!tb::is_floating(type) && std::string_view("frac erfinv").find(f.name) != std::string_view::npos) continue;
        INFO(f.name << " of " << name_of(type) << " " << text_of(s));
        const tensor found = f.run(s);
        CHECK(found.layout() == s.layout());
        CHECK(difference(image(found), f.run(image(s)), type) == "");
        if (f.write == nullptr || found.dtype() != type) continue;
        tensor written = tb::clone(s);
        CHECK(f.write(written).same_as(written));
        CHECK(difference(image(written), image(found), type) == "");
      }
    }
  }
}

TEST_CASE("sparse: linear functions keep entries at one place, others add them", "[sparse][operators]") {
  const tensor s = tb::sparse_coo_tensor(tb::tensor({{0, 0, 2}}), tb::tensor({1.0, 2.0, -4.0}), {3});
  CHECK(doubles(tb::_values(tb::neg(s))) == std::vector<double>{-1, -2, 4});
  CHECK(doubles(tb::_values(s * 2)) == std::vector<double>{2, 4, -8});
  CHECK(doubles(tb::_values(s / 2)) == std::vector<double>{0.5, 1, -2});
  CHECK(doubles(tb::_values(tb::square(s))) == std::vector<double>{9, 16});
  CHECK(tb::is_coalesced(tb::square(s)));
  CHECK_FALSE(tb::is_coalesced(tb::neg(s)));
}

TEST_CASE("sparse: a sum of sparse tensors has the entries of both", "[sparse][operators]") {
  for (const dtype type : dtypes) {
    for (const auto& [a, b] : pairs(type)) {
      INFO(name_of(type) << " " << text_of(a));
      const tensor x = image(a), y = image(b);
      CHECK(same(image(tb::add(a, b)), tb::add(x, y)));
      CHECK(same(image(tb::add(a, b, arg<"alpha"> = 3)), tb::add(x, y, arg<"alpha"> = 3)));
      CHECK(same(image(tb::sub(a, b, arg<"alpha"> = 2)), tb::sub(x, y, arg<"alpha"> = 2)));
      CHECK(tb::add(a, b).layout() == a.layout());
      tensor written = tb::clone(a);
      tb::add_(written, b);
      CHECK(same(image(written), tb::add(x, y)));
      tb::sub_(written, b);
      CHECK(same(image(written), x));
      tensor out = tb::clone(b);
      CHECK(tb::sub(a, b, arg<"out"> = out).same_as(out));
      CHECK(same(image(out), tb::sub(x, y)));
      CHECK(same(image(a * b), x * y));
      CHECK(same(image(tb::mul(a, b, arg<"out"> = out)), x * y));
    }
  }
}

TEST_CASE("sparse: sums of coalesced tensors are coalesced, and cancelled entries stay", "[sparse][operators]") {
  const tensor a = tb::sparse_coo_tensor(tb::tensor({{0, 2}}), tb::tensor({1.0, 2.0}), {4});
  const tensor b = tb::sparse_coo_tensor(tb::tensor({{1, 2}}), tb::tensor({1.0, -2.0}), {4});
  CHECK(tb::is_coalesced(a + b));
  CHECK(integers(tb::indices(a + b)) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(doubles(tb::values(a + b)) == std::vector<double>{1, 1, 0});
  CHECK(doubles(tb::values(a * b)) == std::vector<double>{-4});
}

TEST_CASE("sparse: sums with strided tensors are strided, in both orders", "[sparse][operators]") {
  for (const dtype type : dtypes) {
    for (const tensor& s : samples(type)) {
      INFO(name_of(type) << " " << text_of(s));
      const tensor x = image(s), d = random_tensors(5).values(s.sizes(), type);
      CHECK(same(s + d, x + d));
      CHECK(same(d + s, d + x));
      CHECK(same(tb::add(s, d, arg<"alpha"> = 2), tb::add(x, d, arg<"alpha"> = 2)));
      CHECK(same(d - s, d - x));
      CHECK(same(s - d, x - d));
      tensor written = tb::clone(d);
      tb::add_(written, s, arg<"alpha"> = 3);
      CHECK(same(written, tb::add(d, x, arg<"alpha"> = 3)));
      tb::sub_(written, s);
      CHECK(same(written, tb::add(d, x, arg<"alpha"> = 2)));
      tensor transposed = tb::clone(tb::t(tb::zeros({3, 3}, arg<"dtype"> = type)));
      if (s.sizes() == tb::shape{3, 3}) {
        tb::sub_(transposed, s);
        CHECK(same(tb::contiguous(transposed), tb::zeros({3, 3}, arg<"dtype"> = type) - x));
      }
      tensor out = tb::zeros(s.sizes(), arg<"dtype"> = type);
      tb::sub(d, s, arg<"out"> = out);
      CHECK(same(out, d - x));
    }
  }
  // bool: `or`.
  const tensor s = tb::to(tb::sparse_coo_tensor(tb::tensor({{0, 0}}), tb::tensor({1.0, 1.0}), {2}), dtype::boolean);
  const tensor d = tb::to(tb::tensor({0.0, 1.0}), dtype::boolean);
  CHECK(same(s + d, image(s) + d));
  CHECK(same(image(s + s), image(s) + image(s)));
}

TEST_CASE("sparse: sums of entries at one place are rounded once", "[sparse][operators]") {
  const tensor places = tb::zeros({1, 4096}, arg<"dtype"> = dtype::int64);
  for (const dtype type : {dtype::float16, dtype::bfloat16}) {
    const tensor s = tb::sparse_coo_tensor(places, tb::ones({4096}, arg<"dtype"> = type), {1});
    tensor written = tb::zeros({1}, arg<"dtype"> = type);
    CHECK(doubles(s + written) == std::vector<double>{4096});
    tb::add_(written, s);
    CHECK(doubles(written) == std::vector<double>{4096});
    CHECK(doubles(tb::values(tb::relu(s))) == std::vector<double>{4096});
  }
}

TEST_CASE("sparse: products with strided tensors keep the pattern, and the strided tensor broadcasts",
          "[sparse][operators]") {
  for (const dtype type : dtypes) {
    for (const tensor& s : samples(type)) {
      const tensor x = image(s);
      std::vector<tensor> factors{random_tensors(6).values(s.sizes(), type), tb::tensor(2.0), tb::tensor(3)};
      if (s.dim() > 1) {
        factors.push_back(random_tensors(7).values({s.sizes()[static_cast<std::size_t>(s.dim() - 1)]}, type));
        tb::shape column = s.sizes();
        column[0] = 1;
        factors.push_back(random_tensors(8).values(column, type));
      }
      for (const tensor& d : factors) {
        INFO(name_of(type) << " " << text_of(s) << " * " << to_string(d.sizes()));
        CHECK((s * d).layout() == s.layout());
        CHECK(same(image(s * d), x * d));
        CHECK(same(image(d * s), d * x));
        if ((s * d).dtype() == type) CHECK(tb::nnz(s * d) == tb::nnz(s));
      }
      const tensor divisor = tb::abs(factors[0]) + 1;
      CHECK(difference(image(s / divisor), x / divisor, type) == "");
      CHECK(difference(image(s / 4), x / 4, type) == "");
      tensor written = tb::clone(s);
      tb::mul_(written, factors[0]);
      CHECK(same(image(written), x * factors[0]));
      tb::mul_(written, 2);
      CHECK(same(image(written), x * factors[0] * 2));
      if (tb::is_floating(type)) {
        tb::div_(written, 2);
        CHECK(same(image(written), x * factors[0]));
      }
    }
  }
}

TEST_CASE("sparse: entries at one place are added before they are converted", "[sparse][operators]") {
  const tensor twice = tb::to(tb::sparse_coo_tensor(tb::tensor({{0, 0}}), tb::tensor({1.0, 1.0}), {2}), dtype::boolean);
  const std::vector<double> half{0.5, 0}, two{2, 0};
  CHECK(doubles(image(twice / 2)) == half);
  CHECK(doubles(image(twice * 2)) == two);
  CHECK(doubles(image(tb::deg2rad(twice))) == doubles(tb::deg2rad(image(twice))));
}

TEST_CASE("sparse: quotients are rounded entry by entry", "[sparse][operators]") {
  for (const dtype type : {dtype::float32, dtype::int64}) {
    for (const tensor& s : samples(type)) {
      for (const char* mode : {"floor", "trunc"}) {
        const tensor d = tb::abs(random_tensors(6).values(s.sizes(), type)) + 1;
        CHECK(
            same(image(tb::div(s, 2, arg<"rounding_mode"> = mode)), tb::div(image(s), 2, arg<"rounding_mode"> = mode)));
        tensor written = tb::clone(s);
        tb::div_(written, d, arg<"rounding_mode"> = mode);
        CHECK(same(image(written), tb::div(image(s), d, arg<"rounding_mode"> = mode)));
      }
    }
  }
}

TEST_CASE("sparse: zeros that are not specified meet nothing", "[sparse][operators]") {
  const double inf = std::numeric_limits<double>::infinity();
  const tensor s = tb::sparse_coo_tensor(tb::tensor({{0, 2}}), tb::tensor({1.0, 0.0}), {3});
  const tensor product = tb::to_dense(s * tb::tensor({2.0, inf, inf}));
  const std::vector<double> found = doubles(product);
  CHECK(found[0] == 2);
  CHECK(found[1] == 0);
  CHECK(std::isnan(found[2]));
  const std::vector<double> quotient = doubles(tb::to_dense(s / 0));
  CHECK(quotient[0] == inf);
  CHECK(quotient[1] == 0);
  CHECK(std::isnan(quotient[2]));
  CHECK((tb::to(s, dtype::int64) / 2).dtype() == dtype::float32);
}

TEST_CASE("sparse: zero_ and sub.out work for each layout", "[sparse][operators]") {
  for (const tensor& s : samples(dtype::float32)) {
    INFO(text_of(s));
    tensor written = tb::clone(s), out = tb::clone(s);
    tb::zero_(written);
    CHECK(tb::count_nonzero(image(written)).data_ptr<std::int64_t>()[0] == 0);
    tb::sub(s, s, arg<"out"> = out);
    CHECK(tb::count_nonzero(image(out)).data_ptr<std::int64_t>()[0] == 0);
  }
}

TEST_CASE("sparse: elementwise operators say what they refuse", "[sparse][operators]") {
  const tensor coo = tb::sparse_coo_tensor(tb::tensor({{0, 1}, {1, 0}}), tb::tensor({1.0, 2.0}), {2, 2});
  const tensor csr = tb::to_sparse_csr(coo), csc = tb::to_sparse_csc(coo);
  const tensor wide = tb::sparse_coo_tensor(tb::tensor({{0}, {1}}), tb::tensor({1.0}), {2, 3});
  const tensor dense = tb::zeros({2, 2}, arg<"dtype"> = dtype::float64);
  const tensor on_meta = tb::to(coo, tb::meta);
  struct refused {
    std::function<void()> call;
    const char* text;
  };
  tensor out = tb::clone(coo), strided = tb::clone(dense), ints = tb::to(coo, dtype::int64);
  const refused all[] = {
      {[&] { tb::exp(coo); }, "aten::exp: found argument 1 'self' of layout sparse_coo, wanted strided; to_dense(x) "},
      {[&] { tb::cos(csr); }, "aten::cos: found argument 1 'self' of layout sparse_csr, wanted strided; to_dense(x) "},
      {[&] { tb::sigmoid(csc); }, "aten::sigmoid: found argument 1 'self' of layout sparse_csc, wanted strided; "},
      {[&] { tb::add(coo, 1); },
       "aten::add.Tensor: found a number and a sparse tensor, whose result would be dense, wanted "},
      {[&] { tb::add(coo, csr); }, "aten::add.Tensor: found layouts sparse_coo and sparse_csr, wanted one; "},
      {[&] { tb::mul(csr, csc); }, "aten::mul.Tensor: found layouts sparse_csr and sparse_csc, wanted one; "},
      {[&] { tb::sub(csr, coo); }, "found layouts sparse_csr and sparse_coo, wanted one; to_sparse(x), "},
      {[&] { tb::add(coo, wide); }, "aten::add.Tensor: found sparse tensors of sizes [2, 2] and [2, 3] with 2 and 2 "},
      {[&] { tb::add(dense, wide); }, "aten::add.Tensor: found sizes [2, 2] and, sparse, [2, 3], wanted equal ones"},
      {[&] { tb::add(coo, on_meta); },
       "aten::add.Tensor: found argument 1 'self' on cpu and argument 2 'other' on meta"},
      {[&] { tb::mul(wide, dense); }, "[2, 3]"},
      {[&] { tb::div(coo, coo); }, "aten::div.Tensor: found a sparse divisor, most of whose elements are 0; "},
      {[&] { tb::div(dense, coo); }, "aten::div.Tensor: found a sparse divisor, most of whose elements are 0; "},
      {[&] { tb::pow(coo, 0); }, "aten::pow.Tensor_Tensor: found exponent 0 of a sparse tensor, wanted one above 0"},
      {[&] { tb::pow(csr, -1.0); }, "of a sparse tensor, wanted one above 0: zeros would not stay zero; to_dense(x) "},
      {[&] { tb::pow(coo, dense); }, "aten::pow.Tensor_Tensor: found a sparse tensor with exponents of sizes [2, 2]"},
      {[&] { tb::add_(out, dense); }, "aten::add_.Tensor: found a result of layout strided and a tensor of layout "},
      {[&] { tb::mul_(strided, coo); }, "aten::mul_.Tensor: found a result of layout sparse_coo and a tensor of "},
      {[&] { tb::sub(dense, dense, arg<"out"> = out); }, "aten::sub.out: found a result of layout strided and a "},
      {[&] { tb::sub(wide, wide, arg<"out"> = out); }, "aten::sub.out: found a result of sizes [2, 3] and a tensor "},
      {[&] { tb::sub(coo, coo, arg<"out"> = ints); }, "aten::sub.out: found a result of float32 and a tensor of int64"},
      {[&] { tb::sin_(ints); }, "aten::sin_: found a result of float32 and a tensor of int64 to write it to"},
  };
  for (const refused& r : all) {
    const std::string found = error_of(r.call);
    INFO(found);
    CHECK(found.find(r.text) != std::string::npos);
    // No message lists keys.
    CHECK(found.find("SparseCPU") == std::string::npos);
  }
  CHECK(throws<tb::layout_error>([&] { tb::exp(coo); }));
  CHECK(throws<tb::layout_error>([&] { tb::add(coo, csr); }));
  CHECK(throws<tb::device_error>([&] { tb::add(coo, on_meta); }));
  CHECK(same(image(out), image(coo)));
}
