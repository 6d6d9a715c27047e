// All families, in the order in which a document lists them.
module topbit.operator_docs;

namespace topbit::detail {

bool publish_operator_docs() {
  for (const auto publish :
       {&publish_create_docs,      &publish_sequence_docs, &publish_random_docs,     &publish_dropout_docs,
        &publish_arithmetic_docs,  &publish_unary_docs,    &publish_activation_docs, &publish_comparison_docs,
        &publish_ternary_docs,     &publish_reduce_docs,   &publish_spread_docs,     &publish_linalg_docs,
        &publish_einsum_docs,      &publish_pad_docs,      &publish_vectors_docs,    &publish_images_docs,
        &publish_convolution_docs, &publish_pool_docs,     &publish_attention_docs,  &publish_update_docs,
        &publish_batch_norm_docs,  &publish_view_docs,     &publish_view_list_docs,  &publish_softmax_docs,
        &publish_scan_docs,        &publish_loss_docs,     &publish_gather_docs,     &publish_advanced_index_docs,
        &publish_join_docs,        &publish_sort_docs,     &publish_unique_docs,     &publish_layer_norm_docs})
    publish();
  return true;
}

}  // namespace topbit::detail
