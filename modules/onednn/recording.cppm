// Gradients of operators on tensors in oneDNN's formats. Internal.
//
// The kernels of a layout are called with autograd on and record themselves. Results are oneDNN's; gradients are
// computed on strided tensors, by topbit's own operators, and have the layout of what they belong to.
module topbit.onednn:recording;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::onednn {

inline bool records(const tensor& t) noexcept { return t.defined() && requires_grad(t) && grad_enabled(); }
inline bool records(const std::optional<tensor>& t) noexcept { return t.has_value() && records(*t); }
template <class... T>
  requires(sizeof...(T) > 1)
bool records(const T&... t) noexcept {
  return (records(t) || ...);
}

inline bool any_records(std::span<const tensor> all) noexcept {
  return std::ranges::any_of(all, [](const tensor& t) { return records(t); });
}

enum class keeps : std::uint8_t { nothing, inputs, result };

using tensor_function = std::function<tensor(std::span<const tensor>)>;
// Gradients of the inputs, strided; undefined where there is none. `inputs` are as they were given, `result` is
// undefined unless it is kept.
using gradient_function =
    std::function<std::vector<tensor>(std::span<const tensor> inputs, const tensor& result, const tensor& gradient)>;

// compute(inputs), with this gradient.
tensor recorded(std::vector<tensor> inputs, keeps what, const tensor_function& compute,
                const gradient_function& gradient);

// The gradient of an operator on strided tensors, which is called again for it.
gradient_function through(tensor_function on_strided);

}  // namespace topbit::onednn
