// Gradients of operators on tensors in oneDNN's formats. Internal.
//
// The kernels of a layout are called with autograd on and record themselves. Results are oneDNN's; gradients are
// computed on strided tensors, by topbit's own operators, and have the layout of what they belong to.
module topbit.onednn:recording;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;

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

// Op of these tensors. by_library(inputs) is undefined where oneDNN does not compute it; on_strided(inputs) calls Op,
// for that and for gradients where none are given, so it must outlive the call's arguments.
template <const auto& Op, class L, class S>
tensor computed(std::span<const tensor> inputs, const L& by_library, const S& on_strided,
                gradient_function gradient = {}, keeps what = keeps::inputs) {
  const auto compute = [&](std::span<const tensor> in) {
    const tensor result = by_library(in);
    if (result.defined()) return result;
    announce_dense_call(Op.name());
    std::vector<tensor> strided;
    for (const tensor& t : in) strided.push_back(dense(t));
    return blocked(on_strided(std::span<const tensor>(strided)));
  };
  if (!any_records(inputs)) return compute(inputs);
  if (gradient == nullptr) gradient = through(on_strided);
  return recorded({inputs.begin(), inputs.end()}, what, compute, gradient);
}

// The inputs of a product with a weight and perhaps a bias.
class product_inputs {
 public:
  product_inputs(const tensor& input, const tensor& weight, const std::optional<tensor>& bias)
      : all_{input, weight, is_given(bias) ? *bias : tensor()}, count_(is_given(bias) ? 3 : 2) {}
  operator std::span<const tensor>() const noexcept { return std::span(all_).first(count_); }

 private:
  std::array<tensor, 3> all_;
  std::size_t count_;
};
inline std::optional<tensor> bias_in(std::span<const tensor> inputs) {
  return inputs.size() == 3 ? std::optional(inputs[2]) : std::nullopt;
}

}  // namespace topbit::onednn
