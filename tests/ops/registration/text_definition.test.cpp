// Operators on tensors that are defined from a schema text when the program runs.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace aten = topbit::aten;
using tb::tensor;

TEST_CASE("text definition: the schema of every operator of the library gives its C++ signature", "[ops][schema]") {
  std::size_t checked = 0;
  for (const std::string& name : tb::registry::process().operators()) {
    const tb::operator_handle op = tb::registry::process().find(name);
    if (op.parsed_schema() == nullptr || !(name.starts_with("aten::") || name.starts_with("topbit::"))) continue;
    INFO(op.schema());
    tb::registry r;
    const auto block = tb::fragment(op.parsed_schema()->ns, r).def(op.schema());
    CHECK(r.find(name).signature() == op.signature());
    CHECK(r.find(name).schema() == op.schema());
    ++checked;
  }
  CHECK(checked > 500);
}

TEST_CASE("text definition: an operator on tensors is called like a declared one", "[ops][boxing]") {
  const auto calls = std::make_shared<int>(0);
  const auto twice = [calls](const tb::operator_handle&, tb::boxed_stack& s) {
    ++*calls;
    const tensor x = s.pop().get<tensor>();
    s.push(aten::add_Tensor(x, x));
  };
  const auto block = tb::library("from_text").def("twice(Tensor x) -> Tensor", twice);
  const auto typed = tb::find("from_text::twice").typed<tensor(const tensor&)>();
  CHECK(to_string(typed(tb::tensor({1.F, 2}))) == "[2., 4.] (float32 [2])");
  tb::boxed_stack s;
  s.push(tb::from_values<float>({3}, {1}));
  tb::find("from_text::twice").call_boxed(s);
  CHECK(s[0].get<tensor>().numel() == 1);
  CHECK(*calls == 2);
}
