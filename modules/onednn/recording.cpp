module;

#include <any>

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;
import :recording;

namespace topbit::onednn {

namespace {

struct saved_call {
  gradient_function gradient;
  keeps what;
  std::vector<bool> in_format;
};

struct blocked_call {
  static tensor forward(function_context& c, std::span<const tensor> inputs, keeps what, const tensor_function& compute,
                        const gradient_function& gradient) {
    saved_call kept{gradient, what, {}};
    for (const tensor& t : inputs) {
      kept.in_format.push_back(is_blocked(t));
      if (what == keeps::inputs) c.save(t);
    }
    const tensor result = compute(inputs);
    // An alias, since a saved result is whatever in-place operators make of it.
    if (what == keeps::result) c.save(author::make_alias(result));
    c.data = std::move(kept);
    return result;
  }

  static std::vector<tensor> backward(function_context& c, const tensor& gradient) {
    const saved_call& kept = ::std::any_cast<const saved_call&>(c.data);
    std::vector<tensor> inputs;
    for (std::size_t i = 0; i < kept.in_format.size(); ++i) {
      inputs.push_back(kept.what == keeps::inputs ? c.saved(i) : tensor());
    }
    const tensor result = kept.what == keeps::result ? c.saved(0) : tensor();
    std::vector<tensor> found = kept.gradient(inputs, result, dense(gradient));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!c.needs_input_grad(i)) {
        found[i] = {};
      } else if (found[i].defined() && kept.in_format[i]) {
        found[i] = blocked(found[i]);
      }
    }
    return found;
  }
};

}  // namespace

tensor recorded(std::vector<tensor> inputs, keeps what, const tensor_function& compute,
                const gradient_function& gradient) {
  return apply<blocked_call>(std::span<const tensor>(inputs), what, compute, gradient);
}

gradient_function through(tensor_function on_strided) {
  return [f = std::move(on_strided)](std::span<const tensor> inputs, const tensor&, const tensor& gradient) {
    const bool again = grad_enabled();
    std::vector<tensor> strided, wanted;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      tensor t = dense(inputs[i]);
      if (!again) {
        t = detach(t);
        if (is_floating(t.dtype())) require_grad(t);
      }
      if (requires_grad(t)) {
        places.push_back(i);
        wanted.push_back(t);
      }
      strided.push_back(std::move(t));
    }
    std::vector<tensor> found(inputs.size());
    if (wanted.empty()) return found;
    const enable_grad recording;
    const tensor result = f(strided);
    const std::vector<tensor> gradients = grad({result}, std::span<const tensor>(wanted),
                                               {.create_graph = again, .allow_unused = true, .gradients = {gradient}});
    for (std::size_t i = 0; i < places.size(); ++i) found[places[i]] = gradients[i];
    return found;
  };
}

}  // namespace topbit::onednn
