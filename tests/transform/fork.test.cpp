// A fork has one thread. It differentiates and maps, whatever the others were doing.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/child.h"
#include "support/raises.h"
import topbit;
import topbit.transform;

namespace tb = topbit;
namespace key = topbit::key;

namespace {

inline constexpr tb::op<"forked::plain(Tensor self) -> Tensor"> plain;
tb::tensor plain_cpu(const tb::tensor& self) { return tb::clone(self); }
const auto kernels = tb::library("forked").def(plain).impl<&plain_cpu>(plain, key::CPU);

const tb::tensor x = tb::tensor({1.F, 2, 3});

void require(bool good) {
  if (!good) throw good;
}

}  // namespace

TEST_CASE("fork: a child asks for a derivative of an operator without a rule, whoever was asking",
          "[transform][fork]") {
  if (toy::no_children != nullptr) SKIP(toy::no_children);
  CHECK(toy::children_end_beside_threads(100, [] {
    const std::string text = toy::text_of<tb::error>([] { tb::jvp(plain, x, x); });
    require(text.find("forked::plain: has no gradient rule") != text.npos);
  }));
}

TEST_CASE("fork: a child writes dual tensors, whoever was writing them", "[transform][fork]") {
  if (toy::no_children != nullptr) SKIP(toy::no_children);
  CHECK(toy::children_end_beside_threads(100, [] {
    const auto [y, along] = tb::jvp(
        [](const tb::tensor& a) {
          tb::tensor product = tb::clone(a);
          tb::exp_(product);  // by its functional form
          return product;
        },
        x, x);
    require(y.sizes() == along.sizes());
  }));
}
