// Gradient rules of the basic matrix products and of linear. The others, from dot to einsum, are composites of them.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :linalg.matmul_kernels;

namespace topbit::detail {

namespace {

tensor transposed(T m) { return aten::transpose_int(m, -2, -1); }

// True if the matrices are stored column-major, as a transposed weight is.
bool is_column_major(T m) {
  const std::size_t rows = m.dim() - 2, columns = m.dim() - 1;
  return m.strides()[rows] == 1 && m.strides()[columns] == m.sizes()[rows] && m.sizes()[columns] > 1;
}

// A factor is saved if the gradient of the other is wanted. Gradients have the memory order of their factors, so that a
// weight's gradient is dense if the layer multiplies by its transpose.
template <const auto& Product>
struct factors {
  saved_tensor a, b;
  bool a_column_major, b_column_major;

  factors(T first, T second)
      : a(requires_grad(second) ? saved_tensor(first) : saved_tensor()),
        b(requires_grad(first) ? saved_tensor(second) : saved_tensor()),
        a_column_major(is_column_major(first)),
        b_column_major(is_column_major(second)) {}

  tensor of_a(T g) const {
    return a_column_major ? transposed(Product(b.get(), transposed(g))) : Product(g, transposed(b.get()));
  }
  tensor of_b(T g) const {
    return b_column_major ? transposed(Product(transposed(g), a.get())) : Product(transposed(a.get()), g);
  }
};

// a @ b, for matrices or batches of matrices.
template <const auto& Product>
struct product_gradient {
  factors<Product> both;
  static product_gradient save(T a, T b, T) { return {{a, b}}; }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? both.of_a(g) : tensor(), wanted[1] ? both.of_b(g) : tensor()};
  }
};

// beta * self + alpha * a @ b.
template <const auto& Product>
struct add_product_gradient {
  factors<Product> both;
  scalar beta, alpha;
  static constexpr bool keeps_first_argument = false;
  static add_product_gradient save(T, T a, T b, const scalar& beta, const scalar& alpha, T) {
    return {{a, b}, beta, alpha};
  }
  std::array<tensor, 3> backward(T g, std::array<bool, 3> wanted) const {
    return {wanted[0] ? times(g, beta) : tensor(), wanted[1] ? times(both.of_a(g), alpha) : tensor(),
            wanted[2] ? times(both.of_b(g), alpha) : tensor()};
  }
};

// If recorded, composed of differentiable operators.
tensor addmm_activation(key_set keys, T self, T a, T b, const scalar& beta, const scalar& alpha, bool use_gelu) {
  if (!requires_grad(self) && !requires_grad(a) && !requires_grad(b)) {
    return aten::_addmm_activation.redispatch(keys & below(key::Autograd), self, a, b, beta, alpha, use_gelu);
  }
  addmm_activation_kernel::meta(aten::_addmm_activation.name(), self, a, b, beta, alpha, use_gelu);
  const tensor product = aten::addmm(self, a, b, arg<"beta"> = beta, arg<"alpha"> = alpha);
  return use_gelu ? aten::gelu(product) : aten::relu(product);
}

// The in-place form of a composite that adds a product to its first argument. If recorded, it copies the result of the
// functional form.
template <const auto& Op, const auto& Functional>
tensor& added_in_place(key_set keys, tensor& self, T a, T b, const scalar& beta, const scalar& alpha) {
  if (!requires_grad(self) && !requires_grad(a) && !requires_grad(b)) {
    return Op.redispatch(keys & below(key::Autograd), self, a, b, beta, alpha);
  }
  author::check_in_place(Op.name(), self);
  const tensor result = Functional(self, a, b, beta, alpha);
  check_result(Op.name(), result, self);
  return aten::copy_(self, result);
}

// A rule of linear itself. Through the composite, the weight's gradient would be transposed and then copied, and each
// transpose would be a node.
struct linear_gradient {
  saved_tensor input, weight;  // each saved if the gradient of the other is wanted
  shape input_sizes, weight_sizes;

  static linear_gradient save(const tensor& input, const tensor& weight, const std::optional<tensor>&, const tensor&) {
    return {requires_grad(weight) ? saved_tensor(input) : saved_tensor(),
            requires_grad(input) ? saved_tensor(weight) : saved_tensor(), input.sizes(), weight.sizes()};
  }

  std::array<tensor, 3> backward(const tensor& g, std::array<bool, 3> wanted) const {
    const bool matrices = input_sizes.size() == 2 && weight_sizes.size() == 2;
    const std::int64_t columns = input_sizes[input_sizes.size() - 1];
    const std::int64_t outputs = weight_sizes.size() == 2 ? weight_sizes[0] : 1;
    shape in_front = input_sizes;
    in_front.erase(in_front.size() - 1);
    const shape x_sizes{numel(in_front), columns}, w_sizes{outputs, columns}, g_sizes{x_sizes[0], outputs};
    // A dispatch layer such as autocast may have changed the dtype of the result.
    const auto as_matrix = [&](const tensor& t, const shape& sizes) {
      const tensor m = matrices ? t : aten::reshape(t, sizes);
      return m.dtype() == g.dtype() ? m : to(m, g.dtype());
    };
    const auto like = [&](const tensor& m, const shape& sizes) { return matrices ? m : aten::reshape(m, sizes); };
    const tensor rows = as_matrix(g, g_sizes);
    return {wanted[0] ? like(aten::mm(rows, as_matrix(weight.get(), w_sizes)), input_sizes) : tensor(),
            wanted[1] ? like(aten::mm(aten::t(rows), as_matrix(input.get(), x_sizes)), weight_sizes) : tensor(),
            wanted[2] ? sum(rows, {0}) : tensor()};
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::mm, product_gradient<aten::mm>>(),
    gradient_row<aten::bmm, product_gradient<aten::bmm>>(),
    gradient_row<aten::addmm, add_product_gradient<aten::mm>>(),
    gradient_row<aten::addmm_, add_product_gradient<aten::mm>>(),
    gradient_row<aten::baddbmm, add_product_gradient<aten::bmm>>(),
    gradient_row<aten::baddbmm_, add_product_gradient<aten::bmm>>(),
    gradient_row<aten::linear, linear_gradient>(),
    author::row<&addmm_activation>(aten::_addmm_activation, key::Autograd),
    author::row<&added_in_place<aten::addbmm_, aten::addbmm>>(aten::addbmm_, key::Autograd),
    author::row<&added_in_place<aten::addmv_, aten::addmv>>(aten::addmv_, key::Autograd),
    author::row<&added_in_place<aten::addr_, aten::addr>>(aten::addr_, key::Autograd),
};

}  // namespace

std::span<const author::kernel_row> matmul_gradients() { return rows; }

}  // namespace topbit::detail
