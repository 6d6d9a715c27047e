// Views and selections of sparse tensors, against the same operators on strided images.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
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

struct sample {
  tb::tensor s, x;  // the tensor and its image
  std::int64_t sparse;
};

// Some coalesced, some with duplicates.
sample some_tensor(random_tensors& random, std::int64_t least_dims = 1) {
  const std::int64_t dims = least_dims + random.below(3), sparse = 1 + random.below(dims);
  const tb::dtype type = random.below(2) == 0 ? tb::dtype::float32 : tb::dtype::int64;
  tb::tensor s = random.coo(random.sizes(dims, 4), sparse, type, random.below(8));
  if (random.below(2) == 0) s = tb::coalesce(s);
  return {s, image(s), sparse};
}

// The result is what the strided operator gives, and its flag does not lie.
void compare(const tb::tensor& found, const tb::tensor& wanted) {
  REQUIRE(found.sizes() == wanted.sizes());
  CHECK(found.dtype() == wanted.dtype());
  CHECK(same(tb::to_dense(found), tb::contiguous(wanted)));
  if (found.layout() != layout::sparse_coo) return;
  const tb::tensor checked = tb::sparse_coo_tensor(tb::_indices(found), tb::_values(found), found.sizes());
  CHECK((!tb::is_coalesced(found) || tb::is_coalesced(checked)));
}

}  // namespace

TEST_CASE("transpose, t, permute, movedim: sparse dimensions among themselves, and dense ones") {
  random_tensors random(11);
  for (int i = 0; i < scaled(100, 20); ++i) {
    const sample a = some_tensor(random, 2);
    const std::int64_t dims = a.s.dim();
    const bool first = random.below(2) == 0;
    const std::int64_t low = first ? 0 : a.sparse, count = first ? a.sparse : dims - a.sparse;
    if (count == 0) continue;
    const std::int64_t d0 = low + random.below(count), d1 = low + random.below(count) - dims;
    compare(tb::transpose(a.s, d0, d1), tb::transpose(a.x, d0, d1));
    std::vector<std::int64_t> order;
    for (std::int64_t d = 0; d < dims; ++d) order.push_back(d);
    std::reverse(order.begin() + low, order.begin() + low + count);
    compare(tb::permute(a.s, order), tb::permute(a.x, order));
  }
  const tb::tensor x = tb::tensor({{1.f, 0.f, 2.f}, {0.f, 3.f, 0.f}}), s = tb::to_sparse(x);
  compare(tb::t(s), tb::t(x));
  CHECK_FALSE(tb::is_coalesced(tb::t(s)));
  CHECK(tb::is_coalesced(tb::permute(s, {0, 1})));
  compare(tb::movedim(s, 0, 1), tb::movedim(x, 0, 1));
  CHECK(tb::_values(tb::t(s)).data() == tb::_values(s).data());
  CHECK(error_of([&] { (void)tb::transpose(tb::to_sparse(x, 1), 0, 1); }) ==
        "aten::transpose.int: found dimension 1 moving to 0 in a tensor with 1 sparse dimensions, wanted sparse and "
        "dense "
        "dimensions to stay apart; to_dense(x) makes a tensor without them");
  CHECK(throws<tb::shape_error>([&] { (void)tb::permute(s, {0, 0}); }));
  CHECK(throws<tb::shape_error>([&] { (void)tb::permute(s, {0}); }));
  CHECK(throws<tb::shape_error>([&] { (void)tb::transpose(s, 0, 2); }));
}

TEST_CASE("t: of CSR is CSC over the same memory, and back") {
  const tb::tensor x = tb::tensor({{1.f, 0.f, 2.f}, {0.f, 3.f, 0.f}}), s = tb::to_sparse_csr(x);
  const tb::tensor t = tb::t(s);
  CHECK(t.layout() == layout::sparse_csc);
  CHECK(t.sizes() == tb::shape{3, 2});
  CHECK(tb::ccol_indices(t).data() == tb::crow_indices(s).data());
  CHECK(tb::row_indices(t).data() == tb::col_indices(s).data());
  CHECK(tb::values(t).data() == tb::values(s).data());
  CHECK(same(tb::to_dense(t), tb::contiguous(tb::t(x))));
  CHECK(tb::t(t).layout() == layout::sparse_csr);
  CHECK(same(tb::to_dense(tb::t(t)), x));
}

TEST_CASE("unsqueeze, squeeze: in every place") {
  random_tensors random(12);
  for (int i = 0; i < scaled(60, 20); ++i) {
    const sample a = some_tensor(random);
    for (std::int64_t d = -a.s.dim() - 1; d <= a.s.dim(); ++d) {
      const tb::tensor u = tb::unsqueeze(a.s, d);
      compare(u, tb::unsqueeze(a.x, d));
      compare(tb::squeeze(u), tb::squeeze(tb::unsqueeze(a.x, d)));
      compare(tb::squeeze(u, d), tb::squeeze(tb::unsqueeze(a.x, d), d));
    }
    compare(tb::squeeze(a.s, 0), tb::squeeze(a.x, 0));
  }
}

TEST_CASE("select, unbind: each index of each dimension; without sparse dimensions strided") {
  random_tensors random(13);
  for (int i = 0; i < scaled(60, 20); ++i) {
    const sample a = some_tensor(random);
    for (std::int64_t d = 0; d < a.s.dim(); ++d) {
      for (std::int64_t j = -a.s.size(d); j < a.s.size(d); ++j) compare(tb::select(a.s, d, j), tb::select(a.x, d, j));
      const std::vector<tb::tensor> found = tb::unbind(a.s, d), wanted = tb::unbind(a.x, d);
      REQUIRE(found.size() == wanted.size());
      for (std::size_t j = 0; j < found.size(); ++j) compare(found[j], wanted[j]);
      compare(a.s[0], a.x[0]);
    }
  }
  CHECK(tb::select(tb::to_sparse(tb::ones({3})), 0, 1).layout() == layout::strided);
  CHECK(error_of([] { (void)tb::select(tb::to_sparse(tb::ones({3, 2})), 0, 3); }) ==
        "aten::select.int: found index 3 for dimension 0 of a tensor [3, 2], wanted -3 to 2");
}

TEST_CASE("select: rows and columns of CSR and CSC are COO vectors") {
  random_tensors random(14);
  for (int i = 0; i < scaled(20, 5); ++i) {
    const tb::tensor x = random.values(random.sizes(2), tb::dtype::float32);
    for (const tb::tensor& s : {tb::to_sparse_csr(x), tb::to_sparse_csc(x)}) {
      for (std::int64_t d = 0; d < 2; ++d) {
        for (std::int64_t j = 0; j < x.size(d); ++j) {
          const tb::tensor found = tb::select(s, d, j);
          CHECK(found.layout() == layout::sparse_coo);
          CHECK(tb::is_coalesced(found));
          compare(found, tb::select(x, d, j));
        }
      }
    }
  }
}

TEST_CASE("slice, narrow: every begin, end and step") {
  random_tensors random(15);
  for (int i = 0; i < scaled(40, 10); ++i) {
    const sample a = some_tensor(random);
    for (std::int64_t d = 0; d < a.s.dim(); ++d) {
      for (int k = 0; k < 8; ++k) {
        const std::int64_t begin = random.below(12) - 6, end = random.below(12) - 6, step = 1 + random.below(3);
        compare(tb::aten::slice_Tensor(a.s, d, begin, end, step), tb::aten::slice_Tensor(a.x, d, begin, end, step));
      }
      compare(tb::aten::slice_Tensor(a.s, d), a.x);
      const std::int64_t length = random.below(a.s.size(d) + 1);
      compare(tb::narrow(a.s, d, a.s.size(d) - length, length), tb::narrow(a.x, d, a.s.size(d) - length, length));
    }
  }
  CHECK(throws<tb::shape_error>([] { (void)tb::aten::slice_Tensor(tb::to_sparse(tb::ones({3})), 0, 0, 3, 0); }));
}

TEST_CASE("index_select: places in any order and number") {
  random_tensors random(16);
  for (int i = 0; i < scaled(60, 20); ++i) {
    const sample a = some_tensor(random);
    for (std::int64_t d = 0; d < a.s.dim(); ++d) {
      std::vector<std::int64_t> places;
      for (std::int64_t count = random.below(6); count > 0; --count) places.push_back(random.below(a.s.size(d)));
      const tb::tensor index = tb::from_values(places, {static_cast<std::int64_t>(places.size())});
      compare(tb::index_select(a.s, d, index), tb::index_select(a.x, d, index));
    }
  }
  const tb::tensor s = tb::to_sparse(tb::ones({3, 2}));
  CHECK(throws<tb::error>([&] { (void)tb::index_select(s, 0, tb::tensor({3})); }));
  CHECK(throws<tb::error>([&] { (void)tb::index_select(s, 0, tb::tensor({0.5f})); }));
  CHECK(tb::is_coalesced(tb::index_select(s, 0, tb::tensor({0, 2}))));
  CHECK_FALSE(tb::is_coalesced(tb::index_select(s, 0, tb::tensor({2, 0}))));
}

TEST_CASE("cat, stack: along sparse and dense dimensions") {
  random_tensors random(17);
  for (int i = 0; i < scaled(60, 20); ++i) {
    const sample a = some_tensor(random);
    for (std::int64_t d = 0; d < a.s.dim(); ++d) {
      std::vector<tb::tensor> parts{a.s}, images{a.x};
      for (std::int64_t count = random.below(3); count > 0; --count) {
        tb::shape sizes = a.s.sizes();
        sizes[d] = 1 + random.below(3);
        parts.push_back(random.coo(sizes, a.sparse, a.s.dtype(), random.below(5)));
        images.push_back(image(parts.back()));
      }
      compare(tb::cat(parts, d), tb::cat(images, d));
      const std::array both{a.s, a.s}, both_images{a.x, a.x};
      compare(tb::stack(both, d), tb::stack(both_images, d));
    }
  }
  const tb::tensor s = tb::to_sparse(tb::ones({2, 2}));
  const std::array coalesced{s, s}, mixed{s, tb::ones({2, 2})}, sizes{s, tb::to_sparse(tb::ones({2, 3}))},
      splits{s, tb::to_sparse(tb::ones({2, 2}), 1)};
  CHECK(tb::is_coalesced(tb::cat(coalesced, 0)));
  CHECK(error_of([&] { (void)tb::cat(mixed, 0); }) ==
        "aten::cat: found tensors[1] of layout strided, wanted sparse_coo; to_sparse(x) converts");
  CHECK(error_of([&] { (void)tb::cat(sizes, 0); }) ==
        "aten::cat: found tensors[1] of sizes [2, 3], wanted those of tensors[0], [2, 2], except in dimension 0");
  CHECK(error_of([&] { (void)tb::cat(splits, 0); }) ==
        "aten::cat: found tensors[1] with 1 sparse dimensions, wanted 2 as tensors[0] has");
}

TEST_CASE("devices: tensors on two are refused by name") {
  const tb::tensor s = tb::to_sparse(tb::ones({2, 2}));
  const std::array two{s, tb::to(s, tb::meta)};
  CHECK(throws<tb::device_error>([&] { (void)tb::cat(two, 0); }));
  CHECK(throws<tb::device_error>([&] { (void)tb::index_select(s, 0, tb::to(tb::tensor({0}), tb::meta)); }));
  CHECK(throws<tb::device_error>([&] { (void)tb::equal(s, two[1]); }));
}
