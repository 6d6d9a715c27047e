// Steps of optimizers on lists: what is refused, what is written, and half precision with wider state. Values are
// PyTorch's, in tests/golden.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using tensors = std::vector<tensor>;

namespace {

tensor numbers(std::initializer_list<double> all, dtype type = dtype::float32) {
  return tensor_of(all, {static_cast<std::int64_t>(all.size())}, type);
}

void sgd(tensors self, tensors grads, tensors buffers, double momentum = 0) {
  aten::_fused_sgd_(self, grads, buffers, 0.0, momentum, 0.5, 0.0, false, false, false, std::nullopt, std::nullopt);
}
void adam(tensors self, tensors grads, tensors averages, tensors squares, tensors greatest, tensors steps,
          bool amsgrad = false) {
  aten::_fused_adam_(self, grads, averages, squares, greatest, steps, 0.5, 0.5, 0.5, 0.0, 0.0, amsgrad, false,
                     std::nullopt, std::nullopt);
}

}  // namespace

TEST_CASE("update: lists of different lengths are refused before anything is written", "[ops][update]") {
  const tensor x = numbers({1, 2}), g = numbers({1, 1}), one = numbers({1});
  CHECK(text_of<tb::error>([&] { sgd({x, x}, {g}, {}); }) ==
        "aten::_fused_sgd_: found 1 grads for 2 parameters, wanted one for each");
  CHECK(text_of<tb::error>([&] { sgd({x}, {g}, {}, 0.5); }) ==
        "aten::_fused_sgd_: found 0 momentum_buffer_list for 1 parameters, wanted one for each");
  CHECK(text_of<tb::error>([&] { adam({x}, {g}, {g, g}, {g}, {}, {one}); }) ==
        "aten::_fused_adam_: found 2 exp_avgs for 1 parameters, wanted one for each");
  CHECK(text_of<tb::error>([&] { adam({x}, {g}, {g}, {g}, {}, {one}, true); }) ==
        "aten::_fused_adam_: found 0 max_exp_avg_sqs for 1 parameters, wanted one for each");
  CHECK(text_of<tb::error>([&] { adam({x}, {g}, {g}, {g}, {}, {}); }) ==
        "aten::_fused_adam_: found 0 state_steps for 1 parameters, wanted one for each");
  CHECK(values(x) == std::vector<double>{1, 2});
}

TEST_CASE("update: gradients in read-only memory are refused where they would be divided", "[ops][update]") {
  const tensor x = numbers({1, 2}), g = numbers({1, 1}), scale = numbers({2});
  tb::author::make_read_only(g);
  const auto step = [&](const std::optional<tensor>& by) {
    tensors self{x}, grads{g}, none;
    aten::_fused_sgd_(self, grads, none, 0.0, 0.0, 0.5, 0.0, false, false, true, by, std::nullopt);
  };
  CHECK(text_of<tb::error>([&] { step(scale); }) ==
        "aten::_fused_sgd_: writes to a tensor float32 [2] in read-only memory; clone() it first");
  CHECK(values(x) == std::vector<double>{1, 2});
  CHECK(values(g) == std::vector<double>{1, 1});
  step(std::nullopt);
  CHECK(values(x) == std::vector<double>{0.5, 1.5});
}

TEST_CASE("update: tensors of other shapes or dtypes are refused before anything is written", "[ops][update]") {
  const tensor x = numbers({1, 2}), g = numbers({1, 1}), one = numbers({1});
  CHECK(text_of<tb::shape_error>([&] { sgd({x, x}, {g, one}, {}); }) ==
        "aten::_fused_sgd_: found grads float32 [1] for parameter 1, float32 [2], wanted the same sizes");
  CHECK(text_of<tb::dtype_error>([&] { sgd({x}, {numbers({1, 1}, dtype::float64)}, {}); }) ==
        "aten::_fused_sgd_: found grads float64 [2] for parameter 0, float32 [2], wanted the same dtype");
  CHECK(text_of<tb::dtype_error>([&] { sgd({numbers({1}, dtype::int64)}, {numbers({1}, dtype::int64)}, {}); }) ==
        "aten::_fused_sgd_: found parameters of int64, wanted a floating type");
  CHECK(text_of<tb::shape_error>([&] { adam({x}, {g}, {g}, {g}, {}, {g}); }) ==
        "aten::_fused_adam_: found state_steps [2], wanted one element");
  CHECK(values(x) == std::vector<double>{1, 2});
}

TEST_CASE("update: half precision parameters use float32 state", "[ops][update]") {
  for (const dtype half : {dtype::float16, dtype::bfloat16}) {
    const tensor x = numbers({1, -2, 4}, half), g = numbers({1, 2, -0.5}, half);
    const tensor average = numbers({0, 0, 0}), square = numbers({0, 0, 0});
    adam({x}, {g}, {average}, {square}, {}, {numbers({1})});
    // The first step goes by the rate against the gradient's sign.
    CHECK(values(x) == std::vector<double>{0.5, -2.5, 4.5});
    CHECK(values(average) == std::vector<double>{0.5, 1, -0.25});
    CHECK(values(square) == std::vector<double>{0.5, 2, 0.125});
  }
}

TEST_CASE("update: parameters that are not dense", "[ops][update]") {
  const tensor whole = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, dtype::float32), transposed = aten::t(whole);
  sgd({transposed}, {tensor_of({2, 8, 4, 10, 6, 12}, {3, 2}, dtype::float32)}, {});
  CHECK(values(whole) == std::vector<double>{0, 0, 0, 0, 0, 0});
}

TEST_CASE("update: parameters that require a gradient are updated only outside the graph", "[ops][update]") {
  const tensor x = numbers({1, 2}), g = numbers({1, 1});
  tb::require_grad(x);
  CHECK(text_of<tb::error>([&] { sgd({x}, {g}, {}); }).starts_with("aten::_fused_sgd_"));
  {
    const tb::no_grad outside;
    sgd({x}, {g}, {});
  }
  CHECK(values(x) == std::vector<double>{0.5, 1.5});
}
