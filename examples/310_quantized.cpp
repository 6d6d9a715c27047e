// Weights in 8 and 4 bits: a quantized tensor is a layout, so layers and operators stay as they are.
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

import topbit;
import topbit.quantized;
namespace tb = topbit;

static void print(const tb::tensor& t) { std::puts(to_string(t, {.one_line = true}).c_str()); }

int main() {
  // 1. Each element becomes a code, scale * (code - zero_point). What is not half a step away is lost.
  const tb::tensor x({0.12, -0.5, 0.25, 1e9});
  const tb::tensor codes = tb::quantize_per_tensor(x, 0.25, 0);  // scale and zero point
  print(tb::int_repr(codes));                                    // prints: [0, -2, 1, 127] (int8 [4])
  print(tb::dequantize(codes));                                  // prints: [0, -0.5, 0.25, 31.75] (float32 [4])

  // 2. Scales of rows, or of runs of 32 elements in a row, are chosen by their range.
  tb::nn::linear layer(64, 3, tb::generator(1));
  const tb::tensor weight = layer.weight;
  for (const auto& scheme : {tb::quantized::int8, tb::quantized::int4}) {
    const tb::tensor w = tb::quantized::quantize(weight, scheme);
    std::printf("%s: %d bytes of %d\n", to_string(scheme).c_str(), static_cast<int>(tb::quantized::bytes_of(w)),
                static_cast<int>(tb::quantized::bytes_of(weight)));
    // prints: per_channel axis=0 bits=8: 204 bytes of 768
    // prints: per_group group=32 bits=4: 120 bytes of 768
  }

  // 3. The parameters of a network are replaced, its code is not.
  const auto replaced = tb::quantized::quantize_parameters(layer, [](std::string_view name, const tb::tensor&) {
    return name.ends_with("weight") ? std::optional(tb::quantized::int8) : std::nullopt;
  });
  const tb::tensor input = tb::require_grad(tb::ones({2, 64}));
  const tb::tensor output = layer(input);
  std::printf("%d replaced, result %s\n", static_cast<int>(replaced), to_string(output.sizes()).c_str());
  // prints: 1 replaced, result [2, 3]

  // 4. The weight is frozen; gradients pass through it to what is in front.
  tb::backward(tb::sum(output));
  std::printf("%s\n", to_string(tb::leaf_grad(input).sizes()).c_str());  // prints: [2, 64]

  // 5. Operators without a rule for quantized tensors say how to convert.
  try {
    tb::exp(layer.weight);
  } catch (const tb::layout_error& e) {
    std::puts(e.what());
    // prints: aten::exp: found argument 1 'self' of layout quantized, wanted strided: no rule for quantized; dequantize(x) gives float32
  }
  const tb::quantized::dequantize_guard slow;
  tb::exp(layer.weight);
  std::fputs(to_string(tb::quantized::dequantize_report()).c_str(), stdout);
  // prints: operator   calls
  // prints: aten::exp      1

  // 6. Activations in 8 bits too: an observer sees some of them, and chooses their scale. Codes are multiplied then.
  tb::quantized::min_max_observer seen;
  seen.observe(tb::tensor({{-1.0, 0.5}, {2.0, 1.0}}));
  const auto [scale, zero_point] = seen.parameters();
  std::printf("scale %.4f, zero point %d\n", scale, static_cast<int>(zero_point));
  // prints: scale 0.0118, zero point 85
  const tb::tensor activations = seen.quantize(tb::ones({2, 64}));
  std::printf("%s\n", to_string(tb::linear(activations, layer.weight).sizes()).c_str());  // prints: [2, 3]

  // 7. Training that knows of the rounding: the gradient passes through it.
  const tb::tensor trained = tb::require_grad(tb::tensor({0.3, -0.1}));
  const tb::tensor rounded = tb::fake_quantize_per_tensor(trained, 0.25, 0, -128, 127);
  tb::backward(tb::sum(rounded * 2));
  print(rounded);                 // prints: [0.25, 0] (float32 [2])
  print(tb::leaf_grad(trained));  // prints: [2, 2] (float32 [2])
}
