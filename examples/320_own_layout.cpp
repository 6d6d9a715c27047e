// A layout of your own, in one file: matrices of -1 and 1 with one scale, a byte an element. It takes the layout
// `quantized`, whose keys are those of the functionality Quantized, so that the ordinary operators accept it.
#include <iostream>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

import topbit;
namespace tb = topbit;

namespace signs {

// 1. What such a tensor consists of, instead of elements. Tensors as parts are printed, copied and stored by topbit.
struct payload final : tb::author::layout_payload {
  static constexpr tb::layout of_layout = tb::layout::quantized;
  payload(tb::tensor s, tb::tensor by) : signs(std::move(s)), scale(std::move(by)) {}
  std::vector<part> parts() const override { return {{"signs", signs}, {"scale", scale}}; }
  tb::intrusive_ptr<tb::tensor_extension> with_parts(std::span<const tb::tensor> p) const override {
    return tb::intrusive_ptr<tb::tensor_extension>(new payload(p[0], p[1]));
  }
  tb::tensor signs;  // int8, [rows, columns]
  tb::tensor scale;  // floating-point, []
};

// 2. Making one: sizes, dtype and device as every tensor has them, and the keys of the layout.
tb::tensor make(const tb::tensor& signs, const tb::tensor& scale) {
  const tb::key_set keys = keys_of(tb::layout::quantized, signs.device(), scale.dtype());
  return tb::author::make_opaque(signs.sizes(), scale.dtype(), signs.device(), keys,
                                 tb::intrusive_ptr<tb::tensor_extension>(new payload(signs, scale)),
                                 tb::layout::quantized);
}
tb::tensor of(const tb::tensor& x) { return make(tb::to(tb::sign(x), tb::dtype::int8), tb::mean(tb::abs(x))); }

// 3. Kernels for operators that exist, written with operators on the parts: they run on every device, and have
// gradients.
tb::tensor dense(const tb::tensor& self, std::optional<tb::dtype> type, std::optional<bool>) {
  const payload& p = self.payload<payload>();
  return tb::to(p.signs, type.value_or(self.dtype())) * p.scale;
}
tb::tensor mm(const tb::tensor& self, const tb::tensor& mat2) {
  const payload& p = mat2.payload<payload>();  // a layout_error if the matrix on the left has the layout
  return tb::mm(self, tb::to(p.signs, self.dtype())) * p.scale;
}
const auto kernels =
    tb::implement("aten", tb::key::AnyQuantized).impl<&dense>(tb::aten::_to_dense).impl<&mm>(tb::aten::mm);

// 4. All other operators: an error that says what to do.
void refuse(const tb::operator_handle& op, tb::boxed_stack&) {
  tb::author::refuse_layout(op.name(), {}, tb::layout::quantized, tb::layout::strided, op.name());
}
const auto fallback = tb::fallback<&refuse>(tb::key::AnyQuantized);

}  // namespace signs

int main() {
  const tb::tensor scale = tb::require_grad(tb::tensor(0.5F));
  const tb::tensor w = signs::make(tb::sign(tb::to(tb::tensor({{3, -2}, {-1, 4}}), tb::dtype::int8)), scale);
  std::cout << to_string(w, {.one_line = true}) << '\n';
  // prints: signs [[1, -1], [-1, 1]]; scale 0.5; (float32 [2, 2] quantized)
  const tb::tensor x = tb::require_grad(tb::tensor({{1.F, 2.F}})), y = tb::mm(x, w);
  std::cout << to_string(y, {.one_line = true}) << '\n';  // prints: [[-0.5, 0.5]] (float32 [1, 2])
  std::cout << to_string(tb::to_dense(w), {.one_line = true})
            << '\n';  // prints: [[0.5, -0.5], [-0.5, 0.5]] (float32 [2, 2])
  const std::vector<tb::tensor> gradients = tb::grad({y[0][0]}, {x, scale});
  std::cout << to_string(gradients[0], {.one_line = true}) << '\n';  // prints: [[0.5, -0.5]] (float32 [1, 2])
  std::cout << gradients[1] << '\n';                                 // prints: -1. (float32 [])
  try {
    tb::exp(w);
  } catch (const tb::layout_error& e) {
    std::cout << e.what() << '\n';
    // prints: aten::exp: found layout quantized, wanted strided; dequantize(x) makes one
  }
}
