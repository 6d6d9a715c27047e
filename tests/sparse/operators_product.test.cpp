// Products with sparse matrices against those of their images, and what they refuse.
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

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::dtype, tb::layout, tb::tensor;

namespace {

const dtype dtypes[] = {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16,
                        dtype::int64,   dtype::int32,   dtype::uint8};

// Matrices [4, 5] of every layout: several entries at a place, none, one, zeros.
std::vector<tensor> matrices(dtype type) {
  random_tensors random(21);
  const tensor many = random.coo({4, 5}, 2, type, 9), none = random.coo({4, 5}, 2, type, 0),
               one = random.coo({4, 5}, 2, type, 1);
  std::vector<tensor> all{many,
                          tb::coalesce(many),
                          none,
                          one,
                          tb::to_sparse_csr(many),
                          tb::to_sparse_csc(many),
                          tb::to_sparse_csr(none),
                          tb::to_sparse_csc(one)};
  all.push_back(tb::to_sparse_csr(many) * 0);
  const tensor columns = tb::to(tb::tensor({0, 4, 1, 4}), dtype::int32);
  all.push_back(tb::sparse_csr_tensor(tb::to(tb::tensor({0, 2, 2, 3, 4}), dtype::int32), columns,
                                      random.values({4}, type), {4, 5}));
  return all;
}

std::string text_of(const tensor& t) {
  return std::string(name_of(t.dtype())) + " " + std::string(name_of(t.layout()));
}

// As mm_reduce is defined: over the entries of each row.
std::vector<double> reduced(const tensor& s, const tensor& dense, std::string_view how) {
  const tensor c = tb::coalesce(tb::sparse::coo_from(s));
  const std::vector<std::int64_t> places = integers(tb::_indices(c));
  const std::vector<double> held = doubles(tb::_values(c)), d = doubles(dense);
  const std::size_t entries = held.size(), n = static_cast<std::size_t>(dense.sizes()[1]);
  std::vector<double> out(static_cast<std::size_t>(s.sizes()[0]) * n, 0);
  std::vector<std::size_t> count(out.size(), 0);
  for (std::size_t e = 0; e < entries; ++e) {
    for (std::size_t j = 0; j < n; ++j) {
      const double product = held[e] * d[static_cast<std::size_t>(places[entries + e]) * n + j];
      const std::size_t at = static_cast<std::size_t>(places[e]) * n + j;
      double& o = out[at];
      if (how == "amax")
        o = count[at] == 0 ? product : std::max(o, product);
      else if (how == "amin")
        o = count[at] == 0 ? product : std::min(o, product);
      else
        o += product;
      ++count[at];
    }
  }
  for (std::size_t i = 0; how == "mean" && i < out.size(); ++i)
    out[i] /= static_cast<double>(std::max<std::size_t>(count[i], 1));
  return out;
}

}  // namespace

TEST_CASE("sparse products: mm, addmm, mv, linear and matmul are those of the elements", "[sparse][operators]") {
  for (const dtype type : dtypes) {
    random_tensors random(22);
    const tensor right = random.values({5, 3}, type), left = random.values({3, 4}, type),
                 vector = random.values({5}, type), before = random.values({4}, type), added = random.values({3}, type);
    for (const tensor& s : matrices(type)) {
      INFO(text_of(s));
      const tensor x = image(s);
      CHECK(difference(tb::mm(s, right), tb::mm(x, right), type) == "");
      CHECK(difference(tb::mm(left, s), tb::mm(left, x), type) == "");
      CHECK(tb::mm(left, s).is_contiguous());
      CHECK(difference(tb::mv(s, vector), tb::mv(x, vector), type) == "");
      CHECK(difference(tb::matmul(s, vector), tb::matmul(x, vector), type) == "");
      CHECK(difference(tb::matmul(before, s), tb::matmul(before, x), type) == "");
      CHECK(difference(tb::matmul(s, right), tb::matmul(x, right), type) == "");
      CHECK(difference(tb::addmm(added, s, right, arg<"alpha"> = 2, arg<"beta"> = 3),
                       tb::addmm(added, x, right, arg<"alpha"> = 2, arg<"beta"> = 3), type) == "");
      const tensor batch = random.values({2, 3, 5}, type), bias = random.values({4}, type);
      CHECK(difference(tb::linear(batch, s), tb::linear(batch, x), type) == "");
      CHECK(difference(tb::linear(batch, s, bias), tb::linear(batch, x, bias), type) == "");
      CHECK(difference(tb::linear(s, tb::t(right)), tb::mm(x, right), type) == "");
      tensor out = tb::zeros({4, 3}, arg<"dtype"> = type);
      CHECK(tb::mm(s, right, arg<"out"> = out).same_as(out));
      CHECK(difference(out, tb::mm(x, right), type) == "");
      tb::addmm_(out, s, right);
      CHECK(difference(out, tb::mm(x, right) * 2, type) == "");
    }
  }
}

TEST_CASE("sparse products: strides of the strided factor do not matter", "[sparse][operators]") {
  const tensor wide = random_tensors(3).values({3, 10}, dtype::float64);
  const tensor view = tb::t(tb::slice(wide, 1, 0, 10, 2));
  for (const tensor& s : matrices(dtype::float64)) CHECK(same(tb::mm(s, view), tb::mm(image(s), tb::contiguous(view))));
}

TEST_CASE("sparse products: the number of threads changes no bit", "[sparse][operators]") {
  random_tensors random(27);
  const tensor s = tb::to_sparse_csr(random.coo({300, 200}, 2, dtype::float32, 9000)), d = tb::rand({200, 32}),
               e = tb::rand({200, 32}), values = tb::rand({tb::nnz(s)});
  const tensor x = tb::sparse::with_values(s, values),
               far = tb::to_sparse_csr(random.coo({300, 200}, 2, dtype::float32, 7000));
  const auto results = [&] {
    const tensor left = tb::mm(x, d);
    return std::vector<tensor>{left,
                               tb::mm(tb::t(left), x),
                               tb::mm_reduce(x, d, "mean"),
                               tb::mm_reduce(x, d, "amax"),
                               tb::values(tb::sampled_addmm(x, left, tb::t(e))),
                               tb::values(tb::mm(x, tb::t(x))),
                               tb::values(x + far),
                               tb::values(x * far),
                               tb::values(tb::softmax(x, 1)),
                               tb::sum(x, 1)};
  };
  const int before = tb::num_threads();
  tb::set_num_threads(1);
  const std::vector<tensor> alone = results();
  tb::set_num_threads(3);
  const std::vector<tensor> several = results();
  tb::set_num_threads(before);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    INFO("result " << i);
    CHECK(same(alone[i], several[i]));
  }
}

TEST_CASE("sparse products: addmm with beta 0 does not read self", "[sparse][operators]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const tensor s = matrices(dtype::float64)[4], d = random_tensors(1).values({5, 2}, dtype::float64);
  const tensor self = tb::full({4, 2}, nan, arg<"dtype"> = dtype::float64);
  CHECK(same(tb::addmm(self, s, d, arg<"beta"> = 0), tb::mm(s, d)));
}

TEST_CASE("sparse products: what meets zeros alone does not reach the result", "[sparse][operators]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const tensor s = tb::to_sparse_csr(tb::tensor({{1.0, 0.0}, {2.0, 0.0}}));
  CHECK(doubles(tb::mm(s, tb::tensor({{3.0}, {nan}}))) == std::vector<double>{3, 6});
}

TEST_CASE("sparse products: of two sparse matrices are sparse, in the layout of the first", "[sparse][operators]") {
  for (const dtype type : dtypes) {
    random_tensors random(23);
    const tensor b = random.coo({5, 3}, 2, type, 8);
    const std::vector<tensor> seconds{b, tb::coalesce(b), tb::to_sparse_csr(b), tb::to_sparse_csc(b),
                                      tb::to_sparse_csr(random.coo({5, 3}, 2, type, 0))};
    for (const tensor& s : matrices(type)) {
      for (const tensor& second : seconds) {
        INFO(text_of(s) << " @ " << text_of(second));
        const tensor product = tb::mm(s, second);
        CHECK(product.layout() == s.layout());
        CHECK(difference(image(product), tb::mm(image(s), image(second)), type) == "");
        if (product.layout() == layout::sparse_coo) CHECK(tb::is_coalesced(product));
      }
    }
  }
  const tensor a = matrices(dtype::float64)[4], square = tb::mm(a, tb::t(a));
  CHECK(same(image(tb::addmm(square, a, tb::t(a), arg<"beta"> = 2)), image(square) * 3));
}

TEST_CASE("sparse products: bmm multiplies each matrix of a batch", "[sparse][operators]") {
  for (const dtype type : dtypes) {
    random_tensors random(24);
    const tensor s = random.coo({3, 2, 4}, 3, type, 11), d = random.values({3, 4, 5}, type),
                 before = random.values({3, 5, 2}, type);
    for (const tensor& x : {s, tb::coalesce(s), random.coo({3, 2, 4}, 3, type, 0)}) {
      CHECK(difference(tb::bmm(x, d), tb::bmm(image(x), d), type) == "");
      CHECK(difference(tb::bmm(before, x), tb::bmm(before, image(x)), type) == "");
    }
  }
}

TEST_CASE("sparse products: reductions over the entries of a row", "[sparse][operators]") {
  for (const dtype type : {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16}) {
    const tensor dense = random_tensors(25).values({5, 3}, type);
    for (const tensor& s : matrices(type)) {
      for (const char* how : {"sum", "mean", "amax", "amin"}) {
        INFO(text_of(s) << " " << how);
        const tensor wanted = tb::to(tb::from_values(reduced(s, dense, how), {4, 3}), type);
        CHECK(difference(tb::mm_reduce(s, dense, how), wanted, type) == "");
      }
    }
  }
}

TEST_CASE("sparse products: sampled_addmm computes at the places of self alone", "[sparse][operators]") {
  for (const dtype type : {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16}) {
    random_tensors random(26);
    const tensor a = random.values({4, 3}, type), b = random.values({3, 5}, type);
    for (const tensor& s : matrices(type)) {
      INFO(text_of(s));
      const tensor found = tb::sampled_addmm(s, a, b, arg<"beta"> = 2, arg<"alpha"> = 3);
      CHECK(found.layout() == s.layout());
      const tensor places = tb::ne(image(tb::sparse::with_values(s, tb::ones_like(tb::sparse::raw_values(s)))), 0);
      const tensor full = image(s) * 2 + tb::mm(a, b) * 3;
      CHECK(difference(image(found), tb::where(places, full, 0), type) == "");
      tensor out = tb::clone(s);
      tb::sampled_addmm(s, a, b, arg<"out"> = out);
      CHECK(difference(image(out), tb::where(places, image(s) + tb::mm(a, b), 0), type) == "");
    }
  }
}

TEST_CASE("sparse products: say what they refuse", "[sparse][operators]") {
  const tensor s = matrices(dtype::float32)[1], csr = tb::to_sparse_csr(s);
  const tensor d = tb::zeros({5, 3}), wrong = tb::zeros({4, 3}), doubled = tb::to(d, dtype::float64);
  const tensor hybrid = random_tensors(2).coo({4, 5}, 1, dtype::float32, 2);
  const tensor cube = random_tensors(2).coo({2, 4, 5}, 3, dtype::float32, 4);
  struct refused {
    std::function<void()> call;
    const char* text;
  };
  tensor out = tb::zeros({4, 3}), sparse_out = tb::clone(s);
  const refused all[] = {
      {[&] { tb::mm(s, wrong); }, "aten::mm: found sizes [4, 5] and [4, 3], wanted [n, m] and [m, k]"},
      {[&] { tb::mm(csr, doubled); }, "aten::mm: found float32 and float64, wanted one dtype; convert one with to()"},
      {[&] { tb::mm(tb::to(s, dtype::boolean), tb::to(d, dtype::boolean)); }, "aten::mm: found bool, wanted a number"},
      {[&] { tb::mm(s, tb::to(d, tb::meta)); },
       "aten::mm: found argument 1 'self' on cpu and argument 2 'mat2' on meta"},
      {[&] { tb::mm(hybrid, d); }, "aten::mm: found a sparse tensor with 1 sparse dimensions of 2, wanted all sparse"},
      {[&] { tb::mm(cube, d); }, "aten::mm: found sizes [2, 4, 5] and [5, 3]"},
      {[&] { tb::addmm(doubled, csr, d); }, "aten::addmm: found self [5, 3] for the product [4, 3], wanted it to "},
      {[&] { tb::addmm(tb::to(wrong, dtype::float64), csr, d); },
       "aten::addmm: found self of float64 and a product of "},
      {[&] { tb::addmm(tb::to_sparse(wrong), csr, d); }, "aten::addmm: found self of layout sparse_coo for a product "},
      {[&] { tb::bmm(csr, cube); }, "aten::bmm: found argument 1 'self' of layout sparse_csr, wanted sparse_coo"},
      {[&] { tb::bmm(cube, tb::zeros({3, 5, 2})); }, "aten::bmm: found sizes [2, 4, 5] with 3 sparse dimensions and "},
      {[&] { tb::linear(tb::zeros({2, 3}), csr); },
       "aten::linear: found an input of sizes [2, 3] and a weight of [4, 5]"},
      {[&] { tb::mm_reduce(csr, d, "median"); },
       "topbit::mm_reduce: found reduction 'median', wanted sum, mean, amax "},
      {[&] { tb::mm_reduce(d, d, "sum"); },
       "topbit::mm_reduce: found layout strided, wanted sparse_coo, sparse_csr or "},
      {[&] { tb::mm_reduce(tb::to(csr, dtype::int64), tb::to(d, dtype::int64), "amax"); },
       "found int64, wanted a floating dtype"},
      {[&] { tb::sampled_addmm(csr, wrong, d); }, "aten::sparse_sampled_addmm: found sizes [4, 3] and [5, 3]"},
      {[&] { tb::sampled_addmm(d, d, d); }, "aten::sparse_sampled_addmm: found layout strided, wanted sparse_coo"},
      {[&] { tb::mm(s, tb::to_sparse(d), arg<"out"> = out); },
       "aten::mm.out: found a result of layout sparse_coo and a "},
      {[&] { tb::mm(s, d, arg<"out"> = sparse_out); },
       "aten::mm.out: found a result of layout strided and a tensor of "},
      {[&] { tb::baddbmm(cube, cube, cube); },
       "aten::baddbmm: found argument 1 'self' of layout sparse_coo, wanted strided"},
  };
  for (const refused& r : all) {
    const std::string found = error_of(r.call);
    INFO(found);
    CHECK(found.find(r.text) != std::string::npos);
  }
}
