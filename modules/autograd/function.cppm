// User-defined functions with gradients: a struct with forward() and backward(), for computations that are not
// operators.
//
//   struct clip_gradient {
//     static tensor forward(function_context& c, const tensor& x, double most);
//     static tensor backward(function_context& c, const tensor& gradient);   // one for each tensor of forward()
//   };
//   tensor y = apply<clip_gradient>(x, 0.5);
//
// A jvp() says how results change along tangents; without one backward() is transposed for that.
export module topbit.autograd:function;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :mode;
import :node;
import :variable;
import :saved;
import :rule;
import :record;
import :function_layer;

namespace topbit {

namespace detail {
class function_node;
struct function_call;
}  // namespace detail

/// State passed from forward() to backward() and jvp(). One per call.
export class function_context {
 public:
  /// Saves arguments, results or intermediate tensors of forward() for saved(), in this order.
  template <std::same_as<tensor>... T>
  void save(const T&... tensors) {
    (to_save_.push_back(tensors), ...);
  }
  /// In backward() and jvp(): the i-th of the tensors that were saved. Throws error if it was written in place since,
  /// or if i is out of range.
  tensor saved(std::size_t i) const;
  /// Whether the gradient of the i-th tensor of forward() is needed; the others may stay undefined.
  bool needs_input_grad(std::size_t i) const;
  /// In forward(): this result has no gradient. Results of integers have none anyway.
  void mark_non_differentiable(const tensor& result);
  /// In forward(): gradients of unused results, and tangents that arguments do not have, are zeros by default; after a
  /// call with false they are undefined.
  void materialize_gradients(bool wanted) noexcept { materialize_ = wanted; }
  /// Any other data that backward() and jvp() need.
  std::any data;

 private:
  friend class detail::function_node;
  friend struct detail::function_call;
  std::vector<tensor> to_save_, non_differentiable_;
  std::vector<std::variant<saved_tensor, saved_result>> saved_;
  std::shared_ptr<const author::function_view> view_;
  std::vector<std::optional<std::size_t>> saved_argument_;  // of a call with a view
  std::vector<bool> needed_;
  bool materialize_ = true;
};

namespace detail {

// forward() and backward() of a user's function, in parts.
template <class F>
struct forward_parts {};
template <class R, class... A>
struct forward_parts<R (*)(function_context&, A...)> {
  using backward_types = backward_of<R(A...)>;
  using call = R(A...);
  static constexpr bool returns_tensors = has_tensor_results<R>;
};
// jvp() takes tangents as backward() returns gradients, and returns them as backward() takes gradients.
template <class Function>
struct jvp_types {
  using backward_types = forward_parts<decltype(&Function::forward)>::backward_types;
  using given = std::conditional_t<
      backward_types::listed, std::span<const tensor>,
      std::conditional_t<backward_types::edges == 1, const tensor&, const std::array<tensor, backward_types::edges>&>>;
  using gradient = backward_types::gradient;
  using result = std::conditional_t<std::same_as<gradient, std::span<const tensor>>, std::vector<tensor>,
                                    std::remove_cvref_t<gradient>>;
};
template <class Function>
inline constexpr bool takes_tangents =
    requires(function_context& c, typename jvp_types<Function>::given g) { Function::jvp(c, g); };
template <class Function>
inline constexpr bool has_jvp = takes_tangents<Function> || requires { &Function::jvp; };

template <class Function>
consteval author::verdict explain_function() {
  author::verdict v;
  v.add("apply: ").add(type_name<Function>());
  if constexpr (!requires { &Function::forward; }) {
    return v.add(": needs forward(), 'static tensor forward(function_context&, arguments...)', found none");
  } else if constexpr (!requires { typename forward_parts<decltype(&Function::forward)>::call; }) {
    return v.add(": forward() is '")
        .add(type_name<decltype(&Function::forward)>())
        .add("', wanted a static function whose first argument is 'function_context&'");
  } else if constexpr (!forward_parts<decltype(&Function::forward)>::returns_tensors) {
    return v.add(": forward() returns no tensors, wanted 'tensor', a tuple of them or a 'std::vector<tensor>'");
  } else {
    using backward_types = forward_parts<decltype(&Function::forward)>::backward_types;
    if constexpr (!requires(function_context& c, typename backward_types::gradient g) { Function::backward(c, g); }) {
      return v.add(": needs backward(), static, of 'function_context&' and '")
          .add(type_name<typename backward_types::gradient>())
          .add("', found none that takes them");
    } else {
      using found = decltype(Function::backward(std::declval<function_context&>(),
                                                std::declval<typename backward_types::gradient>()));
      if constexpr (!std::same_as<found, typename backward_types::result> &&
                    !(std::same_as<found, tensor> && backward_types::edges == 1 && !backward_types::listed)) {
        return v.add(": backward() returns '")
            .add(type_name<found>())
            .add("', wanted '")
            .add(type_name<typename backward_types::result>())
            .add("', a gradient for each tensor of forward()");
      }
    }
    if constexpr (has_jvp<Function>) {
      using wanted = jvp_types<Function>;
      if constexpr (!takes_tangents<Function>) {
        return v.add(": found a jvp() that does not take 'function_context&' and '")
            .add(type_name<typename wanted::given>())
            .add("', a tangent for each tensor of forward()");
      } else {
        using found =
            decltype(Function::jvp(std::declval<function_context&>(), std::declval<typename wanted::given>()));
        if constexpr (!std::same_as<found, typename wanted::result> &&
                      !(std::same_as<found, tensor> && std::same_as<typename wanted::result, std::array<tensor, 1>>)) {
          return v.add(": jvp() returns '")
              .add(type_name<found>())
              .add("', wanted '")
              .add(type_name<typename wanted::result>())
              .add("', a tangent for each tensor that forward() returns");
        }
      }
    }
  }
  return {};
}

// What is known of a floating result.
struct kind_of_result {
  shape sizes;
  dtype type;
  device where;
  bool differentiable;
};

// The node of a call of a user's function.
class function_node : public node {
 public:
  function_node(std::vector<intrusive_ptr<node>> edges, function_context c, std::span<tensor* const> results,
                std::string_view name);
  void release() noexcept override;
  std::string_view name() const noexcept override { return name_; }
  std::size_t result_count() const noexcept override { return kinds_.size(); }
  // False for results of integers, undefined ones, and those that forward() marked.
  bool is_differentiable(std::size_t result) const noexcept {
    return kinds_[result].has_value() && kinds_[result]->differentiable;
  }

 protected:
  // Runs `backward(gradients, of_inputs)` with gradients as the user's function sees them: undefined ones are zeros,
  // unless disabled.
  void run(std::span<const tensor> of_results, std::span<tensor> of_inputs,
           const std::function<void(std::span<const tensor>)>& backward) const;
  // Runs `jvp(tangents)` with tangents of the arguments as the user's function sees them, and checks what it returns.
  std::vector<tensor> push(std::span<const tensor> arguments, std::span<const tensor> along,
                           const std::function<std::vector<tensor>(std::span<const tensor>)>& jvp);
  function_context context_;

 private:
  std::vector<tensor> materialized(std::span<const tensor> of_results) const;
  std::vector<intrusive_ptr<node>> edges_;
  std::vector<std::optional<kind_of_result>> kinds_;
  std::string_view name_;
  // backward() runs with the layers of forward(), such as autocast.
  author::layer_values layers_ = author::layer_values::of_function();
};

template <class Function>
class function_node_of final : public function_node {
  using parts = forward_parts<decltype(&Function::forward)>;

 public:
  using function_node::function_node;
  void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) override {
    run(of_results, of_inputs, [&](std::span<const tensor> given) {
      auto found = Function::backward(context_, gradients_as<typename parts::backward_types::gradient>(given));
      if constexpr (std::same_as<decltype(found), tensor>) {
        of_inputs[0] = std::move(found);
      } else {
        if (found.size() != of_inputs.size()) raise_wrong_count(*this, found.size());
        std::ranges::move(found, of_inputs.begin());
      }
    });
  }
  // The tangents of the results by jvp().
  std::vector<tensor> tangents(std::span<const tensor> arguments, std::span<const tensor> along) {
    return push(arguments, along, [&](std::span<const tensor> given) -> std::vector<tensor> {
      auto found = Function::jvp(context_, gradients_as<typename jvp_types<Function>::given>(given));
      if constexpr (std::same_as<decltype(found), tensor>)
        return {std::move(found)};
      else
        return {found.begin(), found.end()};
    });
  }
};

// The type-independent part of apply().
struct function_call {
  function_context context;
  std::vector<intrusive_ptr<node>> edges;
  bool recorded = false;

  template <class T>
  void add(const T& x) {
    each_argument(x, [&](const tensor& t) { add_edge(t); });
  }
  void add_edge(const tensor& t);
  // The arguments as forward() sees them through a view.
  std::vector<tensor> see(const std::shared_ptr<const author::function_view>& view, std::span<const tensor> arguments);
  // Replaces the results that it returned, and what it saved and marked, by the tensors below.
  void put_below(std::span<const tensor> arguments, std::span<const tensor> seen, std::span<tensor* const> results);
  // Saves the tensors that forward() asked for, once its results are known.
  void keep_saved(std::span<tensor* const> results);
  void attach(function_node& n, std::span<tensor* const> results, std::span<const tensor> arguments);
};

template <class R, class Visit>
void each_result(R& r, Visit visit) {
  if constexpr (std::same_as<R, tensor>) {
    visit(r);
  } else if constexpr (std::same_as<R, std::vector<tensor>>) {
    for (tensor& t : r) visit(t);
  } else {
    std::apply(
        [&](auto&... t) {
          const auto one = [&]<class T>(T& x) {
            if constexpr (std::same_as<T, tensor>) visit(x);
          };
          (one(t), ...);
        },
        r);
  }
}

template <class R>
std::vector<tensor*> results_of(R& r) {
  std::vector<tensor*> all;
  each_result(r, [&](tensor& t) { all.push_back(&t); });
  return all;
}

using view_pointer = std::shared_ptr<const author::function_view>;

// Calls `f` with the arguments of types A, with other tensors in their places.
template <class... A, class F>
auto with_others(std::span<const tensor> with, F f, std::remove_reference_t<A>&... a) {
  std::tuple<decltype(with_tensors(a, with))...> others{with_tensors(a, with)...};
  return std::apply([&](auto&... b) { return f(static_cast<A>(b)...); }, others);
}

// `made` is given the call's node, also where nothing is recorded, unless it is null.
template <class Function, class R, class... A>
R record_function(std::type_identity<R(A...)>, const view_pointer& view,
                  intrusive_ptr<function_node_of<Function>>* made, std::type_identity_t<A>... a) {
  function_call call;
  (call.add<std::remove_cvref_t<A>>(a), ...);
  const auto forward = [&](auto&&... x) -> R {
    const author::below_autograd guard;
    return Function::forward(call.context, x...);
  };
  R result = [&]() -> R {
    if (view == nullptr) [[likely]]
      return forward(a...);
    const std::vector<tensor> below = tensors_of(a...), seen = call.see(view, below);
    R found = with_others<A...>(seen, forward, a...);
    call.put_below(below, seen, results_of(found));
    return found;
  }();
  if (!call.recorded && made == nullptr) return result;
  const std::vector<tensor*> results = results_of(result);
  call.keep_saved(results);
  intrusive_ptr<function_node_of<Function>> n(
      new function_node_of<Function>(std::move(call.edges), std::move(call.context), results, type_name<Function>()));
  if (call.recorded) call.attach(*n, results, tensors_of(a...));
  if (made != nullptr) *made = std::move(n);
  return result;
}

template <class Function, class R, class... A>
R apply_below(std::type_identity<R(A...)> signature, const view_pointer& view, std::type_identity_t<A>... a) {
  const author::function_layer layer = this_thread_function_layer;
  if (layer == nullptr) [[likely]]
    return record_function<Function>(signature, view, nullptr, std::forward<A>(a)...);
  const std::vector<tensor> arguments = tensors_of(a...);
  if (!brings_tangents(arguments)) return record_function<Function>(signature, view, nullptr, std::forward<A>(a)...);
  std::optional<R> result;
  std::vector<tensor*> results;
  intrusive_ptr<function_node_of<Function>> made;
  const auto run = [&] {
    results = results_of(result.emplace(
        record_function<Function>(signature, view, has_jvp<Function> ? &made : nullptr, static_cast<A>(a)...)));
    separate_results(results, arguments);
    return std::span<tensor* const>(results);
  };
  const auto again = [&](std::span<const tensor> with) {
    R found = with_others<A...>(
        with, [&](auto&&... b) { return apply_below<Function>(signature, view, static_cast<A>(b)...); }, a...);
    std::vector<tensor> all;
    for (const tensor* const t : results_of(found)) all.push_back(*t);
    return all;
  };
  author::applied_function call{type_name<Function>(), arguments, run, again, {}};
  if constexpr (has_jvp<Function>)
    call.jvp = [&](std::span<const tensor> along) { return made->tangents(arguments, along); };
  layer(call);
  return std::move(*result);
}

template <class Function, class R, class... A>
R apply_function(std::type_identity<R(A...)> signature, std::type_identity_t<A>... a) {
  bool wrapped = false;
  const auto look = [&](const tensor& t) { wrapped = wrapped || (t.defined() && author::is_wrapper(t)); };
  if (!no_key_has_view()) (each_argument(a, look), ...);
  if (!wrapped) [[likely]]
    return apply_below<Function>(signature, nullptr, std::forward<A>(a)...);
  std::vector<tensor> below = tensors_of(a...);
  const view_pointer view = view_of_call(below);
  if (view == nullptr) return apply_below<Function>(signature, nullptr, std::forward<A>(a)...);
  R result = with_others<A...>(
      below, [&](auto&&... b) { return apply_below<Function>(signature, view, static_cast<A>(b)...); }, a...);
  each_result(result, [&](tensor& t) {
    if (t.defined()) t = view->seen(t);
  });
  return result;
}

}  // namespace detail

/// A struct with `static R forward(function_context&, arguments...)`, where R is a tensor, a tuple with tensors or a
/// std::vector of them, and `static G backward(function_context&, gradient)`: of one result `const tensor&`, of several
/// `const std::array<tensor, N>&`, of a list `std::span<const tensor>`. It returns a gradient for each argument that is
/// a tensor or an optional one: a tensor where there is one, else a std::array; a std::vector where an argument is a
/// list. With a `static T jvp(function_context&, tangents)` forward mode uses it, and does not transpose backward():
/// it takes a tangent for each tensor of forward() as backward() returns gradients, of one `const tensor&`, and returns
/// one for each result as backward() takes gradients.
export template <class Function>
concept differentiable_function = detail::explain_function<Function>().ok();

/// Calls Function::forward() without recording, and makes its results those of a node that runs Function::backward(),
/// in the autocast scopes of forward().
/// No overhead if no argument requires a gradient.
export template <class Function, class... A>
auto apply(A&&... a) {
  static_assert(differentiable_function<Function>, detail::explain_function<Function>());
  if constexpr (differentiable_function<Function>) {
    using call = detail::forward_parts<decltype(&Function::forward)>::call;
    return detail::apply_function<Function>(std::type_identity<call>{}, std::forward<A>(a)...);
  }
}

}  // namespace topbit
