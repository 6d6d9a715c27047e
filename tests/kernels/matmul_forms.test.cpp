// Rules of what matmul does beside the product: float16 and bfloat16, what is added, activations, batches, threads.
// Every element is the same wherever it stands and however the work is cut.
#include "products.h"
#include "support/scale.h"
#include "threads/parallel.h"

using namespace kernel_tests;
using tb_kernel::bfloat16;
using tb_kernel::half;

namespace {

constexpr std::array floating_activations = {TB_RELU, TB_SIGMOID, TB_TANH, TB_SILU, TB_GELU, TB_GELU_TANH};

// One size of each way through: a vector, a tile, several blocks of depth.
const std::vector<extent> each_way = {{1, 70, 33},  {70, 1, 33},   {1, 1, 50},   {13, 9, 7},    {14, 70, 33},
                                      {50, 70, 33}, {30, 40, 300}, {1, 40, 600}, {130, 90, 70}, {260, 150, 40}};

template <typename T>
std::vector<T> numbers(std::int64_t count, std::uint64_t seed) {
  std::vector<T> all(static_cast<std::size_t>(count));
  random_numbers random(seed);
  for (T& x : all) x = T(random.between(-1, 1));
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("matmul: half precision is computed in float32, with results in half precision or float32",
                   "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  sampled_cases cases;
  for (const extent of : each_way) {
    for (const order a : {order::rows, order::columns, order::rows_apart}) {
      for (const order b : {order::rows, order::columns, order::backwards}) {
        if (cases.is_drawn()) failures += try_matmul<half>(here, of, a, b, {});
        if (cases.is_drawn()) failures += try_matmul<bfloat16>(here, of, a, b, {});
        if (cases.is_drawn()) failures += try_matmul<half, float>(here, of, a, b, {});
        if (cases.is_drawn()) failures += try_matmul<bfloat16, float>(here, of, a, b, {});
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: a result is of the operands' dtype, or float32 for half precision", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto status = [&](tb_dtype in, tb_dtype out) {
    tb_matmul product = plain(nullptr, nullptr, nullptr, {0, 0, 0}, in);
    product.out_dtype = out;
    return here.kernels->matmul(&product, nullptr);
  };
  CHECK(status(TB_F16, TB_F32) == TB_OK);
  CHECK(status(TB_F16, TB_BF16) == TB_UNSUPPORTED_DTYPE);
  CHECK(status(TB_F32, TB_F64) == TB_UNSUPPORTED_DTYPE);
  CHECK(status(TB_F32, TB_F16) == TB_UNSUPPORTED_DTYPE);
  CHECK(status(TB_I64, TB_F32) == TB_UNSUPPORTED_DTYPE);
}

TEMPLATE_TEST_CASE("matmul: what is added has any strides, in every dtype", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  sampled_cases cases;
  for (const extent of : each_way) {
    for (const order added : {order::rows, order::columns, order::rows_apart, order::backwards, order::repeated,
                              order::columns_repeated, order::one}) {
      for (const order out : {order::rows, order::columns, order::rows_apart}) {
        const variant how = {
            .alpha = 2, .beta = -3, .added = plus::other, .added_order = added, .batch = 2, .out = out};
        if (cases.is_drawn()) failures += try_matmul<float>(here, of, order::rows, order::rows, how);
        if (cases.is_drawn()) failures += try_matmul<double>(here, of, order::columns, order::rows, how);
        if (cases.is_drawn()) failures += try_matmul<std::int64_t>(here, of, order::rows, order::columns, how);
        if (cases.is_drawn()) failures += try_matmul<bfloat16>(here, of, order::rows, order::columns, how);
        if (cases.is_drawn()) failures += try_matmul<half, float>(here, of, order::columns, order::rows, how);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: the result itself may be what is added, in every dtype", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  sampled_cases cases;
  for (const extent of : each_way) {
    for (const order out : {order::rows, order::columns, order::rows_apart, order::backwards}) {
      const variant how = {.alpha = -1, .beta = 2, .added = plus::result, .batch = 2, .shared_b = true, .out = out};
      if (cases.is_drawn()) failures += try_matmul<float>(here, of, order::rows, order::rows, how);
      if (cases.is_drawn()) failures += try_matmul<double>(here, of, order::rows, order::rows, how);
      if (cases.is_drawn()) failures += try_matmul<bfloat16>(here, of, order::rows, order::rows, how);
      if (cases.is_drawn()) failures += try_matmul<half>(here, of, order::rows, order::rows, how);
      if (cases.is_drawn()) failures += try_matmul<half, float>(here, of, order::rows, order::rows, how);
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: an activation comes after what is added", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  sampled_cases cases;
  for (const extent of : each_way) {
    for (const std::int32_t activation : floating_activations) {
      for (const order out : {order::rows, order::columns, order::rows_apart}) {
        const variant how = {.alpha = 0.01,
                             .beta = 0.25,
                             .added = plus::other,
                             .added_order = order::repeated,
                             .out = out,
                             .activation = activation};
        if (cases.is_drawn()) failures += try_matmul<float>(here, of, order::rows, order::rows, how);
        if (cases.is_drawn()) failures += try_matmul<double>(here, of, order::rows, order::columns, how);
        if (cases.is_drawn()) failures += try_matmul<bfloat16>(here, of, order::rows, order::rows, how);
      }
    }
    if (cases.is_drawn())
      failures += try_matmul<std::int64_t>(here, of, order::rows, order::rows, {.activation = TB_RELU});
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: an activation is bitwise that of the elementwise kernel", "[kernels]", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  for (const extent of : {extent{37, 45, 20}, extent{40, 33, 300}, extent{1, 600, 10}}) {
    const auto a = numbers<float>(of.m * of.k, 1), b = numbers<float>(of.k * of.n, 2);
    std::vector<float> fused(static_cast<std::size_t>(of.m * of.n)), apart(fused.size()), want(fused.size());
    for (const std::int32_t activation : floating_activations) {
      tb_matmul product = plain(fused.data(), a.data(), b.data(), of, TB_F32);
      product.activation = activation;
      REQUIRE(here.kernels->matmul(&product, nullptr) == TB_OK);
      product.out = apart.data();
      product.activation = -1;
      REQUIRE(here.kernels->matmul(&product, nullptr) == TB_OK);
      // Row by row, as the activation is applied.
      tb_elementwise call{};
      call.op = activation;
      call.compute = TB_F32;
      call.plan.ndim = 2;
      call.plan.operands = 2;
      call.plan.sizes[0] = of.n;
      call.plan.sizes[1] = of.m;
      call.plan.operand[0] = {want.data(), {1, of.n}, TB_F32, 0};
      call.plan.operand[1] = {apart.data(), {1, of.n}, TB_F32, 0};
      REQUIRE(here.kernels->elementwise(&call, nullptr) == TB_OK);
      CHECK(std::memcmp(fused.data(), want.data(), fused.size() * sizeof(float)) == 0);
    }
  }
}

TEMPLATE_TEST_CASE("matmul: operations that are not activations are refused", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  float number = 1;
  tb_matmul product = plain(&number, &number, &number, {1, 1, 1}, TB_F32);
  for (const std::int32_t op :
       {std::int32_t(TB_ADD), std::int32_t(TB_BITWISE_NOT), std::int32_t(TB_ELEMENTWISE_COUNT)}) {
    product.activation = op;
    CHECK(here.kernels->matmul(&product, nullptr) == TB_UNSUPPORTED_DTYPE);
  }
}

TEMPLATE_TEST_CASE("matmul: one factor for a whole batch", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  sampled_cases cases;
  for (const extent of : each_way) {
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        for (const std::int64_t batch : {0, 1, 5}) {
          const variant how = {.batch = batch, .shared_a = a, .shared_b = b};
          if (cases.is_drawn()) failures += try_matmul<float>(here, of, order::rows, order::rows, how);
          if (cases.is_drawn()) failures += try_matmul<double>(here, of, order::rows, order::columns, how);
          if (cases.is_drawn()) failures += try_matmul<bfloat16>(here, of, order::rows, order::rows, how);
          if (cases.is_drawn()) failures += try_matmul<std::int64_t>(here, of, order::rows, order::rows, how);
        }
      }
    }
  }
  CHECK(failures == "");
}

namespace {

template <typename T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

// A product with a bias, with any number of threads.
template <typename T>
std::vector<T> with_bias(backend here, extent of, std::int64_t batch, bool transposed, int32_t threads) {
  const with_threads now(threads);
  const auto a = numbers<T>(batch * of.m * of.k, 1), b = numbers<T>(batch * of.k * of.n, 2), bias = numbers<T>(of.n, 3);
  std::vector<T> out(static_cast<std::size_t>(batch * of.m * of.n));
  tb_matmul product = plain(out.data(), a.data(), b.data(), of, tb_dtype(dtype_of<T>));
  if (transposed) product.b_row = 1, product.b_col = of.k;
  product.batch = batch;
  product.a_batch = of.m * of.k;
  product.b_batch = of.k * of.n;
  product.out_batch = of.m * of.n;
  product.added = bias.data();
  product.added_col = 1;
  CHECK(here.kernels->matmul(&product, nullptr) == TB_OK);
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("matmul: results do not depend on the number of threads", "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  sampled_cases extents;
  for (const extent of : {extent{300, 170, 130}, extent{64, 1500, 40}, extent{1500, 40, 64}, extent{1, 3000, 600},
                          extent{2000, 1, 700}, extent{200, 200, 600}, extent{20, 30, 40000}, extent{4, 2000, 400}}) {
    if (!extents.is_drawn()) continue;
    for (const bool transposed : {false, true}) {
      const auto one = with_bias<float>(here, of, 1, transposed, 1);
      for (const int32_t threads : {2, 3, 5}) {
        CHECK(same_bits(with_bias<float>(here, of, 1, transposed, threads), one));
      }
    }
    const auto whole = with_bias<std::int64_t>(here, of, 1, false, 1);
    CHECK(same_bits(with_bias<std::int64_t>(here, of, 1, false, 3), whole));
  }
  const auto one = with_bias<double>(here, {40, 50, 60}, 33, false, 1);
  for (const int32_t threads : {2, 3, 5})
    CHECK(same_bits(with_bias<double>(here, {40, 50, 60}, 33, false, threads), one));
}

// Equal rows of a and equal columns of b: every element of the result is one and the same number.
TEMPLATE_TEST_CASE("matmul: an element does not depend on its position", "[kernels]", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  const auto differing = [&]<typename T>(T, extent of, order b_order, bool biased, bool by_columns) {
    const auto row = numbers<T>(of.k, 1), column = numbers<T>(of.k, 2);
    const strides b_is = lay_out(b_order, of.k, of.n);
    std::vector<T> a(std::size_t(of.m * of.k)), b(std::size_t(b_is.count)), out(std::size_t(of.m * of.n));
    for (std::int64_t i = 0; i < of.m * of.k; ++i) a[std::size_t(i)] = row[std::size_t(i % of.k)];
    for (std::int64_t p = 0; p < of.k; ++p) {
      for (std::int64_t j = 0; j < of.n; ++j) {
        b[std::size_t(b_is.first + p * b_is.row + j * b_is.col)] = column[std::size_t(p)];
      }
    }
    tb_matmul product = plain(out.data(), a.data(), b.data() + b_is.first, of, tb_dtype(dtype_of<T>));
    product.b_row = b_is.row;
    product.b_col = b_is.col;
    const T bias = T(0.3);
    if (biased) product.added = &bias, product.alpha.f = 1.1, product.activation = TB_GELU;
    if (by_columns) product.out_row = 1, product.out_col = of.m;
    CHECK(here.kernels->matmul(&product, nullptr) == TB_OK);
    return std::count_if(out.begin(), out.end(), [&](T x) { return std::memcmp(&x, &out[0], sizeof x) != 0; });
  };
  for (const extent of :
       {extent{13, 9, 7}, extent{37, 71, 33}, extent{130, 75, 600}, extent{301, 40, 64}, extent{29, 1100, 300},
        extent{1, 1037, 300}, extent{143, 1, 1000}, extent{7, 70, 33}, extent{48, 130, 65}, extent{3, 1100, 300}}) {
    for (const order b : {order::rows, order::columns, order::rows_apart}) {
      for (const bool biased : {false, true}) {
        for (const bool by_columns : {false, true}) {
          CHECK(differing(1.0f, of, b, biased, by_columns) == 0);
          CHECK(differing(1.0, of, b, biased, by_columns) == 0);
        }
      }
    }
  }
}

// Deep enough to be divided by depth.
TEMPLATE_TEST_CASE("matmul: a deep product of few elements, with what is added and an activation", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  sampled_cases cases;
  for (const extent of : {extent{5, 6, 16384}, extent{3, 40, 17001}, extent{64, 3, 20479}}) {
    for (const order out : {order::rows, order::columns, order::rows_apart}) {
      const variant how = {
          .alpha = 0.01, .beta = 0.25, .added = plus::other, .out = out, .activation = std::int32_t(TB_RELU)};
      if (cases.is_drawn()) failures += try_matmul<float>(here, of, order::rows, order::columns, how);
      if (cases.is_drawn()) failures += try_matmul<double>(here, of, order::columns, order::backwards, how);
      if (cases.is_drawn()) failures += try_matmul<bfloat16>(here, of, order::rows, order::rows, how);
      if (cases.is_drawn()) failures += try_matmul<half, float>(here, of, order::rows_apart, order::rows, {});
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: the error of a sum does not grow with its length", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const std::int64_t k = scaled(1 << 20, 1 << 17);
  for (const extent of : {extent{1, 1, k}, extent{2, 2, k}, extent{1, 3, k}}) {
    stage memory(here);
    const auto a = memory.make<float>(of.m * k), b = memory.make<float>(k * of.n),
               out = memory.make<float>(of.m * of.n);
    std::fill(a.begin(), a.end(), 0.1f);
    std::fill(b.begin(), b.end(), 1.0f);
    const tb_matmul product = plain(out.seen_by_kernel(), a.seen_by_kernel(), b.seen_by_kernel(), of, TB_F32);
    REQUIRE(memory.run([&](const tb_kernels& t) { return t.matmul(&product, nullptr); }) == TB_OK);
    for (const float x : out) CHECK(std::fabs(double(x) / (double(k) * double(0.1f)) - 1) < 2e-4);
  }
}
