// Lower precision on a device: its own list of policies, loss scaling, and captured steps.
#include <optional>

#include "cuda.h"
import topbit;
import topbit.autocast;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::backend;
using tb::dtype;

namespace {

tb::dtype type_of(const tb::tensor& t) { return t.dtype(); }

}  // namespace

TEST_CASE("autocast: the policies of the device decide", "[cuda][autocast]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor x = cuda_tests::filled({4, 4}, 0.5, where), host = aten::ones(tb::shape{4, 4});
  CHECK(type_of(aten::mm(x, x)) == dtype::float32);
  const tb::autocast scope(backend::CUDA);
  CHECK(tb::autocast_dtype(backend::CUDA) == dtype::float16);
  CHECK(type_of(aten::mm(x, x)) == dtype::float16);
  CHECK(type_of(aten::mm(host, host)) == dtype::float32);
  const tb::tensor low = aten::mm(x, x);
  CHECK(type_of(aten::exp(low)) == dtype::float32);
  CHECK(type_of(aten::sum(low)) == dtype::float32);
  CHECK(type_of(aten::softmax_int(low, 0)) == dtype::float32);
  CHECK(type_of(low + x) == dtype::float32);
  CHECK_THROWS_AS(aten::binary_cross_entropy(aten::sigmoid(low), x), tb::dtype_error);
  const tb::autocast wide(backend::CUDA, {.lower = dtype::bfloat16});
  CHECK(type_of(aten::mm(x, x)) == dtype::bfloat16);
  CHECK(type_of(aten::binary_cross_entropy(aten::sigmoid(x), x)) == dtype::float32);
}

namespace {

// The losses of some steps of a small classifier. `lower`: the dtype of its products, with a loss scaler for float16.
std::vector<double> losses(tb::device where, std::optional<dtype> lower, bool captured) {
  tb::manual_seed(3);
  const tb::tensor w = tb::require_grad(tb::to(aten::randn(tb::shape{10, 20}) * 0.3, where)),
                   b = tb::require_grad(tb::to(aten::zeros(tb::shape{10}), where));
  const tb::tensor x = tb::to(aten::randn(tb::shape{16, 20}), where),
                   y = tb::to(aten::randint(10, tb::shape{16}), where);
  tb::adamw optimizer({w, b}, {.learning_rate = 0.1, .capturable = true});
  tb::loss_scaler scaler({.scale = 0x1p30, .enabled = lower == dtype::float16});  // too much for the first steps
  tb::tensor loss;
  const auto step = [&] {
    optimizer.zero_grad();
    {
      const tb::autocast scope(backend::CUDA, {.lower = lower, .enabled = lower.has_value()});
      loss = aten::cross_entropy_loss(aten::linear(x, w, b), y);
    }
    tb::backward(scaler.scale(loss));
    (void)scaler.step(optimizer);
    scaler.update();
  };
  std::vector<double> all;
  step();
  std::optional<tb::cuda_graph> graph;
  if (captured) graph.emplace(tb::cuda_graph::capture(step, where));
  for (int i = 0; i < 40; ++i) {
    captured ? graph->replay() : step();
    all.push_back(cuda_tests::values(loss)[0]);
  }
  return all;
}

}  // namespace

TEST_CASE("autocast: training in lower precision ends where training in float32 does, captured too",
          "[cuda][autocast]") {
  const tb::device where = cuda_tests::need();
  const std::vector<double> plain = losses(where, {}, false);
  CHECK(plain.front() > 2 * plain.back());
  for (const dtype lower : {dtype::bfloat16, dtype::float16}) {
    const std::vector<double> called = losses(where, lower, false), replayed = losses(where, lower, true);
    CHECK(called == replayed);
    CHECK(std::abs(called.back() - plain.back()) < 0.1 * plain.front());
    CHECK(called != plain);
    // Steps with too great a factor change nothing.
    if (lower == dtype::float16) CHECK(called[0] == called[1]);
  }
}

TEST_CASE("autocast: while a graph is captured, casts of weights are neither read from the cache nor kept",
          "[cuda][autocast]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor w = tb::require_grad(cuda_tests::filled({4, 4}, 1, where)), x = cuda_tests::filled({4, 4}, 1, where);
  const tb::autocast scope(backend::CUDA);
  const auto cast = [&] { return tb::author::cached_cast(w, dtype::float16, backend::CUDA); };
  const tb::tensor outside = cast();
  CHECK(cast().same_as(outside));
  tb::tensor inside, y;
  const tb::cuda_graph graph = tb::cuda_graph::capture(
      [&] {
        inside = cast();
        y = aten::mm(x, w);
      },
      where);
  CHECK_FALSE(inside.same_as(outside));
  CHECK(cast().same_as(outside));
  {
    const tb::no_grad guard;
    tb::tensor written = w;
    aten::fill_Scalar_(written, 2);
  }
  graph.replay();
  CHECK(cuda_tests::values(y)[0] == 8);
}
