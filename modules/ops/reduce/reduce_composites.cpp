// Composites of the families `reduce` and `variance`, and their registration.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :reduce.reduce_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

using optional_type = std::optional<dtype>;

dtype mean_type(std::string_view op, const tensor& self, optional_type type) {
  check_defined({nullptr, op}, self);
  const dtype wanted = type.value_or(self.dtype());
  if (!is_floating(wanted)) {
    refuse<dtype_error>({nullptr, op},
                        "found " + std::string(name_of(wanted)) + ", wanted a floating dtype; pass dtype");
  }
  return wanted;
}

// Summed in the wider type: a sum in float16 may overflow where the mean does not.
tensor mean(const tensor& self, optional_type type) {
  const dtype wanted = mean_type(aten::mean.name(), self, type);
  return to(aten::div_Scalar(aten::sum(self, widened(wanted)), self.numel()), wanted);
}
tensor mean_dim(const tensor& self, dim_list dim, bool keepdim, optional_type type) {
  constexpr std::string_view op = aten::mean_dim.name();
  const dtype wanted = mean_type(op, self, type);
  const std::int64_t count = reduced_count(self, reduced_dims_of(op, self, dim, keepdim));
  return to(aten::div_Scalar(aten::sum_dim_IntList(self, dim, keepdim, widened(wanted)), count), wanted);
}

tensor& mean_dtype_out(const tensor& self, optional_type type, tensor& out) {
  author::check_one_device(aten::mean_dtype_out, self, type, out);
  mean_type(aten::mean_dtype_out.name(), self, type);
  return write_result(aten::mean_dtype_out.name(), mean(self, type), out);
}
tensor& mean_out(const tensor& self, dim_list dim, bool keepdim, optional_type type, tensor& out) {
  constexpr std::string_view op = aten::mean_out.name();
  author::check_one_device(aten::mean_out, self, dim, keepdim, type, out);
  mean_type(op, self, type);
  reduced_dims_of(op, self, dim, keepdim);
  return write_result(op, mean_dim(self, dim, keepdim, type), out);
}

using optional_count = std::optional<std::int64_t>;
using two_tensors = std::tuple<tensor, tensor>;

// Runs the checks of the underlying operators under the name of the called one.
template <const auto& Op>
void check_spread(const tensor& self, const dim_list& dim) {
  spread_call(Op.name(), reduction::var, self, dim, {}, false);
}

tensor var(const tensor& self, bool unbiased) {
  check_spread<aten::var>(self, {});
  return aten::var_correction(self, dim_list(), optional_count(unbiased ? 1 : 0), false);
}
tensor var_dim(const tensor& self, dim_list dim, bool unbiased, bool keepdim) {
  check_spread<aten::var_dim>(self, dim);
  return aten::var_correction(self, dim, optional_count(unbiased ? 1 : 0), keepdim);
}
tensor& var_out(const tensor& self, dim_list dim, bool unbiased, bool keepdim, tensor& out) {
  author::check_one_device(aten::var_out, self, dim, unbiased, keepdim, out);
  check_spread<aten::var_out>(self, dim);
  return aten::var_correction_out(self, dim, optional_count(unbiased ? 1 : 0), keepdim, out);
}
tensor stddev(const tensor& self, bool unbiased) {
  check_spread<aten::std>(self, {});
  return aten::std_correction(self, dim_list(), optional_count(unbiased ? 1 : 0), false);
}
tensor stddev_dim(const tensor& self, dim_list dim, bool unbiased, bool keepdim) {
  check_spread<aten::std_dim>(self, dim);
  return aten::std_correction(self, dim, optional_count(unbiased ? 1 : 0), keepdim);
}
tensor& stddev_out(const tensor& self, dim_list dim, bool unbiased, bool keepdim, tensor& out) {
  author::check_one_device(aten::std_out, self, dim, unbiased, keepdim, out);
  check_spread<aten::std_out>(self, dim);
  return aten::std_correction_out(self, dim, optional_count(unbiased ? 1 : 0), keepdim, out);
}

two_tensors var_and_mean(const tensor& self, dim_list dim, optional_count correction, bool keepdim) {
  return {aten::var_correction(self, dim, correction, keepdim), aten::mean_dim(self, dim, keepdim)};
}
two_tensors var_mean_correction(const tensor& self, dim_list dim, optional_count correction, bool keepdim) {
  check_spread<aten::var_mean_correction>(self, dim);
  return var_and_mean(self, dim, correction, keepdim);
}
two_tensors var_mean_dim(const tensor& self, dim_list dim, bool unbiased, bool keepdim) {
  check_spread<aten::var_mean_dim>(self, dim);
  return var_and_mean(self, dim, unbiased ? 1 : 0, keepdim);
}
two_tensors var_mean(const tensor& self, bool unbiased) {
  check_spread<aten::var_mean>(self, {});
  return var_and_mean(self, {}, unbiased ? 1 : 0, false);
}
two_tensors stddev_and_mean(const tensor& self, dim_list dim, optional_count correction, bool keepdim) {
  return {aten::std_correction(self, dim, correction, keepdim), aten::mean_dim(self, dim, keepdim)};
}
two_tensors stddev_mean_correction(const tensor& self, dim_list dim, optional_count correction, bool keepdim) {
  check_spread<aten::std_mean_correction>(self, dim);
  return stddev_and_mean(self, dim, correction, keepdim);
}
two_tensors stddev_mean_dim(const tensor& self, dim_list dim, bool unbiased, bool keepdim) {
  check_spread<aten::std_mean_dim>(self, dim);
  return stddev_and_mean(self, dim, unbiased ? 1 : 0, keepdim);
}
two_tensors stddev_mean(const tensor& self, bool unbiased) {
  check_spread<aten::std_mean>(self, {});
  return stddev_and_mean(self, {}, unbiased ? 1 : 0, false);
}

template <const auto& Op>
void check_pair(const tensor& self, const tensor& other) {
  check_defined({nullptr, Op.name()}, self);
  check_defined({nullptr, Op.name()}, other);
  broadcast(Op.name(), self.sizes(), other.sizes());
}

tensor max_other(const tensor& self, const tensor& other) {
  author::check_one_device(aten::max_other, self, other);
  check_pair<aten::max_other>(self, other);
  return aten::maximum(self, other);
}
tensor& max_out(const tensor& self, const tensor& other, tensor& out) {
  author::check_one_device(aten::max_out, self, other, out);
  check_pair<aten::max_out>(self, other);
  return aten::maximum_out(self, other, out);
}
tensor min_other(const tensor& self, const tensor& other) {
  author::check_one_device(aten::min_other, self, other);
  check_pair<aten::min_other>(self, other);
  return aten::minimum(self, other);
}
tensor& min_out(const tensor& self, const tensor& other, tensor& out) {
  author::check_one_device(aten::min_out, self, other, out);
  check_pair<aten::min_out>(self, other);
  return aten::minimum_out(self, other, out);
}

using author::row;

constexpr author::kernel_row mean_outs[] = {
    author::define(aten::mean_dtype_out),
    caller_row<&mean_dtype_out, aten::mean_dtype_out>(key::CompositeExplicitAutograd), author::define(aten::mean_out),
    caller_row<&mean_out, aten::mean_out>(key::CompositeExplicitAutograd)};

}  // namespace

void register_reduce() {
  register_forms(reduce_forms);
  register_composite<&mean, aten::mean>();
  register_composite<&mean_dim, aten::mean_dim>();
  author::register_rows(mean_outs);
  register_writing<aten::mean_dtype_out, aten::mean_out>();
  register_composite<&max_other, aten::max_other>();
  register_composite<&max_out, aten::max_out>();
  register_composite<&min_other, aten::min_other>();
  register_composite<&min_out, aten::min_out>();
  register_composite<&var, aten::var>();
  register_composite<&var_dim, aten::var_dim>();
  register_composite<&var_out, aten::var_out>();
  register_composite<&stddev, aten::std>();
  register_composite<&stddev_dim, aten::std_dim>();
  register_composite<&stddev_out, aten::std_out>();
  register_composite<&var_mean, aten::var_mean>();
  register_composite<&var_mean_dim, aten::var_mean_dim>();
  register_composite<&var_mean_correction, aten::var_mean_correction>();
  register_composite<&stddev_mean, aten::std_mean>();
  register_composite<&stddev_mean_dim, aten::std_mean_dim>();
  register_composite<&stddev_mean_correction, aten::std_mean_correction>();
  register_without_gradient<aten::argmax, aten::argmin, aten::any, aten::any_dim, aten::all, aten::all_dim,
                            aten::count_nonzero, aten::count_nonzero_dim_IntList>();
}

}  // namespace topbit::detail
