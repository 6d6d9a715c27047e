// Rules of products of bfloat16 matrices, which some processors compute by pairs of elements.
#include "products.h"
#include "support/scale.h"
#include "threads/parallel.h"

using namespace kernel_tests;
using tb_kernel::bfloat16;

namespace {

// One size of each algorithm, with odd and even depths.
const std::vector<extent> sizes = {{1, 70, 33}, {1, 9, 2100}, {13, 9, 7},     {16, 70, 130}, {3, 5, 8229},
                                   {6, 35, 65}, {37, 71, 34}, {30, 40, 1601}, {130, 75, 600}};

bfloat16 rounded(double x) { return tb_kernel::to_bfloat16(float(x)); }
double value(bfloat16 x) { return double(tb_kernel::to_float(x)); }

// Operands in memory that starts at any element, and a float32 result.
struct product_of {
  extent of;
  strides a_is, b_is;
  std::vector<bfloat16> a, b;
  std::vector<float> out;

  product_of(extent size, order a_order, order b_order)
      : of(size),
        a_is(lay_out(a_order, of.m, of.k)),
        b_is(lay_out(b_order, of.k, of.n)),
        a(std::size_t(a_is.count) + 1),
        b(std::size_t(b_is.count) + 1),
        out(std::size_t(of.m * of.n)) {}
  bfloat16& left(std::int64_t i, std::int64_t p, std::int64_t skipped = 0) {
    return a[std::size_t(skipped + a_is.first + i * a_is.row + p * a_is.col)];
  }
  bfloat16& right(std::int64_t p, std::int64_t j, std::int64_t skipped = 0) {
    return b[std::size_t(skipped + b_is.first + p * b_is.row + j * b_is.col)];
  }
  template <class Left, class Right>
  void fill(Left left_of, Right right_of, std::int64_t skipped = 0) {
    for (std::int64_t p = 0; p < of.k; ++p) {
      for (std::int64_t i = 0; i < of.m; ++i) left(i, p, skipped) = left_of(i, p);
      for (std::int64_t j = 0; j < of.n; ++j) right(p, j, skipped) = right_of(p, j);
    }
  }
  void run(backend here, std::int64_t skipped = 0) {
    tb_matmul product =
        plain(out.data(), &a[std::size_t(skipped + a_is.first)], &b[std::size_t(skipped + b_is.first)], of, TB_BF16);
    product.out_dtype = TB_F32;
    product.a_row = a_is.row;
    product.a_col = a_is.col;
    product.b_row = b_is.row;
    product.b_col = b_is.col;
    REQUIRE(here.kernels->matmul(&product, nullptr) == TB_OK);
  }
};

template <class Test>
void for_each_layout(Test test) {
  sampled_cases cases;
  for (const extent of : sizes) {
    for (const order a : {order::rows, order::columns, order::rows_apart}) {
      for (const order b : {order::rows, order::columns, order::backwards}) {
        if (cases.is_drawn()) test(product_of(of, a, b));
      }
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("matmul of bfloat16: the error is that of float32, and numbers below 2^-126 may be zeros",
                   "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  for (const int exponent : {0, -60, -64, -128}) {
    for_each_layout([&](product_of product) {
      random_numbers random(1);
      const auto any = [&](std::int64_t, std::int64_t) { return rounded(std::ldexp(random.between(-9, 9), exponent)); };
      product.fill(any, any);
      product.run(here);
      const extent& of = product.of;
      const double flushed = 4 * double(of.k) * 0x1p-126 * std::max(1.0, std::ldexp(9, exponent));
      for (std::int64_t i = 0; i < of.m; ++i) {
        for (std::int64_t j = 0; j < of.n; ++j) {
          const auto [sum, magnitude] = oracle::sum_of<long double>(of.k, [&](std::int64_t p) {
            return static_cast<long double>(value(product.left(i, p))) * value(product.right(p, j));
          });
          const double found = product.out[std::size_t(i * of.n + j)];
          REQUIRE(std::fabs(found - double(sum)) <=
                  ulps<float>(4 + std::sqrt(double(of.k)), magnitude) + static_cast<long double>(flushed));
        }
      }
    });
  }
}

// Equal rows of a and equal columns of b: every element of the result is one and the same number.
TEMPLATE_TEST_CASE("matmul of bfloat16: an element does not depend on its position, alignment or threads", "[kernels]",
                   scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  const int32_t before = tb_cpu_threads();
  for_each_layout([&](product_of product) {
    float first = 0;
    for (const std::int64_t skipped : {0, 1}) {
      random_numbers random(2);
      std::vector<double> row, column;
      for (std::int64_t p = 0; p < product.of.k; ++p) {
        row.push_back(random.between(-1, 1));
        column.push_back(random.between(-1, 1));
      }
      product.fill([&](std::int64_t, std::int64_t p) { return rounded(row[std::size_t(p)]); },
                   [&](std::int64_t p, std::int64_t) { return rounded(column[std::size_t(p)]); }, skipped);
      for (const int32_t threads : {1, 3}) {
        tb_cpu_set_threads(threads);
        product.run(here, skipped);
        if (skipped == 0 && threads == 1) first = product.out[0];
        CHECK(std::ranges::all_of(product.out, [&](float x) { return std::memcmp(&x, &first, sizeof x) == 0; }));
      }
    }
  });
  tb_cpu_set_threads(before);
}

TEMPLATE_TEST_CASE("matmul of bfloat16: infinity and NaN reach their rows and columns and no others", "[kernels]",
                   scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  for_each_layout([&](product_of product) {
    const extent& of = product.of;
    const auto one = [](std::int64_t, std::int64_t) { return rounded(1); };
    product.fill(one, one);
    product.left(of.m / 2, of.k - 1) = rounded(INFINITY);
    product.right(of.k / 2, of.n / 2) = rounded(NAN);
    product.run(here);
    for (std::int64_t i = 0; i < of.m; ++i) {
      for (std::int64_t j = 0; j < of.n; ++j) {
        const float found = product.out[std::size_t(i * of.n + j)];
        const bool as_wanted = j == of.n / 2   ? std::isnan(found)
                               : i == of.m / 2 ? found == INFINITY
                                               : found == float(of.k);
        REQUIRE(as_wanted);
      }
    }
  });
}

TEMPLATE_TEST_CASE("matmul of bfloat16: the error of a sum does not grow with its length", "[kernels]", scalar, sse2,
                   avx2, avx512) {
  const backend here = need<TestType>();
  const std::int64_t k = scaled(1 << 20, 1 << 17);
  for (const extent of : {extent{1, 1, k}, extent{2, 2, k}, extent{1, 3, k}}) {
    product_of product(of, order::rows, order::columns);
    product.fill([](std::int64_t, std::int64_t) { return rounded(0.1); },
                 [](std::int64_t, std::int64_t) { return rounded(1); });
    product.run(here);
    for (const float x : product.out) CHECK(std::fabs(double(x) / (double(k) * value(rounded(0.1))) - 1) < 2e-4);
  }
}
