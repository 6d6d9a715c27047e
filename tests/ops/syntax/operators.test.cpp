#include <catch2/catch_test_macros.hpp>
#include <type_traits>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::tensor;
using list = std::vector<double>;

TEST_CASE("operators: arithmetic operators of C++", "[ops][operators]") {
  const tensor a = tensor_of({1, 2}, {2}), b = tensor_of({3, 4}, {2});
  CHECK(values(a + b) == list{4, 6});
  CHECK(values(a - b) == list{-2, -2});
  CHECK(values(a * b) == list{3, 8});
  CHECK(values(b / a) == list{3, 2});
  CHECK(values(-a) == list{-1, -2});
  CHECK(values(a + 1) == list{2, 3});
  CHECK(values(a - 1) == list{0, 1});
  CHECK(values(2 * a) == list{2, 4});
  CHECK(values(a * 2) == list{2, 4});
  CHECK(values(a / 2) == list{0.5, 1});
  CHECK(values(2 + a) == list{3, 4});
  CHECK(values(2 - a) == list{1, 0});
  CHECK(values(2 / a) == list{2, 1});
  tensor c = aten::clone(a);
  const tensor view = aten::view(c, std::vector<std::int64_t>{2, 1});
  c += b;
  CHECK(values(c) == list{4, 6});
  c -= a;
  CHECK(values(c) == list{3, 4});
  c *= a;
  CHECK(values(c) == list{3, 8});
  c /= a;
  CHECK(values(view) == list{3, 4});
}

TEST_CASE("operators: a number on the left promotes as on the right", "[ops][operators]") {
  const tensor whole = tensor_of({1, 2}, {2}, tb::dtype::int64), narrow = tensor_of({1, 2}, {2}, tb::dtype::float32);
  CHECK((3 - whole).dtype() == tb::dtype::int64);
  CHECK((0.5 - whole).dtype() == tb::dtype::float32);
  CHECK((3 / whole).dtype() == tb::dtype::float32);
  CHECK((0.5 - narrow).dtype() == tb::dtype::float32);
  CHECK((0.5 / narrow).dtype() == tb::dtype::float32);
  const tensor x = tb::require_grad(tensor_of({2}, {1}));
  tb::backward(tb::sum(8 / x + (1 - x), {0}));
  CHECK(values(tb::leaf_grad(x)) == list{-3});
}

TEST_CASE("operators: in-place operators with a number keep the tensor's dtype, or are refused", "[ops][operators]") {
  tensor x = tensor_of({1, 2}, {2}, tb::dtype::float32);
  const tensor same = x;
  x += 2.0;
  CHECK(values(same) == list{3, 4});
  x -= 1;
  CHECK(values(same) == list{2, 3});
  x *= 2;
  CHECK(values(same) == list{4, 6});
  x /= 4;
  CHECK(values(same) == list{1, 1.5});
  CHECK(x.same_as(same));
  CHECK(x.dtype() == tb::dtype::float32);
  tensor whole = tensor_of({1, 2}, {2}, tb::dtype::int64);
  whole += 2;
  CHECK(values(whole) == list{3, 4});
  CHECK(toy::text_of<tb::dtype_error>([&] { whole += 0.5; }) ==
        "aten::add_.Scalar: in aten::add_.Tensor: the result is float32 and cannot be written to int64");
  CHECK(toy::text_of<tb::dtype_error>([&] { whole /= 2; }) ==
        "aten::div_.Scalar: in aten::div_.Tensor: the result is float32 and cannot be written to int64");
}

TEST_CASE("operators: item returns the only element, also inside a graph", "[ops][operators]") {
  CHECK(tb::item(tensor_of({2.5}, {})) == 2.5);
  // Rounded once.
  const std::int64_t between = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  CHECK(tb::item<float>(tb::tensor(between)) == static_cast<float>(between));
  CHECK(tb::item(tensor_of({1}, {1, 1}, tb::dtype::boolean)) == 1);
  CHECK(tb::item(tb::require_grad(tensor_of({3}, {1})) * 2) == 6);
  CHECK(tb::item(aten::slice_Tensor(tensor_of({1, 2, 3}, {3}), 0, 1, 2, 1)) == 2);
  const auto text = [](const tensor& t) { return toy::text_of<tb::error>([&] { tb::item(t); }); };
  CHECK(text(tensor_of({1, 2}, {2})) == "aten::_local_scalar_dense: found sizes [2], wanted one element");
  CHECK(text(tensor_of({}, {0})) == "aten::_local_scalar_dense: found sizes [0], wanted one element");
  CHECK(text(aten::empty_memory_format(std::vector<std::int64_t>{}, tb::arg<"device"> = tb::meta)) ==
        "aten::_to_copy: in aten::copy_: a meta tensor has no elements to copy");
  CHECK(text(tensor()) == "item: found an undefined tensor, wanted one element");
}

TEST_CASE("operators: comparisons are elementwise, with a number on either side", "[ops][operators]") {
  const tensor a = tensor_of({1, 2, 3}, {3}), b = tensor_of({3, 2, 1}, {3});
  CHECK((a == b).dtype() == tb::dtype::boolean);
  CHECK(values(a == b) == list{0, 1, 0});
  CHECK(values(a != b) == list{1, 0, 1});
  CHECK(values(a == 2) == list{0, 1, 0});
  CHECK(values(2 == a) == list{0, 1, 0});
  CHECK(values(a != 2) == list{1, 0, 1});
  CHECK(values(2 != a) == list{1, 0, 1});
  CHECK(values(2 < a) == list{0, 0, 1});
  CHECK(values(2 <= a) == list{0, 1, 1});
  CHECK(values(2 > a) == list{1, 0, 0});
  CHECK(values(2 >= a) == list{1, 1, 0});
  CHECK(values(!(a == b)) == list{1, 0, 1});
  CHECK(values(!(a - 1)) == list{1, 0, 0});
  STATIC_REQUIRE_FALSE(std::is_constructible_v<bool, decltype(a == b)>);
}

namespace {
template <class Item>
concept adds_in_place = requires(const tensor& x, const Item& i) { x[i] += 1; };
}  // namespace

TEST_CASE("operators: x[i] is index() with one item", "[ops][operators]") {
  const tensor x = tensor_of({0, 1, 2, 3, 4, 5}, {2, 3});
  CHECK(values(x[1]) == list{3, 4, 5});
  CHECK(tb::item(x[1][-1]) == 5);
  CHECK(values(x[tb::slice(0, 1)]) == list{0, 1, 2});
  CHECK(values(x[x > 3]) == list{4, 5});
  tb::assign(x[0], 7);
  CHECK(values(x) == list{7, 7, 7, 3, 4, 5});
  tb::fill_(x[1], 8);
  CHECK(values(x[1]) == list{8, 8, 8});
  x[1] += 1;
  x[1] -= tensor_of({0, 1, 2}, {3});
  x[1][0] *= 2;
  x[tb::slice(1)][0][1] /= 2;
  CHECK(values(x[1]) == list{18, 4, 7});
  // Tensors select copies, in which a write would be lost.
  STATIC_REQUIRE(adds_in_place<int> && adds_in_place<tb::slice_item>);
  STATIC_REQUIRE_FALSE(adds_in_place<tensor>);
}
