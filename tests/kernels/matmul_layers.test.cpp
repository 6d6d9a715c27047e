// Rules of products as in linear layers: the right-hand matrix is contiguous along depth, and rows may be few. Small
// products compute dot products of rows, large ones the transposed problem if that is cheaper; large matrices are read
// in another order than small ones.
#include "products.h"
#include "support/scale.h"

using namespace kernel_tests;
using tb_kernel::bfloat16;
using tb_kernel::half;

namespace {

// The first `columns` outputs of a row times a matrix whose rows or columns are contiguous.
template <typename E, typename T>
std::vector<T> outputs_of(backend here, const std::vector<E>& row, const std::vector<E>& matrix, extent of,
                          bool along_depth, std::int64_t columns) {
  std::vector<T> out(static_cast<std::size_t>(columns));
  tb_matmul product = plain(out.data(), row.data(), matrix.data(), of, tb_dtype(element<E>::dtype));
  product.out_dtype = dtype_of<T>;
  product.n = columns;
  if (along_depth) product.b_row = 1, product.b_col = of.k;
  CHECK(here.kernels->matmul(&product, nullptr) == TB_OK);
  return out;
}

// Whether a matrix that comes from memory and one that is in a cache give the same bits.
template <typename E, typename T>
bool order_is_invisible(backend here, extent of, bool along_depth) {
  std::vector<E> row, matrix;
  random_numbers random(1);
  for (std::int64_t p = 0; p < of.k; ++p) row.push_back(element<E>::from(random.between(-1, 1)));
  for (std::int64_t i = 0; i < of.k * of.n; ++i) matrix.push_back(element<E>::from(random.between(-1, 1)));
  const auto all = outputs_of<E, T>(here, row, matrix, of, along_depth, of.n);
  const auto first = outputs_of<E, T>(here, row, matrix, of, along_depth, 5);
  return std::memcmp(all.data(), first.data(), first.size() * sizeof(T)) == 0;
}

}  // namespace

TEMPLATE_TEST_CASE("matmul: a right-hand matrix that is contiguous along depth, with what is added and an activation",
                   "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  sampled_cases cases;
  for (const std::int64_t m : {2, 3, 4, 5, 8, 9, 16, 17, 32, 48, 50}) {
    for (const auto [n, k] : {std::pair{5, 33}, {31, 400}, {70, 300}, {130, 9}}) {
      for (const order out : {order::rows, order::columns, order::rows_apart}) {
        for (const order added : {order::rows, order::repeated, order::columns_repeated}) {
          const variant how = {.alpha = 0.5,
                               .beta = -2,
                               .added = plus::other,
                               .added_order = added,
                               .batch = 2,
                               .out = out,
                               .activation = std::int32_t(TB_RELU)};
          const extent of{m, n, k};
          if (cases.is_drawn()) failures += try_matmul<float>(here, of, order::rows, order::columns, how);
          if (cases.is_drawn()) failures += try_matmul<double>(here, of, order::rows, order::columns, how);
          if (cases.is_drawn()) failures += try_matmul<half>(here, of, order::columns, order::columns, how);
          if (cases.is_drawn()) failures += try_matmul<bfloat16, float>(here, of, order::rows, order::columns, how);
        }
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: a few rows times a large matrix", "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  std::string failures;
  for (const std::int64_t m : {1, 3, 7}) {
    for (const order b : {order::rows, order::columns}) {
      failures += try_matmul<float>(here, {m, 1030, 301}, order::rows, b, {});
      failures += try_matmul<double>(here, {m, 1030, 301}, order::rows, b, {});
      failures += try_matmul<bfloat16, float>(here, {m, 2060, 301}, order::rows, b, {});
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: the order in which a large matrix is read does not show in a product with a vector",
                   "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  for (const bool along_depth : {false, true}) {
    CHECK(order_is_invisible<float, float>(here, {1, 500, 700}, along_depth));
    CHECK(order_is_invisible<double, double>(here, {1, 250, 700}, along_depth));
    CHECK(order_is_invisible<half, float>(here, {1, 900, 700}, along_depth));
    CHECK(order_is_invisible<bfloat16, float>(here, {1, 900, 701}, along_depth));
  }
}
