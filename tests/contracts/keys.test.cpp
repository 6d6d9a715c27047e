// Layers that pass on another key set than what they received without their own keys: CC14.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

import topbit;
import topbit.contracts;
import topbit.modes;

namespace tb = topbit;
namespace contracts = topbit::contracts;
namespace key = topbit::key;
namespace modes = topbit::modes;
using tb::key_set;
using tb::tensor;

namespace {

inline constexpr tb::op<"passed::right(Tensor self) -> Tensor"> right;
inline constexpr tb::op<"passed::adds(Tensor self) -> Tensor"> adds;
inline constexpr tb::op<"passed::drops(Tensor self) -> Tensor"> drops;
inline constexpr tb::op<"passed::moves(Tensor self) -> Tensor"> moves;
inline constexpr tb::op<"passed::drops_autograd(Tensor self) -> Tensor"> drops_autograd;
inline constexpr tb::op<"passed::hides(Tensor self) -> Tensor"> hides;
inline constexpr tb::op<"passed::skips(Tensor self) -> Tensor"> skips;

tensor double_kernel(const tensor& self) { return self * 2.0; }
template <auto Op, tb::dispatch_key K>
tensor pass_on(key_set keys, const tensor& self) {
  return Op.redispatch(keys & tb::below(K), self);
}
tensor adding_layer(key_set keys, const tensor& self) {
  return adds.redispatch((keys & tb::below(key::UserMiddle1)) | key::UserBottom2, self);
}
tensor dropping_layer(key_set keys, const tensor& self) {
  return drops.redispatch((keys & tb::below(key::UserMiddle1)) - key::UserBottom1, self);
}
tensor backend_layer(key_set keys, const tensor& self) {
  return moves.redispatch((keys & tb::below(key::UserMiddle1)).without(tb::backend::CPU) | tb::backend::CUDA, self);
}
tensor autograd_layer(key_set keys, const tensor& self) {
  return drops_autograd.redispatch((keys & tb::below(key::UserTop1)) - tb::autograd_keys, self);
}
// What is called inside the call skips UserBottom1; the call itself does not.
tensor hiding_layer(key_set keys, const tensor& self) {
  const tb::exclude_guard hidden(key::UserBottom1);
  return hides.redispatch(keys & tb::below(key::UserMiddle1), self);
}

const auto library = tb::library("passed")
                         .def(right)
                         .impl<&double_kernel>(right, key::CPU)
                         .impl<&pass_on<right, key::UserMiddle1>>(right, key::UserMiddle1)
                         .impl<&pass_on<right, key::UserBottom1>>(right, key::UserBottom1)
                         .def(adds)
                         .impl<&double_kernel>(adds, key::CPU)
                         .impl<&adding_layer>(adds, key::UserMiddle1)
                         .impl<&pass_on<adds, key::UserBottom2>>(adds, key::UserBottom2)
                         .def(drops)
                         .impl<&double_kernel>(drops, key::CPU)
                         .impl<&dropping_layer>(drops, key::UserMiddle1)
                         .impl<&pass_on<drops, key::UserBottom1>>(drops, key::UserBottom1)
                         .def(moves)
                         .impl<&double_kernel>(moves, key::CPU)
                         .impl<&backend_layer>(moves, key::UserMiddle1)
                         .def(drops_autograd)
                         .impl<&double_kernel>(drops_autograd, key::CPU)
                         .impl<&autograd_layer>(drops_autograd, key::UserTop1)
                         .def(hides)
                         .impl<&double_kernel>(hides, key::CPU)
                         .impl<&hiding_layer>(hides, key::UserMiddle1)
                         .impl<&pass_on<hides, key::UserBottom1>>(hides, key::UserBottom1)
                         .def(skips)
                         .impl<&double_kernel>(skips, key::CPU);

// Other operators pass through these keys.
const auto middle_passes = tb::fallthrough(key::UserMiddle1);
const auto bottom_passes = tb::fallthrough(key::UserBottom1);
const auto top_passes = tb::fallthrough(key::UserTop1);

// What a checker at this place says of the keys of one call, made with these keys on the thread.
template <class Op>
std::vector<std::string> told(const Op& op, key_set included, modes::place at = modes::below,
                              tensor x = tb::tensor({1.f, 2})) {
  contracts::checker check({.depth = contracts::level::metadata});
  {
    const tb::include_guard layers(included);
    const modes::scope on(check, at);
    try {
      op(x);
    } catch (const tb::no_kernel& e) {
      UNSCOPED_INFO(e.what());
    }
  }
  std::vector<std::string> all;
  for (const contracts::finding& f : check.findings()) {
    CHECK(f.broken == contracts::rule::keys);
    CHECK(f.subject.empty());
    all.push_back(f.text);
  }
  CHECK(check.calls() + all.size() >= 1);
  return all;
}
bool is_only(const std::vector<std::string>& all, std::string_view begin) {
  for (const std::string& text : all) UNSCOPED_INFO(text);
  return all.size() == 1 && all[0].starts_with(begin);
}

constexpr key_set middle = key::UserMiddle1, both{key::UserMiddle1, key::UserBottom1};

}  // namespace

TEST_CASE("contracts: a layer that passes on other keys is found", "[contracts][CC14]") {
  const std::vector<std::string> found = told(adds, middle);
  REQUIRE(is_only(found,
                  "was passed on with the keys {CPU, UserBottom2}, wanted {CPU}; its first layer is UserMiddle1, "
                  "registered at "));
  CHECK(found[0].find("keys.test.cpp:") != std::string::npos);
  CHECK(
      is_only(told(drops, both), "was passed on with the keys {CPU}, wanted {CPU, UserBottom1}; its first layer is "));
  CHECK(is_only(told(moves, middle), "was passed on with the keys {CUDA}, wanted {CPU}; its first layer is "));
  // Dropped gradients, seen where they still can be.
  const tensor x = tb::require_grad(tb::tensor({1.f, 2}));
  CHECK(is_only(told(drops_autograd, key::UserTop1, modes::above, x),
                "was passed on with the keys {CPU}, wanted {CPU, AutogradCPU}; its first layer is UserTop1, "));
}

TEST_CASE("contracts: layers that pass on what they should", "[contracts][CC14]") {
  const tensor x = tb::require_grad(tb::tensor({1.f, 2}));
  for (const modes::place at : {modes::above, modes::below}) {
    CHECK(told(right, both, at).empty());
    CHECK(told(right, both, at, x).empty());
    CHECK(told(drops, middle, at).empty());
    // What the thread hides, before the call or within it.
    CHECK(told(hides, both, at).empty());
    const tb::exclude_guard hidden(key::UserBottom1);
    CHECK(told(right, both, at).empty());
  }
  // A key of all threads.
  const auto always = tb::registry::process().include_always(key::UserBottom1);
  CHECK(told(right, middle).empty());
  // Calls pass through both keys.
  CHECK(told(skips, both).empty());
}
