// Kernels of the family `sort`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.composite;
import :sort.sort_kernels;

namespace topbit::detail {

namespace {

two_metas pair_of(const shape& sizes, const tensor& self) {
  return {dense_meta(sizes, self.dtype(), self), dense_meta(sizes, dtype::int64, self)};
}

}  // namespace

two_metas sort_meta(std::string_view op, const tensor& self, std::int64_t dim) {
  check_defined({nullptr, op}, self);
  dim_of({nullptr, op}, dim, self);
  return pair_of(self.sizes(), self);
}
void run_sort(backend_call c, const tensor& self, std::int64_t dim, bool descending, const tensor& values,
              const tensor& indices) {
  if (self.numel() == 0) return;
  run_rows(c, {rowwise::sort, self.dtype(), dim_of(c, dim, self), self.sizes()},
           {written(values), written(indices), read(self)}, {static_cast<std::int64_t>(descending)});
}

two_metas topk_kernel::meta(std::string_view op, const tensor& self, std::int64_t k, std::int64_t dim, bool, bool) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  const std::size_t d = dim_of(c, dim, self);
  shape sizes = self.sizes();
  const std::int64_t n = self.dim() == 0 ? 1 : sizes[d];
  if (k < 0 || k > n) {
    refuse<shape_error>(c, "found k " + std::to_string(k) + " for dimension " + std::to_string(d) + " of " +
                               to_string(self.sizes()) + ", wanted 0 to " + std::to_string(n));
  }
  if (self.dim() != 0) sizes[d] = k;
  return pair_of(sizes, self);
}
void topk_kernel::run(backend_call c, const tensor& self, std::int64_t, std::int64_t dim, bool largest, bool sorted,
                      const tensor& values, const tensor& indices) {
  if (values.numel() == 0) return;
  run_rows(c, {rowwise::topk, self.dtype(), dim_of(c, dim, self), self.sizes()},
           {written(values), written(indices), read(self)},
           {static_cast<std::int64_t>(largest), static_cast<std::int64_t>(sorted)});
}

two_metas chosen_meta(std::string_view op, const tensor& self, std::int64_t dim, bool keepdim) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  const std::size_t d = dim_of(c, dim, self);
  shape sizes = self.sizes();
  if (self.dim() == 0) return pair_of(sizes, self);
  if (sizes[d] == 0) {
    refuse<shape_error>(
        c, "dimension " + std::to_string(d) + " of " + to_string(sizes) + " is empty, and has no such element");
  }
  if (keepdim)
    sizes[d] = 1;
  else
    sizes.erase(d);
  return pair_of(sizes, self);
}
void run_chosen(backend_call c, rowwise code, const tensor& self, std::int64_t dim, std::int64_t rank,
                const tensor& values, const tensor& indices) {
  if (values.numel() == 0) return;
  const std::size_t d = dim_of(c, dim, self);
  shape kept = self.sizes();
  if (self.dim() != 0) kept[d] = 1;
  // A view of the result with the removed dimension as size 1.
  const auto with_row = [&](const tensor& t) {
    if (t.dim() == self.dim()) return t;
    shape strides;
    for (std::size_t k = 0, at = 0; k < kept.size(); ++k) strides.push_back(k == d ? 1 : t.strides()[at++]);
    return author::make_view(t, kept, strides, author::record_of(t).offset);
  };
  const tensor v = with_row(values), i = with_row(indices);
  run_rows(c, {code, self.dtype(), d, self.sizes()}, {written(v), written(i), read(self)}, {rank});
}

two_metas kthvalue_kernel::meta(std::string_view op, const tensor& self, std::int64_t k, std::int64_t dim,
                                bool keepdim) {
  const two_metas metas = chosen_meta(op, self, dim, keepdim);
  const std::int64_t n = self.dim() == 0 ? 1 : self.sizes()[dim_of({nullptr, op}, dim, self)];
  if (k < 1 || k > n) {
    refuse<shape_error>({nullptr, op}, "found k " + std::to_string(k) + ", wanted 1 to " + std::to_string(n));
  }
  return metas;
}

result_meta median_meta(std::string_view op, const tensor& self) {
  check_defined({nullptr, op}, self);
  if (self.numel() == 0 && !is_floating(self.dtype())) {
    refuse<shape_error>({nullptr, op}, "found " + describe(self) + ", wanted an element, since this type has no NaN");
  }
  return dense_meta({}, self.dtype(), self);
}
void run_median(backend_call c, const tensor& self, bool skip_nan, const tensor& out) {
  if (self.numel() == 0) {
    tensor to = out;
    fill(c, to, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const tensor row = reshaped(dense(c, self), {self.numel()}), none;
  run_rows(c, {rowwise::median, self.dtype(), 0, row.sizes()}, {written(out), written(none), read(row)},
           {static_cast<std::int64_t>(skip_nan)});
}

result_meta searchsorted_kernel::meta(std::string_view op, const tensor& sequence, const tensor& values, bool out_int32,
                                      bool right, std::optional<std::string_view> side,
                                      const std::optional<tensor>& sorter) {
  const backend_call c{nullptr, op};
  check_defined(c, sequence);
  check_defined(c, values);
  if (sequence.dtype() != values.dtype()) {
    refuse<dtype_error>(c, "found a sequence of " + std::string(name_of(sequence.dtype())) + " and values of " +
                               std::string(name_of(values.dtype())) + ", wanted one dtype");
  }
  if (side && *side != "left" && *side != "right") {
    refuse<error>(c, "found side '" + std::string(*side) + "', wanted 'left' or 'right'");
  }
  if (side && *side == "left" && right) refuse<error>(c, "found side 'left' and right=True, wanted one of them");
  bool fits = sequence.dim() >= 1 && (sequence.dim() == 1 || sequence.dim() == values.dim());
  for (std::size_t d = 0; fits && sequence.dim() != 1 && d + 1 < sequence.sizes().size(); ++d) {
    fits = sequence.sizes()[d] == values.sizes()[d];
  }
  if (!fits) {
    refuse<shape_error>(c, "found a sequence " + to_string(sequence.sizes()) + " and values " +
                               to_string(values.sizes()) + ", wanted one row, or the same sizes except the last");
  }
  if (sorter && sorter->defined()) {
    if (sorter->sizes() != sequence.sizes()) {
      refuse<shape_error>(c,
                          "found a sorter " + to_string(sorter->sizes()) + ", wanted " + to_string(sequence.sizes()));
    }
    if (sorter->dtype() != dtype::int64) refuse<dtype_error>(c, "found a sorter that is not int64");
  }
  return dense_meta(values.sizes(), out_int32 ? dtype::int32 : dtype::int64, values);
}
void searchsorted_kernel::run(backend_call c, const tensor& sequence, const tensor& values, bool, bool right,
                              std::optional<std::string_view> side, const std::optional<tensor>& sorter,
                              const tensor& out) {
  if (out.numel() == 0) return;
  const tensor to = at_least_1d(out), in = at_least_1d(values);
  const std::size_t d = in.dim() - 1;
  // A single row is repeated for all rows (stride 0).
  const auto rows = [&](const tensor& t) {
    if (!t.defined() || t.dim() == in.dim()) return t;
    shape sizes = in.sizes(), strides(in.dim(), 0);
    sizes[d] = t.sizes()[0];
    strides[d] = t.strides()[0];
    return author::make_view(t, sizes, strides, author::record_of(t).offset);
  };
  const tensor row = rows(sequence), order = rows(sorter.value_or(tensor()));
  run_rows(c, {rowwise::searchsorted, values.dtype(), d, in.sizes(), row.sizes()[d]},
           {written(to), read(row), read(in), read(order)}, {static_cast<std::int64_t>(right || side == "right")});
}

result_meta bucketize_kernel::meta(std::string_view op, const tensor& self, const tensor& boundaries, bool out_int32,
                                   bool right) {
  check_defined({nullptr, op}, boundaries);
  if (boundaries.dim() != 1) {
    refuse<shape_error>({nullptr, op}, "found boundaries " + to_string(boundaries.sizes()) + ", wanted one row");
  }
  return searchsorted_kernel::meta(op, boundaries, self, out_int32, right, std::nullopt, std::nullopt);
}

namespace {

tensor argsort(const tensor& self, std::int64_t dim, bool descending) {
  return std::get<1>(aten::sort(self, dim, descending));
}
tensor argsort_stable(const tensor& self, bool stable, std::int64_t dim, bool descending) {
  return std::get<1>(aten::sort_stable(self, std::optional(stable), dim, descending));
}
// The dtype for comparing elements with a number, which must represent both: 4.5 is above an integer 4, and 300 above
// every uint8.
dtype comparison_type(dtype of, const scalar& number) {
  if (is_floating(of)) return of;
  return is_floating(number.type()) ? dtype::float64 : dtype::int64;
}
tensor number_on(const tensor& beside, const scalar& number, dtype type) {
  return aten::full(std::span<const std::int64_t>(), number, arg<"dtype"> = type, arg<"device"> = beside.device());
}
tensor bucketize_scalar(const scalar& self, const tensor& boundaries, bool out_int32, bool right) {
  check_defined({nullptr, aten::bucketize_Scalar.name()}, boundaries);
  const dtype type = comparison_type(boundaries.dtype(), self);
  return aten::bucketize_Tensor(number_on(boundaries, self, type), to(boundaries, type), out_int32, right);
}
tensor searchsorted_scalar(const tensor& sequence, const scalar& value, bool out_int32, bool right,
                           std::optional<std::string_view> side, const std::optional<tensor>& sorter) {
  const dtype type = comparison_type(sequence.dtype(), value);
  return aten::searchsorted_Tensor(to(sequence, type), number_on(sequence, value, type), out_int32, right, side,
                                   sorter);
}

}  // namespace

void register_sort() {
  register_forms(sort_forms);
  register_composite<&argsort, aten::argsort>();
  register_composite<&argsort_stable, aten::argsort_stable>();
  register_composite<&searchsorted_scalar, aten::searchsorted_Scalar>();
  register_composite<&bucketize_scalar, aten::bucketize_Scalar>();
  register_without_gradient<aten::searchsorted_Tensor, aten::bucketize_Tensor>();
}

}  // namespace topbit::detail
