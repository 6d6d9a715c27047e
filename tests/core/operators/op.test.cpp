#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;

namespace op_ops {

inline constexpr tb::op<"op::blur", int(const image&, int)> blur;
inline constexpr tb::op<"op::layered(Tensor self) -> int"> layered;
inline constexpr tb::op<"op::first_redispatch", int(const image&)> first_redispatch;
inline constexpr tb::op<"op::first_call", int(const image&)> first_call;
inline constexpr tb::op<"op::never_registered", int(const image&)> never_registered;
inline constexpr tb::op<"op::withdrawn", int(const image&)> withdrawn;
inline constexpr tb::op<"op::zeros(int n, Device device) -> Tensor"> zeros;
inline constexpr tb::op<"op::like(Tensor a, Device device) -> Tensor"> like;
inline constexpr tb::op<"op::nothing() -> int"> nothing;
inline constexpr tb::op<"op::take", int(toy::tensor)> take;

std::vector<std::string> passed;

std::int64_t layered_cpu(key_set keys, const toy::tensor& self) {
  passed.push_back("CPU" + to_string(keys));
  return self.value();
}
std::int64_t layered_autograd(key_set keys, const toy::tensor& self) {
  passed.push_back("Autograd" + to_string(keys));
  return layered.redispatch(keys & tb::below(key::Autograd), self) + 10;
}
std::int64_t layered_tracer(key_set keys, const toy::tensor& self) {
  passed.push_back("Tracer" + to_string(keys));
  return layered.redispatch(keys & tb::below(key::Tracer), self) + 100;
}
int width(const image& i) { return i.width; }
int sum(const image& i, int n) { return i.width + n; }
toy::tensor zeros_at(key_set keys, std::int64_t n, toy::device) { return toy::tensor(keys, n); }
toy::tensor like_at(key_set keys, const toy::tensor&, toy::device) { return toy::tensor(keys); }

const auto kernels = [] {
  auto block = tb::library("op");
  block.def(blur).impl<&sum>(blur, key::CPU);
  block.def(layered).impl<&layered_cpu>(layered, key::CPU).impl<&layered_autograd>(layered, key::Autograd);
  block.impl<&layered_tracer>(layered, key::Tracer);
  block.def(first_redispatch)
      .impl<&width>(first_redispatch, key::CPU)
      .def(first_call)
      .impl<&width>(first_call, key::CPU);
  block.def(zeros).impl<&zeros_at>(zeros, key::CPU).impl<&zeros_at>(zeros, key::CUDA);
  block.def(like).impl<&like_at>(like, key::CPU);
  block.def(nothing).impl<[] { return std::int64_t{4}; }>(nothing);
  block.def(take).impl<[](toy::tensor t) { return t.count(); }>(take, key::CPU);
  return block;
}();

// Which of its two kernels ran, and with which keys.
inline constexpr tb::op<"op::which(Tensor a, Tensor[] more, Tensor? last) -> str"> which;
template <char Who>
std::string runs(key_set keys, const toy::tensor&, std::span<const toy::tensor>, const std::optional<toy::tensor>&) {
  return Who + to_string(keys);
}

// Calls itself once more from its upper kernel, by the front door or on.
inline constexpr tb::op<"op::twice(Tensor self, bool front_door) -> str"> twice;
std::string twice_below(key_set keys, const toy::tensor&, bool) { return to_string(keys); }
std::string twice_above(key_set keys, const toy::tensor& self, bool front_door) {
  tb::exclude_guard not_me(tb::autograd_keys);
  tb::include_guard more(key::Tracer);
  return front_door ? twice(self, front_door) : twice.redispatch(keys & tb::below(key::Autograd), self, front_door);
}

const auto more_kernels = [] {
  auto block = tb::fragment("op");
  block.def(which)
      .impl<&runs<'c'>>(which, key::CPU)
      .impl<&runs<'g'>>(which, key::CUDA)
      .impl<&runs<'a'>>(which, key::Autograd);
  block.def(twice).impl<&twice_below>(twice, key::CPU).impl<&twice_above>(twice, key::Autograd);
  block.impl<&twice_below>(twice, key::Tracer);
  return block;
}();

}  // namespace op_ops
using namespace op_ops;

TEST_CASE("op: the first call binds and runs, and so does every other", "[core][op]") {
  const image cpu{key::CPU, 7, 0};
  CHECK(first_call(cpu) == 7);
  CHECK(first_call(cpu) == 7);
}

TEST_CASE("op: a redispatch may be the first use of an operator", "[core][op][C4]") {
  CHECK(first_redispatch.redispatch(key::CPU, image{{}, 3, 0}) == 3);
  CHECK(first_redispatch.redispatch({key::CPU, key::BackendSelect}, image{{}, 4, 0}) == 4);
}

TEST_CASE("op: a layer runs above the kernel it calls on to", "[core][op][C4]") {
  const toy::tensor t({key::CPU, key::AutogradCPU}, 1);
  passed.clear();
  tb::include_guard trace(key::Tracer);
  CHECK(layered(t) == 111);
  CHECK(passed ==
        std::vector<std::string>{"Tracer{CPU, AutogradCPU, Tracer}", "Autograd{CPU, AutogradCPU}", "CPU{CPU}"});
}

TEST_CASE("op: redispatch takes the set as it is, without arguments and without the thread", "[core][op][C4]") {
  const toy::tensor t({key::CPU, key::AutogradCPU}, 1);
  passed.clear();
  tb::include_guard trace(key::Tracer);
  tb::exclude_guard below_autograd(tb::autograd_keys);
  CHECK(layered.redispatch({key::CPU, key::AutogradCPU}, t) == 11);
  CHECK(passed.size() == 2);
}

TEST_CASE("op: a redispatch through a handle, typed or boxed, takes the set as it is too", "[core][op][C4]") {
  const toy::tensor t({key::CPU, key::AutogradCPU}, 1);
  tb::include_guard trace(key::Tracer);
  tb::exclude_guard below_autograd(tb::autograd_keys);
  const auto op = tb::registry::process().find("op::layered");
  passed.clear();
  CHECK(op.typed<std::int64_t(const toy::tensor&)>().redispatch({key::CPU, key::AutogradCPU}, t) == 11);
  CHECK(passed == std::vector<std::string>{"Autograd{CPU, AutogradCPU}", "CPU{CPU}"});
  passed.clear();
  tb::boxed_stack s;
  s.push(t);
  op.redispatch_boxed({key::CPU, key::AutogradCPU}, s);
  REQUIRE(s.size() == 1);
  CHECK(s[0].get<std::int64_t>() == 11);
  CHECK(passed == std::vector<std::string>{"Autograd{CPU, AutogradCPU}", "CPU{CPU}"});
}

TEST_CASE("op: redispatch with no key runs the catch-all or throws", "[core][op][C4]") {
  CHECK(nothing.redispatch(key_set{}) == 4);
  CHECK_THROWS_AS(layered.redispatch(key_set{}, toy::tensor(key::CPU)), tb::no_kernel);
  CHECK_THROWS_AS(layered.redispatch(tb::backend::CPU, toy::tensor(key::CPU)), tb::no_kernel);
}

TEST_CASE("op: redispatch with a functionality that has no backend throws and runs no CPU kernel", "[core][op][S10]") {
  CHECK(toy::text_of<tb::no_kernel>([] { (void)layered.redispatch(key::Dense, toy::tensor(key::CPU)); }) ==
        "op::layered: the key set has Dense without a backend");
}

TEST_CASE("op: the highest backend wins, whatever the order of arguments", "[core][op][X6]") {
  CHECK(blur(image{key::CPU, 1, 0}, 2) == 3);
  CHECK_THROWS_AS(blur(image{{key::CPU, key::Meta}, 1, 0}, 2), tb::no_kernel);
}

TEST_CASE("op: without keyed arguments the catch-all runs", "[core][op][X5]") { CHECK(nothing() == 4); }

TEST_CASE("op: a factory goes where its device says", "[core][op][X5]") {
  CHECK(zeros(2, toy::device{tb::backend::CPU}).keys() == key_set(key::CPU));
  CHECK(zeros(2, toy::device{tb::backend::CUDA}).keys() == key_set(key::CUDA));
  CHECK(toy::text_of<tb::no_kernel>([] {
          (void)zeros(2, toy::device{tb::backend::HIP});
        }).starts_with("op::zeros: no kernel for HIP; there are kernels for CPU ("));
}

TEST_CASE("op: a factory goes where its device says through the boxed path too", "[core][op][X4]") {
  tb::boxed_stack s;
  s.push(std::int64_t{2});
  s.push(toy::device{tb::backend::CUDA});
  tb::registry::process().find("op::zeros").call_boxed(s);
  REQUIRE(s.size() == 1);
  CHECK(s[0].get<toy::tensor>().keys() == key_set(key::CUDA));
}

TEST_CASE("op: a device beside a tensor selects nothing", "[core][op]") {
  CHECK(like(toy::tensor(key::CPU), toy::device{tb::backend::CUDA}).keys() == key_set(key::CPU));
}

TEST_CASE("op: a user's BackendSelect kernel replaces the one made from the schema", "[core][op]") {
  constexpr auto always_cpu = [](key_set, std::int64_t n, toy::device d) { return zeros.redispatch(key::CPU, n, d); };
  {
    const auto block = tb::implement("op").impl<always_cpu>(zeros, key::BackendSelect);
    CHECK(zeros(2, toy::device{tb::backend::CUDA}).keys() == key_set(key::CPU));
  }
  CHECK(zeros(2, toy::device{tb::backend::CUDA}).keys() == key_set(key::CUDA));
}

TEST_CASE("op: an argument by value is moved along and not copied", "[core][op]") {
  toy::tensor t(key::CPU);
  toy::tensor::references_taken = 0;
  CHECK(take(std::move(t)) == 1);
  CHECK(toy::tensor::references_taken == 0);
}

TEST_CASE("op: declared but never registered says so when called", "[core][op][error]") {
  CHECK(toy::text_of<tb::no_kernel>([] { (void)never_registered(image{key::CPU, 1, 0}); }) ==
        "op::never_registered: declared, never registered: was its object linked?");
}

TEST_CASE("op: withdrawn throws, and works again when it comes back", "[core][op][D3][D5]") {
  const image cpu{key::CPU, 5, 0};
  {
    const auto block = tb::fragment("op").def(withdrawn).impl<&width>(withdrawn, key::CPU);
    CHECK(withdrawn(cpu) == 5);
  }
  CHECK(toy::text_of<tb::no_kernel>([&] { (void)withdrawn(cpu); }) ==
        "op::withdrawn: was withdrawn: its library is gone or was reset");
  const auto again = tb::fragment("op").def(withdrawn).impl<&width>(withdrawn, key::CPU);
  CHECK(withdrawn(cpu) == 5);
}

TEST_CASE("op: a missing kernel names the key, the argument that brought it, and the kernels there are",
          "[core][op][error][E1]") {
  const std::string text = toy::text_of<tb::no_kernel>([] { (void)blur(image{key::HIP, 1, 0}, 2); });
  CHECK(text.starts_with("op::blur: no kernel for HIP, which argument 1 brought; there are kernels for CPU ("));
  const std::string named = toy::text_of<tb::no_kernel>([] { (void)layered(toy::tensor(key::CUDA)); });
  CHECK(named.starts_with(
      "op::layered: no kernel for CUDA, which argument 1 'self' brought; there are kernels for CPU ("));
  {
    tb::include_guard in(key::TestMode);
    CHECK(toy::text_of<tb::no_kernel>([] {
            (void)layered(toy::tensor(key::CPU));
          }).starts_with("op::layered: no kernel for TestMode, which this thread includes; there are kernels for "));
  }
  const std::string none = toy::text_of<tb::no_kernel>([] { (void)layered(toy::tensor()); });
  CHECK(
      none.starts_with("op::layered: argument 1 'self' is undefined, no other argument brought a key, and there is no "
                       "catch-all kernel; "));
  try {
    (void)layered(toy::tensor(key::CUDA));
  } catch (const tb::no_kernel& e) {
    CHECK(e.op() == "op::layered");
    CHECK(e.keys() == key_set(key::CUDA));
  }
}

TEST_CASE("op: an ambiguous AutogradOther says what to do", "[core][op][error][E4][P5a]") {
  constexpr auto answer = [](const toy::tensor&) { return std::int64_t{0}; };
  const auto block = tb::implement("op").impl<answer>(layered, key::MkldnnCPU).impl<answer>(layered);
  CHECK(toy::text_of<tb::no_kernel>([] { (void)layered(toy::tensor({key::MkldnnCPU, key::AutogradOther})); })
            .starts_with(
                "op::layered: ambiguous at AutogradOther: a composite kernel and a kernel of a backend that "
                "shares this slot are both registered; register one for AutogradOther, or call below autograd; "));
}

TEST_CASE("op: a call runs the kernel of the highest key of its effective set, with that set", "[core][op][C1][C3]") {
  const toy::tensor cpu(key::CPU), cuda(key::CUDA), differentiable({key::CPU, key::AutogradCPU}), none;
  CHECK(which(cpu, {}, std::nullopt) == "c{CPU}");
  CHECK(which(none, std::array{cpu, none, cuda}, std::nullopt) == "g{CPU, CUDA}");
  CHECK(which(none, {}, cuda) == "g{CUDA}");
  CHECK(which(cpu, {}, differentiable) == "a{CPU, AutogradCPU}");
  {
    tb::exclude_guard out(tb::autograd_keys);
    tb::include_guard in(key::CUDA);
    CHECK(which(cpu, {}, differentiable) == "g{CPU, CUDA}");
  }
  CHECK_THROWS_AS(which(none, {}, std::nullopt), tb::no_kernel);
}

TEST_CASE("op: a kernel that calls by the front door meets what it changed of the thread, one that calls on does not",
          "[core][op][C5]") {
  const toy::tensor t({key::CPU, key::AutogradCPU});
  CHECK(twice(t, true) == "{CPU, Tracer}");
  CHECK(twice(t, false) == "{CPU}");
}

TEST_CASE("op: white space around a name is no part of it", "[core][op][G4]") {
  STATIC_REQUIRE(tb::op<"  spaced::name.o (int a) -> int">::name() == "spaced::name.o");
  STATIC_REQUIRE(tb::op<" spaced::name ", int(int)>::name() == "spaced::name");
}
