// Batching rules of lookups and writes by index. Internal.
module topbit.transform:index_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :level;
import :rule;
import :rule_helpers;

namespace topbit::detail {

using index_list = std::span<const std::optional<tensor>>;
using index_dims = std::span<const batch_dim>;

bool is_mask(const tensor& x) { return x.dtype() == dtype::boolean || x.dtype() == dtype::uint8; }

// The first of `count` rows of each example, to be added to something whose first dimension is that of examples.
tensor first_rows(const tensor& beside, std::int64_t count) {
  shape sizes(beside.dim(), 1);
  sizes[0] = beside.size(0);
  return aten::reshape(
      aten::arange(scalar(sizes[0]), arg<"dtype"> = dtype::int64, arg<"device"> = beside.device()) * count, sizes);
}

// An index into rows of `count`, of each example's own: out of range stays out of range.
tensor own_rows(const tensor& index, std::int64_t count) {
  const tensor i = to(index, dtype::int64), offsets = first_rows(i, count);
  const std::int64_t examples = i.size(0);
  const tensor valid = aten::logical_and(aten::ge_Scalar(i, 0), aten::lt_Scalar(i, count));
  return aten::where_ScalarOther(valid, i + offsets, examples * count);
}

batched_result batch_index_select(const tensor& self, batch_dim d, std::int64_t dim, const tensor& index,
                                  batch_dim di) {
  const std::int64_t rank = rank_of(self, d), at = behind_batch(dim, rank);
  if (rank_of(index, di) > 1) throw shape_error("found an index of several dimensions");
  if (!di) {
    tensor all = in_front(self, d);
    if (rank != 0) return {aten::index_select(all, at, index), 0};
    return {aten::squeeze_dim(aten::index_select(aten::unsqueeze(all, 1), 1, index), 1), 0};
  }
  const std::int64_t size = index.size(*di);
  tensor all = with_batch_first(self, d, size), places = in_front(index, di);
  if (rank == 0) all = aten::unsqueeze(all, 1);
  if (places.dim() == 1) places = aten::unsqueeze(places, 1);
  if (places.dtype() != dtype::int64 && places.dtype() != dtype::int32) throw dtype_error("found no index");
  shape looked_up = all.sizes(), row(all.sizes().size(), 1);
  looked_up[static_cast<std::size_t>(at)] = places.size(1);
  row[0] = size;
  row[static_cast<std::size_t>(at)] = places.size(1);
  const tensor found = aten::gather(all, at, aten::expand(aten::reshape(to(places, dtype::int64), row), looked_up));
  return {rank == 0 ? aten::squeeze_dim(found, 1) : found, 0};
}

// The tensors of index_add() and its like: with batched indices, the batch is part of the indexed dimension.
struct indexed_write {
  tensor self, index, source;
  std::int64_t dim, size, count;
  bool number, merged;

  indexed_write(const tensor& self_given, batch_dim d, std::int64_t dim_given, const tensor& index_given, batch_dim di,
                const tensor& source_given, batch_dim ds)
      : index(index_given), number(rank_of(self_given, d) == 0), merged(di.has_value()) {
    if (rank_of(index_given, di) > 1) throw shape_error("found an index of several dimensions");
    if (index.dtype() != dtype::int64 && index.dtype() != dtype::int32) throw dtype_error("found no index");
    dim = behind_batch(dim_given, rank_of(self_given, d));
    size = batch_size({{&self_given, d}, {&index_given, di}, {&source_given, ds}});
    self = with_batch_first(self_given, d, size);
    source = with_batch_first(source_given, ds, size);
    if (number) self = aten::unsqueeze(self, 1);
    if (source.dim() == 1) source = aten::unsqueeze(source, 1);
    count = self.size(dim);
    if (!merged) return;
    index = in_front(index, di);
    if (index.dim() == 1) index = aten::unsqueeze(index, 1);
    if (source.dim() != self.dim() || source.size(dim) != index.size(1)) throw shape_error("found other sizes");
    index = aten::reshape(own_rows(index, count), shape{size * index.size(1)});
    self = rows(self);
    source = rows(source);
  }
  std::int64_t where_to_write() const { return merged ? 0 : dim; }
  batched_result finish(tensor result) const {
    if (merged) {
      shape apart{size, count};
      for (std::int64_t i = 1; i < result.dim(); ++i) apart.push_back(result.size(i));
      result = aten::movedim_int(aten::reshape(result, apart), 1, dim);
    }
    return {number ? aten::squeeze_dim(result, 1) : result, 0};
  }

 private:
  tensor rows(const tensor& x) const {
    const tensor first = aten::movedim_int(x, dim, 1);
    shape together{size * first.size(1)};
    for (std::int64_t i = 2; i < first.dim(); ++i) together.push_back(first.size(i));
    return aten::reshape(first, together);
  }
};

batched_result batch_index_add(const tensor& self, batch_dim d, std::int64_t dim, const tensor& index, batch_dim di,
                               const tensor& source, batch_dim ds, const scalar& alpha) {
  const indexed_write w(self, d, dim, index, di, source, ds);
  return w.finish(aten::index_add(w.self, w.where_to_write(), w.index, w.source, alpha));
}
batched_result batch_index_copy(const tensor& self, batch_dim d, std::int64_t dim, const tensor& index, batch_dim di,
                                const tensor& source, batch_dim ds) {
  const indexed_write w(self, d, dim, index, di, source, ds);
  return w.finish(aten::index_copy(w.self, w.where_to_write(), w.index, w.source));
}
batched_result batch_index_reduce(const tensor& self, batch_dim d, std::int64_t dim, const tensor& index, batch_dim di,
                                  const tensor& source, batch_dim ds, std::string_view reduce, bool include_self) {
  const indexed_write w(self, d, dim, index, di, source, ds);
  return w.finish(aten::index_reduce(w.self, w.where_to_write(), w.index, w.source, reduce, include_self));
}

// Index tensors for each dimension of the examples of a tensor with the batch in front: an index for the batch before
// them, if one of them is batched; coordinates in place of masks, which are the same for all examples.
struct batched_indices {
  std::vector<std::optional<tensor>> all;
  std::int64_t rank = 0;             // of what they select together
  std::int64_t first = 0, dims = 0;  // the first indexed dimension of an example, and how many are indexed
  bool together = true;              // no whole dimension is between them

  batched_indices(std::string_view op, index_list given, index_dims at, std::int64_t size, device where) {
    std::vector<std::pair<std::optional<tensor>, batch_dim>> each;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!is_present(given[i])) {
        each.emplace_back();
      } else if (!is_mask(*given[i])) {
        each.emplace_back(given[i], at[i]);
      } else {
        if (at[i]) {
          throw shape_error(
              std::string(op) +
                  ": found a mask of each example, which may select other numbers of elements; use where() or "
                  "masked_fill()",
              std::string(op));
        }
        for (const tensor& c : aten::unbind_int(aten::nonzero(*given[i]), 1)) each.emplace_back(c, batch_dim());
      }
    }
    std::int64_t end = 0, at_dim = 0;
    for (const auto& [x, d] : each) {
      if (x) {
        if (dims == 0) first = at_dim;
        together = together && (dims == 0 || end == at_dim);
        end = at_dim + 1;
        ++dims;
        rank = std::max(rank, rank_of(*x, d));
      }
      ++at_dim;
    }
    shape examples{size};
    for (std::int64_t i = 0; i < rank; ++i) examples.push_back(1);
    all.emplace_back(
        aten::reshape(aten::arange(scalar(size), arg<"dtype"> = dtype::int64, arg<"device"> = where), examples));
    for (const auto& [x, d] : each) {
      if (!x) {
        all.emplace_back();
        continue;
      }
      tensor i = in_front(*x, d);
      if (d) {
        while (i.dim() < rank + 1) i = aten::unsqueeze(i, 1);
      }
      all.emplace_back(std::move(i));
    }
  }
  // Whole dimensions of an example before the selected ones: these come first in what an index with the batch gives.
  std::int64_t whole_before() const { return together ? first : 0; }
};

// Dimensions 1 to n behind the following m, or back.
tensor exchanged(const tensor& x, std::int64_t n, std::int64_t m) {
  std::vector<std::int64_t> order{0};
  for (std::int64_t i = 0; i < m; ++i) order.push_back(1 + n + i);
  for (std::int64_t i = 0; i < n; ++i) order.push_back(1 + i);
  for (std::int64_t i = 1 + n + m; i < x.dim(); ++i) order.push_back(i);
  return aten::permute(x, order);
}

batched_result batch_index(const tensor& self, batch_dim d, index_list indices, index_dims at) {
  std::int64_t size = d ? self.size(*d) : 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (at[i]) size = indices[i]->size(*at[i]);
  }
  const tensor all = with_batch_first(self, d, size);
  const batched_indices to_look_up(aten::index_Tensor.name(), indices, at, size, self.device());
  if (to_look_up.dims > rank_of(self, d)) throw shape_error("found too many indices");
  const tensor found = aten::index_Tensor(all, to_look_up.all);
  const std::int64_t before = to_look_up.whole_before();
  return {before == 0 ? found : exchanged(found, to_look_up.rank, before), 0};
}

batched_result batch_index_put(const tensor& self, batch_dim d, index_list indices, index_dims at, const tensor& values,
                               batch_dim dv, bool accumulate) {
  std::int64_t size = batch_size({{&self, d}, {&values, dv}});
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (at[i]) size = indices[i]->size(*at[i]);
  }
  const std::int64_t rank = rank_of(self, d);
  const tensor all = with_batch_first(self, d, size);
  // A mask of each example, over all elements, and one number: a choice.
  if (indices.size() == 1 && at[0] && is_mask(*indices[0]) && rank_of(*indices[0], at[0]) == rank && !accumulate &&
      rank_of(values, dv) == 0 && values.dtype() == self.dtype()) {
    tensor number = in_front(values, dv);
    while (dv && number.dim() < all.dim()) number = aten::unsqueeze(number, -1);
    return {aten::where_self(to(in_front(*indices[0], at[0]), dtype::boolean), number, all), 0};
  }
  const batched_indices to_write(aten::index_put.name(), indices, at, size, self.device());
  if (to_write.dims > rank) throw shape_error("found too many indices");
  const std::int64_t written = to_write.rank + rank - to_write.dims, before = to_write.whole_before();
  tensor v = in_front(values, dv);
  if (rank_of(values, dv) > written) throw shape_error("found values of more dimensions");
  if (dv || before != 0) {
    const std::int64_t at_least = written + (dv ? 1 : 0);
    while (v.dim() < at_least) v = aten::unsqueeze(v, dv ? 1 : 0);
    if (!dv) v = aten::unsqueeze(v, 0);
    if (before != 0) v = exchanged(v, before, to_write.rank);
  }
  return {aten::index_put(all, to_write.all, v, accumulate), 0};
}

batched_result batch_take(const tensor& self, batch_dim d, const tensor& index, batch_dim di) {
  if (!d) return {aten::take(self, index), di};
  if (index.dtype() != dtype::int64) throw dtype_error("found no index");
  const tensor flat = flattened(in_front(self, d));
  const std::int64_t count = flat.size(1);
  const tensor places = in_front(index, di);
  const tensor from_front = aten::where_self(aten::lt_Scalar(places, 0), places + count, places);
  if (!di) {
    shape sizes{flat.size(0)};
    for (const std::int64_t n : index.sizes()) sizes.push_back(n);
    return {aten::reshape(aten::index_select(flat, 1, aten::reshape(from_front, shape{-1})), sizes), 0};
  }
  return {aten::reshape(aten::gather(flat, 1, flattened(from_front)), places.sizes()), 0};
}

// Operators as compositions of others, on what the mapped function sees.

tensor fill_by_parts(const tensor& self, const tensor& x) {
  if (x.dim() != 0) throw shape_error("found no number");
  return aten::clone(aten::expand(to(x, self.dtype()), self.sizes()), memory_format::contiguous);
}
tensor masked_fill_by_parts(const tensor& self, const tensor& mask, const tensor& x) {
  if (x.dim() != 0) throw shape_error("found no number");
  if (mask.dtype() != dtype::boolean) throw dtype_error("found no mask");
  return aten::where_self(mask, to(x, self.dtype()), self);
}
tensor masked_select_by_parts(const tensor& self, const tensor& mask) {
  if (mask.dtype() != dtype::boolean) throw dtype_error("found no mask");
  if (author::is_batched(mask)) {
    throw shape_error(
        std::string(aten::masked_select.name()) +
            ": the size of its result depends on elements, and examples may differ; use where(condition, a, "
            "b) or a mask",
        std::string(aten::masked_select.name()));
  }
  const std::vector<tensor> same = aten::broadcast_tensors(std::array{self, mask});
  const std::optional<tensor> chosen[] = {same[1]};
  return aten::index_Tensor(same[0], chosen);
}
// Element number n of the source goes where the mask is True for the n-th time.
tensor masked_scatter_by_parts(const tensor& self, const tensor& mask, const tensor& source) {
  if (mask.dtype() != dtype::boolean || self.dtype() != source.dtype()) throw dtype_error("found other dtypes");
  const std::vector<tensor> same = aten::broadcast_tensors(std::array{self, mask});
  const tensor chosen = aten::reshape(same[1], shape{-1});
  const tensor place = aten::clamp(aten::cumsum(chosen, 0) - 1, scalar(0), std::nullopt);
  // One more element, for what is not chosen; what is chosen beyond the source has a place that is out of range.
  const tensor elements =
      aten::cat(std::array{aten::reshape(source, shape{-1}),
                           aten::zeros(shape{1}, arg<"dtype"> = source.dtype(), arg<"device"> = source.device())},
                0);
  const tensor beyond = to(aten::ge_Scalar(place, source.numel()), dtype::int64);
  const tensor taken = aten::gather(elements, 0, aten::where_ScalarOther(chosen, place + beyond, 0));
  return aten::where_self(same[1], aten::reshape(taken, same[1].sizes()), same[0]);
}
tensor isin_by_parts(const tensor& elements, const tensor& wanted, bool, bool invert) {
  const tensor each = aten::unsqueeze(aten::reshape(elements, shape{-1}), 1);
  const tensor found = aten::any_dim(aten::eq_Tensor(each, aten::reshape(wanted, shape{1, -1})), 1);
  return aten::reshape(invert ? aten::logical_not(found) : found, elements.sizes());
}
tensor one_hot_by_parts(const tensor& self, std::int64_t classes) {
  if (self.dtype() != dtype::int64) throw dtype_error("found no labels");
  if (classes < 0) {
    throw shape_error(std::string(aten::one_hot.name()) +
                          ": the number of classes depends on elements, and examples may differ; give num_classes",
                      std::string(aten::one_hot.name()));
  }
  shape sizes = self.sizes();
  sizes.push_back(classes);
  const tensor none = aten::zeros(sizes, arg<"dtype"> = dtype::int64, arg<"device"> = self.device());
  return aten::scatter_value(none, -1, aten::unsqueeze(self, -1), scalar(1));
}
batched_result batch_embedding(const tensor& weight, batch_dim dw, const tensor& indices, batch_dim di,
                               std::int64_t padding_idx, bool scale_grad_by_freq, bool sparse) {
  if (!dw) return {aten::embedding(weight, in_front(indices, di), padding_idx, scale_grad_by_freq, sparse), 0};
  const std::int64_t size = weight.size(*dw);
  const tensor rows = in_front(weight, dw), places = with_batch_first(indices, di, size);
  if (rows.dim() != 3) throw shape_error("found no matrix");
  if (places.dtype() != dtype::int64 && places.dtype() != dtype::int32) throw dtype_error("found no index");
  if (scale_grad_by_freq) throw error("found scale_grad_by_freq, which has no rule for weights of each example");
  shape sizes = places.sizes();
  sizes.push_back(rows.size(2));
  const tensor found = aten::reshape(aten::index_select(aten::reshape(rows, shape{size * rows.size(1), rows.size(2)}),
                                                        0, aten::reshape(own_rows(places, rows.size(1)), shape{-1})),
                                     sizes);
  if (padding_idx < 0) return {found, 0};
  // The padding gets no gradient.
  return {aten::where_self(aten::unsqueeze(aten::eq_Scalar(places, padding_idx), -1), aten::detach(found), found), 0};
}
tensor embedding_backward_by_parts(const tensor& gradient, const tensor& indices, std::int64_t rows,
                                   std::int64_t padding_idx, bool scale_grad_by_freq) {
  const tensor places = aten::reshape(indices, shape{-1});
  tensor each = aten::reshape(gradient, shape{places.size(0), gradient.size(-1)});
  const auto none = [&](const shape& sizes) {
    return aten::zeros(sizes, arg<"dtype"> = each.dtype(), arg<"device"> = each.device());
  };
  if (scale_grad_by_freq) {
    const tensor one = aten::ones(places.sizes(), arg<"dtype"> = each.dtype(), arg<"device"> = each.device());
    const tensor counts = aten::index_add(none({rows}), 0, places, one);
    each = aten::div_Tensor(each, aten::unsqueeze(aten::index_select(counts, 0, places), 1));
  }
  if (padding_idx >= 0)
    each = aten::masked_fill_Scalar(each, aten::unsqueeze(aten::eq_Scalar(places, padding_idx), 1), 0);
  return aten::index_add(none({rows, each.size(1)}), 0, places, each);
}

batched_result batch_searchsorted(const tensor& sequence, batch_dim d, const tensor& values, batch_dim dv,
                                  bool out_int32, bool right, std::optional<std::string_view> side,
                                  const std::optional<tensor>& sorter, batch_dim dr) {
  const bool sorts = is_present(sorter);
  if (!d && !dr && sequence.dim() == 1) {
    return {aten::searchsorted_Tensor(sequence, in_front(values, dv), out_int32, right, side, sorter), 0};
  }
  const std::int64_t size = batch_size({{&sequence, d}, {&values, dv}, {if_present(sorter), dr}});
  const tensor rows = with_batch_first(sequence, d, size), wanted = with_batch_first(values, dv, size);
  std::optional<tensor> order;
  if (sorts) order = with_batch_first(*sorter, dr, size);
  if (rows.dim() != 2) return {aten::searchsorted_Tensor(rows, wanted, out_int32, right, side, order), 0};
  // One row for all values of an example.
  return {
      aten::reshape(aten::searchsorted_Tensor(rows, flattened(wanted), out_int32, right, side, order), wanted.sizes()),
      0};
}
batched_result batch_bucketize(const tensor& values, batch_dim dv, const tensor& boundaries, batch_dim d,
                               bool out_int32, bool right) {
  if (rank_of(boundaries, d) != 1) throw shape_error("found no row");
  return batch_searchsorted(boundaries, d, values, dv, out_int32, right, std::nullopt, std::nullopt, std::nullopt);
}

tensor histc_by_parts(const tensor& self, std::int64_t bins, const scalar& min, const scalar& max) {
  const double least = min.to_double(), most = max.to_double();
  const bool floats = self.dtype() == dtype::float32 || self.dtype() == dtype::float64;
  if (!floats || bins < 1 || !(least <= most)) throw error("found no range");
  const tensor x = to(aten::reshape(self, shape{-1}), dtype::float64);
  const auto number = [&](double n) {
    return aten::scalar_tensor(scalar(n), arg<"dtype"> = dtype::float64, arg<"device"> = self.device());
  };
  tensor low = number(least), high = number(most);
  if (least == most && x.numel() != 0) {
    low = aten::amin(x);
    high = aten::amax(x);
    const tensor one_value = aten::eq_Tensor(low, high);
    low = aten::where_self(one_value, low - 1.0, low);
    high = aten::where_self(one_value, high + 1.0, high);
  }
  const tensor inside = aten::logical_and(aten::ge_Tensor(x, low), aten::le_Tensor(x, high));
  const tensor bin = aten::clamp(
      aten::floor_divide(aten::mul_Scalar(aten::sub_Tensor(x, low), scalar(static_cast<double>(bins))), high - low),
      std::nullopt, scalar(bins - 1));
  const tensor counts = aten::zeros(shape{bins}, arg<"dtype"> = self.dtype(), arg<"device"> = self.device());
  return aten::scatter_add(counts, 0, to(aten::where_ScalarOther(inside, bin, 0), dtype::int64),
                           to(inside, self.dtype()));
}

inline constexpr auto index_rules = batching::rules(
    batching::by<aten::index_select, &batch_index_select>{}, batching::by<aten::index_add, &batch_index_add>{},
    batching::by<aten::index_copy, &batch_index_copy>{}, batching::by<aten::index_reduce, &batch_index_reduce>{},
    batching::by<aten::index_Tensor, &batch_index>{}, batching::by<aten::index_put, &batch_index_put>{},
    batching::by<aten::take, &batch_take>{}, batching::by_parts<aten::fill_Tensor, &fill_by_parts>{},
    batching::by_parts<aten::masked_fill_Tensor, &masked_fill_by_parts>{},
    batching::by_parts<aten::masked_select, &masked_select_by_parts>{},
    batching::by_parts<aten::masked_scatter, &masked_scatter_by_parts>{},
    batching::by_parts<aten::isin_Tensor_Tensor, &isin_by_parts>{},
    batching::by_parts<aten::one_hot, &one_hot_by_parts>{}, batching::by<aten::embedding, &batch_embedding>{},
    batching::by_parts<aten::embedding_dense_backward, &embedding_backward_by_parts>{},
    batching::by<aten::searchsorted_Tensor, &batch_searchsorted>{},
    batching::by<aten::bucketize_Tensor, &batch_bucketize>{}, batching::by_parts<aten::histc, &histc_by_parts>{});

}  // namespace topbit::detail
