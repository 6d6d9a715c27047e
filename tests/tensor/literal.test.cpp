#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/print.h"
#include "support/raises.h"
#include "support/tensor_print.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using tb::dtype;
using tb::tensor;
using toy::text_of;

namespace {

std::string line(const tensor& t) { return to_string(t, {.one_line = true}); }

// What a function that takes a tensor may not be given.
template <class T>
concept given_braces = requires(void (*f)(const T&)) { f({1, 2}); };
template <class T>
concept given_nested_braces = requires(void (*f)(const T&)) { f({{1}, {2}}); };
template <class T>
concept begun_with_braces = requires { [](T) {}({1, 2}); };
static_assert(!given_braces<tensor> && !given_nested_braces<tensor> && !begun_with_braces<tensor>);
static_assert(!std::is_convertible_v<int, tensor> && !std::is_convertible_v<double, tensor> &&
              !std::is_convertible_v<tb::literal, tensor> &&
              !std::is_convertible_v<std::initializer_list<int>, tensor> &&
              !std::is_convertible_v<std::initializer_list<tb::literal>, tensor>);
static_assert(!std::is_constructible_v<tensor, std::string> && !std::is_convertible_v<std::vector<float>, tensor> &&
              !std::is_constructible_v<tensor, std::nullptr_t>);

enum plain { value };
static_assert(!std::is_constructible_v<tb::literal, int*> && !std::is_constructible_v<tb::literal, const char*> &&
              !std::is_constructible_v<tb::literal, std::nullptr_t> && !std::is_constructible_v<tb::literal, plain> &&
              !std::is_constructible_v<tb::literal, tensor>);

}  // namespace

TEST_CASE("literal: braces make a tensor of their shape", "[tensor][literal]") {
  CHECK(line(tensor({1, 2, 3})) == "[1, 2, 3] (int64 [3])");
  CHECK(line(tensor({{1, 2}, {3, 4}})) == "[[1, 2], [3, 4]] (int64 [2, 2])");
  CHECK(line(tensor({{{1}, {2}, {3}}})) == "[[[1], [2], [3]]] (int64 [1, 3, 1])");
  CHECK(line(tensor({7})) == "[7] (int64 [1])");
  CHECK(line(tensor({{7}})) == "[[7]] (int64 [1, 1])");
  CHECK(line(tensor{1, 2}) == "[1, 2] (int64 [2])");
  CHECK(line(tensor({{}, {}})) == "[[], []] (float32 [2, 0])");
  CHECK(line(tensor({{{{{{{{1, 2}}}}}}}})) == "[[[[[[[[1, 2]]]]]]]] (int64 [1, 1, 1, 1, 1, 1, 1, 2])");
  CHECK(!tensor{}.defined());
  CHECK(tensor({1}).device() == tb::cpu);
}

TEST_CASE("literal: integers make int64, a floating-point number among them float32, bools bool", "[tensor][literal]") {
  CHECK(tensor({1, 2L, std::uint8_t{3}, short{4}}).dtype() == dtype::int64);
  CHECK(line(tensor({1, 2.5})) == "[1, 2.5] (float32 [2])");
  CHECK(line(tensor({{1.5F}, {2}})) == "[[1.5], [2]] (float32 [2, 1])");
  CHECK(line(tensor({true, false})) == "[true, false] (bool [2])");
  CHECK(tensor({}).dtype() == dtype::float32);
  CHECK(line(tensor({std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})) ==
        "[-9223372036854775808, 9223372036854775807] (int64 [2])");
}

TEST_CASE("literal: braces around a tensor copy the handle", "[tensor][literal]") {
  const tensor a({1, 2});
  CHECK(tensor({a}).same_as(a));
  CHECK(tensor{a}.same_as(a));
}

TEST_CASE("literal: a dtype may be asked for", "[tensor][literal]") {
  CHECK(line(tensor({1, 2.5}, dtype::float64)) == "[1, 2.5] (float64 [2])");
  CHECK(line(tensor({1, 65520}, dtype::float16)) == "[1, inf] (float16 [2])");
  CHECK(line(tensor({1, 2.0, 255}, dtype::uint8)) == "[1, 2, 255] (uint8 [3])");
  CHECK(line(tensor({true, false}, dtype::int32)) == "[1, 0] (int32 [2])");
  CHECK(line(tensor({{1e300}}, dtype::float32)) == "[[inf]] (float32 [1, 1])");
  CHECK(line(tensor({std::uint64_t{1} << 63}, dtype::float64)) == "[9223372036854775808] (float64 [1])");
  CHECK(tensor({}, dtype::int8).dtype() == dtype::int8);
}

TEST_CASE("literal: rows of different lengths are refused", "[tensor][literal]") {
  CHECK(text_of<tb::shape_error>([] { tensor({{1, 2, 3}, {4, 5}}); }) ==
        "tensor: found 3 elements in row [0] and 2 in row [1], wanted as many in each");
  CHECK(text_of<tb::shape_error>([] { tensor({{{1}, {2}}, {{3}, {}}}); }) ==
        "tensor: found 1 elements in row [0, 0] and 0 in row [1, 1], wanted as many in each");
  CHECK(text_of<tb::shape_error>([] { tensor({{1, 2}, 3}); }) ==
        "tensor: found a number at [1] and a list at [0], wanted all numbers equally deep in braces");
  CHECK(text_of<tb::shape_error>([] { tensor({1, {2, 3}}); }) ==
        "tensor: found a list at [1] and a number at [0], wanted all numbers equally deep in braces");
  CHECK(text_of<tb::shape_error>([] { tensor({{{{{{{{{1}}}}}}}}}); }) ==
        "tensor: found braces in 8 others, wanted at most 8 dimensions");
}

TEST_CASE("literal: bools among numbers are refused", "[tensor][literal]") {
  const std::string end = ", wanted bools alone or numbers alone; write 1 for true and 0 for false";
  CHECK(text_of<tb::dtype_error>([] { tensor({1, true}); }) == "tensor: found a number at [0] and a bool at [1]" + end);
  CHECK(text_of<tb::dtype_error>([] { tensor({{true, false}, {true, 0.5}}, dtype::float32); }) ==
        "tensor: found a bool at [0, 0] and a number at [1, 1]" + end);
}

TEST_CASE("literal: what the dtype does not hold is refused", "[tensor][literal]") {
  const auto refused = [](tb::literal x, dtype type) { return text_of<tb::dtype_error>([&] { tensor({x}, type); }); };
  CHECK(refused(256, dtype::uint8) == "tensor: found 256 for uint8, wanted whole numbers from 0 to 255");
  CHECK(refused(-1, dtype::uint8) == "tensor: found -1 for uint8, wanted whole numbers from 0 to 255");
  CHECK(refused(1.5, dtype::int8) == "tensor: found 1.5 for int8, wanted whole numbers from -128 to 127");
  CHECK(refused(std::numeric_limits<double>::quiet_NaN(), dtype::int64).starts_with("tensor: found nan for int64"));
  CHECK(refused(1, dtype::boolean) == "tensor: found 1 for bool, wanted true or false");
  CHECK(text_of<tb::dtype_error>([] { tensor({std::uint64_t{1} << 63}); }) ==
        "tensor: found 9223372036854775808 for int64, wanted whole numbers from -9223372036854775808 to "
        "9223372036854775807");
}

TEST_CASE("literal: a number makes a zero-dimensional tensor", "[tensor][literal]") {
  CHECK(line(tensor(3.5)) == "3.5 (float32 [])");
  CHECK(line(tensor(2)) == "2 (int64 [])");
  CHECK(line(tensor(true)) == "true (bool [])");
  CHECK(line(tensor(2, dtype::float64)) == "2 (float64 [])");
  CHECK(text_of<tb::dtype_error>([] { tensor(2.5, dtype::int64); }).starts_with("tensor: found 2.5 for int64"));
}

TEST_CASE("literal: a vector makes a tensor of its elements' dtype", "[tensor][literal]") {
  std::vector<double> numbers{1, 2.5};
  const tensor t(numbers);
  numbers[0] = 9;
  CHECK(line(t) == "[1, 2.5] (float64 [2])");
  CHECK(line(tensor(std::vector<std::int64_t>{})) == "[] (int64 [0])");
  const float few[] = {1, 2};
  CHECK(tensor(few).dtype() == dtype::float32);
}

TEST_CASE("literal: the dtype by its name", "[tensor][literal]") {
  CHECK(line(tensor({1, 2}, tb::arg<"dtype"> = dtype::float64)) == "[1, 2] (float64 [2])");
  CHECK(line(tensor({{1}, {2}}, tb::arg<"dtype"> = dtype::int8)) == "[[1], [2]] (int8 [2, 1])");
  CHECK(line(tensor(2, tb::arg<"dtype"> = dtype::float64)) == "2 (float64 [])");
}
