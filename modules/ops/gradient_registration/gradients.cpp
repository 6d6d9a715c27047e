// Registers the gradient rules, and refusals for operators that write and have no rule. Defines what the rules share.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :registration.composite;

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

tensor zero_gradient(T g) { return aten::zeros_like(g); }

grads1 taken_elements::put_back(T g, bool several) const {
  if (self.sizes.empty()) return {g};
  tensor whole = self.zeros_beside(g);
  const tensor at = dim_is_gone ? aten::unsqueeze(indices.get(), dim) : indices.get();
  const tensor there = dim_is_gone ? aten::unsqueeze(g, dim) : g;
  return {several ? aten::scatter_add_(whole, dim, at, there) : aten::scatter_src_(whole, dim, at, there)};
}

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
  add(activation_gradients());
  add(comparison_gradients());
  add(reduce_gradients());
  add(view_gradients());
  add(create_gradients());
  add(random_gradients());
  add(softmax_gradients());
  add(scan_gradients());
  add(matmul_gradients());
  add(vectors_gradients());
  add(convolution_gradients());
  add(pad_gradients());
  add(pool_gradients());
  add(layer_norm_gradients());
  add(channel_norm_gradients());
  add(loss_gradients());
  add(attention_gradients());
  add(index_gradients());
  add(join_gradients());
  add(sort_gradients());
  add(unique_gradients());
  std::vector<author::kernel_row> rows = std::exchange(refusals(), {});
  std::erase_if(rows, [&](const author::kernel_row& row) { return recorded.contains(row.op); });
  author::register_rows(rows);
}

}  // namespace topbit::detail
