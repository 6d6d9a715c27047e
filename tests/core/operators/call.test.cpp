#include <array>
#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;

namespace call_ops {

inline constexpr tb::op<
    "call::scale(Tensor self, int by=2, *, float shift=-0.5, bool twice=False, str unit=\"m\", int? "
    "limit=None, int? least=-3) -> str">
    scale;
inline constexpr tb::op<"call::plain(Tensor self, int n) -> int"> plain;
inline constexpr tb::op<"call::listed(Tensor self, int n=2, int[] all) -> int"> listed;

std::string scale_cpu(const toy::tensor& self, std::int64_t by, double shift, bool twice, std::string_view unit,
                      std::optional<std::int64_t> limit, std::optional<std::int64_t> least) {
  return std::to_string(self.value()) + "*" + std::to_string(by) + (shift == -0.5 ? "-0.5" : "+?") +
         (twice ? " twice " : " once ") + std::string(unit) + (limit ? " <" + std::to_string(*limit) : "") +
         (least ? " >" + std::to_string(*least) : "");
}
const auto kernels = tb::library("call")
                         .def(scale)
                         .impl<&scale_cpu>(scale, key::CPU)
                         .def(plain)
                         .impl<[](const toy::tensor& t, std::int64_t n) { return t.value() + n; }>(plain, key::CPU)
                         .def(listed)
                         .impl<[](const toy::tensor&, std::int64_t n, std::span<const std::int64_t> all) {
                           return n * static_cast<std::int64_t>(all.size());
                         }>(listed, key::CPU);

using scale_op = std::remove_const_t<decltype(scale)>;
using plain_op = std::remove_const_t<decltype(plain)>;

}  // namespace call_ops
using namespace call_ops;

TEST_CASE("call: what is not given comes from the schema", "[core][call]") {
  const toy::tensor t(key::CPU, 7);
  CHECK(scale(t) == "7*2-0.5 once m >-3");
  CHECK(scale(t, 3) == "7*3-0.5 once m >-3");
  CHECK(scale(t, 3, 1.0, true, "km", 9, std::nullopt) == "7*3+? twice km <9");
}

TEST_CASE("call: keyword arguments go by name, in any order", "[core][call]") {
  const toy::tensor t(key::CPU, 7);
  CHECK(scale(t, tb::arg<"unit"> = "km") == "7*2-0.5 once km >-3");
  CHECK(scale(t, tb::arg<"limit"> = 4, tb::arg<"twice"> = true) == "7*2-0.5 twice m <4 >-3");
  CHECK(scale(t, tb::arg<"by"> = 5, tb::arg<"least"> = std::nullopt) == "7*5-0.5 once m");
  CHECK(plain(t, tb::arg<"n"> = 1) == 8);
  CHECK(plain(tb::arg<"n"> = 1, tb::arg<"self"> = t) == 8);
}

TEST_CASE("call: a list without a default behind an argument with one goes by name or by position",
          "[core][call][G8]") {
  const toy::tensor t(key::CPU, 7);
  const std::array<std::int64_t, 3> all{1, 2, 3};
  CHECK(listed(t, tb::arg<"all"> = all) == 6);
  CHECK(listed(t, 5, all) == 15);
  using op = std::remove_const_t<decltype(listed)>;
  STATIC_REQUIRE_FALSE(tb::callable_with<op, const toy::tensor&, int>);  // all has no default
}

TEST_CASE("call: a wrong keyword, a doubled one, or a hole is no call", "[core][call]") {
  using tensor = const toy::tensor&;
  using n = tb::author::named_argument<"n", int>;
  using self = tb::author::named_argument<"self", tensor>;
  using m = tb::author::named_argument<"m", int>;
  STATIC_REQUIRE(tb::callable_with<plain_op, tensor, int>);
  STATIC_REQUIRE(tb::callable_with<plain_op, tensor, n>);
  STATIC_REQUIRE(tb::callable_with<plain_op, n, self>);
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, tensor>);           // a hole: n has no default
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, tensor, m>);        // no such argument
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, tensor, n, n>);     // twice
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, tensor, int, n>);   // given by position already
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, n, tensor>);        // by position after by name
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, tensor, self, n>);  // the first one twice
}

TEST_CASE("call: what a keyword carries is neither copied nor moved on the way", "[core][call]") {
  const toy::tensor t(key::CPU, 7);
  toy::tensor::references_taken = 0;
  CHECK(plain(tb::arg<"n"> = 1, tb::arg<"self"> = t) == 8);
  CHECK(toy::tensor::references_taken == 0);
}

TEST_CASE("call: arguments become the types of the schema, whatever the caller has", "[core][call][C10]") {
  struct derived : toy::tensor {
    using toy::tensor::tensor;
  };
  const derived t(key::CPU, 7);
  // A kernel is reached through a pointer of the schema's type: a narrower argument has to be widened on the way.
  CHECK(plain(t, static_cast<signed char>(-3)) == 4);
  CHECK(plain(t, static_cast<unsigned short>(65'535)) == 65'542);
  CHECK(plain(t, -1) == 6);
  CHECK(plain(t, true) == 8);
  CHECK(scale(t, 1, -0.5F, false, std::string("cm"), static_cast<short>(-2), 'A') == "7*1-0.5 once cm <-2 >65");
  CHECK(plain.redispatch(key::CPU, t, -1) == 6);
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, const toy::tensor&, const char*>);
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, int, int>);
  // A temporary that is made of an argument lives as long as the call.
  CHECK(scale(t, tb::arg<"unit"> = std::string(100, 'x')).find(std::string(100, 'x')) != std::string::npos);
}

TEST_CASE("call: what could lose something in the conversion is no call", "[core][call]") {
  STATIC_REQUIRE(tb::callable_with<plain_op, const toy::tensor&, unsigned>);
  STATIC_REQUIRE(tb::callable_with<plain_op, const toy::tensor&, bool>);
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, const toy::tensor&, double>);
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, const toy::tensor&, std::uint64_t>);
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, const toy::tensor&, __int128>);
  struct counted {
    operator double() const { return 2.5; }
  };
  STATIC_REQUIRE_FALSE(tb::callable_with<plain_op, const toy::tensor&, counted>);
  using flags_op = tb::op<"call::flags(bool b=False, float f=0, int? n=None, complex c=0) -> int">;
  STATIC_REQUIRE(tb::callable_with<flags_op, bool, float, int>);
  STATIC_REQUIRE(tb::callable_with<flags_op, bool, int, std::nullopt_t, double>);
  STATIC_REQUIRE(tb::callable_with<flags_op, bool, int, std::optional<int>>);
  STATIC_REQUIRE_FALSE(tb::callable_with<flags_op, const char*>);
  STATIC_REQUIRE_FALSE(tb::callable_with<flags_op, int>);
  STATIC_REQUIRE_FALSE(tb::callable_with<flags_op, bool, std::int64_t>);
  STATIC_REQUIRE_FALSE(tb::callable_with<flags_op, bool, float, double>);
  STATIC_REQUIRE_FALSE(tb::callable_with<flags_op, bool, float, std::optional<double>>);
  STATIC_REQUIRE_FALSE(tb::callable_with<flags_op, bool, float, int, std::int64_t>);
}

namespace call_ops {
constexpr tb::op<
    "call::lists(int[2] a=3, int[] b=[1, # 5,\n 2], float[] c=[], int?[] d=[1, None], bool[] e=[True, False], "
    "str f='''it's \\101''') -> str">
    lists;
std::string lists_cpu(std::span<const std::int64_t> a, std::span<const std::int64_t> b, std::span<const double> c,
                      std::span<const std::optional<std::int64_t>> d, std::span<const bool> e, std::string_view f) {
  std::string text;
  for (std::int64_t x : a) text += std::to_string(x) + " ";
  for (std::int64_t x : b) text += std::to_string(x) + " ";
  text += std::to_string(c.size()) + " ";
  for (const auto& x : d) text += x ? std::to_string(*x) + " " : "none ";
  for (bool x : e) text += x ? "true " : "false ";
  return text + std::string(f);
}
const auto list_kernels = tb::fragment("call").def(lists).impl<&lists_cpu>(lists);
}  // namespace call_ops

TEST_CASE("call: lists and texts are defaults too", "[core][call]") {
  CHECK(call_ops::lists() == "3 3 1 2 0 1 none true false it's A");
  const std::int64_t given[] = {9};
  CHECK(call_ops::lists(tb::arg<"b"> = std::span<const std::int64_t>(given)) == "3 3 9 0 1 none true false it's A");
}

namespace call_ops {

inline constexpr tb::op<"call::window(int[2] size, int[3]? step=None, *, int[2] pad=0) -> str"> window;
inline constexpr tb::op<"call::any_size(int[] size) -> int"> any_size;
inline constexpr tb::op<"call::pair(int[2] size) -> int"> pair;

std::string joined(std::span<const std::int64_t> x) {
  std::string text;
  for (std::int64_t i : x) text += std::to_string(i) + ",";
  return text;
}
std::string window_kernel(std::span<const std::int64_t> size, std::optional<std::span<const std::int64_t>> step,
                          std::span<const std::int64_t> pad) {
  return joined(size) + (step ? " step " + joined(*step) : "") + " pad " + joined(pad);
}
std::int64_t first(std::span<const std::int64_t> x) { return x[0] + 10 * x[x.size() - 1]; }
const auto window_kernels = tb::fragment("call")
                                .def(window)
                                .impl<&window_kernel>(window)
                                .def(any_size)
                                .impl<&first>(any_size)
                                .def(pair)
                                .impl<&first>(pair);

}  // namespace call_ops

TEST_CASE("call: where the schema says int[2], one number stands for two", "[core][call]") {
  CHECK(window(3) == "3,3, pad 0,0,");
  CHECK(window(3, 2) == "3,3, step 2,2,2, pad 0,0,");
  CHECK(window(3, tb::arg<"pad"> = std::uint8_t{7}) == "3,3, pad 7,7,");
  CHECK(window(std::array<std::int64_t, 2>{1, 2}, 5, tb::arg<"pad"> = 1) == "1,2, step 5,5,5, pad 1,1,");
  CHECK(window(3, std::nullopt) == "3,3, pad 0,0,");
  CHECK(pair(4) == 44);
  CHECK(pair(std::array<std::int64_t, 2>{1, 2}) == 21);

  using op = std::remove_const_t<decltype(window)>;
  STATIC_REQUIRE(tb::callable_with<op, int, int>);
  STATIC_REQUIRE_FALSE(tb::callable_with<op, double>);
  STATIC_REQUIRE_FALSE(tb::callable_with<op, bool>);
  STATIC_REQUIRE_FALSE(tb::callable_with<op, std::uint64_t>);
  STATIC_REQUIRE_FALSE(tb::callable_with<op, int, int, int>);  // pad goes by name
  CHECK(any_size(4) == 44);                                    // a list of one, as PyTorch's ArrayRef
}
