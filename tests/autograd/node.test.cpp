#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using tb::tensor;
using toy::text_of;

namespace {

// Says when it dies.
class counted_node final : public tb::node {
 public:
  ~counted_node() override { --*alive_; }
  counted_node(int& alive, std::vector<tb::intrusive_ptr<tb::node>> inputs)
      : alive_(&alive), edges_(std::move(inputs)) {
    ++*alive_;
    connect(edges_);
  }
  void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) override {
    for (tensor& g : of_inputs) g = of_results[0];
  }
  void release() noexcept override {}
  std::string_view name() const noexcept override { return "counted"; }

 private:
  int* alive_;
  std::vector<tb::intrusive_ptr<tb::node>> edges_;
};

tb::intrusive_ptr<tb::node> make(int& alive, std::vector<tb::intrusive_ptr<tb::node>> inputs) {
  return tb::intrusive_ptr<tb::node>(new counted_node(alive, std::move(inputs)));
}

}  // namespace

TEST_CASE("node: depth is one more than the deepest input's", "[autograd][node]") {
  int alive = 0;
  const auto a = make(alive, {});
  const auto b = make(alive, {a});
  const auto c = make(alive, {a, {}, b});
  CHECK(a->depth() == 0);
  CHECK(b->depth() == 1);
  CHECK(c->depth() == 2);
  CHECK(c->inputs().size() == 3);
}

TEST_CASE("node: an input lives as long as a node that refers to it", "[autograd][node]") {
  int alive = 0;
  auto a = make(alive, {});
  auto b = make(alive, {a}), c = make(alive, {a, a});
  a = {};
  CHECK(alive == 3);
  b = {};
  CHECK(alive == 2);
  c = {};
  CHECK(alive == 0);
}

TEST_CASE("node: a chain of any length is dropped without recursion", "[autograd][node]") {
  int alive = 0;
  auto last = make(alive, {});
  for (int i = 0; i < 300000; ++i) last = make(alive, {last, last});
  last = {};
  CHECK(alive == 0);
}

TEST_CASE("node: a node written by hand takes part in backward", "[autograd][node]") {
  int alive = 0;
  {
    const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
    const tensor y = tensor_of({1, 2}, {2});
    tb::author::set_creator(y, make(alive, {tb::author::gradient_edge(x), tb::author::gradient_edge(x)}));
    tb::backward(aten::sum(y));
    CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{2, 2});
  }
  CHECK(alive == 0);
}

TEST_CASE("node: a graph is dropped with its last result, whether it ran or not", "[autograd][node]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  for (bool run : {false, true}) {
    {
      const tensor h = aten::exp(x * x);
      const tensor y = aten::sum(aten::relu(h) / aten::log(h + 2));
      if (run) tb::backward(y);
      CHECK(tb::author::record_of(x).references > 1 - run);
    }
    CHECK(tb::author::record_of(x).references == 1);
  }
}

TEST_CASE("node: a graph outlives the handle of its leaf", "[autograd][node]") {
  tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  const tensor y = aten::sum(x * 2);
  x = {};
  tb::backward(y);
  CHECK(y.defined());
}

TEST_CASE("node: a saved tensor written in place is an error with a message", "[autograd][node]") {
  const auto text = [](const char* op, const char* what) {
    return std::string(op) + ": a tensor saved for backward, " + what +
           ", was written in place by aten::zero_: found version 1, wanted 0; write to a clone instead; while backward "
           "ran " +
           op + " of aten::sum";
  };
  const auto failure = [](const tensor& y) { return text_of<tb::error>([&] { tb::backward(aten::sum(y)); }); };
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  const auto written = [&](const tensor& y, tensor victim) {
    const tb::no_grad guard;
    aten::zero_(victim);
    return y;
  };

  tensor factor = tensor_of({3, 4}, {2});
  CHECK(failure(written(x * factor, factor)) == text("aten::mul.Tensor", "float64 [2]"));
  factor = tensor_of({3, 4}, {2});
  CHECK(failure(written(x / factor, factor)) == text("aten::div.Tensor", "float64 [2]"));
  const tensor e = aten::exp(x);
  CHECK(failure(written(e, e)) == text("aten::exp", "float64 [2]"));
  const tensor r = aten::relu(x);
  CHECK(failure(written(r, r)) == text("aten::relu", "float64 [2]"));
  const tensor s = aten::log_softmax_int(x, 0);
  CHECK(failure(written(s, s)) == text("aten::_log_softmax", "float64 [2]"));

  const tensor matrix = tensor_of({1, 2, 3, 4}, {2, 2});
  const tensor rows = aten::view(x, std::vector<std::int64_t>{1, 2});
  CHECK(failure(written(aten::mm(rows, matrix), matrix)) == text("aten::mm", "float64 [2, 2]"));
  const tensor labels = tensor_of({1}, {1}, tb::dtype::int64);
  CHECK(failure(written(aten::nll_loss(rows, labels), labels)) == text("aten::nll_loss_forward", "int64 [1]"));
}

TEST_CASE("node: a write through a view of a saved tensor is detected", "[autograd][node]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  tensor factor = tensor_of({3, 4}, {2});
  const tensor y = aten::sum(x * factor);
  tensor part = aten::slice_Tensor(factor, 0, 1, 2, 1);
  aten::fill_Scalar_(part, 7);
  CHECK_THROWS_AS(tb::backward(y), tb::error);
}

TEST_CASE("node: a tensor that was not saved may be written in place", "[autograd][node]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  tensor other = tensor_of({3, 4}, {2});
  const tensor y = aten::sum(x + other), z = aten::sum(x * (other + 0));
  aten::zero_(other);
  tb::backward(y);
  tb::backward(z);
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{4, 5});
}
