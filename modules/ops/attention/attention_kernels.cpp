// Attention: fused if no gradient is wanted and the backend has a kernel for it that is faster, otherwise composed of
// matrix products and softmax.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :attention.attention_kernels;
import :linalg.matmul_kernels;
import :linalg.matrix_views;
import :registration.composite;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

namespace {

constexpr backend_call attention_call{nullptr, aten::scaled_dot_product_attention.name()};

// The additive form of a mask: 0 where true, else -infinity.
tensor as_summand(const tensor& kept, dtype type) {
  return to(aten::where_Scalar(kept, 0.0, -std::numeric_limits<double>::infinity()), type);
}

// Whether queries `first`, first + 1, ... see the keys.
tensor causal_mask(const tensor& query, const tensor& key, std::int64_t first) {
  const auto positions = [&](std::int64_t from, std::int64_t n) {
    return aten::arange_start(from, from + n, arg<"device"> = query.device());
  };
  return aten::ge_Tensor(as_column(positions(first, query.size(-2))), as_row(positions(0, key.size(-2))));
}

void check_attention(backend_call c, const tensor& query, const tensor& key, const tensor& value) {
  check_product_types(c.op, query, key);
  check_product_types(c.op, query, value);
  if (!is_floating(query.dtype())) {
    refuse<dtype_error>(c, "found " + std::string(name_of(query.dtype())) + ", wanted a floating dtype");
  }
  const bool fits = query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2 && query.size(-1) == key.size(-1) &&
                    key.size(-2) == value.size(-2);
  if (fits) return;
  refuse<shape_error>(c, "found " + to_string(query.sizes()) + ", " + to_string(key.sizes()) + " and " +
                             to_string(value.sizes()) + ", wanted [.., l, e], [.., s, e] and [.., s, v]");
}

const tb_kernels* table_for(const tensor& t) { return table_of(key_of(t.device().type)); }

// True if the table's attention kernel takes this floating dtype without conversion.
bool attends_to(const tb_kernels* table, dtype type) {
  return type == widened(type) || (table != nullptr && table->attention_fp16 != 0);
}

void check_mask_type(backend_call c, const tensor& query, const tensor& mask) {
  if (mask.dtype() == dtype::boolean || mask.dtype() == query.dtype()) return;
  refuse<dtype_error>(c, "found a mask of " + std::string(name_of(mask.dtype())) + ", wanted bool or " +
                             std::string(name_of(query.dtype())));
}

// The mask must broadcast to the sizes of the scores.
void check_mask(backend_call c, const tensor& query, const tensor& key, const shape& batch, const tensor& mask) {
  shape scores = batch;
  scores.push_back(query.size(-2));
  scores.push_back(key.size(-2));
  if (broadcast(c.op, scores, mask.sizes()) == scores) return;
  refuse<shape_error>(c, "found a mask " + to_string(mask.sizes()) + " for scores " + to_string(scores) +
                             ", wanted it to broadcast to these");
}

// True if the backend has a fused kernel; meta behaves as if.
bool goes_in_one_pass(const tensor& query) {
  const tb_kernels* const table = table_for(query);
  return table == nullptr ? query.device().type == backend::Meta : table->attention != nullptr;
}

// On the CPU, products are faster than the fused kernel while the scores fit in the caches and outweigh the cost of the
// calls, if none are masked (docs/performance.md). Measured.
constexpr double fewest_scores_for_products = 1 << 10, most_scores_for_products = 1 << 22;

bool prefers_products(const tensor& query, double scores) {
  return query.device() == cpu && scores >= fewest_scores_for_products && scores <= most_scores_for_products;
}

tensor attention(const tensor& query, const tensor& key, const tensor& value, const std::optional<tensor>& mask,
                 double dropout, bool causal, std::optional<double> scale, bool grouped) {
  author::check_one_device(aten::scaled_dot_product_attention, query, key, value, mask);
  check_attention(attention_call, query, key, value);
  const bool masked = mask.has_value() && mask->defined();
  if (masked && causal) refuse<error>(attention_call, "found attn_mask and is_causal=True, wanted one of them");
  if (dropout != 0) refuse<error>(attention_call, "found dropout_p " + to_string(scalar(dropout)) + ", wanted 0");
  if (grouped) refuse<error>(attention_call, "found enable_gqa=True, wanted False");
  if (masked) check_mask_type(attention_call, query, *mask);
  const shape batch = broadcast(attention_call.op, batch_of(query), batch_of(key));
  broadcast(attention_call.op, batch, batch_of(value));
  if (masked) check_mask(attention_call, query, key, batch, *mask);
  const double scores = static_cast<double>(numel(batch)) * static_cast<double>(query.size(-2) * key.size(-2));
  const bool in_one_pass = goes_in_one_pass(query) && (masked || causal || !prefers_products(query, scores));
  const dtype type =
      in_one_pass && attends_to(table_for(query), query.dtype()) ? query.dtype() : widened(query.dtype());
  const double width = static_cast<double>(std::max<std::int64_t>(query.size(-1), 1));
  const double by = scale.value_or(1 / std::sqrt(width));
  optional_tensor given;
  if (masked) given = mask->dtype() == dtype::boolean ? *mask : to(*mask, type);
  const tensor q = to(query, type), k = to(key, type), v = to(value, type);
  const tensor out =
      in_one_pass ? native::attend(q, k, v, given, causal, by) : attend_by_products(q, k, v, given, causal, by);
  return to(out, query.dtype());
}

// With a position, a query sees the keys up to its own, which is `first` for the first query.
tensor attend_to_keys(const tensor& query, const tensor& key, const tensor& value, const optional_tensor& mask,
                      std::optional<std::int64_t> first, double scale) {
  tensor scores = aten::matmul(aten::mul_Scalar(query, scale), aten::transpose_int(key, -2, -1));
  if (first) scores = aten::add_Tensor(scores, as_summand(causal_mask(query, key, *first), query.dtype()));
  if (!is_given(mask)) return aten::matmul(aten::softmax_int(scores, -1), value);
  scores = aten::add_Tensor(scores, mask->dtype() == dtype::boolean ? as_summand(*mask, query.dtype()) : *mask);
  // A query whose keys are all masked has weights 0 and no gradient.
  const tensor blind = aten::all_dim(aten::eq_Scalar(scores, -std::numeric_limits<double>::infinity()), -1, true);
  const tensor weights = aten::softmax_int(aten::where_ScalarSelf(blind, 0, scores), -1);
  return aten::matmul(aten::where_ScalarSelf(blind, 0, weights), value);
}

// On the CPU, causal queries are composed this many at a time, without the keys that none of them sees.
constexpr std::int64_t causal_queries = 128;

tensor attend_in_blocks(const tensor& query, const tensor& key, const tensor& value, double scale) {
  std::vector<tensor> blocks;
  for (std::int64_t first = 0; first < query.size(-2); first += causal_queries) {
    const std::int64_t end = std::min(first + causal_queries, query.size(-2));
    const std::int64_t seen = std::min(end, key.size(-2));
    const auto part = [](const tensor& t, std::int64_t from, std::int64_t to) {
      return aten::slice_Tensor(t, -2, from, to);
    };
    blocks.push_back(
        attend_to_keys(part(query, first, end), part(key, 0, seen), part(value, 0, seen), std::nullopt, first, scale));
  }
  return aten::cat(blocks, -2);
}

}  // namespace

tensor attend_by_products(const tensor& query, const tensor& key, const tensor& value, const optional_tensor& mask,
                          bool causal, double scale) {
  if (!causal) return attend_to_keys(query, key, value, mask, std::optional<std::int64_t>(), scale);
  const bool in_blocks = query.device() == cpu && query.size(-2) > 2 * causal_queries && key.size(-2) > causal_queries;
  if (in_blocks && !is_given(mask)) return attend_in_blocks(query, key, value, scale);
  return attend_to_keys(query, key, value, mask, std::optional<std::int64_t>(0), scale);
}

void check_attends(backend_call c, const tensor& query) {
  if (c.table == nullptr || attends_to(c.table, query.dtype())) return;
  refuse<dtype_error>(c, "found " + std::string(name_of(query.dtype())) + ", wanted float32 or float64 on " +
                             c.table->name + "; scaled_dot_product_attention converts float16 and bfloat16");
}

result_meta attend_kernel::meta(std::string_view op, const tensor& query, const tensor& key, const tensor& value,
                                const optional_tensor& mask, bool, double) {
  const backend_call c{nullptr, op};
  check_attention(c, query, key, value);
  shape sizes = broadcast(op, broadcast(op, batch_of(query), batch_of(key)), batch_of(value));
  if (is_given(mask)) {
    check_mask_type(c, query, *mask);
    check_mask(c, query, key, sizes, *mask);
  }
  sizes.push_back(query.size(-2));
  sizes.push_back(value.size(-1));
  return dense_meta(sizes, query.dtype(), query);
}

void attend_kernel::run(backend_call c, const tensor& query, const tensor& key, const tensor& value,
                        const optional_tensor& mask, bool causal, double scale, const tensor& out) {
  check_attends(c, query);
  if (out.numel() == 0) return;
  tb_attention a{};
  a.ndim = static_cast<std::int32_t>(out.dim() - 2);
  for (std::size_t d = 0; d + 2 < out.sizes().size(); ++d) a.sizes[d] = out.sizes()[out.dim() - 3 - d];
  // Missing and broadcast dimensions have stride 0.
  const auto matrices_of = [&](const tensor& t) {
    check_storage(c, t);
    tb_matrices m{};
    m.data = t.data();
    const auto stride = [&](std::size_t from_back) {
      const std::size_t d = t.sizes().size() - 1 - from_back;
      return from_back >= t.sizes().size() || t.sizes()[d] == 1 ? 0 : t.strides()[d];
    };
    m.col = stride(0);
    m.row = stride(1);
    for (std::size_t d = 0; d + 2 < out.sizes().size(); ++d) m.batch[d] = stride(d + 2);
    return m;
  };
  a.out = matrices_of(out);
  a.query = matrices_of(query);
  a.key = matrices_of(key);
  a.value = matrices_of(value);
  if (is_given(mask)) {
    a.mask = matrices_of(*mask);
    a.mask_dtype = static_cast<std::int32_t>(mask->dtype());
  }
  a.queries = query.size(-2);
  a.keys = key.size(-2);
  a.width = query.size(-1);
  a.value_width = value.size(-1);
  a.scale = scale;
  a.dtype = static_cast<std::int32_t>(query.dtype());
  a.causal = causal ? 1 : 0;
  check_status(c, run_kernel(c, query, c.table->attention, &a), query);
}

void register_attention() {
  register_forms(attention_forms);
  register_composite<&attention, aten::scaled_dot_product_attention>();
}

}  // namespace topbit::detail
