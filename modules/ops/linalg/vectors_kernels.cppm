// Shape functions and kernel thunks of cross products and distances.
module topbit.ops:linalg.vectors_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.elementwise;
import :elementwise.operation;
import :rowwise.rowwise;
import :rowwise.softmax_kernels;
import :registration.structured;
import :registration.structured_forms;
import :linalg.vectors;

namespace topbit::detail {

// Without `dim`, the first dimension of size 3.
result_meta cross_meta(std::string_view op, const tensor& self, const tensor& other, std::optional<std::int64_t> dim);
void run_cross(backend_call c, const tensor& self, const tensor& other, std::optional<std::int64_t> dim,
               const tensor& out);

struct cross_kernel {
  static constexpr auto needs = all_of(elementwise::mul, elementwise::sub);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& other,
                          std::optional<std::int64_t> dim) {
    return cross_meta(op, self, other, dim);
  }
  static void run(backend_call c, const tensor& self, const tensor& other, std::optional<std::int64_t> dim,
                  const tensor& out) {
    run_cross(c, self, other, dim, out);
  }
};

struct cdist_kernel {
  static constexpr auto needs = all_of(rowwise::distance);
  static result_meta meta(std::string_view op, const tensor& x1, const tensor& x2, double p,
                          std::optional<std::int64_t> compute_mode = std::nullopt);
  static void run(backend_call c, const tensor& x1, const tensor& x2, double p, std::optional<std::int64_t>,
                  const tensor& out);
};

inline constexpr auto vector_forms =
    forms_list<structured_forms<cross_kernel, no_abilities, aten::linalg_cross, aten::linalg_cross_out>,
               structured_forms<cross_kernel, no_abilities, aten::cross, aten::cross_out>,
               structured_forms<cdist_kernel, no_abilities, aten::cdist>>();

}  // namespace topbit::detail
