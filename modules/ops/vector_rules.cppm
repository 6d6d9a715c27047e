// Shape functions and kernel thunks of cross products.
export module topbit.ops:vector_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :pointwise;
import :pointwise_code;
import :row_rules;
import :structured;
import :vectors;

namespace topbit::detail {

// Without a dimension, the first one of three elements.
result_meta cross_meta(std::string_view op, const tensor& self, const tensor& other, std::optional<std::int64_t> dim);
void run_cross(backend_call c, const tensor& self, const tensor& other, std::optional<std::int64_t> dim,
               const tensor& out);

struct cross_rule {
  static constexpr auto needs = all_of(pointwise::mul, pointwise::sub);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& other,
                          std::optional<std::int64_t> dim) {
    return cross_meta(op, self, other, dim);
  }
  static void run(backend_call c, const tensor& self, const tensor& other, std::optional<std::int64_t> dim,
                  const tensor& out) {
    run_cross(c, self, other, dim, out);
  }
};

using vector_forms = forms_list<ruled<cross_rule, no_abilities, aten::linalg_cross, aten::linalg_cross_out>,
                                ruled<cross_rule, no_abilities, aten::cross, aten::cross_out>>;

}  // namespace topbit::detail
