#include <catch2/catch_test_macros.hpp>
#include <format>
#include <string>
#include <string_view>

import topbit;
import topbit.format;

namespace tb = topbit;

TEST_CASE("format: tensors take a precision or nothing", "[format]") {
  const tb::tensor t({{1.F, 2.5F}, {-3.F, 0.125F}});
  CHECK(std::format("{}", t) == tb::to_string(t));
  CHECK(std::format("x = {:.1}!", t) == "x = [[ 1. ,  2.5],\n [-3. ,  0.1]] (float32 [2, 2])!");
  CHECK(std::format("{:.12}", tb::tensor({0.5})) == "[0.5] (float32 [1])");
  CHECK(std::format("{}", tb::tensor()) == "undefined tensor");
}

TEST_CASE("format: names, keys, sizes and answers are strings", "[format]") {
  CHECK(std::format("{} {} {}", tb::dtype::float32, tb::layout::strided, tb::memory_format::preserve) ==
        "float32 strided preserve_format");
  CHECK(std::format("[{:>8}|{:*<8}]", tb::cuda(1), tb::shape{2, 3}) == "[  cuda:1|[2, 3]**]");
  CHECK(std::format("{} {}", tb::key::CPU, tb::key_set{tb::key::CPU, tb::key::CUDA}) == "CPU {CPU, CUDA}");
  CHECK(std::format("{}", tb::scalar(2.5)) == "2.5");
  const tb::tensor t({1, 2});
  const auto why = tb::explain(tb::aten::neg, t);
  CHECK(std::format("{}", why) == to_string(why));
}

namespace {

template <class T>
std::string refusal(std::string_view specification, const T& x) {
  try {
    return std::vformat(specification, std::make_format_args(x));
  } catch (const std::format_error& e) {
    return e.what();
  }
}

}  // namespace

// In a literal they do not compile.
TEST_CASE("format: another specification is refused", "[format]") {
  const std::string of_tensor =
      "topbit.format: a tensor takes no specification but a precision of at most three digits, as {:.2}; use "
      "topbit::to_string for more";
  const tb::tensor t({1, 2});
  for (const char* specification : {"{:x}", "{:>8}", "{:.}", "{:.x}", "{:.2f}", "{:.1234}", "{: }"}) {
    INFO(specification);
    CHECK(refusal(specification, t) == of_tensor);
  }
  CHECK(refusal("{:.2}", tb::scalar(2.5)) ==
        "topbit.format: a scalar takes no specification; format its to_double() or to_int64()");
}

// Nothing of others becomes formattable.
struct stranger {};
static_assert(!tb::printable<stranger> && !tb::printable<std::string> && !tb::printable<int>);
