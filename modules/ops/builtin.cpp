// What is registered when the module is loaded: each family of operators, which knows its own rows.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

bool register_builtin() {
  // The built-in namespaces are owned: others add to them with fragment() and implement().
  for (std::string_view ns : {"aten", "topbit"}) registry::process().claim(ns, std::source_location::current()).keep();
  serve(key::CPU, tb_cpu_kernels());
  register_create();
  register_view();
  register_view_composites();
  register_view_lists();
  register_elementwise();
  register_unary();
  register_activation();
  register_comparison();
  register_ternary();
  register_linalg();
  register_einsum();
  register_convolution();
  register_pool();
  register_attention();
  register_update();
  register_batch_norm();
  register_reduce();
  register_sequence();
  register_random();
  register_random_factories();
  register_dropout();
  register_softmax();
  register_scan();
  register_nll_loss();
  register_loss();
  register_gather();
  register_advanced_index();
  register_join();
  register_sort();
  register_layer_norm();
  register_unique();
  register_pad();
  register_vectors();
  register_images();
  register_gradients();

  publish_create_pages();
  publish_sequence_pages();
  publish_random_pages();
  publish_dropout_pages();
  publish_elementwise_pages();
  publish_unary_pages();
  publish_activation_pages();
  publish_comparison_pages();
  publish_ternary_pages();
  publish_reduce_pages();
  publish_spread_pages();
  publish_linalg_pages();
  publish_einsum_pages();
  publish_pad_pages();
  publish_vectors_pages();
  publish_images_pages();
  publish_convolution_pages();
  publish_pool_pages();
  publish_attention_pages();
  publish_update_pages();
  publish_batch_norm_pages();
  publish_view_pages();
  publish_view_list_pages();
  publish_softmax_pages();
  publish_scan_pages();
  publish_loss_pages();
  publish_gather_pages();
  publish_advanced_index_pages();
  publish_join_pages();
  publish_sort_pages();
  publish_unique_pages();
  publish_layer_norm_pages();
  return true;
}

}  // namespace topbit::detail
