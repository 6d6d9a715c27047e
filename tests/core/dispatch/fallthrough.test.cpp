#include <catch2/catch_test_macros.hpp>
#include <optional>

#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;

namespace {

inline constexpr tb::op<"fall::seen", key_set(const image&)> seen;
constexpr auto answers = [](key_set keys, const image&) { return keys; };

// Each case has a registry of its own with the operator and its CPU and CUDA kernels.
struct room {
  tb::registry r;
  tb::library_block base =
      tb::library("fall", r).def(seen).impl<answers>(seen, key::CPU).impl<answers>(seen, key::CUDA);
  tb::typed_handle<key_set(const image&)> call = r.find("fall::seen").typed<key_set(const image&)>();
  tb::library_block more() { return tb::implement("fall", std::nullopt, r); }
};

image with(key_set keys) { return {keys, 0, 0}; }

}  // namespace

TEST_CASE("fallthrough: its functionality is taken out of the set", "[core][fallthrough][F1][C3]") {
  room in;
  CHECK_THROWS_AS(in.call(with({key::CPU, key::Tracer})), tb::no_kernel);
  const auto block = in.more().fallthrough(seen, key::Tracer);
  CHECK(in.call(with({key::CPU, key::Tracer})) == key_set(key::CPU));
}

TEST_CASE("fallthrough: a kernel overrides it, and its end restores it", "[core][fallthrough][F2]") {
  room in;
  const auto block = in.more().fallthrough(seen, key::Tracer);
  {
    const auto kernel = in.more().impl<answers>(seen, key::Tracer);
    CHECK(in.call(with({key::CPU, key::Tracer})) == key_set{key::CPU, key::Tracer});
  }
  CHECK(in.call(with({key::CPU, key::Tracer})) == key_set(key::CPU));
}

TEST_CASE("fallthrough: under an alias all its keys are transparent", "[core][fallthrough][F2]") {
  room in;
  const auto kernel = in.more().impl<answers>(seen, key::AutogradCUDA);
  const auto block = in.more().fallthrough(seen, key::Autograd);
  CHECK(in.call(with({key::CPU, key::AutogradCPU})).highest() == key::CPU);
  CHECK(in.call(with({key::CUDA, key::AutogradCUDA})).highest() == key::AutogradCUDA);
}

TEST_CASE("fallthrough: one backend's does not touch another's", "[core][fallthrough][F3][X8]") {
  room in;
  const auto block = in.more().fallthrough(seen, key::AutogradCPU).impl<answers>(seen, key::AutogradCUDA);
  CHECK(in.call(with({key::CPU, key::AutogradCPU})) == key_set(key::CPU));
  CHECK(in.call(with({key::CUDA, key::AutogradCUDA})) == key_set{key::CUDA, key::AutogradCUDA});
  // The highest backend decides, whatever the order of the arguments was.
  CHECK(in.call(with({key::CPU, key::CUDA, key::AutogradCPU})).highest() == key::AutogradCUDA);
}

TEST_CASE("fallthrough: several on top of one another are all passed", "[core][fallthrough]") {
  room in;
  const auto block = in.more()
                         .fallthrough(seen, key::Tracer)
                         .fallthrough(seen, key::UserTop1)
                         .fallthrough(seen, key::AutogradCPU)
                         .impl<answers>(seen, key::AutogradCUDA)  // so that AutogradCPU is a slot of its own
                         .fallthrough(seen, key::AutocastCPU)
                         .impl<answers>(seen, key::AutocastCUDA);  // and AutocastCPU too
  const tb::enable_autocast on;
  CHECK(in.call(with({key::CPU, key::AutogradCPU, key::AutocastCPU, key::Tracer, key::UserTop1})) == key_set(key::CPU));
}

TEST_CASE("fallthrough: with nothing left the catch-all runs, or the call throws", "[core][fallthrough][F4][P10i]") {
  tb::registry r;
  auto block = tb::library("fall", r).def(seen).fallthrough(seen, key::CPU);
  const auto call = r.find("fall::seen").typed<key_set(const image&)>();
  CHECK_THROWS_AS(call(with(key::CPU)), tb::no_kernel);
  {
    const auto all = tb::implement("fall", std::nullopt, r).fallthrough(seen, key::CompositeImplicitAutograd);
    CHECK_THROWS_AS(call(with(key::CPU)), tb::no_kernel);
    CHECK_THROWS_AS(call(with({})), tb::no_kernel);
  }
  block.impl<answers>(seen, key::CompositeImplicitAutograd);
  CHECK(call(with(key::CPU)).row() == 0);
}

TEST_CASE("fallthrough: redispatch onto one passes it too", "[core][fallthrough][F5][C4]") {
  room in;
  const auto block = in.more()
                         .fallthrough(seen, key::Tracer)
                         .fallthrough(seen, key::AutogradCPU)
                         .impl<answers>(seen, key::AutogradCUDA);
  const image nothing = with({});
  CHECK(in.call.redispatch({key::CPU, key::Tracer}, nothing) == key_set(key::CPU));
  CHECK(in.call.redispatch({key::CPU, key::AutogradCPU}, nothing) == key_set(key::CPU));
}

TEST_CASE("fallthrough: the boxed path passes it in the same way", "[core][fallthrough][C2]") {
  room in;
  const auto block = in.more().fallthrough(seen, key::AutogradCPU).impl<answers>(seen, key::AutogradCUDA);
  for (key_set keys : {key_set{key::CPU, key::AutogradCPU}, key_set{key::CUDA, key::AutogradCUDA}}) {
    tb::boxed_stack s;
    s.push(with(keys));
    in.r.find("fall::seen").call_boxed(s);
    CHECK(s[0].get<key_set>() == in.call(with(keys)));
  }
}

TEST_CASE("fallthrough: the kernel receives the effective set, its own key highest", "[core][op][C3]") {
  room in;
  const auto block = in.more().impl<answers>(seen, key::Autograd);
  const key_set keys{key::CPU, key::ADInplaceOrView, key::AutogradCPU};
  CHECK(in.call(with(keys)) == (keys - key_set(key::ADInplaceOrView)));
  CHECK(in.call(with(keys)).highest() == key::AutogradCPU);
}

TEST_CASE("fallthrough: what every backend passes through is masked, whatever brought it", "[core][fallthrough][X7]") {
  room in;
  const auto block = in.more().fallthrough(seen, key::Tracer).fallthrough(seen, key::Autograd);
  const key_set layers{key::Tracer, key::AutogradCUDA};
  CHECK(in.call(with({key::CPU, layers})) == key_set{key::CPU, tb::backend::CUDA});
  {
    tb::include_guard in_thread(layers);
    CHECK(in.call(with(key::CPU)) == key_set{key::CPU, tb::backend::CUDA});
  }
  // Nothing of a masked functionality is asked, not even which backend it would be.
  CHECK(in.call(with({key::CPU, key::AutogradFunctionality})) == key_set(key::CPU));
  CHECK(toy::text_of<tb::no_kernel>([&] {
          (void)in.call(with(key::AutogradFunctionality));
        }).starts_with("fall::seen: no argument brought a key, and there is no catch-all kernel; "));
}

TEST_CASE("fallthrough: what one backend handles is not masked, and the highest backend of the set decides",
          "[core][fallthrough][X7][X8]") {
  room in;
  const auto block = in.more().fallthrough(seen, key::Autograd).impl<answers>(seen, key::AutogradCUDA);
  CHECK(in.call(with({key::CPU, key::AutogradCPU})) == key_set(key::CPU));
  CHECK(in.call(with({key::CUDA, key::AutogradCPU})) == key_set{key::CPU, key::CUDA, key::AutogradCPU});
  {
    tb::include_guard in_thread(tb::backend::CUDA);
    CHECK(in.call(with({key::CPU, key::AutogradCPU})) == key_set{key::CPU, key::CUDA, key::AutogradCPU});
  }
  CHECK(toy::text_of<tb::no_kernel>([&] { (void)in.call(with(key::AutogradFunctionality)); }) ==
        "fall::seen: the key set has Autograd without a backend");
}

TEST_CASE("fallthrough: it may come before the definition and outlives one", "[core][fallthrough][X9]") {
  tb::registry r;
  const auto block =
      tb::implement("fall", std::nullopt, r).fallthrough(seen, key::Tracer).impl<answers>(seen, key::CPU);
  CHECK_FALSE(r.try_find("fall::seen").has_value());
  auto defined = tb::library("fall", r).def(seen);
  const auto call = r.find("fall::seen").typed<key_set(const image&)>();
  CHECK(call(with({key::CPU, key::Tracer})) == key_set(key::CPU));
  defined.reset();
  CHECK(toy::text_of<tb::no_kernel>([&] { (void)call(with({key::CPU, key::Tracer})); }) ==
        "fall::seen: was withdrawn: its library is gone or was reset");
  const auto again = tb::library("fall", r).def(seen);
  CHECK(call(with({key::CPU, key::Tracer})) == key_set(key::CPU));
}

namespace {
// For every operator that takes one argument and answers with keys.
void answers_boxed(const tb::operator_handle& op, key_set keys, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(keys);
}
}  // namespace

TEST_CASE("fallthrough: it overrides a fallback for its operator, and its end restores the fallback",
          "[core][fallthrough][F2]") {
  room in;
  const image traced = with({key::CPU, key::Tracer});
  const auto back = tb::fallback<&answers_boxed>(key::Tracer, in.r);
  CHECK(in.call(traced) == traced.keys);
  {
    const auto block = in.more().fallthrough(seen, key::Tracer);
    CHECK(in.call(traced) == key_set(key::CPU));
  }
  CHECK(in.call(traced) == traced.keys);
}

namespace {
inline constexpr tb::op<"fall::later", key_set(const image&)> later;
}  // namespace

TEST_CASE("fallthrough: as a fallback it serves the operators that exist and those that come",
          "[core][fallthrough][F2][R18][R20]") {
  room in;
  const image traced = with({key::CPU, key::Tracer});
  CHECK_THROWS_AS(in.call(traced), tb::no_kernel);
  auto passing = tb::fallthrough(key::Tracer, in.r);
  CHECK(in.call(traced) == key_set(key::CPU));
  const auto block = tb::fragment("fall", in.r).def(later).impl<answers>(later, key::CPU);
  const auto call_later = in.r.find("fall::later").typed<key_set(const image&)>();
  CHECK(call_later(traced) == key_set(key::CPU));
  {
    const auto own = in.more().impl<answers>(seen, key::Tracer);
    CHECK(in.call(traced) == traced.keys);
    CHECK(call_later(traced) == key_set(key::CPU));
  }
  CHECK(in.call(traced) == key_set(key::CPU));
  passing.reset();
  CHECK_THROWS_AS(in.call(traced), tb::no_kernel);
  CHECK_THROWS_AS(call_later(traced), tb::no_kernel);
}

TEST_CASE("fallthrough: as a fallback for an alias it stands for each of its keys", "[core][fallthrough][F2][R18]") {
  room in;
  const auto back = tb::fallback<&answers_boxed>(key::UserTop1, in.r);
  const image graph = with({key::CPU, key::AutogradCPU, key::UserTop1});
  const auto passing = tb::fallthrough(key::Autograd, in.r);
  CHECK(in.call(graph) == key_set{key::CPU, key::UserTop1});
  CHECK(in.call.redispatch({key::CUDA, key::AutogradCUDA}, graph) == key_set(key::CUDA));
  const auto own = in.more().impl<answers>(seen, key::AutogradCUDA);
  CHECK(in.call.redispatch({key::CUDA, key::AutogradCUDA}, graph) == key_set{key::CUDA, key::AutogradCUDA});
  CHECK(in.call.redispatch({key::CPU, key::AutogradCPU}, graph) == key_set(key::CPU));
}

TEST_CASE("fallthrough: it is a fallback like any other, one for a key", "[core][fallthrough][R19]") {
  room in;
  auto back = tb::fallback<&answers_boxed>(key::Tracer, in.r);
  CHECK_THROWS_AS(tb::fallthrough(key::Tracer, in.r), tb::bad_registration);
  CHECK(in.call(with({key::CPU, key::Tracer})) == key_set{key::CPU, key::Tracer});
  back.reset();
  const auto passing = tb::fallthrough(key::Tracer, in.r);
  CHECK_THROWS_AS(tb::fallback<&answers_boxed>(key::Tracer, in.r), tb::bad_registration);
  CHECK(in.call(with({key::CPU, key::Tracer})) == key_set(key::CPU));
}
