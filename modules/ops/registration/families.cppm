// Registration of the library's operator families: definitions, CPU and meta kernels, and autograd's handling of
// in-place and out forms. Internal.
module topbit.ops:registration.families;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.backend_call;

namespace topbit::detail {

// Stores a row that register_gradients() registers, unless the operator has a gradient rule.
void add_refusal(const author::kernel_row& row);

// Writes of in-place and out forms are always counted; if a gradient would be lost they refuse, unless they get a
// gradient rule.
template <const auto&... Op>
void register_writing() {
  static constexpr author::kernel_row counts[] = {
      author::row<&author::counts_writes<Op>::run>(Op, key::ADInplaceOrView)...};
  author::register_rows(counts);
  (add_refusal(author::row<&author::in_place_autograd<Op>::run>(Op, key::Autograd)), ...);
}
// Operators whose results are views of their first argument.
template <const auto&... Op>
void register_viewing() {
  static constexpr author::kernel_row rows[] = {
      author::row<&author::tracks_view<Op>::run>(Op, key::ADInplaceOrView)...};
  author::register_rows(rows);
}

template <const auto&... Op>
void define_all() {
  static constexpr author::kernel_row all[] = {author::define(Op)...};
  author::register_rows(all);
}

// A family of operators, as backends that are registered later see it, and who asks what its operators need.
struct family {
  void (*register_backend)(dispatch_key k, std::source_location where);
  void (*add_needs)(needs_by_name& all);
};
void add_family(family f);

template <class Forms>
void register_forms(std::source_location here = std::source_location::current()) {
  Forms::each_form([]<const auto & Op>() { define_all<Op>(); });
  Forms::register_tags();
  Forms::register_backend(key::CPU, here);
  Forms::register_backend(key::Meta, here);
  add_family({&Forms::register_backend, &Forms::add_needs});
  Forms::each_form([]<const auto & Op>() {
    if constexpr (author::is_mutable(std::remove_cvref_t<decltype(Op)>::schema())) register_writing<Op>();
  });
}

// Operators without a derivative.
template <const auto&... Op>
void register_without_gradient() {
  static constexpr author::kernel_row all[] = {author::fallthrough_row(Op, key::Autograd)...};
  author::register_rows(all);
}

// One function per family, in its source file.
void register_arithmetic();
void register_unary();
void register_activation();
void register_comparison();
void register_ternary();
void register_view();
void register_view_composites();
void register_view_lists();
// The gradient rules of each source file. register_gradients() registers them after the families.
std::span<const author::kernel_row> arithmetic_gradients();
std::span<const author::kernel_row> unary_gradients();
std::span<const author::kernel_row> activation_gradients();
std::span<const author::kernel_row> comparison_gradients();
std::span<const author::kernel_row> reduce_gradients();
std::span<const author::kernel_row> view_gradients();
std::span<const author::kernel_row> create_gradients();
std::span<const author::kernel_row> random_gradients();
std::span<const author::kernel_row> softmax_gradients();
std::span<const author::kernel_row> scan_gradients();
std::span<const author::kernel_row> matmul_gradients();
std::span<const author::kernel_row> vectors_gradients();
std::span<const author::kernel_row> convolution_gradients();
std::span<const author::kernel_row> pad_gradients();
std::span<const author::kernel_row> pool_gradients();
std::span<const author::kernel_row> layer_norm_gradients();
std::span<const author::kernel_row> channel_norm_gradients();
std::span<const author::kernel_row> loss_gradients();
std::span<const author::kernel_row> attention_gradients();
std::span<const author::kernel_row> index_gradients();
std::span<const author::kernel_row> join_gradients();
std::span<const author::kernel_row> sort_gradients();
std::span<const author::kernel_row> unique_gradients();
void register_gradients();
void register_tags();
void register_linalg();
void register_einsum();
void register_convolution();
void register_pool();
void register_attention();
void register_update();
void register_batch_norm();
void register_reduce();
void register_create();
void register_sequence();
void register_to_dense();
void register_random();
void register_random_factories();
void register_dropout();
void register_softmax();
void register_scan();
void register_nll_loss();
void register_loss();
void register_gather();
void register_embedding_bag();
void register_advanced_index();
void register_join();
void register_sort();
void register_layer_norm();
void register_unique();
void register_pad();
void register_vectors();
void register_images();

}  // namespace topbit::detail
