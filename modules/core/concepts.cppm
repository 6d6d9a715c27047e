// Is this function a kernel for that operator? One consteval function answers with a sentence or with nothing; the
// concept is "no reason was found", the registration prints the sentence.
export module topbit.core:concepts;

import topbit.std;
import :boxed_form;
import :boxed_type;
import :extract;
import :key_set;
import :handle;
import :signature;
import :stack;
import :text;

namespace topbit {

namespace detail {

// The function type behind a function pointer or a captureless lambda; void if it is neither.
template <class F>
consteval auto function_type_of() {
  if constexpr (requires { typename function_traits<F>::type; }) {
    return std::type_identity<typename function_traits<F>::type>{};
  } else if constexpr (std::is_empty_v<F> && requires { typename function_traits<decltype(&F::operator())>::type; }) {
    return std::type_identity<typename function_traits<decltype(&F::operator())>::type>{};
  } else {
    return std::type_identity<void>{};
  }
}
template <class F>
using function_type = decltype(function_type_of<F>())::type;

template <class Function>
inline constexpr bool takes_keys = false;
template <class R, class... A>
inline constexpr bool takes_keys<R(key_set, A...)> = true;

template <class Function>
inline constexpr bool takes_keys_boxed = false;
template <>
inline constexpr bool takes_keys_boxed<void(const operator_handle&, key_set, stack&)> = true;

template <class Function>
struct without_keys {
  using type = Function;
};
template <class R, class... A>
struct without_keys<R(key_set, A...)> {
  using type = R(A...);
};

// Instantiated once for all kernels of this type and all operators of this signature: what a kernel that is one costs.
template <class F, class Sig>
inline constexpr bool fits = std::same_as<typename without_keys<function_type<F>>::type, Sig>;

template <class Kernel, class Op, std::size_t I>
consteval void explain_argument(verdict& v) {
  using wanted = function_traits<typename Op::signature>::template parameter<I>;
  using found = function_traits<Kernel>::template parameter<I>;
  if constexpr (!std::same_as<wanted, found>) {
    if (!v.ok()) return;
    v.add("kernel for ").add(Op::name()).add(", argument ").add(I + 1);
    if (const std::string_view name = Op::argument_name(I); !name.empty()) v.add(" '").add(name).add("'");
    v.add(": the schema needs '").add(type_name<wanted>()).add("', the kernel takes '").add(type_name<found>());
    v.add("'");
  }
}

/// Why a function of type F is no kernel for the operator; empty if it is one.
template <class F, class Op>
consteval verdict explain_kernel() {
  using declared = function_type<F>;
  verdict v;
  if constexpr (std::is_void_v<declared>) {
    v.add("kernel for ").add(Op::name()).add(": needs a function or a lambda without captures, found '");
    v.add(type_name<F>()).add("'");
  } else {
    using kernel = without_keys<declared>::type;
    using wanted = function_traits<typename Op::signature>;
    using found = function_traits<kernel>;
    if constexpr (wanted::arity != found::arity) {
      v.add("kernel for ").add(Op::name()).add(": the schema has ").add(wanted::arity).add(" arguments, the kernel ");
      v.add("takes ").add(found::arity);
    } else {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (explain_argument<kernel, Op, I>(v), ...);
      }(std::make_index_sequence<wanted::arity>{});
      if constexpr (!std::same_as<typename wanted::result, typename found::result>) {
        if (v.ok()) {
          v.add("kernel for ").add(Op::name()).add(": the schema returns '").add(type_name<typename wanted::result>());
          v.add("', the kernel returns '").add(type_name<typename found::result>()).add("'");
        }
      }
    }
  }
  return v;
}

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t N>
inline constexpr bool is_span<std::span<T, N>> = true;

// What is in an optional, in optionals of it too.
template <class T>
struct present {
  using type = T;
};
template <class T>
struct present<std::optional<T>> : present<T> {};

// True if a list has views for elements: a copy of it would own them, and not what they view.
template <class T>
inline constexpr bool lists_views = false;
template <class T>
inline constexpr bool is_element_view = is_span<T> || std::same_as<T, std::string_view> || lists_views<T>;
template <class T>
inline constexpr bool lists_views<std::optional<T>> = lists_views<T>;
template <class T>
inline constexpr bool lists_views<std::vector<T>> = is_element_view<typename present<T>::type>;
template <class T>
inline constexpr bool lists_views<std::span<T>> = is_element_view<typename present<std::remove_const_t<T>>::type>;

template <class A>
consteval std::string_view wanted_for_boxes() {
  using T = std::remove_cvref_t<A>;
  using held = present<T>::type;
  constexpr bool written = std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>;
  if constexpr (written) {
    return {};
  } else if constexpr (std::same_as<T, std::string>) {
    return "'std::string_view'";
  } else if constexpr (lists_views<T>) {
    return "elements that own what they show, as those of 'std::span<const std::string>' do";
  } else if constexpr (is_list<T>::value && std::same_as<T, std::vector<typename element<T>::type>>) {
    return "'std::span<const T>'";
  } else if constexpr (is_span<held> && !is_view<held>) {
    return std::is_const_v<typename held::element_type> ? "'std::span<const T>'" : "'std::vector<T>&'";
  } else if constexpr (!can_copy<T>) {
    return "a type that can be copied, or a reference to write to; specialise topbit::boxed_type for it, with copy()";
  } else if constexpr (!std::is_reference_v<A> && !is_span<held> &&
                       !std::is_copy_constructible_v<typename element<T>::type>) {
    return "'const T&', since it has no copy constructor";
  } else {
    return {};
  }
}

template <class A>
consteval void explain_boxable(verdict& v, std::string_view op, std::size_t argument) {
  constexpr std::string_view wanted = wanted_for_boxes<A>();
  if (wanted.empty() || !v.ok()) return;
  v.add(op).add(", argument ").add(argument).add(": found '").add(type_name<A>()).add("', wanted ").add(wanted);
}

template <class R>
consteval void explain_boxable_result(verdict& v, std::string_view op) {
  if constexpr (!std::is_void_v<R> && !can_copy<std::remove_cvref_t<R>>) {
    if (!v.ok()) return;
    v.add(op).add(", result: found '").add(type_name<R>()).add("', wanted a type that can be copied; ");
    v.add("specialise topbit::boxed_type for it, with copy()");
  }
}
template <class... R>
consteval void explain_boxable_results(verdict& v, std::string_view op, std::type_identity<std::tuple<R...>>) {
  (explain_boxable_result<R>(v, op), ...);
}
template <class R>
consteval void explain_boxable_results(verdict& v, std::string_view op, std::type_identity<R>) {
  explain_boxable_result<R>(v, op);
}

/// Why arguments and results of this signature cannot travel in boxes; empty if they can.
template <class R, class... A>
consteval verdict explain_signature(std::string_view op, std::type_identity<R(A...)>) {
  verdict v;
  std::size_t i = 0;
  (explain_boxable<A>(v, op, ++i), ...);
  explain_boxable_results(v, op, std::type_identity<R>{});
  return v;
}
template <class Sig>
concept boxable_signature = explain_signature("", std::type_identity<Sig>{}).ok();

template <class F>
inline constexpr bool has_boxed_form = std::same_as<function_type<F>, void(const operator_handle&, key_set, stack&)> ||
                                       std::same_as<function_type<F>, void(const operator_handle&, stack&)>;

/// Why a function of type F gives no operator its signature; empty if it does.
template <class F>
consteval verdict explain_signature_of() {
  verdict v;
  if constexpr (std::is_void_v<function_type<F>>) {
    v.add("kernel by name: needs a function or a lambda without captures, found '").add(type_name<F>()).add("'");
  } else if constexpr (has_boxed_form<F>) {
    v.add("kernel by name: a boxed kernel has no signature to give; declare the operator and use impl_boxed()");
  } else {
    v = explain_signature("kernel by name", std::type_identity<typename without_keys<function_type<F>>::type>{});
  }
  return v;
}
template <auto Fn>
concept gives_signature = explain_signature_of<decltype(Fn)>().ok();

template <class F>
consteval verdict explain_boxed_kernel() {
  verdict v;
  if constexpr (!has_boxed_form<F>) {
    v.add("boxed kernel: needs 'void(const operator_handle&, key_set, stack&)' or without the key set, found '");
    v.add(type_name<F>()).add("'");
  }
  return v;
}

}  // namespace detail

/// A function, or a lambda without captures, whose parameters and result are exactly those of the operator, with or
/// without a leading key_set. Nothing converts: a kernel is called through a pointer to the operator's own signature.
export template <auto Fn, class Op>
concept kernel_for = detail::fits<decltype(Fn), typename Op::signature>;

/// A function that can serve any operator: it takes its arguments from a stack.
export template <auto Fn>
concept boxed_kernel = detail::explain_boxed_kernel<decltype(Fn)>().ok();

/// For authors of operator libraries and backends.
export namespace author {

/// What a registration of Fn for the operator is refused with: "kernel for ns::name, argument 2 'n': ..."; empty where
/// it is not.
template <auto Fn, class Op>
consteval verdict explain_kernel() {
  return detail::explain_kernel<decltype(Fn), Op>();
}

}  // namespace author

namespace detail {

// Where a registration goes that is refused: the sentences are made here and for nothing else.
template <auto Fn, class Op>
consteval void refuse_kernel() {
  static_assert(kernel_for<Fn, Op>, explain_kernel<decltype(Fn), Op>());
}
template <auto Fn>
consteval void refuse_named() {
  static_assert(gives_signature<Fn>, explain_signature_of<decltype(Fn)>());
}
template <auto Fn>
consteval void refuse_boxed() {
  static_assert(boxed_kernel<Fn>, explain_boxed_kernel<decltype(Fn)>());
}

}  // namespace detail

}  // namespace topbit
