// Kernels of the family `gather` that reduce elements with equal indices.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :index.gather_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

rowwise reduce_code(backend_call c, std::string_view reduce, bool with_sum) {
  if (with_sum && reduce == "sum") return rowwise::scatter_add;
  if (reduce == "mean") return rowwise::scatter_add;
  if (reduce == "prod") return rowwise::scatter_mul;
  if (reduce == "amax") return rowwise::scatter_amax;
  if (reduce == "amin") return rowwise::scatter_amin;
  refuse<error>(c, "found reduce '" + std::string(reduce) + "', wanted " + (with_sum ? "'sum', " : "") +
                       "'prod', 'mean', 'amax' or 'amin'");
}

void check_reduce(backend_call c, const tensor& self, std::string_view reduce, bool with_sum) {
  reduce_code(c, reduce, with_sum);
  if (reduce == "mean" && self.defined() && self.dtype() == dtype::boolean) {
    refuse<dtype_error>(c, "found bool, which has no mean; wanted a number");
  }
}

tensor filled(backend_call c, const shape& sizes, dtype type, const scalar& value, const tensor& like) {
  tensor out = author::make_tensor(sizes, type, like.device());
  return fill(c, out, value);
}

// One number, broadcast to these sizes.
tensor everywhere(backend_call c, const tensor& like, const scalar& value, const shape& sizes) {
  return author::make_view(one_number(c, like, value), sizes, shape(sizes.size(), 0), 0);
}

// Divides sums by their number of elements.
void divide_by_counts(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, bool include_self,
                      const tensor& out) {
  const dtype type = is_floating(self.dtype()) ? widened(self.dtype()) : dtype::int64;
  const tensor counts = filled(c, self.sizes(), type, include_self ? 1 : 0, self);
  const shape sizes = at_least_1d(index).sizes();
  run_scatter(c, rowwise::scatter_add, counts, dim, index, everywhere(c, counts, 1, sizes), counts);
  if (!include_self) {
    run_elementwise_in(c, elementwise::maximum, type, collect(counts, number_beside(counts, 1)), counts);
  }
  const elementwise code = is_floating(type) ? elementwise::div : elementwise::div_floor;
  run_elementwise_in(c, code, type, collect(out, counts), out);
}

// The index of every element of `source`, broadcast from the index of its slice.
tensor spread(backend_call c, const tensor& index, const tensor& self, std::size_t d, const shape& sizes) {
  const tensor flat = flat_index(c, index);
  shape strides(sizes.size(), 0);
  if (self.dim() != 0) strides[d] = 1;
  return author::make_view(flat, sizes, strides, author::record_of(flat).offset);
}

}  // namespace

rowwise scatter_code(std::string_view op, std::string_view reduce) {
  if (reduce == "add") return rowwise::scatter_add;
  if (reduce == "multiply") return rowwise::scatter_mul;
  refuse<error>({nullptr, op}, "found reduce '" + std::string(reduce) + "', wanted 'add' or 'multiply'");
}

void scatter_value_reduction_kernel::run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index,
                                         const scalar& value, std::string_view reduce, const tensor& out) {
  const tensor source = everywhere(c, self, value, at_least_1d(index).sizes());
  run_scatter(c, scatter_code(c.op, reduce), self, dim, index, source, out);
}

result_meta scatter_reduce_kernel::meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                                        const tensor& source, std::string_view reduce, bool) {
  check_reduce({nullptr, op}, self, reduce, true);
  return scatter_meta(op, self, dim, index, &source);
}
void scatter_reduce_kernel::run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index,
                                const tensor& source, std::string_view reduce, bool include_self, const tensor& out) {
  const rowwise code = reduce_code(c, reduce, true);
  const bool extreme = code == rowwise::scatter_amax || code == rowwise::scatter_amin;
  if (include_self) {
    run_scatter(c, code, self, dim, index, source, out);
  } else {
    // Overwrites the indexed elements of self with values that do not change the result: an element of the source for
    // extrema, 1 for products, 0 for sums.
    const tensor neutral =
        extreme ? source : everywhere(c, self, code == rowwise::scatter_mul ? 1 : 0, at_least_1d(index).sizes());
    run_scatter(c, rowwise::scatter, self, dim, index, neutral, out);
    run_scatter(c, code, out, dim, index, source, out);
  }
  if (reduce == "mean" && out.numel() != 0) divide_by_counts(c, self, dim, index, include_self, out);
}

result_meta index_reduce_kernel::meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                                      const tensor& source, std::string_view reduce, bool) {
  check_reduce({nullptr, op}, self, reduce, false);
  return put_along_meta(op, self, dim, index, source);
}
void index_reduce_kernel::run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index,
                              const tensor& source, std::string_view reduce, bool include_self, const tensor& out) {
  const std::size_t d = dim_of(c, dim, self);
  shape sizes = self.sizes();
  if (self.dim() != 0) sizes[d] = index.numel();
  const tensor from = source.sizes() == sizes ? source : reshaped(source, sizes);
  scatter_reduce_kernel::run(c, self, dim, spread(c, index, self, d, sizes), from, reduce, include_self, out);
}

}  // namespace topbit::detail
