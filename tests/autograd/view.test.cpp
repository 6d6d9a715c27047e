#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace aten = topbit::aten;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

TEST_CASE("view: has a base, and a view of a view has the same", "[autograd][view]") {
  const tensor base = tensor_of({1, 2, 3, 4}, {2, 2});
  const tensor row = aten::select_int(base, 0, 1), one = aten::select_int(row, 0, 0);
  CHECK(tb::is_view(row));
  CHECK(tb::base_of(row).same_as(base));
  CHECK(tb::base_of(one).same_as(base));
  CHECK_FALSE(tb::is_view(base));
  CHECK_FALSE(tb::base_of(base).defined());
  CHECK_FALSE(tb::is_view(tb::detach(row)));
  CHECK_FALSE(tb::is_view(aten::clone(row)));
  CHECK_FALSE(tb::is_view(row * 2));
}

TEST_CASE("view: a write to a view reaches the gradient of its base", "[autograd][view]") {
  const tensor x = leaf({1, 2, 3}), w = leaf({10});
  const tensor y = x * 1;
  tensor part = aten::slice_Tensor(y, 0, 0, 1, 1);
  part *= w;  // y = [10 x0, x1, x2]
  CHECK(values(y) == list{10, 2, 3});
  tb::backward(aten::sum(y * y));
  CHECK(values(tb::leaf_grad(x)) == list{200, 4, 6});  // d/dx0 (w x0)^2 = 2 w^2 x0
  CHECK(values(tb::leaf_grad(w)) == list{20});         // 2 w x0^2
}

TEST_CASE("view: a write to the base reaches the gradient of views made before", "[autograd][view]") {
  const tensor x = leaf({1, 2}), w = leaf({3, 4});
  tensor y = x * 1;
  const tensor first = aten::select_int(y, 0, 0), second = aten::select_int(y, 0, 1);
  y *= w;
  tb::backward(first * second);  // w0 x0 w1 x1
  CHECK(values(tb::leaf_grad(x)) == list{24, 12});
  CHECK(values(tb::leaf_grad(w)) == list{8, 6});
}

TEST_CASE("view: a write to one view reaches another that overlaps it", "[autograd][view]") {
  const tensor x = leaf({1, 2, 3}), w = leaf({5});
  const tensor y = x * 1;
  const tensor left = aten::slice_Tensor(y, 0, 0, 2, 1);
  tensor right = aten::slice_Tensor(y, 0, 1, 3, 1);
  right *= w;
  tb::backward(aten::sum(left));  // x0 + w x1
  CHECK(values(tb::leaf_grad(x)) == list{1, 5, 0});
  CHECK(values(tb::leaf_grad(w)) == list{2});
}

TEST_CASE("view: a base without a gradient gets one from a write to its view", "[autograd][view]") {
  const tensor base = tensor_of({0, 0, 0}, {3}), w = leaf({1, 2});
  tensor part = aten::slice_Tensor(base, 0, 1, 3, 1);
  CHECK_FALSE(tb::requires_grad(base));
  aten::copy_(part, w);
  CHECK(tb::requires_grad(base));
  CHECK(tb::requires_grad(part));
  tb::backward(aten::sum(base * tensor_of({2, 3, 4}, {3})));
  CHECK(values(tb::leaf_grad(w)) == list{3, 4});
}

TEST_CASE("view: one made before its base got a gradient by a write has it too", "[autograd][view]") {
  tensor base = tensor_of({1, 2}, {2});
  const tensor w = leaf({3, 4}), part = aten::select_int(base, 0, 1);
  CHECK_FALSE(tb::requires_grad(part));
  base *= w;
  CHECK(tb::requires_grad(part));
  CHECK_FALSE(tb::is_leaf(part));
  tb::backward(part);
  CHECK(values(tb::leaf_grad(w)) == list{0, 2});
}

TEST_CASE("view: one made in a no_grad scope is a constant, and cannot be written outside it", "[autograd][view]") {
  const tensor x = leaf({1, 2});
  const tensor y = x * 1;
  tensor part;
  {
    const tb::no_grad guard;
    part = aten::select_int(y, 0, 0);
  }
  CHECK_FALSE(tb::requires_grad(part));
  CHECK(text_of<tb::error>([&] { part *= tb::require_grad(tensor_of({2}, {})); }) ==
        "aten::mul_.Tensor: writes in place to a view that was made without recording; make the view and write to it "
        "in the same gradient mode");
  CHECK(values(y) == list{1, 2});
  const tb::no_grad guard;
  part *= tensor_of({7}, {});
  CHECK(values(y) == list{7, 2});
}

TEST_CASE("view: a write in a no_grad scope changes elements but no gradient", "[autograd][view]") {
  const tensor x = leaf({1, 2});
  const tensor y = x + 0;
  {
    const tb::no_grad guard;
    tensor part = aten::select_int(y, 0, 0);
    aten::zero_(part);
  }
  tb::backward(aten::sum(y * 3));
  CHECK(values(y) == list{0, 2});
  CHECK(values(tb::leaf_grad(x)) == list{3, 3});
}

TEST_CASE("view: a result that is written in place is a result of the writing call", "[autograd][view]") {
  const tensor x = leaf({0.1, 0.2});
  tensor y = x * 3;
  aten::mul_Tensor_(y, y);  // what it was is kept
  y += x;
  aten::exp_(y);
  tb::backward(aten::sum(y));
  const auto wanted = [](double v) { return std::exp(9 * v * v + v) * (18 * v + 1); };
  CHECK(support::difference(values(tb::leaf_grad(x)), {wanted(0.1), wanted(0.2)}, 1e-12) == "");
}

TEST_CASE("view: a saved result is checked after a later write", "[autograd][view]") {
  const tensor x = leaf({1, 2});
  tensor y = aten::exp(x);
  aten::add_Tensor_(y, x);
  CHECK(text_of<tb::error>([&] { tb::backward(aten::sum(y)); }) ==
        "aten::exp: a tensor saved for backward, float64 [2], was written in place by aten::add_.Tensor: found version "
        "1, "
        "wanted 0; write to a clone instead; while backward ran aten::exp of aten::add_.Tensor of aten::sum");
}

TEST_CASE("view: writing a constant over a result cuts its gradient", "[autograd][view]") {
  const tensor x = leaf({1, 2, 3});
  const tensor y = x * 2;
  tensor part = aten::slice_Tensor(y, 0, 0, 2, 1);
  aten::zero_(part);
  tb::backward(aten::sum(y));
  CHECK(values(tb::leaf_grad(x)) == list{0, 0, 2});
  tensor z = x * 2;
  aten::fill_Scalar_(z, 5);
  tb::backward(aten::sum(z));
  CHECK(values(tb::leaf_grad(x)) == list{0, 0, 2});
}

TEST_CASE("view: gradients of gradients through writes to views", "[autograd][view]") {
  const auto f = [](std::span<const tensor> in) {
    const tensor y = in[0] * in[0];
    tensor part = aten::slice_Tensor(y, 0, 1, 3, 1);
    part *= in[1];
    tensor other = aten::slice_Tensor(y, 0, 0, 2, 1);
    aten::exp_(other);
    return std::vector<tensor>{y * y};
  };
  const std::vector<tensor> inputs{leaf({0.1, 0.2, 0.3}), leaf({0.4, 0.5})};
  CHECK(tb::gradcheck(f, inputs).text == "");
  CHECK(tb::gradgradcheck(f, inputs).text == "");
}

TEST_CASE("view: tensors with their own history, or from inference mode, are not tracked as views",
          "[autograd][view]") {
  const tensor x = tensor_of({1, 2}, {2});
  const tensor own = tb::author::make_alias(x);
  tb::require_grad(own);
  tb::author::track_view(x, own);
  CHECK_FALSE(tb::is_view(own));
  CHECK(tb::requires_grad(own));

  tensor made, seen;
  {
    const tb::inference_mode mode;
    made = x * 2;
    seen = tb::author::make_alias(made);
  }
  tb::author::track_view(made, seen);
  CHECK_FALSE(tb::is_view(seen));
}

TEST_CASE("view: a view of a tensor of inference mode is one, and neither is recorded", "[autograd][view]") {
  tensor made, seen;
  const tensor x = leaf({1, 2});
  const tensor y = x * 1;
  {
    const tb::inference_mode mode;
    made = tensor_of({1, 2}, {2}) * 2;
    seen = aten::select_int(y, 0, 0);
  }
  CHECK(tb::is_inference(made));
  CHECK(tb::is_inference(aten::select_int(made, 0, 0)));
  CHECK_FALSE(tb::is_inference(seen));
  CHECK_FALSE(made.keys().contains(key::ADInplaceOrView));
  CHECK_FALSE(made.keys().intersects(tb::autograd_keys));
  CHECK(text_of<tb::error>([&] { x* made; }) ==
        "autograd: found a tensor made in inference mode, float64 [2], that a recorded call would save for backward; "
        "clone() it outside that mode");
  CHECK(values(x + made) == list{3, 6});  // saves nothing
  CHECK(text_of<tb::error>([&] { tb::require_grad(made); }) ==
        "require_grad: found a tensor made in inference mode, wanted one that autograd tracks; clone() it outside that "
        "mode");
  CHECK(text_of<tb::error>([&] { aten::add_Tensor_(made, x); }) ==
        "aten::add_.Tensor: writes in place to a tensor made in inference mode, which autograd cannot track; clone() "
        "it outside that mode");
  CHECK(text_of<tb::error>([&] { aten::mul_Tensor_(seen, tb::require_grad(tensor_of({2}, {}))); }) ==
        "aten::mul_.Tensor: writes in place to a view that was made in inference mode; make the view and write to it "
        "in the same gradient mode");
  const tensor usual = aten::clone(made);
  CHECK_FALSE(tb::is_inference(usual));
  tb::backward(aten::sum(x * usual));
  CHECK(values(tb::leaf_grad(x)) == list{2, 4});
}

TEST_CASE("view: threads that use a view whose base was written see one gradient", "[autograd][view][threads]") {
  for (int round = 0; round < 50; ++round) {
    const tensor x = leaf({1, 2, 3});
    tensor y = x * 1;
    const tensor part = aten::slice_Tensor(y, 0, 1, 3, 1);
    y *= tensor_of({2, 3, 4}, {3});
    const auto work = [&] { tb::backward(aten::sum(part), {}, {.retain_graph = true}); };
    std::thread other(work);
    work();
    other.join();
    CHECK(values(tb::leaf_grad(x)) == list{0, 6, 8});
  }
}

TEST_CASE("view: an argument that shares memory with the written tensor is saved before the write",
          "[autograd][view]") {
  const tensor x = leaf({2, 3});
  tensor z = x * 1;
  aten::mul_Tensor_(z,
                    aten::expand(aten::select_int(z, 0, 1), std::vector<std::int64_t>{2}));  // memory that is written
  tb::backward(aten::sum(z));                                                                // x0 x1 + x1^2
  CHECK(values(tb::leaf_grad(x)) == list{3, 2 + 6});
}

TEST_CASE("view: non-floating values are written without a gradient", "[autograd][view]") {
  const tensor x = leaf({2, 3});
  tensor counts = tensor_of({1, 2}, {2}, tb::dtype::int64);
  aten::copy_(counts, x);
  CHECK(values(counts) == list{2, 3});
  CHECK_FALSE(tb::requires_grad(counts));
}

TEST_CASE("view: a result that is a view of an invisible tensor is written as its own base", "[autograd][view]") {
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2})),
               w = tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6}, {3, 2}));
  tensor y = aten::linear(x, w);  // ends in a reshape of a product
  aten::mul_Scalar_(y, 2);
  tb::backward(aten::sum(y));
  CHECK(values(tb::leaf_grad(w)) == list{32, 40, 32, 40, 32, 40});
  CHECK(values(tb::leaf_grad(x)) == list{18, 24, 18, 24, 18, 24, 18, 24});
}

TEST_CASE("view: gradients of gradients through a written view need no retained graph", "[autograd][view]") {
  const auto gradient_of = [](const tensor& x) {
    const tensor h = x * 1;
    tensor part = aten::slice_Tensor(h, 0, 0, 2, 1);
    aten::exp_(part);
    return h;
  };
  const tensor x = leaf({0.1, 0.2, 3});
  const tensor h = gradient_of(x);
  const tensor g = tb::grad(aten::sum(h * h), x, {.create_graph = true});
  tb::backward(aten::sum(g));
  // (e^2x)'' = 4 e^2x where it was written, (x^2)'' = 2 elsewhere
  CHECK(support::difference(values(tb::leaf_grad(x)), {4 * std::exp(0.2), 4 * std::exp(0.4), 2}, 1e-12) == "");

  const tensor again = gradient_of(x);
  const tensor second = tb::grad(aten::sum(again * again), x, {.create_graph = true});
  tb::backward(aten::sum(again * again));
  CHECK(text_of<tb::error>([&] { tb::backward(aten::sum(second)); }).find("released by an earlier backward()") !=
        std::string::npos);
}

TEST_CASE("view: the gradient of a view whose base was written can be read in inference mode", "[autograd][view]") {
  const tensor x = leaf({1, 2});
  tensor h = x * 1;
  const tensor part = aten::slice_Tensor(h, 0, 0, 1, 1);
  aten::mul_Scalar_(h, 2);
  const tb::inference_mode mode;
  CHECK_FALSE(tb::leaf_grad(part).defined());
  tb::zero_grad(part);
  CHECK_THROWS_AS(tb::set_leaf_grad(part, part), tb::error);
}

TEST_CASE("view: a write that cannot be recorded writes nothing", "[autograd][view]") {
  tensor made;
  {
    const tb::inference_mode mode;
    made = tensor_of({1, 2}, {2}) * 2;
  }
  const tensor x = leaf({3, 4});
  tensor h = x * 1;
  CHECK_THROWS_AS(aten::mul_Tensor_(h, made), tb::error);
  CHECK(values(h) == list{3, 4});
  tb::backward(aten::sum(h));
  CHECK(values(tb::leaf_grad(x)) == list{1, 1});
}
