// Products of integers with scales of the result.
module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :operators;
import :rows;
import :windows;

namespace topbit::onednn {

namespace {

using optional_tensor = std::optional<tensor>;
using numbers = std::span<const std::int64_t>;

bool is_numbers(const optional_tensor& t, std::int64_t outputs, bool one_will_do) {
  return is_given(t) && is_simple(*t, dtype::float32) && t->layout() == layout::strided &&
         (t->sizes() == shape{outputs} || (one_will_do && t->sizes() == shape{1}));
}

bool is_codes(const tensor& t) { return is_simple(t, dtype::uint8) || is_simple(t, dtype::int8); }

[[noreturn]] void refuse(std::string_view op, const tensor& input, const tensor& weight, std::string_view wanted) {
  throw bad_argument(std::string(op) + ": found input " + to_string(input.sizes()) + " of " +
                         std::string(name_of(input.dtype())) + " and weight " + to_string(weight.sizes()) + " of " +
                         std::string(name_of(weight.dtype())) + ", wanted " + std::string(wanted),
                     std::string(op));
}

[[noreturn]] void refuse_unsupported(std::string_view op) {
  throw error(std::string(op) + ": oneDNN " + library::version() +
                  " has no such primitive for this processor; dequantize "
                  "both operands and call the operator of float32",
              std::string(op));
}

tensor int8_convolution(const tensor& input, const tensor& weight, const tensor& scales, const optional_tensor& bias,
                        numbers stride, numbers padding, numbers dilation, std::int64_t groups, bool relu) {
  constexpr std::string_view op = native::int8_convolution.name();
  author::check_one_device(native::int8_convolution, input, weight, scales, bias);
  const std::int64_t outputs = weight.dim() > 0 ? weight.sizes()[0] : 0;
  std::optional<library::window> w;
  if (is_codes(input) && is_numbers(scales, outputs, true) && (!is_given(bias) || is_numbers(bias, outputs, false))) {
    w = window_of(input, weight, input.dtype(), dtype::int8, stride, padding, dilation, groups);
  }
  if (!w.has_value()) {
    refuse(op, input, weight,
           "uint8 or int8 [n, channels, ..], int8 [out, channels / groups, window..], and scales and bias of float32, "
           "strided, one for each output channel");
  }
  const operand x(input), by(scales);
  weight_operand own(weight);
  std::optional<operand> b;
  if (is_given(bias)) b.emplace(*bias);
  array_ptr result =
      library::convolve(x.get(), own.get(), b.has_value() ? &b->get() : nullptr, *w, groups, relu,
                        {static_cast<const float*>(library::data_of(by.get())), scales.numel()}, own.slot());
  own.keep();
  if (result == nullptr) refuse_unsupported(op);
  return wrapped(std::move(result));
}

tensor int8_linear(const tensor& input, const tensor& weight, const tensor& scales, const optional_tensor& bias,
                   bool relu) {
  constexpr std::string_view op = native::int8_linear.name();
  author::check_one_device(native::int8_linear, input, weight, scales, bias);
  const std::int64_t outputs = weight.dim() > 0 ? weight.sizes()[0] : 0;
  if (!is_codes(input) || !is_simple(weight, dtype::int8) || input.dim() != 2 || weight.dim() != 2 ||
      input.sizes()[1] != weight.sizes()[1] || !is_numbers(scales, outputs, true) ||
      (is_given(bias) && !is_numbers(bias, outputs, false))) {
    refuse(op, input, weight,
           "uint8 or int8 [rows, in], int8 [out, in], and scales and bias of float32, strided, one for each output");
  }
  const operand x(input), by(scales);
  weight_operand own(weight);
  std::optional<operand> b;
  if (is_given(bias)) b.emplace(*bias);
  array_ptr result =
      library::linear(x.get(), own.get(), b.has_value() ? &b->get() : nullptr, relu,
                      {static_cast<const float*>(library::data_of(by.get())), scales.numel()}, own.slot());
  own.keep();
  if (result == nullptr) refuse_unsupported(op);
  return wrapped(std::move(result));
}

constexpr author::kernel_row rows[] = {
    author::define(native::int8_convolution),
    author::row<&int8_convolution>(native::int8_convolution, key::CPU),
    author::row<&int8_convolution>(native::int8_convolution, key::MkldnnCPU),
    author::fallthrough_row(native::int8_convolution, key::Autograd),
    author::define(native::int8_linear),
    author::row<&int8_linear>(native::int8_linear, key::CPU),
    author::row<&int8_linear>(native::int8_linear, key::MkldnnCPU),
    author::fallthrough_row(native::int8_linear, key::Autograd),
};

}  // namespace

std::span<const author::kernel_row> integer_rows() { return rows; }

}  // namespace topbit::onednn
