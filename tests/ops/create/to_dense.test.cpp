#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using support::values;
using tb::arg, tb::dtype, tb::layout, tb::tensor;
using toy::text_of;

namespace {

// A layout of its values alone; the operators of its tensors compute with the differentiable operators of topbit.
struct wrapped final : tb::tensor_extension {
  static constexpr layout of_layout = layout::quantized;
  explicit wrapped(tensor v) : values(std::move(v)) {}
  tensor values;
};
tensor wrap(const tensor& values) {
  return tb::author::make_opaque(values.sizes(), values.dtype(), values.device(),
                                 tb::keys_of(layout::quantized, values.device(), values.dtype()),
                                 tb::intrusive_ptr<tb::tensor_extension>(new wrapped(values)), layout::quantized);
}
tensor unwrapped(const tensor& x) { return x.layout() == layout::quantized ? x.payload<wrapped>().values : x; }

tensor mm(const tensor& a, const tensor& b) { return tb::mm(unwrapped(a), unwrapped(b)); }
tensor dense(const tensor& x, std::optional<dtype> type, std::optional<bool>) {
  return tb::to(unwrapped(x), type.value_or(x.dtype()));
}
tensor& add_number(tensor& self, const tensor& other, const tb::scalar&) {
  self.payload<wrapped>().values = unwrapped(self) + unwrapped(other);
  return self;
}
tensor zeros(std::span<const std::int64_t> sizes, std::optional<dtype> type, std::optional<layout>,
             std::optional<tb::device>, std::optional<bool>) {
  return wrap(tb::zeros(sizes, arg<"dtype"> = type));
}

tb::library_block kernels() {
  return std::move(tb::implement("aten", tb::key::AnyQuantized)
                       .impl<&mm>(tb::aten::mm)
                       .impl<&dense>(tb::aten::_to_dense)
                       .impl<&add_number>(tb::aten::add_Tensor_)
                       .impl<&zeros>(tb::aten::zeros));
}

}  // namespace

TEST_CASE("to_dense: a strided tensor is itself, or converted", "[ops][create][to_dense]") {
  const tensor x({1.5, -2});
  CHECK(tb::to_dense(x).same_as(x));
  CHECK(tb::to_dense(x, arg<"dtype"> = dtype::float64).dtype() == dtype::float64);
  const tensor copy = tb::aten::_to_dense(x, std::nullopt, std::nullopt);
  CHECK(!copy.same_as(x));
  CHECK(values(copy) == values(x));
  CHECK(text_of<tb::error>([] { tb::to_dense(tensor()); }).starts_with("aten::to_dense: "));
}

TEST_CASE("to_dense: the gradient of a strided tensor is that of a conversion", "[ops][create][to_dense]") {
  const tensor x = tb::require_grad(tensor({1.5, -2}));
  tb::backward(tb::sum(tb::to_dense(x, arg<"dtype"> = dtype::float64) * 3));
  tb::backward(tb::sum(tb::aten::_to_dense(x, std::nullopt, std::nullopt)));
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{4, 4});
  CHECK(tb::leaf_grad(x).dtype() == dtype::float32);
}

TEST_CASE("layouts: the kernel of a layout is called with autograd on", "[ops][layout]") {
  const tb::library_block registered = kernels();
  const tensor w = wrap(tensor({{2.0, 0.0}, {1.0, 3.0}}));
  const tensor x = tb::require_grad(tensor({{1.0, 10.0}}));
  const tensor y = tb::mm(x, w);
  CHECK(values(y) == std::vector<double>{12, 30});
  REQUIRE(tb::requires_grad(y));
  tb::backward(tb::sum(y));
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{2, 4});
  CHECK(values(tb::to_dense(w)) == std::vector<double>{2, 0, 1, 3});
  CHECK(!tb::requires_grad(tb::mm(tensor({{1.0, 10.0}}), w)));
}

TEST_CASE("layouts: an in-place form of a layout records what its kernel computes", "[ops][layout]") {
  const tb::library_block registered = kernels();
  tensor w = wrap(tensor({{2.0}}));
  const tensor x = tb::require_grad(tensor({{5.0}}));
  const std::uint32_t before = w.version();
  tb::aten::add_Tensor_(w, x, 1);
  CHECK(w.version() == before + 1);
  CHECK(values(tb::to_dense(w)) == std::vector<double>{7});
  tb::backward(tb::sum(tb::to_dense(w) * 2));
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{2});
}

TEST_CASE("layouts: a factory with a layout calls the kernel of the layout", "[ops][layout]") {
  CHECK(text_of<tb::layout_error>([] { tb::zeros({2}, arg<"layout"> = layout::quantized); }) ==
        "aten::zeros: found layout quantized, wanted strided; the module of a layout makes tensors of it");
  const tb::library_block registered = kernels();
  const tensor z = tb::zeros({2}, arg<"layout"> = layout::quantized);
  CHECK(z.layout() == layout::quantized);
  CHECK(tb::zeros({2}, arg<"layout"> = layout::strided).layout() == layout::strided);
}

TEST_CASE("layouts: an operator without a kernel for a layout names the conversion", "[ops][layout]") {
  CHECK(text_of<tb::layout_error>([] { tb::clone(wrap(tensor({1.0}))); }).find("dequantize(x) makes one") !=
        std::string::npos);
}

TEST_CASE("parallel_for: each part runs once, nested loops too", "[ops][cpu]") {
  std::vector<std::atomic<int>> seen(64);
  tb::author::parallel_for(8, [&](std::int64_t i) {
    tb::author::parallel_for(8, [&](std::int64_t j) { ++seen[static_cast<std::size_t>(8 * i + j)]; });
  });
  for (const auto& times : seen) CHECK(times == 1);
  bool called = false;
  tb::author::parallel_for(0, [&](std::int64_t) { called = true; });
  CHECK(!called);
}
