module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

void check_channels(std::string_view op, const tensor& input, std::string_view name, const optional_tensor& t) {
  if (!is_given(t) || t->sizes() == dims{input.sizes()[1]}) return;
  refuse<shape_error>({nullptr, op}, "found " + std::string(name) + " " + to_string(t->sizes()) + " for input " +
                                         to_string(input.sizes()) + ", wanted " + to_string(dims{input.sizes()[1]}));
}

void check_input(std::string_view op, const tensor& input) {
  const backend_call c{nullptr, op};
  check_defined(c, input);
  if (!is_floating(input.dtype())) {
    refuse<dtype_error>(c, "found " + std::string(name_of(input.dtype())) + ", wanted a floating dtype");
  }
  if (input.dim() < 2) refuse<shape_error>(c, "found " + to_string(input.sizes()) + ", wanted [n, channels, ..]");
}

// One number for each channel, against tensors of `rank` dimensions.
tensor per_channel(const tensor& t, std::size_t rank, dtype type) {
  dims sizes(rank, 1);
  sizes[1] = t.numel();
  return ops::reshape(to(t, type), sizes);
}

tensor scaled(const tensor& x, const optional_tensor& weight, const optional_tensor& bias) {
  tensor out = x;
  if (is_given(weight)) out = ops::mul(out, per_channel(*weight, x.dim(), x.dtype()));
  if (is_given(bias)) out = ops::add(out, per_channel(*bias, x.dim(), x.dtype()));
  return out;
}

// Mean and variance over some dimensions, which stay as 1.
struct moments {
  tensor mean, centered, variance;
  std::int64_t count;

  moments(const tensor& x, const dims& over) : count(1) {
    for (std::int64_t d : over) count *= x.sizes()[static_cast<std::size_t>(d)];
    const auto average = [&](const tensor& t) {
      return ops::div_scalar(ops::sum_dim(t, std::optional(std::span<const std::int64_t>(over)), true), count);
    };
    mean = average(x);
    centered = ops::sub(x, mean);
    variance = average(ops::mul(centered, centered));
  }
};

// running += momentum * (found - running); no gradient passes.
void move_toward(const optional_tensor& running, const tensor& found, double momentum) {
  if (!is_given(running)) return;
  const no_grad guard;
  tensor kept = *running;
  const tensor now = to(ops::reshape(found, running->sizes()), running->dtype());
  ops::add_(ops::mul_scalar_(kept, 1 - momentum), ops::mul_scalar(now, momentum));
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
    const tensor out = ops::mul(ops::sub(x, mean), ops::rsqrt(ops::add_scalar(var, eps)));
    const tensor none = author::make_tensor({0}, input.dtype(), input.device());
    return {to(scaled(out, weight, bias), input.dtype()), none, none};
  }
  dims over{0};
  for (std::size_t d = 2; d < x.dim(); ++d) over.push_back(static_cast<std::int64_t>(d));
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
  const tensor inverse = ops::rsqrt(ops::add_scalar(m.variance, eps));
  move_toward(running_mean, m.mean, momentum);
  // The running variance is that of a sample.
  const double sample = static_cast<double>(m.count) / static_cast<double>(m.count - 1);
  move_toward(running_var, detach(m.variance) * sample, momentum);
  const dims channels{input.sizes()[1]};
  return {to(scaled(ops::mul(m.centered, inverse), weight, bias), input.dtype()), ops::reshape(m.mean, channels),
          ops::reshape(inverse, channels)};
}

tensor batch_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                  const optional_tensor& running_mean, const optional_tensor& running_var, bool training,
                  double momentum, double eps, bool) {
  author::check_one_device(ops::batch_norm, input, weight, bias, running_mean, running_var);
  return std::get<0>(
      normalised(ops::batch_norm.name(), input, weight, bias, running_mean, running_var, training, momentum, eps));
}

results native_batch_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                          const optional_tensor& running_mean, const optional_tensor& running_var, bool training,
                          double momentum, double eps) {
  author::check_one_device(ops::native_batch_norm, input, weight, bias, running_mean, running_var);
  return normalised(ops::native_batch_norm.name(), input, weight, bias, running_mean, running_var, training, momentum,
                    eps);
}

tensor group_norm(const tensor& input, std::int64_t groups, const optional_tensor& weight, const optional_tensor& bias,
                  double eps, bool) {
  constexpr std::string_view op = ops::group_norm.name();
  author::check_one_device(ops::group_norm, input, weight, bias);
  check_input(op, input);
  check_channels(op, input, "weight", weight);
  check_channels(op, input, "bias", bias);
  if (groups < 1 || input.sizes()[1] % groups != 0) {
    refuse<error>({nullptr, op}, "found " + std::to_string(groups) + " groups for input " + to_string(input.sizes()) +
                                     ", wanted a number that divides the channels");
  }
  const std::int64_t images = input.sizes()[0], width = images == 0 ? 0 : input.numel() / (images * groups);
  const moments m(ops::reshape(to(input, widened(input.dtype())), dims{images, groups, width}), dims{2});
  const tensor out = ops::mul(m.centered, ops::rsqrt(ops::add_scalar(m.variance, eps)));
  return to(scaled(ops::reshape(out, input.sizes()), weight, bias), input.dtype());
}

// Images become channels of one image, each with the parameters of its channel.
tensor instance_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                     const optional_tensor& running_mean, const optional_tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool) {
  constexpr std::string_view op = ops::instance_norm.name();
  author::check_one_device(ops::instance_norm, input, weight, bias, running_mean, running_var);
  check_input(op, input);
  check_channels(op, input, "weight", weight);
  check_channels(op, input, "bias", bias);
  check_channels(op, input, "running_mean", running_mean);
  check_channels(op, input, "running_var", running_var);
  if (!use_input_stats && (!is_given(running_mean) || !is_given(running_var))) {
    refuse<error>({nullptr, op}, "found no running_mean or no running_var without use_input_stats, wanted both");
  }
  const std::int64_t images = input.sizes()[0], channels = input.sizes()[1];
  // A view first, so that gradients come back.
  const auto for_all = [&](const optional_tensor& t) {
    if (!is_given(t)) return optional_tensor();
    return optional_tensor(ops::clone(ops::reshape(ops::expand(*t, dims{images, channels}), dims{images * channels})));
  };
  dims sizes = input.sizes();
  sizes[0] = 1;
  sizes[1] = images * channels;
  const optional_tensor mean = for_all(running_mean), var = for_all(running_var);
  const tensor out = std::get<0>(normalised(op, ops::reshape(input, sizes), for_all(weight), for_all(bias), mean, var,
                                            use_input_stats, momentum, eps));
  const auto keep = [&](const optional_tensor& running, const optional_tensor& now) {
    if (!is_given(running) || !use_input_stats || images == 0) return;
    const no_grad guard;
    tensor kept = *running;
    const tensor each = ops::reshape(*now, dims{images, channels});
    ops::copy_(kept, ops::div_scalar(sum(each, {0}), images));
  };
  keep(running_mean, mean);
  keep(running_var, var);
  return ops::reshape(out, input.sizes());
}

}  // namespace

void register_batch_norm() {
  register_composite<&instance_norm, ops::instance_norm>();
  register_composite<&batch_norm, ops::batch_norm>();
  register_composite<&native_batch_norm, ops::native_batch_norm>();
  register_composite<&group_norm, ops::group_norm>();
}

}  // namespace topbit::detail
