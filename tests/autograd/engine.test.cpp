#include <catch2/catch_test_macros.hpp>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
#include "support/scale.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

TEST_CASE("engine: a leaf accumulates the gradients of several backward calls", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  tb::backward(aten::sum(x * x));
  CHECK(values(tb::leaf_grad(x)) == list{2, 4});
  tb::backward(aten::sum(x * 3));
  CHECK(values(tb::leaf_grad(x)) == list{5, 7});
  tb::zero_grad(x);
  tb::backward(aten::sum(x * 3));
  CHECK(values(tb::leaf_grad(x)) == list{3, 3});
}

TEST_CASE("engine: a tensor that no gradient reaches has none, and a root without leaves is refused",
          "[autograd][engine]") {
  const tensor x = leaf({1, 2}), w = leaf({3, 4});
  tensor y = x * 2;
  aten::zero_(y);
  tb::backward(aten::sum(y * w));
  CHECK_FALSE(tb::leaf_grad(x).defined());
  CHECK(values(tb::leaf_grad(w)) == list{0, 0});
  const tensor drawn = aten::bernoulli(leaf({0.5, 0.5}));
  CHECK_FALSE(tb::requires_grad(drawn));
  CHECK_THROWS_AS(tb::backward(aten::sum(drawn)), tb::error);
}

TEST_CASE("engine: a gradient seen earlier is not changed by a later backward", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  tb::backward(aten::sum(x));
  const tensor first = tb::leaf_grad(x);
  tb::backward(aten::sum(x));
  CHECK(values(first) == list{1, 1});
}

TEST_CASE("engine: the gradients of all paths are summed before a node runs", "[autograd][engine]") {
  const tensor x = leaf({3});
  const tensor middle = x * x;                    // 9
  const tensor y = middle * middle + middle + x;  // x^4 + x^2 + x
  tb::backward(y);
  CHECK(values(tb::leaf_grad(x)) == list{4 * 27 + 2 * 3 + 1});
}

TEST_CASE("engine: a ladder of diamonds costs one visit per node", "[autograd][engine]") {
  const tensor x = leaf({1});
  tensor y = x;
  for (int i = 0; i < 60; ++i) y = y + y;  // 2^60 paths
  tb::backward(y);
  CHECK(values(tb::leaf_grad(x)) == list{0x1p60});
}

TEST_CASE("engine: paths of different length are run in the right order", "[autograd][engine]") {
  const tensor x = leaf({2});
  tensor deep = x;
  for (int i = 0; i < 5; ++i) deep = deep * 2;
  tb::backward(deep * x + x);  // 32 x^2 + x
  CHECK(values(tb::leaf_grad(x)) == list{129});
}

TEST_CASE("engine: a chain of very many nodes runs and is dropped in constant stack", "[autograd][engine]") {
  // At least as many as would exhaust a stack of eight megabytes, of a hundred bytes each.
  const int longest = scaled(1000000, 100000);
  const tensor x = leaf({1});
  tensor y = x;
  for (int i = 0; i < longest; ++i) y = y + x;
  tb::backward(y);
  CHECK(values(tb::leaf_grad(x)) == list{longest + 1.0});
}

TEST_CASE("engine: chains that keep their arguments run and are dropped in constant stack", "[autograd][engine]") {
  const tensor x = leaf({1});
  {
    tensor y = x;
    for (int i = 0; i < 100000; ++i) y = y + x;
    tb::backward(y);
    CHECK(values(tb::leaf_grad(x)) == list{100001});
  }
  // Each of these nodes keeps its argument, which keeps the node before.
  tensor z = x;
  for (int i = 0; i < 100000; ++i) z = z * x;
  z = {};
  tensor w = x;
  for (int i = 0; i < 100000; ++i) w = aten::exp(aten::mul_Scalar(w, 0));
  tb::backward(w, {}, {.retain_graph = true});
  w = {};
  CHECK(values(tb::leaf_grad(x)) == list{100001});
}

TEST_CASE("engine: a graph runs once, unless it is retained", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  const tensor y = aten::sum(x * x);
  tb::backward(y, {}, {.retain_graph = true});
  tb::backward(y, {}, {.retain_graph = true});
  tb::backward(y);
  CHECK(values(tb::leaf_grad(x)) == list{6, 12});
  CHECK(text_of<tb::error>([&] { tb::backward(y); }) ==
        "aten::mul.Tensor: its saved tensors were released by an earlier backward(); pass retain_graph = true there; "
        "while backward ran aten::mul.Tensor of aten::sum");
  CHECK(values(tb::leaf_grad(x)) == list{6, 12});
}

TEST_CASE("engine: a graph that saved no tensor runs again, and so does such a part of two", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  const tensor y = aten::sum(aten::neg(x + 1) - x);
  for (int i = 0; i < 3; ++i) tb::backward(y);
  CHECK(values(tb::leaf_grad(x)) == list{-6, -6});
  const tensor shared = aten::neg(x), first = aten::sum(aten::exp(shared)), second = aten::sum(shared * shared);
  tb::backward(first);
  tb::backward(second);
  CHECK_THROWS_AS(tb::backward(first), tb::error);
}

TEST_CASE("engine: a part of a graph that was released is refused from another root", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  const tensor shared = aten::exp(x);
  tb::backward(aten::sum(shared));
  CHECK(text_of<tb::error>([&] { tb::backward(aten::sum(shared * 2)); }) ==
        "aten::exp: its saved tensors were released by an earlier backward(); pass retain_graph = true there; while "
        "backward ran aten::exp of aten::mul.Tensor of aten::sum");
}

TEST_CASE("engine: saved tensors are freed when a node has run", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  tensor kept = tensor_of({3, 4}, {2});
  const auto& storage = *tb::author::record_of(kept).data;
  const tensor y = aten::sum(x * kept);
  CHECK(tb::author::record_of(kept).references == 2);
  tb::backward(y);
  CHECK(tb::author::record_of(kept).references == 1);
  CHECK(storage.references == 1);
}

TEST_CASE("engine: a root with several elements needs a gradient", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  const tensor y = x * 2;
  CHECK(text_of<tb::shape_error>([&] { tb::backward(y); }) ==
        "backward: found a tensor of sizes [2], wanted one element, or a gradient of that shape as second argument");
  tb::backward(y, tensor_of({10, 20}, {2}));
  CHECK(values(tb::leaf_grad(x)) == list{20, 40});
  const tensor one = leaf({5});
  tb::backward(aten::reshape(one * 3, std::vector<std::int64_t>{1, 1}));  // one element, not a scalar
  CHECK(values(tb::leaf_grad(one)) == list{3});
}

TEST_CASE("engine: a gradient has the sizes, the dtype and the device of the result", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  const tensor y = x * 2;
  CHECK(text_of<tb::shape_error>([&] { tb::backward(y, tensor_of({1, 2, 3}, {3})); }) ==
        "backward: found a gradient of float64 [3], wanted float64 [2]");
  CHECK(text_of<tb::dtype_error>([&] { tb::backward(y, tensor_of({1, 2}, {2}, tb::dtype::float32)); }) ==
        "backward: found a gradient of float32 [2], wanted float64 [2]");
  CHECK(text_of<tb::device_error>([&] { tb::backward(y, aten::_to_copy(y, tb::arg<"device"> = tb::meta)); }) ==
        "backward: found a gradient on meta, wanted it on cpu");
  CHECK_FALSE(tb::leaf_grad(x).defined());
  tb::backward(y, tensor_of({1, 1}, {2}));  // nothing was released by the refusals
  CHECK(values(tb::leaf_grad(x)) == list{2, 2});
}

TEST_CASE("engine: a tensor outside any graph is refused", "[autograd][engine]") {
  const std::string text = "backward: the tensor does not require a gradient and was not computed from one that does";
  CHECK(text_of<tb::error>([] { tb::backward(tensor_of({1}, {})); }) == text);
  CHECK(text_of<tb::error>([] { tb::backward(tensor()); }) == text);
  CHECK(text_of<tb::error>([] { tb::backward(tb::detach(leaf({1}))); }) == text);
}

TEST_CASE("engine: backward is refused in inference mode, and for its tensors", "[autograd][engine]") {
  const tensor x = leaf({2});
  const tensor y = x * x;
  tensor made;
  {
    const tb::inference_mode mode;
    made = x * x;
    CHECK(text_of<tb::error>([&] { tb::backward(y); }) ==
          "backward: called in inference mode, whose tensors autograd does not track; leave it with "
          "inference_mode(false)");
    CHECK_THROWS_AS(tb::grad(y, x), tb::error);
  }
  CHECK(text_of<tb::error>([&] { tb::backward(made); }) ==
        "backward: the tensor does not require a gradient and was not computed from one that does; it was made in "
        "inference mode");
  tb::backward(y);
  CHECK(values(tb::leaf_grad(x)) == list{4});
}

TEST_CASE("engine: backward of a leaf is its own gradient", "[autograd][engine]") {
  const tensor x = leaf({7});
  tb::backward(x);
  CHECK(values(tb::leaf_grad(x)) == list{1});
}

TEST_CASE("engine: the gradient of a leaf is dense and its own", "[autograd][engine]") {
  const tensor a = leaf({1, 2}), b = leaf({3, 4});
  const tensor seed = tensor_of({1, 1}, {2});
  tb::backward(a + b, seed);
  tensor of_a = tb::leaf_grad(a);
  aten::fill_Scalar_(of_a, 9);
  CHECK(values(tb::leaf_grad(b)) == list{1, 1});
  CHECK(values(seed) == list{1, 1});

  const tensor c = leaf({1, 2, 3});
  tb::backward(aten::sum(c));  // its gradient is one number, expanded
  tensor of_c = tb::leaf_grad(c);
  CHECK(of_c.strides() == tb::shape{1});
  of_c *= tensor_of({2}, {});
  CHECK(values(tb::leaf_grad(c)) == list{2, 2, 2});
}

TEST_CASE("engine: gradients are not recorded by default", "[autograd][engine]") {
  const tensor x = leaf({2});
  const tensor seed = leaf({1});
  tb::backward(x * x, seed);
  CHECK_FALSE(tb::requires_grad(tb::leaf_grad(x)));
  CHECK_FALSE(tb::leaf_grad(seed).defined());
  CHECK(tb::grad_enabled());
}

TEST_CASE("engine: an error leaves the thread recording as before", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  CHECK_THROWS_AS(tb::backward(x * x), tb::shape_error);
  CHECK(tb::grad_enabled());
  CHECK(tb::requires_grad(x * x));
}

TEST_CASE("engine: works on tensors without elements of their own", "[autograd][engine]") {
  const tensor x = tb::require_grad(tb::author::make_tensor({2, 3}, tb::dtype::float32, tb::meta));
  tb::backward(aten::sum(aten::exp(x) * x));
  CHECK(tb::leaf_grad(x).sizes() == tb::shape{2, 3});
  CHECK(tb::leaf_grad(x).device() == tb::meta);
}

TEST_CASE("engine: graphs of different threads are independent", "[autograd][engine][threads]") {
  const auto work = [](int seed, bool* good) {
    *good = true;
    for (int round = 0; round < 200; ++round) {
      const tensor x = leaf({1.0 * seed, 2.0 * seed, 3.0 * seed});
      const tensor y = aten::sum(x * x * x);
      tb::backward(y);
      list wanted;
      for (double v : values(x)) wanted.push_back(3 * v * v);
      *good = *good && values(tb::leaf_grad(x)) == wanted;
    }
  };
  bool first = false, second = false;
  std::thread other(work, 2, &second);
  work(3, &first);
  other.join();
  CHECK(first);
  CHECK(second);
}

TEST_CASE("engine: a graph may be run by a thread other than the one that recorded it", "[autograd][engine][threads]") {
  const tensor x = leaf({4});
  tensor y = x * x;
  std::thread([&] { tb::backward(y); }).join();
  CHECK(values(tb::leaf_grad(x)) == list{8});
}

TEST_CASE("engine: gradients of gradients, of a leaf and of a gradient", "[autograd][engine]") {
  const tensor x = leaf({2});
  const tensor y = x * x * x;
  const tensor first = tb::grad(y, x, {.create_graph = true});
  CHECK(values(first) == list{12});
  const tensor second = tb::grad(first, x, {.create_graph = true});
  CHECK(values(second) == list{12});
  CHECK(values(tb::grad(second, x)) == list{6});
  CHECK_FALSE(tb::leaf_grad(x).defined());

  tb::backward(x * x, {}, {.create_graph = true});
  const tensor gathered = tb::leaf_grad(x);
  REQUIRE(tb::requires_grad(gathered));
  tb::zero_grad(x);
  tb::backward(gathered * 5);
  CHECK(values(tb::leaf_grad(x)) == list{10});
}

TEST_CASE("engine: grad returns the requested gradients, and accumulates nothing", "[autograd][engine]") {
  const tensor a = leaf({1, 2}), b = leaf({3, 4});
  const tensor middle = a * b;
  const std::vector<tensor> outputs{aten::sum(middle), aten::sum(middle * middle)}, inputs{middle, b, middle};
  const std::vector<tensor> found = tb::grad(outputs, inputs, {.retain_graph = true});
  CHECK(values(found[0]) == list{1 + 6, 1 + 16});
  CHECK(values(found[1]) == list{7, 34});
  CHECK(values(found[2]) == values(found[0]));
  CHECK_FALSE(tb::leaf_grad(a).defined());
  CHECK_FALSE(tb::leaf_grad(b).defined());
  const std::vector<tensor> weights{tensor_of({2}, {}), tensor_of({10}, {})};
  CHECK(values(tb::grad(outputs, std::vector<tensor>{a}, {.gradients = weights})[0]) ==
        list{(2 + 60) * 3, (2 + 160) * 4});
}

TEST_CASE("engine: grad runs only the nodes between outputs and inputs", "[autograd][engine]") {
  const tensor a = leaf({1, 2}), b = leaf({3, 4});
  bool ran = false;
  const tensor aside = b * 2;
  tb::add_before_hook(aside, [&](std::span<tensor>) { ran = true; });
  CHECK(values(tb::grad(aten::sum(a * 3 + aside), a)) == list{3, 3});
  CHECK_FALSE(ran);
}

TEST_CASE("engine: an unused input is an error, unless allowed", "[autograd][engine]") {
  const tensor a = leaf({1}), b = leaf({2});
  CHECK(text_of<tb::error>([&] { tb::grad(a * 2, b); }) ==
        "grad: no output was computed from input 1; with allow_unused = true its gradient is undefined");
  CHECK_FALSE(tb::grad(a * 2, b, {.allow_unused = true}).defined());
  CHECK(text_of<tb::error>([&] { tb::grad(a * 2, tensor_of({1}, {1})); }) ==
        "grad: input 1 requires no gradient, wanted tensors that do");
}

TEST_CASE("engine: backward from several roots at once, and into some leaves only", "[autograd][engine]") {
  const tensor a = leaf({1, 2}), b = leaf({3, 4});
  const tensor y = a * b;
  const std::vector<tensor> roots{aten::sum(y), aten::sum(y * y), y};
  const std::vector<tensor> gradients{tensor(), tensor(), tensor_of({100, 1000}, {2})};
  tb::backward(roots, gradients, {.retain_graph = true});
  CHECK(values(tb::leaf_grad(a)) == list{(1 + 6 + 100) * 3, (1 + 16 + 1000) * 4});
  CHECK(values(tb::leaf_grad(b)) == list{(1 + 6 + 100) * 1, (1 + 16 + 1000) * 2});
  tb::zero_grad(a);
  tb::zero_grad(b);
  tb::backward(roots[0], {}, {.inputs = {b}});
  CHECK_FALSE(tb::leaf_grad(a).defined());
  CHECK(values(tb::leaf_grad(b)) == list{1, 2});
  CHECK(text_of<tb::error>([&] { tb::backward(roots[0], {}, {.inputs = {y}}); }) ==
        "backward: input 1 is not a leaf, and only leaves accumulate gradients; grad() gives those of results");
  CHECK(text_of<tb::error>([&] { tb::backward(roots, std::vector<tensor>(2)); }) ==
        "backward: found 2 gradients for 3 tensors, wanted one for each, or none");
  CHECK(text_of<tb::error>([] { tb::backward(std::vector<tensor>{}); }) ==
        "backward: found no root, wanted one or more");
}

TEST_CASE("engine: an unshared gradient is added to in place, a shared one is not", "[autograd][engine]") {
  const tensor x = leaf({1, 2});
  tb::backward(aten::sum(x * 2));
  const void* place = tb::leaf_grad(x).data();
  tb::backward(aten::sum(x * 2));
  CHECK(tb::leaf_grad(x).data() == place);
  const tensor held = tb::leaf_grad(x);
  tb::backward(aten::sum(x * 2));
  CHECK(values(held) == list{4, 4});
  CHECK(values(tb::leaf_grad(x)) == list{6, 6});
}

TEST_CASE("engine: a cycle is an error", "[autograd][engine]") {
  struct passing final : tb::node {
    void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) override {
      of_inputs[0] = of_results[0];
    }
    void release() noexcept override {}
    std::string_view name() const noexcept override { return "passing"; }
    void lead_to(tb::intrusive_ptr<tb::node> n) {
      edge = std::move(n);
      connect(std::span(&edge, 1));
    }
    tb::intrusive_ptr<tb::node> edge;
  };
  const tensor x = leaf({1}), y = tensor_of({1}, {1});
  auto* const n = new passing;
  const tb::intrusive_ptr<tb::node> held(n);
  n->lead_to(tb::author::gradient_edge(x));
  tb::author::set_creator(y, held);
  const tensor z = y * 2;
  n->lead_to(tb::author::gradient_edge(z));  // z is computed from it
  CHECK(text_of<tb::error>([&] { tb::backward(z); })
            .starts_with(
                "aten::mul.Tensor: its input passing is not recorded before it: a hook or a rule connected nodes "
                "to a cycle"));
  n->lead_to({});
  tb::backward(x * 2);
  CHECK(values(tb::leaf_grad(x)) == list{2});
}

namespace {
// Counts products that pass a layer which users include for a scope.
int calls_of_layer = 0;
void count_call(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& s) {
  if (op.name() == "aten::mul.Tensor") ++calls_of_layer;
  op.redispatch_boxed(keys.below_highest(), s);
}
}  // namespace

TEST_CASE("engine: a rule runs with the layers its call was recorded with", "[autograd][engine]") {
  const tb::registration layer = tb::fallback<&count_call>(tb::key::UserMiddle1);
  const tb::key_set middle(tb::key::UserMiddle1);
  const tensor x = leaf({1, 2}), w = tensor_of({3, 4}, {2});
  tensor y = x * w;
  {
    const tb::include_guard on(middle);
    y = y * w;
  }
  y = aten::sum(y * w);
  CHECK(calls_of_layer == 1);
  tb::backward(y, {}, {.retain_graph = true});
  CHECK(calls_of_layer == 2);  // of three products one
  {
    const tb::include_guard on(middle);
    calls_of_layer = 0;
    tb::backward(y);
    CHECK(calls_of_layer == 1);
  }
  CHECK_FALSE(tb::current_thread_keys().include.intersects(middle));
}

TEST_CASE("engine: modes are the caller's: those that are on in backward see the calls of rules",
          "[autograd][engine]") {
  for (const tb::dispatch_key mode : {tb::key::ModesBelow, tb::key::ModesAbove}) {
    const tb::registration layer = tb::fallback<&count_call>(mode);
    const tensor x = leaf({1, 2}), w = tensor_of({3, 4}, {2});
    const tensor outside = aten::sum(x * w);
    calls_of_layer = 0;
    tensor inside;
    {
      const tb::include_guard on{tb::key_set(mode)};
      inside = aten::sum(x * w);
      CHECK(calls_of_layer == 1);
      tb::backward(outside);
      CHECK(calls_of_layer == 2);
    }
    tb::backward(inside);
    CHECK(calls_of_layer == 2);
    CHECK(values(tb::leaf_grad(x)) == list{6, 8});
  }
}

namespace {
int autocast_calls = 0;
tensor count_product(tb::key_set keys, const tensor& a, const tensor& b) {
  ++autocast_calls;
  return aten::mul_Tensor.redispatch(keys & tb::below(tb::key::Autocast), a, b);
}
}  // namespace

TEST_CASE("engine: without enable_autocast neither a call nor its rule reaches Autocast", "[autograd][engine][T1]") {
  const auto layer = tb::implement("aten", tb::key::Autocast).impl<&count_product>(aten::mul_Tensor);
  const tensor x = leaf({1, 2});
  tb::backward(aten::sum(aten::mul_Tensor(x, x)));
  CHECK(autocast_calls == 0);
  CHECK(values(tb::leaf_grad(x)) == list{2, 4});
  {
    const tb::enable_autocast on;
    (void)aten::mul_Tensor(x, x);
    CHECK(autocast_calls == 1);
  }
  const tb::no_grad off;
  (void)aten::mul_Tensor(x, x);
  CHECK(autocast_calls == 1);
}

namespace {
struct cached_gradient {
  static inline float cache[2] = {3, 4};
  static tensor forward(tb::function_context&, const tensor& x) { return x * 2.0; }
  static tensor backward(tb::function_context&, const tensor&) { return tb::from_blob(cache, {2}); }
};
}  // namespace

TEST_CASE("engine: a gradient in caller-owned memory is copied", "[autograd][engine]") {
  const tensor x = tb::require_grad(tb::from_values<float>({1, 2}, {2}));
  for (int i = 0; i < 2; ++i) tb::backward(tb::sum(tb::apply<cached_gradient>(x)));
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{6, 8});
  CHECK(cached_gradient::cache[0] == 3);
}
