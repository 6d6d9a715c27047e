// Batching rules of operators on arrays that are of no kind: triangles, padding, joining, medians. Internal.
module topbit.transform:array_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :level;
import :rule;
import :rule_helpers;

namespace topbit::detail {

batched_result batch_tril(const tensor& self, batch_dim d, std::int64_t diagonal) {
  if (rank_of(self, d) < 2) throw shape_error("found no matrix");
  return {aten::tril(in_front(self, d), diagonal), 0};
}
batched_result batch_triu(const tensor& self, batch_dim d, std::int64_t diagonal) {
  if (rank_of(self, d) < 2) throw shape_error("found no matrix");
  return {aten::triu(in_front(self, d), diagonal), 0};
}

batched_result batch_constant_pad(const tensor& self, batch_dim d, std::span<const std::int64_t> pad,
                                  const scalar& fill) {
  if (static_cast<std::int64_t>(pad.size()) > 2 * rank_of(self, d)) throw shape_error("found too many pads");
  return {aten::constant_pad_nd(in_front(self, d), pad, fill), 0};
}

// The median of no elements is NaN; along a dimension it is an error.
std::optional<tensor> median_of_none(const tensor& flat) {
  if (flat.size(1) != 0) return std::nullopt;
  return aten::new_full(flat, shape{flat.size(0)}, std::numeric_limits<double>::quiet_NaN());
}
batched_result batch_median(const tensor& self, batch_dim d) {
  const tensor flat = flattened(in_front(self, d));
  if (std::optional<tensor> none = median_of_none(flat)) return {*std::move(none), 0};
  return {std::get<0>(aten::median_dim(flat, 1, false)), 0};
}
batched_result batch_nanmedian(const tensor& self, batch_dim d) {
  const tensor flat = flattened(in_front(self, d));
  if (std::optional<tensor> none = median_of_none(flat)) return {*std::move(none), 0};
  return {std::get<0>(aten::nanmedian_dim(flat, 1, false)), 0};
}

batched_result batch_repeat(const tensor& self, batch_dim d, std::span<const std::int64_t> repeats) {
  tensor all = in_front(self, d);
  const auto rank = static_cast<std::int64_t>(repeats.size());
  if (rank < all.dim() - 1) throw shape_error("found fewer repeats than dimensions");
  while (all.dim() < rank + 1) all = aten::unsqueeze(all, 1);
  std::vector<std::int64_t> times{1};
  times.insert(times.end(), repeats.begin(), repeats.end());
  return {aten::repeat(all, times), 0};
}

// A vector becomes the diagonal of a matrix, and a matrix gives its diagonal.
batched_result batch_diag(const tensor& self, batch_dim d, std::int64_t diagonal) {
  const tensor all = in_front(self, d);
  if (all.dim() == 3) return {aten::clone(aten::diagonal(all, diagonal, 1, 2), memory_format::contiguous), 0};
  if (all.dim() != 2) throw shape_error("found no vector and no matrix");
  const std::int64_t n = all.size(1) + (diagonal < 0 ? -diagonal : diagonal);
  const tensor matrices = aten::new_zeros(all, shape{all.size(0), n, n});
  tensor on_diagonal = aten::diagonal(matrices, diagonal, 1, 2);
  aten::copy_(on_diagonal, all);
  return {matrices, 0};
}

// Examples have memory of their own, one behind the other.
batched_result batch_new_empty_strided(const tensor& self, batch_dim d, std::span<const std::int64_t> size,
                                       std::span<const std::int64_t> stride, std::optional<dtype> type,
                                       std::optional<layout> how, std::optional<device> where,
                                       std::optional<bool> pinned) {
  if (size.size() != stride.size()) throw shape_error("found as many sizes as strides");
  const tensor all = in_front(self, d);
  std::int64_t room = 1;
  for (std::size_t i = 0; i < size.size(); ++i) {
    if (size[i] < 0 || stride[i] < 0) throw shape_error("found a negative number");
    room += size[i] == 0 ? 0 : (size[i] - 1) * stride[i];
  }
  std::vector<std::int64_t> sizes{all.size(0)}, strides{room};
  sizes.insert(sizes.end(), size.begin(), size.end());
  strides.insert(strides.end(), stride.begin(), stride.end());
  return {aten::new_empty_strided(all, sizes, strides, type, how, where, pinned), 0};
}

// Empty tensors of one dimension are left out, whatever the others' sizes.
batched_result batch_cat(std::span<const tensor> tensors, std::span<const batch_dim> dims, std::int64_t dim) {
  std::int64_t size = 0, rank = 1;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (dims[i]) size = tensors[i].size(*dims[i]);
  }
  std::vector<tensor> joined;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensor x = with_batch_first(tensors[i], dims[i], size);
    if (x.dim() == 2 && x.size(1) == 0) continue;
    if (x.dim() == 1) throw shape_error("found a number");
    rank = x.dim() - 1;
    joined.push_back(std::move(x));
  }
  if (joined.empty()) joined.push_back(with_batch_first(tensors[0], dims[0], size));
  // Left out, they still take part in promotion.
  dtype type = tensors[0].dtype();
  for (const tensor& t : tensors) type = promote(type, t.dtype());
  joined[0] = to(joined[0], type);
  return {aten::cat(joined, behind_batch(dim, rank)), 0};
}

inline constexpr auto array_rules = batching::rules(
    batching::by<aten::tril, &batch_tril>{}, batching::by<aten::triu, &batch_triu>{},
    batching::by<aten::constant_pad_nd, &batch_constant_pad>{}, batching::by<aten::median, &batch_median>{},
    batching::by<aten::nanmedian, &batch_nanmedian>{}, batching::by<aten::cat, &batch_cat>{},
    batching::by<aten::repeat, &batch_repeat>{}, batching::by<aten::diag, &batch_diag>{},
    batching::by<aten::new_empty_strided, &batch_new_empty_strided>{});

}  // namespace topbit::detail
