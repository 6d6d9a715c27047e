#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::tensor_of;
using support::values;
using tb::tensor;
using list = std::vector<double>;

TEST_CASE("operators: arithmetic reads as people write it", "[ops][operators]") {
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
  tensor c = ops::clone(a);
  const tensor view = ops::view(c, std::vector<std::int64_t>{2, 1});
  c += b;
  CHECK(values(c) == list{4, 6});
  c -= a;
  CHECK(values(c) == list{3, 4});
  c *= a;
  CHECK(values(c) == list{3, 8});
  c /= a;
  CHECK(values(view) == list{3, 4});
}

TEST_CASE("operators: item is the one element, from whatever graph", "[ops][operators]") {
  CHECK(tb::item(tensor_of({2.5}, {})) == 2.5);
  CHECK(tb::item(tensor_of({1}, {1, 1}, tb::dtype::boolean)) == 1);
  CHECK(tb::item(tb::require_grad(tensor_of({3}, {1})) * 2) == 6);
  CHECK(tb::item(ops::slice(tensor_of({1, 2, 3}, {3}), 0, 1, 2, 1)) == 2);
  const auto text = [](const tensor& t) { return toy::text_of<tb::error>([&] { tb::item(t); }); };
  CHECK(text(tensor_of({1, 2}, {2})) == "item: found sizes [2], wanted one element");
  CHECK(text(tensor_of({}, {0})) == "item: found sizes [0], wanted one element");
  CHECK(text(ops::empty(std::vector<std::int64_t>{}, tb::arg<"device"> = tb::meta)) ==
        "aten::copy_: a meta tensor has no elements to copy");
  CHECK(text(tensor()) == "item: found an undefined tensor, wanted one element");
}
