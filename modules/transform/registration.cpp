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
  static constexpr std::array<std::span<const author::kernel_row>, 11> tables{
      kind_table.rows,   view_rules.rows,          array_rules.rows,  index_rules.rows,
      matmul_rules.rows, embedding_bag_rules.rows, window_rules.rows, norm_rules.rows,
      random_rules.rows, channel_norm_rules.rows,  write_rules.rows};
  for (const std::span<const author::kernel_row> rows : tables) static_dispatch::install(rows).keep();
  fallback<&batch_without_rule>(key::FuncTorchBatched).keep();
  return true;
}

bool register_forward_mode() {
  static constexpr std::array<std::span<const author::kernel_row>, 8> tables{
      term_operators,    sum_operators,   linear_operators,      as_strided_operators,
      product_operators, layer_operators, elementwise_operators, copy_operators};
  for (const std::span<const author::kernel_row> rows : tables) static_dispatch::install(rows).keep();
  fallback<transposed_kind{}>(key::ForwardAD).keep();
  return true;
}

}  // namespace topbit::detail
