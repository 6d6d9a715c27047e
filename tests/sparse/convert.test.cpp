// Conversions between layouts, coalescing, copies and printing, against naive images.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/scale.h"

import topbit;
import topbit.sparse;

#include "sparse_values.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::layout;

namespace {

constexpr std::array types{tb::dtype::boolean, tb::dtype::uint8,  tb::dtype::int8,    tb::dtype::int16,
                           tb::dtype::int32,   tb::dtype::int64,  tb::dtype::float16, tb::dtype::bfloat16,
                           tb::dtype::float32, tb::dtype::float64};
constexpr std::array layouts{layout::sparse_coo, layout::sparse_csr, layout::sparse_csc};

// Index by index: what the constructors check, of tensors that operators made.
void check_valid(const tb::tensor& s) {
  if (s.layout() == layout::sparse_coo) {
    const tb::tensor again = tb::sparse_coo_tensor(tb::_indices(s), tb::_values(s), s.sizes());
    CHECK((!tb::is_coalesced(s) || tb::is_coalesced(again)));
  } else if (s.layout() == layout::sparse_csr) {
    CHECK(tb::sparse_csr_tensor(tb::crow_indices(s), tb::col_indices(s), tb::values(s), s.sizes()).layout() ==
          s.layout());
  } else {
    CHECK(tb::sparse_csc_tensor(tb::ccol_indices(s), tb::row_indices(s), tb::values(s), s.sizes()).layout() ==
          s.layout());
  }
}

tb::tensor as(const tb::tensor& x, layout how) { return tb::to_sparse(x, arg<"layout"> = how); }

}  // namespace

TEST_CASE("coalesce: each place once, in order, with the sum of its values; itself if it is coalesced") {
  random_tensors random(1);
  for (const tb::dtype type : types) {
    for (int i = 0; i < scaled(20); ++i) {
      const std::int64_t sparse = random.below(4), dense = random.below(2), entries = random.below(20);
      const tb::tensor x = random.coo(random.sizes(sparse + dense), sparse, type, entries);
      const tb::tensor y = tb::coalesce(x);
      CHECK(tb::is_coalesced(y));
      check_valid(y);
      CHECK(same(tb::to_dense(y), image(x)));
      CHECK(same(tb::to_dense(x), image(x)));
      CHECK(tb::coalesce(y).same_as(y));
      CHECK(tb::nnz(y) <= tb::nnz(x));
    }
  }
}

TEST_CASE("coalesce: adds float16 in float32 and rounds once, and bool by or") {
  const tb::tensor places = tb::zeros({1, 4096}, arg<"dtype"> = tb::dtype::int64);
  const tb::tensor ones = tb::ones({4096}, arg<"dtype"> = tb::dtype::float16);
  CHECK(tb::item<float>(tb::values(tb::coalesce(tb::sparse_coo_tensor(places, ones, {1})))) == 4096);
  CHECK(tb::item<float>(tb::to_dense(tb::sparse_coo_tensor(places, ones, {1}))) == 4096);
  const tb::tensor yes = tb::sparse_coo_tensor(tb::tensor({{0, 0}}), tb::tensor({true, true}), {2});
  CHECK(same(tb::to_dense(yes), tb::tensor({true, false})));
}

TEST_CASE("coalesce: many entries, also where places need more than a word") {
  random_tensors random(2);
  for (const tb::shape& sizes : {tb::shape{1000, 1000}, tb::shape{70, 70, 70}}) {
    const tb::tensor x = random.coo(sizes, static_cast<std::int64_t>(sizes.size()), tb::dtype::int64, 50000);
    const tb::tensor y = tb::coalesce(x);
    check_valid(y);
    CHECK(same(tb::to_dense(y), image(x)));
  }
}

TEST_CASE("conversions: from strided to every layout and between them, for every dtype") {
  random_tensors random(3);
  for (const tb::dtype type : types) {
    for (int i = 0; i < scaled(8); ++i) {
      const tb::tensor x = random.values({random.below(6), random.below(6)}, type);
      for (const layout from : layouts) {
        const tb::tensor s = as(x, from);
        CHECK(s.layout() == from);
        check_valid(s);
        CHECK(tb::nnz(s) == tb::sum(tb::ne(x, 0)).data_ptr<std::int64_t>()[0]);
        CHECK(same(tb::to_dense(s), x));
        for (const layout to : layouts) {
          const tb::tensor t = as(s, to);
          CHECK(t.layout() == to);
          check_valid(t);
          CHECK(same(tb::to_dense(t), x));
          CHECK(tb::equal(s, t));
        }
      }
    }
  }
}

TEST_CASE("conversions: entries of an uncoalesced tensor are added, and zeros stay") {
  const tb::tensor x = tb::sparse_coo_tensor(tb::tensor({{1, 0, 1}, {0, 1, 0}}), tb::tensor({1.f, 0.f, 2.f}), {2, 2});
  const tb::tensor csr = tb::to_sparse_csr(x);
  CHECK(same(tb::crow_indices(csr), tb::tensor({0, 1, 2})));
  CHECK(same(tb::col_indices(csr), tb::tensor({1, 0})));
  CHECK(same(tb::values(csr), tb::tensor({0.f, 3.f})));
  CHECK(same(tb::values(tb::to_sparse_csc(csr)), tb::tensor({3.f, 0.f})));
  CHECK(tb::nnz(tb::drop_zeros(csr)) == 1);
  CHECK(same(tb::values(tb::drop_zeros(x)), tb::tensor({3.f})));
}

TEST_CASE("to_sparse: dense dimensions, NaN and negative zero") {
  const tb::tensor x = tb::tensor({{{0.f, 0.f}, {0.f, 5.f}}, {{1.f, 0.f}, {0.f, 0.f}}});
  for (std::int64_t sparse = 0; sparse <= 3; ++sparse) {
    const tb::tensor s = tb::to_sparse(x, sparse);
    CHECK(tb::sparse_dim(s) == sparse);
    CHECK(tb::is_coalesced(s));
    CHECK(same(tb::to_dense(s), x));
  }
  CHECK(tb::sparse_dim(tb::to_sparse(x, arg<"dense_dim"> = 1)) == 2);
  CHECK(tb::nnz(tb::to_sparse(x, 2)) == 2);
  const tb::tensor number = tb::to_sparse(tb::tensor(3.f));
  CHECK(tb::sparse_dim(number) == 0);
  CHECK(same(tb::to_dense(number), tb::tensor(3.f)));
  CHECK(tb::nnz(tb::to_sparse(tb::tensor(0.f))) == 0);
  const tb::tensor odd = tb::to_sparse(tb::tensor({-0.f, NAN, 0.f}));
  CHECK(tb::nnz(odd) == 1);
  CHECK(integers(tb::indices(odd)) == std::vector<std::int64_t>{1});
}

TEST_CASE("conversions: refuse what has no such layout") {
  const tb::tensor x = tb::ones({2, 2, 2});
  CHECK(error_of([&] { (void)tb::to_sparse_csr(x); }) ==
        "aten::to_sparse_csr: found sizes [2, 2, 2], wanted those of a matrix");
  CHECK(error_of([&] { (void)tb::to_sparse_csr(tb::ones({2, 2}), 1); }) ==
        "aten::to_sparse_csr: found dense_dim 1, wanted 0 for sparse_csr");
  CHECK(error_of([&] { (void)tb::to_sparse(x, 4); }) ==
        "aten::to_sparse.sparse_dim: found 4 sparse dimensions for sizes [2, 2, 2], wanted 0 to 3");
  CHECK(error_of([&] { (void)tb::to_sparse(tb::to_sparse(x), 2); }) ==
        "aten::to_sparse.sparse_dim: found a sparse tensor of 3 sparse dimensions, wanted 2 of them; "
        "to_sparse(to_dense(x), n) changes it");
  CHECK(throws<tb::layout_error>([] { (void)tb::to_sparse(tb::ones({2, 2}), arg<"layout"> = layout::sparse_bsr); }));
  CHECK(throws<tb::shape_error>([&] { (void)tb::to_sparse_csr(tb::to_sparse(tb::ones({2, 2}), 1)); }));
}

TEST_CASE("to_dense: in another dtype; of a strided tensor itself") {
  const tb::tensor x = tb::tensor({{1.f, 0.f}, {0.f, 2.f}});
  for (const layout how : layouts) CHECK(same(tb::to_dense(as(x, how), tb::dtype::int32), tb::to(x, tb::dtype::int32)));
  CHECK(tb::to_dense(x).same_as(x));
}

TEST_CASE("copies: clone, to, alias and detach keep layout and entries") {
  random_tensors random(4);
  for (const layout how : layouts) {
    const tb::tensor x = random.values({4, 5}, tb::dtype::float32), s = as(x, how);
    const tb::tensor c = tb::clone(s);
    CHECK(c.layout() == how);
    CHECK(tb::sparse::same_pattern(c, s));
    CHECK(tb::values(c).data() != tb::values(s).data());
    CHECK(same(tb::to_dense(c), x));
    CHECK(tb::values(tb::alias(s)).data() == tb::values(s).data());
    CHECK(same(tb::to_dense(tb::detach(s)), x));
    const tb::tensor d = tb::to(s, tb::dtype::float64);
    CHECK(d.layout() == how);
    CHECK(same(tb::to_dense(d), tb::to(x, tb::dtype::float64)));
    const tb::tensor m = tb::to(s, tb::meta);
    CHECK(m.device() == tb::meta);
    CHECK(m.layout() == how);
    CHECK(tb::nnz(m) == tb::nnz(s));
    CHECK(same(tb::aten::_to_copy(s, arg<"layout"> = layout::strided), x));
  }
  CHECK_FALSE(tb::is_coalesced(tb::clone(tb::sparse_coo_tensor(tb::tensor({{0, 0}}), tb::ones({2}), {2}))));
}

TEST_CASE("copy_: between layouts; a strided source is refused") {
  random_tensors random(5);
  for (const layout to : layouts) {
    for (const layout from : layouts) {
      const tb::tensor x = random.values({4, 5}, tb::dtype::float64), s = as(x, from);
      tb::tensor t = tb::zeros({4, 5}, arg<"layout"> = to);
      const std::uint32_t before = t.version();
      tb::copy_(t, s);
      CHECK(t.layout() == to);
      CHECK(t.version() > before);
      CHECK(same(tb::to_dense(t), tb::to(x, tb::dtype::float32)));
      tb::tensor dense = tb::empty({4, 5});
      tb::copy_(dense, s);
      CHECK(same(dense, tb::to(x, tb::dtype::float32)));
      const std::string conversion = to == layout::sparse_coo   ? "to_sparse"
                                     : to == layout::sparse_csr ? "to_sparse_csr"
                                                                : "to_sparse_csc";
      CHECK(error_of([&] { tb::copy_(t, x); }) == "aten::copy_: found argument 2 'src' of layout strided, wanted " +
                                                      std::string(tb::name_of(to)) + " as that of self; " + conversion +
                                                      "(src) converts");
      CHECK(throws<tb::shape_error>([&] { tb::copy_(t, as(tb::ones({4, 4}), from)); }));
    }
  }
}

TEST_CASE("zero_: a COO tensor loses its entries, a compressed one keeps its pattern; aliases of it see that") {
  for (const layout how : layouts) {
    tb::tensor s = as(tb::tensor({{1.f, 2.f}, {0.f, 3.f}}), how);
    const tb::tensor same_storage = tb::detach(s);
    tb::zero_(s);
    CHECK(same(tb::to_dense(s), tb::zeros({2, 2})));
    CHECK(same(tb::to_dense(same_storage), tb::zeros({2, 2})));
    CHECK(tb::nnz(s) == (how == layout::sparse_coo ? 0 : 3));
  }
}

TEST_CASE("factories: zeros and empty with a layout, and those like a sparse tensor, have no entries") {
  for (const layout how : layouts) {
    for (const tb::tensor& x : {tb::zeros({2, 3}, arg<"layout"> = how, arg<"dtype"> = tb::dtype::int32),
                                tb::empty({2, 3}, arg<"layout"> = how, arg<"dtype"> = tb::dtype::int32),
                                tb::zeros_like(as(tb::ones({2, 3}, arg<"dtype"> = tb::dtype::int32), how)),
                                tb::empty_like(as(tb::ones({2, 3}, arg<"dtype"> = tb::dtype::int32), how))}) {
      CHECK(x.layout() == how);
      CHECK(tb::nnz(x) == 0);
      check_valid(x);
      CHECK(same(tb::to_dense(x), tb::zeros({2, 3}, arg<"dtype"> = tb::dtype::int32)));
    }
    CHECK(same(tb::zeros_like(as(tb::ones({2, 3}), how), arg<"layout"> = layout::strided), tb::zeros({2, 3})));
  }
  CHECK(tb::sparse_dim(tb::zeros_like(tb::to_sparse(tb::ones({2, 3}), 1))) == 1);
  CHECK(throws<tb::shape_error>([] { (void)tb::zeros({2, 3, 4}, arg<"layout"> = layout::sparse_csr); }));
  CHECK(throws<tb::shape_error>([] { (void)tb::zeros({2, -3}, arg<"layout"> = layout::sparse_coo); }));
  CHECK(throws<tb::layout_error>([] { (void)tb::zeros({2, 3}, arg<"layout"> = layout::sparse_bsr); }));
  CHECK(throws<tb::error>([] { (void)tb::ones({2, 3}, arg<"layout"> = layout::sparse_coo); }));
}

TEST_CASE("equal: explicit zeros are as none, duplicates as their sum, whatever the layout") {
  const tb::tensor x = tb::sparse_coo_tensor(tb::tensor({{0, 0, 1}, {1, 1, 0}}), tb::tensor({1.f, 2.f, 0.f}), {2, 2});
  const tb::tensor y = tb::to_sparse(tb::tensor({{0.f, 3.f}, {0.f, 0.f}}));
  CHECK(tb::equal(x, y));
  CHECK(tb::equal(x, tb::to_sparse_csc(y)));
  CHECK(tb::equal(x, tb::to_dense(y)));
  CHECK_FALSE(tb::equal(x, tb::to_sparse(tb::tensor({{0.f, 3.f}, {1.f, 0.f}}))));
  CHECK_FALSE(tb::equal(y, tb::to_sparse(tb::tensor({{3.f, 0.f}, {0.f, 0.f}}))));
  CHECK_FALSE(tb::equal(y, tb::to_sparse(tb::ones({2, 3}))));
  CHECK_FALSE(tb::equal(tb::to_sparse(tb::tensor({NAN})), tb::to_sparse(tb::tensor({NAN}))));
}

TEST_CASE("printing: the parts and the description") {
  const tb::tensor x = tb::to_sparse(tb::tensor({{0.f, 1.5f}, {2.f, 0.f}}));
  CHECK(tb::to_string(x) == "indices:\n[[0, 1],\n [1, 0]]\nvalues:\n[1.5, 2. ]\n(float32 [2, 2] sparse_coo)");
  std::ostringstream text;
  text << tb::to_sparse_csr(x);
  CHECK(text.str() ==
        "crow_indices:\n[0, 1, 2]\ncol_indices:\n[1, 0]\nvalues:\n[1.5, 2. ]\n(float32 [2, 2] sparse_csr)");
  CHECK(tb::to_string(tb::to_sparse_csc(x)).find("row_indices:\n[1, 0]") != std::string::npos);
}

TEST_CASE("readers: make the tensor again from its parts, and check them") {
  const tb::tensor x = tb::tensor({{0.f, 1.5f}, {2.f, 0.f}});
  for (const layout how : layouts) {
    const tb::tensor s = as(x, how);
    auto parts = tb::author::parts_of(s)->parts();
    const auto reader = tb::author::reader_of(how);
    CHECK(same(tb::to_dense(reader({2, 2}, tb::dtype::float32, parts, "")), x));
    CHECK(throws<tb::error>([&] { (void)reader({2, 2}, tb::dtype::float32, parts, "group=32"); }));
    CHECK(throws<tb::dtype_error>([&] { (void)reader({2, 2}, tb::dtype::int32, parts, ""); }));
    CHECK(throws<tb::shape_error>([&] { (void)reader({1, 1}, tb::dtype::float32, parts, ""); }));
    parts.pop_back();
    CHECK(throws<tb::error>([&] { (void)reader({2, 2}, tb::dtype::float32, parts, ""); }));
  }
}

TEST_CASE("operators without a kernel for the layout: an error that names the argument and to_dense") {
  const tb::tensor x = tb::to_sparse(tb::ones({2, 2}));
  CHECK(error_of([&] { (void)tb::cumsum(x, 0); }) ==
        "aten::cumsum: found argument 1 'self' of layout sparse_coo, wanted strided; to_dense(x) makes one");
  CHECK(throws<tb::layout_error>([&] { (void)tb::sort(tb::to_sparse_csr(x)); }));
  CHECK(throws<tb::layout_error>([&] { (void)tb::reshape(x, {4}); }));
}

TEST_CASE("devices: conversions on meta have sizes and no entries") {
  const tb::tensor x = tb::ones({2, 3}, arg<"device"> = tb::meta);
  for (const layout how : layouts) {
    const tb::tensor s = as(x, how);
    CHECK(s.device() == tb::meta);
    CHECK(s.sizes() == tb::shape{2, 3});
    CHECK(tb::to_dense(s).sizes() == tb::shape{2, 3});
  }
}

TEST_CASE("inference mode: conversions make tensors that autograd does not know") {
  const tb::inference_mode mode;
  const tb::tensor x = tb::tensor({{0.f, 1.f}, {2.f, 0.f}});
  for (const layout how : layouts) {
    const tb::tensor s = as(x, how);
    CHECK(tb::is_inference(s));
    CHECK_FALSE(s.keys().contains(tb::key::AutogradCPU));
    CHECK(same(tb::to_dense(tb::clone(s)), x));
  }
}

// A kernel for a layout comes before a composite for all layouts, which would lose its gradient then.
TEST_CASE(
    "registration: no operator with a kernel for a sparse layout is a composite that is differentiated by itself") {
  int found = 0;
  for (const auto& op : tb::dump().operators) {
    const auto has = [&](tb::alias_key key) {
      return std::ranges::any_of(op.kernels, [&](const auto& k) { return k.key == tb::key_target(key); });
    };
    if (!has(tb::key::AnySparse) && !has(tb::key::AnySparseCsr)) continue;
    ++found;
    CAPTURE(op.name);
    CHECK_FALSE(has(tb::key::CompositeImplicitAutograd));
  }
  CHECK(found > 15);
}
