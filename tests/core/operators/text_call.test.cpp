#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::call_text;
using toy::tensor;
using texts = std::vector<std::string>;

namespace text_call_ops {

inline constexpr tb::op<"text::add(Tensor self, Tensor other, *, int alpha=1) -> Tensor"> add;
inline constexpr tb::op<"text::fill(Tensor(a!) self, int n) -> Tensor(a!)"> fill;
inline constexpr tb::op<"text::strides(int[2] size, int[3] stride=1, int[2] pad=[0, 4]) -> int[]"> strides;
inline constexpr tb::op<"text::maybe(Tensor? a, int? n=None, str? how=None) -> (int?, str?)"> maybe;
inline constexpr tb::op<"text::reduce(Tensor a, int reduction=Mean, float scale=1e-1, bool keep=False) -> float">
    reduce;
inline constexpr tb::op<"text::turn(complex z, str note=\"a, b\") -> (complex, str)"> turn;
inline constexpr tb::op<"text::nothing() -> ()"> nothing;
inline constexpr tb::op<"text::grow(Tensor(a!)[] all) -> ()"> grow;
inline constexpr tb::op<"text::plain", std::int64_t(std::int64_t, std::string_view)> plain;
inline constexpr tb::op<"text::draw", toy::image(const toy::image&, double)> draw;
inline constexpr tb::op<"text::make", toy::image(double)> make;
inline constexpr tb::op<"text::widen", std::int64_t&(std::int64_t&)> widen;

const auto kernels = [] {
  auto block = tb::library("text");
  block.def(add).impl<[](const tensor& a, const tensor& b, std::int64_t alpha) {
    return tensor(a.keys(), a.value() + alpha * b.value());
  }>(add, key::CPU);
  block.def(fill).impl<[](tensor& self, std::int64_t n) -> tensor& { return self.set(n), self; }>(fill, key::CPU);
  block.def(strides)
      .impl<[](std::span<const std::int64_t> a, std::span<const std::int64_t> b, std::span<const std::int64_t> c) {
        std::vector<std::int64_t> all(a.begin(), a.end());
        all.insert(all.end(), b.begin(), b.end());
        all.insert(all.end(), c.begin(), c.end());
        return all;
      }>(strides);
  block.def(maybe)
      .impl<[](const std::optional<tensor>& a, std::optional<std::int64_t> n, std::optional<std::string_view> how) {
        return std::tuple(a && n ? std::optional(a->value() + *n) : std::nullopt,
                          how ? std::optional(std::string(*how)) : std::nullopt);
      }>(maybe);
  block.def(reduce).impl<[](const tensor& a, std::int64_t reduction, double scale, bool keep) {
    return static_cast<double>(a.value() + reduction) * scale + (keep ? 100 : 0);
  }>(reduce, key::CPU);
  block.def(turn).impl<[](std::complex<double> z, std::string_view note) {
    return std::tuple(z * std::complex<double>(0, 1), std::string(note));
  }>(turn);
  block.def(nothing).impl<[] {}>(nothing);
  block.def(plain).impl<[](std::int64_t n, std::string_view s) { return n + static_cast<std::int64_t>(s.size()); }>(
      plain);
  block.def(draw).impl<[](const toy::image& i, double) { return i; }>(draw);
  block.def(make).impl<[](double) { return toy::image{}; }>(make);
  block.def(widen).impl<[](std::int64_t& n) -> std::int64_t& { return n *= 2; }>(widen);
  return block;
}();

tb::operator_handle find(std::string_view name) { return tb::registry::process().find(name); }
std::string refusal(std::string_view name, std::initializer_list<std::string_view> arguments) {
  return toy::text_of<tb::bad_argument>([&] { call_text(find(name), arguments); });
}

}  // namespace text_call_ops
using namespace text_call_ops;

TEST_CASE("text_call: positional arguments, then by name, then the schema's defaults", "[core][text_call][G22]") {
  CHECK(call_text(find("text::add"), {"2", "3"}) == texts{"5"});
  CHECK(call_text(find("text::add"), {"2", "3", "alpha=10"}) == texts{"32"});
  CHECK(call_text(find("text::add"), {" alpha = -1", "other=3", "self=2"}) == texts{"-1"});
  CHECK(call_text(find("text::nothing"), {}) == texts{});
}

TEST_CASE("text_call: the schema's defaults are read as arguments are", "[core][text_call]") {
  CHECK(call_text(find("text::strides"), {"[5, 6]"}) == texts{"[5, 6, 1, 1, 1, 0, 4]"});
  CHECK(call_text(find("text::maybe"), {"7"}) == texts{"None", "None"});
  CHECK(call_text(find("text::reduce"), {"4"}) == texts{"0.5"});
  CHECK(call_text(find("text::turn"), {"1+2j"}) == texts{"-2+1j", "\"a, b\""});
}

TEST_CASE("text_call: one element stands for all of a list whose size the schema says", "[core][text_call]") {
  CHECK(call_text(find("text::strides"), {"7", "8", "pad=9"}) == texts{"[7, 7, 8, 8, 8, 9, 9]"});
}

TEST_CASE("text_call: an optional takes None, and gives it", "[core][text_call]") {
  CHECK(call_text(find("text::maybe"), {"1", "2", "how='x y'"}) == texts{"3", "\"x y\""});
  CHECK(call_text(find("text::maybe"), {"None", "2"}) == texts{"None", "None"});
}

TEST_CASE("text_call: an argument that is written to is made from its text, and the result shows it",
          "[core][text_call]") {
  CHECK(call_text(find("text::fill"), {"1", "42"}) == texts{"42"});
  CHECK(call_text(find("text::widen"), {"21"}) == texts{"42"});  // no handle: the value itself
}

TEST_CASE("text_call: without a schema arguments go by position", "[core][text_call]") {
  CHECK(call_text(find("text::plain"), {"1", "abc"}) == texts{"4"});
  CHECK(call_text(find("text::plain"), {"1", "'a=b'"}) == texts{"4"});
  CHECK(refusal("text::plain", {"1", "a=b"}) ==
        "text::plain: found 'a=', but its arguments have no names; quote a string that contains '='");
  CHECK(refusal("text::plain", {"1"}) == "text::plain, argument 2: found nothing, wanted 'std::string_view'");
  CHECK(refusal("text::plain", {"x", "a"}) == "text::plain, argument 1: found 'x' at column 1, wanted an integer");
}

TEST_CASE("text_call: a result that has no text is its type's name", "[core][text_call]") {
  CHECK(call_text(find("text::make"), {"1"}) == texts{"<toy::image>"});
}

TEST_CASE("text_call: errors name operator and argument, and say what was found and wanted", "[core][text_call][G22]") {
  CHECK(refusal("text::add", {"1", "x"}) == "text::add, argument 2 'other': found 'x' at column 1, wanted an integer");
  CHECK(refusal("text::add", {"1", "2", "alpha=2.5"}) ==
        "text::add, argument 3 'alpha': found '2.5' at column 1, wanted an integer");
  CHECK(refusal("text::add", {"1"}) == "text::add, argument 2 'other': found nothing, wanted 'toy::tensor'");
  CHECK(refusal("text::add", {"1", "2", "3"}) ==
        "text::add, argument 3 'alpha': found '3' by position, wanted 'alpha=...', since it is keyword-only");
  CHECK(refusal("text::fill", {"1", "2", "3"}) == "text::fill: found 3 arguments, wanted at most 2");
  CHECK(refusal("text::nothing", {"1"}) == "text::nothing: found 1 arguments, wanted none");
  CHECK(refusal("text::add", {"1", "self=2"}) == "text::add, argument 1 'self': found a second value for it");
  CHECK(refusal("text::add", {"alpha=1", "alpha=1"}) == "text::add, argument 3 'alpha': found a second value for it");
  CHECK(refusal("text::add", {"beta=2"}) ==
        "text::add: found the argument name 'beta', wanted one of 'self', 'other', 'alpha'");
  CHECK(refusal("text::add", {"self=1", "2"}) == "text::add: found the positional argument '2' after one by name");
  CHECK(refusal("text::maybe", {}) == "text::maybe, argument 1 'a': found nothing, wanted 'toy::tensor' or 'None'");
  CHECK(refusal("text::strides", {"[1, 2"}) ==
        "text::strides, argument 1 'size': found the end at column 6, wanted ',' or ']'");
  CHECK(refusal("text::draw", {"1", "2"}) ==
        "text::draw, argument 1: type 'toy::image' cannot be read from text; specialise topbit::boxed_type for it, "
        "with read()");
}

TEST_CASE("text_call: a refused text has called nothing, and the error has the operator", "[core][text_call]") {
  try {
    call_text(find("text::add"), {"1", "x"});
    FAIL("nothing was thrown");
  } catch (const tb::bad_argument& e) {
    CHECK(e.op() == "text::add");
  }
}

TEST_CASE("text_call: what the call throws passes through", "[core][text_call]") {
  const tb::exclude_guard no_cpu(key::CPU);
  CHECK_THROWS_AS(call_text(find("text::add"), {"1", "2"}), tb::no_kernel);
}

TEST_CASE("read_argument: one argument is read as call_text reads it", "[core][text_call]") {
  using tb::author::read_argument;
  CHECK(read_argument(strides.handle(), 0, "3").get<std::span<const std::int64_t>>().size() == 2);
  CHECK(read_argument(strides.handle(), 2, "[1, 2]").get<std::span<const std::int64_t>>()[1] == 2);
  CHECK(read_argument(maybe.handle(), 1, "None").is_none());
  CHECK(read_argument(reduce.handle(), 2, "2.5").get<double>() == 2.5);
  CHECK(toy::text_of<tb::bad_argument>([] {
          read_argument(reduce.handle(), 2, "x");
        }).starts_with("text::reduce, argument 3 'scale': found 'x' at column 1"));
  CHECK(toy::text_of<tb::bad_argument>([] {
          read_argument(reduce.handle(), 2, "2 3");
        }).starts_with("text::reduce, argument 3 'scale': found '3' at column 3"));
  tb::boxed_stack stack;
  stack.push(std::int64_t{1});
  CHECK_THROWS_AS(tb::author::push_arguments(stack, strides.handle(), std::vector<std::string_view>{"1", "x"}),
                  tb::bad_argument);
  CHECK(stack.size() == 1);
  tb::author::push_arguments(stack, strides.handle(), std::vector<std::string_view>{"1", "pad=[2, 3]"});
  CHECK(stack.size() == 4);
  CHECK(toy::text_of<tb::bad_argument>([] { read_argument(reduce.handle(), 4, "1"); }) ==
        "text::reduce: found argument number 4, wanted one below 4");
}
