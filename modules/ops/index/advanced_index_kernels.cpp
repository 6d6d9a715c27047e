// Kernels of the family `advanced_index`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :index.advanced_index_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

[[noreturn]] void refuse_mask(backend_call c, const tensor& mask) {
  refuse<dtype_error>(c, "found a mask of " + std::string(name_of(mask.dtype())) + ", wanted bool");
}

tensor expanded(const tensor& t, const shape& sizes) {
  shape strides(sizes.size(), 0);
  const std::size_t added = sizes.size() - t.dim();
  for (std::size_t d = 0; d < t.sizes().size(); ++d) strides[added + d] = t.sizes()[d] == 1 ? 0 : t.strides()[d];
  return author::make_view(t, sizes, strides, author::record_of(t).offset);
}

// An advanced index applied to a tensor: the indexed dimensions made adjacent, and the sizes of the result.
struct index_plan {
  tensor self;  // with the indexed dimensions adjacent from `first` on
  std::size_t first = 0;
  std::vector<tensor> index;  // int64, broadcast to `common`, dense
  shape lengths, common, result;
  std::int64_t outer = 1, inner = 1, count = 1;

  // On meta the number of elements that a mask selects is unknown; it matches any size, unless it determines the size
  // of a result (`sized`).
  index_plan(backend_call c, const tensor& given, index_tensors indices, bool sized);
  take_call call(take_code code) const { return {code, outer, count, inner, index, lengths, true}; }
  // Throws if an index is out of range.
  void check(backend_call c, const tensor& rows) const {
    if (!index.empty()) run_take(c, call(take_code::check), rows, self);
  }
};

// A data-dependent size, unknown on meta.
constexpr std::int64_t any_size = -1;

struct index_by_dim {
  std::vector<tensor> index;
  bool open = false;  // one element represents those that a mask selects
};

// Replaces masks by the coordinates of their true elements; other indices stay as given, by dimension.
index_by_dim coordinates(backend_call c, const tensor& self, index_tensors indices, bool sized) {
  index_by_dim out;
  std::vector<tensor>& by_dim = out.index;
  const auto fits = [&](std::size_t taken) {
    if (by_dim.size() + taken <= self.sizes().size()) return;
    refuse<shape_error>(c, "found more indices than the dimensions of " + to_string(self.sizes()));
  };
  for (const std::optional<tensor>& i : indices) {
    if (!i || !i->defined()) {
      fits(1);
      by_dim.emplace_back();
      continue;
    }
    if (!is_mask(*i)) {
      check_integer_index(c, *i);
      fits(1);
      by_dim.push_back(in_dtype(c, *i, dtype::int64));
      continue;
    }
    if (i->dim() == 0) refuse<shape_error>(c, "found a zero-dimensional mask, wanted at least one dimension");
    fits(i->sizes().size());
    for (std::size_t d = 0; d < i->sizes().size(); ++d) {
      if (i->sizes()[d] == self.sizes()[by_dim.size() + d]) continue;
      refuse<shape_error>(c, "found a mask " + to_string(i->sizes()) + " for dimension " +
                                 std::to_string(by_dim.size()) + " of " + to_string(self.sizes()) +
                                 ", wanted the same sizes");
    }
    if (c.table == nullptr && !sized) {
      by_dim.insert(by_dim.end(), i->sizes().size(), author::make_tensor({1}, dtype::int64, i->device()));
      out.open = true;
      continue;
    }
    const tensor coordinates_of_true = nonzero_of(c, *i);
    for (std::int64_t d = 0; d < i->dim(); ++d) {
      by_dim.push_back(author::make_view(coordinates_of_true, {coordinates_of_true.sizes()[0]},
                                         {coordinates_of_true.strides()[0]}, d));
    }
  }
  by_dim.resize(self.dim());
  return out;
}

index_plan::index_plan(backend_call c, const tensor& given, index_tensors indices, bool sized) : self(given) {
  check_defined(c, given);
  const auto [by_dim, open] = coordinates(c, given, indices, sized);
  shape taken, kept;
  for (std::size_t d = 0; d < by_dim.size(); ++d) {
    (by_dim[d].defined() ? taken : kept).push_back(static_cast<std::int64_t>(d));
    if (by_dim[d].defined()) common = broadcast(c.op, common, by_dim[d].sizes());
  }
  if (taken.empty()) {
    result = given.sizes();
    return;
  }
  const bool together = taken[taken.size() - 1] - taken[0] + 1 == static_cast<std::int64_t>(taken.size());
  first = together ? static_cast<std::size_t>(taken[0]) : 0;
  shape sizes, strides;
  const auto add = [&](std::int64_t d) {
    sizes.push_back(given.sizes()[static_cast<std::size_t>(d)]);
    strides.push_back(given.strides()[static_cast<std::size_t>(d)]);
  };
  for (std::size_t k = 0; k < first; ++k) add(kept[k]);
  for (std::int64_t d : taken) add(d);
  for (std::size_t k = first; k < kept.size(); ++k) add(kept[k]);
  self = author::make_view(given, sizes, strides, author::record_of(given).offset);
  if (common.size() + kept.size() > max_dims) {
    refuse<shape_error>(c, "the result has " + std::to_string(common.size() + kept.size()) +
                               " dimensions, wanted at most " + std::to_string(max_dims));
  }
  for (std::size_t k = 0; k < first; ++k) result.push_back(sizes[k]), outer *= sizes[k];
  for (std::int64_t n : common) result.push_back(n), count *= n;
  if (open && common[common.size() - 1] == 1) result[result.size() - 1] = any_size;
  for (std::size_t k = first + taken.size(); k < sizes.size(); ++k) result.push_back(sizes[k]), inner *= sizes[k];
  for (std::int64_t d : taken) {
    lengths.push_back(given.sizes()[static_cast<std::size_t>(d)]);
    const tensor wide = expanded(by_dim[static_cast<std::size_t>(d)], common);
    if (c.table == nullptr) continue;
    // An index that shares memory with the written tensor is copied: kernels read it again for each element.
    index.push_back(author::share_memory(wide, given) ? dense_copy(c, wide, wide.dtype()) : dense(c, wide));
  }
}

// An extreme of a tensor that is not empty.
template <class T>
T extreme(backend_call c, reduction code, const tensor& t) {
  const tensor one = author::make_tensor({}, t.dtype(), t.device());
  run_reduction(c, order_call(c.op, code, t, std::nullopt, false), one);
  return item<T>(one);
}
std::int64_t greatest(backend_call c, const tensor& t) {
  return extreme<std::int64_t>(c, reduction::max, in_dtype(c, t, dtype::int64));
}

// The minimum and the maximum of a row that is not empty, in one pass where the backend can.
template <class T>
std::pair<T, T> extremes(backend_call c, dtype type, const tensor& row) {
  constexpr auto at_once = all_of(rowwise::minmax);
  if (!offers(c.table, at_once)) {
    return {extreme<T>(c, reduction::min, row), extreme<T>(c, reduction::max, row)};
  }
  const tensor least = author::make_tensor({1}, type, row.device()),
               most = author::make_tensor({1}, type, row.device());
  run_rows(c, {rowwise::minmax, type, 0, row.sizes()}, {written(least), written(most), read(row)});
  return {item<T>(least), item<T>(most)};
}

void put(backend_call c, tensor& self, const index_plan& p, const tensor& values, bool accumulate) {
  // Values that share memory with the written tensor are copied: kernels read them while they write it.
  const bool direct = values.sizes() == p.result && !author::share_memory(values, self);
  tensor rows = direct ? dense(c, values) : author::make_tensor(p.result, self.dtype(), self.device());
  if (!direct) copy(c, rows, values);
  if (p.index.empty()) {
    if (accumulate) return run_elementwise_in(c, elementwise::add, self.dtype(), collect(self, rows, scalar(1)), self);
    copy(c, self, rows);
    return;
  }
  if (rows.numel() == 0) return p.check(c, rows);
  const tensor table = dense(c, p.self);
  run_take(c, p.call(accumulate ? take_code::put_add : take_code::put), rows, table);
  if (table.same_as(p.self)) return;
  tensor to = p.self;
  copy(c, to, table);
}

void check_values(backend_call c, const tensor& self, const index_plan& p, const tensor& values) {
  check_defined(c, values);
  if (values.dtype() != self.dtype()) {
    refuse<dtype_error>(c, "found values of " + std::string(name_of(values.dtype())) + " for " + describe(self) +
                               ", wanted one dtype; convert one with to()");
  }
  bool fits = values.sizes().size() <= p.result.size();
  for (std::size_t i = 1; fits && i <= values.sizes().size(); ++i) {
    const std::int64_t n = values.sizes()[values.sizes().size() - i], wanted = p.result[p.result.size() - i];
    fits = n == 1 || n == wanted || wanted == any_size;
  }
  if (fits) return;
  refuse<shape_error>(
      c, "found values " + to_string(values.sizes()) + ", wanted them to broadcast to " + to_string(p.result));
}

}  // namespace

tensor index_kernel::run(backend_call c, const tensor& self, index_tensors indices) {
  const index_plan p(c, self, indices, true);
  tensor out = make_result(dense_meta(p.result, self.dtype(), self));
  if (c.table == nullptr) return out;
  if (p.index.empty()) return copy(c, out, self);
  if (out.numel() == 0)
    p.check(c, out);
  else
    run_take(c, p.call(take_code::take), out, dense(c, p.self));
  return out;
}

tensor& index_put_kernel::run(backend_call c, tensor& self, index_tensors indices, const tensor& values,
                              bool accumulate) {
  check_defined(c, self);
  const index_plan p(c, self, indices, false);
  check_values(c, self, p, values);
  check_written(c, self);
  if (c.table != nullptr) put(c, self, p, values, accumulate);
  return self;
}

tensor index_put_copy_kernel::run(backend_call c, const tensor& self, index_tensors indices, const tensor& values,
                                  bool accumulate) {
  check_defined(c, self);
  tensor out = c.table == nullptr ? author::make_tensor(self.sizes(), self.dtype(), self.device())
                                  : dense_copy(c, self, self.dtype());
  return index_put_kernel::run(c, out, indices, values, accumulate);
}

result_meta masked_fill_meta(std::string_view op, const tensor& self, const tensor& mask) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_defined(c, mask);
  if (!is_mask(mask)) refuse_mask(c, mask);
  return broadcast_meta(op, collect(self, mask), self.dtype());
}
result_meta masked_fill_tensor_kernel::meta(std::string_view op, const tensor& self, const tensor& mask,
                                            const tensor& value) {
  const backend_call c{nullptr, op};
  check_defined(c, value);
  if (value.dim() != 0) {
    refuse<shape_error>(c, "found a value " + to_string(value.sizes()) + ", wanted no dimensions");
  }
  return masked_fill_meta(op, self, mask);
}
void run_masked_fill(backend_call c, const tensor& self, const tensor& mask, const tensor& value, const tensor& out) {
  const tensor flags = in_dtype(c, mask, dtype::boolean);
  run_elementwise_in(c, elementwise::where, self.dtype(), collect(flags, value, self), out);
}

tensor masked_select_kernel::run(backend_call c, const tensor& self, const tensor& mask) {
  check_defined(c, self);
  check_defined(c, mask);
  if (!is_mask(mask)) refuse_mask(c, mask);
  const shape sizes = broadcast(c.op, self.sizes(), mask.sizes());
  constexpr auto at_once = all_of(rowwise::compress, reduction::count_nonzero);
  if (c.table != nullptr && offers(c.table, at_once)) {
    const tensor all = dense(c, expanded(self, sizes)), chosen = dense(c, expanded(mask, sizes));
    const tensor number = author::make_tensor({}, dtype::int64, self.device());
    run_reduction(c, count_call(c.op, chosen, {}), number);
    const tensor out = make_result(dense_meta({item<std::int64_t>(number)}, self.dtype(), self));
    if (out.numel() == 0) return out;
    const shape row{all.numel()};
    const tensor in = reshaped(all, row), flags = reshaped(chosen, row);
    run_rows(c, {rowwise::compress, self.dtype(), 0, row}, {written(out), read(in), read(flags)});
    return out;
  }
  const std::optional<tensor> index[] = {at_least_1d(expanded(mask, sizes))};
  return index_kernel::run(c, at_least_1d(expanded(self, sizes)), index);
}

namespace {

// `self` has the broadcast sizes already.
tensor& put_masked(backend_call c, tensor& self, const tensor& mask, const tensor& source) {
  if (source.dtype() != self.dtype()) {
    refuse<dtype_error>(c, "found a source of " + std::string(name_of(source.dtype())) + " for " + describe(self) +
                               ", wanted one dtype; convert one with to()");
  }
  check_written(c, self);
  if (c.table == nullptr) return self;
  tensor to = at_least_1d(self);
  const tensor coordinates_of_true =
      nonzero_of(c, at_least_1d(expanded(in_dtype(c, mask, dtype::boolean), self.sizes())));
  const std::int64_t count = coordinates_of_true.sizes()[0];
  if (source.numel() < count) {
    refuse<shape_error>(c, "found " + std::to_string(source.numel()) + " elements in the source, wanted " +
                               std::to_string(count) + ", one for each True of the mask");
  }
  std::vector<std::optional<tensor>> index;
  for (std::int64_t d = 0; d < to.dim(); ++d) {
    index.emplace_back(author::make_view(coordinates_of_true, {count}, {coordinates_of_true.strides()[0]}, d));
  }
  const tensor values = reshaped(dense(c, source), {source.numel()});
  index_put_kernel::run(c, to, index, author::make_view(values, {count}, {1}, author::record_of(values).offset), false);
  return self;
}

shape masked_sizes(backend_call c, const tensor& self, const tensor& mask, const tensor& source) {
  check_defined(c, self);
  check_defined(c, mask);
  check_defined(c, source);
  if (!is_mask(mask)) refuse_mask(c, mask);
  return broadcast(c.op, self.sizes(), mask.sizes());
}

}  // namespace

tensor& masked_scatter_kernel::run(backend_call c, tensor& self, const tensor& mask, const tensor& source) {
  const shape sizes = masked_sizes(c, self, mask, source);
  if (sizes != self.sizes()) {
    refuse<shape_error>(c, "found a mask " + to_string(mask.sizes()) + " for " + to_string(self.sizes()) +
                               ", wanted it to broadcast to those sizes");
  }
  return put_masked(c, self, mask, source);
}
tensor masked_scatter_copy_kernel::run(backend_call c, const tensor& self, const tensor& mask, const tensor& source) {
  const shape sizes = masked_sizes(c, self, mask, source);
  tensor out = author::make_tensor(sizes, self.dtype(), self.device());
  if (c.table != nullptr) copy(c, out, expanded(self, sizes));
  return put_masked(c, out, mask, source);
}

tensor one_hot_kernel::run(backend_call c, const tensor& self, std::int64_t classes) {
  check_defined(c, self);
  if (self.dtype() != dtype::int64) {
    refuse<dtype_error>(c, "found labels of " + std::string(name_of(self.dtype())) + ", wanted int64");
  }
  if (self.dim() == max_dims) refuse<shape_error>(c, "found labels " + to_string(self.sizes()));
  if (classes == -1) {
    if (c.table == nullptr || self.numel() == 0) {
      refuse<error>(c, "found num_classes=-1 and no labels to count, wanted the number of classes");
    }
    classes = sum_of(c, "number of classes", greatest(c, self), 1);
  }
  if (classes < 1) refuse<error>(c, "found num_classes " + std::to_string(classes) + ", wanted 1 or more, or -1");
  shape sizes = self.sizes();
  sizes.push_back(classes);
  tensor out = make_result(dense_meta(sizes, dtype::int64, self));
  fill(c, out, 0);
  if (c.table == nullptr || out.numel() == 0) return out;
  const std::int64_t count = self.numel();
  const tensor rows = reshaped(out, {count, classes}), labels = reshaped(flat_index(c, self), {count, 1});
  const tensor one = author::make_view(one_number(c, out, 1), {count, 1}, {0, 0}, 0);
  run_rows(c, {rowwise::scatter, dtype::int64, 1, labels.sizes(), classes}, {written(rows), read(one), read(labels)});
  return out;
}

tensor bincount_kernel::run(backend_call c, const tensor& self, const std::optional<tensor>& weights,
                            std::int64_t least) {
  check_defined(c, self);
  if (!is_integer(self.dtype())) {
    refuse<dtype_error>(c, "found " + std::string(name_of(self.dtype())) + ", wanted integers");
  }
  if (self.dim() != 1) refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted one dimension");
  const bool weighted = weights && weights->defined();
  if (weighted && weights->sizes() != self.sizes()) {
    refuse<shape_error>(
        c, "found " + to_string(self.sizes()) + " and weights " + to_string(weights->sizes()) + ", wanted equal sizes");
  }
  if (least < 0) refuse<error>(c, "found minlength " + std::to_string(least) + ", wanted 0 or more");
  if (c.table == nullptr)
    refuse<error>(c, "a meta tensor has no elements, and the result's size depends on the maximum");
  constexpr auto at_once = all_of(rowwise::minmax, rowwise::bincount);
  const bool fast = self.numel() != 0 && offers(c.table, at_once);
  std::int64_t bins = least;
  if (fast) {
    const auto [lowest, highest] = extremes<std::int64_t>(c, dtype::int64, self);
    if (lowest < 0) {
      refuse<shape_error>(c, "found the index " + std::to_string(lowest) + ", wanted 0 or more");
    }
    bins = std::max(least, sum_of(c, "number of bins", highest, 1));
  } else if (self.numel() != 0) {
    bins = std::max(least, sum_of(c, "number of bins", greatest(c, self), 1));
  }
  const dtype type = !weighted ? dtype::int64 : weights->dtype() == dtype::float32 ? dtype::float32 : dtype::float64;
  tensor out = make_result(dense_meta({bins}, type, self));
  if (fast) {
    const tensor all_ones, &summed = weighted ? *weights : all_ones;
    run_rows(c, {rowwise::bincount, type, 0, self.sizes()}, {written(out), read(self), read(summed)});
    return out;
  }
  fill(c, out, 0);
  if (self.numel() == 0) return out;
  const tensor index = flat_index(c, self);
  tensor source = author::make_tensor(self.sizes(), type, self.device());
  if (weighted)
    copy(c, source, *weights);
  else
    fill(c, source, 1);
  run_take_along(c, take_code::put_add, source, out, 0, index);
  return out;
}

namespace {

// The counts of a row, with elementwise kernels: those of rowwise::histc, operation for operation.
void histc_by_element(backend_call c, const tensor& in, double low, double high, tensor& out) {
  const dtype type = in.dtype();
  const std::int64_t bins = out.numel();
  const auto number = [&](double x) { return number_beside(in, x); };
  const auto make = [&](dtype t) { return author::make_tensor(in.sizes(), t, in.device()); };
  const tensor counts = make(type), within = make(dtype::boolean), below = make(dtype::boolean), scaled = make(type);
  run_elementwise_in(c, elementwise::ge, type, collect(in, number(low)), within);
  run_elementwise_in(c, elementwise::le, type, collect(in, number(high)), below);
  run_elementwise_in(c, elementwise::logical_and, dtype::boolean, collect(within, below), counts);
  run_elementwise_in(c, elementwise::sub, type, collect(in, number(low), scalar(1)), scaled);
  run_elementwise_in(c, elementwise::mul, type, collect(scaled, number(static_cast<double>(bins))), scaled);
  const double width = high - low;
  run_elementwise_in(c, elementwise::div, type,
                     collect(scaled, number(type == dtype::float32 ? static_cast<float>(width) : width)), scaled);
  // Elements out of range and NaNs add 0 to the first bin.
  run_elementwise_in(c, elementwise::where, type, collect(counts, scaled, number(0)), scaled);
  const tensor bin = flat_index(c, scaled);
  run_elementwise_in(c, elementwise::minimum, dtype::int64, collect(bin, number_beside(bin, bins - 1)), bin);
  fill(c, out, 0);
  run_take_along(c, take_code::put_add, counts, out, 0, bin);
}

}  // namespace

tensor histc_kernel::run(backend_call c, const tensor& self, std::int64_t bins, const scalar& min, const scalar& max) {
  check_defined(c, self);
  if (self.dtype() != dtype::float32 && self.dtype() != dtype::float64) {
    refuse<dtype_error>(c, "found " + std::string(name_of(self.dtype())) + ", wanted float32 or float64");
  }
  if (bins < 1) refuse<error>(c, "found " + std::to_string(bins) + " bins, wanted 1 or more");
  const auto rounded = [&](double x) { return self.dtype() == dtype::float32 ? static_cast<float>(x) : x; };
  double low = rounded(min.to_double()), high = rounded(max.to_double());
  if (!(low <= high) || low - low != 0 || high - high != 0) {
    refuse<error>(c, "found a range of " + to_string(min) + " to " + to_string(max) +
                         ", wanted finite numbers, the lesser one first");
  }
  tensor out = make_result(dense_meta({bins}, self.dtype(), self));
  if (c.table == nullptr) return out;
  const std::int64_t n = self.numel();
  if (n == 0) {
    fill(c, out, 0);
    return out;
  }
  constexpr auto at_once = all_of(rowwise::minmax, rowwise::histc);
  const bool fast = offers(c.table, at_once);
  const tensor in = reshaped(dense(c, self), {n});
  if (low == high) {
    const auto [least, most] = extremes<double>(c, self.dtype(), in);
    low = least;
    high = most;
    if (low - low != 0 || high - high != 0) {
      refuse<error>(c, "found elements that are not finite and no range, wanted min and max");
    }
    if (low == high) low = rounded(low - 1), high = rounded(high + 1);
  }
  if (fast) {
    run_rows(c, {rowwise::histc, self.dtype(), 0, in.sizes()}, {written(out), read(in)}, {low, high});
    return out;
  }
  histc_by_element(c, in, low, high, out);
  return out;
}

namespace {

std::vector<tensor> where_nonzero(const tensor& condition) {
  return aten::unbind_int(aten::nonzero(aten::atleast_1d(condition)), 1);
}
tensor argwhere(const tensor& self) { return aten::nonzero(self); }

}  // namespace

void register_advanced_index() {
  register_forms(advanced_index_forms);
  register_composite<&where_nonzero, aten::where>();
  register_composite<&argwhere, aten::argwhere>();
  register_without_gradient<aten::nonzero, aten::one_hot, aten::bincount, aten::histc>();
}

}  // namespace topbit::detail
