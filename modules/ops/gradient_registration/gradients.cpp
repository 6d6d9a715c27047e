// Registers the gradient rules, and refusals for operators that write and have no rule.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

tensor times(const tensor& g, const scalar& factor) {
  return factor.to_double() == 1 ? g : aten::mul_Scalar(g, factor);
}

// The number is a zero-dimensional tensor, so that each function is one pass over the elements.
tensor plus_product(double c, T a, T b, double factor) {
  return aten::addcmul(number_beside(a, c), a, b, arg<"value"> = factor);
}
tensor product(T a, T b, double factor) { return plus_product(0, a, b, factor); }
tensor quotient(T a, T b, double factor) { return aten::addcdiv(number_beside(a, 0), a, b, arg<"value"> = factor); }

namespace {

// Autograd kernels of operators that write to an argument: they refuse tensors that require a gradient. Used unless a
// rule is registered.
std::vector<author::kernel_row>& refusals() {
  static std::vector<author::kernel_row> rows;
  return rows;
}

}  // namespace

void add_refusal(const author::kernel_row& row) { refusals().push_back(row); }

void register_gradients() {
  std::unordered_set<const void*> recorded;
  const auto add = [&](std::span<const author::kernel_row> rows) {
    for (const author::kernel_row& row : rows) recorded.insert(row.op);
    author::register_rows(rows);
  };
  add(arithmetic_gradients());
  add(unary_gradients());
  add(copy_gradients());
  add(reduce_gradients());
  add(matmul_gradients());
  add(view_gradients());
  add(index_gradients());
  add(activation_gradients());
  add(scan_gradients());
  add(join_gradients());
  add(convolution_gradients());
  std::vector<author::kernel_row> rows = std::exchange(refusals(), {});
  std::erase_if(rows, [&](const author::kernel_row& row) { return recorded.contains(row.op); });
  author::register_rows(rows);
}

}  // namespace topbit::detail
