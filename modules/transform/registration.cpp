module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :call;
import :kind_table;
import :view_rules;
import :array_rules;
import :index_rules;
import :matmul_rules;
import :window_rules;
import :norm_rules;
import :random_rules;

namespace topbit::detail {

bool register_batching() {
  const auto keep = [](const auto&... table) { (author::install_batching(table).keep(), ...); };
  keep(kind_table, view_rules, array_rules, index_rules, matmul_rules, window_rules, norm_rules, random_rules);
  fallback<&batch_without_rule>(key::FuncTorchBatched).keep();
  return true;
}

}  // namespace topbit::detail
