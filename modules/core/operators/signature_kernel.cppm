// Kernels compiled once for all operators of a signature: what a layer does alike for many operators, without boxing.
export module topbit.core:operators.signature_kernel;

import topbit.std;
import :dispatch.boxing;
import :dispatch.concepts;
import :dispatch.function_type;
import :dispatch.handle;
import :dispatch.kernel;
import :dispatch.rule_kind;
import :keys.key;
import :keys.key_set;
import :operators.kernel_row;
import :operators.op;
import :operators.signature_code;
import :schema.signature;
import :text.text;

namespace topbit {

namespace detail {

// A record for each operator; the code behind it knows the operator from there.
template <class Sig>
struct signature_kernel : typed_kernel<Sig> {
  call_site<Sig>* called = nullptr;
};

template <auto Fn, class Sig>
struct signature_thunk;
template <auto Fn, class R, class... A>
struct signature_thunk<Fn, R(A...)> {
  static R run(A... a, key_set keys, const kernel* k) {
    auto& site = *static_cast<const signature_kernel<R(A...)>*>(k)->called;
    entry_head* head = site.bound.load(std::memory_order_acquire);
    if (head == &site.unbound) [[unlikely]]
      head = site.bind();
    return Fn.template operator()<R, A...>(typed_handle<R(A...)>(handle_access::of(*head)), keys,
                                           std::forward<A>(a)...);
  }
};

template <auto Fn, class Op>
struct signature_record;
template <auto Fn, fixed_string Text, class R, class... A>
struct [[gnu::visibility("hidden")]] signature_record<Fn, op<Text, R(A...)>> {
  static constexpr signature_kernel<R(A...)> value = [] {
    signature_kernel<R(A...)> k{{{.boxed = &author::signature_code<R(A...)>::run}, &signature_thunk<Fn, R(A...)>::run},
                                &site_of<Text, R(A...)>::site};
    add_note<Fn>(k);
    return k;
  }();
};

template <class F, class Sig>
inline constexpr bool serves_signature = false;
template <class F, class R, class... A>
inline constexpr bool serves_signature<F, R(A...)> =
    std::is_empty_v<F> && requires(const F& f, typed_handle<R(A...)> op, key_set keys, A... a) {
      { f.template operator()<R, A...>(op, keys, std::forward<A>(a)...) } -> std::same_as<R>;
    };

template <class F, class Op>
consteval author::verdict explain_signature_kernel() {
  author::verdict v;
  if constexpr (!serves_signature<F, typename Op::signature>) {
    v.add("kernel of a signature for ").add(Op::name()).add(": found ");
    add_found<F>(v);
    v.add(", wanted an object without members whose call operator is 'template <class R, class... A> ");
    v.add("R operator()(typed_handle<R(A...)>, key_set, A...) const'");
  }
  return v;
}

}  // namespace detail

export namespace author {

/// An object that can be the kernel of this operator, told which operator was called.
template <auto Fn, class Op>
concept signature_kernel_for = topbit::detail::explain_signature_kernel<std::remove_cvref_t<decltype(Fn)>, Op>().ok();

/// The row that says: Fn is the kernel of this operator for this key. It may be the same for many operators:
///
///   struct counted {
///     static constexpr author::kernel_note note{"counts the call"};  // as other kernels may have one
///     template <class R, class... A>
///     R operator()(typed_handle<R(A...)> op, key_set keys, A... a) const {
///       ++calls;
///       return op.redispatch(keys.below_highest(), static_cast<A>(a)...);
///     }
///   };
///   author::register_rows(std::array{author::signature_row<counted{}>(my::add, my_key), ...});
///
/// The compiler makes code for each signature, while row() makes some for each operator, and arguments are not boxed.
/// The handle is the process registry's, where the row is to be registered.
template <auto Fn, class Op>
constexpr kernel_row signature_row(const Op&, key_target key,
                                   std::source_location where = std::source_location::current()) {
  static_assert(signature_kernel_for<Fn, Op>,
                topbit::detail::explain_signature_kernel<std::remove_cvref_t<decltype(Fn)>, Op>());
  if constexpr (signature_kernel_for<Fn, Op>)
    return {&topbit::detail::info_of<Op>::value, key, &topbit::detail::signature_record<Fn, Op>::value, where};
  else
    return {};
}

/// Calls a boxed kernel with the arguments of a typed one: the way of a signature kernel for calls that it leaves to
/// code which does not know the signature. Fn is told the operator and the key set.
template <auto Fn, class R, class... A>
R call_boxed_kernel(typed_handle<R(A...)> op, key_set keys, std::type_identity_t<A>... a) {
  static_assert(boxed_kernel<Fn>, topbit::detail::explain_boxed_kernel<decltype(Fn)>());
  return topbit::detail::boxed_call<R(A...)>::run(&topbit::detail::boxed_thunk<Fn>::record, op.handle(), keys,
                                                  std::forward<A>(a)...);
}

}  // namespace author

}  // namespace topbit
