module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :linalg.matmul_kernels;
import :registration.composite;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

dtype product_type(dtype t) noexcept { return is_floating(t) ? widened(t) : dtype::int64; }

dtype operand_type(dtype t) noexcept { return is_floating(t) ? t : dtype::int64; }

namespace {

// Makes a batch of products with one second factor, which was repeated with a stride of 0, one product of all rows.
void join_batch(tb_matmul& m) {
  if (m.batch < 2 || m.b_batch != 0) return;
  // Whether the rows of all batches are evenly spaced; a single row of each has no spacing of its own.
  const auto even = [&](std::int64_t batch, std::int64_t row) { return m.m == 1 || batch == m.m * row; };
  if (!even(m.a_batch, m.a_row) || !even(m.out_batch, m.out_row)) return;
  if (m.added != nullptr && !even(m.added_batch, m.added_row)) return;
  if (m.m == 1) {
    m.a_row = m.a_batch;
    m.out_row = m.out_batch;
    m.added_row = m.added_batch;
  }
  m.m *= m.batch;
  m.batch = 1;
}

}  // namespace

void multiply(backend_call c, const tensor& out, const tensor& a, const tensor& b, const product_terms& terms) {
  if (c.table == nullptr || out.numel() == 0) return;
  const shape &sizes = out.sizes(), &to = out.strides(), &left = a.strides(), &right = b.strides();
  const std::size_t row = sizes.size() - 2, col = row + 1;
  const bool batch = row != 0;
  tb_matmul m;
  m.out = out.data();
  m.a = a.data();
  m.b = b.data();
  m.added = nullptr;
  m.m = sizes[row];
  m.n = sizes[col];
  // As in BLAS, alpha = 0 skips the product (k = 0): infinities and NaNs in it do not reach the result.
  const bool counts = is_floating(out.dtype()) ? terms.alpha.to_double() != 0 : terms.alpha.to_int64() != 0;
  m.k = counts ? a.sizes()[col] : 0;
  m.out_row = to[row];
  m.out_col = to[col];
  m.a_row = left[row];
  m.a_col = left[col];
  m.b_row = right[row];
  m.b_col = right[col];
  m.added_row = m.added_col = m.added_batch = 0;
  m.batch = batch ? sizes[0] : 1;
  m.out_batch = batch ? to[0] : 0;
  m.a_batch = batch ? left[0] : 0;
  m.b_batch = batch ? right[0] : 0;
  if (const tensor* added = terms.added; added != nullptr) {
    check_storage(c, *added);
    m.added = added->data();
    // The stride of dimension i, counted from the last; 0 if it is missing or of size 1.
    const auto stride = [&](std::size_t i) {
      if (i >= added->sizes().size()) return std::int64_t{0};
      const std::size_t at = added->sizes().size() - 1 - i;
      return added->sizes()[at] == 1 ? std::int64_t{0} : added->strides()[at];
    };
    m.added_col = stride(0);
    m.added_row = stride(1);
    m.added_batch = stride(2);
  }
  join_batch(m);
  m.alpha = {terms.alpha.to_double(), terms.alpha.to_int64()};
  m.beta = {terms.beta.to_double(), terms.beta.to_int64()};
  m.dtype = static_cast<int>(a.dtype());
  m.out_dtype = static_cast<int>(out.dtype());
  m.activation = terms.activation ? static_cast<int>(*terms.activation) : -1;
  m.reserved = 0;
  if (m.out == nullptr || m.a == nullptr || m.b == nullptr) {
    for (const tensor* t : {&out, &a, &b}) check_storage(c, *t);
  }
  if (const tb_status status = run_kernel(c, out, c.table->matmul, &m); status != TB_OK) check_status(c, status, out);
}

void check_product_types(std::string_view op, const tensor& a, const tensor& b) {
  const backend_call c{nullptr, op};
  check_defined(c, a);
  check_defined(c, b);
  if (a.dtype() != b.dtype()) {
    refuse<dtype_error>(c, "found " + std::string(name_of(a.dtype())) + " and " + std::string(name_of(b.dtype())) +
                               ", wanted one dtype; convert one with to()");
  }
  if (a.dtype() == dtype::boolean) refuse<dtype_error>(c, "found bool, wanted a number; convert it with to()");
}

result_meta product_meta(std::string_view op, std::size_t rank, const tensor& a, const tensor& b) {
  const backend_call c{nullptr, op};
  check_defined(c, a);
  check_defined(c, b);
  const bool batch = rank == 3;
  const shape &left = a.sizes(), &right = b.sizes();
  if (left.size() != rank || right.size() != rank || left[rank - 1] != right[rank - 2] ||
      (batch && left[0] != right[0])) {
    refuse<shape_error>(c, "found " + to_string(left) + " and " + to_string(right) + ", wanted " +
                               (batch ? "[b, m, k] and [b, k, n]" : "[m, k] and [k, n]"));
  }
  if (a.dtype() != b.dtype() || a.dtype() == dtype::boolean) check_product_types(op, a, b);
  shape sizes = left;
  sizes[rank - 1] = right[rank - 1];
  return {sizes, a.dtype(), a.device(), {}};
}

result_meta add_product_meta(std::string_view op, std::size_t rank, const tensor& self, const tensor& a,
                             const tensor& b, const scalar& beta, const scalar& alpha) {
  const backend_call c{nullptr, op};
  const result_meta m = product_meta(op, rank, a, b);
  check_product_types(op, self, a);
  const auto fits = [&] {
    const shape& sizes = self.sizes();
    if (sizes.size() > rank) return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] != 1 && sizes[i] != m.sizes[rank - sizes.size() + i]) return false;
    }
    return true;
  };
  if (!fits()) {
    refuse<shape_error>(c, "found self " + to_string(self.sizes()) + " for the product " + to_string(m.sizes) +
                               ", wanted it to broadcast to that");
  }
  for (const scalar& factor : {beta, alpha}) {
    if (is_floating(m.type) || !is_floating(factor.type())) continue;
    refuse<dtype_error>(
        c, "found the factor " + to_string(factor) + " for " + std::string(name_of(m.type)) + ", wanted an integer");
  }
  return m;
}

void run_product(backend_call c, const tensor& a, const tensor& b, product_terms terms, const tensor& out) {
  const dtype type = operand_type(out.dtype());
  if (terms.added != nullptr && (is_floating(type) ? terms.beta.to_double() == 0 : terms.beta.to_int64() == 0)) {
    terms.added = nullptr;
  }
  // Operands that kernels read directly: of the result's dtype, and not in its memory.
  const storage* const written = author::record_of(out).data.get();
  const auto fits = [&](const tensor& t) { return t.dtype() == type && author::record_of(t).data.get() != written; };
  if (out.dtype() == type && fits(a) && fits(b) &&
      (terms.added == nullptr || fits(*terms.added) || author::same_view(*terms.added, out))) {
    return multiply(c, out, a, b, terms);
  }
  if (out.numel() == 0) return;
  const auto operand = [&](const tensor& t) {
    return author::share_memory(out, t) ? dense_copy(c, t, type) : in_dtype(c, t, type);
  };
  const tensor left = operand(a), right = operand(b);
  const tensor to = out.dtype() == type ? out : author::make_tensor(out.sizes(), type, out.device());
  tensor added;
  if (terms.added != nullptr && !author::same_view(*terms.added, to)) {
    added = operand(*terms.added);
    terms.added = &added;
  }
  multiply(c, to, left, right, terms);
  if (out.dtype() != type) copy_result(out, to);
}

result_meta addmm_activation_kernel::meta(std::string_view op, const tensor& self, const tensor& a, const tensor& b,
                                          const scalar& beta, const scalar& alpha, bool use_gelu) {
  const result_meta m = add_product_meta(op, 2, self, a, b, beta, alpha);
  if (use_gelu && !is_floating(m.type)) {
    refuse<dtype_error>({nullptr, op}, "found " + std::string(name_of(m.type)) +
                                           " with use_gelu, wanted a floating dtype; convert with to()");
  }
  return m;
}

void addmm_activation_kernel::run(backend_call c, const tensor& self, const tensor& a, const tensor& b,
                                  const scalar& beta, const scalar& alpha, bool use_gelu, const tensor& out) {
  // Integers wrap to their dtype before the activation.
  if (!is_floating(out.dtype())) {
    run_product(c, a, b, {alpha, beta, &self, {}}, out);
    run_elementwise_in(c, elementwise::relu, product_type(out.dtype()), collect(out), out);
    return;
  }
  run_product(c, a, b, {alpha, beta, &self, use_gelu ? elementwise::gelu : elementwise::relu}, out);
}

}  // namespace topbit::detail
