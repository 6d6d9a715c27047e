// Shape functions and kernel thunks of the matrix products that a backend's table computes.
module topbit.ops:linalg.matmul_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.operation;
import :registration.structured;
import :registration.structured_forms;
import :linalg.linalg;
import :elementwise.elementwise;

namespace topbit::detail {

// The compute type of products of this dtype: float32 for float16 and bfloat16, int64 for integers.
dtype product_type(dtype t) noexcept;
// The dtype of operands that kernels accept directly: a floating one itself, int64 for integers.
dtype operand_type(dtype t) noexcept;

// The GEMM epilogue: alpha * a @ b + beta * added, then the activation.
struct product_terms {
  scalar alpha = 1, beta = 1;
  const tensor* added = nullptr;  // broadcasts to the result; may be the result
  std::optional<elementwise> activation;
};

// Two dimensions, or three with a batch, which broadcasts from 1 in a and b; all of one dtype that kernels accept, or a
// float32 result for float16 and bfloat16.
void multiply(backend_call c, const tensor& out, const tensor& a, const tensor& b, const product_terms& terms = {});

// Matrices of `rank` dimensions, the third from last being the batch.
result_meta product_meta(std::string_view op, std::size_t rank, const tensor& a, const tensor& b);
result_meta add_product_meta(std::string_view op, std::size_t rank, const tensor& self, const tensor& a,
                             const tensor& b, const scalar& beta, const scalar& alpha);
// The same for tensors of any dtype; with beta 0, `added` is not read.
void run_product(backend_call c, const tensor& a, const tensor& b, product_terms terms, const tensor& out);

// Checks for one dtype supported by products. Throws dtype_error.
void check_product_types(std::string_view op, const tensor& a, const tensor& b);

// self may be the result; a and b are copied if they overlap it.
inline constexpr author::kernel_abilities product_abilities{.in_place = true, .converts = false};

template <std::size_t Rank>
struct product_kernel {
  static constexpr auto needs = all_of(table_entry::matmul);
  static result_meta meta(std::string_view op, const tensor& a, const tensor& b) {
    return product_meta(op, Rank, a, b);
  }
  static void run(backend_call c, const tensor& a, const tensor& b, const tensor& out) {
    run_product(c, a, b, {}, out);
  }
};

template <std::size_t Rank>
struct add_product_kernel {
  static constexpr auto needs = all_of(table_entry::matmul);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& a, const tensor& b, const scalar& beta,
                          const scalar& alpha) {
    return add_product_meta(op, Rank, self, a, b, beta, alpha);
  }
  static void run(backend_call c, const tensor& self, const tensor& a, const tensor& b, const scalar& beta,
                  const scalar& alpha, const tensor& out) {
    run_product(c, a, b, {alpha, beta, &self, {}}, out);
  }
};

struct addmm_activation_kernel {
  static constexpr auto needs = all_of(table_entry::matmul, elementwise::relu);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& a, const tensor& b, const scalar& beta,
                          const scalar& alpha, bool use_gelu);
  static void run(backend_call c, const tensor& self, const tensor& a, const tensor& b, const scalar& beta,
                  const scalar& alpha, bool use_gelu, const tensor& out);
};

inline constexpr auto linalg_forms = forms_list<
    structured_forms<product_kernel<2>, product_abilities, aten::mm, aten::mm_out>,
    structured_forms<product_kernel<3>, product_abilities, aten::bmm, aten::bmm_out>,
    structured_forms<add_product_kernel<2>, product_abilities, aten::addmm, aten::addmm_, aten::addmm_out>,
    structured_forms<addmm_activation_kernel, product_abilities, aten::_addmm_activation, aten::_addmm_activation_out>,
    structured_forms<add_product_kernel<3>, product_abilities, aten::baddbmm, aten::baddbmm_, aten::baddbmm_out>>();

}  // namespace topbit::detail
