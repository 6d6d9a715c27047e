// Is this function a kernel for that operator? One consteval function answers with a sentence, empty if it is; the
// concept is "no reason was found", the registration prints the sentence. The concept itself compares two types, and
// the sentence is made only for a registration that is refused: there are many kernels, and most are right.
export module topbit.core:dispatch.concepts;

import topbit.std;
import :boxing.boxable;
import :dispatch.function_type;
import :dispatch.rule_kind;
import :schema.mismatch;
import :text.text;

namespace topbit {

namespace detail {

struct kernel_rule {
  static constexpr std::string_view name = "kernel";
  static constexpr bool takes_keys = true;
  template <class Sig>
  using signature = Sig;
};

/// Why a function of type F is no kernel for the operator; empty if it is one.
template <class F, class Op>
consteval author::verdict explain_kernel() {
  if constexpr (has_boxed_form<F> && typed_operator<Op> && !author::function_for<F, Op, kernel_rule>) {
    author::verdict v;
    begin_sentence(v, kernel_rule::name, Op::name(), {});
    return v.add(": found a boxed kernel; register it with impl_boxed()");
  } else {
    return explain_rule<F, Op, kernel_rule>();
  }
}

template <class Op>
consteval author::verdict explain_kernel_as_argument() {
  author::verdict v;
  v.add("kernel ");
  if constexpr (typed_operator<Op>)
    v.add("for ").add(Op::name());
  else
    v.add("by name");
  v.add(": found it among the arguments, wanted a template argument, impl<&kernel>(op, key); ");
  return v.add("where it needs a state, impl_boxed(op, key, object)");
}
template <class Op>
concept kernel_as_template_argument = false && sizeof(Op) != 0;

/// Why no operator signature can be deduced from a function of type F; empty if one can.
template <class F>
consteval author::verdict explain_signature_of() {
  author::verdict v;
  if constexpr (std::is_void_v<function_type<F>>) {
    v.add("kernel by name: ");
    explain_no_function<F>(v);
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
consteval author::verdict explain_boxed_kernel() {
  author::verdict v;
  if constexpr (!has_boxed_form<F>) {
    v.add("boxed kernel: needs 'void(const operator_handle&, key_set, boxed_stack&)' or without the key set, found ");
    add_found<F>(v);
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

/// The error message if Fn is not a kernel for the operator: "kernel for ns::name, argument 2 'n': ..."; empty where
/// it is not.
template <auto Fn, class Op>
consteval verdict explain_kernel() {
  return detail::explain_kernel<decltype(Fn), Op>();
}

}  // namespace author

namespace detail {

// Refused registrations: only these instantiate the error messages.
template <auto Fn, class Op>
consteval void refuse_kernel() {
  static_assert(kernel_for<Fn, Op>, explain_kernel<decltype(Fn), Op>());
}
template <class Op>
consteval void refuse_kernel_as_argument() {
  static_assert(kernel_as_template_argument<Op>, explain_kernel_as_argument<Op>());
}
template <class T, fixed_string What>
consteval void refuse_operator() {
  static_assert(typed_operator<T>, explain_no_operator<T>(What.view()));
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
