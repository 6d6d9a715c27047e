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

// A form of an operator as data: its kernel for each backend with a table and for meta. Where it writes to an argument,
// also the kernels that count the write and refuse a gradient; else these rows are empty.
struct operator_form {
  author::kernel_row computes, counts, refuses;
};
// register_forms() says where from: a source location taken here would bring the name of this function with it, and
// with that the texts of schemas.
template <auto Kernel, const auto& Op>
consteval operator_form form_of() {
  operator_form f{author::row<Kernel>(Op, key::CPU, {}), {}, {}};
  if constexpr (author::is_mutable(std::remove_cvref_t<decltype(Op)>::schema())) {
    f.counts = author::row<&author::counts_writes<Op>::run>(Op, key::ADInplaceOrView, {});
    f.refuses = author::row<&author::in_place_autograd<Op>::run>(Op, key::Autograd, {});
  }
  return f;
}

// Forms that share a kernel: a backend has them if its table has all that the kernel needs.
struct form_group {
  std::span<const operator_form> forms;
  std::span<const table_kernel> needs;
  std::optional<tag_set> tags;
};
template <class Kernel>
consteval std::optional<tag_set> tags_of() {
  if constexpr (requires { Kernel::tags; })
    return Kernel::tags;
  else
    return std::nullopt;
}

// A family of operators.
template <class... Forms>
consteval std::array<form_group, sizeof...(Forms)> forms_list() {
  return {Forms::group...};
}

// Defines the operators of a family, which stays for the life of the process, and registers their kernels for the CPU,
// for meta and for backends to come.
void register_forms(std::span<const form_group> groups, std::source_location where = std::source_location::current());

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
