#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

import topbit;
import topbit.modes;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace modes = topbit::modes;
using tb::tensor;

namespace {

using names = std::vector<std::string>;

// Keeps the names of the calls that it sees.
struct recorder {
  names seen;
  void operator()(modes::call& c) {
    seen.emplace_back(c.op().name());
    c.proceed();
  }
};
template <class F>
names seen_by(modes::place at, F f) {
  recorder r;
  const modes::scope on(r, at);
  f();
  return r.seen;
}

const tensor a = tb::tensor({{1.f, 2}, {3, 4}}), b = tb::tensor({{5.f, 6}, {7, 8}});

}  // namespace

TEST_CASE("modes: above sees composites, below sees their parts", "[modes]") {
  const auto f = [] { tb::linear(a, b); };
  CHECK(seen_by(modes::above, f) == names{"aten::linear"});
  CHECK(seen_by(modes::below, [] { tb::swapaxes(a, 0, 1); }) == names{"aten::transpose.int"});
  // Factories, which bring no keys, and calls by handle and by text.
  CHECK(seen_by(modes::above, [] { tb::zeros({2}); }) == names{"aten::zeros"});
  CHECK(seen_by(modes::below, [] { tb::ones({2}); }).front() == "aten::ones");
  CHECK(seen_by(modes::above, [] {
          tb::inline_stack<2> stack;
          stack.push(a);
          tb::registry::process().find("aten::neg").call_boxed(stack);
        }) == names{"aten::neg"});
  CHECK(seen_by(modes::above, [] {}).empty());
  // Where no layer takes a composite apart.
  const tb::no_grad off;
  CHECK(seen_by(modes::below, [] { tb::swapaxes(a, 0, 1); }) == names{"aten::swapaxes", "aten::transpose.int"});
  CHECK(seen_by(modes::above, [] { tb::swapaxes(a, 0, 1); }) == names{"aten::swapaxes"});
}

TEST_CASE("modes: the last one sees a call first, and what it calls is seen by those before it", "[modes]") {
  std::string order;
  const auto letter = [&](char c) {
    return [&order, c](modes::call& call) {
      order += c;
      call.proceed();
      order += c;
    };
  };
  {
    const modes::scope first(letter('a'), modes::above), second(letter('b'), modes::above);
    const modes::scope lower(letter('c'), modes::below);
    tb::neg(a);
  }
  CHECK(order == "baccab");
}

TEST_CASE("modes: a mode never sees itself", "[modes]") {
  int outer = 0, inner = 0;
  const modes::scope first([&](modes::call& c) { ++outer, c.proceed(); }, modes::above);
  const modes::scope second(
      [&](modes::call& c) {
        ++inner;
        tb::neg(a);
        tb::neg(a);
        c.proceed();
      },
      modes::above);
  tb::neg(a);
  CHECK(inner == 1);
  CHECK(outer == 3);
  tb::neg(a);
  CHECK(inner == 2);
}

TEST_CASE("modes: calls that no mode would see do not go through their key", "[modes]") {
  const auto is_included = [] { return tb::current_thread_keys().include.intersects(tb::key::ModesAbove); };
  std::vector<bool> included;
  const auto look = [&](modes::call& c) {
    included.push_back(is_included());
    c.proceed();
    included.push_back(is_included());
  };
  const modes::scope outer(look, modes::above), inner(look, modes::above);
  tb::neg(a);
  CHECK(included == std::vector<bool>{true, false, false, true});
  CHECK(is_included());
}

TEST_CASE("modes: a scope within a mode sees what the mode calls", "[modes]") {
  names inside;
  const auto with_scope = [&](modes::call& c) {
    recorder r;
    {
      const modes::scope on(r, modes::above);
      tb::neg(a);
      c.proceed();
    }
    inside = r.seen;
  };
  for (const bool outer : {false, true}) {
    recorder r;
    std::optional<modes::scope<recorder&>> before;
    if (outer) before.emplace(r, modes::above);
    {
      const modes::scope on(with_scope, modes::above);
      tb::swapaxes(a, 0, 1);
    }
    CHECK(inside == names{"aten::neg"});
    CHECK(r.seen == (outer ? names{"aten::neg", "aten::swapaxes"} : names{}));
  }
}

TEST_CASE("modes: arguments and results can be replaced, and calls made again or never", "[modes]") {
  const auto through = [](auto mode) {
    const modes::scope on(mode, modes::above);
    return tb::neg(a);
  };
  const tensor doubled = through([](modes::call& c) {
    c.arguments()[0] = tb::value(tb::add(c.arguments()[0].get<tensor>(), a));
    c.proceed();
    c.results()[0] = tb::value(tb::mul(c.results()[0].get<tensor>(), 10.0));
  });
  CHECK(tb::equal(doubled, a * -20.0));
  const tensor never = through([](modes::call& c) {
    c.stack().drop(c.op().argument_count());
    c.stack().push(b);
  });
  CHECK(never.same_as(b));
  int differences = 0;
  const auto twice = [&](modes::call& c) {
    tb::inline_stack<8> again;
    for (const tb::value& v : c.arguments()) again.push(v);
    c.proceed();
    c.proceed(again);
    if (!tb::equal(again.top(1)[0].get<tensor>(), c.results()[0].get<tensor>())) ++differences;
  };
  const modes::scope on(twice, modes::below);
  tb::neg(a);
  CHECK(differences == 0);
  tb::rand({8});
  CHECK(differences > 0);
}

TEST_CASE("modes: the arguments of an operator, with their types", "[modes]") {
  std::string seen;
  const auto look = [&](modes::call& c) {
    seen += c.at() == modes::above ? "above: " : "below: ";
    if (const auto add = c.arguments_of(aten::add_Tensor)) {
      const auto& [self, other, alpha] = *add;
      static_assert(std::same_as<decltype(self), const tensor&> && std::same_as<decltype(alpha), const tb::scalar&>);
      CHECK(self.same_as(a));
      CHECK(other.same_as(b));
      seen += "add by " + tb::to_string(alpha) + "; ";
    } else if (const auto sum = c.arguments_of(aten::sum_dim_IntList)) {
      const auto& [self, dims, keepdim, type] = *sum;
      seen += "sum of " + (dims == nullptr ? "all" : std::to_string(dims->size())) + "; ";
      CHECK(type == nullptr);
    } else if (const auto fill = c.arguments_of(aten::fill_Scalar_)) {
      // Written arguments can be written, and values replaced.
      static_assert(std::same_as<std::tuple_element_t<0, std::decay_t<decltype(*fill)>>, tensor&>);
      c.arguments()[1] = tb::value(tb::scalar(3.0));
      seen += "fill; ";
    } else {
      seen += "other; ";
    }
    c.proceed();
  };
  tensor x = tb::clone(a);
  {
    const modes::scope on(look, modes::above);
    tb::add(a, b, tb::arg<"alpha"> = 2);
    tb::sum(a, {1});
    tb::fill_(x, 1.0);
    tb::neg(a);
  }
  CHECK(seen == "above: add by 2; above: sum of 1; above: fill; above: other; ");
  CHECK(tb::equal(x, tb::full({2, 2}, 3.0)));
  seen.clear();
  const modes::scope on(look, modes::below);
  tb::neg(a);
  CHECK(seen == "below: other; ");
}

TEST_CASE("modes: an exception leaves them as they were", "[modes]") {
  int calls = 0;
  const modes::scope counting([&](modes::call& c) { ++calls, c.proceed(); }, modes::above);
  const tb::thread_key_state before = tb::current_thread_keys();
  CHECK_THROWS_AS(tb::mm(a, tb::ones({3, 3})), tb::shape_error);
  {
    const modes::scope throwing([](modes::call&) { throw std::runtime_error("no"); }, modes::above);
    CHECK_THROWS_AS(tb::neg(a), std::runtime_error);
    CHECK_THROWS_AS(tb::neg(a), std::runtime_error);
  }
  CHECK(tb::current_thread_keys().include == before.include);
  calls = 0;
  tb::neg(a);
  CHECK(calls == 1);
}

TEST_CASE("modes: other threads have none, also with the keys of this one", "[modes]") {
  int calls = 0;
  const modes::scope counting([&](modes::call& c) { ++calls, c.proceed(); }, modes::above);
  std::thread([] { tb::neg(a); }).join();
  std::thread([keys = tb::current_thread_keys()] {
    const tb::force_guard guard(keys);
    tb::neg(a);
  }).join();
  CHECK(calls == 0);
  std::thread([] {
    int of_thread = 0;
    const modes::scope own([&](modes::call& c) { ++of_thread, c.proceed(); }, modes::below);
    tb::neg(a);
    CHECK(of_thread == 1);
  }).join();
  CHECK(calls == 0);
}

TEST_CASE("modes: gradients are recorded through them, and backward() is seen", "[modes]") {
  const auto run = [] {
    const tensor x = tb::require_grad(tb::clone(a));
    tb::backward(tb::sum(x * x));
    CHECK(tb::equal(tb::leaf_grad(x), a * 2.0));
  };
  for (const modes::place at : {modes::above, modes::below}) {
    const names seen = seen_by(at, run);
    // The product of the gradient.
    CHECK(std::ranges::count(seen, "aten::mul.Tensor") >= 2);
  }
  // What was on when the call was made does not matter.
  const tensor x = tb::require_grad(tb::clone(a));
  tensor y;
  CHECK_FALSE(seen_by(modes::below, [&] { y = tb::sum(x * x); }).empty());
  CHECK_FALSE(seen_by(modes::below, [&] { tb::backward(y); }).empty());
  recorder early;
  tensor z;
  {
    const modes::scope on(early, modes::below);
    z = tb::sum(x * x);
  }
  const names of_forward = early.seen;
  CHECK_FALSE(of_forward.empty());
  tb::backward(z);
  CHECK(early.seen == of_forward);
}

TEST_CASE("modes: explain lists them, and runs none", "[modes]") {
  recorder r;
  const modes::scope first(r, modes::above);
  const modes::scope second([](modes::call& c) { c.proceed(); }, modes::above);
  const std::string text = tb::to_string(tb::explain(aten::neg, a));
  INFO(text);
  CHECK(text.find("takes     ModesAbove") != std::string::npos);
  CHECK(text.find("modes of this thread: ") != std::string::npos);
  CHECK(text.find("recorder, pushed at ") != std::string::npos);
  CHECK(text.find("modes.test.cpp:") != std::string::npos);
  CHECK(r.seen.empty());
}

// These abort, so that no state of another scope is restored. Run by their tags, in processes of their own. Catch2's
// handler of SIGABRT allocates, which ThreadSanitizer reports.
TEST_CASE("modes: a task with the layers of a thread has its modes", "[modes][threads]") {
  std::atomic<int> outer = 0, inner = 0, own = 0;
  const auto counting = [](std::atomic<int>& n) {
    return [&n](modes::call& c) {
      ++n;
      c.proceed();
    };
  };
  std::optional<tb::layer_state> kept;
  {
    const modes::scope first(counting(outer), modes::above), second(counting(inner), modes::above);
    kept = tb::current_layers();
    std::thread([&] {
      tb::neg(a);
      {
        const tb::layer_guard guard(*kept);
        tb::neg(a);
        {
          const modes::scope third(counting(own), modes::above);
          tb::neg(a);
          const tb::layer_guard none(tb::layer_state{});
          tb::neg(a);
        }
        {
          const tb::layer_guard again(tb::current_layers());
          tb::neg(a);
        }
        tb::neg(a);
      }
      tb::neg(a);
    }).join();
    CHECK(outer == 4);
    CHECK(inner == 4);
    CHECK(own == 1);
    // A guard on the thread itself changes nothing.
    const tb::layer_guard same(*kept);
    tb::neg(a);
    CHECK(inner == 5);
  }
  // Their scopes have ended.
  const tb::layer_guard late(*kept);
  tb::neg(a);
  std::thread([&] {
    const tb::layer_guard guard(*kept);
    tb::neg(a);
  }).join();
  CHECK(outer == 5);
}

TEST_CASE("modes: a scope that ends while a task has its mode ends the process", "[.][handed]") {
  std::atomic<bool> has = false, ended = false;
  std::signal(SIGABRT, SIG_DFL);
  std::optional<modes::scope<void (*)(modes::call&)>> scope;
  void (*const pass)(modes::call&) = [](modes::call& c) { c.proceed(); };
  scope.emplace(+pass, modes::above);
  std::thread task([&, layers = tb::current_layers()] {
    const tb::layer_guard guard(layers);
    has = true;
    while (!ended) std::this_thread::yield();
  });
  while (!has) std::this_thread::yield();
  scope.reset();
  ended = true;
  task.join();
}

TEST_CASE("modes: a scope that ends before one within it ends the process", "[.][unordered]") {
  std::signal(SIGABRT, SIG_DFL);
  recorder r;
  std::optional<modes::scope<recorder&>> outer(std::in_place, r, modes::above), inner(std::in_place, r, modes::above);
  outer.reset();
}
TEST_CASE("modes: a scope that ends on another thread ends the process", "[.][elsewhere]") {
  std::signal(SIGABRT, SIG_DFL);
  recorder r;
  std::optional<modes::scope<recorder&>> scope(std::in_place, r, modes::above);
  std::thread([&] { scope.reset(); }).join();
}
