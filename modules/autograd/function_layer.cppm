// What layers do for calls of user-defined functions, which are not operators: those with data of their own about
// tensors, and those with wrappers.
export module topbit.autograd:function_layer;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :rule;

namespace topbit {

export namespace author {

/// A call of apply() as a layer sees it that knows more of tensors than autograd does. Valid during the call.
struct applied_function {
  std::string_view name;
  /// Its tensors in order, undefined where an optional one is left out.
  std::span<const tensor> arguments;
  /// Makes the call and returns its results, for the layer to attach its data to: none of them is an argument, or the
  /// same as another. To be called once.
  std::function<std::span<tensor* const>()> run;
  /// Makes the call with other tensors in the places of the arguments, forward() included, and returns the tensors of
  /// its results.
  std::function<std::vector<tensor>(std::span<const tensor>)> again;
  /// How the results change along tangents of the arguments, of which undefined ones are zero, by the function's own
  /// jvp(); empty if it has none. To be called after run().
  std::function<std::vector<tensor>(std::span<const tensor>)> jvp;
};
/// Called on this thread instead of each call of apply() with a tensor that brings ForwardAD. To be set while a layer
/// has such tensors.
using function_layer = void (*)(const applied_function& call);
/// Sets this thread's, null at first, and returns the one before.
function_layer set_function_layer(function_layer l) noexcept;

/// How forward() and backward() of a call see the tensors of its node: as wrappers. The graph is one of the tensors
/// below them. Kept as long as the node.
class function_view {
 public:
  virtual ~function_view() = default;
  /// An argument of the call as forward() sees it.
  virtual tensor argument(std::size_t i, const tensor& below) const = 0;
  /// What backward() returned for it, as its gradient.
  virtual tensor gradient(std::size_t i, const tensor& seen) const = 0;
  /// A result, its gradient, or a tensor saved between, as they see it, and the inverse.
  virtual tensor seen(const tensor& below) const = 0;
  virtual tensor below(const tensor& seen) const = 0;
  /// Runs backward() as forward() ran.
  virtual void run(const std::function<void()>& backward) const = 0;
};
/// Replaces the arguments that are the layer's wrappers by the tensors below.
using function_viewer = std::shared_ptr<const function_view> (*)(std::span<tensor> arguments);
/// Makes apply() ask this one where a wrapper brings the key and a gradient or a tangent is to be recorded. For good:
/// of a library that stays loaded.
void set_function_viewer(functionality of, function_viewer v) noexcept;

}  // namespace author

namespace detail {

extern constinit thread_local author::function_layer this_thread_function_layer [[gnu::tls_model("initial-exec")]];
// Whether the layer is to see a call with these tensors. Throws error for a wrapper of such a tensor.
bool brings_tangents(std::span<const tensor> arguments);
extern constinit std::atomic<std::uint64_t> keys_with_view;
inline bool no_key_has_view() noexcept { return keys_with_view.load(std::memory_order_relaxed) == 0; }
// Replaces arguments by tensors below, if a layer sees through them. Null if there is none, or nothing to record.
std::shared_ptr<const author::function_view> view_of_call(std::span<tensor> arguments);
// Replaces results that are arguments, or the same as others, by aliases.
void separate_results(std::span<tensor* const> results, std::span<const tensor> arguments);

template <class T, class Visit>
void each_argument(const T& x, Visit visit) {
  if constexpr (std::same_as<T, std::optional<tensor>>) {
    visit(x.has_value() ? *x : tensor());
  } else if constexpr (is_tensor<T>) {
    visit(x);
  } else if constexpr (is_tensor<held_t<T>>) {
    for (const auto& y : x) each_argument(y, visit);
  }
}

template <class... A>
std::vector<tensor> tensors_of(const A&... a) {
  std::vector<tensor> all;
  (each_argument(a, [&](const tensor& t) { all.push_back(t); }), ...);
  return all;
}
// An argument with other tensors in the places of its own, from `with` on; one without tensors is the argument itself.
template <class T>
decltype(auto) with_tensors(T& x, std::span<const tensor>& with) {
  using type = std::remove_const_t<T>;
  const auto next = [&] {
    tensor t = with[0];
    with = with.subspan(1);
    return t;
  };
  if constexpr (std::same_as<type, std::optional<tensor>>) {
    tensor t = next();
    return x ? type(std::move(t)) : type();
  } else if constexpr (is_tensor<type>) {
    return next();
  } else if constexpr (is_tensor<held_t<type>>) {
    std::vector<std::ranges::range_value_t<type>> all;
    for (const auto& y : x) all.push_back(with_tensors(y, with));
    return all;
  } else {
    return static_cast<T&>(x);
  }
}

}  // namespace detail

}  // namespace topbit
