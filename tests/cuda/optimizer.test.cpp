// Steps whose number is on the device: read there, counted there.
#include <limits>
#include <optional>
#include <tuple>

#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;
using tensors = std::vector<tb::tensor>;

namespace {

struct arrays {
  tb::tensor parameter, gradient, average, square;

  arrays(tb::device where, tb::dtype type, tb::dtype state)
      : parameter(made(where, type, 1)),
        gradient(made(where, type, 2)),
        average(made(where, state, 3)),
        square(made(where, state, 4)) {}
  static tb::tensor made(tb::device where, tb::dtype type, int which) {
    const tb::tensor on_host = aten::remainder_Scalar(aten::arange(1000) * 7 + which * 5, 11) + 1;
    return tb::to(tb::to(on_host, type), where);
  }
  void step(const tb::tensor& number) {
    tensors p{parameter}, g{gradient}, a{average}, s{square}, greatest;
    aten::_fused_adamw_(p, g, a, s, greatest, tensors{number}, 0.5, 0.5, 0.75, 0.25, 1e-3, false, false, std::nullopt,
                        std::nullopt);
  }
};

tb::tensor number(double x, tb::dtype type, tb::device where) {
  return aten::full(tb::shape{}, x, tb::arg<"dtype"> = type, tb::arg<"device"> = where);
}

bool near(const std::vector<double>& a, const std::vector<double>& b, double relative) {
  return std::ranges::equal(
      a, b, [&](double x, double y) { return std::abs(x - y) <= relative * std::max(std::abs(x), std::abs(y)); });
}

}  // namespace

TEST_CASE("optimizer: the step number may be on the device, in any dtype", "[cuda][optimizer]") {
  const tb::device where = cuda_tests::need();
  for (const auto& [type, state, within] : {std::tuple{tb::dtype::float32, tb::dtype::float32, 1e-6},
                                            std::tuple{tb::dtype::float64, tb::dtype::float64, 1e-13},
                                            std::tuple{tb::dtype::bfloat16, tb::dtype::float32, 1e-2}}) {
    for (const tb::dtype of_number : {tb::dtype::float64, tb::dtype::float32, tb::dtype::int64}) {
      arrays told(where, type, state), found(where, type, state);
      told.step(number(3, tb::dtype::float64, tb::cpu));
      found.step(number(3, of_number, where));
      CHECK(near(cuda_tests::values(told.parameter), cuda_tests::values(found.parameter), within));
      CHECK(cuda_tests::values(told.average) == cuda_tests::values(found.average));
    }
  }
}

TEST_CASE("optimizer: a step number on another device is refused, and nothing is written", "[cuda][optimizer]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor there = number(1, tb::dtype::float64, where);
  arrays on_host(tb::cpu, tb::dtype::float32, tb::dtype::float32);
  const std::vector<double> before = cuda_tests::values(on_host.parameter);
  CHECK(toy::text_of<tb::device_error>([&] { on_host.step(there); }).find("wanted one device") != std::string::npos);
  CHECK(cuda_tests::values(on_host.parameter) == before);

  // Without dimensions all could be numbers of the host.
  const auto scalar_step = [&](tb::device of_parameter, tb::device of_state) {
    const auto one = [](tb::device d) { return number(1, tb::dtype::float32, d); };
    tensors p{one(of_parameter)}, g{one(of_parameter)}, a{one(of_state)}, s{one(of_parameter)}, greatest;
    aten::_fused_adam_(p, g, a, s, greatest, tensors{there}, 0.5, 0.5, 0.75, 0.25, 1e-3, false, false, std::nullopt,
                       std::nullopt);
  };
  CHECK(toy::text_of<tb::device_error>([&] { scalar_step(tb::cpu, tb::cpu); }) ==
        "aten::_fused_adam_: found state_steps on cuda:0 for parameter 0 on cpu, wanted one device; move one with "
        "to()");
  CHECK(toy::text_of<tb::device_error>([&] { scalar_step(where, tb::cpu); }) ==
        "aten::_fused_adam_: found exp_avgs on cpu for parameter 0 on cuda:0, wanted one device; move one with to()");
  scalar_step(where, where);
  tb::synchronize(where);

  const tb::device other = cuda_tests::need(1);
  arrays on_device(where, tb::dtype::float32, tb::dtype::float32);
  CHECK(toy::text_of<tb::device_error>([&] {
          on_device.step(number(1, tb::dtype::float64, other));
        }).find("'state_steps' on cuda:1, wanted one device") != std::string::npos);
}

TEST_CASE("optimizer: replayed steps are counted", "[cuda][optimizer]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor p = tb::require_grad(cuda_tests::filled({100}, 1, where)),
                   without = tb::require_grad(cuda_tests::filled({3}, 1, where));
  tb::adam optimizer({without, p}, {.learning_rate = 0.1, .capturable = true});
  const auto step = [&] {
    optimizer.zero_grad();
    tb::backward(aten::sum(p * p));
    optimizer.step();
  };
  step();
  const tb::cuda_graph graph = tb::cuda_graph::capture(step, where);
  CHECK(optimizer.steps() == 1);
  for (int i = 0; i < 4; ++i) graph.replay();
  step();
  graph.replay();
  CHECK(optimizer.steps() == 7);
  const std::vector<tb::named_tensor> state = optimizer.state();
  REQUIRE(state.size() == 5);
  CHECK(state[1].name == "1.step");
  CHECK(tb::item<std::int64_t>(state[1].value) == 7);

  // What goes on from this state does not know of graphs.
  const tb::tensor q = tb::require_grad(aten::clone(tb::detach(p)));
  tb::adam other({tb::require_grad(cuda_tests::filled({3}, 1, where)), q}, {.learning_rate = 0.1, .capturable = true});
  other.load_state(state);
  graph.replay();
  tb::backward(aten::sum(q * q));
  other.step();
  CHECK(cuda_tests::values(q) == cuda_tests::values(p));
  CHECK(other.steps() == 8);
}

TEST_CASE("optimizer: a schedule inside a captured step is refused, since the rate is that of the capture",
          "[cuda][optimizer]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor p = tb::require_grad(cuda_tests::filled({100}, 1, where));
  tb::adam optimizer({p}, {.capturable = true});
  tb::backward(aten::sum(p * p));
  optimizer.step();
  CHECK_THROWS_AS(tb::cuda_graph::capture([&] { optimizer.set_schedule([](std::int64_t) { return 0.5; }); }, where),
                  tb::device_error);
  optimizer.set_schedule([](std::int64_t) { return 0.5; });
  CHECK_THROWS_AS(tb::cuda_graph::capture([&] { optimizer.step(); }, where), tb::device_error);
  optimizer.set_schedule([](std::int64_t step) { return step == 1 ? 0.5 : 1; });
  CHECK(optimizer.learning_rate() == 0.0005);
}

TEST_CASE("optimizer: the first step may be captured, and a state loaded under a graph", "[cuda][optimizer]") {
  const tb::device where = cuda_tests::need();
  const auto train = [&](bool captured) {
    const tb::tensor p = tb::require_grad(cuda_tests::filled({100}, 1, where));
    tb::adam optimizer({p}, {.learning_rate = 0.1, .amsgrad = true, .capturable = true});
    const auto step = [&] {
      optimizer.zero_grad();
      tb::backward(aten::sum(p * p));
      optimizer.step();
    };
    std::optional<tb::cuda_graph> graph;
    if (captured) graph = tb::cuda_graph::capture(step, where);
    const auto run = [&](int steps) {
      for (int i = 0; i < steps; ++i) captured ? graph->replay() : step();
    };
    run(3);
    std::vector<tb::named_tensor> state;
    for (const tb::named_tensor& s : optimizer.state())
      state.push_back({s.name, tb::to(aten::clone(s.value), tb::cpu)});
    run(4);
    optimizer.load_state(state);
    CHECK(optimizer.steps() == 3);
    run(2);
    CHECK(optimizer.steps() == 5);
    return cuda_tests::values(p);
  };
  CHECK(train(true) == train(false));
}

TEST_CASE("optimizer: a group that counts on a device is on one device", "[cuda][optimizer]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor here = tb::require_grad(aten::ones(tb::shape{2})),
                   there = tb::require_grad(cuda_tests::filled({2}, 1, where));
  CHECK(toy::text_of<tb::device_error>([&] { tb::adam({here, there}, {.capturable = true}); }) ==
        "adam: found parameter 0 on cpu and parameter 1 on cuda:0, wanted one device for a group with the option "
        "capturable; give each device a group");
}

TEST_CASE("optimizer: a gradient scale and whether to skip may be on the device", "[cuda][optimizer]") {
  const tb::device where = cuda_tests::need();
  const auto after = [&](bool adam, const tb::tensor& scale, const tb::tensor& found_inf) {
    arrays a(where, tb::dtype::float32, tb::dtype::float32);
    tensors p{a.parameter}, g{a.gradient}, m{a.average}, s{a.square}, greatest;
    if (adam) {
      aten::_fused_adam_(p, g, m, s, greatest, tensors{number(2, tb::dtype::float64, where)}, 0.5, 0.5, 0.75, 0.25,
                         1e-3, false, false, scale, found_inf);
    } else {
      aten::_fused_sgd_(p, g, m, 0.25, 0.5, 0.125, 0, false, false, false, scale, found_inf);
    }
    std::vector<double> all;
    for (const tb::tensor* t : {&a.parameter, &a.gradient, &a.average, &a.square}) {
      const auto some = cuda_tests::values(*t);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  };
  const auto there = [&](double x) { return number(x, tb::dtype::float32, where); };
  const auto here = [](double x) { return number(x, tb::dtype::float32, tb::cpu); };
  const arrays untouched(where, tb::dtype::float32, tb::dtype::float32);
  for (const bool adam : {false, true}) {
    const auto wanted = after(adam, here(4), here(0)), unscaled = after(adam, {}, {});
    CHECK(after(adam, there(4), there(0)) == wanted);
    CHECK(wanted != unscaled);
    CHECK(after(adam, {}, there(0)) == unscaled);
    const auto skipped = after(adam, there(4), there(1));
    CHECK(std::vector(skipped.begin(), skipped.begin() + 1000) == cuda_tests::values(untouched.parameter));
    CHECK(skipped == after(adam, here(4), here(1)));
  }
  CHECK(toy::text_of<tb::shape_error>([&] {
          (void)after(true, {}, cuda_tests::filled({2}, 0, where));
        }).ends_with("found found_inf [2], wanted one element"));
}

TEST_CASE("optimizer: a loss scaler skips steps on the device, without waiting, and replays do too",
          "[cuda][optimizer]") {
  const tb::device where = cuda_tests::need();
  const auto train = [&](bool captured) {
    const tb::tensor p = tb::require_grad(cuda_tests::filled({10}, 1, where));
    tb::tensor by = cuda_tests::filled({}, 1, where);
    tb::adam optimizer({p}, {.learning_rate = 0.1, .capturable = true});
    tb::loss_scaler scaler({.scale = 16, .growth_interval = 2});
    const auto step = [&] {
      optimizer.zero_grad();
      tb::backward(scaler.scale(aten::sum(p * by)));
      CHECK(scaler.step(optimizer) == tb::step_result::decided_on_device);
      scaler.update();
    };
    step();
    std::optional<tb::cuda_graph> graph;
    if (captured) graph.emplace(tb::cuda_graph::capture(step, where));
    std::vector<double> seen;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const double factor : {1., infinite, 1., -2., 1., infinite - infinite, 1.}) {
      aten::fill_Scalar_(by, factor);
      captured ? graph->replay() : step();
      seen.push_back(scaler.factor());
      seen.push_back(static_cast<double>(optimizer.steps()));
      seen.push_back(cuda_tests::values(p)[0]);
    }
    return seen;
  };
  const std::vector<double> called = train(false), replayed = train(true);
  CHECK(called == replayed);
  const auto every_third = [&](std::size_t first) {
    std::vector<double> some;
    for (std::size_t i = first; i < called.size(); i += 3) some.push_back(called[i]);
    return some;
  };
  CHECK(every_third(0) == std::vector<double>{32, 16, 16, 32, 32, 16, 16});
  CHECK(every_third(1) == std::vector<double>{2, 2, 3, 4, 5, 5, 6});
  CHECK(called[2] == called[5]);  // the parameter of the skipped step
  CHECK(called[2] != called[8]);
}
