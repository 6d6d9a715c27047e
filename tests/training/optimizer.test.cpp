// What all optimizers have in common: groups, rates, parameters without gradients, state; what is refused changes
// nothing.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
#include "training/fixed_gradients.h"
import topbit;

namespace tb = topbit;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using doubles = std::vector<double>;

namespace {

tensor parameter(const doubles& all, tb::dtype type = tb::dtype::float64) {
  return tb::require_grad(tensor_of(all, {static_cast<std::int64_t>(all.size())}, type));
}
void give(const tensor& p, double gradient) {
  tb::set_leaf_grad(p, tb::aten::full(p.sizes(), gradient, tb::arg<"dtype"> = p.dtype()));
}
std::vector<std::string> names(const tb::optimizer& o) {
  std::vector<std::string> all;
  for (const auto& one : o.state()) all.push_back(one.name);
  return all;
}

}  // namespace

TEST_CASE("optimizer: groups have their own options", "[training][optimizer]") {
  const tensor a = parameter({1}), b = parameter({1}), c = parameter({1});
  tb::sgd optimizer({a, b}, {.learning_rate = 0.5});
  optimizer.add_group({c}, {.learning_rate = 0.25, .maximize = true});
  for (const tensor& p : {a, b, c}) give(p, 1);
  optimizer.step();
  CHECK(values(a) == doubles{0.5});
  CHECK(values(b) == doubles{0.5});
  CHECK(values(c) == doubles{1.25});
  CHECK(optimizer.group_count() == 2);
  CHECK(optimizer.parameters(1)[0].same_as(c));
  CHECK(optimizer.steps() == 1);
}

TEST_CASE("optimizer: a parameter without a gradient is unchanged, and its state starts with its first gradient",
          "[training][optimizer]") {
  const tensor a = parameter({1}), late = parameter({1}), alone = parameter({1});
  const tb::sgd_options options{.learning_rate = 1, .momentum = 0.5, .dampening = 0.5};
  tb::sgd optimizer({a, late}, options), of_one({alone}, options);
  give(a, 1);
  optimizer.step();
  CHECK(values(late) == doubles{1});
  CHECK(names(optimizer) == std::vector<std::string>{"steps", "0.step", "0.momentum_buffer", "name"});
  for (int i = 0; i < 2; ++i) {
    for (const tensor& p : {a, late, alone}) give(p, 0.5);
    optimizer.step();
    of_one.step();
  }
  // As one that stepped alone: dampening does not touch its first gradient.
  CHECK(values(late) == values(alone));
  CHECK(values(late) == doubles{0});
  CHECK(optimizer.steps() == 3);
}

TEST_CASE("optimizer: zero_grad() drops them", "[training][optimizer]") {
  const tensor a = parameter({1});
  tb::sgd optimizer({a}, {.learning_rate = 1});
  give(a, 1);
  optimizer.zero_grad();
  CHECK_FALSE(tb::leaf_grad(a).defined());
  optimizer.step();
  CHECK(values(a) == doubles{1});
}

TEST_CASE("optimizer: a step is not recorded, and invalidates earlier graphs", "[training][optimizer]") {
  const tensor a = parameter({2});
  tb::sgd optimizer({a}, {.learning_rate = 1});
  const tensor stale = tb::aten::sum(a * a);
  give(a, 1);
  optimizer.step();
  CHECK(tb::is_leaf(a));
  CHECK(text_of<tb::error>([&] { tb::backward(stale); }) != "nothing was thrown");
  optimizer.zero_grad();
  tb::backward(tb::aten::sum(a * a));
  CHECK(values(tb::leaf_grad(a)) == doubles{2});
}

TEST_CASE("optimizer: learning rates and factors belong to groups", "[training][optimizer]") {
  const tensor a = parameter({1}), b = parameter({1});
  tb::sgd optimizer({a}, {.learning_rate = 0.5});
  optimizer.add_group({b}, {.learning_rate = 0.25});
  optimizer.set_learning_rate_factor(0.5);
  CHECK(optimizer.learning_rate(0) == 0.25);
  CHECK(optimizer.learning_rate(1) == 0.125);
  optimizer.set_learning_rate(1, 1);
  optimizer.set_learning_rate_factor(2, 1);
  CHECK(optimizer.learning_rate(0) == 0.25);
  CHECK(optimizer.learning_rate(1) == 2);
  give(b, 0.25);
  optimizer.step();
  CHECK(values(b) == doubles{0.5});
  optimizer.set_learning_rate(3);
  CHECK(optimizer.learning_rate(0) == 1.5);

  CHECK(text_of<tb::error>([&] { optimizer.set_learning_rate(-1); }) ==
        "sgd: found learning_rate=-1, wanted a number from 0 up");
  CHECK(text_of<tb::error>([&] { optimizer.set_learning_rate_factor(1.0 / 0.0, 0); }) ==
        "sgd: found a learning rate's factor=inf, wanted a number from 0 up");
  CHECK(text_of<tb::error>([&] { (void)optimizer.learning_rate(2); }) ==
        "sgd: found group 2, wanted one below 2, as many as there are");
  CHECK(optimizer.learning_rate(0) == 1.5);
}

TEST_CASE("optimizer: a schedule gives the factor of every step until a factor is set", "[training][optimizer]") {
  const tensor a = parameter({0}), b = parameter({0});
  tb::sgd optimizer({a}, {.learning_rate = 1});
  optimizer.add_group({b}, {.learning_rate = 1});
  const auto step = [&] {
    for (const tensor& p : {a, b}) give(p, -1);
    optimizer.step();
  };
  optimizer.set_schedule([](std::int64_t n) { return n == 0 ? 1 : 0.25; }, 0);
  CHECK(optimizer.learning_rate(0) == 1);
  step();
  CHECK(optimizer.learning_rate(0) == 0.25);
  step();
  CHECK(values(a) == doubles{1.25});
  CHECK(values(b) == doubles{2});
  optimizer.set_schedule(tb::schedule::step{.every = 2, .factor = 0.5});
  CHECK(optimizer.learning_rate(1) == 0.5);
  optimizer.set_learning_rate_factor(2);
  step();
  CHECK(values(a) == doubles{3.25});
  CHECK(values(b) == doubles{4});
}

TEST_CASE("optimizer: a schedule's factor is checked in each step, before anything changes", "[training][optimizer]") {
  const tensor a = parameter({0});
  tb::sgd optimizer({a}, {.learning_rate = 1});
  CHECK(text_of<tb::error>([&] { optimizer.set_schedule([](std::int64_t) { return -1; }); }) ==
        "sgd: found a learning rate's factor=-1, wanted a number from 0 up");
  optimizer.set_schedule([](std::int64_t n) { return 1 - 2 * double(n); });
  give(a, -1);
  optimizer.step();
  CHECK(text_of<tb::error>([&] { optimizer.step(); }) ==
        "sgd: found a learning rate's factor=-1, wanted a number from 0 up");
  CHECK(values(a) == doubles{1});
  CHECK(optimizer.steps() == 1);
}

TEST_CASE("optimizer: half precision, strided and empty parameters", "[training][optimizer]") {
  const tensor half = parameter({1, 2}, tb::dtype::bfloat16);
  const tensor whole = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, tb::dtype::float32);
  const tensor transposed = tb::require_grad(tb::detach(tb::aten::t(whole)));
  const tensor empty = parameter({});
  tb::adam optimizer({half, transposed, empty}, {.learning_rate = 0.5, .epsilon = 0});
  for (const tensor& p : {half, transposed, empty}) give(p, 2);
  optimizer.step();
  CHECK(values(half) == doubles{0.5, 1.5});
  CHECK(support::difference(values(whole), {0.5, 1.5, 2.5, 3.5, 4.5, 5.5}, 1e-6) == "");
}

TEST_CASE("optimizer: invalid parameters are refused, and none of their group is added", "[training][optimizer]") {
  const tensor a = parameter({1}), b = parameter({1});
  tb::sgd optimizer({a});
  const auto refused = [&](std::vector<tensor> p) {
    return text_of<tb::error>([&] { optimizer.add_group(std::move(p)); });
  };
  CHECK(text_of<tb::error>([] { tb::sgd({}); }) == "sgd: found no parameters, wanted at least one");
  CHECK(text_of<tb::error>([] { tb::adamw({}); }) == "adamw: found no parameters, wanted at least one");
  CHECK(refused({b, {}}) == "sgd: found that parameter 1 is undefined, wanted a tensor");
  CHECK(refused({b, b}) == "sgd: found that parameter 1 is already present, wanted each parameter once");
  CHECK(refused({a}) == "sgd: found that parameter 0 is already present, wanted each parameter once");
  CHECK(refused({b * b}) ==
        "sgd: found that parameter 0 is a result of aten::mul.Tensor, wanted a leaf; an optimizer updates leaves only");
  CHECK(text_of<tb::dtype_error>([&] { optimizer.add_group({tensor_of({1}, {1}, tb::dtype::int64)}); }) ==
        "sgd: found that parameter 0 is of int64, wanted a floating dtype");
  CHECK(optimizer.group_count() == 1);
  optimizer.add_group({b});
  CHECK(optimizer.group_count() == 2);
}

TEST_CASE("optimizer: a mismatched gradient never reaches a step", "[training][optimizer]") {
  const tensor a = parameter({1, 2});
  tb::sgd optimizer({a}, {.learning_rate = 1});
  CHECK(text_of<tb::shape_error>([&] { tb::set_leaf_grad(a, tensor_of({1}, {1})); }) ==
        "set_leaf_grad: found a gradient of float64 [1], wanted float64 [2]");
  CHECK(text_of<tb::dtype_error>([&] { tb::set_leaf_grad(a, tensor_of({1, 2}, {2}, tb::dtype::float32)); }) ==
        "set_leaf_grad: found a gradient of float32 [2], wanted float64 [2]");
  optimizer.step();
  CHECK(values(a) == doubles{1, 2});
}

namespace {

// An optimizer of a user's own, which refuses what it is told to.
class signs final : public tb::optimizer {
 public:
  explicit signs(std::vector<tensor> parameters) : optimizer("signs") { add(std::move(parameters), 1, {"last"}); }
  bool refuses = false;

 private:
  void update(std::size_t, batch& b) override {
    if (refuses) throw tb::error("signs: refused");
    for (std::size_t i = 0; i < b.parameters.size(); ++i) {
      tb::aten::sub_Tensor_(b.parameters[i], tb::aten::sign(b.gradients[i]), tb::arg<"alpha"> = b.learning_rate);
      tb::aten::copy_(b.state[0][i], b.gradients[i]);
    }
  }
};

}  // namespace

TEST_CASE("optimizer: a refused step changes nothing, and the next one works", "[training][optimizer]") {
  const tensor a = parameter({1, -1});
  signs optimizer({a});
  tb::set_leaf_grad(a, tensor_of({3, -4}, {2}));
  optimizer.refuses = true;
  CHECK(text_of<tb::error>([&] { optimizer.step(); }) == "signs: refused");
  CHECK(values(a) == doubles{1, -1});
  CHECK(optimizer.steps() == 0);
  CHECK(names(optimizer) == std::vector<std::string>{"steps", "name"});
  optimizer.refuses = false;
  optimizer.step();
  CHECK(values(a) == doubles{0, 0});
  CHECK(names(optimizer) == std::vector<std::string>{"steps", "0.step", "0.last", "name"});
}

TEST_CASE("optimizer: loaded state continues bitwise identically, in its own memory", "[training][optimizer]") {
  const auto type = tb::dtype::float32;
  const tensor x = training::start(type), y = training::start(type);
  const tb::adam_options options{.learning_rate = 0.1, .amsgrad = true};
  const auto step = [&](tb::optimizer& o, const tensor& p, int s) {
    tb::set_leaf_grad(p, training::fixed_gradient(s, type));
    o.step();
  };
  tb::adam whole({x}, options), first({y}, options);
  for (int s = 0; s < 3; ++s) {
    step(whole, x, s);
    step(first, y, s);
  }
  const tensor z = tb::require_grad(tb::aten::clone(tb::detach(y)));
  tb::adam second({z}, options);
  second.load_state(first.state());
  step(first, y, 9);  // changes its own state alone
  for (int s = 3; s < 6; ++s) {
    step(whole, x, s);
    step(second, z, s);
  }
  CHECK(support::bytes(x) == support::bytes(z));
  CHECK(second.steps() == 6);
}

TEST_CASE("optimizer: mismatched state is refused, and changes nothing", "[training][optimizer]") {
  const tensor a = parameter({1, 2});
  tb::sgd optimizer({a}, {.learning_rate = 1, .momentum = 0.5});
  give(a, 1);
  optimizer.step();
  const auto good = optimizer.state();
  const auto refused = [&](auto change) {
    auto state = good;
    change(state);
    return text_of<tb::error>([&] { optimizer.load_state(state); });
  };
  using list = std::vector<tb::named_tensor>;
  CHECK(refused([](list& s) { s.erase(s.begin()); }) == "sgd: found no 'steps', wanted int64 []");
  CHECK(refused([](list& s) { s.erase(s.begin() + 2); }) == "sgd: found no '0.momentum_buffer', wanted float64 [2]");
  CHECK(refused([](list& s) { s[2].name = "0.velocity"; }) == "sgd: found no '0.momentum_buffer', wanted float64 [2]");
  CHECK(refused([](list& s) { s.push_back({"1.step", s[0].value}); }) ==
        "sgd: found '1.step', which is not expected here");
  CHECK(refused([](list& s) { s.push_back(s[1]); }) == "sgd: found '0.step' twice");
  CHECK(refused([](list& s) { s[2].value = tensor_of({1}, {1}); }) ==
        "sgd: found '0.momentum_buffer' of float64 [1], wanted float64 [2]");
  CHECK(refused([](list& s) { s[2].value = tensor_of({1, 1}, {2}, tb::dtype::float32); }) ==
        "sgd: found '0.momentum_buffer' of float32 [2], wanted float64 [2]");
  CHECK(refused([](list& s) { s[0].value = tb::from_values<std::int64_t>({-1}, {}); }) ==
        "sgd: found 'steps' of -1, wanted 0 to 9007199254740992");
  CHECK(refused([](list& s) {
          s[0].value = tb::from_values<std::int64_t>({std::numeric_limits<std::int64_t>::max()}, {});
        }) == "sgd: found 'steps' of 9223372036854775807, wanted 0 to 9007199254740992");
  CHECK(refused([](list& s) { s[1].value = tb::from_values<std::int64_t>({0}, {}); }) ==
        "sgd: found '0.step' of 0, wanted 1 to 9007199254740992");
  CHECK(refused([](list& s) { s[1].value = tb::from_values<std::int64_t>({(std::int64_t{1} << 53) + 1}, {}); }) ==
        "sgd: found '0.step' of 9007199254740993, wanted 1 to 9007199254740992");
  CHECK(optimizer.steps() == 1);
  optimizer.step();
  CHECK(values(a) == doubles{-1.5, -0.5});
}

TEST_CASE("optimizer: the state of another optimizer is refused, though its names are the same",
          "[training][optimizer]") {
  const tensor a = parameter({1, 2});
  tb::adam first({a});
  give(a, 1);
  first.step();
  tb::adamw second({a});
  CHECK(text_of<tb::error>([&] { second.load_state(first.state()); }) ==
        "adamw: found the state of 'adam', wanted that of 'adamw'");
  tb::sgd third({a});
  CHECK(text_of<tb::error>([&] { third.load_state(first.state()); }) ==
        "sgd: found the state of 'adam', wanted that of 'sgd'");
  auto state = first.state();
  state.pop_back();
  CHECK(text_of<tb::error>([&] { first.load_state(state); }) == "adam: found no 'name', wanted uint8 [4]");
  CHECK(second.steps() == 0);
}
