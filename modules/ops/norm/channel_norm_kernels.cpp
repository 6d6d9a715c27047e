// native::channel_norm and its gradient: one kernel of the table, or a composition of other operators.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :norm.channel_norm_kernels;
import :registration.composite;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

namespace {

// The sizes of a call, after its checks.
struct channel_call {
  std::int64_t images, channels, inner, groups;
  dtype type;  // of parameters and statistics
  shape statistics;

  channel_call(backend_call c, const tensor& input, std::int64_t groups) : groups(groups) {
    check_defined(c, input);
    if (!is_floating(input.dtype())) {
      refuse<dtype_error>(c, "found " + std::string(name_of(input.dtype())) + ", wanted a floating dtype");
    }
    if (input.dim() < 2) refuse<shape_error>(c, "found " + to_string(input.sizes()) + ", wanted [n, channels, ..]");
    images = input.sizes()[0];
    channels = input.sizes()[1];
    inner = 1;
    for (std::int64_t d = 2; d < input.dim(); ++d) inner *= input.sizes()[d];
    if (groups < 0 || (groups > 0 && channels % groups != 0)) {
      refuse<error>(c, "found " + std::to_string(groups) + " groups for input " + to_string(input.sizes()) +
                           ", wanted a number that divides the channels, or 0");
    }
    type = widened(input.dtype());
    statistics = groups == 0 ? shape{channels} : shape{images, groups};
  }

  // The elements that share a mean.
  std::int64_t count() const { return groups == 0 ? images * inner : channels / groups * inner; }

  void check_numbers(backend_call c, std::string_view name, const optional_tensor& t) const {
    if (is_given(t)) check_sizes(c, name, *t, shape{channels});
  }
  void check_sizes(backend_call c, std::string_view name, const tensor& t, const shape& wanted) const {
    check_defined(c, t);
    if (t.sizes() != wanted) {
      refuse<shape_error>(c,
                          "found " + std::string(name) + " " + to_string(t.sizes()) + ", wanted " + to_string(wanted));
    }
    if (!is_floating(t.dtype())) {
      refuse<dtype_error>(
          c, "found " + std::string(name) + " of " + std::string(name_of(t.dtype())) + ", wanted a floating dtype");
    }
  }

  // Dense; undefined if absent.
  tensor numbers(backend_call c, const optional_tensor& t) const {
    return is_given(t) ? dense(c, in_dtype(c, *t, type)) : tensor();
  }

  tb_channel_norm arguments(double eps, const tensor& input) const {
    tb_channel_norm n{};
    n.images = images;
    n.channels = channels;
    n.inner = inner;
    n.groups = groups;
    n.epsilon = eps;
    n.dtype = static_cast<std::int32_t>(input.dtype());
    return n;
  }
};

channel_call forward_call(backend_call c, const tensor& input, const optional_tensor& weight,
                          const optional_tensor& bias, const optional_tensor& mean, const optional_tensor& variance,
                          std::int64_t groups) {
  const channel_call call(c, input, groups);
  call.check_numbers(c, "weight", weight);
  call.check_numbers(c, "bias", bias);
  call.check_numbers(c, "mean", mean);
  call.check_numbers(c, "variance", variance);
  if (is_given(mean) != is_given(variance) || (is_given(mean) && groups != 0)) {
    refuse<error>(c, "found a mean or a variance, wanted both, with groups = 0, or none");
  }
  return call;
}

channel_call backward_call(backend_call c, const tensor& grad, const tensor& input, const tensor& mean,
                           const tensor& variance, const optional_tensor& weight, std::int64_t groups, bool given,
                           std::span<const bool> wanted) {
  const channel_call call(c, input, groups);
  check_defined(c, grad);
  const auto other_gradient = [&] {
    return "found a gradient " + describe(grad) + " for " + describe(input) + ", wanted the same";
  };
  if (grad.sizes() != input.sizes()) refuse<shape_error>(c, other_gradient());
  if (grad.dtype() != input.dtype()) refuse<dtype_error>(c, other_gradient());
  call.check_sizes(c, "mean", mean, call.statistics);
  call.check_sizes(c, "variance", variance, call.statistics);
  call.check_numbers(c, "weight", weight);
  if (given && groups != 0) refuse<error>(c, "found given statistics of groups, wanted groups = 0");
  if (wanted.size() != 3) {
    refuse<error>(c, "found " + std::to_string(wanted.size()) + " elements of output_mask, wanted 3");
  }
  return call;
}

void* address(const tensor& t) { return t.defined() ? t.data() : nullptr; }

// Sums over some dimensions, and their means, for which the dimensions are kept with size 1.
tensor sum_over(const tensor& t, const shape& over, bool keeps) {
  return aten::sum_dim_IntList(t, std::optional(std::span<const std::int64_t>(over)), keeps);
}
tensor mean_over(const tensor& t, const shape& over, std::int64_t count) {
  return aten::div_Scalar(sum_over(t, over, true), count);
}

// Mean and variance over some dimensions, which are kept with size 1.
struct moments {
  tensor mean, centered, variance;

  moments(const tensor& x, const shape& over, std::int64_t count) {
    mean = mean_over(x, over, count);
    centered = aten::sub_Tensor(x, mean);
    variance = mean_over(aten::mul_Tensor(centered, centered), over, count);
  }
};

// The dimensions that share a mean: of an input, or of its groups [n, groups, width].
shape shared_dims(std::int64_t rank, std::int64_t groups) {
  if (groups != 0) return shape{2};
  shape over;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (d != 1) over.push_back(d);
  }
  return over;
}
tensor in_groups(const tensor& t, const channel_call& call) {
  return call.groups == 0 ? t : aten::reshape(t, shape{call.images, call.groups, call.count()});
}
tensor inverse_deviation(const tensor& variance, double eps) { return aten::rsqrt(aten::add_Scalar(variance, eps)); }

}  // namespace

tensor beside_channels(const tensor& t, std::int64_t rank, dtype type) {
  shape sizes(rank, 1);
  sizes[1] = t.numel();
  return aten::reshape(to(t, type), sizes);
}

channel_results channel_norm_kernel::run(backend_call c, const tensor& input, const optional_tensor& weight,
                                         const optional_tensor& bias, const optional_tensor& mean,
                                         const optional_tensor& variance, std::int64_t groups, double eps) {
  const channel_call call = forward_call(c, input, weight, bias, mean, variance, groups);
  const bool given = is_given(mean);
  const auto made = [&](const shape& sizes, dtype type) { return author::make_tensor(sizes, type, input.device()); };
  const shape statistics = given ? shape{0} : call.statistics;
  const channel_results all{made(input.sizes(), input.dtype()), made(statistics, call.type),
                            made(statistics, call.type)};
  if (c.table == nullptr) return all;
  const tensor in = dense(c, input), w = call.numbers(c, weight), b = call.numbers(c, bias),
               m = given ? call.numbers(c, mean) : std::get<1>(all),
               v = given ? call.numbers(c, variance) : std::get<2>(all);
  tb_channel_norm n = call.arguments(eps, input);
  n.out = std::get<0>(all).data();
  n.in = in.data();
  n.weight = address(w);
  n.bias = address(b);
  n.mean = m.data();
  n.variance = v.data();
  n.given = given ? 1 : 0;
  check_status(c, run_kernel(c, input, c.table->channel_norm, &n), input);
  return all;
}

channel_results channel_norm_backward_kernel::run(backend_call c, const tensor& grad, const tensor& input,
                                                  const tensor& mean, const tensor& variance,
                                                  const optional_tensor& weight, std::int64_t groups, double eps,
                                                  bool given, std::span<const bool> wanted) {
  const channel_call call = backward_call(c, grad, input, mean, variance, weight, groups, given, wanted);
  const auto made = [&](bool is_wanted, const shape& sizes, dtype type) {
    return is_wanted ? author::make_tensor(sizes, type, input.device()) : tensor();
  };
  const shape channels{call.channels};
  channel_results all{made(wanted[0], input.sizes(), input.dtype()), made(wanted[1], channels, call.type),
                      made(wanted[2], channels, call.type)};
  if (c.table == nullptr || (!wanted[0] && !wanted[1] && !wanted[2])) return all;
  if (input.numel() == 0) {
    if (wanted[1]) fill(c, std::get<1>(all), 0);
    if (wanted[2]) fill(c, std::get<2>(all), 0);
    return all;
  }
  const tensor g = dense(c, grad), in = dense(c, input), w = call.numbers(c, weight), m = call.numbers(c, mean),
               v = call.numbers(c, variance);
  tb_channel_norm n = call.arguments(eps, input);
  n.out = address(std::get<0>(all));
  n.in = in.data();
  n.gradient = g.data();
  n.weight = address(w);
  n.mean = m.data();
  n.variance = v.data();
  n.weight_gradient = address(std::get<1>(all));
  n.bias_gradient = address(std::get<2>(all));
  n.given = given ? 1 : 0;
  check_status(c, run_kernel(c, input, c.table->channel_norm, &n), input);
  return all;
}

channel_results composed_channel_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                                      const optional_tensor& mean, const optional_tensor& variance, std::int64_t groups,
                                      double eps) {
  const channel_call call =
      forward_call({nullptr, native::channel_norm.name()}, input, weight, bias, mean, variance, groups);
  const std::int64_t rank = input.dim();
  const tensor x = to(input, call.type);
  tensor out, means, variances;
  if (is_given(mean)) {
    out = aten::mul_Tensor(aten::sub_Tensor(x, beside_channels(*mean, rank, call.type)),
                           inverse_deviation(beside_channels(*variance, rank, call.type), eps));
    means = aten::new_empty(x, shape{0});
    variances = aten::new_empty(x, shape{0});
  } else {
    const moments m(in_groups(x, call), shared_dims(rank, groups), call.count());
    out = aten::reshape(aten::mul_Tensor(m.centered, inverse_deviation(m.variance, eps)), input.sizes());
    means = aten::reshape(m.mean, call.statistics);
    variances = aten::reshape(m.variance, call.statistics);
  }
  if (is_given(weight)) out = aten::mul_Tensor(out, beside_channels(*weight, rank, call.type));
  if (is_given(bias)) out = aten::add_Tensor(out, beside_channels(*bias, rank, call.type));
  return {aten::contiguous(to(out, input.dtype())), means, variances};
}

channel_results composed_channel_norm_backward(const tensor& grad, const tensor& input, const tensor& mean,
                                               const tensor& variance, const optional_tensor& weight,
                                               std::int64_t groups, double eps, bool given,
                                               std::span<const bool> wanted) {
  const channel_call call = backward_call({nullptr, native::channel_norm_backward.name()}, grad, input, mean, variance,
                                          weight, groups, given, wanted);
  const std::int64_t rank = input.dim();
  const auto beside = [&](const tensor& t) {
    return groups == 0 ? beside_channels(t, rank, call.type)
                       : aten::reshape(to(t, call.type), shape{call.images, groups, 1});
  };
  const tensor g = to(grad, call.type), scale = inverse_deviation(beside(variance), eps);
  const tensor unit = (in_groups(to(input, call.type), call) - beside(mean)) * scale;
  channel_results all;
  if (wanted[0]) {
    const tensor of_unit = in_groups(is_given(weight) ? g * beside_channels(*weight, rank, call.type) : g, call);
    const shape over = shared_dims(rank, groups);
    const auto average = [&](const tensor& t) { return mean_over(t, over, call.count()); };
    const tensor of_input =
        given ? scale * of_unit : scale * (of_unit - average(of_unit) - unit * average(of_unit * unit));
    std::get<0>(all) = aten::contiguous(to(aten::reshape(of_input, input.sizes()), input.dtype()));
  }
  const auto over_channels = [&](const tensor& t) { return sum_over(t, shared_dims(rank, 0), false); };
  if (wanted[1]) std::get<1>(all) = over_channels(g * aten::reshape(unit, input.sizes()));
  if (wanted[2]) std::get<2>(all) = over_channels(g);
  return all;
}

namespace {

channel_results norm_of_channels(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                                 const optional_tensor& mean, const optional_tensor& variance, std::int64_t groups,
                                 double eps) {
  author::check_one_device(native::channel_norm, input, weight, bias, mean, variance);
  return composed_channel_norm(input, weight, bias, mean, variance, groups, eps);
}
channel_results gradients_of_channels(const tensor& grad, const tensor& input, const tensor& mean,
                                      const tensor& variance, const optional_tensor& weight, std::int64_t groups,
                                      double eps, bool given, std::span<const bool> wanted) {
  author::check_one_device(native::channel_norm_backward, grad, input, mean, variance, weight);
  return composed_channel_norm_backward(grad, input, mean, variance, weight, groups, eps, given, wanted);
}

}  // namespace

void register_channel_norm() {
  register_forms(channel_norm_forms);
  static constexpr author::kernel_row composed[] = {
      caller_row<&norm_of_channels, native::channel_norm>(key::CompositeExplicitAutograd),
      caller_row<&gradients_of_channels, native::channel_norm_backward>(key::CompositeExplicitAutograd)};
  author::register_rows(composed);
}

}  // namespace topbit::detail
