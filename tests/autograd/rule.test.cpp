#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
using support::tensor_of;
using support::values;
using tb::tensor;

namespace rule_ops {

// A user's operator with a rule of its own: scale * a + b, where only `a` is differentiable.
inline constexpr tb::op<"rule_test::axpb(Tensor a, float scale, Tensor b) -> Tensor"> axpb;
tensor axpb_cpu(const tensor& a, double scale, const tensor& b) { return a * scale + b; }

std::array<bool, 2> last_wanted{};
struct axpb_rule {
  double scale;
  static axpb_rule save(const tensor&, double scale, const tensor&, const tensor&) { return {scale}; }
  std::array<tensor, 2> backward(const tensor& g, std::array<bool, 2> wanted) const {
    last_wanted = wanted;
    return {g * scale, tensor()};  // an undefined tensor is a gradient of zero
  }
};

// Gives its argument back: the result is the same handle.
inline constexpr tb::op<"rule_test::same(Tensor a) -> Tensor"> same;
tensor same_cpu(const tensor& a) { return a; }
struct same_rule {
  static same_rule save(const tensor&, const tensor&) { return {}; }
  std::array<tensor, 1> backward(const tensor& g, std::array<bool, 1>) const { return {g * 10}; }
};

// Writes to its argument, with the two generated kernels.
inline constexpr tb::op<"rule_test::double_(Tensor(a!) a) -> Tensor(a!)"> double_;
tensor& double_cpu(tensor& a) { return tb::aten::mul_Tensor_(a, tensor_of({2}, {})); }

// Two names of one tensor argument type beside numbers: an integer result is never recorded.
inline constexpr tb::op<"rule_test::count(Tensor a) -> Tensor"> count;
tensor count_cpu(const tensor& a) { return tensor_of({static_cast<double>(a.numel())}, {}, tb::dtype::int64); }

// The same from formulas, in three lines.
inline constexpr tb::op<"rule_test::cubed_times(Tensor a, Tensor b, *, float k=1) -> Tensor"> cubed_times;
tensor cubed_times_cpu(const tensor& a, const tensor& b, double k) { return a * a * a * b * k; }
using cubed_times_rule =
    tb::author::derivative<cubed_times, tb::author::keep<0, 1>,
                           [](const tensor& g, const tensor& a, const tensor& b, double k) {
                             return g * a * a * b * (3 * k);
                           },
                           [](const tensor& g, const tensor& a, const tensor&, double k) { return g * a * a * a * k; }>;

// A generator brings keys and no gradient: a rule takes it as it takes a number.
inline constexpr tb::op<"rule_test::noisy(Tensor a, Generator source, Generator? other=None) -> Tensor"> noisy;
tensor noisy_cpu(const tensor& a, const tb::generator& source, const std::optional<tb::generator>& other) {
  tensor noise = tb::aten::zeros_like(a);
  return a + tb::aten::uniform_(noise, 1, 2, other.value_or(source));
}
using noisy_rule =
    tb::author::derivative<noisy, tb::author::keep<>,
                           [](const tensor& g, const tb::generator& source, const std::optional<tb::generator>& other) {
                             return g * static_cast<double>(other.value_or(source).seed());
                           }>;

const auto kernels =
    tb::library("rule_test")
        .def(noisy)
        .impl<&noisy_cpu>(noisy, key::CPU)
        .impl<&tb::author::autograd_kernel<noisy, noisy_rule>::run>(noisy, key::Autograd)
        .def(axpb)
        .impl<&axpb_cpu>(axpb, key::CPU)
        .impl<&tb::author::autograd_kernel<axpb, axpb_rule>::run>(axpb, key::Autograd)
        .def(cubed_times)
        .impl<&cubed_times_cpu>(cubed_times, key::CPU)
        .impl<&tb::author::autograd_kernel<cubed_times, cubed_times_rule>::run>(cubed_times, key::Autograd)
        .def(same)
        .impl<&same_cpu>(same, key::CPU)
        .impl<&tb::author::autograd_kernel<same, same_rule>::run>(same, key::Autograd)
        .def(double_)
        .impl<&double_cpu>(double_, key::CPU)
        .impl<&tb::author::in_place_autograd<double_>::run>(double_, key::Autograd)
        .impl<&tb::author::counts_writes<double_>::run>(double_, key::ADInplaceOrView)
        .def(count)
        .impl<&count_cpu>(count, key::CPU)
        .impl<&tb::author::autograd_kernel<count, same_rule>::run>(count, key::Autograd);

}  // namespace rule_ops
using namespace rule_ops;

namespace {
struct too_few {
  static too_few save(const tensor&, double, const tensor&, const tensor&);
  std::array<tensor, 1> backward(const tensor&, std::array<bool, 1>) const;
};
struct mutates {
  static mutates save(const tensor&, double, const tensor&, const tensor&);
  std::array<tensor, 2> backward(const tensor&, std::array<bool, 2>);  // not const
};
struct narrows {
  static narrows save(const tensor&, float, const tensor&, const tensor&);
  std::array<tensor, 2> backward(const tensor&, std::array<bool, 2>) const;
};
struct forgets {
  static forgets save(const tensor&, double, const tensor&);
  std::array<tensor, 2> backward(const tensor&, std::array<bool, 2>) const;
};
// A template has no type to be compared with; it is enough that it can be called.
struct any_save {
  template <class... Arguments>
  static any_save save(const Arguments&...);
  template <std::size_t N>
  std::array<tensor, N> backward(const tensor&, std::array<bool, N>) const noexcept;
};
struct any_save_of_another {
  template <class... Arguments>
  static any_save save(const Arguments&...);
  std::array<tensor, 2> backward(const tensor&, std::array<bool, 2>) const;
};
struct saves_only {
  static saves_only save(const tensor&, double, const tensor&, const tensor&);
};
}  // namespace
static_assert(tb::gradient_rule<axpb_rule, decltype(axpb)>);
static_assert(tb::gradient_rule<any_save, decltype(axpb)>);
static_assert(!tb::gradient_rule<too_few, decltype(axpb)>);
static_assert(!tb::gradient_rule<mutates, decltype(axpb)>);
static_assert(!tb::gradient_rule<narrows, decltype(axpb)>);
static_assert(!tb::gradient_rule<forgets, decltype(axpb)>);
static_assert(!tb::gradient_rule<any_save_of_another, decltype(axpb)>);
static_assert(!tb::gradient_rule<saves_only, decltype(axpb)>);
static_assert(!tb::gradient_rule<axpb_rule, decltype(double_)>);

TEST_CASE("rule: a user's operator is differentiated by its rule", "[autograd][rule]") {
  const tensor a = tb::require_grad(tensor_of({1, 2}, {2})), b = tensor_of({5, 6}, {2});
  const tensor y = axpb(a, 3, b);
  CHECK(values(y) == std::vector<double>{8, 12});
  tb::backward(y, tensor_of({1, 10}, {2}));
  CHECK(values(tb::leaf_grad(a)) == std::vector<double>{3, 30});
}

TEST_CASE("rule: a rule from formulas, with second gradients", "[autograd][rule]") {
  const auto f = [](std::span<const tensor> x) {
    return std::vector<tensor>{cubed_times(x[0], x[1], tb::arg<"k"> = 0.5)};
  };
  const std::vector<tensor> inputs{tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3})),
                                   tb::require_grad(tensor_of({1, 2, 3}, {3}))};
  CHECK(tb::gradcheck(f, inputs).text == "");
  CHECK(tb::gradgradcheck(f, inputs).text == "");
}

TEST_CASE("rule: accepts generators, which have no gradient", "[autograd][rule]") {
  const tensor a = tb::require_grad(tensor_of({1, 2}, {2}));
  tb::backward(tb::aten::sum(rule_ops::noisy(a, tb::generator(3))));
  CHECK(values(tb::leaf_grad(a)) == std::vector<double>{3, 3});
  tb::backward(tb::aten::sum(rule_ops::noisy(a, tb::generator(3), tb::generator(40))));
  CHECK(values(tb::leaf_grad(a)) == std::vector<double>{43, 43});
}

TEST_CASE("rule: is told which gradients are needed", "[autograd][rule]") {
  const tensor a = tb::require_grad(tensor_of({1, 2}, {2})), b = tensor_of({5, 6}, {2});
  tb::backward(tb::aten::sum(axpb(a, 3, b)));
  CHECK(last_wanted == std::array{true, false});
  tb::backward(tb::aten::sum(axpb(b, 3, a)));
  CHECK(last_wanted == std::array{false, true});
  CHECK(values(tb::leaf_grad(a)) == std::vector<double>{3, 3});  // b's gradient is undefined, which is zero
}

TEST_CASE("rule: nothing is recorded if no argument requires a gradient", "[autograd][rule]") {
  const tensor b = tensor_of({5, 6}, {2});
  CHECK_FALSE(tb::requires_grad(axpb(b, 3, b)));
}

TEST_CASE("rule: a result that is not floating is not recorded", "[autograd][rule]") {
  const tensor a = tb::require_grad(tensor_of({1, 2}, {2}));
  const tensor n = count(a);
  CHECK_FALSE(tb::requires_grad(n));
  CHECK(values(n) == std::vector<double>{2});
}

TEST_CASE("rule: an operator that returns its argument leaves it a leaf", "[autograd][rule]") {
  const tensor a = tb::require_grad(tensor_of({1, 2}, {2}));
  const tensor y = same(a);
  CHECK(values(y) == values(a));
  tb::backward(tb::aten::sum(y));
  CHECK(values(tb::leaf_grad(a)) == std::vector<double>{10, 10});
  tb::zero_grad(a);
  tb::backward(tb::aten::sum(a * 2));  // `a` did not become a result of same()
  CHECK(values(tb::leaf_grad(a)) == std::vector<double>{2, 2});
}

TEST_CASE("rule: a user's in-place operator is counted, and refused if a gradient would be lost", "[autograd][rule]") {
  tensor a = tensor_of({1, 2}, {2});
  CHECK(double_(a).same_as(a));
  CHECK(values(a) == std::vector<double>{2, 4});
  CHECK(a.version() > 0);
  tb::require_grad(a);
  CHECK(
      toy::text_of<tb::error>([&] { double_(a); }).starts_with("rule_test::double_: writes in place to, or from, a "));
  CHECK(values(a) == std::vector<double>{2, 4});
}
