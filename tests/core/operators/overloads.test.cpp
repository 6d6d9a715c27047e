#include <array>
#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;

namespace overload_ops {

inline constexpr tb::op<"ov::sum(Tensor self, *, bool exact=False) -> str"> sum_all;
inline constexpr tb::op<"ov::sum.dim(Tensor self, int[1]? dim, bool keepdim=False, *, bool exact=False) -> str">
    sum_dim;
inline constexpr tb::op<
    "ov::sum.out(Tensor self, int[1]? dim, bool keepdim=False, *, bool exact=False, str out) -> str">
    sum_out;
inline constexpr tb::overloads<sum_all, sum_dim, sum_out> sum;

inline constexpr tb::op<"ov::var(Tensor self, bool unbiased=True) -> str"> var_all;
inline constexpr tb::op<"ov::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> str"> var_dim;
inline constexpr tb::op<
    "ov::var.correction(Tensor self, int[1]? dim=None, *, int? correction=None, bool keepdim=False)"
    " -> str">
    var_correction;
inline constexpr tb::overloads<var_all, var_dim, var_correction> var;

inline constexpr tb::op<"ov::range(Tensor like, float end) -> str"> range_end;
inline constexpr tb::op<"ov::range.start(Tensor like, float start, float end) -> str"> range_start;
inline constexpr tb::op<"ov::range.step(Tensor like, float start, float end, float step=1) -> str"> range_step;
inline constexpr tb::overloads<range_end, range_start, range_step> range;

inline constexpr tb::op<"ov::split(Tensor self, int size) -> str"> split_size;
inline constexpr tb::op<"ov::split.sizes(Tensor self, int[] sizes) -> str"> split_sizes;
inline constexpr tb::overloads<split_size, split_sizes> split;

inline constexpr tb::op<"ov::conv(Tensor self, Tensor? bias=None, int[2] stride=1, int[2] padding=0) -> str">
    conv_plain;
inline constexpr tb::op<
    "ov::conv.padding(Tensor self, Tensor? bias=None, int[2] stride=1, str padding=\"valid\") -> str">
    conv_padding;
inline constexpr tb::overloads<conv_plain, conv_padding> conv;

inline constexpr tb::op<"ov::cat(Tensor[] all, int dim=0) -> str"> cat_one;
inline constexpr tb::overloads<cat_one> cat;

inline constexpr tb::op<"ov::twin.a(Tensor self, int n) -> str"> twin_a;
inline constexpr tb::op<"ov::twin.b(Tensor self, int n) -> str"> twin_b;
inline constexpr tb::overloads<twin_a, twin_b> twin;

// Says which operator was called, and with which lists.
void show(std::string& text, std::span<const std::int64_t> list) {
  text += " [";
  for (std::int64_t i : list) text += std::to_string(i) + " ";
  text.back() = list.empty() ? '[' : ']';
  if (list.empty()) text += "]";
}
template <class T>
void show(std::string& text, const T& x) {
  if constexpr (std::same_as<T, std::optional<std::span<const std::int64_t>>>) {
    if (x)
      show(text, *x);
    else
      text += " none";
  } else if constexpr (std::same_as<T, bool>) {
    text += x ? " true" : " false";
  } else if constexpr (std::same_as<T, std::int64_t>) {
    text += " " + std::to_string(x);
  }
}
template <class Op, class Sig>
struct names_itself;
template <class Op, class R, class... A>
struct names_itself<Op, R(A...)> {
  static std::string run(A... a) {
    std::string text(Op::name().substr(4));
    (show(text, a), ...);
    return text;
  }
};
template <auto... Op>
tb::library_block define_all() {
  tb::library_block lib = tb::library("ov");
  const auto add = [&]<class O>(const O& op) {
    lib.def(op).template impl<&names_itself<O, typename O::signature>::run>(op, key::CPU);
  };
  (add(Op), ...);
  return lib;
}
const tb::library_block kernels =
    define_all<sum_all, sum_dim, sum_out, var_all, var_dim, var_correction, range_end, range_start, range_step,
               split_size, split_sizes, conv_plain, conv_padding, cat_one, twin_a, twin_b>();

}  // namespace overload_ops
using namespace overload_ops;

TEST_CASE("overloads: the arguments say which operator is called", "[core][overloads]") {
  const toy::tensor t(key::CPU, 7);
  const std::vector<std::int64_t> shape{0, 1};
  CHECK(sum(t) == "sum false");
  CHECK(sum(t, 1) == "sum.dim [1] false false");
  CHECK(sum(t, shape, true) == "sum.dim [0 1] true false");
  CHECK(sum(t, std::nullopt) == "sum.dim none false false");
  CHECK(sum(t, tb::arg<"exact"> = true) == "sum true");
  CHECK(sum(t, 1, tb::arg<"out"> = "x") == "sum.out [1] false false");
  CHECK(sum(t, tb::arg<"dim"> = shape, tb::arg<"out"> = "x") == "sum.out [0 1] false false");
  CHECK(split(t, 2) == "split 2");
  CHECK(split(t, shape) == "split.sizes [0 1]");
}

TEST_CASE("overloads: braced lists choose among operators that take lists", "[core][overloads]") {
  toy::tensor t(key::CPU, 7);
  const std::int64_t n = 4;
  CHECK(sum(t, {n, -1}) == "sum.dim [4 -1] false false");
  CHECK(sum(t, {}) == "sum.dim [] false false");
  CHECK(sum(t, {0}, true) == "sum.dim [0] true false");
  CHECK(sum(t, {0}, tb::arg<"keepdim"> = true) == "sum.dim [0] true false");
  CHECK(sum(t, {0}, tb::arg<"out"> = "x") == "sum.out [0] false false");
  CHECK(sum(t, tb::arg<"dim"> = {1, 0}) == "sum.dim [1 0] false false");
  CHECK(split(t, {2}) == "split.sizes [2]");
  CHECK(split(t, {2, 3}) == "split.sizes [2 3]");
  CHECK(var(t, {1}) == "var.dim [1] true false");
  CHECK(var(t, {1}, tb::arg<"correction"> = 0) == "var.correction [1] false");
  CHECK(conv(t, {}, 2, {1, 1}) == "conv [2 2] [1 1]");
  CHECK(conv(t, t, {2, 1}) == "conv [2 1] [0 0]");
  CHECK(conv(t, {}, 2, "same") == "conv.padding [2 2]");
  CHECK(conv(t, tb::arg<"padding"> = {3, 1}) == "conv [1 1] [3 1]");
  CHECK(cat({t, t}) == "cat 0");
  CHECK(cat({t, t}, 1) == "cat 1");
  CHECK(cat(std::vector{t, t}, 1) == "cat 1");
}

TEST_CASE("overloads: exact before converted, converted before a number for a list, few defaults before many",
          "[core][overloads]") {
  const toy::tensor t(key::CPU, 7);
  CHECK(range(t, 6) == "range");
  CHECK(range(t, 0, 6) == "range.start");
  CHECK(range(t, 0, 6, 2) == "range.step");
  CHECK(var(t, true) == "var true");
  CHECK(var(t, 1) == "var.dim [1] true false");
  CHECK(var(t, tb::arg<"unbiased"> = false) == "var false");
  CHECK(var(t) == "var true");
  CHECK(conv(t) == "conv [1 1] [0 0]");
  CHECK(conv(t, tb::arg<"padding"> = "same") == "conv.padding [1 1]");
}

namespace {

template <auto Set, class... B>
concept resolves = requires { typename decltype(Set)::template resolve<B...>; };
using tensor = const toy::tensor&;

}  // namespace

TEST_CASE("overloads: a call that nothing fits, or two fit, has no operator", "[core][overloads]") {
  STATIC_REQUIRE(std::same_as<decltype(sum)::resolve<tensor, int>, std::remove_const_t<decltype(sum_dim)>>);
  STATIC_REQUIRE_FALSE(resolves<sum, tensor, bool>);             // a bool is no dimension
  STATIC_REQUIRE_FALSE(resolves<sum, tensor, double>);           // nor is 1.5
  STATIC_REQUIRE_FALSE(resolves<sum, tensor, int, bool, bool>);  // exact is keyword-only
  STATIC_REQUIRE_FALSE(resolves<sum, tensor, int, tb::author::named_argument<"keepdims", bool>>);
  STATIC_REQUIRE_FALSE(resolves<twin, tensor, int>);
  STATIC_REQUIRE_FALSE(resolves<var, tensor, int, int>);  // an int is no bool
}

TEST_CASE("overloads: explain explains the operator that is meant", "[core][overloads]") {
  const toy::tensor t(key::CPU, 7);
  CHECK(tb::explain(sum, t).op == "ov::sum");
  CHECK(tb::explain(sum, t, 1).op == "ov::sum.dim");
  CHECK(tb::explain(sum, t, 1, tb::arg<"out"> = "x").op == "ov::sum.out");
}
