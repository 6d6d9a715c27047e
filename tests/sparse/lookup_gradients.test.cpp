// Sparse gradients of strided tables: their entries, how leaves accumulate them, second gradients, and what is refused.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;
import topbit.sparse;

namespace tb = topbit;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using numbers = std::vector<double>;

namespace {

constexpr tb::dtype f64 = tb::dtype::float64;

tensor index_of(const numbers& all, const tb::shape& sizes) { return tensor_of(all, sizes, tb::dtype::int64); }
tensor table_of(std::int64_t rows) {
  numbers all;
  for (std::int64_t i = 0; i < 2 * rows; ++i) all.push_back(0.25 * static_cast<double>(i) - 1);
  return tb::require_grad(tensor_of(all, {rows, 2}, f64));
}
tensor lookup(const tensor& table, const tensor& indices, std::int64_t padding = -1) {
  return tb::embedding(table, indices, padding, false, true);
}
std::int64_t entries(const tensor& t) { return tb::nnz(t); }

}  // namespace

TEST_CASE("sparse embedding: the gradient has an entry for each index, in their order", "[sparse][embedding]") {
  const tensor table = table_of(5), weights = tensor_of({1, 2, 3, 4, 5, 6}, {3, 2}, f64);
  const tensor g = tb::grad(tb::sum(lookup(table, index_of({3, 0, 3}, {3})) * weights), table);
  CHECK(g.layout() == tb::layout::sparse_coo);
  CHECK(g.sizes() == tb::shape{5, 2});
  CHECK(tb::sparse_dim(g) == 1);
  CHECK_FALSE(tb::is_coalesced(g));
  CHECK(values(tb::_indices(g)) == numbers{3, 0, 3});
  CHECK(values(tb::_values(g)) == numbers{1, 2, 3, 4, 5, 6});
  CHECK(values(tb::to_dense(g)) == numbers{3, 4, 0, 0, 0, 0, 6, 8, 0, 0});
}

TEST_CASE("sparse embedding: equals the strided gradient for any indices and padding", "[sparse][embedding]") {
  const tensor table = table_of(4);
  struct known {
    numbers indices;
    tb::shape sizes;
  };
  for (const auto& [indices, sizes] : {known{{0, 3, 3, 1, 0, 2}, {2, 3}}, known{{2}, {}}, known{{}, {0, 3}}}) {
    for (const std::int64_t padding : {-1, 0, 3}) {
      INFO("indices " << to_string(sizes) << ", padding " << padding);
      const tensor at = index_of(indices, sizes);
      const auto gradient = [&](bool sparse) {
        const tensor rows = tb::embedding(table, at, padding, false, sparse);
        return tb::grad(tb::sum(rows * rows), table);
      };
      const tensor found = gradient(true);
      CHECK(found.layout() == tb::layout::sparse_coo);
      CHECK(values(tb::to_dense(found)) == values(gradient(false)));
      std::int64_t wanted = 0;
      for (const double i : indices) wanted += static_cast<std::int64_t>(i) != padding ? 1 : 0;
      CHECK(entries(found) == wanted);
    }
  }
}

TEST_CASE("sparse embedding: indices may be int32", "[sparse][embedding]") {
  const tensor table = table_of(3);
  const tensor g = tb::grad(tb::sum(lookup(table, tensor_of({2, 1}, {2}, tb::dtype::int32))), table);
  CHECK(values(tb::to_dense(g)) == numbers{0, 0, 1, 1, 1, 1});
}

TEST_CASE("sparse embedding: the indices of a gradient are its own", "[sparse][embedding]") {
  const tensor table = table_of(3);
  tensor at = index_of({2, 1}, {2});
  const tensor rows = lookup(table, at);
  const tensor g = tb::grad(tb::sum(rows), table);
  tb::aten::zero_(at);
  CHECK(values(tb::_indices(g)) == numbers{2, 1});
}

TEST_CASE("sparse lookups: gradients of gradients agree with differences", "[sparse][embedding][gather]") {
  const tensor table = table_of(4), at = index_of({1, 3, 1}, {3}), columns = index_of({1, 0, 0, 1}, {2, 2});
  const auto gradient_of = [](const auto& f) {
    return [f](std::span<const tensor> x) {
      const tb::enable_grad guard;
      const tensor y = f(x[0]);
      return std::vector<tensor>{tb::to_dense(tb::grad(tb::sum(y * y * y), x[0], {.create_graph = true}))};
    };
  };
  for (const std::int64_t padding : {-1, 3}) {
    const auto f = gradient_of([&](const tensor& x) { return lookup(x, at, padding); });
    const tb::check_result found = tb::gradcheck(f, {&table, 1});
    CHECK(found.text == "");
    CHECK(values(f({&table, 1})[0])[2] != 0);
  }
  const auto f = gradient_of([&](const tensor& x) { return tb::gather(x, 1, columns, tb::arg<"sparse_grad"> = true); });
  CHECK(tb::gradcheck(f, {&table, 1}).text == "");
}

TEST_CASE("sparse embedding_bag: equals the strided gradient, without entries of the padding", "[sparse][embedding]") {
  const tensor table = table_of(4), at = index_of({0, 3, 3, 1, 3, 2}, {6}), offsets = index_of({0, 2, 2, 5}, {4});
  const tensor factors = tensor_of({1, -2, 3, 0.5, 4, 2}, {6}, f64);
  for (const std::int64_t mode : {0, 1}) {
    for (const bool ends : {false, true}) {
      for (const std::int64_t padding : {-1, 3}) {
        for (const bool scaled : {false, true}) {
          if (mode == 1 && scaled) continue;
          INFO("mode " << mode << ", ends " << ends << ", padding " << padding << ", scaled " << scaled);
          const auto gradient = [&](bool sparse) {
            const tensor bags =
                std::get<0>(tb::aten::_embedding_bag(table, at, offsets, false, mode, sparse,
                                                     scaled ? std::optional(factors) : std::nullopt, ends, padding));
            return tb::grad(tb::sum(bags * bags), table);
          };
          const tensor found = gradient(true), wanted = gradient(false);
          CHECK(found.layout() == tb::layout::sparse_coo);
          CHECK(entries(found) == (padding < 0 ? 6 : 3));
          CHECK(support::difference(values(tb::to_dense(found)), values(wanted), 1e-14) == "");
        }
      }
    }
  }
}

TEST_CASE("sparse embedding: scale_grad_by_freq is refused", "[sparse][embedding]") {
  const tensor table = table_of(3), at = index_of({1}, {1});
  CHECK(text_of<tb::error>([&] { tb::embedding(table, at, -1, true, true); }) ==
        "aten::embedding: found scale_grad_by_freq=True with sparse=True, wanted one of them");
  CHECK(text_of<tb::error>([&] { tb::aten::embedding_sparse_backward(tb::to_dense(table), at, 3, -1, true); }) ==
        "aten::embedding_sparse_backward: found scale_grad_by_freq=True, wanted False");
  CHECK(text_of<tb::shape_error>([&] { tb::aten::embedding_sparse_backward(table, at, 3, -1, false); }) ==
        "aten::embedding_sparse_backward: found a gradient [3, 2] for indices [1], wanted [1, 2]");
}

TEST_CASE("sparse gather: the gradient has an entry for each element of the index", "[sparse][gather]") {
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, f64));
  const tensor at = index_of({2, 0, 2, 1}, {2, 2}), weights = tensor_of({1, 2, 3, 4}, {2, 2}, f64);
  const tensor g = tb::grad(tb::sum(tb::gather(x, -1, at, tb::arg<"sparse_grad"> = true) * weights), x);
  CHECK(g.layout() == tb::layout::sparse_coo);
  CHECK(tb::sparse_dim(g) == 2);
  CHECK(values(tb::_indices(g)) == numbers{0, 0, 1, 1, 2, 0, 2, 1});
  CHECK(values(tb::_values(g)) == numbers{1, 2, 3, 4});
  CHECK(values(tb::to_dense(g)) == numbers{2, 0, 1, 0, 4, 3});

  const tensor along_rows = index_of({1, 1, 0}, {1, 3});
  const auto gradient = [&](bool sparse) {
    const tensor rows = tb::gather(x, 0, along_rows, tb::arg<"sparse_grad"> = sparse);
    return values(tb::to_dense(tb::grad(tb::sum(rows * rows), x)));
  };
  CHECK(gradient(true) == gradient(false));
}

TEST_CASE("sparse gather: a zero-dimensional tensor has a gradient too", "[sparse][gather]") {
  const tensor x = tb::require_grad(tensor_of({3}, {}, f64));
  const tensor g = tb::grad(tb::gather(x, 0, index_of({0}, {}), tb::arg<"sparse_grad"> = true) * 2, x);
  CHECK(values(tb::to_dense(g)) == numbers{2});
}

TEST_CASE("sparse gradients: a table that was computed gets a strided one, which its history takes", "[sparse][leaf]") {
  const tensor table = table_of(3), exchange = tensor_of({0, 1, 1, 0}, {2, 2}, f64);
  const tensor g = tb::grad(tb::sum(lookup(tb::mm(table, exchange), index_of({1, 1, 2}, {3}))), table);
  CHECK(g.layout() == tb::layout::strided);
  CHECK(values(g) == numbers{0, 0, 2, 2, 1, 1});
  const tensor flat = tb::grad(tb::sum(lookup(tb::reshape(table, {2, 3}), index_of({1}, {1}))), table);
  CHECK(values(flat) == numbers{0, 0, 0, 1, 1, 1});
  const tensor picked = tb::gather(tb::reshape(table, {6}), 0, index_of({4, 4}, {2}), tb::arg<"sparse_grad"> = true);
  CHECK(values(tb::grad(tb::sum(picked), table)) == numbers{0, 0, 0, 0, 2, 0});
}

TEST_CASE("leaf gradients: sparse ones are added out of place", "[sparse][leaf]") {
  const tensor table = table_of(5);
  tb::backward(tb::sum(lookup(table, index_of({1, 2}, {2}))));
  const tensor held = tb::leaf_grad(table);
  CHECK(entries(held) == 2);
  tb::backward(tb::sum(lookup(table, index_of({2, 4}, {2}))));
  CHECK(values(tb::to_dense(held)) == numbers{0, 0, 1, 1, 1, 1, 0, 0, 0, 0});
  const tensor both = tb::leaf_grad(table);
  CHECK(both.layout() == tb::layout::sparse_coo);
  CHECK(values(tb::to_dense(both)) == numbers{0, 0, 1, 1, 2, 2, 0, 0, 1, 1});
}

TEST_CASE("leaf gradients: a sparse one shares nothing with the gradient that it came from", "[sparse][leaf]") {
  const tensor table = table_of(3), seed = tensor_of({1, 2, 3, 4}, {2, 2}, f64);
  tb::backward(lookup(table, index_of({0, 2}, {2})), seed);
  tensor elements = tb::_values(tb::leaf_grad(table));
  elements *= 10;
  CHECK(values(seed) == numbers{1, 2, 3, 4});
}

TEST_CASE("leaf gradients: the number of entries of a sum is bounded by the leaf", "[sparse][leaf]") {
  const tensor table = table_of(4);
  for (int step = 1; step <= 40; ++step) {
    tb::backward(tb::sum(lookup(table, index_of({1, 1, 3}, {3}))));
    CHECK(entries(tb::leaf_grad(table)) <= 8);
  }
  CHECK(values(tb::to_dense(tb::leaf_grad(table))) == numbers{0, 0, 80, 80, 0, 0, 40, 40});

  const tensor other = table_of(2);
  tb::backward(tb::sum(lookup(other, index_of(numbers(9, 1), {9}))));
  CHECK(entries(tb::leaf_grad(other)) == 1);
}

TEST_CASE("leaf gradients: sparse and strided ones add to a strided one, in any order", "[sparse][leaf]") {
  const numbers wanted{0, 0, 2, 2, 1, 1};
  for (const bool sparse_first : {true, false}) {
    INFO("sparse first: " << sparse_first);
    const tensor table = table_of(3);
    for (const bool sparse : {sparse_first, !sparse_first}) {
      tb::backward(tb::sum(tb::embedding(table, index_of({1, 2}, {2}), sparse ? 2 : -1, false, sparse)));
    }
    CHECK(tb::leaf_grad(table).layout() == tb::layout::strided);
    CHECK(values(tb::leaf_grad(table)) == wanted);
  }
  // in one graph
  const tensor table = table_of(3);
  tb::backward(tb::sum(lookup(table, index_of({1, 1}, {2}))) + tb::sum(table));
  CHECK(values(tb::leaf_grad(table)) == numbers{1, 1, 3, 3, 1, 1});
}

TEST_CASE("leaf gradients: a sparse one can be set and dropped", "[sparse][leaf]") {
  const tensor table = table_of(3);
  const tensor g = tb::sparse_coo_tensor(index_of({1}, {1, 1}), tensor_of({5, 6}, {1, 2}, f64), tb::shape{3, 2});
  tb::set_leaf_grad(table, g);
  CHECK(values(tb::to_dense(tb::leaf_grad(table))) == numbers{0, 0, 5, 6, 0, 0});
  tb::zero_grad(table);
  CHECK_FALSE(tb::leaf_grad(table).defined());
}

TEST_CASE("gradcheck: the inputs of a sparse tensor are its values, and a gradient has its pattern",
          "[sparse][check]") {
  const tensor twice =
      tb::sparse_coo_tensor(index_of({1, 0, 1, 2, 0, 2}, {2, 3}), tensor_of({0.5, 2, 0.25}, {3}, f64), tb::shape{2, 3});
  const tensor s = tb::require_grad(tb::coalesce(twice)), c = tb::require_grad(tb::to_sparse_csr(twice));
  const auto f = [weights = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, f64)](std::span<const tensor> x) {
    const tensor dense = tb::to_dense(x[0]);
    return std::vector<tensor>{tb::sum(dense * dense * weights)};
  };
  for (const tensor& x : {s, c}) {
    CHECK(tb::gradcheck(f, {&x, 1}).text == "");
    CHECK(tb::gradgradcheck(f, {&x, 1}).text == "");
  }
  // a gradient has each place once
  tb::require_grad(twice);
  CHECK(tb::gradcheck(f, {&twice, 1}).text ==
        "input 1: the gradient of result 1, element 0, has entries at other places than the input, wanted its pattern");
}
