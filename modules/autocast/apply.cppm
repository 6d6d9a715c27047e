// Functions with a gradient of their own, of which the body is written for one dtype.
export module topbit.autocast:apply;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :cast;
import :scope;

namespace topbit {

namespace detail {

// The backend of the first defined tensor among the arguments, if autocast is on for it.
template <class... A>
std::optional<backend> backend_of_scope(const A&... a) {
  const tensor* first = nullptr;
  const auto look = [&](const tensor& t) {
    if (first == nullptr && t.defined()) first = &t;
  };
  (each_tensor_in(a, look), ...);
  if (first == nullptr || !autocast_enabled(first->device().type)) return {};
  return first->device().type;
}

}  // namespace detail

/// apply<Function>(a...), for a function that wants its tensors in one dtype. In a scope of the tensors' backend the
/// eligible ones are cast to it, recorded, and forward() and backward() run with autocast off. Elsewhere nothing is
/// cast. A function called by apply() itself sees the scope, in forward() and in backward().
export template <class Function, class... A>
auto apply_in(dtype type, A&&... a) {
  const std::optional<backend> on = detail::backend_of_scope(a...);
  if (!on) return apply<Function>(std::forward<A>(a)...);
  const exclude_guard off(key::AutocastFunctionality);
  const detail::cast_target target(type, *on);
  return apply<Function>(detail::cast_argument<A&&>(std::forward<A>(a), target).get()...);
}

}  // namespace topbit
