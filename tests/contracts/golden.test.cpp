// All operators, called with the arguments of the golden files, keep their contracts.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/all_calls.h"
import topbit;
import topbit.contracts;
import topbit.modes;

namespace tb = topbit;
namespace contracts = topbit::contracts;
namespace modes = topbit::modes;

namespace {

tb::tensor copied_into(const tb::tensor& t, const tb::tensor& room) {
  return tb::copy_(tb::author::make_alias(room), t);
}

// The same elements in another order, or with gaps.
tb::tensor arranged(const tb::tensor& t, bool with_gaps) {
  if (!t.defined() || t.dim() == 0 || tb::requires_grad(t)) return t;
  tb::shape sizes = t.sizes();
  if (with_gaps) {
    sizes[sizes.size() - 1] *= 2;
    return copied_into(t, tb::slice(tb::zeros(sizes, tb::arg<"dtype"> = t.dtype()), -1, 0, sizes[sizes.size() - 1], 2));
  }
  std::swap(sizes[0], sizes[sizes.size() - 1]);
  return copied_into(t, tb::transpose(tb::zeros(sizes, tb::arg<"dtype"> = t.dtype()), 0, -1));
}

// A mode that calls with rearranged arguments, where none is written.
struct rearranging {
  bool with_gaps;
  void operator()(modes::call& c) const {
    if (!tb::author::is_mutable(*c.op().parsed_schema())) {
      for (tb::value& v : c.arguments())
        v = tb::author::map_tensors(v, [&](const tb::tensor& t) { return arranged(t, with_gaps); });
    }
    c.proceed();
  }
};

void check_all(contracts::checker& check, const rearranging* how) {
  const auto watched = [&](const tb::operator_handle& op, const golden::block&, const golden::one_case&,
                           const std::vector<std::string_view>& arguments) {
    const modes::scope on(check, modes::below);
    std::optional<modes::scope<const rearranging&>> rearranged;
    if (how != nullptr) rearranged.emplace(*how, modes::above);
    try {
      tb::call_text(op, arguments);
    } catch (const tb::error&) {
    }
  };
  golden::each_drawn_call(TOPBIT_GOLDEN_FOLDER, watched);
}

}  // namespace

TEST_CASE("contracts: all operators keep them", "[contracts]") {
  contracts::checker check({.depth = contracts::level::repeated});
  check_all(check, nullptr);
  for (const bool with_gaps : {false, true}) {
    const rearranging how{with_gaps};
    check_all(check, &how);
  }
  CHECK(check.calls() >= 3000 * test_scale());
  for (const contracts::finding& f : check.findings()) FAIL_CHECK(tb::to_string(f));
  for (const contracts::finding& f : check.hints(50)) FAIL_CHECK(tb::to_string(f));
}
