// Shape function and kernel thunk of fused attention.
export module topbit.ops:attention_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :attention;
import :backend_call;
import :pointwise;
import :row_rules;
import :rules;
import :structured;

namespace topbit::detail {

struct attend_rule {
  static constexpr auto needs = all_of(table_entry::attention);
  static result_meta meta(std::string_view op, const tensor& query, const tensor& key, const tensor& value,
                          const optional_tensor& mask, bool causal, double scale);
  static void run(backend_call c, const tensor& query, const tensor& key, const tensor& value,
                  const optional_tensor& mask, bool causal, double scale, const tensor& out);
};

using attention_forms = forms_list<ruled<attend_rule, no_abilities, native::attend>>;

}  // namespace topbit::detail
