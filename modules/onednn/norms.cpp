// Normalisation and softmax.
module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;
import :recording;
import :rows;

namespace topbit::onednn {

namespace {

using optional_tensor = std::optional<tensor>;

bool is_channels(const optional_tensor& t, std::int64_t channels) {
  return is_given(t) && is_simple(*t, dtype::float32) && t->sizes() == shape{channels};
}

tensor normalised(const tensor& x, const optional_tensor& weight, const optional_tensor& bias,
                  const optional_tensor& mean, const optional_tensor& variance, double eps) {
  if (!is_float(x.dtype()) || !is_simple(x, x.dtype()) || !is_blocked(x) || x.dim() < 2) return {};
  const std::int64_t channels = x.sizes()[1];
  if (!is_channels(mean, channels) || !is_channels(variance, channels) ||
      (is_given(weight) && !is_channels(weight, channels)) || (is_given(bias) && !is_channels(bias, channels))) {
    return {};
  }
  const operand m(*mean), v(*variance);
  std::optional<operand> scale, shift;
  if (is_given(weight)) scale.emplace(*weight);
  if (is_given(bias)) shift.emplace(*bias);
  array_ptr a = library::normalise(array_of(x), m.get(), v.get(), scale.has_value() ? &scale->get() : nullptr,
                                   shift.has_value() ? &shift->get() : nullptr, static_cast<float>(eps));
  return a != nullptr ? wrapped(std::move(a)) : tensor();
}

tensor batch_norm(const tensor& input, const optional_tensor& weight, const optional_tensor& bias,
                  const optional_tensor& running_mean, const optional_tensor& running_var, bool training,
                  double momentum, double eps, bool cudnn_enabled) {
  author::check_one_device(aten::batch_norm, input, weight, bias, running_mean, running_var);
  // Statistics of a batch are written to strided tensors.
  if (training) {
    return blocked(in_dense<aten::batch_norm>(input, weight, bias, running_mean, running_var, training, momentum, eps,
                                              cudnn_enabled));
  }
  std::vector<tensor> all{input};
  std::array<bool, 4> given{};
  std::size_t next = 0;
  for (const optional_tensor* const t : {&weight, &bias, &running_mean, &running_var}) {
    if ((given[next++] = is_given(*t))) all.push_back(**t);
  }
  const auto spread = [given](std::span<const tensor> in) {
    std::array<optional_tensor, 4> parts;
    std::size_t from = 1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (given[i]) parts[i] = in[from++];
    }
    return parts;
  };
  return computed<aten::batch_norm>(
      all,
      [&](std::span<const tensor> in) {
        const auto p = spread(in);
        return normalised(in[0], p[0], p[1], p[2], p[3], eps);
      },
      [=](std::span<const tensor> in) {
        const auto p = spread(in);
        return aten::batch_norm(in[0], p[0], p[1], p[2], p[3], false, momentum, eps, cudnn_enabled);
      });
}

tensor softmax(const tensor& self, std::int64_t dim, bool half_to_float) {
  return computed<aten::_softmax>(
      std::span(&self, 1),
      [&](std::span<const tensor> in) {
        const tensor& x = in[0];
        const std::int64_t along = wrap_dim(aten::_softmax.name(), dim, x.dim());
        if (half_to_float || !is_float(x.dtype()) || !is_simple(x, x.dtype())) return tensor();
        array_ptr a = library::softmax(array_of(x), static_cast<int>(along));
        return a != nullptr ? wrapped(std::move(a), x.sizes()) : tensor();
      },
      [=](std::span<const tensor> in) { return aten::_softmax(in[0], dim, half_to_float); });
}

constexpr author::kernel_row rows[] = {
    blocked_row<&batch_norm, aten::batch_norm>(),
    reached<aten::batch_norm>(),
    blocked_row<&softmax, aten::_softmax>(),
};

}  // namespace

std::span<const author::kernel_row> norm_rows() { return rows; }

}  // namespace topbit::onednn
