// Batching rule of bags of rows. Internal.
module topbit.transform:embedding_bag_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :index_rules;
import :kind;
import :level;
import :rule;
import :rule_helpers;

namespace topbit::detail {

using four_batched_results = std::tuple<tensor, batch_dim, tensor, batch_dim, tensor, batch_dim, tensor, batch_dim>;

constexpr std::int64_t by_maximum = 2;

// A table of each example, with the same bags: the columns of one table.
four_batched_results bags_of_columns(const tensor& weight, std::int64_t d, const tensor& indices, const tensor& offsets,
                                     bool by_frequency, std::int64_t mode, const std::optional<tensor>& factors,
                                     bool ends, std::int64_t padding) {
  if (weight.dim() != 3) throw shape_error("found no matrix");
  const tensor all = aten::movedim_int(weight, d, 1);
  const auto [out, none, sizes, rows] =
      aten::_embedding_bag(aten::reshape(all, shape{all.size(0), all.size(1) * all.size(2)}), indices, offsets,
                           by_frequency, mode, false, factors, ends, padding);
  const auto split = [&](const tensor& t) { return aten::reshape(t, shape{sizes.size(0), all.size(1), all.size(2)}); };
  if (mode != by_maximum) return {split(out), 1, none, std::nullopt, sizes, std::nullopt, rows, std::nullopt};
  return {split(out), 1, none, std::nullopt, sizes, std::nullopt, split(rows), 1};
}

// The bags of all examples in a row, with one more for each example that says where its last bag ends: the indices
// after it. Bad offsets stay bad.
tensor offsets_in_a_row(const tensor& given, std::int64_t count) {
  const tensor offsets = to(given, dtype::int64);
  tensor valid = aten::logical_and(aten::ge_Scalar(offsets, 0), aten::le_Scalar(offsets, count));
  if (offsets.size(1) != 0) {
    const tensor first = aten::eq_Scalar(aten::narrow(offsets, 1, 0, 1), 0);
    valid = aten::logical_and(valid, first);
  }
  return aten::reshape(aten::where_ScalarOther(valid, offsets + first_rows(offsets, count), -1), shape{-1});
}

four_batched_results batch_embedding_bag(const tensor& weight, batch_dim dw, const tensor& indices, batch_dim di,
                                         const tensor& offsets, batch_dim df, bool by_frequency, std::int64_t mode,
                                         bool sparse, const std::optional<tensor>& factors, batch_dim ds, bool ends,
                                         std::int64_t padding) {
  if (sparse && dw) throw error("found sparse, which has no rule for weights of each example");
  if (dw && !di && !df && !ds) {
    return bags_of_columns(weight, *dw, indices, offsets, by_frequency, mode, factors, ends, padding);
  }
  const std::int64_t size = batch_size({{&weight, dw}, {&indices, di}, {&offsets, df}, {if_present(factors), ds}});
  tensor index = with_batch_first(indices, di, size);
  const tensor starts = with_batch_first(offsets, df, size);
  if (index.dim() != 2 || starts.dim() != 2) throw shape_error("found no row of indices or of offsets");
  const auto is_index = [](const tensor& t) { return t.dtype() == dtype::int64 || t.dtype() == dtype::int32; };
  if (!is_index(index) || !is_index(starts)) throw dtype_error("found no index");
  if (rank_of(weight, dw) != 2) throw shape_error("found no matrix");
  tensor table = in_front(weight, dw);
  const std::int64_t count = index.size(1), rows = table.size(-2);
  if (padding >= rows) throw shape_error("found no padding_idx");
  std::int64_t skipped = padding;
  if (dw) {
    const tensor pads = padding < 0 ? tensor() : aten::eq_Scalar(index, padding);
    table = aten::reshape(table, shape{size * rows, table.size(2)});
    index = own_rows(index, rows);
    if (padding >= 0) {
      // One more row stands for the padding of every example.
      skipped = size * rows;
      table = aten::cat(std::array{table, aten::new_zeros(table, shape{1, table.size(1)})}, 0);
      index =
          aten::where_ScalarSelf(pads, skipped, aten::where_ScalarOther(aten::lt_Scalar(index, skipped), index, -1));
    }
  }
  std::optional<tensor> scaled_by;
  if (is_present(factors)) scaled_by = aten::reshape(with_batch_first(*factors, ds, size), shape{-1});
  const auto [out, none, sizes, of_maxima] =
      aten::_embedding_bag(table, aten::reshape(index, shape{-1}), offsets_in_a_row(starts, count), by_frequency, mode,
                           sparse, scaled_by, false, skipped);
  const auto apart = [&](const tensor& t) {
    shape sizes_apart{size, starts.size(1)};
    for (std::int64_t i = 1; i < t.dim(); ++i) sizes_apart.push_back(t.size(i));
    const tensor each = aten::reshape(t, sizes_apart);
    return ends ? aten::narrow(each, 1, 0, starts.size(1) - 1) : each;
  };
  if (mode != by_maximum) return {apart(out), 0, none, std::nullopt, apart(sizes), 0, of_maxima, std::nullopt};
  tensor maxima = apart(of_maxima);
  if (dw) {
    maxima = aten::where_ScalarOther(aten::gt_Scalar(aten::unsqueeze(apart(sizes), -1), 0),
                                     maxima - first_rows(maxima, rows), 0);
  }
  return {apart(out), 0, none, std::nullopt, apart(sizes), 0, maxima, 0};
}

inline constexpr auto embedding_bag_rules = batching::rules(batching::by<aten::_embedding_bag, &batch_embedding_bag>{});

}  // namespace topbit::detail
