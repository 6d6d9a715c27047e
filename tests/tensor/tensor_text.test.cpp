#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using tb::dtype;
using tb::tensor;

namespace {
// What a text is read as, written again.
std::string shown(std::string_view text) { return to_string(tb::value(tb::author::read_text<tensor>(text))); }
std::string refusal(std::string_view text) {
  return toy::text_of<tb::bad_argument>([&] { (void)tb::author::read_text<tensor>(text); });
}
}  // namespace

TEST_CASE("tensor_text: integers give int64, mixed with floating numbers float32, bools bool", "[tensor][text]") {
  CHECK(shown("[[1, 2], [3, 4]]") == "[[1, 2], [3, 4]] (int64 [2, 2])");
  CHECK(shown("[1, 2.5]") == "[1, 2.5] (float32 [2])");
  CHECK(shown("[1e3]") == "[1000] (float32 [1])");
  CHECK(shown("[True, false]") == "[true, false] (bool [2])");
  CHECK(shown("[True, 2]") == "[1, 2] (int64 [2])");
  CHECK(shown("[inf, -nan]") == "[inf, nan] (float32 [2])");
  CHECK(shown("[]") == "[] (float32 [0])");
  CHECK(shown("[[], []]") == "[[], []] (float32 [2, 0])");
}

TEST_CASE("tensor_text: a number alone has no dimensions", "[tensor][text]") {
  CHECK(shown("3") == "3 (int64 [])");
  CHECK(shown(" -2.5 ") == "-2.5 (float32 [])");
}

TEST_CASE("tensor_text: a description says the type, the sizes and the device", "[tensor][text]") {
  CHECK(shown("[1, 2] (float64)") == "[1, 2] (float64 [2])");
  CHECK(shown("[] (float32 [0, 2])") == "[] (float32 [0, 2])");
  CHECK(shown("(float32 [2, 1])") == "[[0], [0]] (float32 [2, 1])");
  CHECK(shown("(int64 [])") == "0 (int64 [])");
  CHECK(shown("(int64 [2, 3] on meta)") == "(int64 [2, 3] on meta)");
  CHECK(shown("[1, 2] (int64 on meta)") == "(int64 [2] on meta)");
  CHECK(shown("(bool [1000000, 1000000] on meta)") == "(bool [1000000, 1000000] on meta)");
  CHECK(shown("undefined tensor") == "undefined tensor");
}

TEST_CASE("tensor_text: errors for ragged, too deep or non-numeric text have a column", "[tensor][text]") {
  CHECK(refusal("[[1, 2], [3]]") == "found '[' at column 10, wanted a list of 2, as before; this one has 1");
  CHECK(refusal("[[1], 2]") == "found '2' at column 7, wanted a list, '[', as before");
  CHECK(refusal("[1, [2]]") == "found '[' at column 5, wanted a number, as before");
  CHECK(refusal("[[], [1]]") == "found '[' at column 6, wanted a list of 0, as before; this one has 1");
  CHECK(refusal("[[[]], []]") == "found '[' at column 8, wanted a list of 1, as before; this one has 0");
  CHECK(refusal("[[[[[[[[[1]]]]]]]]]") == "found '[' at column 9, wanted at most 8 dimensions");
  CHECK(refusal(std::string(1'000'000, '[')) == "found '[' at column 9, wanted at most 8 dimensions");
  CHECK(refusal("[1, x]") == "found 'x' at column 5, wanted a number");
  CHECK(refusal("[1 2]") == "found '2' at column 4, wanted ',' or ']'");
  CHECK(refusal("") == "found the end at column 1, wanted a number");
  CHECK(refusal("[9223372036854775808]") ==
        "found '9223372036854775808' at column 2, wanted an integer in the range of this type");
  CHECK(refusal("[1e39]") == "found '1e39' at column 2, wanted a number in the range of this type");
  CHECK(refusal("[1.5] (int64)") == "found '1.5' at column 2, wanted an integer");
  CHECK(refusal("[1] (bool)") == "found '1' at column 2, wanted True or False");
}

TEST_CASE("tensor_text: a mismatched description is an error", "[tensor][text]") {
  CHECK(refusal("[1, 2] (int64 [3])") == "found '(' at column 8, wanted the sizes of the values, [2]");
  CHECK(refusal("(int64 [2] on cuda)") ==
        "found 'cuda' at column 15, wanted cpu or meta; operators move tensors to "
        "other devices");
  CHECK(refusal("(int64)") == "found ')' at column 7, wanted a list, '['");
  CHECK(refusal("(int64 [-1])") == "found '[' at column 8, wanted sizes that are not negative");
  CHECK(refusal("(int64 [1,1,1,1,1,1,1,1,1])") == "found '[' at column 8, wanted at most 8 dimensions");
  CHECK(refusal("(int64 [9999, 9999])") == "found '(' at column 1, wanted at most 16777216 elements");
  CHECK(refusal("[1] (float32 [9223372036854775807, 9223372036854775807])") ==
        "found '(' at column 5, wanted the sizes of the values, [1]");
  CHECK(refusal("[] (float32 [3037000500, 3037000500, 2] on meta)") ==
        "found '(' at column 4, wanted the sizes of the values, [0]");
  CHECK(refusal("[1] (float32 [-9223372036854775808, -1])") ==
        "found '[' at column 14, wanted sizes that are not negative");
  CHECK(refusal("(float32 [0, 9223372036854775807, 9223372036854775807])") ==
        "found '(' at column 1, wanted at most 16777216 elements");
  CHECK(refusal("(int15 [1])") ==
        "found 'int15' at column 2, wanted one of bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, "
        "float64");
}

TEST_CASE("tensor_text: a fully printed tensor parses as the same tensor", "[tensor][text]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto n = [&](std::uint64_t below) { return static_cast<std::int64_t>(random() % below); };
    tb::shape sizes;
    for (auto d = n(4); d != 0; --d) sizes.push_back(n(5));
    const auto type = static_cast<dtype>(n(4));
    const tensor t = tb::author::make_tensor(sizes, type, n(8) == 0 ? tb::meta : tb::cpu);
    if (t.data() != nullptr) {
      auto* bytes = static_cast<unsigned char*>(t.data());
      for (std::size_t b = 0; b < static_cast<std::size_t>(t.numel()) * size_of(type); ++b) {
        bytes[b] = static_cast<unsigned char>(type == dtype::boolean ? n(2) : n(256));
      }
    }
    const std::string text = to_string(tb::value(t));
    if (shown(text) != text) FAIL("read " << text << " as " << shown(text));
  }
}

TEST_CASE("tensor_text: an operator is called with tensors as they are typed", "[tensor][text][text_call]") {
  using texts = std::vector<std::string>;
  const auto call = [](std::string_view name, std::initializer_list<std::string_view> arguments) {
    return call_text(tb::registry::process().find(name), arguments);
  };
  CHECK(call("aten::add.Tensor", {"[1,2]", "3"}) == texts{"[4, 5] (int64 [2])"});
  CHECK(call("aten::add.Tensor", {"[1,2]", "[0.5, 1.5]", "alpha=2"}) == texts{"[2, 5] (float32 [2])"});
  CHECK(call("aten::add_.Tensor", {"[1.0]", "3"}) == texts{"[4] (float32 [1])"});
  CHECK(call("aten::add.Tensor", {"(float32 [2] on meta)", "(float32 [2] on meta)"}) == texts{"(float32 [2] on meta)"});
}

TEST_CASE("tensor_text: any text gives a tensor or a topbit error", "[tensor][text]") {
  std::mt19937_64 random(2);
  const std::string_view good[] = {"[[1, 2], [3, 4]]", "[1.5, True] (float64 [2])", "(float32 [2, 3] on meta)",
                                   "undefined tensor"};
  const std::string_view sizes[] = {" [9223372036854775807, 9223372036854775807]", " [0, 4611686018427387904, 2, 2]",
                                    " [3037000500, 3037000500, 2]", " [-9223372036854775808, -1]"};
  int read = 0, refused = 0;
  for (int i = 0; i < 40'000; ++i) {
    std::string text(good[random() % 4]);
    if (const std::size_t at = text.rfind(" ["); random() % 8 == 0 && text.ends_with(')') && at != text.npos) {
      text.replace(at, text.find(']', at) + 1 - at, sizes[random() % 4]);
    }
    for (auto n = random() % 4; n != 0; --n) {
      const std::size_t at = random() % (text.size() + 1);
      if (random() % 2 == 0)
        text.insert(at, 1, "[](),-+.e 0123456789nT\xff"[random() % 23]);
      else
        text.erase(at, 1 + random() % 3);
    }
    try {
      (void)tb::author::read_text<tensor>(text);
      ++read;
    } catch (const tb::error&) {
      ++refused;
    }
  }
  CHECK(read > 5'000);
  CHECK(refused > 5'000);
}
