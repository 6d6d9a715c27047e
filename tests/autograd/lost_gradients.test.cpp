// What must never happen silently: a gradient that vanishes, arrives in the wrong shape, or lands on the wrong tensor.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace aten = topbit::aten;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace lost_ops {

void set_all(const tensor& t, double x) {
  support::each_index(t.sizes(), [&](const tb::shape& index) { support::set(t, index, x); });
}

// Results that are undefined.
inline constexpr tb::op<"lost::nothing(Tensor self) -> Tensor"> nothing;
tensor nothing_cpu(const tensor&) { return {}; }
struct nothing_rule {
  static nothing_rule save(const tensor&, const tensor&) { return {}; }
  std::array<tensor, 1> backward(const tensor& g, std::array<bool, 1>) const { return {g}; }
};
inline constexpr tb::op<"lost::half(Tensor self) -> (Tensor, Tensor)"> half;
std::tuple<tensor, tensor> half_cpu(const tensor& self) { return {aten::clone(tb::detach(self)), tensor()}; }

// Operators that write, without a rule and without counting: they write to the elements themselves.
inline constexpr tb::op<"lost::set_(Tensor(a!) self, Tensor from, float x=1) -> Tensor(a!)"> set_;
tensor& set_cpu(tensor& self, const tensor&, double x) {
  set_all(self, x);
  return self;
}
inline constexpr tb::op<"lost::swap(Tensor(a!) a, Tensor(b!) b) -> ()"> swap;
void swap_cpu(tensor& a, tensor& b) {
  set_all(a, 1);
  set_all(b, 2);
}
inline constexpr tb::op<"lost::swap_counted(Tensor(a!) a, Tensor(b!) b) -> ()"> swap_counted;
inline constexpr tb::op<"lost::set_to(Tensor? from, *, Tensor(a!) out) -> Tensor(a!)"> set_to;
tensor& set_to_cpu(const std::optional<tensor>&, tensor& out) {
  set_all(out, 5);
  return out;
}
inline constexpr tb::op<"lost::through_add_(Tensor(a!) self) -> Tensor(a!)"> through_add_;
tensor& through_add_cpu(tensor& self) { return aten::add_Tensor_(self, self); }
inline constexpr tb::op<"lost::bare", void(tensor&)> bare;
void bare_cpu(tensor& self) { set_all(self, 3); }

// Lists.
inline constexpr tb::op<"lost::total(Tensor[] xs, float scale) -> Tensor"> total;
tensor total_cpu(std::span<const tensor> xs, double) {
  tensor sum = aten::clone(tb::detach(xs[0]));
  for (const tensor& x : xs.subspan(1)) sum = sum + tb::detach(x);
  return sum;
}
inline constexpr tb::op<"lost::total_some(Tensor?[] xs) -> Tensor"> total_some;
tensor total_some_cpu(std::span<const std::optional<tensor>> xs) {
  for (const auto& x : xs) {
    if (x) return aten::clone(tb::detach(*x));
  }
  return {};
}
inline constexpr tb::op<"lost::pieces(Tensor self, Tensor other) -> Tensor[]"> pieces;
std::vector<tensor> pieces_cpu(const tensor& self, const tensor& other) {
  return {aten::clone(tb::detach(self)), other, aten::argmax(tb::detach(self)), tensor()};
}
inline constexpr tb::op<"lost::same(Tensor self) -> Tensor"> same;
tensor same_cpu(const tensor& self) { return self; }

// A rule that gives what a test tells it to.
inline constexpr tb::op<"lost::keep(Tensor a, float scale, Tensor b) -> Tensor"> keep;
tensor keep_cpu(const tensor& a, double, const tensor&) { return aten::clone(tb::detach(a)); }
std::array<tensor, 2> told;
struct keep_rule {
  static keep_rule save(const tensor&, double, const tensor&, const tensor&) { return {}; }
  std::array<tensor, 2> backward(const tensor&, std::array<bool, 2>) const { return told; }
};

// A rule that can fail.
inline constexpr tb::op<"lost::fragile(Tensor self) -> Tensor"> fragile;
bool broken = false;
struct fragile_rule {
  tb::saved_tensor self;
  static fragile_rule save(const tensor& self, const tensor&) { return {tb::saved_tensor(self)}; }
  std::array<tensor, 1> backward(const tensor& g, std::array<bool, 1>) const {
    if (broken) throw std::runtime_error("fragile");
    return {g * self.get()};
  }
};

const auto kernels = tb::library("lost")
                         .def(nothing)
                         .impl<&nothing_cpu>(nothing, key::CPU)
                         .impl<&tb::author::autograd_kernel<nothing, nothing_rule>::run>(nothing, key::Autograd)
                         .def(half)
                         .impl<&half_cpu>(half, key::CPU)
                         .def(set_)
                         .impl<&set_cpu>(set_, key::CPU)
                         .def(swap)
                         .impl<&swap_cpu>(swap, key::CPU)
                         .def(swap_counted)
                         .impl<&swap_cpu>(swap_counted, key::CPU)
                         .impl<&tb::author::in_place_autograd<swap_counted>::run>(swap_counted, key::Autograd)
                         .impl<&tb::author::counts_writes<swap_counted>::run>(swap_counted, key::ADInplaceOrView)
                         .def(set_to)
                         .impl<&set_to_cpu>(set_to, key::CPU)
                         .def(through_add_)
                         .impl<&through_add_cpu>(through_add_, key::CPU)
                         .def(bare)
                         .impl<&bare_cpu>(bare, key::CPU)
                         .def(total)
                         .impl<&total_cpu>(total, key::CPU)
                         .def(total_some)
                         .impl<&total_some_cpu>(total_some, key::CPU)
                         .def(pieces)
                         .impl<&pieces_cpu>(pieces, key::CPU)
                         .def(same)
                         .impl<&same_cpu>(same, key::CPU)
                         .def(keep)
                         .impl<&keep_cpu>(keep, key::CPU)
                         .impl<&tb::author::autograd_kernel<keep, keep_rule>::run>(keep, key::Autograd)
                         .def(fragile)
                         .impl<&same_cpu>(fragile, key::CPU)
                         .impl<&tb::author::autograd_kernel<fragile, fragile_rule>::run>(fragile, key::Autograd);

}  // namespace lost_ops
using namespace lost_ops;

namespace {

tensor plain(const list& elements) { return tensor_of(elements, {static_cast<std::int64_t>(elements.size())}); }

std::string in_place_text(const std::string& op) {
  return op +
         ": writes in place to, or from, a tensor that requires a gradient, and would not be recorded; use the form "
         "that returns a new tensor, or a no_grad scope";
}
// The line of the kernel is not what these tests are about.
bool says_no_rule(const std::string& text, const std::string& op) {
  return text.starts_with(op + ": has no gradient rule (its kernel is registered at lost_gradients.test.cpp:") &&
         text.ends_with(
             "); register one for key::Autograd, or a fallthrough there if it is not differentiable; while backward "
             "ran " +
             op + " of aten::sum");
}
std::string backward_text(const tensor& y) {
  return text_of<tb::error>([&] { tb::backward(aten::sum(y)); });
}

}  // namespace

TEST_CASE("lost gradients: an undefined result is not recorded, since all undefined tensors are one",
          "[autograd][lost]") {
  const tensor x = leaf({1, 2});
  CHECK_FALSE(nothing(x).defined());
  CHECK_FALSE(tb::requires_grad(tensor()));
  const auto [first, second] = half(x);
  CHECK(tb::requires_grad(first));
  CHECK_FALSE(second.defined());
  CHECK_FALSE(tb::requires_grad(second));
  CHECK_FALSE(tb::requires_grad(tensor()));
  CHECK(text_of<tb::error>([&] { tb::author::set_creator(tensor(), tb::author::gradient_edge(x * 2)); }) ==
        "autograd: found an undefined tensor, wanted one that can have a gradient");
  CHECK_FALSE(tb::requires_grad(tensor()));
}

TEST_CASE("lost gradients: an operator that writes and has no rule refuses tensors that require a gradient",
          "[autograd][lost]") {
  tensor w = leaf({1, 2}), p = plain({3, 4});
  CHECK(text_of<tb::error>([&] { set_(w, p, 9.0); }) == in_place_text("lost::set_"));
  CHECK(text_of<tb::error>([&] { set_(p, w, 9.0); }) == in_place_text("lost::set_"));
  CHECK(text_of<tb::error>([&] { swap(p, w); }) == in_place_text("lost::swap"));
  CHECK(text_of<tb::error>([&] { set_to(std::optional(w), p); }) == in_place_text("lost::set_to"));
  CHECK(text_of<tb::error>([&] { bare(w); }) == in_place_text("lost::bare"));
  CHECK(values(w) == list{1, 2});
  CHECK(values(p) == list{3, 4});
  CHECK(w.version() == 0);
  CHECK(p.version() == 0);
  const tb::no_grad guard;
  set_(w, p, 9.0);
  CHECK(values(w) == list{9, 9});
  CHECK(w.version() == 0);  // below autograd, only a kernel for ADInplaceOrView counts
}

TEST_CASE("lost gradients: the write of an operator without a rule is counted", "[autograd][lost]") {
  tensor a = plain({1, 2}), b = plain({3, 4});
  CHECK(set_(a, b, 9.0).same_as(a));
  CHECK(a.version() == 1);
  CHECK(b.version() == 0);
  swap(a, b);
  CHECK(a.version() == 2);
  CHECK(b.version() == 1);
  CHECK(set_to(std::nullopt, a).same_as(a));
  CHECK(a.version() == 3);
  bare(a);
  CHECK(a.version() == 4);
  through_add_(a);  // add_ has counted
  CHECK(a.version() == 5);

  const tensor x = leaf({1, 2});
  const tensor y = x * b;
  set_(b, a, 7.0);
  CHECK(backward_text(y) ==
        "aten::mul.Tensor: a tensor saved for backward, float64 [2], was written in place by lost::set_: found version "
        "2, "
        "wanted 1; write to a clone instead; while backward ran aten::mul.Tensor of aten::sum");
}

TEST_CASE("lost gradients: a boxed call that writes is counted too", "[autograd][lost]") {
  const tensor a = plain({1, 2});
  tb::boxed_stack s;
  s.push(a);
  s.push(plain({3, 4}));
  s.push(8.0);
  set_.handle().call_boxed(s);
  REQUIRE(s.size() == 1);
  CHECK(values(a) == list{8, 8});
  CHECK(a.version() == 1);
}

TEST_CASE("lost gradients: counts_writes counts every written argument, without a gradient mode", "[autograd][lost]") {
  tensor a = plain({1, 2}), b = plain({3, 4});
  const tb::no_grad guard;
  swap_counted(a, b);
  CHECK(a.version() == 1);
  CHECK(b.version() == 1);
}

TEST_CASE("lost gradients: operators that write nothing fall through ADInplaceOrView", "[autograd][lost]") {
  const tensor p = plain({1, 2});
  REQUIRE(p.keys().contains(key::ADInplaceOrView));
  CHECK(tb::explain(same, p).masked.contains(key::ADInplaceOrView));
  CHECK(tb::explain(aten::add_Tensor, p, p, 1).masked.contains(key::ADInplaceOrView));
}

TEST_CASE("lost gradients: tensors in a list are inputs", "[autograd][lost]") {
  const tensor p = plain({1, 2}), x = leaf({3, 4});
  const tensor y = total(std::vector<tensor>{p, x}, 1.0);
  CHECK(values(y) == list{4, 6});
  REQUIRE(tb::requires_grad(y));
  CHECK(says_no_rule(backward_text(y), "lost::total"));
  CHECK_FALSE(tb::requires_grad(total(std::vector<tensor>{p, p}, 1.0)));
  const tensor z = total_some(std::vector<std::optional<tensor>>{std::nullopt, x});
  REQUIRE(tb::requires_grad(z));
  CHECK(says_no_rule(backward_text(z), "lost::total_some"));
}

TEST_CASE("lost gradients: tensors in a list are results", "[autograd][lost]") {
  const tensor x = leaf({1, 2}), p = plain({3, 4});
  const std::vector<tensor> out = pieces(x, p);
  REQUIRE(out.size() == 4);
  CHECK(says_no_rule(backward_text(out[0]), "lost::pieces"));
  CHECK(says_no_rule(backward_text(out[1]), "lost::pieces"));
  CHECK(values(out[1]) == list{3, 4});
  CHECK_FALSE(out[1].same_as(p));
  CHECK_FALSE(tb::requires_grad(p));  // given back, and still no result
  CHECK_FALSE(tb::requires_grad(out[2]));
  CHECK_FALSE(out[3].defined());
}

TEST_CASE("lost gradients: an operator without a rule that returns its argument leaves it a leaf", "[autograd][lost]") {
  const tensor x = leaf({1, 2});
  const tensor y = same(x);
  CHECK(says_no_rule(backward_text(y), "lost::same"));
  tb::backward(aten::sum(x * 2));
  CHECK(values(tb::leaf_grad(x)) == list{2, 2});
}

TEST_CASE("lost gradients: a rule's gradient must match its argument", "[autograd][lost]") {
  const tensor a = tb::require_grad(tensor_of({1, 2}, {2}, tb::dtype::float32)), b = leaf({1, 2, 3});
  const auto failure = [&](tensor for_a, tensor for_b) {
    told = {std::move(for_a), std::move(for_b)};
    return backward_text(keep(a, 1.0, b));
  };
  const std::string chain = "; while backward ran lost::keep of aten::sum";
  const tensor good_a = tensor_of({1, 1}, {2}, tb::dtype::float32), good_b = plain({1, 1, 1});
  CHECK(failure(plain({1, 2, 3}), good_b) ==
        "lost::keep: its gradient rule gave float64 [3] for argument 1, wanted float32 [2]" + chain);
  CHECK(failure(tensor_of({1, 2}, {2}, tb::dtype::int64), good_b) ==
        "lost::keep: its gradient rule gave int64 [2] for argument 1, wanted float32 [2]" + chain);
  CHECK(failure(good_a, tensor_of({1}, {})) ==
        "lost::keep: its gradient rule gave float64 [] for argument 3, wanted float64 [3]" + chain);
  CHECK(failure(good_a, aten::_to_copy(good_b, tb::arg<"device"> = tb::meta)) ==
        "lost::keep: its gradient rule gave float64 [3] on meta for argument 3, wanted float64 [3] on cpu" + chain);
  CHECK_FALSE(tb::leaf_grad(a).defined());
  CHECK_FALSE(tb::leaf_grad(b).defined());
  CHECK(failure(good_a, good_b) == "nothing was thrown");
  CHECK(values(tb::leaf_grad(a)) == list{1, 1});
  CHECK(failure(tensor(), good_b) == "nothing was thrown");
  CHECK(values(tb::leaf_grad(b)) == list{2, 2, 2});

  // Between results as well as at leaves.
  told = {plain({1, 1, 1}), tensor()};
  CHECK(backward_text(keep(aten::exp(a), 1.0, plain({1}))) ==
        "lost::keep: its gradient rule gave float64 [3] for argument 1, wanted float32 [2]" + chain);
  told = {};
}

TEST_CASE("lost gradients: broadcasting and promotion of an argument are undone", "[autograd][lost]") {
  const tensor a = tb::require_grad(tensor_of({1, 2}, {2, 1}, tb::dtype::float32)), b = leaf({1, 2, 3});
  told = {tensor_of({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}), tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, tb::dtype::float32)};
  tb::backward(aten::sum(keep(a, 1.0, b)));
  CHECK(tb::leaf_grad(a).dtype() == tb::dtype::float32);
  CHECK(tb::leaf_grad(a).sizes() == tb::shape{2, 1});
  CHECK(values(tb::leaf_grad(a)) == list{1 + 2 + 5 + 6, 3 + 4 + 7 + 8});
  CHECK(tb::leaf_grad(b).dtype() == tb::dtype::float64);
  CHECK(values(tb::leaf_grad(b)) == list{5, 7, 9});
  told = {};
}

TEST_CASE("lost gradients: threads accumulate into one leaf concurrently", "[autograd][lost][threads]") {
  constexpr int rounds = 3000;
  const tensor x = leaf({1, 2});
  const auto work = [&](double factor) {
    for (int i = 0; i < rounds; ++i) tb::backward(aten::sum(aten::mul_Scalar(x, factor)));
  };
  std::thread other(work, 3.0);
  work(1.0);
  other.join();
  CHECK(values(tb::leaf_grad(x)) == list{4.0 * rounds, 4.0 * rounds});
}

TEST_CASE("lost gradients: a backward that throws part-way changes no leaf, and a retained graph can be run again",
          "[autograd][lost]") {
  const tensor x = leaf({1, 2}), early = leaf({1, 1});
  const tensor middle = fragile(x * 2);
  const tensor y = aten::sum(aten::exp(middle * 0) * middle * early);
  broken = true;
  CHECK(text_of<tb::backward_error>([&] { tb::backward(y, {}, {.retain_graph = true}); }) ==
        "fragile; while backward ran lost::fragile of aten::mul.Tensor of aten::mul.Tensor of aten::sum");
  CHECK_FALSE(tb::leaf_grad(x).defined());
  CHECK_FALSE(tb::leaf_grad(early).defined());
  broken = false;
  tb::backward(y);  // d/dx early * 2x = 2, times what fragile makes of it: 2x, and nothing through exp
  CHECK(values(tb::leaf_grad(early)) == list{2, 4});
  CHECK(values(tb::leaf_grad(x)) == list{4, 8});
  CHECK(text_of<tb::error>([&] { tb::backward(y); }).find("released by an earlier backward()") != std::string::npos);
}

TEST_CASE("lost gradients: after an exception in a rule the graph and its saved tensors are released",
          "[autograd][lost]") {
  const tensor x = leaf({1, 2});
  const auto before = tb::host_memory().bytes_in_use;
  {
    const tensor y = aten::sum(aten::exp(fragile(x * 2)));
    broken = true;
    try {
      tb::backward(y);
      FAIL("nothing was thrown");
    } catch (const tb::backward_error& e) {
      CHECK(e.nested_ptr() != nullptr);
      CHECK_THROWS_AS(e.rethrow_nested(), std::runtime_error);
    }
    broken = false;
    CHECK(text_of<tb::error>([&] { tb::backward(y); }).starts_with("aten::exp: its saved tensors were released"));
  }
  CHECK(tb::host_memory().bytes_in_use == before);
  tb::backward(aten::sum(x * x));
  CHECK(values(tb::leaf_grad(x)) == list{2, 4});
}
