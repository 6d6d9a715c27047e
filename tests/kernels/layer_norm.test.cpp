// Rules of layers brought to mean 0 and variance 1, their gradients, and root mean squares, against long double.
#include "oracle/rows.h"
#include "row_calls.h"

using namespace kernel_tests;

namespace {

constexpr double epsilon = 1e-5;

// A few units in the last place of what is added up to an element: its distance from the mean, times weight, and bias.
template <typename T>
std::string try_layer_norm(backend here, std::int64_t rows, std::int64_t n, bool weighted, bool biased, double low,
                           double high, double eps = epsilon) {
  stage memory(here);
  const auto in = memory.make<T>(rows * n), out = memory.make<T>(rows * n);
  const auto weight = memory.make<T>(n), bias = memory.make<T>(n), mean = memory.make<T>(rows),
             rstd = memory.make<T>(rows);
  fill_between(in, 3, low, high);
  fill_between(weight, 4, -2, 2);
  fill_between(bias, 5, -2, 2);
  tb_rowwise call =
      rows_call<T>(TB_LAYER_NORM, rows, 3,
                   {matrix(out, n, behind(n)), number_of_row(mean), number_of_row(rstd), matrix(in, n, behind(n)),
                    shared_row(weight, n, weighted), shared_row(bias, n, biased)});
  call.number[0] = {eps, 0};
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  const long double unit = std::numeric_limits<T>::epsilon();
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const oracle::moments want(n, [&](std::int64_t i) { return in[r * n + i]; });
    const long double inverse = 1 / std::sqrt(want.variance() + eps);
    found.add(r, mean[r], {want.mean(), 4 * unit * (std::fabs(want.mean()) + 1 / inverse)});
    found.add(r, rstd[r], {inverse, 8 * unit * inverse});
    for (std::int64_t i = 0; i < n; ++i) {
      const long double x = want.deviation(in[r * n + i]) * inverse, w = weighted ? weight[i] : T(1);
      const long double b = biased ? bias[i] : T(0);
      found.add(r * n + i, out[r * n + i],
                {x * w + b, 8 * unit * (1 + std::fabs(x * w) + std::fabs(w) + std::fabs(b))});
    }
  }
  return found.text();
}

template <typename T>
std::string try_layer_norm_backward(backend here, std::int64_t rows, std::int64_t n, bool weighted) {
  stage memory(here);
  const auto gradient = memory.make<T>(rows * n), in = memory.make<T>(rows * n), out = memory.make<T>(rows * n);
  const auto weight = memory.make<T>(n), mean = memory.make<T>(rows), rstd = memory.make<T>(rows);
  fill_between(gradient, 2, -1, 1);
  fill_between(in, 3, 2, 4);
  fill_between(weight, 4, -2, 2);
  fill_between(mean, 5, 2.9, 3.1);
  fill_between(rstd, 6, 1, 2);
  const tb_rowwise call =
      rows_call<T>(TB_LAYER_NORM_BACKWARD, rows, 1,
                   {matrix(out, n, behind(n)), matrix(gradient, n, behind(n)), matrix(in, n, behind(n)),
                    number_of_row(mean), number_of_row(rstd), shared_row(weight, n, weighted)});
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto g = [&](std::int64_t i) { return gradient[r * n + i] * (weighted ? (long double)weight[i] : 1); };
    const auto x = [&](std::int64_t i) { return (in[r * n + i] - (long double)mean[r]) * rstd[r]; };
    const long double sum = oracle::sum_of(n, g).value;
    const long double product = oracle::sum_of(n, [&](std::int64_t i) { return g(i) * x(i); }).value;
    for (std::int64_t i = 0; i < n; ++i) {
      const long double want = rstd[r] * (g(i) - sum / n - x(i) * (product / n));
      found.add(r * n + i, out[r * n + i], {want, 64 * std::numeric_limits<T>::epsilon()});
    }
  }
  return found.text();
}

// Gradients for weight and bias: sums over rows, which here are columns.
template <typename T>
std::string try_layer_weights(backend here, std::int64_t rows, std::int64_t n, bool to_weight, bool to_bias) {
  stage memory(here);
  const auto gradient = memory.make<T>(rows * n), in = memory.make<T>(rows * n);
  const auto of_weight = memory.make<T>(n), of_bias = memory.make<T>(n), mean = memory.make<T>(rows);
  const auto rstd = memory.make<T>(rows);
  fill_between(gradient, 2, -1, 1);
  fill_between(in, 3, 2, 4);
  fill_between(mean, 5, 2.9, 3.1);
  fill_between(rstd, 6, 1, 2);
  const rows_operand none{nullptr, 0, 0, 0, 0};
  const tb_rowwise call = rows_call<T>(
      TB_LAYER_NORM_WEIGHTS, n, 2,
      {to_weight ? number_of_row(of_weight) : none, to_bias ? number_of_row(of_bias) : none,
       matrix(gradient, rows, beside(n)), matrix(in, rows, beside(n)), shared_row(mean, rows), shared_row(rstd, rows)});
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  const long double unit = std::numeric_limits<T>::epsilon();
  differences<T> found;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto sum = oracle::sum_of(rows, [&](std::int64_t r) { return gradient[r * n + i]; });
    const auto product = oracle::sum_of(
        rows, [&](std::int64_t r) { return gradient[r * n + i] * ((in[r * n + i] - (long double)mean[r]) * rstd[r]); });
    if (to_weight) found.add(i, of_weight[i], {product.value, 8 * unit * product.magnitude});
    if (to_bias) found.add(i, of_bias[i], {sum.value, 8 * unit * sum.magnitude});
  }
  return found.text();
}

template <typename T>
std::string try_rms_norm(backend here, std::int64_t rows, std::int64_t n, bool weighted, double low, double high,
                         double eps = epsilon) {
  stage memory(here);
  const auto in = memory.make<T>(rows * n), out = memory.make<T>(rows * n);
  const auto weight = memory.make<T>(n), rstd = memory.make<T>(rows);
  fill_between(in, 3, low, high);
  fill_between(weight, 4, -2, 2);
  tb_rowwise call = rows_call<T>(
      TB_RMS_NORM, rows, 2,
      {matrix(out, n, behind(n)), number_of_row(rstd), matrix(in, n, behind(n)), shared_row(weight, n, weighted)});
  call.number[0] = {eps, 0};
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto squares = oracle::sum_of(n, [&](std::int64_t i) { return (long double)in[r * n + i] * in[r * n + i]; });
    const long double root = 1 / std::sqrt(squares.value / n + eps);
    found.add(r, rstd[r], {root, ulps<T>(8, root)});
    for (std::int64_t i = 0; i < n; ++i) {
      const long double want = in[r * n + i] * root * (weighted ? weight[i] : T(1));
      found.add(r * n + i, out[r * n + i], {want, ulps<T>(8, want)});
    }
  }
  return found.text();
}

}  // namespace

TEMPLATE_TEST_CASE("layer_norm: rows of any length, with and without weight and bias", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const std::int64_t n : awkward_sizes) {
    if (n == 0) continue;
    for (const bool weighted : {false, true}) {
      for (const bool biased : {false, true}) {
        failures += try_layer_norm<float>(here, 3, n, weighted, biased, -2, 5);
        failures += try_layer_norm<double>(here, 3, n, weighted, biased, -2, 5);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("layer_norm: rows far from 0 and long rows are accurate", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  CHECK(try_layer_norm<float>(here, 2, 1000, true, true, 9999, 10001) == "");
  CHECK(try_layer_norm<float>(here, 2, 1000, false, false, 1e6, 1e6 + 64) == "");
  CHECK(try_layer_norm<double>(here, 2, 1000, true, true, 1e9, 1e9 + 1) == "");
  CHECK(try_layer_norm<float>(here, 1, 1000000, false, false, 3, 4) == "");
}

TEMPLATE_TEST_CASE("layer_norm, rms_norm: squares beyond the range of floats", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  CHECK(try_layer_norm<float>(here, 2, 100, false, false, -1e25, 1e25) == "");
  CHECK(try_layer_norm<float>(here, 2, 100, false, false, -1e-25, 1e-25, 0) == "");
  CHECK(try_rms_norm<float>(here, 2, 100, false, -1e25, 1e25) == "");
  CHECK(try_rms_norm<float>(here, 2, 100, false, -1e-25, 1e-25, 0) == "");
}

TEMPLATE_TEST_CASE("layer_norm: an infinity is its row's mean, and leaves NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t place : {0, 3, 19}) {
    stage memory(here);
    const auto in = memory.make<float>(40), out = memory.make<float>(40);
    const auto mean = memory.make<float>(2), rstd = memory.make<float>(2);
    fill_between(in, 3, -1, 1);
    in[place] = -float(INFINITY);
    tb_rowwise call = rows_call<float>(TB_LAYER_NORM, 2, 3,
                                       {matrix(out, 20, behind(20)),
                                        number_of_row(mean),
                                        number_of_row(rstd),
                                        matrix(in, 20, behind(20)),
                                        {nullptr, 0, 0, 0, 0},
                                        {nullptr, 0, 0, 0, 0}});
    CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
    CHECK(mean[0] == -float(INFINITY));
    CHECK(std::isnan(rstd[0]));
    CHECK((std::isnan(out[1]) && std::isfinite(mean[1]) && std::isfinite(out[20])));
  }
}

TEMPLATE_TEST_CASE("layer_norm_backward: the gradient of a row, and of weight and bias", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const std::int64_t n : awkward_sizes) {
    if (n == 0) continue;
    for (const bool weighted : {false, true}) {
      failures += try_layer_norm_backward<float>(here, 3, n, weighted);
      failures += try_layer_norm_backward<double>(here, 3, n, weighted);
    }
    for (const std::int64_t rows : {1, 5, 1000}) {
      failures += try_layer_weights<float>(here, rows, n, true, true);
      failures += try_layer_weights<double>(here, rows, n, true, true);
    }
  }
  failures += try_layer_weights<float>(here, 7, 33, true, false) + try_layer_weights<float>(here, 7, 33, false, true);
  failures += try_layer_weights<float>(here, 200000, 3, true, true);
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("rms_norm: rows of any length, with and without weight", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const std::int64_t n : awkward_sizes) {
    if (n == 0) continue;
    for (const bool weighted : {false, true}) {
      failures += try_rms_norm<float>(here, 3, n, weighted, -2, 5) + try_rms_norm<double>(here, 3, n, weighted, -2, 5);
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("layer_norm: bitwise the same on any number of threads", "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  constexpr std::int64_t rows = 1000, n = 150;
  stage memory(here);
  const auto in = memory.make<float>(rows * n), out = memory.make<float>(rows * n), mean = memory.make<float>(rows);
  const auto weight = memory.make<float>(n), rstd = memory.make<float>(rows), sums = memory.make<float>(n);
  fill_between(in, 3, -2, 2);
  fill_between(weight, 3, -2, 2);
  const tb_rowwise forward = rows_call<float>(TB_LAYER_NORM, rows, 3,
                                              {matrix(out, n, behind(n)), number_of_row(mean), number_of_row(rstd),
                                               matrix(in, n, behind(n)), shared_row(weight, n), shared_row(weight, n)});
  CHECK(same_on_threads(out, [&] { CHECK(here.kernels->rowwise(&forward, nullptr) == TB_OK); }) == "");
  const tb_rowwise of_weights =
      rows_call<float>(TB_LAYER_NORM_WEIGHTS, n, 2,
                       {number_of_row(sums), number_of_row(weight), matrix(out, rows, beside(n)),
                        matrix(in, rows, beside(n)), shared_row(mean, rows), shared_row(rstd, rows)});
  CHECK(same_on_threads(sums, [&] { CHECK(here.kernels->rowwise(&of_weights, nullptr) == TB_OK); }) == "");
}
