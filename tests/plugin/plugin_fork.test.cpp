// A fork has one thread. It loads a plugin that another thread was loading or withdrawing.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "plugin_test.h"
#include "support/child.h"

using namespace plugin_test;

namespace {

void load_and_withdraw() {
  const tb::plugin p = tb::load_plugin(file("good.so"));
  if (host::area(item{key::CPU, 4}) != 16) throw 0;
}

}  // namespace

TEST_CASE("plugin: a child loads a plugin, whatever a thread of its parent was doing with it",
          "[plugin][threads][fork]") {
  if (toy::no_children != nullptr) SKIP(toy::no_children);
  CHECK(toy::children_end_beside_threads(200, &load_and_withdraw));
}
