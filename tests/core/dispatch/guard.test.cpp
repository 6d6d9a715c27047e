#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;

namespace guard_ops {
// Answers with the keys its kernel received.
inline constexpr tb::op<"guard::keys", key_set(const toy::image&)> seen;
constexpr auto kernel = [](key_set keys, const toy::image&) { return keys; };
const auto kernels = tb::library("guard")
                         .def(seen)
                         .impl<kernel>(seen, key::CPU)
                         .impl<kernel>(seen, key::CUDA)
                         .impl<kernel>(seen, key::Meta)
                         .impl<kernel>(seen, key::Autograd)
                         .impl<kernel>(seen, key::Tracer)
                         .impl<kernel>(seen);
}  // namespace guard_ops
using guard_ops::seen;

namespace {
const toy::image cpu{{key::CPU, key::AutogradCPU}, 0, 0};
const toy::image cuda{{key::CUDA, key::AutogradCUDA}, 0, 0};

bool untouched() {
  const auto state = tb::current_thread_keys();
  return state.include.empty() && state.exclude == key_set(key::AutocastFunctionality);
}
const toy::image cast{{key::CPU, key::AutogradCPU, key::AutocastCPU}, 0, 0};
}  // namespace

TEST_CASE("guard: a thread starts with nothing included and nothing but Autocast excluded", "[core][guard][T1][T10]") {
  CHECK(untouched());
  tb::include_guard here(key::Tracer);
  bool fresh = false;
  std::thread([&] { fresh = untouched(); }).join();
  CHECK(fresh);
}

TEST_CASE("guard: effective keys are those of arguments and thread, less what is excluded, less the mask",
          "[core][guard][T2]") {
  CHECK(seen(cpu) == cpu.keys);
  {
    tb::include_guard more(key::Tracer);
    CHECK(seen(cpu) == (cpu.keys | key::Tracer));
  }
  {
    tb::exclude_guard less(tb::autograd_keys);
    CHECK(seen(cpu) == key_set(key::CPU));
  }
  {
    tb::include_guard masked(key::ADInplaceOrView);  // nobody handles it here
    CHECK(seen(cpu) == cpu.keys);
  }
  CHECK(untouched());
}

TEST_CASE("guard: exclusion beats inclusion, whichever came first", "[core][guard][T2]") {
  {
    tb::include_guard in(key::Tracer);
    tb::exclude_guard out(key::Tracer);
    CHECK(seen(cpu) == cpu.keys);
  }
  {
    tb::exclude_guard out(key::Tracer);
    tb::include_guard in(key::Tracer);
    CHECK(seen(cpu) == cpu.keys);
  }
}

TEST_CASE("guard: nesting the same key is harmless", "[core][guard][T3]") {
  tb::include_guard outer(key::Tracer);
  {
    tb::include_guard inner(key_set{key::Tracer, key::Meta});
    CHECK(tb::current_thread_keys().include == key_set{key::Tracer, key::Meta});
  }
  CHECK(tb::current_thread_keys().include == key_set(key::Tracer));
  tb::exclude_guard first(tb::autograd_keys);
  {
    tb::exclude_guard second(key_set{key::AutogradOther, key::Tracer});
    CHECK(tb::current_thread_keys().exclude == (tb::autograd_keys | key::Tracer | key::AutocastFunctionality));
  }
  CHECK(tb::current_thread_keys().exclude == (tb::autograd_keys | key::AutocastFunctionality));
}

TEST_CASE("guard: a guard can be neither copied nor moved", "[core][guard][T3]") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<tb::include_guard>);
  STATIC_REQUIRE_FALSE(std::is_move_constructible_v<tb::exclude_guard>);
  STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<tb::force_guard>);
}

TEST_CASE("guard: leaving a scope restores the exact state, backends too", "[core][guard][T5]") {
  {
    tb::include_guard meta(key::Meta);
    CHECK(seen(cpu).highest() == key::AutogradMeta);
  }
  CHECK(untouched());
  CHECK(seen(cpu).highest() == key::AutogradCPU);
  {
    tb::include_guard meta(tb::backend::Meta);
    CHECK(tb::current_thread_keys().include == key_set(tb::backend::Meta));
  }
  CHECK(untouched());
}

TEST_CASE("guard: an exception restores the state like any other way out", "[core][guard][T5]") {
  const auto throws = [] {
    tb::include_guard in(key_set{key::Meta, key::Tracer});
    tb::exclude_guard out(key_set::full());
    throw std::runtime_error("out");
  };
  CHECK_THROWS_AS(throws(), std::runtime_error);
  CHECK(untouched());
}

TEST_CASE("guard: force_guard replaces the state and puts it back whole", "[core][guard][T4]") {
  tb::include_guard before(key::Tracer);
  const tb::thread_key_state wanted{key::Meta, tb::autograd_keys};
  {
    tb::force_guard forced(wanted);
    CHECK(tb::current_thread_keys().include == wanted.include);
    CHECK(tb::current_thread_keys().exclude == wanted.exclude);
    CHECK(seen(cpu) == key_set{key::CPU, key::Meta});
    tb::include_guard inside(key::UserTop1);
  }
  CHECK(tb::current_thread_keys().include == key_set(key::Tracer));
  CHECK(tb::current_thread_keys().exclude == key_set(key::AutocastFunctionality));
}

TEST_CASE("guard: a thread can run with the state of another one", "[core][guard][T10]") {
  tb::include_guard in(key::Tracer);
  tb::exclude_guard out(tb::autograd_keys);
  const auto state = tb::current_thread_keys();
  key_set found;
  std::thread([&] {
    tb::force_guard taken_over(state);
    found = seen(cpu);
  }).join();
  CHECK(found == seen(cpu));
  CHECK(found == key_set{key::CPU, key::Tracer});
}

TEST_CASE("guard: excluding one instance excludes its functionality for every backend", "[core][guard][T11]") {
  tb::exclude_guard out(key::AutogradCPU);
  CHECK(seen(cpu) == key_set(key::CPU));
  CHECK(seen(cuda) == key_set(key::CUDA));
}

TEST_CASE("guard: no guard excludes a backend", "[core][guard][T11]") {
  {
    tb::exclude_guard out(key_set{tb::backend::CPU, key::AutogradCPU});
    CHECK(seen(cpu) == key_set(key::CPU));
  }
  {
    tb::force_guard out({{}, key_set{tb::backend::CPU, key::AutogradCPU}});
    CHECK(seen(cpu) == key_set(key::CPU));
  }
}

TEST_CASE("guard: with everything masked or excluded the catch-all runs", "[core][guard][F4]") {
  tb::exclude_guard out(key_set::full());
  CHECK(seen(cpu).row() == 0);
}

TEST_CASE("guard: boxed and typed calls by name see the same thread state", "[core][guard][T2][C2]") {
  const auto op = tb::registry::process().find("guard::keys");
  const auto by_name = op.typed<key_set(const toy::image&)>();
  const auto boxed = [&] {
    tb::boxed_stack s;
    s.push(cpu);
    op.call_boxed(s);
    return s[0].get<key_set>();
  };
  for (key_set in : {key_set{}, key_set(key::Tracer), key_set(key::Meta)}) {
    for (key_set out : {key_set{}, tb::autograd_keys, key_set(key::Tracer), key_set::full()}) {
      tb::include_guard included(in);
      tb::exclude_guard excluded(out);
      CHECK(boxed() == seen(cpu));
      CHECK(by_name(cpu) == seen(cpu));
    }
  }
}

TEST_CASE("guard: what a layer calls below itself with is an exclude guard over its keys", "[core][guard][T6]") {
  static constexpr tb::op<"below::keys", key_set(const toy::image&)> op;
  tb::registry r;
  auto block = tb::library("below", r).def(op).impl<guard_ops::kernel>(op, key::CPU);
  block.impl<guard_ops::kernel>(op, key::Functionalize).impl<guard_ops::kernel>(op, key::ADInplaceOrView);
  block.impl<guard_ops::kernel>(op, key::Autograd).impl<guard_ops::kernel>(op, key::Tracer);
  const auto call = r.find("below::keys").typed<key_set(const toy::image&)>();
  const auto runs = [&] {
    return call(toy::image{{key::CPU, key::Functionalize, key::ADInplaceOrView, key::AutogradCPU}, 0, 0}).highest();
  };
  tb::include_guard traced(key::Tracer);
  CHECK(runs() == key::Tracer);
  tb::exclude_guard no_tracer(key::Tracer);
  CHECK(runs() == key::AutogradCPU);
  {
    tb::exclude_guard below_autograd(tb::autograd_keys);
    CHECK(runs() == key::ADInplaceOrView);
  }
  {
    tb::exclude_guard below_views(tb::autograd_keys | key::ADInplaceOrView);
    CHECK(runs() == key::Functionalize);
    tb::exclude_guard no_functionalize(key::Functionalize);
    CHECK(runs() == key::CPU);
  }
  CHECK(runs() == key::AutogradCPU);
}

TEST_CASE("guard: a kernel for Autocast is reached by no thread that has not switched it on", "[core][guard][T1]") {
  const auto layer = tb::implement("guard").impl<guard_ops::kernel>(seen, key::AutocastCPU);
  CHECK(seen(cast) == cpu.keys);
  key_set elsewhere;
  std::thread([&] { elsewhere = seen(cast); }).join();
  CHECK(elsewhere == cpu.keys);
}

TEST_CASE("guard: a default-constructed state excludes Autocast", "[core][guard][T1][T4]") {
  const auto layer = tb::implement("guard").impl<guard_ops::kernel>(seen, key::AutocastCPU);
  const tb::force_guard forced({});
  CHECK(seen(cast) == cpu.keys);
  const tb::force_guard with_tracer(tb::thread_key_state{.include = key::Tracer});
  CHECK(seen(cast) == (cpu.keys | key::Tracer));
}

TEST_CASE("guard: enable_autocast lets calls of its scope and thread reach Autocast's kernels",
          "[core][guard][T1][T5]") {
  const auto layer = tb::implement("guard").impl<guard_ops::kernel>(seen, key::Autocast);
  {
    const tb::enable_autocast on;
    CHECK(seen(cast) == cast.keys);
    CHECK(tb::current_thread_keys().exclude.empty());
    key_set elsewhere;
    std::thread([&] { elsewhere = seen(cast); }).join();
    CHECK(elsewhere == cpu.keys);
    {
      const tb::exclude_guard off(key::AutocastFunctionality);
      CHECK(seen(cast) == cpu.keys);
      const tb::enable_autocast again;
      CHECK(seen(cast) == cast.keys);
    }
    CHECK(seen(cast) == cast.keys);
  }
  CHECK(untouched());
  CHECK(seen(cast) == cpu.keys);
}
