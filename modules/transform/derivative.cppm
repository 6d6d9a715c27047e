// Derivatives of functions: gradients, vector-Jacobian products, Jacobians and Hessians by reverse mode,
// Jacobian-vector products by forward mode.
//
// They compose with each other and with vmap. Batching stands above recording, so no tensor is wrapped for a
// derivative: the arguments become leaves of a graph. Within vmap a leaf has a copy for each example, of stride 0, so
// that its gradient is that of each example.
export module topbit.transform:derivative;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :level;
import :places;
import :dual;
import :mapped;
import :vmap;

namespace topbit {

namespace detail {

// The arguments of a function, which must not write to them: what is derived would be that of the new values.
class unwritten_arguments {
 public:
  void add(const tensor& x) { all_.emplace_back(x, x.version()); }
  // Throws error if one has been written since: "<who>: the function wrote to ...".
  void check(std::string_view who) const;

 private:
  std::vector<std::pair<tensor, std::uint32_t>> all_;
};

// The arguments of a function whose derivative is wanted, as leaves of a graph of their own.
class tracked_arguments {
 public:
  explicit tracked_arguments(std::string_view who) noexcept : who_(who), recording_(grad_enabled()) {}

  // The tensor as the function sees it. Throws dtype_error if it is not floating.
  tensor track(const tensor& x, std::size_t argument);

  // What is returned of a result: without a graph, if it depends on no tensor that required a gradient before.
  tensor released(const tensor& y) const;
  // The gradients of these results with respect to all tracked tensors, in order, given those of the results; undefined
  // ones count as zero. `again`: the graph is run again later.
  std::vector<tensor> gradients(std::span<const tensor> results, std::span<const tensor> cotangents, bool again) const;
  // Tensors that depend on the arguments of `other` alone are not those of others.
  void disregard(const tracked_arguments& other) { disregarded_ = &other; }
  std::span<const tensor> seen() const noexcept { return seen_; }
  // The same of one number.
  std::vector<tensor> gradients_of_number(const tensor& y) const;

 private:
  bool depends_on_others(const tensor& y) const;
  struct tracked {
    tensor leaf;  // plain: below all levels
    batch_places at;
  };
  std::string_view who_;
  bool recording_;
  std::vector<tracked> all_;
  std::vector<tensor> seen_;
  unwritten_arguments unwritten_;
  const tracked_arguments* disregarded_ = nullptr;
};

// Throws shape_error unless it is one number.
void check_number(std::string_view who, const tensor& y);
// Throws shape_error or dtype_error unless each has the sizes and the dtype of its tensor: "vjp: cotangent 0 is ...".
void check_alike(std::string_view who, std::string_view what, std::string_view of, std::span<const tensor> found,
                 std::span<const tensor> wanted);
// The identity matrix as a batch of tensors like y, of which each has one 1.
tensor basis_of(const tensor& y);
tensor as_jacobian(const tensor& rows, const tensor& y, const tensor& x);
// The same from columns: the derivatives of y by one element of x after the other.
tensor as_jacobian_by_columns(const tensor& columns, const tensor& y, const tensor& x);

// As dual_level's dual(), of a function's argument.
tensor dual_argument(std::string_view who, const dual_level& level, const tensor& primal, const tensor& along);
tensor tangent_or_zeros(const dual_level& level, const tensor& y);

// How results change with their arguments: products of the Jacobian and a tangent. A pullback is a linear function of
// its cotangent, and the pullback of that function is the product wanted.
class pushforward_tensors {
 public:
  // `results` as a function of `arguments`, which `of_arguments` tracks.
  pushforward_tensors(std::shared_ptr<tracked_arguments> of_arguments, std::span<const tensor> results);
  std::vector<tensor> operator()(std::span<const tensor> tangents) const;

 private:
  std::shared_ptr<tracked_arguments> of_arguments_;
  tracked_arguments of_cotangents_{"jvp"};
  std::vector<tensor> pulled_back_;
};

template <class T, class F>
T with_tensors_replaced(T x, F f) {
  each_tensor_in(x, [&](tensor& part) { part = f(part); });
  return x;
}
template <class T>
std::vector<tensor> tensors_of(const T& x) {
  std::vector<tensor> all;
  each_tensor_in(x, [&](const tensor& part) { all.push_back(part); });
  return all;
}
// `like` with these tensors.
template <class T>
T with_tensors(T like, std::span<const tensor> all) {
  std::size_t i = 0;
  return with_tensors_replaced(std::move(like), [&](const tensor&) { return all[i++]; });
}

/// A function's derivative with respect to one of its arguments, made by grad_of() and value_and_grad_of().
template <class F, std::size_t Argument, bool WithValue>
class gradient_function {
 public:
  explicit gradient_function(F f) : f_(std::move(f)) {}

  template <class... A>
    requires std::invocable<const F&, std::remove_cvref_t<A>&...>
  auto operator()(const A&... a) const {
    static_assert(Argument < sizeof...(A), "grad_of: wanted an argument of this number");
    using of = std::remove_cvref_t<A...[Argument]>;
    static_assert(tensor_structure<of>,
                  "grad_of: wanted a tensor, or a structure of tensors, as the argument to derive by");
    tracked_arguments tracked(WithValue ? "value_and_grad_of" : "grad_of");
    std::tuple<A...> seen(a...);
    each_tensor_in(std::get<Argument>(seen), [&](tensor& part) { part = tracked.track(part, Argument); });
    const tensor y = [&] {
      const enable_grad recording;
      return std::apply(f_, seen);
    }();
    of gradient = with_tensors(of(std::get<Argument>(std::tie(a...))), tracked.gradients_of_number(y));
    if constexpr (WithValue)
      return std::pair<tensor, of>(tracked.released(y), std::move(gradient));
    else
      return gradient;
  }

 private:
  F f_;
};

/// Made by vjp().
template <class R, class... A>
class pullback {
 public:
  pullback(std::shared_ptr<const tracked_arguments> tracked, const R& results, const std::tuple<A...>& arguments)
      : tracked_(std::move(tracked)), results_(results), arguments_(arguments) {}

  /// The gradients of the sum of the results times the cotangent: a structure like the arguments.
  auto operator()(const R& cotangent) const {
    const std::vector<tensor> of_results = tensors_of(results_), given = tensors_of(cotangent);
    check_alike("vjp", "cotangent", "result", given, of_results);
    std::tuple<A...> gradients = with_tensors(arguments_, tracked_->gradients(of_results, given, true));
    if constexpr (sizeof...(A) == 1)
      return std::get<0>(std::move(gradients));
    else
      return gradients;
  }

 private:
  std::shared_ptr<const tracked_arguments> tracked_;
  R results_;
  std::tuple<A...> arguments_;
};

/// The results of a function, and its derivative, a Derivative<results, arguments...>.
template <template <class...> class Derivative, class F, class... A>
auto derive(std::string_view who, const F& f, const A&... a) {
  auto tracked = std::make_shared<tracked_arguments>(who);
  std::tuple<A...> seen(a...);
  std::size_t argument = 0;
  std::apply(
      [&](auto&... x) {
        (each_tensor_in(x, [&, at = argument++](tensor& part) { part = tracked->track(part, at); }), ...);
      },
      seen);
  using result = std::remove_cvref_t<std::invoke_result_t<const F&, A&...>>;
  static_assert(is_structure<result>(), "wanted a function that returns a tensor, or a structure of tensors");
  const result y = [&] {
    const enable_grad recording;
    return std::apply(f, seen);
  }();
  return std::pair<result, Derivative<result, A...>>(
      with_tensors_replaced(y, [&](const tensor& part) { return tracked->released(part); }),
      Derivative<result, A...>(tracked, y, std::tuple<A...>(a...)));
}

}  // namespace detail

/// The gradient of `f`, which returns one number, with respect to argument number `Argument`, as a function of f's
/// arguments. The result is like that argument: a tensor or a structure of tensors.
///
///   tensor dw = tb::grad_of(loss)(w, x);
///   tensor per_example = tb::vmap(tb::grad_of(loss), {.in = {tb::unmapped, 0}})(w, xs);
///
/// It nests: the gradient has a gradient itself, with respect to what requires one or to an outer grad_of()'s argument,
/// unless recording is off when it is called. An argument that the result does not depend on has zeros.
/// Throws shape_error if the result is not one number, dtype_error for an argument that is not floating.
export template <std::size_t Argument = 0, class F>
auto grad_of(F f) {
  return detail::gradient_function<F, Argument, false>(std::move(f));
}
/// The same with the value: a pair of it and the gradient.
export template <std::size_t Argument = 0, class F>
auto value_and_grad_of(F f) {
  return detail::gradient_function<F, Argument, true>(std::move(f));
}

/// The results of `f`, and a function that takes a cotangent, a structure like the results, to the gradients of the
/// arguments: the product of the cotangent and the Jacobian. It can be called any number of times.
///
///   auto [y, pullback] = tb::vjp(f, x);
///   tensor dx = pullback(tb::ones_like(y));
///
/// Throws dtype_error for an argument that is not floating; the pullback throws shape_error and dtype_error for a
/// cotangent that does not match.
export template <class F, tensor_structure... A>
  requires std::invocable<const F&, A&...>
auto vjp(const F& f, const A&... a) {
  return detail::derive<detail::pullback>("vjp", f, a...);
}

namespace detail {

/// Made by linearize(): the results, and the function of tangents.
template <class R, class... A>
class pushforward {
 public:
  pushforward(std::shared_ptr<tracked_arguments> tracked, const R& results, const std::tuple<A...>& arguments)
      : push_(std::move(tracked), tensors_of(results)), results_(results), arguments_(arguments) {}

  /// How the results change along these tangents: a structure like the results.
  R operator()(const A&... tangents) const {
    const std::vector<tensor> given = tensors_of(std::tie(tangents...));
    check_alike("jvp", "tangent", "primal", given, tensors_of(arguments_));
    return with_tensors(results_, push_(given));
  }

 private:
  pushforward_tensors push_;
  R results_;
  std::tuple<A...> arguments_;
};

}  // namespace detail

/// The results of `f`, and a function that takes tangents, like the arguments, to how the results change along them:
/// the product of the Jacobian and the tangent. It can be called any number of times.
///
/// Computed by reverse mode alone: every operator with a gradient has it. Cost: `f` and about one backward pass, and
/// another one for each call.
export template <class F, tensor_structure... A>
  requires std::invocable<const F&, A&...>
auto linearize(const F& f, const A&... a) {
  return detail::derive<detail::pushforward>("jvp", f, a...);
}

/// The results of `f`, a function of one argument, and how they change along a tangent, which is like the argument.
///
///   auto [y, dy] = tb::jvp(f, x, v);
///
/// Computed by forward mode, see dual_level. Cost: `f` and its formulas, and no graph. Throws dtype_error for an
/// argument that is not floating, shape_error or dtype_error for a tangent that does not match, error if `f` writes to
/// its argument.
export template <class F, tensor_structure A>
  requires std::invocable<const F&, A&>
auto jvp(const F& f, const A& primal, const A& tangent) {
  using result = std::remove_cvref_t<std::invoke_result_t<const F&, A&>>;
  static_assert(detail::is_structure<result>(), "wanted a function that returns a tensor, or a structure of tensors");
  const std::vector<tensor> primals = detail::tensors_of(primal), along = detail::tensors_of(tangent);
  detail::check_alike("jvp", "tangent", "primal", along, primals);
  const dual_level level;
  detail::unwritten_arguments unwritten;
  for (const tensor& x : primals) unwritten.add(x);
  std::size_t i = 0;
  A seen = detail::with_tensors_replaced(primal, [&](const tensor& x) {
    const std::size_t at = i++;
    return detail::dual_argument("jvp", level, x, along[at]);
  });
  const result y = f(seen);
  unwritten.check("jvp");
  return std::pair<result, result>(
      detail::with_tensors_replaced(y, [&](const tensor& part) { return level.parts(part).primal; }),
      detail::with_tensors_replaced(y, [&](const tensor& part) { return detail::tangent_or_zeros(level, part); }));
}

export struct jacobian_options {
  /// Computes so many rows at once, to save memory.
  std::optional<std::int64_t> chunk = std::nullopt;
};

/// The Jacobian of a function of one tensor, which returns one: the derivative of each element of the result by each
/// element of the argument, of the result's sizes followed by the argument's. By reverse mode, a row for each element
/// of the result. Cost: one call of `f`, and one backward pass of a batch.
export template <class F>
auto jacrev(F f, jacobian_options options = {}) {
  return [f = std::move(f), options](const tensor& x) -> tensor {
    const auto [y, pull] = vjp(f, x);
    const tensor rows = vmap(pull, {.chunk = options.chunk})(detail::basis_of(y));
    return detail::as_jacobian(rows, y, x);
  };
}

/// The same by columns: for each element of the argument. Cheaper where the argument has fewer elements than the
/// result.
export template <class F>
auto jacfwd(F f, jacobian_options options = {}) {
  return [f = std::move(f), options](const tensor& x) -> tensor {
    const auto [y, push] = linearize(f, x);
    const tensor columns = vmap(push, {.chunk = options.chunk})(detail::basis_of(x));
    return detail::as_jacobian_by_columns(columns, y, x);
  };
}

/// The second derivatives of a function of one tensor that returns one number: of the argument's sizes twice.
export template <class F>
auto hessian(F f, jacobian_options options = {}) {
  return jacrev(grad_of(std::move(f)), options);
}

}  // namespace topbit
