// Batching rules of views, and of copies in which a view is overwritten: the same views of each example, with the batch
// dimension in front. Internal.
module topbit.transform:view_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :level;
import :rule;
import :rule_helpers;

namespace topbit::detail {

using sizes_argument = std::span<const std::int64_t>;

batched_result batch_transpose(const tensor& self, batch_dim d, std::int64_t dim0, std::int64_t dim1) {
  const std::int64_t rank = rank_of(self, d), a = behind_batch(dim0, rank), b = behind_batch(dim1, rank);
  const tensor t = in_front(self, d);
  return {rank == 0 ? aten::alias(t) : aten::transpose_int(t, a, b), 0};
}
batched_result batch_permute(const tensor& self, batch_dim d, sizes_argument dims) {
  std::vector<std::int64_t> all{0};
  for (const std::int64_t at : dims) all.push_back(behind_batch(at, rank_of(self, d)));
  return {aten::permute(in_front(self, d), all), 0};
}
batched_result batch_unsqueeze(const tensor& self, batch_dim d, std::int64_t dim) {
  return {aten::unsqueeze(in_front(self, d), behind_batch(dim, rank_of(self, d) + 1)), 0};
}
batched_result batch_squeeze(const tensor& self, batch_dim d) {
  tensor t = in_front(self, d);
  for (std::int64_t i = t.dim() - 1; i > 0; --i) {
    if (t.size(i) == 1) t = aten::squeeze_dim(t, i);
  }
  return {aten::alias(t), 0};
}
batched_result batch_squeeze_dim(const tensor& self, batch_dim d, std::int64_t dim) {
  const std::int64_t rank = rank_of(self, d), at = behind_batch(dim, rank);
  const tensor t = in_front(self, d);
  return {rank == 0 ? aten::alias(t) : aten::squeeze_dim(t, at), 0};
}
batched_result batch_expand(const tensor& self, batch_dim d, sizes_argument size, bool implicit) {
  tensor t = in_front(self, d);
  const auto rank = static_cast<std::int64_t>(size.size());
  if (rank < t.dim() - 1) throw shape_error("found fewer sizes than dimensions");
  for (std::int64_t i = t.dim() - 1; i < rank; ++i) {
    // A size of -1 keeps a dimension that the example has.
    if (size[static_cast<std::size_t>(rank - 1 - i)] < 0) throw shape_error("found -1 for a new dimension");
    t = aten::unsqueeze(t, 1);
  }
  std::vector<std::int64_t> all{t.size(0)};
  all.insert(all.end(), size.begin(), size.end());
  return {aten::expand(t, all, implicit), 0};
}
batched_result batch_view(const tensor& self, batch_dim d, sizes_argument size) {
  const tensor t = in_front(self, d);
  std::int64_t elements = 1, known = 1;
  for (std::int64_t i = 1; i < t.dim(); ++i) elements *= t.size(i);
  std::vector<std::int64_t> all{t.size(0)};
  std::size_t open = 0;
  for (const std::int64_t n : size) {
    if (n < -1 || (n == -1 && open != 0)) throw shape_error("found no sizes");
    if (n == -1)
      open = all.size();
    else
      known *= n;
    all.push_back(n);
  }
  // Of no examples, the sizes do not say what -1 stands for.
  if (open != 0) {
    if (known == 0 || elements % known != 0) throw shape_error("found no size for -1");
    all[open] = elements / known;
  } else if (known != elements) {
    throw shape_error("found sizes of another number of elements");
  }
  return {aten::view(t, all), 0};
}
batched_result batch_alias(const tensor& self, batch_dim d) { return {aten::alias(self), d}; }
batched_result batch_detach(const tensor& self, batch_dim d) { return {aten::detach(self), d}; }
batched_result batch_select(const tensor& self, batch_dim d, std::int64_t dim, std::int64_t index) {
  if (rank_of(self, d) == 0) throw shape_error("found no dimension");
  return {aten::select_int(in_front(self, d), behind_batch(dim, rank_of(self, d)), index), 0};
}
batched_result batch_slice(const tensor& self, batch_dim d, std::int64_t dim, std::optional<std::int64_t> start,
                           std::optional<std::int64_t> end, std::int64_t step) {
  if (rank_of(self, d) == 0) throw shape_error("found no dimension");
  return {aten::slice_Tensor(in_front(self, d), behind_batch(dim, rank_of(self, d)), start, end, step), 0};
}
batched_result batch_diagonal(const tensor& self, batch_dim d, std::int64_t offset, std::int64_t dim1,
                              std::int64_t dim2) {
  const std::int64_t rank = rank_of(self, d);
  if (rank < 2) throw shape_error("found no two dimensions");
  return {aten::diagonal(in_front(self, d), offset, behind_batch(dim1, rank), behind_batch(dim2, rank)), 0};
}
batched_result batch_unfold(const tensor& self, batch_dim d, std::int64_t dimension, std::int64_t size,
                            std::int64_t step) {
  const std::int64_t rank = rank_of(self, d), at = behind_batch(dimension, rank);
  const tensor t = in_front(self, d);
  if (rank != 0) return {aten::unfold(t, at, size, step), 0};
  // Of a number there is one window, without a dimension that counts them.
  return {aten::select_int(aten::unfold(aten::unsqueeze(t, 1), 1, size, step), 1, 0), 0};
}

// The strides and the offset are those of an example, whose elements have its own strides.
batched_result batch_as_strided(const tensor& self, batch_dim d, sizes_argument size, sizes_argument stride,
                                std::optional<std::int64_t> storage_offset) {
  const tensor all = in_front(self, d);
  if (size.size() != stride.size()) throw shape_error("found as many sizes as strides");
  std::vector<std::int64_t> sizes{all.size(0)}, strides{all.stride(0)};
  sizes.insert(sizes.end(), size.begin(), size.end());
  strides.insert(strides.end(), stride.begin(), stride.end());
  // No example reaches into another one.
  std::int64_t last = storage_offset.value_or(0), room = 0;
  for (std::size_t i = 0; i < size.size(); ++i) last += size[i] == 0 ? 0 : (size[i] - 1) * stride[i];
  for (std::int64_t i = 1; i < all.dim(); ++i) room += all.size(i) == 0 ? 0 : (all.size(i) - 1) * all.stride(i);
  if (last > room || storage_offset.value_or(0) < 0) throw shape_error("found elements outside of the example");
  return {aten::as_strided(all, sizes, strides, author::record_of(all).offset + storage_offset.value_or(0)), 0};
}

// Both with the batch dimension in front.
struct batched_scatter {
  std::int64_t examples;
  tensor self, src;
  batched_scatter(const tensor& whole, batch_dim d, const tensor& part, batch_dim dp)
      : examples(batch_size({{&whole, d}, {&part, dp}})),
        self(with_batch_first(whole, d, examples)),
        src(with_batch_first(part, dp, examples)) {}
};

batched_result batch_select_scatter(const tensor& self, batch_dim d, const tensor& src, batch_dim ds, std::int64_t dim,
                                    std::int64_t index) {
  if (rank_of(self, d) == 0) throw shape_error("found no dimension");
  const batched_scatter all(self, d, src, ds);
  return {aten::select_scatter(all.self, all.src, behind_batch(dim, rank_of(self, d)), index), 0};
}
batched_result batch_slice_scatter(const tensor& self, batch_dim d, const tensor& src, batch_dim ds, std::int64_t dim,
                                   std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                                   std::int64_t step) {
  if (rank_of(self, d) == 0) throw shape_error("found no dimension");
  const batched_scatter all(self, d, src, ds);
  return {aten::slice_scatter(all.self, all.src, behind_batch(dim, rank_of(self, d)), start, end, step), 0};
}
batched_result batch_diagonal_scatter(const tensor& self, batch_dim d, const tensor& src, batch_dim ds,
                                      std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  const std::int64_t rank = rank_of(self, d);
  if (rank < 2) throw shape_error("found no two dimensions");
  const batched_scatter all(self, d, src, ds);
  return {aten::diagonal_scatter(all.self, all.src, offset, behind_batch(dim1, rank), behind_batch(dim2, rank)), 0};
}

// One past the last of the elements from `offset` on; 0 if there are none.
std::int64_t end_of(std::int64_t offset, sizes_argument size, sizes_argument stride) {
  for (std::size_t i = 0; i < size.size(); ++i) {
    if (size[i] == 0) return 0;
    offset += (size[i] - 1) * stride[i];
  }
  return offset + 1;
}

// The strides and the offset are those of an example as in batch_as_strided; an example that all share has its own
// offset. Examples whose memory is interleaved are copied to lines of their own first.
batched_result batch_as_strided_scatter(const tensor& self, batch_dim d, const tensor& src, batch_dim ds,
                                        sizes_argument size, sizes_argument stride,
                                        std::optional<std::int64_t> storage_offset) {
  if (size.size() != stride.size()) throw shape_error("found as many sizes as strides");
  auto [examples, all, part] = batched_scatter(self, d, src, ds);
  const bool dense = examples != 0 && !author::has_distinct_elements(aten::select_int(all, 0, 0));
  if (dense) all = aten::clone(all, memory_format::contiguous);
  const std::int64_t before = d || dense ? 0 : author::record_of(self).offset, at = storage_offset.value_or(before);
  const shape sizes = all.sizes(), strides = all.strides();
  const std::int64_t end = end_of(before, sizes_argument(sizes).subspan(1), sizes_argument(strides).subspan(1));
  const std::int64_t length = std::max(end, end_of(at, size, stride));
  if (at < 0 || ((d || dense) && length > end)) throw shape_error("found elements outside of the example");
  if (strides[0] < length) {
    const tensor lines =
        aten::as_strided(all, shape{examples, length}, shape{strides[0], 1}, author::record_of(all).offset - before);
    shape apart = strides;
    apart[0] = length;
    all = aten::as_strided(aten::clone(lines, memory_format::contiguous), sizes, apart, before);
  }
  std::vector<std::int64_t> all_sizes{examples}, all_strides{all.stride(0)};
  all_sizes.insert(all_sizes.end(), size.begin(), size.end());
  all_strides.insert(all_strides.end(), stride.begin(), stride.end());
  return {aten::as_strided_scatter(all, part, all_sizes, all_strides, author::record_of(all).offset - before + at), 0};
}

inline constexpr auto view_rules = batching::rules(
    batching::by<aten::transpose_int, &batch_transpose>{}, batching::by<aten::permute, &batch_permute>{},
    batching::by<aten::unsqueeze, &batch_unsqueeze>{}, batching::by<aten::squeeze, &batch_squeeze>{},
    batching::by<aten::squeeze_dim, &batch_squeeze_dim>{}, batching::by<aten::expand, &batch_expand>{},
    batching::by<aten::view, &batch_view>{}, batching::by<aten::alias, &batch_alias>{},
    batching::by<aten::detach, &batch_detach>{}, batching::by<aten::select_int, &batch_select>{},
    batching::by<aten::slice_Tensor, &batch_slice>{}, batching::by<aten::diagonal, &batch_diagonal>{},
    batching::by<aten::unfold, &batch_unfold>{}, batching::by<aten::as_strided, &batch_as_strided>{},
    batching::by<aten::select_scatter, &batch_select_scatter>{},
    batching::by<aten::slice_scatter, &batch_slice_scatter>{},
    batching::by<aten::diagonal_scatter, &batch_diagonal_scatter>{},
    batching::by<aten::as_strided_scatter, &batch_as_strided_scatter>{});

}  // namespace topbit::detail
