// The gradient of fused attention.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :attention.attention_kernels;

namespace topbit::detail {

namespace {

// If recorded, composed of differentiable operators.
tensor recorded_attend(key_set keys, const tensor& query, const tensor& key, const tensor& value,
                       const optional_tensor& mask, bool causal, double scale) {
  if (!requires_grad(query) && !requires_grad(key) && !requires_grad(value) &&
      !(is_given(mask) && requires_grad(*mask))) {
    return native::attend.redispatch(keys & below(topbit::key::Autograd), query, key, value, mask, causal, scale);
  }
  attend_kernel::meta(native::attend.name(), query, key, value, mask, causal, scale);
  check_attends({table_of(key_of(query.device().type)), native::attend.name()}, query);
  const dtype type = widened(query.dtype());
  optional_tensor given = mask;
  if (is_given(mask) && mask->dtype() != dtype::boolean) given = to(*mask, type);
  return to(attend_by_products(to(query, type), to(key, type), to(value, type), given, causal, scale), query.dtype());
}

constexpr author::kernel_row rows[] = {author::row<&recorded_attend>(native::attend, topbit::key::Autograd)};

}  // namespace

std::span<const author::kernel_row> attention_gradients() { return rows; }

}  // namespace topbit::detail
