module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

constexpr backend_call attention_call{nullptr, ops::scaled_dot_product_attention.name()};

// 0 where the condition holds, else minus infinity.
tensor as_summand(const tensor& kept, dtype type) {
  return to(ops::where_scalar(kept, 0.0, -std::numeric_limits<double>::infinity()), type);
}

tensor causal_mask(const tensor& query, const tensor& key) {
  const auto places = [&](std::int64_t n) { return ops::arange(n, arg<"device"> = query.device()); };
  return ops::ge(as_column(places(query.size(-2))), as_row(places(key.size(-2))));
}

void check_attention(const tensor& query, const tensor& key, const tensor& value) {
  check_product_types(attention_call.op, query, key);
  check_product_types(attention_call.op, query, value);
  if (!is_floating(query.dtype())) {
    refuse<dtype_error>(attention_call, "found " + std::string(name_of(query.dtype())) + ", wanted a floating dtype");
  }
  const bool fits = query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2 && query.size(-1) == key.size(-1) &&
                    key.size(-2) == value.size(-2);
  if (fits) return;
  refuse<shape_error>(attention_call, "found " + to_string(query.sizes()) + ", " + to_string(key.sizes()) + " and " +
                                          to_string(value.sizes()) + ", wanted [.., l, e], [.., s, e] and [.., s, v]");
}

// The values, weighed by the softmax of scores; 0 where a row is `blind`.
tensor attended(const tensor& scores, const tensor& value, dtype type, const optional_tensor& blind = {}) {
  tensor weights = ops::exp(ops::log_softmax(scores, -1));
  if (blind) weights = ops::where_scalar_self(*blind, 0, weights);
  return to(ops::matmul(weights, to(value, scores.dtype())), type);
}

// Added to all scores, and to no more than these.
void check_mask(const tensor& query, const tensor& key, const dims& batch, const tensor& mask) {
  dims scores = batch;
  scores.push_back(query.size(-2));
  scores.push_back(key.size(-2));
  if (broadcast(attention_call.op, scores, mask.sizes()) == scores) return;
  refuse<shape_error>(attention_call, "found a mask " + to_string(mask.sizes()) + " for scores " + to_string(scores) +
                                          ", wanted it to broadcast to these");
}

tensor attention(const tensor& query, const tensor& key, const tensor& value, const std::optional<tensor>& mask,
                 double dropout, bool causal, std::optional<double> scale, bool grouped) {
  author::check_one_device(ops::scaled_dot_product_attention, query, key, value, mask);
  check_attention(query, key, value);
  const bool masked = mask.has_value() && mask->defined();
  if (masked && causal) refuse<error>(attention_call, "found attn_mask beside is_causal=True, wanted one of them");
  if (dropout != 0) refuse<error>(attention_call, "found dropout_p " + to_string(scalar(dropout)) + ", wanted 0");
  if (grouped) refuse<error>(attention_call, "found enable_gqa=True, wanted False");
  if (masked && mask->dtype() != dtype::boolean && mask->dtype() != query.dtype()) {
    refuse<dtype_error>(attention_call, "found a mask of " + std::string(name_of(mask->dtype())) + ", wanted bool or " +
                                            std::string(name_of(query.dtype())));
  }
  const dims batch = broadcast(attention_call.op, batch_of(query), batch_of(key));
  broadcast(attention_call.op, batch, batch_of(value));
  if (masked) check_mask(query, key, batch, *mask);
  const dtype type = query.dtype() == dtype::float64 ? dtype::float64 : dtype::float32;
  const double width = static_cast<double>(std::max<std::int64_t>(query.size(-1), 1));
  const tensor scaled = ops::mul_scalar(to(query, type), scale.value_or(1 / std::sqrt(width)));
  tensor scores = ops::matmul(scaled, ops::transpose(to(key, type), -2, -1));
  if (causal) scores = ops::add(scores, as_summand(causal_mask(query, key), type));
  if (!masked) return attended(scores, value, query.dtype());
  scores = ops::add(scores, mask->dtype() == dtype::boolean ? as_summand(*mask, type) : to(*mask, type));
  // A query that sees no key attends to nothing: its weights are 0, and it has no gradient.
  const tensor blind = ops::all_dim(ops::eq_scalar(scores, -std::numeric_limits<double>::infinity()), -1, true);
  return attended(ops::where_scalar_self(blind, 0, scores), value, query.dtype(), blind);
}

}  // namespace

void register_attention() { register_composite<&attention, ops::scaled_dot_product_attention>(); }

}  // namespace topbit::detail
