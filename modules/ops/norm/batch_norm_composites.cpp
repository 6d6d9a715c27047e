module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.composite;

namespace topbit::detail {

namespace {

void check_channels(std::string_view op, const tensor& input, std::string_view name, const optional_tensor& t) {
  if (!is_given(t) || t->sizes() == shape{input.sizes()[1]}) return;
  refuse<shape_error>({nullptr, op}, "found " + std::string(name) + " " + to_string(t->sizes()) + " for input " +
                                         to_string(input.sizes()) + ", wanted " + to_string(shape{input.sizes()[1]}));
}

void check_input(std::string_view op, const tensor& input) {
  const backend_call c{nullptr, op};
  check_defined(c, input);
  if (!is_floating(input.dtype())) {
    refuse<dtype_error>(c, "found " + std::string(name_of(input.dtype())) + ", wanted a floating dtype");
  }
  if (input.dim() < 2) refuse<shape_error>(c, "found " + to_string(input.sizes()) + ", wanted [n, channels, ..]");
}

// Per-channel values, reshaped to broadcast over tensors of `rank` dimensions.
tensor per_channel(const tensor& t, std::size_t rank, dtype type) {
  shape sizes(rank, 1);
  sizes[1] = t.numel();
  return aten::reshape(to(t, type), sizes);
}

tensor scaled(const tensor& x, const optional_tensor& weight, const optional_tensor& bias) {
  tensor out = x;
  if (is_given(weight)) out = aten::mul_Tensor(out, per_channel(*weight, x.dim(), x.dtype()));
  if (is_given(bias)) out = aten::add_Tensor(out, per_channel(*bias, x.dim(), x.dtype()));
  return out;
}

// Mean and variance over some dimensions, which are kept with size 1.
struct moments {
  tensor mean, centered, variance;
  std::int64_t count;

  moments(const tensor& x, const shape& over) : count(1) {
    for (std::int64_t d : over) count *= x.sizes()[static_cast<std::size_t>(d)];
    const auto average = [&](const tensor& t) {
      return aten::div_Scalar(aten::sum_dim_IntList(t, std::optional(std::span<const std::int64_t>(over)), true),
                              count);
    };
    mean = average(x);
    centered = aten::sub_Tensor(x, mean);
    variance = average(aten::mul_Tensor(centered, centered));
  }
};

// running += momentum * (found - running), not recorded.
void move_toward(std::string_view op, std::string_view name, const optional_tensor& running, const tensor& found,
                 double momentum) {
  if (!is_given(running)) return;
  if (author::is_wrapper(found) && !author::is_wrapper(*running)) {
    refuse<error>({nullptr, op}, "would update " + std::string(name) +
                                     ", which is the same for all examples; pass training = false, or statistics for "
                                     "each example");
  }
  const no_grad guard;
  tensor kept = *running;
  const tensor now = to(aten::reshape(found, running->sizes()), running->dtype());
  aten::add_Tensor_(aten::mul_Scalar_(kept, 1 - momentum), aten::mul_Scalar(now, momentum));
}

using results = std::tuple<tensor, tensor, tensor>;

results normalised(std::string_view op, const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                   const optional_tensor& running_mean, const optional_tensor& running_var, bool training,
                   double momentum, double eps) {
  check_input(op, input);
  check_channels(op, input, "weight", weight);
  check_channels(op, input, "bias", bias);
  check_channels(op, input, "running_mean", running_mean);
  check_channels(op, input, "running_var", running_var);
  const dtype type = widened(input.dtype());
  const tensor x = to(input, type);
  if (!training) {
    if (!is_given(running_mean) || !is_given(running_var)) {
      refuse<error>({nullptr, op}, "found no running_mean or no running_var outside training, wanted both");
    }
    const tensor mean = per_channel(*running_mean, x.dim(), type), var = per_channel(*running_var, x.dim(), type);
    const tensor out = aten::mul_Tensor(aten::sub_Tensor(x, mean), aten::rsqrt(aten::add_Scalar(var, eps)));
    const tensor none = author::make_tensor({0}, input.dtype(), input.device());
    return {to(scaled(out, weight, bias), input.dtype()), none, none};
  }
  shape over{0};
  for (std::int64_t d = 2; d < x.dim(); ++d) over.push_back(d);
  for (const optional_tensor& running : {running_mean, running_var}) {
    if (is_given(running) && !is_floating(running->dtype())) {
      refuse<dtype_error>({nullptr, op}, "found running statistics of " + std::string(name_of(running->dtype())) +
                                             ", wanted a floating dtype");
    }
    if (is_given(running)) check_written({nullptr, op}, *running);
  }
  const moments m(x, over);
  if (is_given(running_var) && m.count < 2) {
    refuse<shape_error>({nullptr, op}, "found " + to_string(input.sizes()) +
                                           ", wanted at least two values for each channel in training");
  }
  const tensor inverse = aten::rsqrt(aten::add_Scalar(m.variance, eps));
  move_toward(op, "running_mean", running_mean, m.mean, momentum);
  // The running variance is unbiased.
  if (is_given(running_var)) {
    const no_grad guard;
    const double sample = static_cast<double>(m.count) / static_cast<double>(m.count - 1);
    move_toward(op, "running_var", running_var, m.variance * sample, momentum);
  }
  const shape channels{input.sizes()[1]};
  return {to(scaled(aten::mul_Tensor(m.centered, inverse), weight, bias), input.dtype()),
          aten::reshape(m.mean, channels), aten::reshape(inverse, channels)};
}

tensor batch_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                  const optional_tensor& running_mean, const optional_tensor& running_var, bool training,
                  double momentum, double eps, bool) {
  author::check_one_device(aten::batch_norm, input, weight, bias, running_mean, running_var);
  return std::get<0>(
      normalised(aten::batch_norm.name(), input, weight, bias, running_mean, running_var, training, momentum, eps));
}

results native_batch_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                          const optional_tensor& running_mean, const optional_tensor& running_var, bool training,
                          double momentum, double eps) {
  author::check_one_device(aten::native_batch_norm, input, weight, bias, running_mean, running_var);
  return normalised(aten::native_batch_norm.name(), input, weight, bias, running_mean, running_var, training, momentum,
                    eps);
}

tensor group_norm(const tensor& input, std::int64_t groups, const optional_tensor& weight, const optional_tensor& bias,
                  double eps, bool) {
  constexpr std::string_view op = aten::group_norm.name();
  author::check_one_device(aten::group_norm, input, weight, bias);
  check_input(op, input);
  check_channels(op, input, "weight", weight);
  check_channels(op, input, "bias", bias);
  if (groups < 1 || input.sizes()[1] % groups != 0) {
    refuse<error>({nullptr, op}, "found " + std::to_string(groups) + " groups for input " + to_string(input.sizes()) +
                                     ", wanted a number that divides the channels");
  }
  const std::int64_t images = input.sizes()[0], width = images == 0 ? 0 : input.numel() / (images * groups);
  const moments m(aten::reshape(to(input, widened(input.dtype())), shape{images, groups, width}), shape{2});
  const tensor out = aten::mul_Tensor(m.centered, aten::rsqrt(aten::add_Scalar(m.variance, eps)));
  return to(scaled(aten::reshape(out, input.sizes()), weight, bias), input.dtype());
}

// All images become channels of one image, each with the parameters of its channel.
tensor instance_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                     const optional_tensor& running_mean, const optional_tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool) {
  constexpr std::string_view op = aten::instance_norm.name();
  author::check_one_device(aten::instance_norm, input, weight, bias, running_mean, running_var);
  check_input(op, input);
  check_channels(op, input, "weight", weight);
  check_channels(op, input, "bias", bias);
  check_channels(op, input, "running_mean", running_mean);
  check_channels(op, input, "running_var", running_var);
  if (!use_input_stats && (!is_given(running_mean) || !is_given(running_var))) {
    refuse<error>({nullptr, op}, "found no running_mean or no running_var without use_input_stats, wanted both");
  }
  const std::int64_t images = input.sizes()[0], channels = input.sizes()[1];
  // Cloned from an expanded view, so that gradients reach the parameters.
  const auto for_all = [&](const optional_tensor& t) {
    if (!is_given(t)) return optional_tensor();
    return optional_tensor(
        aten::clone(aten::reshape(aten::expand(*t, shape{images, channels}), shape{images * channels})));
  };
  shape sizes = input.sizes();
  sizes[0] = 1;
  sizes[1] = images * channels;
  const optional_tensor mean = for_all(running_mean), var = for_all(running_var);
  const tensor out = std::get<0>(normalised(op, aten::reshape(input, sizes), for_all(weight), for_all(bias), mean, var,
                                            use_input_stats, momentum, eps));
  const auto keep = [&](const optional_tensor& running, const optional_tensor& now) {
    if (!is_given(running) || !use_input_stats || images == 0) return;
    const no_grad guard;
    tensor kept = *running;
    const tensor each = aten::reshape(*now, shape{images, channels});
    aten::copy_(kept, aten::div_Scalar(sum(each, {0}), images));
  };
  keep(running_mean, mean);
  keep(running_var, var);
  return aten::reshape(out, input.sizes());
}

}  // namespace

void register_batch_norm() {
  register_composite<&instance_norm, aten::instance_norm>();
  register_composite<&batch_norm, aten::batch_norm>();
  register_composite<&native_batch_norm, aten::native_batch_norm>();
  register_composite<&group_norm, aten::group_norm>();
}

}  // namespace topbit::detail
