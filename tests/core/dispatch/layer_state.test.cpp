// What layers know of a thread, carried to another one.
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>
#include <thread>

#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;

namespace {

// A layer whose state is a number, 0 on a new thread.
thread_local int depth = 0;
// One that watches: the backward of a function has that of its caller.
thread_local int watched = 0;
constexpr key_set watching_key(key::UserMiddle2);
std::shared_ptr<const void> state_of(int x) { return x == 0 ? nullptr : std::make_shared<const int>(x); }
constexpr key_set layer_key(key::UserTop2);
const bool registered = [] {
  tb::author::add_layer_state(
      {layer_key, [] { return state_of(depth); },
       [](const void* state) noexcept { depth = state == nullptr ? 0 : *static_cast<const int*>(state); }});
  tb::author::add_layer_state(
      {watching_key, [] { return state_of(watched); },
       [](const void* state) noexcept { watched = state == nullptr ? 0 : *static_cast<const int*>(state); }, false});
  return true;
}();

bool excludes(key_set keys) { return tb::current_thread_keys().exclude.intersects(keys); }

}  // namespace

TEST_CASE("layer_state: keys and states of layers go to another thread and back", "[core][layer_state]") {
  depth = 3;
  const tb::exclude_guard hidden(layer_key);
  const tb::layer_state here = tb::current_layers();
  std::thread([&] {
    CHECK(depth == 0);
    {
      const tb::layer_guard guard(here);
      CHECK(depth == 3);
      CHECK(excludes(layer_key));
      {
        const tb::layer_guard none(tb::layer_state{});
        CHECK(depth == 0);
        CHECK_FALSE(excludes(layer_key));
      }
      CHECK(depth == 3);
      depth = 5;
    }
    CHECK(depth == 0);
    CHECK_FALSE(excludes(layer_key));
  }).join();
  CHECK(depth == 3);
  depth = 0;
}

TEST_CASE("layer_state: the values alone change the keys of layers that registered a state", "[core][layer_state]") {
  depth = 1;
  const auto values = tb::author::layer_values::of_this_thread();
  depth = 2;
  const tb::exclude_guard both(layer_key | key_set(key::UserTop1));
  {
    const tb::author::layer_values_guard guard(values);
    CHECK(depth == 1);
    CHECK_FALSE(excludes(layer_key));
    CHECK(excludes(key_set(key::UserTop1)));
  }
  CHECK(depth == 2);
  CHECK(excludes(layer_key));
  depth = 0;
}

TEST_CASE("layer_state: a function's backward keeps the states of layers that watch", "[core][layer_state]") {
  depth = 1;
  watched = 1;
  const auto of_function = tb::author::layer_values::of_function();
  const auto of_thread = tb::author::layer_values::of_this_thread();
  depth = watched = 2;
  const tb::exclude_guard both(layer_key | watching_key);
  {
    const tb::author::layer_values_guard guard(of_function);
    CHECK(depth == 1);
    CHECK(watched == 2);
    CHECK_FALSE(excludes(layer_key));
    CHECK(excludes(watching_key));
    watched = 3;
  }
  CHECK(depth == 2);
  CHECK(watched == 3);
  {
    const tb::author::layer_values_guard guard(of_thread);
    CHECK(watched == 1);
    CHECK_FALSE(excludes(watching_key));
  }
  CHECK(watched == 3);
  depth = watched = 0;
}

TEST_CASE("layer_state: there is room for a few layers", "[core][layer_state]") {
  const tb::author::layer_functions nothing{
      {}, [] { return std::shared_ptr<const void>(); }, [](const void*) noexcept {}};
  for (std::size_t i = 2; i < tb::author::most_layers; ++i) tb::author::add_layer_state(nothing);
  CHECK(toy::text_of<tb::error>([&] { tb::author::add_layer_state(nothing); }) ==
        "add_layer_state: found 4 layers with a state, and one more, wanted at most 4");
}
