// Kernels of the family `gather`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :index.gather_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

std::string named(dtype t) { return std::string(name_of(t)); }

std::int64_t count_of(const shape& sizes, std::size_t first, std::size_t last) {
  std::int64_t n = 1;
  for (std::size_t d = first; d < last; ++d) n *= sizes[d];
  return n;
}

// Throws unless `index` is at most as large as `other` in each dimension but `skipped`; `name` is for the message.
void check_within(backend_call c, const tensor& index, const tensor& other, std::string_view name,
                  std::optional<std::size_t> skipped) {
  const tensor a = at_least_1d(index), b = at_least_1d(other);
  bool fits = a.dim() == b.dim();
  for (std::size_t d = 0; fits && d < a.sizes().size(); ++d) fits = d == skipped || a.sizes()[d] <= b.sizes()[d];
  if (fits) return;
  refuse<shape_error>(c, "found an index " + to_string(index.sizes()) + " and " + std::string(name) + " " +
                             to_string(other.sizes()) + ", wanted as many dimensions and at most those sizes" +
                             (skipped ? " except dimension " + std::to_string(*skipped) : std::string()));
}

void check_row_index(backend_call c, const tensor& index) {
  check_defined(c, index);
  if (index.dtype() == dtype::int64) return;
  refuse<dtype_error>(c, "found an index of " + named(index.dtype()) + ", wanted int64");
}

// Whether a call writes a tensor that was given to it for the result. That one stays as it was if an index is out of
// range, so all are checked before; other kernels check the indices a part at a time.
bool is_out_form(backend_call c) { return c.op.ends_with("out"); }

// Whether the rows that are written to `out` are one number, which scatter repeats.
bool fills_rows(backend_call c, const tensor& out, const tensor& rows) {
  constexpr auto scatters = all_of(rowwise::scatter);
  if (out.dim() == 0 || rows.numel() == 0 || !offers(c.table, scatters)) return false;
  for (std::size_t d = 0; d < rows.sizes().size(); ++d) {
    if (rows.sizes()[d] != 1 && rows.strides()[d] != 0) return false;
  }
  return true;
}

}  // namespace

tensor one_number(backend_call c, const tensor& like, const scalar& value) {
  tensor out = author::make_tensor({}, like.dtype(), like.device());
  return fill(c, out, value);
}

void check_integer_index(backend_call c, const tensor& index) {
  check_defined(c, index);
  if (index.dtype() == dtype::int64 || index.dtype() == dtype::int32) return;
  refuse<dtype_error>(c, "found an index of " + named(index.dtype()) + ", wanted int64 or int32");
}

void check_sparse_gradients(std::string_view name, std::string_view option, std::string_view needed) {
  if (registry::process().try_find(needed)) return;
  throw error(std::string(name) + ": found " + std::string(option) +
                  "=True in a program without sparse tensors, wanted False; import topbit.sparse and link "
                  "topbit::sparse for sparse gradients",
              std::string(name));
}

tensor flat_index(backend_call c, const tensor& index) {
  const tensor whole = dense(c, in_dtype(c, index, dtype::int64));
  return reshaped(whole, {whole.numel()});
}

void run_take_along(backend_call c, take_code code, const tensor& rows, const tensor& table, std::size_t dim,
                    const tensor& index) {
  const shape& sizes = table.sizes();
  const bool single = table.dim() == 0;
  const std::int64_t length = single ? 1 : sizes[dim];
  run_take(c,
           {code, single ? 1 : count_of(sizes, 0, dim), index.numel(),
            single ? 1 : count_of(sizes, dim + 1, table.dim()), std::span(&index, 1), std::span(&length, 1)},
           rows, table);
}

void run_put_along(backend_call c, take_code code, const tensor& self, std::int64_t dim, const tensor& index,
                   const tensor& rows, const tensor& out) {
  const std::size_t d = dim_of(c, dim, self);
  const bool in_place = author::same_view(out, self), fills = code == take_code::put && fills_rows(c, out, rows);
  const tensor flat = flat_index(c, index), source = fills ? rows : dense(c, rows);
  const bool empty = out.numel() == 0 || flat.numel() == 0;
  // `put` checks the index too, but after the copy; and scatter only a part of it at a time.
  if (!in_place || empty || fills) run_take_along(c, take_code::check, source, self, d, flat);
  tensor to = out;
  if (!in_place) copy(c, to, self);
  if (empty) return;
  if (fills) {
    shape sizes = out.sizes(), strides(sizes.size(), 0);
    sizes[d] = flat.numel();
    const tensor value = author::make_view(source, sizes, strides, author::record_of(source).offset);
    strides[d] = 1;
    const tensor by = author::make_view(flat, sizes, strides, author::record_of(flat).offset);
    return run_rows(c, {rowwise::scatter, out.dtype(), d, sizes}, {written(out), read(value), read(by)});
  }
  const tensor table = dense(c, out);
  run_take_along(c, code, source, table, d, flat);
  if (!table.same_as(out)) copy(c, to, table);
}

result_meta gather_kernel::meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index, bool) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_row_index(c, index);
  const std::size_t d = dim_of(c, dim, self);
  if (index.numel() != 0) check_within(c, index, self, "a tensor", d);
  return dense_meta(index.sizes(), self.dtype(), self);
}
void gather_kernel::run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, bool,
                        const tensor& out) {
  if (out.numel() == 0) return;
  const tensor in = at_least_1d(self), by = at_least_1d(index), to = at_least_1d(out);
  const std::size_t d = dim_of(c, dim, in);
  constexpr auto checks = all_of(rowwise::check_index);
  if (is_out_form(c) && offers(c.table, checks)) {
    run_rows(c, {rowwise::check_index, self.dtype(), d, by.sizes(), in.sizes()[d]}, {read(by), read(in)});
  }
  run_rows(c, {rowwise::gather, self.dtype(), d, by.sizes(), in.sizes()[d]}, {written(to), read(in), read(by)});
}

result_meta scatter_meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                         const tensor* source) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_row_index(c, index);
  const std::size_t d = dim_of(c, dim, self);
  if (source != nullptr) {
    check_defined(c, *source);
    if (source->dtype() != self.dtype()) {
      refuse<dtype_error>(c, "found a source of " + named(source->dtype()) + " for " + describe(self) +
                                 ", wanted one dtype; convert one with to()");
    }
  }
  if (index.numel() != 0) {
    check_within(c, index, self, "a tensor", d);
    if (source != nullptr) check_within(c, index, *source, "a source", std::nullopt);
  }
  return dense_meta(self.sizes(), self.dtype(), self);
}

void run_scatter(backend_call c, rowwise code, const tensor& self, std::int64_t dim, const tensor& index,
                 const tensor& source, const tensor& out) {
  const tensor by = at_least_1d(index), to = at_least_1d(out), from = at_least_1d(source);
  const std::size_t d = dim_of(c, dim, to);
  const std::int64_t range = to.sizes()[d];
  tensor whole = out;
  const bool in_place = author::same_view(out, self);
  if ((in_place || is_out_form(c)) && index.numel() != 0) {
    run_rows(c, {rowwise::check_index, self.dtype(), d, by.sizes(), range}, {read(by), read(to)});
  }
  if (!in_place) copy(c, whole, self);
  if (index.numel() == 0) return;
  run_rows(c, {code, self.dtype(), d, by.sizes(), range}, {written(to), read(from), read(by)});
}

void scatter_value_kernel::run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index,
                               const scalar& value, const tensor& out) {
  const tensor number = one_number(c, self, value);
  const shape sizes = at_least_1d(index).sizes();
  run_scatter(c, rowwise::scatter, self, dim, index, author::make_view(number, sizes, shape(sizes.size(), 0), 0), out);
}

result_meta index_select_kernel::meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_integer_index(c, index);
  const std::size_t d = dim_of(c, dim, self);
  if (index.dim() > 1) refuse<shape_error>(c, "found an index " + to_string(index.sizes()) + ", wanted one dimension");
  shape sizes = self.sizes();
  if (self.dim() != 0)
    sizes[d] = index.numel();
  else if (index.numel() != 1)
    refuse<shape_error>(c, "found an index " + to_string(index.sizes()) + " for one element, wanted one index");
  return dense_meta(sizes, self.dtype(), self);
}
void index_select_kernel::run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index,
                              const tensor& out) {
  const tensor table = dense(c, self), by = flat_index(c, index);
  if (out.is_contiguous()) return run_take_along(c, take_code::take, out, table, dim_of(c, dim, self), by);
  const tensor rows = author::make_tensor(out.sizes(), out.dtype(), out.device());
  run_take_along(c, take_code::take, rows, table, dim_of(c, dim, self), by);
  copy_result(out, rows);
}

result_meta put_along_meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                           const tensor& source) {
  const backend_call c{nullptr, op};
  check_defined(c, source);
  const result_meta rows = index_select_kernel::meta(op, self, dim, index);
  if (source.dtype() != self.dtype()) {
    refuse<dtype_error>(c, "found a source of " + named(source.dtype()) + " for " + describe(self) +
                               ", wanted one dtype; convert one with to()");
  }
  if (source.sizes() != rows.sizes && !(self.dim() <= 1 && source.dim() <= 1 && source.numel() == index.numel())) {
    refuse<shape_error>(c, "found a source " + to_string(source.sizes()) + ", wanted " + to_string(rows.sizes));
  }
  return dense_meta(self.sizes(), self.dtype(), self);
}

result_meta index_add_kernel::meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                                   const tensor& source, const scalar& alpha) {
  if (is_floating(alpha.type()) && !is_floating(self.dtype())) {
    refuse<dtype_error>({nullptr, op},
                        "found alpha " + to_string(alpha) + " for " + named(self.dtype()) + ", wanted an integer");
  }
  return put_along_meta(op, self, dim, index, source);
}
void index_add_kernel::run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index,
                           const tensor& source, const scalar& alpha, const tensor& out) {
  if (alpha.to_double() == 1) return run_put_along(c, take_code::put_add, self, dim, index, source, out);
  const tensor factor = number_beside(self, alpha);
  const tensor scaled = author::make_tensor(source.sizes(), source.dtype(), source.device());
  run_elementwise_in(c, elementwise::mul, source.dtype(), collect(source, factor), scaled);
  run_put_along(c, take_code::put_add, self, dim, index, scaled, out);
}

result_meta take_kernel::meta(std::string_view op, const tensor& self, const tensor& index) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_row_index(c, index);
  return dense_meta(index.sizes(), self.dtype(), self);
}
void take_kernel::run(backend_call c, const tensor& self, const tensor& index, const tensor& out) {
  if (out.numel() == 0) return;
  const tensor table = dense(c, self), by = flat_index(c, index);
  const tensor rows = out.is_contiguous() ? out : author::make_tensor(out.sizes(), out.dtype(), out.device());
  const std::int64_t length = table.numel();
  run_take(c, {take_code::take, 1, by.numel(), 1, std::span(&by, 1), std::span(&length, 1), true}, rows, table);
  if (!rows.same_as(out)) copy_result(out, rows);
}

result_meta embedding_kernel::meta(std::string_view op, const tensor& weight, const tensor& indices, std::int64_t,
                                   bool by_frequency, bool sparse) {
  const backend_call c{nullptr, op};
  check_defined(c, weight);
  check_integer_index(c, indices);
  if (sparse && by_frequency) {
    refuse<error>(c, "found scale_grad_by_freq=True with sparse=True, wanted one of them");
  }
  if (weight.dim() != 2) refuse<shape_error>(c, "found weights " + to_string(weight.sizes()) + ", wanted a matrix");
  if (indices.dim() == max_dims) {
    refuse<shape_error>(c, "found indices " + to_string(indices.sizes()) + ", wanted fewer dimensions");
  }
  shape sizes = indices.sizes();
  sizes.push_back(weight.sizes()[1]);
  return dense_meta(sizes, weight.dtype(), weight);
}
void embedding_kernel::run(backend_call c, const tensor& weight, const tensor& indices, std::int64_t, bool, bool,
                           const tensor& out) {
  run_take_along(c, take_code::take, out, dense(c, weight), 0, flat_index(c, indices));
}

tensor embedding_backward_kernel::run(backend_call c, const tensor& grad, const tensor& indices, std::int64_t rows,
                                      std::int64_t padding, bool by_frequency) {
  check_defined(c, grad);
  check_integer_index(c, indices);
  shape wanted = grad.sizes();
  if (grad.dim() != 0) wanted.erase(grad.dim() - 1);
  if (grad.dim() == 0 || wanted != indices.sizes()) {
    refuse<shape_error>(c, "found a gradient " + describe(grad) + " for indices " + to_string(indices.sizes()));
  }
  if (rows < 0) refuse<shape_error>(c, "found num_weights " + std::to_string(rows) + ", wanted 0 or more");
  if (by_frequency) check_floating(c, grad);
  const std::int64_t columns = grad.sizes()[grad.dim() - 1], count = indices.numel();
  tensor out = make_result(dense_meta({rows, columns}, grad.dtype(), grad));
  fill(c, out, 0);
  if (c.table == nullptr) return out;
  const tensor by = flat_index(c, indices);
  tensor source = reshaped(dense(c, grad), {count, columns});
  run_take_along(c, take_code::check, source, out, 0, by);
  if (out.numel() == 0) return out;
  const auto column = [&](const tensor& t) { return reshaped(t, {count, 1}); };
  if (by_frequency) {
    // Counted in int64: float16 counts exactly only up to 2048.
    tensor often = author::make_tensor({rows}, dtype::int64, grad.device());
    fill(c, often, 0);
    tensor ones = author::make_tensor({count}, dtype::int64, grad.device());
    fill(c, ones, 1);
    run_take_along(c, take_code::put_add, ones, often, 0, by);
    run_take_along(c, take_code::take, ones, often, 0, by);
    const tensor divided = author::make_tensor(source.sizes(), grad.dtype(), grad.device());
    run_elementwise_in(c, elementwise::div, grad.dtype(), collect(source, column(ones)), divided);
    source = divided;
  }
  if (padding >= 0) {
    const tensor counts = author::make_tensor({count}, dtype::boolean, grad.device());
    run_elementwise_in(c, elementwise::ne, dtype::int64, collect(by, number_beside(by, padding)), counts);
    const tensor kept = author::make_tensor(source.sizes(), grad.dtype(), grad.device());
    run_elementwise_in(c, elementwise::where, grad.dtype(), collect(column(counts), source, number_beside(grad, 0)),
                       kept);
    source = kept;
  }
  run_take_along(c, take_code::put_add, source, out, 0, by);
  return out;
}

namespace {

tensor take_along_dim(const tensor& self, const tensor& indices, std::optional<std::int64_t> dim) {
  const backend_call c{nullptr, aten::take_along_dim.name()};
  author::check_one_device(aten::take_along_dim, self, indices);
  check_row_index(c, indices);
  if (!dim) return aten::gather(aten::flatten_using_ints(self), 0, aten::flatten_using_ints(indices));
  if (self.dim() != indices.dim()) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and indices " + to_string(indices.sizes()) +
                               ", wanted as many dimensions");
  }
  if (self.dim() == 0) return aten::gather(self, *dim, indices);
  const std::size_t d = dim_of(c, *dim, self);
  shape of_self = self.sizes(), of_indices = indices.sizes();
  of_self[d] = of_indices[d] = 1;
  const shape common = broadcast(c.op, of_self, of_indices);
  of_self = of_indices = common;
  of_self[d] = self.sizes()[d];
  of_indices[d] = indices.sizes()[d];
  return aten::gather(aten::expand(self, of_self), *dim, aten::expand(indices, of_indices));
}

shape filled_sizes(const tensor& self, std::int64_t dim, const tensor& index) {
  return index_select_kernel::meta(aten::index_fill_int_Scalar.name(), self, dim, index).sizes;
}
tensor converted(const tensor& self, const tensor& value) {
  if (value.dim() != 0) {
    refuse<shape_error>({nullptr, aten::index_fill_int_Tensor.name()},
                        "found a value " + to_string(value.sizes()) + ", wanted no dimensions");
  }
  return to(value, self.dtype());
}
// Wraps negative indices, which only index_fill accepts; index_copy refuses those still out of range.
tensor from_the_front(const tensor& self, std::int64_t dim, const tensor& index) {
  const std::int64_t length =
      self.dim() == 0 ? 1 : self.sizes()[dim_of({nullptr, aten::index_fill_int_Scalar.name()}, dim, self)];
  const tensor behind = aten::logical_and(aten::lt_Scalar(index, 0), aten::ge_Scalar(index, -length));
  return aten::where_self(behind, aten::add_Scalar(index, length), index);
}
// A mask of the indexed positions that broadcasts to `self`.
tensor pointed_at(const tensor& self, std::int64_t dim, const tensor& index) {
  shape sizes(self.dim(), 1), line{1};
  if (self.dim() != 0) {
    const std::size_t d = dim_of({nullptr, aten::index_fill_int_Scalar.name()}, dim, self);
    sizes[d] = line[0] = self.sizes()[d];
  }
  const tensor none = aten::zeros(line, arg<"dtype"> = dtype::boolean, arg<"device"> = self.device());
  return aten::reshape(aten::index_fill_int_Scalar(none, 0, index, true), sizes);
}
// A value that requires a gradient is written through a mask: a position that is indexed twice counts once in its
// gradient.
tensor index_fill_tensor(const tensor& self, std::int64_t dim, const tensor& index, const tensor& value) {
  if (requires_grad(value)) return aten::masked_fill_Tensor(self, pointed_at(self, dim, index), converted(self, value));
  const tensor rows = aten::expand(converted(self, value), filled_sizes(self, dim, index));
  return aten::index_copy(self, dim, from_the_front(self, dim, index), rows);
}
tensor& index_fill_tensor_in_place(tensor& self, std::int64_t dim, const tensor& index, const tensor& value) {
  if (requires_grad(value))
    return aten::masked_fill_Tensor_(self, pointed_at(self, dim, index), converted(self, value));
  const tensor rows = aten::expand(converted(self, value), filled_sizes(self, dim, index));
  return aten::index_copy_(self, dim, from_the_front(self, dim, index), rows);
}
tensor number_in(const tensor& self, const scalar& value) {
  return aten::full(std::span<const std::int64_t>(), value, arg<"dtype"> = self.dtype(), arg<"device"> = self.device());
}
tensor index_fill(const tensor& self, std::int64_t dim, const tensor& index, const scalar& value) {
  return index_fill_tensor(self, dim, index, number_in(self, value));
}
tensor& index_fill_in_place(tensor& self, std::int64_t dim, const tensor& index, const scalar& value) {
  return index_fill_tensor_in_place(self, dim, index, number_in(self, value));
}

}  // namespace

void register_gather() {
  register_forms(gather_forms);
  register_composite<&take_along_dim, aten::take_along_dim>();
  register_out_variants<aten::take_along_dim, aten::take_along_dim_out>();
  register_composite<&index_fill, aten::index_fill_int_Scalar>();
  register_composite<&index_fill_in_place, aten::index_fill_int_Scalar_>();
  register_composite<&index_fill_tensor, aten::index_fill_int_Tensor>();
  register_composite<&index_fill_tensor_in_place, aten::index_fill_int_Tensor_>();
}

}  // namespace topbit::detail
