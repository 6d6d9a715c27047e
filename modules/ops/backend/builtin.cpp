// Registers all operator families when the module is loaded.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.composite;

namespace topbit::detail {

bool register_builtin() {
  // The built-in namespaces are owned: others extend them with fragment() and implement().
  for (std::string_view ns : {"aten", "topbit"}) registry::process().claim(ns, std::source_location::current()).keep();
  author::register_schema_types<"Tensor", "Scalar", "ScalarType", "Device", "Layout", "MemoryFormat", "Generator">();
  serve(key::CPU, tb_cpu_kernels());
  report_cpu_problems();
  register_create();
  register_view();
  register_view_composites();
  register_view_lists();
  register_arithmetic();
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
  register_to_dense();
  register_random();
  register_random_factories();
  register_dropout();
  register_softmax();
  register_scan();
  register_nll_loss();
  register_loss();
  register_gather();
  register_embedding_bag();
  register_advanced_index();
  register_join();
  register_sort();
  register_layer_norm();
  register_unique();
  register_pad();
  register_vectors();
  register_images();
  register_gradients();
  register_tags();
  return true;
}

}  // namespace topbit::detail
