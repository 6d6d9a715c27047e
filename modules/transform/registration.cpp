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
import :channel_norm_rules;
import :embedding_bag_rules;
import :random_rules;
import :write_rules;
import :forward;
import :forward_table;

namespace topbit::detail {

bool register_batching() {
  const auto keep = [](const auto&... table) { (author::install_batching(table).keep(), ...); };
  keep(kind_table, view_rules, array_rules, index_rules, embedding_bag_rules, matmul_rules, window_rules, norm_rules,
       channel_norm_rules, random_rules, write_rules);
  fallback<&batch_without_rule>(key::FuncTorchBatched).keep();
  return true;
}

bool register_forward_mode() {
  static constexpr std::array tables{std::span<const author::kernel_row>(term_operators::rows),
                                     std::span<const author::kernel_row>(sum_operators::rows),
                                     std::span<const author::kernel_row>(linear_operators::rows),
                                     std::span<const author::kernel_row>(as_strided_operators::rows),
                                     std::span<const author::kernel_row>(product_operators::rows),
                                     std::span<const author::kernel_row>(layer_operators::rows),
                                     std::span<const author::kernel_row>(elementwise_operators::rows),
                                     std::span<const author::kernel_row>(copy_operators::rows)};
  for (const std::span<const author::kernel_row> rows : tables) static_dispatch::install(rows).keep();
  fallback<transposed_kind{}>(key::ForwardAD).keep();
  return true;
}

}  // namespace topbit::detail
