#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace key = topbit::key;
namespace author = topbit::author;
using support::values;
using tb::tensor;

namespace {
tensor tensor_of(const std::vector<double>& elements, const tb::shape& sizes, tb::dtype type = tb::dtype::float32) {
  return support::tensor_of(elements, sizes, type);
}
}  // namespace

// Operators of a user, with a shape rule and a kernel each.
namespace structured_test {

inline constexpr tb::op<"structtest::twice(Tensor self) -> Tensor"> twice;
inline constexpr tb::op<"structtest::twice_(Tensor(a!) self) -> Tensor(a!)"> twice_;
inline constexpr tb::op<"structtest::twice.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> twice_out;
inline constexpr tb::op<"structtest::ends(Tensor self) -> (Tensor first, Tensor last)"> ends;
inline constexpr tb::op<
    "structtest::ends.out(Tensor self, *, Tensor(a!) first, Tensor(b!) last) -> (Tensor(a!) first, Tensor(b!) last)">
    ends_out;
inline constexpr tb::op<"structtest::keyed(Tensor self) -> Tensor"> keyed;

int kernel_calls = 0;

author::result_meta twice_meta(std::string_view op, const tensor& self) {
  if (self.dtype() != tb::dtype::float32) throw tb::dtype_error(std::string(op) + ": wanted float32", std::string(op));
  return {tb::shape(self.sizes()), self.dtype(), self.device(), {}};
}
void twice_cpu(const tensor& self, const tensor& out) {
  ++kernel_calls;
  aten::copy_(const_cast<tensor&>(out), self + self);
}
using twice_forms = author::structured<&twice_meta, {.in_place = true}, twice, twice_, twice_out>;

std::array<author::result_meta, 2> ends_meta(std::string_view op, const tensor& self) {
  if (self.dim() != 1 || self.numel() == 0) throw tb::shape_error(std::string(op) + ": wanted a list", std::string(op));
  const author::result_meta one{{}, self.dtype(), self.device(), {}};
  return {one, one};
}
void ends_cpu(const tensor& self, const tensor& first, const tensor& last) {
  aten::copy_(const_cast<tensor&>(first), aten::select_int(self, 0, 0));
  aten::copy_(const_cast<tensor&>(last), aten::select_int(self, 0, -1));
}
using ends_forms = author::structured<&ends_meta, {}, ends, ends_out>;

author::result_meta keyed_meta(std::string_view, const tensor& self) {
  return {{}, tb::dtype::int64, self.device(), {}};
}
void keyed_cpu(tb::key_set keys, const tensor&, const tensor& out) {
  aten::fill_Scalar_(const_cast<tensor&>(out), static_cast<std::int64_t>(keys.row()));
}
using keyed_forms = author::structured<&keyed_meta, {}, keyed>;

constexpr author::kernel_row definitions[] = {author::define(twice),     author::define(twice_),
                                              author::define(twice_out), author::define(ends),
                                              author::define(ends_out),  author::define(keyed)};
const bool registered = [] {
  author::register_rows(definitions);
  author::register_rows(twice_forms::rows<&twice_cpu>(key::CPU));
  author::register_rows(twice_forms::meta_rows());
  author::register_rows(ends_forms::rows<&ends_cpu>(key::CPU));
  author::register_rows(ends_forms::meta_rows());
  author::register_rows(keyed_forms::rows<&keyed_cpu>(key::CPU));
  return true;
}();

}  // namespace structured_test
using namespace structured_test;

TEST_CASE("structured: one shape function and one kernel give the functional, in-place and out forms",
          "[ops][structured]") {
  REQUIRE(registered);
  tensor x = tensor_of({1, 2, 3}, {3});
  CHECK(values(twice(x)) == values(tensor_of({2, 4, 6}, {3})));
  CHECK(values(x) == values(tensor_of({1, 2, 3}, {3})));

  tensor out = tensor_of({0, 0, 0}, {3});
  CHECK(&twice_out(x, out) == &out);
  CHECK(values(out) == values(tensor_of({2, 4, 6}, {3})));

  CHECK(&twice_(x) == &x);
  CHECK(values(x) == values(tensor_of({2, 4, 6}, {3})));
}

TEST_CASE("structured: on meta the shape function is the kernel", "[ops][structured]") {
  const int before = kernel_calls;
  tensor m = aten::_to_copy(tensor_of({1, 2}, {2}), tb::arg<"device"> = tb::meta);
  CHECK(twice(m).sizes() == tb::shape{2});
  CHECK(&twice_(m) == &m);
  CHECK(std::get<1>(ends(m)).sizes() == tb::shape{});
  CHECK(kernel_calls == before);
}

TEST_CASE("structured: an out tensor is checked against the shape function, and unchanged on an error",
          "[ops][structured]") {
  const tensor x = tensor_of({1, 2, 3}, {3});
  tensor small = tensor_of({7, 7}, {2}), ints = tensor_of({7, 7, 7}, {3}, tb::dtype::int64);
  CHECK(toy::text_of<tb::shape_error>([&] { twice_out(x, small); }).starts_with("structtest::twice.out: "));
  CHECK(toy::text_of<tb::dtype_error>([&] { twice_out(x, ints); }).starts_with("structtest::twice.out: "));
  CHECK(toy::text_of<tb::dtype_error>([&] { twice_out(ints, small); }) == "structtest::twice.out: wanted float32");
  CHECK(toy::text_of<tb::dtype_error>([&] { twice_(ints); }) == "structtest::twice_: wanted float32");
  CHECK(values(small) == values(tensor_of({7, 7}, {2})));
  tensor shared = aten::expand(tensor_of({7}, {1}), tb::shape{3});
  CHECK_THROWS_AS(twice_out(x, shared), tb::shape_error);
}

TEST_CASE("structured: a kernel never gets a result that partly overlaps an argument or has another dtype",
          "[ops][structured]") {
  tensor memory = tensor_of({1, 2, 3, 4}, {4});
  tensor out = aten::narrow(memory, 0, 1, 3);
  twice_out(aten::narrow(memory, 0, 0, 3), out);
  CHECK(values(memory) == values(tensor_of({1, 2, 4, 6}, {4})));

  tensor wide = tensor_of({0, 0}, {2}, tb::dtype::float64);
  twice_out(tensor_of({1, 2}, {2}), wide);
  CHECK(values(wide) == values(tensor_of({2, 4}, {2}, tb::dtype::float64)));
}

TEST_CASE("structured: several results are separate tensors", "[ops][structured]") {
  const tensor x = tensor_of({1, 2, 3}, {3});
  const auto [first, last] = ends(x);
  CHECK(tb::item(first) == 1);
  CHECK(tb::item(last) == 3);
  tensor a = tensor_of({0}, {}), b = tensor_of({0}, {});
  ends_out(x, a, b);
  CHECK(tb::item(a) == 1);
  CHECK(tb::item(b) == 3);
  tensor same = a;
  CHECK_THROWS_AS(ends_out(x, a, same), tb::shape_error);
}

TEST_CASE("structured: a kernel may take the keys of the call", "[ops][structured]") {
  CHECK(tb::item<std::int64_t>(keyed(tensor_of({1}, {1}))) == tb::key_set(key::CPU).row());
}
