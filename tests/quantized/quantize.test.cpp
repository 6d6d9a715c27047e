// Rounding to codes: half a step at most, ties to even, NaN and infinities, equal bits on every device.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
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
using tb::dtype, tb::tensor;
using toy::text_of;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> codes_of(const tensor& t) { return values(tb::int_repr(t)); }

// Every code's value, every tie and two numbers beside it, and numbers beyond both ends, for codes of 8 bits.
tensor around_codes(double scale, int zero_point, int lowest, int highest, dtype type) {
  std::vector<double> all;
  for (int code = lowest - 3; code <= highest + 3; ++code) {
    for (const double part : {0.0, 0.25, 0.5, 0.75}) all.push_back((code - zero_point + part) * scale);
  }
  return support::tensor_of(all, {static_cast<std::int64_t>(all.size())}, type);
}

// The code of x, computed as PyTorch computes it in float32.
double code_of(double x, double scale, double zero, double lowest, double highest) {
  const float inverse = 1.0F / static_cast<float>(scale);
  const double code = std::nearbyint(static_cast<float>(x) * inverse) + zero;
  return std::isnan(code) ? zero : std::min(std::max(code, lowest), highest);
}

}  // namespace

TEST_CASE("quantize_per_tensor: codes are rounded to even and saturate", "[quantized][quantize]") {
  const tensor x({0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, 1e30, -1e30, -128.5});
  CHECK(codes_of(tb::quantize_per_tensor(x, 1.0, 0)) == std::vector<double>{0, 2, 2, 0, -2, 126, 127, 127, -128, -128});
  CHECK(codes_of(tb::quantize_per_tensor(x, 1.0, 3, 8, false)) ==
        std::vector<double>{3, 5, 5, 3, 1, 129, 131, 255, 0, 0});
  CHECK(codes_of(tb::quantize_per_tensor(x, 1.0, 8, 4)) == std::vector<double>{8, 10, 10, 8, 6, 15, 15, 15, 0, 0});
}

TEST_CASE("quantize: NaN is the zero point, infinities are the ends", "[quantized][quantize]") {
  for (const tb::device where : devices()) {
    for (const dtype type : dtypes()) {
      const tensor x = tb::to(support::tensor_of({std::nan(""), infinity, -infinity, -0.0}, {4}, type), where);
      CHECK(codes_of(tb::quantize_per_tensor(x, 0.5, 7)) == std::vector<double>{7, 127, -128, 7});
      CHECK(codes_of(tb::quantize_per_tensor(x, 0.5, 7, 8, false)) == std::vector<double>{7, 255, 0, 7});
      CHECK(values(tb::dequantize(tb::quantize_per_tensor(x, 0.5, 7)))[0] == 0);
      const tensor scales = tb::to(tensor({0.5, 0.25, 1.0, 2.0}), where);
      const tensor zeros = tb::to(tb::to(tensor({1, 2, 3, 4}), dtype::int32), where);
      CHECK(codes_of(tb::quantize_per_channel(x, scales, zeros, 0)) == std::vector<double>{1, 127, -128, 4});
      CHECK(values(tb::fake_quantize_per_tensor(x, 0.5, 7, -128, 127)) == std::vector<double>{0, 60, -67.5, 0});
    }
  }
}

TEST_CASE("quantize: dequantized values are within half a step, ties included", "[quantized][quantize]") {
  // Scales that are powers of two: nothing but the rounding to codes is inexact.
  for (const tb::device where : devices()) {
    for (const bool is_signed : {true, false}) {
      const int lowest = is_signed ? -128 : 0, highest = lowest + 255;
      for (const double scale : {0.5, 0.0078125, 4.0}) {
        for (const int zero_point : {lowest, lowest + 100, highest}) {
          const tensor x = around_codes(scale, zero_point, lowest, highest, dtype::float32);
          const tensor found = tb::quantize_per_tensor(tb::to(x, where), scale, zero_point, 8, is_signed);
          const std::vector<double> wanted = support::values(x), got = values(tb::dequantize(found)),
                                    codes = codes_of(found);
          for (std::size_t i = 0; i < wanted.size(); ++i) {
            const double in_range =
                std::min(std::max(wanted[i], (lowest - zero_point) * scale), (highest - zero_point) * scale);
            REQUIRE(std::abs(got[i] - in_range) <= scale / 2);
            REQUIRE(codes[i] == code_of(wanted[i], scale, zero_point, lowest, highest));
            REQUIRE(got[i] == (codes[i] - zero_point) * scale);
          }
        }
      }
    }
  }
}

TEST_CASE("quantize(): every element is within half a step, for every scheme, dtype and device",
          "[quantized][quantize]") {
  support::numbers random(1);
  for (const tb::shape& sizes :
       {tb::shape{7, 70}, tb::shape{3, 5}, tb::shape{4, 33}, tb::shape{0, 8}, tb::shape{2, 0}}) {
    for (const q::scheme& s : schemes()) {
      for (const dtype type : dtypes()) {
        for (const bool symmetric : {true, false}) {
          INFO(to_string(s) << " " << to_string(sizes) << " " << name_of(type) << " symmetric " << symmetric);
          const tensor x = random.tensor(sizes, type, support::arrangement::transposed);
          const std::vector<double> wanted = support::values(x);
          const tensor found = q::quantize(x, s, symmetric);
          REQUIRE(found.sizes() == x.sizes());
          REQUIRE(found.dtype() == type);
          REQUIRE(tb::q_scheme(found) == s);
          const std::vector<double> got = support::values(tb::dequantize(found)), exact = exact_values(found);
          std::size_t i = 0;
          support::each_index(sizes, [&](const tb::shape& index) {
            const element e = element_at(found, index);
            const double rounding = 2 * half_ulp(type == dtype::float64 ? type : dtype::float32) * 16 * e.scale +
                                    4 * half_ulp(dtype::float32) * (std::abs(wanted[i]) + std::abs(e.offset));
            REQUIRE(std::abs(exact[i] - wanted[i]) <= e.scale / 2 + rounding);
            REQUIRE(std::abs(got[i] - exact[i]) <= half_ulp(type) * std::abs(exact[i]) + rounding);
            ++i;
          });
          // The device without kernels gives the same bits.
          const tensor there = q::quantize(tb::to(x, tb::parse_device("npu")), s, symmetric);
          REQUIRE(codes_of(there) == codes_of(found));
          REQUIRE(values(tb::dequantize(there)) == got);
          REQUIRE(values(tb::q_scales(there)) == values(tb::q_scales(found)));
        }
      }
    }
  }
}

TEST_CASE("quantize: codes are PyTorch's for any scale", "[quantized][quantize]") {
  support::numbers random(2);
  for (int n = scaled(30, 3); n > 0; --n) {
    const double scale = static_cast<float>(random.real(0.001, 0.2));
    const auto zero = random.whole(-128, 127);
    const tensor x = random.tensor({50}, dtype::float32);
    std::vector<double> wanted;
    for (const double element : support::values(x)) {
      wanted.push_back(code_of(element, scale, static_cast<double>(zero), -128, 127));
    }
    for (const tb::device where : devices()) {
      CHECK(codes_of(tb::quantize_per_tensor(tb::to(x, where), scale, zero)) == wanted);
    }
  }
}

TEST_CASE("quantize: scales are those of the largest magnitude, or of the range", "[quantized][quantize]") {
  const tensor x({{1.0, -3.0, 0.0, 2.0}, {0.0, 0.0, 0.0, 0.0}});
  CHECK(values(tb::q_scales(q::quantize(x, q::int8))) == std::vector<double>{3.0F / 127.5F, 1});
  CHECK(values(tb::q_scales(q::quantize(x, {}, false))) == std::vector<double>{5.0F / 255.0F});
  CHECK(values(tb::q_zero_points(q::quantize(x, {}, false))) == std::vector<double>{25});
  const tensor groups = q::quantize(x, {.scales = q::granularity::per_group, .bits = 4, .group = 2});
  CHECK(values(tb::q_scales(groups)) == std::vector<double>{3.0F / 7.5F, 2.0F / 7.5F, 1, 1});
  CHECK(!tb::q_offsets(groups).defined());
  const tensor ranges = q::quantize(x, {.scales = q::granularity::per_group, .bits = 4, .group = 2}, false);
  CHECK(values(tb::q_scales(ranges)) == std::vector<double>{4.0F / 15.0F, 2.0F / 15.0F, 1, 1});
  CHECK(values(tb::q_offsets(ranges)) == std::vector<double>{-3, 0, 0, 0});
  CHECK(!tb::q_zero_points(ranges).defined());
  // The range of float16 is wider than the type.
  const tensor wide = tb::to(tensor({65504.0, -65504.0}), dtype::float16);
  CHECK(values(tb::q_scales(q::quantize(wide, {}, false)))[0] == 131008.0F / 255);
}

TEST_CASE("quantize: two codes of 4 bits share a byte, the first in the low bits", "[quantized][quantize]") {
  const tensor x({{-8.0, 7.0, 1.0}, {0.0, -1.0, 2.0}});
  const tensor found = tb::quantize_per_tensor(x, 1.0, 8, 4);
  const q::payload& p = found.payload<q::payload>();
  CHECK(p.codes.sizes() == tb::shape{2, 2});
  const std::vector<double> bytes = support::values(p.codes);
  CHECK(bytes[0] == 0 + 16 * 15);
  CHECK(std::fmod(bytes[1], 16) == 9);
  CHECK(bytes[2] == 8 + 16 * 7);
  CHECK(codes_of(found) == std::vector<double>{0, 15, 9, 8, 7, 10});
  CHECK(q::bytes_of(found) == 4 + 4 + 4);
}

TEST_CASE("quantize: a result on meta has sizes and no values", "[quantized][quantize]") {
  const tensor x = tb::to(tb::ones({4, 70}), tb::meta);
  for (const q::scheme& s : schemes()) {
    const tensor found = q::quantize(x, s);
    CHECK(found.device() == tb::meta);
    CHECK(found.sizes() == x.sizes());
    CHECK(found.payload<q::payload>().codes.sizes() == q::code_sizes(s, x.sizes()));
    CHECK(tb::q_scales(found).sizes() == q::scale_sizes(s, x.sizes()));
    CHECK(tb::dequantize(found).sizes() == x.sizes());
    CHECK(tb::int_repr(found).sizes() == x.sizes());
  }
}

TEST_CASE("quantize: arguments are checked", "[quantized][quantize]") {
  const tensor x({{1.0, 2.0}});
  const auto error_of = [&](auto f) { return text_of<tb::error>(f); };
  CHECK(error_of([&] { tb::quantize_per_tensor(x, 0.0, 0); }) ==
        "topbit::quantize_per_tensor: found scale 0, wanted a positive normal number of float32");
  CHECK(error_of([&] { tb::quantize_per_tensor(x, -1.0, 0); }).find("found scale -1") != std::string::npos);
  CHECK(error_of([&] { tb::quantize_per_tensor(x, infinity, 0); }).find("found scale inf") != std::string::npos);
  CHECK(error_of([&] { tb::quantize_per_tensor(x, 1e-40, 0); }).find("normal") != std::string::npos);
  CHECK(error_of([&] { tb::quantize_per_tensor(x, 1.0, 128); }) ==
        "topbit::quantize_per_tensor: found zero point 128, wanted -128 to 127");
  CHECK(error_of([&] { tb::quantize_per_tensor(x, 1.0, -1, 4); }) ==
        "topbit::quantize_per_tensor: found zero point -1, wanted 0 to 15");
  CHECK(error_of([&] { tb::quantize_per_tensor(x, 1.0, 0, 3); }) ==
        "topbit::quantize_per_tensor: found bits 3, wanted 8 or 4");
  CHECK(text_of<tb::dtype_error>([&] { tb::quantize_per_tensor(tensor({1}), 1.0, 0); }) ==
        "topbit::quantize_per_tensor: found int64, wanted a floating-point type");
  CHECK(text_of<tb::layout_error>([&] { q::quantize(q::quantize(x, q::int8), q::int8); }).find("dequantize(x)") !=
        std::string::npos);
  CHECK(error_of([&] { tb::quantize_per_channel(x, tensor({1.0}), std::nullopt, 1); }) ==
        "topbit::quantize_per_channel: found scales float32 [1], wanted floating-point numbers [2]");
  CHECK(error_of([&] {
          tb::quantize_per_channel(x, tensor({1.0, 0.0}), std::nullopt, 1);
        }).starts_with("topbit::quantize_per_channel: found a scale that is 0"));
  CHECK(error_of([&] { tb::quantize_per_channel(x, tensor({1.0, 1.0}), tensor({0, 128}), 1); }) ==
        "topbit::quantize_per_channel: found a zero point out of range, wanted -128 to 127");
  CHECK(text_of<tb::shape_error>([&] {
          tb::quantize_per_channel(x, tensor({1.0, 1.0}), std::nullopt, 2);
        }).starts_with("topbit::quantize_per_channel: "));
  CHECK(error_of([&] { tb::quantize_groups(x, 4, 3); }) ==
        "quantized::quantize: found group 3, wanted an even number from 2 to 1073741824");
  CHECK(error_of([&] { tb::quantize_groups(x * std::nan("")); }) ==
        "quantized::quantize: found NaN or infinity among the elements, wanted finite numbers");
  CHECK(text_of<tb::shape_error>([&] { q::quantize(tensor(1.0), q::int4); }).find("zero-dimensional") !=
        std::string::npos);
  CHECK(error_of([&] { tb::quantize_per_tensor(tensor(), 1.0, 0); }).starts_with("topbit::quantize_per_tensor: "));
}

TEST_CASE("scheme: its text is read back, and wrong text is an error", "[quantized][scheme]") {
  for (q::scheme s : schemes()) {
    CHECK(q::parse_scheme(to_string(s)) == s);
    s.dynamic_activations = true;
    CHECK(q::parse_scheme(to_string(s)) == s);
  }
  for (const char* text : {"", "bits=8", "per_row", "per_group group=x", "per_tensor bits=5", "per_tensor  bits=8"}) {
    CHECK(text_of<tb::bad_argument>([&] {
            q::parse_scheme(text);
          }).starts_with("a quantization scheme: found '" + std::string(text) + "', wanted per_tensor, "));
  }
}

TEST_CASE("quantize: the greatest numbers have finite scales", "[quantized]") {
  for (const q::scheme& s : {q::scheme{}, q::int8}) {
    const tensor x = tb::tensor({{-3e38F, 1.0F, 3e38F, 0.0F}});
    for (const double v : values(tb::dequantize(q::quantize(x, s, false)))) CHECK(std::isfinite(v));
  }
  CHECK_THROWS_AS(q::quantize(tb::tensor({{-3e38F, 3e38F}}), q::int4, false), tb::bad_argument);
}

TEST_CASE("quantize: groups and bits out of range are refused", "[quantized]") {
  const tensor x = tb::ones({2, 4});
  const q::scheme huge{
      .scales = q::granularity::per_group, .bits = 8, .group = std::numeric_limits<std::int64_t>::max() - 1};
  CHECK(text_of<tb::bad_argument>([&] { q::quantize(x, huge); }) ==
        "quantized::quantize: found group 9223372036854775806, wanted an even number from 2 to 1073741824");
  const q::scheme wide{.scales = q::granularity::per_group, .bits = 8, .group = std::int64_t(1) << 30};
  for (const double v : values(tb::dequantize(q::quantize(tb::to(x, dtype::float64), wide)))) {
    CHECK(std::abs(v - 1) < 0.01);
  }
  CHECK_THROWS_AS(q::min_max_observer({.bits = 3}), tb::bad_argument);
}
