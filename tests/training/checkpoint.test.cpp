// A training that is stopped and goes on from a file gives the bits of one that is not.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
#include "training/file.h"
import topbit;

namespace tb = topbit;
namespace nn = topbit::nn;
namespace aten = topbit::aten;
using tb::tensor;
using toy::text_of;
using list = std::vector<tb::named_tensor>;

namespace {

struct network {
  nn::linear first, second;
  nn::dropout dropped{0.25};
  explicit network(const tb::generator& random, std::int64_t width = 5)
      : first(6, width, random), second(width, 3, random) {}

  tensor operator()(const tensor& x) const { return second(dropped(aten::relu(first(x)))); }
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("second", self.second);
    visit("dropped", self.dropped);
  }
};

// Data and what is dropped are drawn, so that the generators' places count too.
void train(const network& net, tb::optimizer& optimizer, const tb::generator& data, int steps) {
  optimizer.set_schedule(tb::schedule::cosine{.steps = 20});
  for (int i = 0; i < steps; ++i) {
    tensor images = aten::empty_memory_format(tb::shape{4, 6});
    aten::uniform_(images, -1, 1, tb::arg<"generator"> = data);
    const tensor labels = aten::randint_generator(3, tb::shape{4}, tb::arg<"generator"> = data);
    optimizer.zero_grad();
    tb::backward(aten::cross_entropy_loss(net(images), labels));
    (void)tb::clip_gradient_norm(tb::parameters(net), 0.5);
    optimizer.step();
  }
}

std::vector<std::vector<std::byte>> bits(std::span<const tb::named_tensor> all) {
  std::vector<std::vector<std::byte>> out;
  for (const auto& one : all) out.push_back(support::bytes(one.value));
  return out;
}

struct with_sgd {
  using type = tb::sgd;
  static constexpr tb::sgd_options options{.learning_rate = 0.5, .momentum = 0.9, .weight_decay = 0.01};
};
struct with_adam {
  using type = tb::adam;
  static constexpr tb::adam_options options{.learning_rate = 0.1, .amsgrad = true};
};
struct with_adamw {
  using type = tb::adamw;
  static constexpr tb::adamw_options options{.learning_rate = 0.1};
};
struct with_capturable {
  using type = tb::adamw;
  static constexpr tb::adamw_options options{.learning_rate = 0.1, .capturable = true};
};

}  // namespace

TEMPLATE_TEST_CASE("checkpoint: a resumed training is bitwise identical to an uninterrupted one",
                   "[training][checkpoint]", with_sgd, with_adam, with_adamw, with_capturable) {
  const training::file at("checkpoint.safetensors");
  tb::generator dropped = tb::default_generator();

  dropped.set_seed(5);
  const tb::generator data(2);
  const network whole(tb::generator(1));
  typename TestType::type optimizer(tb::parameters(whole), TestType::options);
  train(whole, optimizer, data, 4);
  tb::save_checkpoint(at.path, whole, optimizer, {data, tb::default_generator()});
  train(whole, optimizer, data, 4);

  // Another process would begin like this: with other numbers everywhere.
  dropped.set_seed(77);
  const tb::generator other_data(88);
  const network resumed(tb::generator(99));
  typename TestType::type other(tb::parameters(resumed), TestType::options);
  tb::load_checkpoint(at.path, resumed, other, {other_data, tb::default_generator()});
  CHECK(other.steps() == 4);
  train(resumed, other, other_data, 4);

  CHECK(bits(tb::named_parameters(resumed)) == bits(tb::named_parameters(whole)));
  CHECK(bits(other.state()) == bits(optimizer.state()));
  CHECK(other_data.seed() == 2);
}

TEST_CASE("checkpoint: a file contains everything the next steps depend on", "[training][checkpoint]") {
  const training::file at("contents.safetensors");
  const network net(tb::generator(1));
  tb::sgd optimizer(tb::parameters(net), {.momentum = 0.5});
  train(net, optimizer, tb::generator(2), 1);
  tb::save_checkpoint(at.path, net, optimizer);
  std::vector<std::string> names;
  for (const auto& one : tb::load_tensors(at.path)) names.push_back(one.name);
  CHECK(names == std::vector<std::string>{
                     "model.first.weight", "model.first.bias", "model.second.weight", "model.second.bias",
                     "optimizer.steps", "optimizer.0.step", "optimizer.0.momentum_buffer", "optimizer.1.step",
                     "optimizer.1.momentum_buffer", "optimizer.2.step", "optimizer.2.momentum_buffer",
                     "optimizer.3.step", "optimizer.3.momentum_buffer", "optimizer.name", "generator.0"});
}

TEST_CASE("checkpoint: parameters are loaded in place, so that an optimizer keeps using them",
          "[training][checkpoint]") {
  const training::file at("parameters.safetensors");
  const network from(tb::generator(1)), to(tb::generator(2));
  tb::save_parameters(at.path, from);
  const std::vector<tensor> before = tb::parameters(to);
  tb::load_parameters(at.path, to);
  CHECK(bits(tb::named_parameters(to)) == bits(tb::named_parameters(from)));
  CHECK(before[0].same_as(to.first.weight));
  CHECK((tb::is_leaf(before[0]) && tb::requires_grad(before[0])));
}

TEST_CASE("checkpoint: a mismatched file is refused, and nothing has changed", "[training][checkpoint]") {
  const training::file at("wrong.safetensors");
  const network net(tb::generator(1));
  const tb::generator data(2);
  tb::sgd optimizer(tb::parameters(net), {.momentum = 0.5});
  train(net, optimizer, data, 1);
  tb::save_checkpoint(at.path, net, optimizer, {data});
  const list good = tb::load_tensors(at.path);
  train(net, optimizer, data, 1);
  const auto model = bits(tb::named_parameters(net)), state = bits(optimizer.state());
  const tb::philox_state place = tb::generator(data).take(0);

  const auto refused = [&](auto change) {
    list all = good;
    change(all);
    tb::save_tensors(at.path, all);
    const std::string begin = "load_checkpoint: '" + at.path + "': ";
    std::string text = text_of<tb::error>([&] { tb::load_checkpoint(at.path, net, optimizer, {data}); });
    CHECK(bits(tb::named_parameters(net)) == model);
    CHECK(bits(optimizer.state()) == state);
    CHECK(tb::generator(data).take(0) == place);
    return text.starts_with(begin) ? text.substr(begin.size()) : text;
  };
  const auto named = [](list& all, const std::string& name) {
    return std::ranges::find(all, name, &tb::named_tensor::name);
  };
  const tensor number = tb::from_values<float>({1}, {});
  CHECK(refused([&](list& l) { l.push_back({"x", number}); }) == "found 'x', which no checkpoint has");
  CHECK(refused([&](list& l) { l.push_back({"model.x", number}); }) ==
        "of the model, found 'x', which is not expected here");
  CHECK(refused([&](list& l) { l.erase(named(l, "model.first.bias")); }) ==
        "of the model, found no 'first.bias', wanted float32 [5]");
  CHECK(refused([&](list& l) { named(l, "model.first.bias")->value = number; }) ==
        "of the model, found 'first.bias' of float32 [], wanted float32 [5]");
  CHECK(refused([&](list& l) {
          tensor& t = named(l, "model.first.bias")->value;
          t = tb::to(t, tb::dtype::float64);
        }) == "of the model, found 'first.bias' of float64 [5], wanted float32 [5]");
  CHECK(refused([&](list& l) { l.erase(named(l, "generator.0")); }) == "of generators, found no '0', wanted int64 [2]");
  CHECK(refused([&](list& l) { l.push_back({"generator.1", named(l, "generator.0")->value}); }) ==
        "of generators, found '1', which is not expected here");
  CHECK(refused([&](list& l) { l.erase(named(l, "optimizer.3.momentum_buffer")); }) ==
        "sgd: found no '3.momentum_buffer', wanted float32 [3]");
  CHECK(refused([&](list& l) {
          named(l, "optimizer.steps")->value =
              tb::from_values<std::int64_t>({std::numeric_limits<std::int64_t>::max()}, {});
        }) == "sgd: found 'steps' of 9223372036854775807, wanted 0 to 9007199254740992");
  CHECK(refused([&](list& l) { l.push_back({"x\x1b[2J", number}); }) == R"(found 'x\x1b[2J', which no checkpoint has)");
  CHECK(refused([&](list& l) { l.push_back({"model.x\x1b[2J", number}); }) ==
        R"(of the model, found 'x\x1b[2J', which is not expected here)");
  const network other(tb::generator(1));
  tb::adam adam(tb::parameters(other));
  tb::save_checkpoint(at.path, net, adam, {data});
  tb::adamw adamw(tb::parameters(other));
  CHECK(text_of<tb::error>([&] { tb::load_checkpoint(at.path, other, adamw, {data}); }) ==
        "adamw: found the state of 'adam', wanted that of 'adamw'");

  at.write("no such file");
  CHECK(text_of<tb::error>([&] {
          tb::load_checkpoint(at.path, net, optimizer, {data});
        }).starts_with("load_tensors: '" + at.path + "': "));
  tb::save_parameters(at.path, network(tb::generator(1), 4));
  CHECK(text_of<tb::shape_error>([&] { tb::load_parameters(at.path, net); }) ==
        "load_parameters: '" + at.path + "': found 'first.weight' of float32 [4, 6], wanted float32 [5, 6]");
  CHECK(bits(tb::named_parameters(net)) == model);
}
