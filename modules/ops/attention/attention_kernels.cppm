// Shape function and kernel thunk of fused attention.
module topbit.ops:attention.attention_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :attention.attention;
import :registration.backend_call;
import :elementwise.elementwise;
import :rowwise.softmax_kernels;
import :registration.operands;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

struct attend_kernel {
  static constexpr auto needs = all_of(table_entry::attention);
  static result_meta meta(std::string_view op, const tensor& query, const tensor& key, const tensor& value,
                          const optional_tensor& mask, bool causal, double scale);
  static void run(backend_call c, const tensor& query, const tensor& key, const tensor& value,
                  const optional_tensor& mask, bool causal, double scale, const tensor& out);
};

// The result of native::attend, composed of differentiable operators.
tensor attend_by_products(const tensor& query, const tensor& key, const tensor& value, const optional_tensor& mask,
                          bool causal, double scale);
// Refuses a half-precision query where the table's kernel takes none.
void check_attends(backend_call c, const tensor& query);

inline constexpr auto attention_forms = forms_list<structured_forms<attend_kernel, no_abilities, native::attend>>();

}  // namespace topbit::detail
