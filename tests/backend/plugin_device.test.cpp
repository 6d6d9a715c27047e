// A device that a plugin brings, and takes away. The plugin is examples/backend/chip.cpp, built as one.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/raises.h"
#include "support/tensor_values.h"

import topbit;
import topbit.backend;

namespace tb = topbit;

namespace {

tb::tensor squares(const tb::tensor& x) { return tb::sum(tb::square(x)); }

}  // namespace

TEST_CASE("plugin: one with a device that is refused is refused", "[backend][plugin]") {
  for (int round = 0; round < 2; ++round) {
    CHECK(toy::text_of<tb::bad_plugin>([] {
            (void)tb::load_plugin(REFUSED_PLUGIN);
          }).ends_with("': register_backend 'refused': found null for memory.copy_out, wanted a function"));
    CHECK_THROWS_AS(tb::parse_device("refused"), tb::device_error);
  }
}

TEST_CASE("plugin: a device comes with it, and goes with it", "[backend][plugin]") {
  CHECK_THROWS_AS(tb::parse_device("chip"), tb::device_error);
  const tb::dispatch_key its_key = tb::key_of(tb::backend::PrivateUse1);
  tb::tensor kept;
  for (int round = 0; round < 3; ++round) {
    INFO("loaded for the " << round + 1 << ". time");
    tb::plugin p = tb::load_plugin(CHIP_PLUGIN);
    const tb::device chip = tb::parse_device("chip");
    CHECK(chip.type == tb::backend::PrivateUse1);
    const tb::tensor x = tb::require_grad(tb::full({100}, 3.0F, tb::arg<"device"> = chip));
    const tb::tensor loss = squares(x);
    tb::backward(loss);
    CHECK(support::values(tb::to(tb::leaf_grad(x), tb::cpu)) == std::vector<double>(100, 6));
    if (kept.defined()) CHECK(support::values(tb::to(kept + 1, tb::cpu)) == std::vector<double>(100, 7));
    kept = tb::leaf_grad(x);
    CHECK(tb::inspect::has_kernel(tb::aten::sum.handle(), its_key));
    p.withdraw();

    CHECK_THROWS_AS(tb::parse_device("chip"), tb::device_error);
    CHECK(tb::to_string(kept.device()) == "privateuse1:0");
    CHECK_FALSE(tb::inspect::has_kernel(tb::aten::sum.handle(), its_key));
    CHECK(toy::text_of<tb::no_kernel>([&] { (void)tb::sum(kept); }).find("PrivateUse1") != std::string::npos);
    // Its memory is there as long as a tensor is: the elements can still be brought home.
    CHECK(support::values(tb::to(kept, tb::cpu)) == std::vector<double>(100, 6));
  }
  kept = {};
  CHECK(tb::device_memory({tb::backend::PrivateUse1}).bytes_in_use == 0);
}
