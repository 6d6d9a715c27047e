// Loss scaling: the factor's course against a table and a naive one, what a skipped step leaves alone, and that a
// factor which is a power of two changes no bit.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/scale.h"
#include "support/tensor_values.h"
#include "training/file.h"
import topbit;

namespace tb = topbit;
namespace nn = topbit::nn;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::step_result;
using tb::tensor;
using toy::text_of;
using doubles = std::vector<double>;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

tensor parameter(const doubles& all, dtype type = dtype::float32) {
  return tb::require_grad(tensor_of(all, {static_cast<std::int64_t>(all.size())}, type));
}
void give(const tensor& p, const doubles& gradient) {
  tb::set_leaf_grad(p, tensor_of(gradient, {static_cast<std::int64_t>(gradient.size())}, p.dtype()));
}
// A scaler whose state has a place, as after a first loss.
void begin(tb::loss_scaler& scaler) { (void)scaler.scale(tensor_of({1}, {}, dtype::float32)); }

// One update after a gradient, finite or not.
step_result update_after(tb::loss_scaler& scaler, tb::optimizer& optimizer, const tensor& p, double gradient) {
  give(p, doubles(static_cast<std::size_t>(p.numel()), gradient));
  const step_result done = scaler.step(optimizer);
  scaler.update();
  return done;
}

}  // namespace

TEST_CASE("loss_scaler: the factor shrinks after a bad gradient and grows after good ones", "[training][scaler]") {
  const tensor p = parameter({1});
  tb::sgd optimizer({p}, {.learning_rate = 0});
  tb::loss_scaler scaler({.scale = 8, .growth_interval = 2});
  begin(scaler);
  doubles factors;
  for (const double g : {infinite, 1., 1., 1., not_a_number, 1., 1., 1., 1.}) {
    (void)update_after(scaler, optimizer, p, g);
    factors.push_back(scaler.factor());
  }
  // torch.amp.GradScaler("cpu", init_scale=8, growth_interval=2) of PyTorch 2.15
  CHECK(factors == doubles{4, 4, 8, 8, 4, 4, 8, 8, 16});
}

TEST_CASE("loss_scaler: random courses agree with a naive scaler", "[training][scaler]") {
  std::mt19937 random(5);
  for (int round = 0; round < scaled(50); ++round) {
    const std::int64_t interval = 1 + static_cast<std::int64_t>(random() % 4);
    const tb::loss_scaler_options options{.scale = 3, .growth = 1.5, .growth_interval = interval, .backoff = 0.3};
    const tensor p = parameter({1});
    tb::adam optimizer({p}, {.learning_rate = 0.1});
    tb::loss_scaler scaler(options);
    begin(scaler);
    double factor = options.scale;
    std::int64_t good = 0, steps = 0;
    for (int i = 0; i < 30; ++i) {
      const bool bad = random() % 3 == 0;
      const step_result done = update_after(scaler, optimizer, p, bad ? infinite : 1);
      CHECK(done == (bad ? step_result::skipped : step_result::stepped));
      factor *= bad ? options.backoff : 1;
      good = bad ? 0 : good + 1;
      steps += bad ? 0 : 1;
      if (good == interval) factor *= options.growth, good = 0;
      CHECK(scaler.factor() == factor);
      CHECK(optimizer.steps() == steps);
    }
  }
}

TEST_CASE("loss_scaler: the factor grows no further than float32 reaches", "[training][scaler]") {
  const tensor p = parameter({1});
  tb::sgd optimizer({p}, {.learning_rate = 0});
  tb::loss_scaler scaler({.scale = 0x1p126, .growth_interval = 1});
  begin(scaler);
  for (int i = 0; i < 3; ++i) (void)update_after(scaler, optimizer, p, 1);
  CHECK(scaler.factor() == 0x1p127);
}

namespace {

// A parameter after three steps, scaled or not, in the optimizer's own pass or unscaled before.
template <class Optimizer, class Options>
std::vector<std::byte> after_steps(const Options& options, double factor, bool unscales) {
  const tensor p = parameter({1, -2, 0.5, 3});
  Optimizer optimizer({p}, options);
  tb::loss_scaler scaler({.scale = factor});
  for (int i = 0; i < 3; ++i) {
    optimizer.zero_grad();
    tb::backward(scaler.scale(aten::sum(aten::exp(p * 0.1) * p)));
    if (unscales) scaler.unscale(optimizer);
    CHECK(scaler.step(optimizer) == step_result::stepped);
    scaler.update();
  }
  return support::bytes(p);
}

}  // namespace

TEST_CASE("loss_scaler: a factor that is a power of two changes no bit", "[training][scaler]") {
  const tb::sgd_options sgd{.learning_rate = 0.5, .momentum = 0.9, .weight_decay = 0.1};
  const tb::adamw_options adamw{.learning_rate = 0.1, .epsilon = 0.5};  // without epsilon Adam ignores factors
  for (const bool unscales : {false, true}) {
    CHECK(after_steps<tb::sgd>(sgd, 4096, unscales) == after_steps<tb::sgd>(sgd, 1, unscales));
    CHECK(after_steps<tb::adamw>(adamw, 4096, unscales) == after_steps<tb::adamw>(adamw, 1, unscales));
  }
  CHECK(after_steps<tb::sgd>(sgd, 4096, true) == after_steps<tb::sgd>(sgd, 4096, false));
}

TEST_CASE("loss_scaler: a skipped step leaves parameters and the optimizer's state alone", "[training][scaler]") {
  const tensor p = parameter({1, 2}), q = parameter({3}), empty = parameter({});
  tb::adam optimizer({p, q, empty}, {.learning_rate = 0.1});
  tb::loss_scaler scaler;
  begin(scaler);
  give(empty, {});
  give(q, {1});
  give(p, {1, not_a_number});
  CHECK(scaler.step(optimizer) == step_result::skipped);
  scaler.update();
  CHECK(values(p) == doubles{1, 2});
  CHECK(values(q) == doubles{3});
  CHECK(optimizer.steps() == 0);
  CHECK(optimizer.state().size() == 2);  // "steps" and "name"
  CHECK(scaler.factor() == 32768);
}

TEST_CASE("loss_scaler: gradients can be clipped between unscale() and step()", "[training][scaler]") {
  const tensor p = parameter({1, 1});
  tb::sgd optimizer({p}, {.learning_rate = 1});
  tb::loss_scaler scaler({.scale = 1024});
  tb::backward(scaler.scale(aten::sum(p * tensor_of({3, 4}, {2}, dtype::float32))));
  CHECK(values(tb::leaf_grad(p)) == doubles{3072, 4096});
  scaler.unscale(optimizer);
  CHECK(values(tb::leaf_grad(p)) == doubles{3, 4});
  CHECK(tb::clip_gradient_norm(optimizer.parameters(), 2.5) == 5);
  CHECK(scaler.step(optimizer) == step_result::stepped);
  CHECK(support::difference(values(p), {-0.5, -1}, 1e-6) == "");
}

TEST_CASE("loss_scaler: one of several optimizers is skipped alone, and the factor shrinks once",
          "[training][scaler]") {
  const tensor good = parameter({1}), bad = parameter({1});
  tb::sgd of_good({good}, {.learning_rate = 1}), of_bad({bad}, {.learning_rate = 1});
  tb::loss_scaler scaler({.scale = 4});
  begin(scaler);
  give(good, {4});
  give(bad, {infinite});
  CHECK(scaler.step(of_bad) == step_result::skipped);
  CHECK(scaler.step(of_good) == step_result::stepped);
  scaler.update();
  CHECK(values(good) == doubles{0});
  CHECK(values(bad) == doubles{1});
  CHECK(scaler.factor() == 2);
}

namespace {

// Knows nothing of scaling.
struct plain_descent : tb::optimizer {
  explicit plain_descent(std::vector<tensor> all) : optimizer("plain_descent") { add(std::move(all), 1, {}); }
  void update(std::size_t, batch& b) override {
    CHECK_FALSE(b.gradient_scale.defined());
    for (std::size_t i = 0; i < b.parameters.size(); ++i) b.parameters[i] -= b.gradients[i];
  }
};

}  // namespace

TEST_CASE("loss_scaler: an optimizer of one's own receives gradients without the factor", "[training][scaler]") {
  const tensor p = parameter({3});
  plain_descent optimizer({p});
  tb::loss_scaler scaler({.scale = 4});
  begin(scaler);
  CHECK(update_after(scaler, optimizer, p, 4) == step_result::stepped);
  CHECK(values(p) == doubles{2});
  CHECK(update_after(scaler, optimizer, p, not_a_number) == step_result::skipped);
  CHECK(values(p) == doubles{2});
}

TEST_CASE("loss_scaler: a loss of lower precision is scaled in float32", "[training][scaler]") {
  tb::loss_scaler scaler;
  const tensor scaled_loss = scaler.scale(tensor_of({2, 4}, {2}, dtype::float16));
  CHECK(scaled_loss.dtype() == dtype::float32);
  CHECK(values(scaled_loss) == doubles{131072, 262144});
  CHECK(scaler.scale(tensor_of({2}, {}, dtype::float64)).dtype() == dtype::float64);
  CHECK(text_of<tb::dtype_error>([&] { (void)scaler.scale(tensor_of({2}, {1}, dtype::int64)); }) ==
        "loss_scaler::scale: found int64 [1], wanted a floating loss");
}

TEST_CASE("loss_scaler: without gradients there is nothing to do, and disabled it only steps", "[training][scaler]") {
  const tensor p = parameter({1});
  tb::sgd optimizer({p}, {.learning_rate = 1});
  tb::loss_scaler scaler;
  CHECK(scaler.step(optimizer) == step_result::nothing_to_do);
  scaler.update();
  CHECK(scaler.factor() == 65536);

  tb::loss_scaler off({.enabled = false});
  const tensor loss = tensor_of({2}, {1}, dtype::float32);
  CHECK(off.scale(loss).same_as(loss));
  give(p, {0.5});
  off.unscale(optimizer);
  CHECK(off.step(optimizer) == step_result::stepped);
  off.update();
  CHECK(values(p) == doubles{0.5});
  CHECK(off.factor() == 1);
}

TEST_CASE("loss_scaler: calls in another order are refused, and change nothing", "[training][scaler]") {
  const tensor p = parameter({1});
  tb::sgd optimizer({p}, {.learning_rate = 1});
  tb::loss_scaler scaler({.scale = 2});
  CHECK(text_of<tb::error>([&] { scaler.update(); }) ==
        "loss_scaler::update: found no step since the last update(), wanted step(optimizer) before it");
  give(p, {2});
  CHECK(text_of<tb::error>([&] { (void)scaler.step(optimizer); }) ==
        "loss_scaler::step: found no scaled loss, wanted backward(scale(loss)) before");
  begin(scaler);
  scaler.unscale(optimizer);
  CHECK(text_of<tb::error>([&] { scaler.unscale(optimizer); }) ==
        "loss_scaler::unscale: found that it was called for this optimizer already, wanted update() before it");
  CHECK(values(tb::leaf_grad(p)) == doubles{1});
  CHECK(scaler.step(optimizer) == step_result::stepped);
  CHECK(text_of<tb::error>([&] { (void)scaler.step(optimizer); }) ==
        "loss_scaler::step: found a second step of this optimizer, wanted update() before it");
  CHECK(text_of<tb::error>([&] { scaler.unscale(optimizer); }) ==
        "loss_scaler::unscale: found that step() was called for this optimizer, wanted unscale() before it");
  CHECK(values(p) == doubles{0});
  scaler.update();
  CHECK(scaler.factor() == 2);
}

TEST_CASE("loss_scaler: float16 gradients and bad options are refused", "[training][scaler]") {
  const tensor fine = parameter({1}), p = parameter({1}, dtype::float16);
  tb::sgd optimizer({fine, p}, {.learning_rate = 1});
  tb::loss_scaler scaler;
  begin(scaler);
  give(fine, {1});
  give(p, {1});
  const std::string rest =
      ": found a float16 gradient, of parameter 1, wanted float32; keep parameters in float32, autocast casts them";
  CHECK(text_of<tb::dtype_error>([&] { (void)scaler.step(optimizer); }) == "loss_scaler::step" + rest);
  CHECK(text_of<tb::dtype_error>([&] { scaler.unscale(optimizer); }) == "loss_scaler::unscale" + rest);
  CHECK(values(tb::leaf_grad(fine)) == doubles{1});

  const auto refused = [](const tb::loss_scaler_options& o) {
    return text_of<tb::error>([&] { const tb::loss_scaler s(o); });
  };
  CHECK(refused({.scale = 0}) == "loss_scaler: found scale=0, wanted a number above 0");
  CHECK(refused({.scale = infinite}) == "loss_scaler: found scale=inf, wanted a number above 0");
  CHECK(refused({.growth = 1}) == "loss_scaler: found growth=1, wanted a number above 1");
  CHECK(refused({.growth_interval = 0}) == "loss_scaler: found growth_interval=0, wanted a number from 1 up");
  CHECK(refused({.backoff = 1}) == "loss_scaler: found backoff=1, wanted a number between 0 and 1");
  CHECK(text_of<tb::error>([&] { scaler.set_factor(not_a_number); }) ==
        "loss_scaler: found factor=nan, wanted a number above 0");
}

TEST_CASE("loss_scaler: the fortieth skipped step in a row is an error that names the gradient", "[training][scaler]") {
  const tensor fine = parameter({1}), p = parameter({1, 2});
  tb::sgd optimizer({fine, p}, {.learning_rate = 1});
  tb::loss_scaler scaler({.scale = 0x1p39});
  begin(scaler);
  for (int i = 0; i < 39; ++i) {
    give(fine, {0});
    REQUIRE(update_after(scaler, optimizer, p, not_a_number) == step_result::skipped);
  }
  CHECK(text_of<tb::error>([&] { (void)scaler.step(optimizer); }) ==
        "loss_scaler: 40 steps in a row were skipped; the gradient of parameter 1, float32 [2], is not finite; the "
        "factor is 1");
  give(p, {0, 0});
  CHECK(scaler.step(optimizer) == step_result::stepped);
}

namespace {

struct network {
  nn::linear only;
  explicit network(const tb::generator& random) : only(2, 1, random) {}
  static void each_parameter(auto& self, auto&& visit) { visit("only", self.only); }
};

}  // namespace

TEST_CASE("loss_scaler: checkpoints have its state", "[training][scaler]") {
  const training::file path("scaler.safetensors");
  const tb::generator random(1);
  const network net(random);
  tb::sgd optimizer(tb::parameters(net), {.learning_rate = 0.1});
  tb::loss_scaler scaler({.scale = 8}), other;
  begin(scaler);
  for (const double g : {infinite, 1.}) {
    give(net.only.bias, {g});
    (void)scaler.step(optimizer);
    scaler.update();
  }
  tb::save_checkpoint(path.path, net, optimizer, scaler);
  tb::load_checkpoint(path.path, net, optimizer, other);
  CHECK(other.factor() == 4);
  CHECK(values(other.state()[0].value) == doubles{4, 1, 0});
  CHECK(text_of<tb::error>([&] {
          tb::load_checkpoint(path.path, net, optimizer);
        }).ends_with("found the state of a loss scaler, wanted a loss_scaler to restore it to"));
  tb::save_checkpoint(path.path, net, optimizer);
  CHECK_THROWS_AS(tb::load_checkpoint(path.path, net, optimizer, other), tb::error);
  CHECK(other.factor() == 4);
}
