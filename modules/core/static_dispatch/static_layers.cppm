// Layers around kernels, composed at compile time. A layer is a struct with one function template:
//
//   struct logging {
//     template <class Op, class Next, class... A>
//     static auto run(Next next, A&&... a) { ...; return next(std::forward<A>(a)...); }
//   };
//
// In front of a set, `next` is the layer behind it or the kernel, called directly; in the dynamic table the very same
// function is a kernel for a key, and `next` redispatches below that key.
export module topbit.core:static_dispatch.static_layers;

import topbit.std;
import :keys.key;
import :keys.key_set;
import :operators.kernel_row;
import :operators.op;
import :schema.signature;
import :static_dispatch.direct_call;
import :static_dispatch.kernel_set;
import :static_dispatch.set_algebra;
import :static_dispatch.set_index;
import :text.text;

namespace topbit {

namespace detail {

// A layer that is only for some operators says so; calls of the others pass it by.
template <class Layer, class Op>
consteval bool handles() {
  if constexpr (requires { Layer::template handles<Op>; })
    return Layer::template handles<Op>;
  else
    return true;
}

template <class Op, class Sig = typename Op::signature>
struct redispatched;
template <class Op, class R, class... A>
struct redispatched<Op, R(A...)> {
  key_set keys;
  [[gnu::always_inline]] R operator()(A... a) const { return Op{}.redispatch(keys, std::forward<A>(a)...); }
};

template <class Layer, class Op, class Next, class... A>
concept layer_runs = requires(Next next, A&&... a) { Layer::template run<Op>(next, std::forward<A>(a)...); };
template <class Layer, class Op, class Next, class R, class... A>
concept layer_returns = requires(Next next, A&&... a) {
  { Layer::template run<Op>(next, std::forward<A>(a)...) } -> std::same_as<R>;
};

/// Why this is no layer for the operator; empty if it is one.
template <class Layer, class Op, class Next, class R, class... A>
consteval author::verdict explain_layer(std::type_identity<R(A...)>) {
  author::verdict v;
  if constexpr (!layer_runs<Layer, Op, Next, A...>) {
    v.add(Op::name()).add(": the layer '").add(type_name<Layer>()).add("' has no run<Op>(next, arguments...) that ");
    v.add("takes its arguments; if it is not for this operator, say so by its 'handles<Op>'");
  } else if constexpr (!layer_returns<Layer, Op, Next, R, A...>) {
    using found = decltype(Layer::template run<Op>(std::declval<Next>(), std::declval<A>()...));
    v.add(Op::name()).add(": the layer '").add(type_name<Layer>()).add("' returns '").add(type_name<found>());
    v.add("', the operator '").add(type_name<R>()).add("'; return what next() returns");
  }
  return v;
}
template <class Layer, class Op, class Next>
concept layer_for = explain_layer<Layer, Op, Next>(std::type_identity<typename Op::signature>{}).ok();

// Runs the layer, then what is behind it.
template <class Layer, class Op, class Target, class Sig>
struct layer_target;
template <class Layer, class Op, class Target, class R, class... A>
struct layer_target<Layer, Op, Target, R(A...)> {
  using next = direct_call<Op, Target>;
  [[gnu::always_inline]] static constexpr R run(A&&... a) {
    static_assert(layer_for<Layer, Op, next>, explain_layer<Layer, Op, next>(std::type_identity<R(A...)>{}));
    if constexpr (layer_for<Layer, Op, next>) return Layer::template run<Op>(next{}, std::forward<A>(a)...);
  }
};

template <class Op, class Target, class... Layer>
struct stack_target {
  using type = Target;
};
template <class Op, class Target, class Layer, class... Inner>
struct stack_target<Op, Target, Layer, Inner...> {
  using behind = stack_target<Op, Target, Inner...>::type;
  using type = decltype([] {
    if constexpr (handles<Layer, Op>())
      return std::type_identity<layer_target<Layer, Op, behind, typename Op::signature>>{};
    else
      return std::type_identity<behind>{};
  }())::type;
};

template <class Op, class Called, class... Layer>
struct layered_call {
  using type = Called;  // nothing to call
};
template <class Op, class Target, class... Layer>
struct layered_call<Op, direct_call<Op, Target>, Layer...> {
  using type = direct_call<Op, typename stack_target<Op, Target, Layer...>::type>;
};

}  // namespace detail

namespace static_dispatch {

/// A kernel set behind layers. Made by `layered`.
export template <class Set, class... Layer>
struct layered_set {
  /// As the set's call: through the first layer, then the second, ..., then the kernel. No jump that is not direct.
  template <auto Op, key_target Key = key::Undefined>
  static constexpr typename detail::layered_call<
      decltype(Op), typename detail::set_call_of<Set, decltype(Op), detail::code_of(Key)>::type, Layer...>::type call{};

  using behind = Set;
};

/// `layered<cpu, logging, counting>`: the set's kernels behind these layers, of which the first one sees a call first.
/// A layer runs for every operator, or for those its `template <class Op> static constexpr bool handles` says.
export template <kernel_set_type auto Set, class... Layer>
inline constexpr layered_set<decltype(Set), Layer...> layered{};

}  // namespace static_dispatch

namespace detail {

// What a layer does with calls of the operator, if it says.
template <class Layer, class Op>
struct layer_note {};
template <class Layer, class Op>
  requires requires { std::string_view(Layer::template note<Op>); }
struct [[gnu::visibility("hidden")]] layer_note<Layer, Op> {
  static constexpr kernel_note note = [] {
    if constexpr (requires { &Layer::template describe<Op>; })
      return kernel_note{Layer::template note<Op>, &Layer::template describe<Op>};
    else
      return kernel_note{Layer::template note<Op>};
  }();
};

template <class Layer, class Op, key_target Key, class Sig = typename Op::signature>
struct layer_kernel;
template <class Layer, class Op, key_target Key, class R, class... A>
struct layer_kernel<Layer, Op, Key, R(A...)> : layer_note<Layer, Op> {
  static constexpr key_set reach = Key.is_alias() ? below(alias_key{Key.alias}) : below(Key.row);
  [[gnu::always_inline]] R operator()(key_set keys, A... a) const {
    using next = redispatched<Op>;
    static_assert(layer_for<Layer, Op, next>, explain_layer<Layer, Op, next>(std::type_identity<R(A...)>{}));
    if constexpr (layer_for<Layer, Op, next>) {
      return Layer::template run<Op>(next{keys & reach}, std::forward<A>(a)...);
    }
  }
};

// No kernel for an operator that the layer does not handle.
template <class Layer, class Op, key_target Key>
struct layer_kernel_list {
  using type = kernel_list<>;
};
template <class Layer, class Op, key_target Key>
  requires(handles<Layer, Op>())
struct layer_kernel_list<Layer, Op, Key> {
  using type = kernel_list<set_kernel<code_of(Key), Op, layer_kernel<Layer, Op, Key>{}>>;
};

}  // namespace detail

namespace static_dispatch {

/// The layer as kernels of these operators for the key, to install() in the table: there `next` redispatches below the
/// key. Operators that it does not handle are left out. `template <class Op> static constexpr std::string_view note` of
/// the layer says what it does with them, for explain() and `topbit doc`, and `template <class Op> static std::string
/// describe(const operator_handle&, std::span<const value> arguments)` what it would do to one call, for explain().
export template <class Layer, key_target Key, operator_type... Op>
consteval auto layer_kernels(const Op&...) {
  static_assert(detail::has_a_row<Key>, detail::explain_key(Key));
  return typename detail::joined<detail::key_list<detail::code_of(Key)>, detail::kernel_list<>,
                                 typename detail::layer_kernel_list<Layer, Op, Key>::type...>::type{};
}

/// The same as rows, whose type does not list the operators: the names of a set's symbols do, with the texts of their
/// schemas.
export template <class Layer, key_target Key, operator_type... Op>
consteval auto layer_rows(const Op&... ops) {
  static_assert(detail::has_a_row<Key>, detail::explain_key(Key));
  std::array<author::kernel_row, (std::size_t{0} + ... + (detail::handles<Layer, Op>() ? 1 : 0))> all{};
  std::size_t count = 0;
  const auto add = [&]<class One>(const One& op) {
    if constexpr (detail::handles<Layer, One>())
      all[count++] = author::row<detail::layer_kernel<Layer, One, Key>{}>(op, Key, std::source_location());
  };
  (add(ops), ...);
  return all;
}

}  // namespace static_dispatch

}  // namespace topbit
