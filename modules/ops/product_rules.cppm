// Shape rules and fronts of the matrix products that a backend's table computes.
export module topbit.ops:product_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :structured;

namespace topbit::detail {

// The dtype that products of this one are computed in: float32 for halves, int64 for integers.
dtype product_type(dtype t) noexcept;

// out = beta * out + alpha * a @ b. Two dimensions, or three for a batch; all of one dtype that kernels compute in.
void multiply(backend_call c, const tensor& out, const tensor& a, const tensor& b, const scalar& alpha = 1,
              const scalar& beta = 0);

// Matrices of `rank` dimensions, the third from last being the batch.
result_meta product_meta(std::string_view op, std::size_t rank, const tensor& a, const tensor& b);
result_meta add_product_meta(std::string_view op, std::size_t rank, const tensor& self, const tensor& a,
                             const tensor& b, const scalar& beta, const scalar& alpha);
// out = beta * self + alpha * a @ b; no self counts as a beta of 0.
void run_product(backend_call c, const tensor* self, const tensor& a, const tensor& b, const scalar& beta,
                 const scalar& alpha, const tensor& out);

// Dtypes that products take, and all the same. Throws dtype_error.
void check_product_types(std::string_view op, const tensor& a, const tensor& b);

// self may be the result; a and b are moved out of its way.
inline constexpr author::kernel_abilities product_abilities{.in_place = true, .converts = false};

template <std::size_t Rank>
struct product_rule {
  static constexpr table_entries needs{.matmul = true};
  static result_meta meta(std::string_view op, const tensor& a, const tensor& b) {
    return product_meta(op, Rank, a, b);
  }
  static void run(backend_call c, const tensor& a, const tensor& b, const tensor& out) {
    run_product(c, nullptr, a, b, 0, 1, out);
  }
};

template <std::size_t Rank>
struct add_product_rule {
  static constexpr table_entries needs{.matmul = true};
  static result_meta meta(std::string_view op, const tensor& self, const tensor& a, const tensor& b, const scalar& beta,
                          const scalar& alpha) {
    return add_product_meta(op, Rank, self, a, b, beta, alpha);
  }
  static void run(backend_call c, const tensor& self, const tensor& a, const tensor& b, const scalar& beta,
                  const scalar& alpha, const tensor& out) {
    run_product(c, &self, a, b, beta, alpha, out);
  }
};

}  // namespace topbit::detail
