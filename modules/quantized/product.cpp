// Products of which one factor or both are quantized, and convolution and embedding with quantized weights. Called with
// autograd on: the operators on parts record.
module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :part_composites;
import :rounding;
import :rows;

namespace topbit::quantized {

namespace {

tensor dense(const tensor& t) { return is_quantized(t) ? dequantize(t) : t; }

[[noreturn]] void refuse_shapes(std::string_view op, const tensor& a, const tensor& b, std::string_view wanted) {
  refuse<shape_error>(
      op, "found " + to_string(a.sizes()) + " and " + to_string(b.sizes()) + ", wanted " + std::string(wanted));
}

void check_types(std::string_view op, const tensor& a, const tensor& b) {
  if (a.dtype() == b.dtype()) return;
  refuse<dtype_error>(op, "found " + std::string(name_of(a.dtype())) + " and " + std::string(name_of(b.dtype())) +
                              ", wanted one dtype; to(x, dtype) changes that of the values of a quantized tensor too");
}

// Whether the codes of an input can be multiplied: of rows of 8 bits with zero points.
bool has_integer_rows(const tensor& x) {
  const payload& p = x.payload<payload>();
  return p.how.bits == 8 && !p.transposed && has_zero_points(p.offsets) &&
         (p.how.scales == granularity::per_tensor ||
          (p.how.scales == granularity::per_channel && p.how.axis == 0 && x.dim() == 2));
}

// x @ w.t() + bias, or x @ w. x: [m, k], strided.
tensor multiply(std::string_view op, const tensor& x, const tensor& w, const optional_tensor& bias, bool by_transpose) {
  check_no_gradient(op, w);
  const payload& p = w.payload<payload>();
  const scheme_numbers n = numbers_of(p.how);
  const std::int64_t columns = sizes_of_parts(w)[1];
  if (by_transpose != p.transposed) {
    return native::_quantized_linear(x, p.codes, p.scales, p.offsets, bias, columns, n.bits, n.axis, n.group,
                                     p.how.dynamic_activations);
  }
  const tensor product = native::_quantized_mm(x, p.codes, p.scales, p.offsets, columns, n.bits, n.axis, n.group);
  return is_given(bias) ? product + *bias : product;
}

// The same of a quantized x of 2 dimensions.
tensor multiply_codes(const tensor& x, const tensor& w, const optional_tensor& bias) {
  const payload &a = x.payload<payload>(), &p = w.payload<payload>();
  const scheme_numbers n = numbers_of(p.how);
  const tensor product = native::_quantized_linear_codes(a.codes, a.scales, a.offsets, p.codes, p.scales, p.offsets,
                                                         sizes_of_parts(w)[1], n.bits, n.axis, n.group, x.dtype());
  return is_given(bias) ? product + *bias : product;
}

// A quantized tensor of more dimensions as the rows of a matrix. One scale, so the parts stay.
tensor as_rows(const tensor& x, std::int64_t rows) {
  const payload& p = x.payload<payload>();
  const shape sizes{rows, x.size(-1)};
  return trusted(p.how, sizes, x.dtype(), reshape(p.codes, sizes), p.scales, p.offsets);
}

tensor linear(const tensor& input, const tensor& weight, const optional_tensor& bias) {
  constexpr std::string_view name = aten::linear.name();
  author::check_one_device(aten::linear, input, weight, bias);
  check_types(name, input, weight);
  if (input.dim() == 0 || weight.dim() == 0 || weight.dim() > 2 || input.size(-1) != weight.size(-1)) {
    refuse_shapes(name, input, weight, "[.., in] and [out, in] or [in]");
  }
  if (!is_quantized(weight) || weight.dim() == 1) return aten::linear(dense(input), dense(weight), bias);
  const std::int64_t outputs = weight.sizes()[0];
  if (is_given(bias)) {
    check_types(name, input, *bias);
    if (bias->sizes() != shape{outputs}) {
      refuse<shape_error>(name, "found a bias " + to_string(bias->sizes()) + " for weights " +
                                    to_string(weight.sizes()) + ", wanted [out]");
    }
  }
  shape sizes = input.sizes();
  sizes[sizes.size() - 1] = outputs;
  const std::int64_t rows = numel(shape(std::span(sizes.begin(), sizes.size() - 1)));
  const shape row_sizes{rows, input.size(-1)};
  tensor product;
  if (is_quantized(input) && has_integer_rows(input) && !weight.payload<payload>().transposed) {
    check_no_gradient(name, input);
    check_no_gradient(name, weight);
    product = multiply_codes(input.dim() == 2 ? input : as_rows(input, rows), weight, bias);
  } else {
    const tensor x = dense(input);
    product = multiply(name, x.dim() == 2 ? x : reshape(x, row_sizes), weight, bias, true);
  }
  return product.sizes() == sizes ? product : reshape(product, sizes);
}

template <const auto& Op>
void check_matrices(const tensor& a, const tensor& b) {
  author::check_one_device(Op, a, b);
  check_types(Op.name(), a, b);
  if (a.dim() != 2 || b.dim() != 2 || a.sizes()[1] != b.sizes()[0]) {
    refuse_shapes(Op.name(), a, b, "[m, k] and [k, n]");
  }
}

template <const auto& Op>
tensor product(const tensor& a, const tensor& b) {
  check_matrices<Op>(a, b);
  if (is_quantized(a) && is_quantized(b) && has_integer_rows(a) && b.payload<payload>().transposed) {
    check_no_gradient(Op.name(), a);
    check_no_gradient(Op.name(), b);
    return multiply_codes(a, b, std::nullopt);
  }
  if (is_quantized(b)) return multiply(Op.name(), dense(a), b, std::nullopt, false);
  // a @ b = (b.t() @ a.t()).t()
  return t(multiply(Op.name(), t(b), a, std::nullopt, true));
}

tensor addmm(const tensor& self, const tensor& mat1, const tensor& mat2, const scalar& beta, const scalar& alpha) {
  if (is_quantized(self)) {
    return aten::addmm(dense(self), mat1, mat2, arg<"beta"> = beta, arg<"alpha"> = alpha);
  }
  tensor result = product<aten::addmm>(mat1, mat2);
  if (alpha.to_double() != 1) result = result * alpha;
  check_types(aten::addmm.name(), result, self);
  const shape sizes = result.sizes();
  if (broadcast(aten::addmm.name(), sizes, self.sizes()) != sizes) {
    refuse<shape_error>(aten::addmm.name(), "found self " + to_string(self.sizes()) + " for the product " +
                                                to_string(sizes) + ", wanted it to broadcast to that");
  }
  if (beta.to_double() == 0) return result;
  return (beta.to_double() == 1 ? self : self * beta) + result;
}

tensor batches(const tensor& self, const tensor& mat2) { return aten::bmm(dense(self), dense(mat2)); }

tensor convolve(const tensor& input, const tensor& weight, std::span<const std::int64_t> stride,
                std::span<const std::int64_t> padding, std::span<const std::int64_t> dilation, std::int64_t groups) {
  check_no_gradient(native::convolve.name(), is_quantized(weight) ? weight : input);
  return native::convolve(dense(input), dense(weight), stride, padding, dilation, groups);
}

constexpr author::kernel_row rows[] = {
    author::row<&linear>(aten::linear, key::AnyQuantized),
    author::row<&product<aten::mm>>(aten::mm, key::AnyQuantized),
    author::row<&addmm>(aten::addmm, key::AnyQuantized),
    author::row<&batches>(aten::bmm, key::AnyQuantized),
    author::row<&convolve>(native::convolve, key::AnyQuantized),
};

}  // namespace

std::span<const author::kernel_row> product_rows() { return rows; }

}  // namespace topbit::quantized
