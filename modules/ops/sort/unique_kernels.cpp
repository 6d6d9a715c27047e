// Kernels of the family `unique`: find runs of equal elements, sorted or in the given order.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :index.gather_kernels;
import :registration.composite;
import :sort.sort_kernels;
import :sort.unique_kernels;

namespace topbit::detail {

namespace {

tensor made(const tensor& like, const shape& sizes, dtype type) {
  return author::make_tensor(sizes, type, like.device());
}

void check_readable(backend_call c) {
  if (c.table == nullptr) refuse<error>(c, "a meta tensor has no elements, and the result's size depends on them");
}

// Runs of equal adjacent elements, or of equal adjacent rows of a matrix.
class runs {
 public:
  runs(backend_call c, const tensor& in) : c_(c), count_(in.sizes()[0]), is_start_(made(in, {count_}, dtype::boolean)) {
    tensor head = part(is_start_, 0, 0, 1);
    fill(c, head, true);
    if (count_ > 1) mark(in);
    const tensor found = nonzero_of(c, is_start_);
    starts_ = reshaped(found, {found.numel()});
  }
  // The start index of each run.
  const tensor& starts() const { return starts_; }
  // The run number of each element. `order` has the original positions of sorted elements; undefined if not sorted.
  tensor numbers(const tensor& order) const {
    const tensor here = made(is_start_, {count_}, dtype::int64);
    run_cumulative(c_, rowwise::cumsum, is_start_, 0, here);
    run_elementwise_in(c_, elementwise::sub, dtype::int64, collect(here, number_beside(here, 1), scalar(1)), here);
    if (!order.defined()) return here;
    const tensor there = made(is_start_, {count_}, dtype::int64);
    run_take_along(c_, take_code::put, here, there, 0, order);
    return there;
  }
  tensor lengths() const {
    const std::int64_t n = starts_.numel();
    const tensor ends = made(is_start_, {n}, dtype::int64);
    tensor last = part(ends, 0, n - 1, 1), others = part(ends, 0, 0, n - 1);
    fill(c_, last, count_);
    if (n > 1) copy(c_, others, part(starts_, 0, 1, n - 1));
    run_elementwise_in(c_, elementwise::sub, dtype::int64, collect(ends, starts_, scalar(1)), ends);
    return ends;
  }

 private:
  void mark(const tensor& in) const {
    const tensor rest = part(is_start_, 0, 1, count_ - 1), here = part(in, 0, 1, count_ - 1),
                 before = part(in, 0, 0, count_ - 1);
    if (in.dim() == 1) return run_elementwise_in(c_, elementwise::ne, in.dtype(), collect(here, before), rest);
    const tensor differ = made(in, here.sizes(), dtype::boolean);
    run_elementwise_in(c_, elementwise::ne, in.dtype(), collect(here, before), differ);
    const std::int64_t columns = 1;
    const dim_list over{std::span(&columns, 1)};
    run_reduction(c_, truth_call(c_.op, reduction::any, differ, over, false), rest);
  }

  backend_call c_;
  std::int64_t count_;
  tensor is_start_, starts_;
};

tensor taken(backend_call c, const tensor& from, const tensor& index) {
  shape sizes = from.sizes();
  sizes[0] = index.numel();
  const tensor out = made(from, sizes, from.dtype());
  run_take_along(c, take_code::take, out, from, 0, index);
  return out;
}

unique_results results(const tensor& values, const runs& r, const tensor& order, const shape& inverse_sizes,
                       bool inverse, bool counts) {
  const tensor nothing = made(values, {0}, dtype::int64);
  return {values, inverse ? reshaped(r.numbers(order), inverse_sizes) : nothing, counts ? r.lengths() : nothing};
}

// The unique elements of a tensor, sorted or in the given order.
unique_results unique_elements(backend_call c, const tensor& self, bool sort, bool inverse, bool counts) {
  check_defined(c, self);
  check_readable(c);
  const std::int64_t n = self.numel();
  if (n == 0) {
    const tensor nothing = made(self, {0}, dtype::int64);
    return {made(self, {0}, self.dtype()), inverse ? made(self, self.sizes(), dtype::int64) : nothing, nothing};
  }
  tensor row = reshaped(dense(c, self), {n}), order;
  if (sort) {
    const tensor sorted = made(self, {n}, self.dtype());
    if (inverse) order = made(self, {n}, dtype::int64);
    run_sort(c, row, 0, false, sorted, order);
    row = sorted;
  }
  const runs r(c, row);
  return results(taken(c, row, r.starts()), r, order, self.sizes(), inverse, counts);
}

// The lexicographic order of rows: stable sorts by each column, from last to first.
tensor order_of_rows(backend_call c, const tensor& rows) {
  const std::int64_t n = rows.sizes()[0], columns = rows.sizes()[1];
  const tensor keys = made(rows, {n}, rows.dtype()), sorted = made(rows, {n}, rows.dtype());
  const tensor step = made(rows, {n}, dtype::int64);
  tensor order = counted(c, 0, n, rows.device());
  for (std::int64_t k = columns; k-- > 0;) {
    const tensor column = author::make_view(rows, {n}, {rows.strides()[0]}, author::record_of(rows).offset + k);
    run_rows(c, {rowwise::gather, rows.dtype(), 0, order.sizes(), n}, {written(keys), read(column), read(order)});
    run_sort(c, keys, 0, false, sorted, step);
    order = taken(c, order, step);
  }
  return order;
}

unique_results unique_slices(backend_call c, const tensor& self, std::int64_t dim, bool sort, bool inverse,
                             bool counts) {
  check_defined(c, self);
  if (self.dim() == 0) refuse<shape_error>(c, "found a zero-dimensional tensor, wanted at least one dimension");
  const std::size_t d = dim_of(c, dim, self);
  const std::int64_t n = self.sizes()[d];
  shape sizes{n}, strides{self.strides()[d]};
  bool empty = false;
  for (std::size_t k = 0; k < self.sizes().size(); ++k) {
    if (k == d) continue;
    sizes.push_back(self.sizes()[k]);
    strides.push_back(self.strides()[k]);
    empty = empty || self.sizes()[k] == 0;
  }
  if (empty) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", whose slices have no elements to compare");
  }
  check_readable(c);
  if (n == 0) {
    const tensor nothing = made(self, {0}, dtype::int64);
    return {made(self, self.sizes(), self.dtype()), nothing, nothing};
  }
  const tensor permuted = author::make_view(self, sizes, strides, author::record_of(self).offset);
  tensor rows = reshaped(dense(c, permuted), {n, self.numel() / n}), order;
  if (sort) {
    order = order_of_rows(c, rows);
    rows = taken(c, rows, order);
  }
  const runs r(c, rows);
  shape chosen = self.sizes();
  chosen[d] = r.starts().numel();
  const tensor values = made(self, chosen, self.dtype());
  run_take_along(c, take_code::take, values, dense(c, self), d, sort ? taken(c, order, r.starts()) : r.starts());
  return results(values, r, order, {n}, inverse, counts);
}

// Without NaNs, which equal nothing and break binary search.
tensor without_nan(backend_call c, const tensor& row) {
  if (!is_floating(row.dtype())) return row;
  const tensor kept = made(row, row.sizes(), dtype::boolean);
  run_elementwise_in(c, elementwise::eq, row.dtype(), collect(row, row), kept);
  const tensor kept_index = nonzero_of(c, kept);
  return taken(c, row, reshaped(kept_index, {kept_index.numel()}));
}

}  // namespace

unique_results unique_kernel::run(backend_call c, const tensor& self, bool, bool inverse, bool counts) {
  return unique_elements(c, self, true, inverse, counts);
}
std::tuple<tensor, tensor> unique_pair_kernel::run(backend_call c, const tensor& self, bool, bool inverse) {
  const auto [values, numbers, counts] = unique_elements(c, self, true, inverse, false);
  return {values, numbers};
}
unique_results unique_dim_kernel::run(backend_call c, const tensor& self, std::int64_t dim, bool, bool inverse,
                                      bool counts) {
  return unique_slices(c, self, dim, true, inverse, counts);
}
unique_results unique_dim_consecutive_kernel::run(backend_call c, const tensor& self, std::int64_t dim, bool inverse,
                                                  bool counts) {
  return unique_slices(c, self, dim, false, inverse, counts);
}
unique_results unique_consecutive_kernel::run(backend_call c, const tensor& self, bool inverse, bool counts,
                                              std::optional<std::int64_t> dim) {
  return dim ? unique_slices(c, self, *dim, false, inverse, counts) : unique_elements(c, self, false, inverse, counts);
}

result_meta isin_kernel::meta(std::string_view op, const tensor& elements, const tensor& tests, bool, bool) {
  check_defined({nullptr, op}, elements);
  check_defined({nullptr, op}, tests);
  return dense_meta(elements.sizes(), dtype::boolean, elements);
}
void isin_kernel::run(backend_call c, const tensor& elements, const tensor& tests, bool, bool invert,
                      const tensor& out) {
  if (out.numel() == 0) return;
  const dtype type = promoted(collect(elements, tests).operands());
  const tensor all = without_nan(c, reshaped(dense(c, in_dtype(c, tests, type)), {tests.numel()}));
  tensor to = out;
  if (all.numel() == 0) {
    fill(c, to, invert);
    return;
  }
  const shape row{elements.numel()};
  const tensor sorted = made(out, all.sizes(), type), none;
  run_sort(c, all, 0, false, sorted, none);
  const tensor in = reshaped(dense(c, in_dtype(c, elements, type)), row), index = made(out, row, dtype::int64);
  run_rows(c, {rowwise::searchsorted, type, 0, row, all.numel()}, {written(index), read(sorted), read(in), read(none)},
           {0});
  run_elementwise_in(c, elementwise::minimum, dtype::int64, collect(index, number_beside(index, all.numel() - 1)),
                     index);
  const tensor found = made(out, row, dtype::boolean);
  run_elementwise_in(c, invert ? elementwise::ne : elementwise::eq, type, collect(in, taken(c, sorted, index)), found);
  copy(c, to, reshaped(found, out.sizes()));
}

namespace {

tensor isin_scalar(const tensor& elements, const scalar& test, bool, bool invert) {
  return invert ? aten::ne_Scalar(elements, test) : aten::eq_Scalar(elements, test);
}
tensor isin_scalar_base(const scalar& element, const tensor& tests, bool, bool invert) {
  const tensor found = aten::any(aten::eq_Scalar(tests, element));
  return invert ? aten::logical_not(found) : found;
}

}  // namespace

void register_unique() {
  register_forms(unique_forms);
  register_composite<&isin_scalar, aten::isin_Tensor_Scalar>();
  register_composite<&isin_scalar_base, aten::isin_Scalar_Tensor>();
  register_out_variants<aten::isin_Tensor_Scalar, aten::isin_Tensor_Scalar_out>();
  register_out_variants<aten::isin_Scalar_Tensor, aten::isin_Scalar_Tensor_out>();
  register_without_gradient<aten::isin_Tensor_Tensor>();
}

}  // namespace topbit::detail
