// Matrix products.
module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;
import :recording;
import :rows;
import :operators;

namespace topbit::onednn {

namespace {

using optional_tensor = std::optional<tensor>;

bool linear_fits(const tensor& input, const tensor& weight, const optional_tensor& bias) {
  const dtype type = input.dtype();
  if (!is_float(type) || !is_simple(input, type) || !is_simple(weight, type) || !is_simple(bias, type)) return false;
  return weight.dim() == 2 && input.size(-1) == weight.sizes()[1] &&
         (!is_given(bias) || bias->sizes() == shape{weight.sizes()[0]});
}

// Undefined where oneDNN does not compute it.
tensor linear_of(const tensor& input, const tensor& weight, const optional_tensor& bias, bool relu) {
  if (!linear_fits(input, weight, bias)) return {};
  shape sizes = input.sizes();
  const std::int64_t columns = input.size(-1), rows = input.numel() / columns;
  sizes[sizes.size() - 1] = weight.sizes()[0];
  const shape matrix{rows, columns};
  array_ptr flat;
  std::optional<operand> x;
  if (input.dim() == 2) {
    x.emplace(input);
  } else if (is_blocked(input)) {
    flat = library::reshaped(array_of(input), sizes_for(matrix));
  } else {
    x.emplace(input, matrix);
  }
  weight_operand w(weight);
  std::optional<operand> b;
  if (is_given(bias)) b.emplace(*bias);
  array_ptr result = library::linear(flat != nullptr ? *flat : x->get(), w.get(), b.has_value() ? &b->get() : nullptr,
                                     relu, {}, w.slot());
  w.keep();
  if (result == nullptr) return {};
  if (input.dim() != 2) result = library::reshaped(*result, sizes_for(sizes));
  return wrapped(std::move(result), sizes);
}

std::vector<tensor> linear_gradient(std::span<const tensor> in, const tensor&, const tensor& g) {
  const std::int64_t columns = in[1].sizes()[1], outputs = in[1].sizes()[0];
  const tensor flat = topbit::reshape(g, {-1, outputs});
  std::vector<tensor> found(in.size());
  if (requires_grad(in[0])) found[0] = topbit::matmul(g, dense(in[1]));
  if (requires_grad(in[1])) {
    found[1] = topbit::matmul(topbit::t(flat), topbit::reshape(dense(in[0]), {-1, columns}));
  }
  if (in.size() == 3 && requires_grad(in[2])) found[2] = topbit::sum(flat, 0);
  return found;
}

template <const auto& Op, bool Relu>
tensor linear(const tensor& input, const tensor& weight, const optional_tensor& bias) {
  author::check_one_device(Op, input, weight, bias);
  gradient_function gradient;
  if (!Relu && records(input, weight, bias) && linear_fits(input, weight, bias)) gradient = &linear_gradient;
  return computed<Op>(
      product_inputs(input, weight, bias),
      [](std::span<const tensor> in) { return linear_of(in[0], in[1], bias_in(in), Relu); },
      [](std::span<const tensor> in) { return Op(in[0], in[1], bias_in(in)); }, std::move(gradient));
}

tensor product_of(const tensor& a, const tensor& b) {
  if (!is_float(a.dtype()) || !is_simple(a, a.dtype()) || !is_simple(b, a.dtype()) || a.dim() != 2 || b.dim() != 2 ||
      a.sizes()[1] != b.sizes()[0]) {
    return {};
  }
  const operand first(a), second(b);
  array_ptr result = library::matmul(first.get(), second.get());
  return result != nullptr ? wrapped(std::move(result)) : tensor();
}

template <const auto& Op>
tensor product(const tensor& a, const tensor& b) {
  author::check_one_device(Op, a, b);
  return computed<Op>(
      std::array{a, b}, [](std::span<const tensor> in) { return product_of(in[0], in[1]); },
      [](std::span<const tensor> in) { return Op(in[0], in[1]); });
}

tensor linear_then_relu(const tensor& input, const tensor& weight, const optional_tensor& bias) {
  return topbit::relu(topbit::linear(input, weight, bias));
}

tensor packed(const tensor& weight, std::int64_t rows) {
  constexpr std::string_view op = native::pack_weight_linear.name();
  if (!is_float(weight.dtype()) || !is_simple(weight, weight.dtype()) || weight.dim() != 2 || rows < 1) {
    throw bad_argument(std::string(op) + ": found a weight " + to_string(weight.sizes()) + " of " +
                           std::string(name_of(weight.dtype())) + " for " + std::to_string(rows) +
                           " rows, wanted [out, in] of float32 or bfloat16 on the CPU, and rows above 0",
                       std::string(op));
  }
  const operand w(weight);
  array_ptr a = library::packed_for_linear(w.get(), element_of(weight.dtype()), rows);
  return a != nullptr ? wrapped(std::move(a), weight.sizes()) : to_mkldnn(detach(weight));
}

constexpr author::kernel_row rows[] = {
    blocked_row<&linear<aten::linear, false>, aten::linear>(),
    reached<aten::linear>(),
    blocked_row<&product<aten::matmul>, aten::matmul>(),
    reached<aten::matmul>(),
    blocked_row<&product<aten::mm>, aten::mm>(),
    author::define(native::linear_relu),
    author::row<&named<&linear_then_relu, native::linear_relu>::run>(native::linear_relu,
                                                                     key::CompositeImplicitAutograd),
    blocked_row<&linear<native::linear_relu, true>, native::linear_relu>(),
    reached<native::linear_relu>(),
    author::define(native::pack_weight_linear),
    author::row<&packed>(native::pack_weight_linear, key::CPU),
    blocked_row<&packed, native::pack_weight_linear>(),
    author::fallthrough_row(native::pack_weight_linear, key::Autograd),
};

}  // namespace

std::span<const author::kernel_row> product_rows() { return rows; }

}  // namespace topbit::onednn
