// Captured calls: the same as the calls themselves.
#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

TEST_CASE("graph: replayed calls use the current contents of the tensors", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::tensor x = cuda_tests::filled({1000}, 1, where);
  tb::tensor y;
  const auto work = [&] { y = aten::sum(aten::exp(x - 1) * 2); };
  work();
  CHECK(cuda_tests::values(y)[0] == 2000);
  const tb::cuda_graph graph = tb::cuda_graph::capture(work, where);
  graph.replay();
  CHECK(cuda_tests::values(y)[0] == 2000);
  aten::fill_Scalar_(x, 2);
  graph.replay();
  CHECK(std::abs(cuda_tests::values(y)[0] - 2000 * std::exp(1.0)) < 0.01);
}

TEST_CASE("graph: its memory is not reused while it exists", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor x = cuda_tests::filled({256}, 3, where);
  tb::tensor y;
  {
    const tb::cuda_graph graph = tb::cuda_graph::capture([&] { y = (x + 1) * (x - 1) + x; }, where);
    for (int i = 0; i < 10; ++i) {
      std::vector<tb::tensor> others;
      for (int n = 0; n < 20; ++n) others.push_back(cuda_tests::filled({256}, 100 + n, where));
      graph.replay();
      CHECK(cuda_tests::values(y) == std::vector<double>(256, 11));
      for (int n = 0; n < 20; ++n) CHECK(cuda_tests::values(others[static_cast<std::size_t>(n)])[7] == 100 + n);
    }
  }
  CHECK(cuda_tests::values(y) == std::vector<double>(256, 11));
}

TEST_CASE("graph: a training step gives the parameters that steps without a graph give", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::manual_seed(3);
  const tb::tensor w0 = aten::randn(tb::shape{20, 10}) * 0.1, b0 = aten::zeros(tb::shape{10});
  const tb::tensor input = aten::randn(tb::shape{32, 20}), labels = aten::randint(10, tb::shape{32});
  const auto train = [&](bool captured) {
    tb::tensor w = tb::require_grad(tb::to(w0, where)), b = tb::require_grad(tb::to(b0, where));
    const tb::tensor x = tb::to(input, where), y = tb::to(labels, where);
    const auto step = [&] {
      for (const tb::tensor& p : {w, b}) {
        if (tb::tensor g = tb::leaf_grad(p); g.defined()) aten::zero_(g);
      }
      tb::backward(aten::cross_entropy_loss(aten::relu(aten::matmul(x, w) + b), y));
      const tb::no_grad guard;
      aten::sub_Tensor_(w, tb::leaf_grad(w), tb::arg<"alpha"> = 0.5);
      aten::sub_Tensor_(b, tb::leaf_grad(b), tb::arg<"alpha"> = 0.5);
    };
    step();  // the gradients exist from now on
    if (captured) {
      const tb::cuda_graph graph = tb::cuda_graph::capture(step, where);
      for (int i = 0; i < 5; ++i) graph.replay();
    } else {
      for (int i = 0; i < 5; ++i) step();
    }
    return std::pair{cuda_tests::values(w), cuda_tests::values(b)};
  };
  const auto plain = train(false), replayed = train(true);
  CHECK(plain == replayed);
  CHECK(plain.second != std::vector<double>(10, 0));
}

TEST_CASE("graph: copies to the host cannot be captured, and the next call works", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor x = cuda_tests::filled({4}, 1, where);
  const std::string text = toy::text_of<tb::device_error>(
      [&] { (void)tb::cuda_graph::capture([&] { (void)tb::item<float>(aten::sum(x)); }, where); });
  INFO(text);
  CHECK(text.find("while a graph is captured no call may wait") != std::string::npos);
  CHECK(cuda_tests::values(x + 1) == std::vector<double>(4, 2));
  struct mistake {};
  CHECK_THROWS_AS(tb::cuda_graph::capture([] { throw mistake(); }, where), mistake);
  CHECK(cuda_tests::values(x + 2) == std::vector<double>(4, 3));
}

namespace {

// One parameter after six steps, of which the last five are calls or replays.
template <class Optimizer, class Options>
std::vector<double> after_steps(tb::device where, const Options& options, bool captured) {
  const tb::tensor p = tb::require_grad(cuda_tests::filled({100}, 1, where));
  Optimizer optimizer({p}, options);
  const auto step = [&] {
    optimizer.zero_grad();
    tb::backward(aten::sum(p * p));
    optimizer.step();
  };
  step();
  if (captured) {
    const tb::cuda_graph graph = tb::cuda_graph::capture(step, where);
    for (int i = 0; i < 5; ++i) graph.replay();
  } else {
    for (int i = 0; i < 5; ++i) step();
  }
  return cuda_tests::values(p);
}

}  // namespace

TEST_CASE("graph: captured steps with momentum, and with device counters, agree", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  const tb::sgd_options momentum{.learning_rate = 0.01, .momentum = 0.9};
  CHECK(after_steps<tb::sgd>(where, momentum, true) == after_steps<tb::sgd>(where, momentum, false));
  const tb::adam_options adam{.learning_rate = 0.1, .amsgrad = true, .capturable = true};
  CHECK(after_steps<tb::adam>(where, adam, true) == after_steps<tb::adam>(where, adam, false));
  const tb::adamw_options adamw{.learning_rate = 0.1, .capturable = true};
  CHECK(after_steps<tb::adamw>(where, adamw, true) == after_steps<tb::adamw>(where, adamw, false));
}

TEST_CASE("graph: a step counted on the host is refused, and the error says how to capture it", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  const std::string text =
      toy::text_of<tb::device_error>([&] { (void)after_steps<tb::adamw>(where, tb::adamw_options{}, true); });
  INFO(text);
  CHECK(text.find("a step counted on the host cannot be captured") != std::string::npos);
  CHECK(text.find("with the option capturable") != std::string::npos);
  CHECK(after_steps<tb::adamw>(where, tb::adamw_options{}, false).size() == 100);
}

TEST_CASE("graph: host numbers are those of the capture", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor x = cuda_tests::filled({8}, 1, where);
  tb::tensor number = tb::from_values<float>({2}, {}), y;
  const tb::cuda_graph graph = tb::cuda_graph::capture([&] { y = x * number; }, where);
  aten::fill_Scalar_(number, 5);
  graph.replay();
  CHECK(cuda_tests::values(y) == std::vector<double>(8, 2));
}
