// topbit.operator_docs: the documentation of the operators of topbit.ops. Importing it registers the documentation for
// author::operator_pages() and the tools that print it; a program that does not import it does not link it.
export module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

// One function per family of operators.
void publish_create_docs();
void publish_sequence_docs();
void publish_random_docs();
void publish_dropout_docs();
void publish_arithmetic_docs();
void publish_unary_docs();
void publish_activation_docs();
void publish_comparison_docs();
void publish_ternary_docs();
void publish_reduce_docs();
void publish_spread_docs();
void publish_linalg_docs();
void publish_einsum_docs();
void publish_pad_docs();
void publish_vectors_docs();
void publish_images_docs();
void publish_convolution_docs();
void publish_pool_docs();
void publish_attention_docs();
void publish_update_docs();
void publish_batch_norm_docs();
void publish_view_docs();
void publish_view_list_docs();
void publish_softmax_docs();
void publish_scan_docs();
void publish_loss_docs();
void publish_gather_docs();
void publish_advanced_index_docs();
void publish_join_docs();
void publish_sort_docs();
void publish_unique_docs();
void publish_layer_norm_docs();

bool publish_operator_docs();
// In the primary unit: every importer runs its initialiser, even from a static archive.
const bool operator_docs_published = publish_operator_docs();

}  // namespace topbit::detail
