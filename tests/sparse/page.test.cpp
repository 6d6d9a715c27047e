// The programs of docs/sparse.md.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <sstream>
#include <string>

import topbit;
import topbit.sparse;

namespace tb = topbit;

namespace {

// Cubes of the entries: an operator of a user.
tb::tensor cubes(const tb::tensor& s) {
  const tb::tensor x = tb::sparse::coalesced(s);  // entries at one place are one number
  const tb::tensor v = tb::sparse::values_of(x);  // strided, with history
  return tb::sparse::with_values(x, v * v * v);   // the same places
}

}  // namespace

TEST_CASE("page: making and reading a sparse tensor") {
  const tb::tensor places = tb::tensor({{0, 1, 1}, {2, 0, 2}});  // rows, columns
  const tb::tensor s = tb::sparse_coo_tensor(places, tb::tensor({1.f, 2.f, 3.f}), {2, 3});
  const tb::tensor csr = tb::to_sparse_csr(s);
  const tb::tensor dense = tb::to_dense(csr);  // [[0, 0, 1], [2, 0, 3]]

  CHECK(tb::equal(dense, tb::tensor({{0.f, 0.f, 1.f}, {2.f, 0.f, 3.f}})));
  CHECK(tb::equal(tb::crow_indices(csr), tb::tensor({0, 1, 3})));
}

TEST_CASE("page: entries at one place") {
  const tb::tensor twice = tb::sparse_coo_tensor(tb::tensor({{1, 1}}), tb::tensor({0.5f, 0.25f}), {3});
  const bool before = tb::is_coalesced(twice);              // false
  const tb::tensor sums = tb::values(tb::coalesce(twice));  // [0.75]
  const tb::tensor kept = tb::_values(twice);               // [0.5, 0.25]

  CHECK_FALSE(before);
  CHECK(tb::item<float>(sums) == 0.75f);
  CHECK(tb::numel(kept.sizes()) == 2);
}

TEST_CASE("page: gradients") {
  const tb::tensor w = tb::require_grad(tb::to_sparse(tb::tensor({{0.f, 2.f}, {3.f, 0.f}})));
  const tb::tensor loss = tb::sum(tb::to_dense(cubes(w)));
  const tb::tensor g = tb::grad(loss, w);  // sparse, at the places of w

  CHECK(tb::sparse::same_pattern(g, w));
  CHECK(tb::equal(tb::values(g), tb::tensor({12.f, 27.f})));
}

TEST_CASE("page: errors") {
  std::string text;
  try {
    (void)tb::sparse_coo_tensor(tb::tensor({{0, 7}}), tb::tensor({1.f, 2.f}), {3});
  } catch (const tb::shape_error& e) {
    text = e.what();
  }
  CHECK(text ==
        "aten::sparse_coo_tensor.indices_size: found index 7 in dimension 0 of entry 1, wanted 0 to below its size, 3");
}
