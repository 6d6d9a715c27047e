// Gradients of the operators on parts: of the input and the bias of products. Codes, scales and offsets have none.
module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :part_composites;
import :rounding;
import :rows;

namespace topbit::quantized {

namespace {

// The parts of a weight, as a rule saves them.
struct saved_weight {
  saved_tensor codes, scales, offsets;
  std::int64_t columns, bits, axis, group;
};

struct linear_gradient {
  saved_weight w;

  static linear_gradient save(const tensor& input, const tensor& codes, const tensor& scales,
                              const optional_tensor& offsets, const optional_tensor&, std::int64_t columns,
                              std::int64_t bits, std::int64_t axis, std::int64_t group, bool, const tensor&) {
    if (!requires_grad(input)) return {};
    return {{saved_tensor(codes), saved_tensor(scales), saved_tensor(offsets), columns, bits, axis, group}};
  }
  std::array<tensor, 5> backward(const tensor& g, std::array<bool, 5> wanted) const {
    std::array<tensor, 5> all;
    if (wanted[0]) {
      all[0] =
          native::_quantized_mm(g, w.codes.get(), w.scales.get(), w.offsets.get(), w.columns, w.bits, w.axis, w.group);
    }
    if (wanted[4]) all[4] = sum(g, {0});
    return all;
  }
};

struct mm_gradient {
  saved_weight w;

  static mm_gradient save(const tensor&, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                          std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group,
                          const tensor&) {
    return {{saved_tensor(codes), saved_tensor(scales), saved_tensor(offsets), columns, bits, axis, group}};
  }
  std::array<tensor, 4> backward(const tensor& g, std::array<bool, 4> wanted) const {
    std::array<tensor, 4> all;
    if (wanted[0]) {
      all[0] = native::_quantized_linear(g, w.codes.get(), w.scales.get(), w.offsets.get(), std::nullopt, w.columns,
                                         w.bits, w.axis, w.group, false);
    }
    return all;
  }
};

constexpr author::kernel_row rows[] = {
    author::define(native::_quantize),
    author::fallthrough_row(native::_quantize, key::Autograd),
    author::define(native::_dequantize),
    author::fallthrough_row(native::_dequantize, key::Autograd),
    author::define(native::_quantized_linear),
    author::row<&author::autograd_kernel<native::_quantized_linear, linear_gradient>::run>(native::_quantized_linear,
                                                                                           key::Autograd),
    author::define(native::_quantized_mm),
    author::row<&author::autograd_kernel<native::_quantized_mm, mm_gradient>::run>(native::_quantized_mm,
                                                                                   key::Autograd),
    author::define(native::_quantized_linear_codes),
    author::fallthrough_row(native::_quantized_linear_codes, key::Autograd),
};

}  // namespace

std::span<const author::kernel_row> gradient_rows() { return rows; }

}  // namespace topbit::quantized
