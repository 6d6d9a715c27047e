// The table of article.h with functions that compute, called with tensors of every layout that there is: strided,
// without elements, sparse and, where the library is built with it, oneDNN's. Then the library's own zero_ and sub.out.
#include <catch2/catch_test_macros.hpp>

#include "layouts.h"

namespace {

namespace tables = tb::tables;

tb::tensor& zero_strided(tb::tensor& self) { return tb::fill_(self, 0); }
tb::tensor& zero_meta(tb::tensor& self) { return self; }

// The result has no entries, as that of PyTorch.
tb::tensor& zero_sparse(tb::tensor& self) {
  const tb::tensor none = tb::zeros({tb::sparse_dim(self), 0}, tb::arg<"dtype"> = tb::dtype::int64);
  tb::sparse::replace(self, tb::sparse::coo_of(none, tb::zeros({0}), self.sizes(), true));
  return self;
}

tb::tensor& sub_strided(const tb::tensor& self, const tb::tensor& other, const tb::scalar& alpha, tb::tensor& out) {
  return tb::add(self, other, tb::arg<"alpha"> = -alpha.to<double>(), tb::arg<"out"> = out);
}

// All entries of both; the places of both are added.
tb::tensor& sub_sparse_out(const tb::tensor& self, const tb::tensor& other, const tb::scalar& alpha, tb::tensor& out) {
  const tb::tensor indices = tb::cat({tb::_indices(self), tb::_indices(other)}, 1);
  const tb::tensor values = tb::cat({tb::_values(self), tb::mul(tb::_values(other), -alpha.to<double>())}, 0);
  const tb::tensor both = tb::sparse::coo_of(indices, values, self.sizes(), false);
  tb::sparse::replace(out, tb::sparse::coalesced(both));
  return out;
}

tb::tensor sub_sparse(const tb::tensor& self, const tb::tensor& other, const tb::scalar& alpha) {
  tb::tensor out = tb::clone(self);
  return sub_sparse_out(self, other, alpha, out);
}

tb::tensor sub_shape(const tb::tensor& self, const tb::tensor&, const tb::scalar&) { return tb::empty_like(self); }

using tables::named;
const auto registered =
    tables::library_from<article::list, named<"zero_", &zero_strided>, named<"zero_meta_", &zero_meta>,
                         named<"zero_sparse_", &zero_sparse>, named<"mkldnn_zero_", &layouts::zero_mkldnn>,
                         named<"sub_out", &sub_strided>, tables::shape<"sub.out", &sub_shape>,
                         named<"sub_out_sparse", &sub_sparse_out>, named<"sub_sparse", &sub_sparse>>("article");

constexpr auto article_zero_ = tables::op_of<article::list, "zero_">;
constexpr auto article_sub_out = tables::op_of<article::list, "sub.out">;

tb::tensor sparse(double a, double b) {
  return tb::sparse_coo_tensor(tb::tensor({{0, 1}, {1, 0}}), tb::to(tb::tensor({a, b}), tb::dtype::float32), {2, 2});
}

bool equal(const tb::tensor& found, const tb::tensor& wanted) { return tb::equal(tb::to_dense(found), wanted); }

// Zeros a tensor of each layout, and looks at its elements where it has some.
template <class Zero>
void zero_each_layout(Zero zero) {
  const tb::tensor zeros = tb::zeros({2, 2});
  tb::tensor strided = tb::ones({2, 2}), meta = tb::ones({2, 2}, tb::arg<"device"> = tb::meta), coo = sparse(1, 2);
  zero(strided);
  zero(meta);
  zero(coo);
  CHECK(equal(strided, zeros));
  CHECK(meta.sizes() == tb::shape{2, 2});
  CHECK(tb::nnz(coo) == 0);
  CHECK(equal(coo, zeros));
  for (tb::tensor& t : layouts::of_mkldnn(tb::ones({2, 2}))) {
    zero(t);
    CHECK(t.layout() == tb::layout::mkldnn);
    CHECK(equal(t, zeros));
  }
}

template <class Sub>
void sub_each_layout(Sub sub) {
  const tb::tensor wanted = tb::tensor({{0.F, 1.F}, {-5.F, 0.F}});
  const tb::tensor a = tb::to_dense(sparse(5, 1)), b = tb::to_dense(sparse(2, 3));
  tb::tensor strided = tb::zeros({2, 2}), coo = sparse(7, 7);
  tb::tensor meta = tb::zeros({2, 2}, tb::arg<"device"> = tb::meta);
  sub(a, b, 2, strided);
  sub(tb::to(a, tb::meta), tb::to(b, tb::meta), 2, meta);
  sub(sparse(5, 1), sparse(2, 3), 2, coo);
  CHECK(equal(strided, wanted));
  CHECK(meta.sizes() == tb::shape{2, 2});
  CHECK(coo.layout() == tb::layout::sparse_coo);
  CHECK(equal(coo, wanted));
}

template <class Sub>
void sub_mkldnn(Sub sub) {
  for (tb::tensor& x : layouts::of_mkldnn(tb::tensor({{5.F, 1.F}}))) {
    tb::tensor out = tb::zeros({1, 2});
    sub(x, layouts::of_mkldnn(tb::tensor({{2.F, 2.F}})).at(0), out);
    CHECK(equal(out, tb::tensor({{3.F, -1.F}})));
  }
}

}  // namespace

TEST_CASE("tables: zero_ of the article runs on tensors of every layout", "[tables]") {
  zero_each_layout([](tb::tensor& t) { article_zero_(t); });
}

TEST_CASE("tables: sub.out of the article runs on tensors of every layout that it names", "[tables]") {
  sub_each_layout([](const tb::tensor& a, const tb::tensor& b, double alpha, tb::tensor& out) {
    article_sub_out(a, b, alpha, out);
  });
  // It names no function for oneDNN's: that layout's fallback calls the strided one.
  sub_mkldnn([](const tb::tensor& x, const tb::tensor& y, tb::tensor& out) { article_sub_out(x, y, 1, out); });
}

TEST_CASE("tables: the library's zero_ and sub.out run on tensors of every layout", "[tables]") {
  zero_each_layout([](tb::tensor& t) { tb::zero_(t); });
  sub_each_layout([](const tb::tensor& a, const tb::tensor& b, double alpha, tb::tensor& out) {
    tb::sub(a, b, tb::arg<"alpha"> = alpha, tb::arg<"out"> = out);
  });
  sub_mkldnn([](const tb::tensor& x, const tb::tensor& y, tb::tensor& out) { tb::sub(x, y, tb::arg<"out"> = out); });
}
