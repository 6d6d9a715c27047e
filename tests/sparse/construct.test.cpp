// Constructors: what they accept, and one sentence for each thing that they refuse.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <initializer_list>
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

const tb::tensor two_places = tb::tensor({{0, 1}, {2, 0}});
const tb::tensor two_values = tb::tensor({1.5f, 2.5f});
const tb::tensor crow = tb::tensor({0, 1, 3}), col = tb::tensor({2, 0, 1}), three = tb::tensor({1.f, 2.f, 3.f});

std::string coo_error(const tb::tensor& indices, const tb::tensor& values, const tb::shape& sizes) {
  return error_of([&] { (void)tb::sparse_coo_tensor(indices, values, sizes); });
}
std::string csr_error(const tb::tensor& rows, const tb::tensor& columns, const tb::tensor& values,
                      const tb::shape& sizes) {
  return error_of([&] { (void)tb::sparse_csr_tensor(rows, columns, values, sizes); });
}

}  // namespace

TEST_CASE("sparse_coo_tensor: consists of indices and values, and finds out whether they are in order") {
  const tb::tensor x = tb::sparse_coo_tensor(two_places, two_values, {2, 3});
  CHECK(x.layout() == layout::sparse_coo);
  CHECK(x.sizes() == tb::shape{2, 3});
  CHECK(x.dtype() == tb::dtype::float32);
  CHECK(tb::is_coalesced(x));
  CHECK(tb::nnz(x) == 2);
  CHECK(tb::sparse_dim(x) == 2);
  CHECK(tb::dense_dim(x) == 0);
  CHECK(same(tb::indices(x), two_places));
  CHECK(same(tb::values(x), two_values));
  CHECK(same(tb::to_dense(x), tb::tensor({{0.f, 0.f, 1.5f}, {2.5f, 0.f, 0.f}})));

  const tb::tensor hybrid = tb::sparse_coo_tensor(tb::tensor({{1, 1}}), tb::tensor({{1.f, 2.f}, {3.f, 4.f}}), {3, 2});
  CHECK_FALSE(tb::is_coalesced(hybrid));
  CHECK(tb::dense_dim(hybrid) == 1);
  CHECK(same(tb::to_dense(hybrid), tb::tensor({{0.f, 0.f}, {4.f, 6.f}, {0.f, 0.f}})));
}

TEST_CASE("sparse_coo_tensor: without sizes has the least ones that hold all indices") {
  CHECK(tb::sparse_coo_tensor(two_places, two_values).sizes() == tb::shape{2, 3});
  const tb::tensor none = tb::sparse_coo_tensor(tb::zeros({2, 0}, arg<"dtype"> = tb::dtype::int64), tb::zeros({0, 4}));
  CHECK(none.sizes() == tb::shape{0, 0, 4});
  CHECK(tb::sparse_coo_tensor({3, 4}, arg<"dtype"> = tb::dtype::float64).sizes() == tb::shape{3, 4});
  CHECK(tb::nnz(tb::sparse_coo_tensor({3, 4})) == 0);
}

TEST_CASE("sparse_coo_tensor: takes a number as one value, no sparse dimension, and any integers as indices") {
  const tb::tensor one = tb::sparse_coo_tensor(tb::tensor({{1}, {0}}), tb::tensor(2.0f), {2, 2});
  CHECK(tb::nnz(one) == 1);
  const tb::tensor all = tb::sparse_coo_tensor(tb::zeros({0, 2}, arg<"dtype"> = tb::dtype::int64),
                                               tb::tensor({{1.f, 2.f}, {3.f, 4.f}}), {2});
  CHECK(tb::sparse_dim(all) == 0);
  CHECK(same(tb::to_dense(all), tb::tensor({4.f, 6.f})));
  for (const tb::dtype type : {tb::dtype::uint8, tb::dtype::int8, tb::dtype::int16, tb::dtype::int32}) {
    const tb::tensor x = tb::sparse_coo_tensor(tb::to(two_places, type), two_values, {2, 3});
    CHECK(tb::indices(x).dtype() == tb::dtype::int64);
    CHECK(same(tb::indices(x), two_places));
  }
}

TEST_CASE("sparse_coo_tensor: dtype and device convert the values") {
  const tb::tensor x = tb::sparse_coo_tensor(two_places, two_values, {2, 3}, arg<"dtype"> = tb::dtype::float64);
  CHECK(x.dtype() == tb::dtype::float64);
  const tb::tensor y = tb::sparse_coo_tensor(two_places, two_values, {2, 3}, arg<"device"> = tb::meta);
  CHECK(y.device() == tb::meta);
  CHECK(tb::nnz(y) == 2);
}

TEST_CASE("sparse_coo_tensor: its indices are a copy that cannot be written, so they stay valid") {
  const tb::tensor given = tb::clone(two_places);
  const tb::tensor x = tb::sparse_coo_tensor(given, two_values, {2, 3});
  tb::tensor writable = given;
  tb::fill_(writable, 100);
  CHECK(same(tb::indices(x), two_places));
  CHECK(throws<tb::error>([&] {
    tb::tensor own = tb::indices(x);
    tb::fill_(own, 100);
  }));
  CHECK(same(tb::indices(x), two_places));
}

TEST_CASE("sparse_coo_tensor: refuses invalid parts, in a sentence each") {
  CHECK(coo_error(tb::tensor({{0, 2}, {2, 0}}), two_values, {2, 3}) ==
        "aten::sparse_coo_tensor.indices_size: found index 2 in dimension 0 of entry 1, wanted 0 to below its size, 2");
  CHECK(
      coo_error(tb::tensor({{0, 1}, {2, -1}}), two_values, {2, 3}) ==
      "aten::sparse_coo_tensor.indices_size: found index -1 in dimension 1 of entry 1, wanted 0 to below its size, 3");
  CHECK(coo_error(tb::tensor({{0.f, 1.f}, {2.f, 0.f}}), two_values, {2, 3}) ==
        "aten::sparse_coo_tensor.indices_size: found indices of dtype float32, wanted integers; "
        "to(indices, dtype::int64) converts");
  CHECK(throws<tb::dtype_error>([] { (void)tb::sparse_coo_tensor(tb::tensor({{0.f}}), tb::tensor({1.f}), {2}); }));
  CHECK(throws<tb::dtype_error>([] { (void)tb::sparse_coo_tensor(tb::tensor({{true}}), tb::tensor({1.f}), {2}); }));
  CHECK(coo_error(tb::tensor({0, 1}), two_values, {2}) ==
        "aten::sparse_coo_tensor.indices_size: found indices of sizes [2], wanted 2 dimensions");
  CHECK(coo_error(two_places, three, {2, 3}) ==
        "aten::sparse_coo_tensor.indices_size: found 2 columns of indices and 3 values, wanted as many of both");
  CHECK(
      coo_error(two_places, two_values, {2}) ==
      "aten::sparse_coo_tensor.indices_size: found sizes [2], wanted 2 sparse dimensions, a row of indices each, and 0 "
      "dense ones, as values have");
  CHECK(
      coo_error(tb::tensor({{0, 1}}), tb::ones({2, 3}), {2, 4}) ==
      "aten::sparse_coo_tensor.indices_size: found sizes [2, 4] and values of sizes [2, 3], wanted equal sizes of the "
      "dense dimensions");
  CHECK(coo_error(two_places, two_values, {2, -3}) ==
        "aten::sparse_coo_tensor.indices_size: found sizes [2, -3], wanted none below 0");
  CHECK(coo_error(two_places, two_values, {std::int64_t{1} << 40, std::int64_t{1} << 40}) ==
        "aten::sparse_coo_tensor.indices_size: found sizes [1099511627776, 1099511627776], more elements than 64 bits "
        "can count");
  CHECK(coo_error(tb::to_sparse(tb::ones({2, 2})), two_values, {2, 3}).find("found indices of layout sparse_coo") !=
        std::string::npos);
  CHECK(coo_error(two_places, tb::to_sparse(two_values), {2, 3}).find("found values of layout sparse_coo") !=
        std::string::npos);
  CHECK(coo_error({}, two_values, {2, 3}) ==
        "aten::sparse_coo_tensor.indices_size: found an undefined tensor as indices, wanted one of layout strided");
  CHECK(
      throws<tb::device_error>([] { (void)tb::sparse_coo_tensor(two_places, tb::to(two_values, tb::meta), {2, 3}); }));
  CHECK(throws<tb::layout_error>(
      [] { (void)tb::sparse_coo_tensor(two_places, two_values, {2, 3}, arg<"layout"> = layout::sparse_csr); }));
  CHECK(
      throws<tb::error>([] { (void)tb::sparse_coo_tensor(two_places, two_values, {2, 3}, arg<"pin_memory"> = true); }));
  CHECK(
      error_of([] { (void)tb::sparse_coo_tensor(tb::to(two_places, tb::meta), tb::to(two_values, tb::meta)); }) ==
      "aten::sparse_coo_tensor.indices: found indices on meta, which have no elements to find the sizes from; give the "
      "sizes");
  CHECK(error_of([] { (void)tb::sparse_coo_tensor(tb::tensor({{9223372036854775807}}), tb::tensor({1.f})); }) ==
        "aten::sparse_coo_tensor.indices: found index 9223372036854775807 in dimension 0, more than a size can "
        "hold");
}

TEST_CASE("sparse_coo_tensor: is_coalesced=True is checked") {
  CHECK(tb::is_coalesced(tb::sparse_coo_tensor(two_places, two_values, {2, 3}, arg<"is_coalesced"> = true)));
  const auto claims = [](const tb::tensor& indices) {
    return error_of([&] { (void)tb::sparse_coo_tensor(indices, two_values, {2, 3}, arg<"is_coalesced"> = true); });
  };
  const std::string text =
      "aten::sparse_coo_tensor.indices_size: found is_coalesced=True and entries that repeat a place or are not in "
      "row-major order; leave it out, and coalesce(x) adds and sorts them";
  CHECK(claims(tb::tensor({{0, 0}, {1, 1}})) == text);
  CHECK(claims(tb::tensor({{1, 0}, {1, 1}})) == text);
}

TEST_CASE("sparse_csr_tensor, sparse_csc_tensor: consist of offsets, indices and values") {
  const tb::tensor x = tb::sparse_csr_tensor(crow, col, three, {2, 3});
  CHECK(x.layout() == layout::sparse_csr);
  CHECK(same(tb::crow_indices(x), crow));
  CHECK(same(tb::col_indices(x), col));
  CHECK(same(tb::values(x), three));
  CHECK(tb::nnz(x) == 3);
  CHECK(tb::sparse_dim(x) == 2);
  CHECK(same(tb::to_dense(x), tb::tensor({{0.f, 0.f, 1.f}, {2.f, 3.f, 0.f}})));
  const tb::tensor y = tb::sparse_csc_tensor(crow, col, three, {3, 2});
  CHECK(y.layout() == layout::sparse_csc);
  CHECK(same(tb::ccol_indices(y), crow));
  CHECK(same(tb::row_indices(y), col));
  CHECK(same(tb::to_dense(y), tb::tensor({{0.f, 2.f}, {0.f, 3.f}, {1.f, 0.f}})));
  CHECK(tb::sparse_csr_tensor(crow, col, three).sizes() == tb::shape{2, 3});
  CHECK(tb::sparse_csc_tensor(crow, col, three).sizes() == tb::shape{3, 2});
  const tb::tensor z = tb::sparse_compressed_tensor(tb::to(crow, tb::dtype::int32), tb::to(col, tb::dtype::int32),
                                                    three, {2, 3}, arg<"layout"> = layout::sparse_csr);
  CHECK(tb::col_indices(z).dtype() == tb::dtype::int32);
  CHECK(tb::equal(x, z));
  CHECK(tb::sparse_compressed_tensor(crow, col, three, arg<"layout"> = layout::sparse_csc).sizes() == tb::shape{3, 2});
  CHECK(tb::sparse_csr_tensor(tb::tensor({0}), tb::zeros({0}, arg<"dtype"> = tb::dtype::int64), tb::zeros({0}), {0, 3})
            .sizes() == tb::shape{0, 3});
}

TEST_CASE("sparse_csr_tensor, sparse_csc_tensor: refuse what is not a matrix, in a sentence each") {
  const std::string op = "aten::sparse_csr_tensor.crow_col_value_size: ";
  CHECK(csr_error(tb::tensor({1, 1, 3}), col, three, {2, 3}) ==
        op + "found 1 as first element of crow_indices, wanted 0");
  CHECK(csr_error(tb::tensor({0, 1, 2}), col, three, {2, 3}) ==
        op + "found 2 as last element of crow_indices, wanted the number of entries, 3");
  CHECK(csr_error(tb::tensor({0, 2, 1, 3}), col, three, {3, 3}) ==
        op + "found crow_indices descending to 1 behind row 1, wanted none less than the one before");
  CHECK(csr_error(tb::tensor({0, 9, 3}), col, three, {2, 3}).find("in crow_indices at 1") != std::string::npos);
  CHECK(csr_error(tb::tensor({0, 0, 3}), tb::tensor({0, 1, 1}), three, {2, 2}) ==
        op + "found 3 entries in row 1, wanted at most one for each of 2 columns");
  CHECK(csr_error(crow, tb::tensor({2, 0, 3}), three, {2, 3}) ==
        op + "found 3 in col_indices at entry 2 of row 1, wanted 0 to below the number of columns, 3");
  CHECK(csr_error(crow, tb::tensor({-1, 0, 2}), three, {2, 3}) ==
        op + "found -1 in col_indices at entry 0 of row 0, wanted 0 to below the number of columns, 3");
  CHECK(csr_error(crow, tb::tensor({2, 1, 0}), three, {2, 3}) ==
        op + "found 0 in col_indices at entry 2 of row 1, which is not greater than the one before, wanted them to "
             "ascend without repetition in each row");
  CHECK(csr_error(crow, tb::tensor({2, 1, 1}), three, {2, 3}).find("found 1 in col_indices at entry 2") !=
        std::string::npos);
  CHECK(csr_error(crow, col, two_values, {2, 3}) ==
        op + "found 3 elements in col_indices and 2 values, wanted as many of both");
  CHECK(csr_error(crow, col, three, {3, 3}) ==
        op + "found sizes [3, 3] and 3 elements in crow_indices, wanted one more than there are rows");
  CHECK(csr_error(crow, col, three, {2, 3, 1}) == op + "found sizes [2, 3, 1], wanted those of a matrix");
  CHECK(csr_error(crow, col, three, {2, -1}) == op + "found sizes [2, -1], wanted none below 0");
  CHECK(csr_error(tb::unsqueeze(crow, 0), col, three, {2, 3}) ==
        op + "found crow_indices of sizes [1, 3], wanted 1 dimension");
  CHECK(csr_error(crow, col, tb::ones({3, 1}), {2, 3}) == op + "found values of sizes [3, 1], wanted 1 dimension");
  CHECK(csr_error(tb::zeros({0}, arg<"dtype"> = tb::dtype::int64), col, three, {0, 3}) ==
        op + "found an empty crow_indices, wanted at least one element, 0");
  CHECK(csr_error(tb::to(crow, tb::dtype::int32), col, three, {2, 3}) ==
        op + "found crow_indices of dtype int32 and col_indices of dtype int64, wanted the same dtype; "
             "to(x, dtype::int64) converts");
  CHECK(csr_error(tb::to(crow, tb::dtype::float32), col, three, {2, 3}) ==
        op + "found crow_indices of dtype float32 and col_indices of dtype int64, wanted int32 or int64; "
             "to(x, dtype::int64) converts");
  CHECK(error_of([] { (void)tb::sparse_csc_tensor(crow, tb::tensor({2, 0, 3}), three, {3, 2}); }) ==
        "aten::sparse_csc_tensor.ccol_row_value_size: found 3 in row_indices at entry 2 of column 1, wanted 0 to below "
        "the number of rows, 3");
  CHECK(error_of([] { (void)tb::sparse_compressed_tensor(crow, col, three, {2, 3}); }) ==
        "aten::sparse_compressed_tensor.comp_plain_value_size: found no layout, wanted sparse_csr or sparse_csc");
  CHECK(throws<tb::layout_error>(
      [] { (void)tb::sparse_compressed_tensor(crow, col, three, {2, 3}, arg<"layout"> = layout::sparse_bsr); }));
}

TEST_CASE("accessors: refuse tensors of other layouts") {
  const tb::tensor x = tb::ones({2, 2}), coo = tb::to_sparse(x), csr = tb::to_sparse_csr(x);
  CHECK(error_of([&] { (void)tb::nnz(x); }) ==
        "aten::_nnz: found layout strided, wanted sparse_coo, sparse_csr or sparse_csc; to_sparse(x) converts");
  CHECK(throws<tb::layout_error>([&] { (void)tb::indices(csr); }));
  CHECK(throws<tb::layout_error>([&] { (void)tb::crow_indices(coo); }));
  CHECK(throws<tb::layout_error>([&] { (void)tb::ccol_indices(csr); }));
  CHECK(throws<tb::layout_error>([&] { (void)tb::is_coalesced(csr); }));
  CHECK(throws<tb::layout_error>([&] { (void)tb::values(x); }));
  const tb::tensor twice = tb::sparse_coo_tensor(tb::tensor({{0, 0}}), two_values, {2});
  CHECK(
      error_of([&] { (void)tb::indices(twice); }) ==
      "aten::indices: found a tensor that is not coalesced, wanted one that is; coalesce(x) makes it, _indices(x) and "
      "_values(x) are its entries as they are");
  CHECK(throws<tb::error>([&] { (void)tb::values(twice); }));
  CHECK(same(tb::_values(twice), two_values));
}

// Every tensor that a constructor accepts has the elements that its entries say; everything else is an error.
TEST_CASE("constructors: random indices give an error or a valid tensor", "[fuzz]") {
  random_tensors random(7);
  int made = 0, refused = 0;
  const auto some = [&](std::int64_t count, std::int64_t low, std::int64_t high) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t wild[] = {-1, 1 << 20, INT64_MAX, INT64_MIN};
      all.push_back(random.below(60) == 0 ? wild[random.below(4)] : low + random.below(high - low));
    }
    return all;
  };
  for (int i = 0; i < scaled(4000); ++i) {
    const std::int64_t entries = random.below(6), dims = random.below(4), dense = random.below(2);
    const tb::dtype index = random.below(2) == 0 ? tb::dtype::int64 : tb::dtype::int32;
    tb::shape sizes = random.sizes(dims + dense, 4);
    if (random.below(10) == 0 && !sizes.empty()) sizes[random.below(dims + dense)] = random.below(3) - 1;
    tb::shape value_sizes{random.below(20) == 0 ? entries + 1 : entries};
    for (std::size_t d = static_cast<std::size_t>(dims); d < sizes.size(); ++d)
      value_sizes.push_back(std::max<std::int64_t>(sizes[d], 0));
    const tb::tensor values = random.values(value_sizes, tb::dtype::float32);
    try {
      const tb::tensor places = tb::from_values(some(dims * entries, 0, 4), {dims, entries});
      const tb::tensor x =
          random.below(3) == 0 ? tb::sparse_coo_tensor(places, values) : tb::sparse_coo_tensor(places, values, sizes);
      ++made;
      if (tb::numel(x.sizes()) > 1 << 16) continue;
      REQUIRE(same(tb::to_dense(x), image(x)));
      REQUIRE(same(tb::to_dense(tb::coalesce(x)), image(x)));
    } catch (const tb::error&) {
      ++refused;
    }
    try {
      const std::int64_t lines = random.below(4);
      std::vector<std::int64_t> offsets = some(lines + 1, 0, entries + 1);
      if (random.below(2) == 0) std::ranges::sort(offsets);
      if (random.below(4) != 0) {
        offsets.front() = 0;
        offsets.back() = entries;
      }
      const tb::tensor begin = tb::to(tb::from_values(offsets, {lines + 1}), index);
      const tb::tensor plain = tb::to(tb::from_values(some(entries, 0, 4), {entries}), index);
      const tb::tensor held = random.values({entries}, tb::dtype::float32);
      const layout how = random.below(2) == 0 ? layout::sparse_csr : layout::sparse_csc;
      const tb::shape matrix = how == layout::sparse_csr ? tb::shape{lines, 4} : tb::shape{4, lines};
      const tb::tensor x = random.below(3) == 0
                               ? tb::sparse_compressed_tensor(begin, plain, held, arg<"layout"> = how)
                               : tb::sparse_compressed_tensor(begin, plain, held, matrix, arg<"layout"> = how);
      ++made;
      if (tb::numel(x.sizes()) > 1 << 16) continue;
      REQUIRE(same(tb::to_dense(x), image(x)));
    } catch (const tb::error&) {
      ++refused;
    }
  }
  CHECK(made > 0);
  CHECK(refused > 0);
}
