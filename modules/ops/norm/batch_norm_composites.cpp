module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :norm.channel_norm_kernels;
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

// running += momentum * (factor * found - running), not recorded.
void move_toward(std::string_view op, std::string_view name, const optional_tensor& running, const tensor& found,
                 double momentum, double factor = 1) {
  if (!is_given(running)) return;
  if (author::is_wrapper(found) && !author::is_wrapper(*running)) {
    refuse<error>({nullptr, op}, "would update " + std::string(name) +
                                     ", which is the same for all examples; pass training = false, or statistics for "
                                     "each example");
  }
  const no_grad guard;
  tensor kept = *running;
  aten::mul_Scalar_(kept, 1 - momentum);
  aten::add_Tensor_(kept, to(found, running->dtype()), momentum * factor);
}

// What training needs of the running statistics, for channels of `count` elements.
void check_running(std::string_view op, const tensor& input, const optional_tensor& mean, const optional_tensor& var,
                   std::int64_t count) {
  for (const optional_tensor& running : {mean, var}) {
    if (is_given(running) && !is_floating(running->dtype())) {
      refuse<dtype_error>({nullptr, op}, "found running statistics of " + std::string(name_of(running->dtype())) +
                                             ", wanted a floating dtype");
    }
    if (is_given(running)) check_written({nullptr, op}, *running);
  }
  if (is_given(var) && count < 2) {
    refuse<shape_error>({nullptr, op}, "found " + to_string(input.sizes()) +
                                           ", wanted at least two values for each channel in training");
  }
}
// The factor that makes a variance unbiased.
double of_sample(std::int64_t count) { return static_cast<double>(count) / static_cast<double>(count - 1); }

// The result, and in training the mean and the variance.
channel_results normalised(std::string_view op, const tensor& input, const optional_tensor& weight,
                           const optional_tensor& bias, const optional_tensor& running_mean,
                           const optional_tensor& running_var, bool training, double momentum, double eps) {
  check_input(op, input);
  check_channels(op, input, "weight", weight);
  check_channels(op, input, "bias", bias);
  check_channels(op, input, "running_mean", running_mean);
  check_channels(op, input, "running_var", running_var);
  if (!training) {
    if (!is_given(running_mean) || !is_given(running_var)) {
      refuse<error>({nullptr, op}, "found no running_mean or no running_var outside training, wanted both");
    }
    return native::channel_norm(input, weight, bias, running_mean, running_var, 0, eps);
  }
  const std::int64_t channels = input.sizes()[1], count = channels == 0 ? 0 : input.numel() / channels;
  check_running(op, input, running_mean, running_var, count);
  const channel_results all = native::channel_norm(input, weight, bias, std::nullopt, std::nullopt, 0, eps);
  move_toward(op, "running_mean", running_mean, std::get<1>(all), momentum);
  if (is_given(running_var)) {
    move_toward(op, "running_var", running_var, std::get<2>(all), momentum, of_sample(count));
  }
  return all;
}

tensor batch_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                  const optional_tensor& running_mean, const optional_tensor& running_var, bool training,
                  double momentum, double eps, bool) {
  author::check_one_device(aten::batch_norm, input, weight, bias, running_mean, running_var);
  return std::get<0>(
      normalised(aten::batch_norm.name(), input, weight, bias, running_mean, running_var, training, momentum, eps));
}

channel_results native_batch_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                                  const optional_tensor& running_mean, const optional_tensor& running_var,
                                  bool training, double momentum, double eps) {
  author::check_one_device(aten::native_batch_norm, input, weight, bias, running_mean, running_var);
  const auto [out, mean, variance] = normalised(aten::native_batch_norm.name(), input, weight, bias, running_mean,
                                                running_var, training, momentum, eps);
  if (training) return {out, mean, aten::rsqrt(aten::add_Scalar(variance, eps))};
  const tensor none = author::make_tensor({0}, input.dtype(), input.device());
  return {out, none, none};
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
  return std::get<0>(native::channel_norm(input, weight, bias, std::nullopt, std::nullopt, groups, eps));
}

// A group for each channel.
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
  if (!use_input_stats) {
    return std::get<0>(native::channel_norm(input, weight, bias, running_mean, running_var, 0, eps));
  }
  const std::int64_t images = input.sizes()[0], channels = input.sizes()[1];
  const std::int64_t count = images == 0 || channels == 0 ? 0 : input.numel() / (images * channels);
  check_running(op, input, running_mean, running_var, count);
  const auto [out, mean, variance] =
      native::channel_norm(input, weight, bias, std::nullopt, std::nullopt, channels, eps);
  if (images == 0 || channels == 0) return out;
  // The statistics of the images are averaged.
  const auto keep = [&](std::string_view name, const optional_tensor& running, const tensor& of_images, double factor) {
    if (!is_given(running)) return;
    const no_grad guard;
    move_toward(op, name, running, sum(of_images, {0}), momentum, factor / static_cast<double>(images));
  };
  keep("running_mean", running_mean, mean, 1);
  if (is_given(running_var)) keep("running_var", running_var, variance, of_sample(count));
  return out;
}

}  // namespace

void register_batch_norm() {
  register_channel_norm();
  register_composite<&instance_norm, aten::instance_norm>();
  register_composite<&batch_norm, aten::batch_norm>();
  register_composite<&native_batch_norm, aten::native_batch_norm>();
  register_composite<&group_norm, aten::group_norm>();
}

}  // namespace topbit::detail
