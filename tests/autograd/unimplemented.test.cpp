#include <catch2/catch_test_macros.hpp>
#include <tuple>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;

namespace unruled_ops {

// Nobody gave these a gradient.
inline constexpr tb::op<"unruled::twice(Tensor self) -> Tensor"> twice;
tensor twice_cpu(const tensor& self) { return tb::detach(self) * 2; }

inline constexpr tb::op<"unruled::both(Tensor a, Tensor b) -> (Tensor, Tensor)"> both;
std::tuple<tensor, tensor> both_cpu(const tensor& a, const tensor& b) {
  return {tb::detach(a) * 1, tb::aten::argmax(b)};
}

// Written with operators that have rules, so it needs none.
inline constexpr tb::op<"unruled::square(Tensor self) -> Tensor"> square;
tensor square_composite(const tensor& self) { return self * self; }

// Says that it is not differentiable.
inline constexpr tb::op<"unruled::constant(Tensor self) -> Tensor"> constant;

const auto kernels = tb::library("unruled")
                         .def(twice)
                         .impl<&twice_cpu>(twice, key::CPU)
                         .def(both)
                         .impl<&both_cpu>(both, key::CPU)
                         .def(square)
                         .impl<&square_composite>(square)
                         .def(constant)
                         .impl<&twice_cpu>(constant, key::CPU)
                         .fallthrough(constant, key::Autograd);

}  // namespace unruled_ops
using namespace unruled_ops;

TEST_CASE("unimplemented: an operator without a rule runs, and throws in backward, naming itself",
          "[autograd][unimplemented]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  const tensor y = twice(x);
  CHECK(values(y) == std::vector<double>{2, 4});
  REQUIRE(tb::requires_grad(y));
  const std::string text = text_of<tb::error>([&] { tb::backward(tb::aten::sum(y)); });
  CHECK(text.starts_with("unruled::twice: has no gradient rule (its kernel is registered at unimplemented.test.cpp:"));
  CHECK(
      text.ends_with("; register one for key::Autograd, or a fallthrough there if it is not differentiable; while "
                     "backward ran unruled::twice of aten::sum"));
}

TEST_CASE("unimplemented: without a required gradient, nothing is recorded", "[autograd][unimplemented]") {
  CHECK_FALSE(tb::requires_grad(twice(tensor_of({1, 2}, {2}))));
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  const tb::no_grad guard;
  CHECK_FALSE(tb::requires_grad(twice(x)));
}

TEST_CASE("unimplemented: every floating result is marked, an integer one is not", "[autograd][unimplemented]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2})), y = tensor_of({3, 4}, {2});
  const auto [first, second] = both(y, x);
  CHECK(tb::requires_grad(first));
  CHECK_FALSE(tb::requires_grad(second));
}

TEST_CASE("unimplemented: a composite is differentiated through its parts", "[autograd][unimplemented]") {
  const tensor x = tb::require_grad(tensor_of({3}, {1}));
  tb::backward(square(x));
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{6});
}

TEST_CASE("unimplemented: a fallthrough declares that there is nothing to differentiate", "[autograd][unimplemented]") {
  const tensor x = tb::require_grad(tensor_of({3}, {1}));
  CHECK_FALSE(tb::requires_grad(constant(x)));
}

TEST_CASE("unimplemented: in strict mode the call throws", "[autograd][unimplemented]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  const tb::missing_rule before = tb::set_missing_rule(tb::missing_rule::raises_in_forward);
  CHECK(before == tb::missing_rule::raises_in_backward);
  CHECK(text_of<tb::error>([&] { twice(x); }).starts_with("unruled::twice: has no gradient rule"));
  CHECK(values(twice(tb::detach(x))) == std::vector<double>{2, 4});
  CHECK_FALSE(tb::requires_grad(constant(x)));
  CHECK(tb::requires_grad(square(x)));
  {
    const tb::no_grad guard;
    CHECK(values(twice(x)) == std::vector<double>{2, 4});
  }
  CHECK(tb::set_missing_rule(before) == tb::missing_rule::raises_in_forward);
  CHECK(tb::requires_grad(twice(x)));
}

TEST_CASE("unimplemented: the named kernel is the one that computes, not a layer's", "[autograd][unimplemented]") {
  const auto place_in = [](const tensor& y) {
    const std::string text = text_of<tb::error>([&] { tb::backward(tb::aten::sum(y)); });
    const std::size_t at = text.find("unimplemented.test.cpp:");
    return text.substr(at, text.find(')', at) - at);
  };
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  const std::string computes = place_in(twice(x));
  const auto layers = tb::implement("unruled")
                          .impl<&twice_cpu>(twice, key::Meta)
                          .fallthrough(twice, key::UserTop1)
                          .impl<&twice_cpu>(twice, key::AutocastCPU)
                          .impl<&twice_cpu>(twice, key::Tracer);
  CHECK(place_in(twice(x)) == computes);
}
