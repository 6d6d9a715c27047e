// Products with quantized factors, against the product of the dequantized matrix in double.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantized_values.h"
#include "support/raises.h"
#include "support/scale.h"
#include "support/tensor_print.h"

namespace tb = topbit;
namespace q = topbit::quantized;
using namespace quantized_test;
using tb::arg, tb::dtype, tb::tensor;
using toy::text_of;

namespace {

// found = a @ b + bias, each element within the error of sums in the dtype's compute type and of rounding the result.
void check_product(const tensor& found, const std::vector<double>& a, const std::vector<double>& b, std::int64_t m,
                   std::int64_t k, std::int64_t n, const std::vector<double>& bias = {}) {
  REQUIRE(found.numel() == m * n);
  const std::vector<double> got = values(found);
  const double step = half_ulp(found.dtype() == dtype::float64 ? dtype::float64 : dtype::float32);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(j)], size = std::abs(sum);
      for (std::int64_t l = 0; l < k; ++l) {
        const double term = a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
        sum += term;
        size += std::abs(term);
      }
      const double bound = static_cast<double>(k + 4) * step * size + half_ulp(found.dtype()) * std::abs(sum);
      INFO("row " << i << ", column " << j << ", sum " << sum);
      REQUIRE(std::abs(got[static_cast<std::size_t>(i * n + j)] - sum) <= bound);
    }
  }
}

std::vector<double> transposed(const std::vector<double>& a, std::int64_t rows, std::int64_t columns) {
  std::vector<double> all;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) all.push_back(a[static_cast<std::size_t>(i * columns + j)]);
  }
  return all;
}

// A weight on the host and the same on a device.
struct weight {
  tensor here, there;
  std::vector<double> values;
  weight(const tensor& w, const q::scheme& s, bool symmetric, tb::device where)
      : here(q::quantize(w, s, symmetric)), there(tb::to(here, where)), values(exact_values(here)) {}
};

}  // namespace

TEST_CASE("products: one quantized factor, for every scheme, dtype and device", "[quantized][product]") {
  support::numbers random(3);
  constexpr std::int64_t n = 37, k = 70;
  sampled_cases cases;
  for (const tb::device where : devices()) {
    for (const dtype type : dtypes()) {
      for (const q::scheme& s : schemes()) {
        for (const bool symmetric : {true, false}) {
          if (!cases.is_drawn()) continue;
          const weight w(random.tensor({n, k}, type), s, symmetric, where);
          const tensor bias = random.tensor({n}, type);
          for (const std::int64_t m : {1, 3, 9}) {
            INFO(to_string(s) << " symmetric " << symmetric << " " << name_of(type) << " on " << to_string(where)
                              << ", m " << m);
            const tensor x = random.tensor({m, k}, type, support::arrangement::transposed),
                         g = random.tensor({m, n}, type), there = tb::to(x, where);
            const std::vector<double> wt = transposed(w.values, n, k);
            check_product(tb::linear(there, w.there, tb::to(bias, where)), values(x), wt, m, k, n, values(bias));
            check_product(tb::mm(there, tb::t(w.there)), values(x), wt, m, k, n);
            check_product(tb::mm(tb::to(g, where), w.there), values(g), w.values, m, n, k);
            check_product(tb::linear(tb::to(g, where), tb::t(w.there)), values(g), w.values, m, n, k);
            check_product(tb::mm(w.there, tb::t(there)), w.values, values(tb::t(x)), n, k, m);
            check_product(tb::mm(tb::t(w.there), tb::t(tb::to(g, where))), wt, values(tb::t(g)), k, n, m);
          }
        }
      }
    }
  }
}

TEST_CASE("products: vectors, batches and sums take quantized factors", "[quantized][product]") {
  support::numbers random(4);
  constexpr std::int64_t n = 5, k = 40;
  for (const tb::device where : devices()) {
    const weight w(random.tensor({n, k}, dtype::float32), q::int4, true, where);
    const std::vector<double> wt = transposed(w.values, n, k);
    const tensor x = random.tensor({2, 3, k}, dtype::float32), there = tb::to(x, where);
    const tensor batch = tb::linear(there, w.there);
    CHECK(batch.sizes() == tb::shape{2, 3, n});
    check_product(batch, values(x), wt, 6, k, n);
    check_product(tb::matmul(there, tb::t(w.there)), values(x), wt, 6, k, n);
    const tensor v = random.tensor({k}, dtype::float32);
    CHECK(tb::mv(w.there, tb::to(v, where)).sizes() == tb::shape{n});
    check_product(tb::mv(w.there, tb::to(v, where)), w.values, values(v), n, k, 1);
    CHECK(tb::linear(tb::to(v, where), w.there).sizes() == tb::shape{n});
    const tensor flat = random.tensor({3, k}, dtype::float32), self = random.tensor({n}, dtype::float32);
    check_product(tb::addmm(tb::to(self, where), tb::to(flat, where), tb::t(w.there)), values(flat), wt, 3, k, n,
                  values(self));
    std::vector<double> doubled = wt, halved = values(self);
    for (double& y : doubled) y *= 2;
    for (double& y : halved) y /= 2;
    check_product(
        tb::addmm(tb::to(self, where), tb::to(flat, where), tb::t(w.there), arg<"beta"> = 0.5, arg<"alpha"> = 2),
        values(flat), doubled, 3, k, n, halved);
    const tensor many = random.tensor({2, k, n}, dtype::float32);
    const tensor quantized_many = q::quantize(tb::to(many, where), {.scales = q::granularity::per_channel, .axis = 1});
    const tensor product = tb::bmm(tb::to(x, where), quantized_many);
    CHECK(product.sizes() == tb::shape{2, 3, n});
    const std::vector<double> of_many = exact_values(tb::to(quantized_many, tb::cpu));
    const std::vector<double> of_x = values(x);
    for (std::int64_t b = 0; b < 2; ++b) {
      const auto part = [&](const std::vector<double>& all, std::int64_t size) {
        return std::vector<double>(all.begin() + b * size, all.begin() + (b + 1) * size);
      };
      check_product(product[b], part(of_x, 3 * k), part(of_many, k * n), 3, k, n);
    }
  }
}

TEST_CASE("products: codes of activations and of weights are multiplied exactly", "[quantized][product]") {
  support::numbers random(5);
  constexpr std::int64_t m = 7, k = 130, n = 33;
  for (const tb::device where : devices()) {
    for (const bool is_signed : {true, false}) {
      for (const q::scheme& s : schemes()) {
        INFO(to_string(s) << " signed " << is_signed << " on " << to_string(where));
        const weight w(random.tensor({n, k}, dtype::float32), s, true, where);
        const tensor x =
            tb::quantize_per_tensor(random.tensor({m, k}, dtype::float32), 0.03125, is_signed ? -3 : 90, 8, is_signed);
        const tensor bias = random.tensor({n}, dtype::float32);
        const std::vector<double> wt = transposed(w.values, n, k);
        const tensor y = tb::linear(tb::to(x, where), w.there, tb::to(bias, where));
        CHECK(y.layout() == tb::layout::strided);
        check_product(y, exact_values(x), wt, m, k, n, values(bias));
        check_product(tb::mm(tb::to(x, where), tb::t(w.there)), exact_values(x), wt, m, k, n);
        const tensor rows = tb::quantize_per_channel(random.tensor({m, k}, dtype::float32), tb::ones({m}) * 0.0625,
                                                     std::nullopt, 0, 8, is_signed);
        check_product(tb::linear(tb::to(rows, where), w.there), exact_values(rows), wt, m, k, n);
        // A batch of rows, and a strided weight.
        const tensor batch = tb::quantize_per_tensor(random.tensor({2, 3, k}, dtype::float32), 0.03125, 0);
        check_product(tb::linear(tb::to(batch, where), w.there), exact_values(batch), wt, 6, k, n);
        const tensor dense = random.tensor({n, k}, dtype::float32);
        check_product(tb::linear(tb::to(x, where), tb::to(dense, where)), exact_values(x),
                      transposed(values(dense), n, k), m, k, n);
      }
    }
  }
}

TEST_CASE("products: inputs whose codes have no scale for a row are dequantized", "[quantized][product]") {
  support::numbers random(15);
  constexpr std::int64_t m = 4, k = 40, n = 6;
  for (const tb::device where : devices()) {
    const weight w(random.tensor({n, k}, dtype::float32), q::int8, true, where);
    const std::vector<double> wt = transposed(w.values, n, k);
    for (const q::scheme& s : schemes()) {
      for (const bool symmetric : {true, false}) {
        INFO(to_string(s) << " symmetric " << symmetric << " on " << to_string(where));
        const tensor x = q::quantize(random.tensor({m, k}, dtype::float32), s, symmetric);
        check_product(tb::linear(tb::to(x, where), w.there), exact_values(x), wt, m, k, n);
        const tensor turned = tb::t(q::quantize(random.tensor({k, m}, dtype::float32), s, symmetric));
        check_product(tb::linear(tb::to(turned, where), w.there), exact_values(turned), wt, m, k, n);
        check_product(tb::mm(tb::to(turned, where), tb::t(w.there)), exact_values(turned), wt, m, k, n);
        const tensor of_weight = tb::t(q::quantize(random.tensor({k, n}, dtype::float32), s, symmetric));
        check_product(tb::linear(tb::to(x, where), tb::to(of_weight, where)), exact_values(x),
                      transposed(exact_values(of_weight), n, k), m, k, n);
      }
    }
    const tensor batch = q::quantize(random.tensor({2, 2, k}, dtype::float32), {.scales = q::granularity::per_channel});
    check_product(tb::linear(tb::to(batch, where), w.there), exact_values(batch), wt, m, k, n);
  }
}

TEST_CASE("products: dynamic activations are rounded row by row", "[quantized][product]") {
  support::numbers random(6);
  constexpr std::int64_t m = 3, k = 66, n = 8;
  std::vector<double> codes;
  for (std::int64_t i = 0; i < m * k; ++i) codes.push_back(static_cast<double>(random.whole(-126, 126)));
  for (std::int64_t i = 0; i < m; ++i) codes[static_cast<std::size_t>(i * k)] = -127;
  // x = (code + a quarter) / 8: the scale of each row is 1 / 8 exactly.
  std::vector<double> rounded = codes, elements = codes;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    rounded[i] /= 8;
    elements[i] = (codes[i] + (i % static_cast<std::size_t>(k) == 0 ? 0 : 0.25)) / 8;
  }
  for (const tb::device where : devices()) {
    for (q::scheme s : schemes()) {
      s.dynamic_activations = true;
      INFO(to_string(s) << " on " << to_string(where));
      const weight w(random.tensor({n, k}, dtype::float32), s, true, where);
      const tensor x = support::tensor_of(elements, {m, k}, dtype::float32);
      check_product(tb::linear(tb::to(x, where), w.there), rounded, transposed(w.values, n, k), m, k, n);
      // Rows of zeros stay, rows with NaN or infinity give NaN.
      const tensor odd = tb::to(tensor({{0.0, 0.0}, {1.0, std::nan("")}, {1.0, HUGE_VAL}}), where);
      const tensor small = tb::to(q::quantize(tensor({{1.0, -2.0}, {3.0, 0.5}}), s), where);
      const std::vector<double> y = values(tb::linear(odd, small));
      CHECK(y[0] == 0);
      for (std::size_t i = 2; i < 6; ++i) CHECK(std::isnan(y[i]));
    }
  }
}

TEST_CASE("products: sizes without elements, and results on meta", "[quantized][product]") {
  for (const q::scheme& s : schemes()) {
    for (const tb::device where : devices()) {
      INFO(to_string(s));
      const tensor w = q::quantize(tb::to(tb::ones({4, 6}), where), s);
      const auto ones = [&](const tb::shape& sizes) { return tb::to(tb::ones(sizes), where); };
      CHECK(tb::linear(ones({0, 6}), w).sizes() == tb::shape{0, 4});
      CHECK(values(tb::linear(ones({2, 0}), q::quantize(ones({4, 0}), s))) == std::vector<double>(8, 0));
      CHECK(tb::linear(ones({2, 6}), q::quantize(ones({0, 6}), s)).sizes() == tb::shape{2, 0});
      CHECK(values(tb::mm(ones({2, 0}), q::quantize(ones({0, 6}), s))) == std::vector<double>(12, 0));
    }
    const tensor w = tb::to(q::quantize(tb::ones({4, 6}), s), tb::meta);
    CHECK(tb::linear(tb::to(tb::ones({2, 6}), tb::meta), w).sizes() == tb::shape{2, 4});
    CHECK(tb::mm(tb::to(tb::ones({2, 4}), tb::meta), w).sizes() == tb::shape{2, 6});
    CHECK(tb::embedding(w, tb::to(tensor({{1, 0}}), tb::meta)).sizes() == tb::shape{1, 2, 6});
  }
}

TEST_CASE("convolutions and embeddings: weights are dequantized", "[quantized][product]") {
  support::numbers random(7);
  for (const tb::device where : devices()) {
    const tensor images = tb::to(random.tensor({2, 3, 6, 5}, dtype::float32), where);
    const tensor kernels = q::quantize(tb::to(random.tensor({4, 3, 3, 3}, dtype::float32), where), q::int8);
    const tensor bias = tb::to(random.tensor({4}, dtype::float32), where);
    CHECK(values(tb::conv2d(images, kernels, bias, {1, 1}, {1, 1})) ==
          values(tb::conv2d(images, tb::dequantize(kernels), bias, {1, 1}, {1, 1})));
    CHECK(values(tb::conv1d(images[0], q::quantize(tb::to(random.tensor({2, 6, 2}, dtype::float32), where), q::int8)))
              .size() == 3U * 2 * 4);
    for (const q::scheme& s : schemes()) {
      const tensor table = q::quantize(tb::to(random.tensor({9, 40}, dtype::float32), where), s);
      const tensor indices = tb::to(tensor({{8, 0}, {3, 3}}), where);
      const tensor rows = tb::embedding(table, indices);
      CHECK(rows.sizes() == tb::shape{2, 2, 40});
      CHECK(values(rows) == values(tb::embedding(tb::dequantize(table), indices)));
      CHECK(values(tb::embedding(tb::t(table), indices)) ==
            values(tb::embedding(tb::dequantize(tb::t(table)), indices)));
    }
  }
  const tensor table = q::quantize(tb::ones({3, 4}), q::int8);
  CHECK(text_of<tb::error>([&] { tb::embedding(table, tensor({3})); }).find("3") != std::string::npos);
}

TEST_CASE("products: arguments are checked", "[quantized][product]") {
  const tensor w = q::quantize(tb::ones({4, 6}), q::int8), x = tb::ones({2, 6});
  CHECK(text_of<tb::shape_error>([&] { tb::linear(tb::ones({2, 5}), w); }) ==
        "aten::linear: found [2, 5] and [4, 6], wanted [.., in] and [out, in] or [in]");
  CHECK(text_of<tb::shape_error>([&] { tb::linear(x, w, tb::ones({3})); }) ==
        "aten::linear: found a bias [3] for weights [4, 6], wanted [out]");
  CHECK(text_of<tb::dtype_error>([&] { tb::linear(tb::to(x, dtype::float64), w); }) ==
        "aten::linear: found float64 and float32, wanted one dtype; to(x, dtype) changes that of the values of a "
        "quantized tensor too");
  CHECK(text_of<tb::shape_error>([&] { tb::mm(x, w); }) ==
        "aten::mm: found [2, 6] and [4, 6], wanted [m, k] and [k, n]");
  CHECK(text_of<tb::device_error>([&] { tb::linear(tb::to(x, tb::meta), w); }).starts_with("aten::linear: "));
  CHECK(text_of<tb::error>([&] {
          tb::linear(x, tb::require_grad(tb::clone(w)));
        }).starts_with("aten::linear: found a quantized tensor that requires a gradient, which it cannot have; "));
  CHECK(std::abs(values(tb::linear(tb::to(x, dtype::float64), tb::to(w, dtype::float64)))[0] - 6) < 0.03);
}
