// The operators on the parts of quantized tensors, called by text or boxed: bad parts are errors, and no call reads or
// writes outside its tensors.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "quantized_values.h"
#include "support/raises.h"
#include "support/scale.h"
// After the imports.
#include "support/hostile_calls.h"

namespace tb = topbit;
namespace q = topbit::quantized;
using tb::dtype, tb::tensor;
using toy::text_of;

namespace {

std::string error_of_call(std::string_view op, std::initializer_list<std::string_view> arguments) {
  return text_of<tb::error>([&] { tb::call_text(tb::registry::process().find(op), arguments); });
}

}  // namespace

TEST_CASE("parts of quantized tensors: random calls return or throw", "[quantized][property]") {
  support::hostile_calls calls(72);
  calls.add_layout(q::quantize(tb::ones({3, 4}), q::int8));
  support::make_hostile_calls(calls, scaled(1500));
}

TEST_CASE("parts of quantized tensors: each bad part is a sentence", "[quantized]") {
  const tensor codes = tb::to(tb::tensor({{1, 2}, {3, 4}}), dtype::int8), one = tb::tensor(0.5f);
  const auto dequantize = [&](const tensor& scales, std::int64_t bits, std::int64_t axis, std::int64_t group) {
    return text_of<tb::error>([&] {
      tb::native::_dequantize(codes, scales, std::nullopt, tb::shape{2, 2}, bits, axis, group, dtype::float32);
    });
  };
  CHECK(error_of_call("topbit::_dequantize", {"[1]", "0.5", "None", "[1000000]", "8", "-1", "0", "float32"}) ==
        "topbit::_dequantize: found codes [1], wanted [1000000]");
  CHECK(error_of_call("topbit::_dequantize", {"[1]", "0.5", "None", "[1]", "8", "-1", "0", "float32"}) ==
        "topbit::_dequantize: found codes of int64, wanted int8 or uint8");
  CHECK(error_of_call("topbit::_quantize", {"[1.5, 2.5]", "[0.5]", "None", "8", "0", "0", "True"}) ==
        "topbit::_quantize: found scales [1], wanted [2]");
  CHECK(error_of_call("topbit::_quantize", {"[1, 2]", "0.5", "None", "8", "-1", "0", "True"}) ==
        "topbit::_quantize: found int64, wanted a floating-point type");
  CHECK(dequantize(one, 4294967304, -1, 0) == "topbit::_dequantize: found bits 4294967304, wanted 8 or 4");
  CHECK(dequantize(one, 8, 2, 0) ==
        "topbit::_dequantize: found axis 2 for a tensor [2, 2], wanted one of its dimensions");
  CHECK(dequantize(one, 8, 0, 2) ==
        "topbit::_dequantize: found axis 0 and group 2, wanted axis -1 or group 0, and "
        "neither below");
  CHECK(dequantize(one, 8, -1, 3) == "topbit::_dequantize: found group 3, wanted an even number from 2 to 1073741824");
  CHECK(dequantize(tb::tensor({1, 2}), 8, 0, 0) ==
        "topbit::_dequantize: found scales of int64, wanted a floating-point type");
  const tensor x = tb::ones({3, 2});
  const auto linear = [&](const tensor& input, const std::optional<tensor>& bias, std::int64_t columns) {
    return text_of<tb::error>(
        [&] { tb::native::_quantized_linear(input, codes, one, std::nullopt, bias, columns, 8, -1, 0, false); });
  };
  CHECK(linear(x, std::nullopt, 100000) == "topbit::_quantized_linear: found codes [2, 2], wanted [2, 100000]");
  CHECK(linear(tb::ones({3, 5}), std::nullopt, 2) == "topbit::_quantized_linear: found input [3, 5], wanted [3, 2]");
  CHECK(linear(x, tb::ones({1}), 2) == "topbit::_quantized_linear: found bias [1], wanted [2]");
  CHECK(linear(tb::to(x, dtype::int32), std::nullopt, 2) ==
        "topbit::_quantized_linear: found input of int32, wanted a floating-point type");
  CHECK(text_of<tb::error>([&] {
          tb::native::_quantized_mm(x, tb::narrow(codes, 0, 0, 1), one, std::nullopt, 2, 8, -1, 0);
        }) == "topbit::_quantized_mm: found input [3, 2], wanted [3, 1]");
  const auto multiply_codes = [&](const tensor& input, const tensor& scales, const tensor& offsets) {
    return text_of<tb::error>([&] {
      tb::native::_quantized_linear_codes(input, scales, offsets, codes, one, std::nullopt, 2, 8, -1, 0,
                                          dtype::float32);
    });
  };
  CHECK(multiply_codes(codes, tb::ones({3}), {}) ==
        "topbit::_quantized_linear_codes: found input_scales [3], wanted [2]");
  CHECK(multiply_codes(x, one, {}) == "topbit::_quantized_linear_codes: found input of float32, wanted int8 or uint8");
  CHECK(multiply_codes(codes, one, tb::tensor(0.5f)) ==
        "topbit::_quantized_linear_codes: found input_offsets of float32, wanted int32 zero points");
}

TEST_CASE("parts of quantized tensors: scales and zero points may be written to, and stay safe", "[quantized]") {
  const tensor w = q::quantize(tb::ones({4, 70}), q::int8, false);
  tensor points = tb::q_zero_points(w), scales = tb::q_scales(w);
  for (const std::int64_t point : {std::int64_t{std::numeric_limits<std::int32_t>::min()},
                                   std::int64_t{std::numeric_limits<std::int32_t>::max()}}) {
    tb::fill_(points, point);
    CHECK(tb::dequantize(w).sizes() == tb::shape{4, 70});
    CHECK(tb::linear(tb::ones({5, 70}), w).sizes() == tb::shape{5, 4});
  }
  tb::fill_(scales, std::numeric_limits<double>::quiet_NaN());
  CHECK(tb::linear(tb::ones({5, 70}), w).sizes() == tb::shape{5, 4});
}
