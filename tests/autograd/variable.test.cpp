#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;

TEST_CASE("variable: a tensor requires no gradient until it is asked to, or computed from one that does",
          "[autograd][variable]") {
  const tensor x = tensor_of({1, 2}, {2});
  CHECK_FALSE(tb::requires_grad(x));
  CHECK_FALSE(tb::requires_grad(x + x));
  CHECK(&tb::require_grad(x) == &x);
  CHECK(tb::requires_grad(x));
  CHECK(tb::requires_grad(x + 1));
  CHECK(tb::requires_grad(aten::t(aten::exp(x))));
  tb::require_grad(x, false);
  CHECK_FALSE(tb::requires_grad(x));
  CHECK_FALSE(tb::requires_grad(x + 1));
}

TEST_CASE("variable: only floating tensors can require a gradient", "[autograd][variable]") {
  CHECK(text_of<tb::dtype_error>([] { tb::require_grad(tensor_of({1}, {1}, tb::dtype::int64)); }) ==
        "require_grad: found int64, wanted a floating dtype");
}

TEST_CASE("variable: an undefined tensor cannot require a gradient", "[autograd][variable]") {
  CHECK(text_of<tb::error>([] { tb::require_grad(tensor()); }) ==
        "require_grad: found an undefined tensor, wanted a floating one");
  CHECK_FALSE(tb::requires_grad(tensor()));
}

TEST_CASE("variable: a result cannot be made a leaf", "[autograd][variable]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  const tensor y = aten::exp(x);
  CHECK(text_of<tb::error>([&] { tb::require_grad(y); }) ==
        "require_grad: the tensor is a result of aten::exp, wanted a leaf; detach() it first");
  CHECK(tb::requires_grad(tb::require_grad(tb::detach(y))));
}

TEST_CASE("variable: results that are not differentiable require no gradient", "[autograd][variable]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  CHECK_FALSE(tb::requires_grad(aten::argmax(x)));
  CHECK_FALSE(tb::requires_grad(aten::eq_Tensor(x, x)));
  CHECK_FALSE(tb::requires_grad(aten::ne_Tensor(x, x)));
  CHECK_FALSE(tb::requires_grad(aten::lt_Tensor(x, x)));
  CHECK_FALSE(tb::requires_grad(aten::le_Tensor(x, x)));
  CHECK_FALSE(tb::requires_grad(aten::gt_Tensor(x, x)));
  CHECK_FALSE(tb::requires_grad(aten::ge_Tensor(x, x)));
  CHECK_FALSE(tb::requires_grad(tb::to(x, tb::dtype::int64)));
}

TEST_CASE("variable: grad is undefined before backward, and for results", "[autograd][variable]") {
  const tensor x = tb::require_grad(tensor_of({2}, {1}));
  CHECK_FALSE(tb::leaf_grad(x).defined());
  const tensor y = x * x;
  tb::backward(y);
  CHECK_FALSE(tb::leaf_grad(y).defined());
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{4});
  tb::zero_grad(x);
  CHECK_FALSE(tb::leaf_grad(x).defined());
  CHECK(tb::requires_grad(x));
}

TEST_CASE("variable: require_grad() again keeps the gradient", "[autograd][variable]") {
  const tensor x = tb::require_grad(tensor_of({2}, {1}));
  tb::backward(x * x);
  tb::require_grad(x);
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{4});
}

TEST_CASE("variable: detach shares elements and version, and is outside the graph", "[autograd][variable]") {
  tensor x = tb::require_grad(support::arranged({2, 3}, tb::dtype::float64, support::arrangement::sliced));
  tensor y = tb::detach(x);
  CHECK_FALSE(tb::requires_grad(y));
  CHECK(y.data() == x.data());
  CHECK(y.strides() == x.strides());
  aten::zero_(y);
  CHECK(x.version() == 1);
  CHECK(values(x) == std::vector<double>(6, 0));
  CHECK(text_of<tb::error>([] { tb::detach(tensor()); }) == "aten::detach: found an undefined tensor");
}

TEST_CASE("variable: a tensor without storage can be detached", "[autograd][variable]") {
  const tensor x = tb::author::make_opaque({2, 3}, tb::dtype::float32, {tb::backend::PrivateUse1, 0},
                                           tb::key_set(tb::key_of(tb::backend::PrivateUse1)));
  const tensor y = tb::detach(x);
  CHECK(y.sizes() == tb::shape{2, 3});
  CHECK(y.keys() == x.keys());
}

TEST_CASE("variable: a leaf that requires a gradient, or a view of one, is not written in place",
          "[autograd][variable]") {
  const std::string why =
      ": writes in place to a leaf that requires a gradient; use the form that returns a new tensor, or a no_grad "
      "scope";
  tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  const tensor y = tensor_of({5, 6}, {2});
  CHECK(text_of<tb::error>([&] { aten::fill_Scalar_(x, 0); }) == "aten::fill_.Scalar" + why);
  CHECK(text_of<tb::error>([&] { aten::zero_(x); }) == "aten::zero_" + why);
  CHECK(text_of<tb::error>([&] { aten::copy_(x, y); }) == "aten::copy_" + why);
  CHECK(text_of<tb::error>([&] { x += y; }) == "aten::add_.Tensor" + why);
  CHECK(text_of<tb::error>([&] { x -= y; }) == "aten::sub_.Tensor" + why);
  CHECK(text_of<tb::error>([&] { x *= y; }) == "aten::mul_.Tensor" + why);
  CHECK(text_of<tb::error>([&] { x /= y; }) == "aten::div_.Tensor" + why);
  tensor view = aten::slice_Tensor(x, 0, 0, 1, 1);
  CHECK(text_of<tb::error>([&] { aten::zero_(view); }) ==
        "aten::zero_: writes in place to a view of a leaf that requires a gradient; use the form that returns a new "
        "tensor, or a no_grad scope");
  CHECK(values(x) == std::vector<double>{1, 2});
  CHECK(x.version() == 0);

  const tb::no_grad guard;
  aten::sub_Tensor_(x, y, tb::arg<"alpha"> = 0.5);
  CHECK(values(x) == std::vector<double>{-1.5, -1});
  CHECK(tb::requires_grad(x));
}

TEST_CASE("variable: out forms refuse to lose a gradient", "[autograd][variable]") {
  const std::string why =
      ": writes in place to, or from, a tensor that requires a gradient, and would not be recorded; use the form that "
      "returns a new tensor, or a no_grad scope";
  tensor x = tb::require_grad(tensor_of({1, 2}, {2})), y = tensor_of({5, 6}, {2});
  CHECK(text_of<tb::error>([&] { aten::add_out(x, y, 1, y); }) == "aten::add.out" + why);
  CHECK(text_of<tb::error>([&] { aten::sub_out(y, x, 1, y); }) == "aten::sub.out" + why);
  CHECK(text_of<tb::error>([&] { aten::mul_out(y, y, x); }) == "aten::mul.out" + why);
  CHECK(text_of<tb::error>([&] { aten::div_out(y, y, x); }) == "aten::div.out" + why);
  CHECK(values(y) == std::vector<double>{5, 6});
  CHECK(y.version() == 0);
}

TEST_CASE("variable: a gradient can be replaced by a matching one", "[autograd][variable]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
  tb::set_leaf_grad(x, tensor_of({3, 4}, {2}));
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{3, 4});
  CHECK(text_of<tb::shape_error>([&] { tb::set_leaf_grad(x, tensor_of({3}, {1})); }) ==
        "set_leaf_grad: found a gradient of float64 [1], wanted float64 [2]");
  CHECK(text_of<tb::dtype_error>([&] { tb::set_leaf_grad(x, tensor_of({3, 4}, {2}, tb::dtype::float32)); }) ==
        "set_leaf_grad: found a gradient of float32 [2], wanted float64 [2]");
  CHECK(text_of<tb::error>([&] { tb::set_leaf_grad(tensor_of({1}, {1}), tensor_of({3}, {1})); }) ==
        "set_leaf_grad: found a tensor that requires no gradient, wanted a leaf that requires a gradient; "
        "require_grad() makes one");
  CHECK(text_of<tb::error>([&] { tb::set_leaf_grad(x * 2, tensor_of({3, 4}, {2})); }) ==
        "set_leaf_grad: found a tensor that is a result of a recorded call, wanted a leaf that requires a gradient; "
        "require_grad() makes one");
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{3, 4});
  tb::set_leaf_grad(x, tensor());
  CHECK_FALSE(tb::leaf_grad(x).defined());
}

TEST_CASE("variable: a leaf is not the result of a recorded call", "[autograd][variable]") {
  const tensor x = tb::require_grad(tensor_of({1, 2}, {2})), p = tensor_of({1, 2}, {2});
  CHECK(tb::is_leaf(x));
  CHECK(tb::is_leaf(p));
  CHECK(tb::is_leaf(p * 2));
  CHECK_FALSE(tb::is_leaf(x * 2));
  CHECK_FALSE(tb::is_leaf(aten::unsqueeze(x, 0)));
  CHECK(tb::is_leaf(aten::unsqueeze(p, 0)));
}

namespace {

// Whose backward() gives a view of a tensor that is noted here: the gradient of x, each time twice 3.
struct gives_view {
  enum class kept { nowhere, here, in_part };
  static inline kept base_is = kept::nowhere;
  static inline tensor base, view;
  static inline const void* data = nullptr;

  static tensor forward(tb::function_context&, const tensor& x) { return aten::clone(x); }
  static tensor backward(tb::function_context&, const tensor&) {
    tensor made = tensor_of(base_is == kept::in_part ? std::vector<double>{3, 3, 4} : std::vector<double>{3, 3},
                            {base_is == kept::in_part ? 3 : 2});
    data = made.data();
    if (base_is == kept::here) base = made;
    if (base_is == kept::in_part) return aten::slice_Tensor(made, 0, 0, 2);
    const tensor transposed = aten::t(aten::reshape(made, tb::shape{2, 1}));
    if (base_is == kept::here) view = transposed;
    return transposed;
  }
};

// The gradient of one input of two elements, of sizes that a transpose makes.
tensor gradient_by_view(gives_view::kept how) {
  gives_view::base_is = how;
  const tensor x =
      tb::require_grad(how == gives_view::kept::in_part ? tensor_of({1, 2}, {2}) : tensor_of({1, 2}, {1, 2}));
  tb::backward(aten::sum(tb::apply<gives_view>(x)));
  return tb::leaf_grad(x);
}

}  // namespace

TEST_CASE("variable: a gradient that is a view of an otherwise unused tensor is moved, and is not a view",
          "[autograd][variable]") {
  const tensor g = gradient_by_view(gives_view::kept::nowhere);
  CHECK(g.data() == gives_view::data);
  CHECK_FALSE(tb::is_view(g));
  CHECK(g.sizes() == tb::shape{1, 2});
  CHECK(values(g) == std::vector<double>{3, 3});
}

TEST_CASE("variable: a gradient that is a view of a used tensor is copied", "[autograd][variable]") {
  tensor g = gradient_by_view(gives_view::kept::here);
  CHECK(g.data() != gives_view::base.data());
  aten::add_Tensor_(g, g);
  CHECK(values(gives_view::base) == std::vector<double>{3, 3});
  CHECK(tb::base_of(gives_view::view).same_as(gives_view::base));
  gives_view::base = gives_view::view = {};
}

TEST_CASE("variable: a gradient that is part of a tensor is copied, and the rest is freed", "[autograd][variable]") {
  const tensor g = gradient_by_view(gives_view::kept::in_part);
  CHECK_FALSE(tb::is_view(g));
  CHECK(tb::author::record_of(g).data->bytes == 2 * sizeof(double));
  CHECK(values(g) == std::vector<double>{3, 3});
}
