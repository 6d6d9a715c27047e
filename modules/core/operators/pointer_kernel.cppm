// Kernels that are known only when the program runs, by their addresses. There is one record for a function, however
// often it is registered; it stays for good, as the records of all kernels do.
export module topbit.core:operators.pointer_kernel;

import topbit.std;
import :dispatch.boxing;
import :dispatch.concepts;
import :dispatch.function_type;
import :dispatch.kernel;
import :dispatch.operator_info;
import :keys.key_set;
import :operators.op;
import :operators.signature_code;
import :text.text;

namespace topbit {

namespace detail {

using make_pointer_kernel = kernel* (*)(const void* function);

// The record's state is the function.
template <class F, class Sig>
struct pointer_thunk;
template <class F, class R, class... A>
struct pointer_thunk<F, R(A...)> {
  static R run(A... a, key_set keys, const kernel* k) {
    const auto f = reinterpret_cast<F>(const_cast<void*>(k->state));
    if constexpr (takes_keys<function_type<F>>)
      return f(keys, std::forward<A>(a)...);
    else
      return f(std::forward<A>(a)...);
  }
  static kernel* make(const void* function) {
    return new typed_kernel<R(A...)>{{.boxed = &author::signature_code<R(A...)>::run, .state = function}, &run};
  }
};

// A function as it is handed to code that is no template.
struct function_address {
  const void* function;
  make_pointer_kernel make;
  signature_pointer signature;
};
template <class F, class Sig>
function_address address_of(F f) noexcept {
  return {reinterpret_cast<const void*>(f), &pointer_thunk<F, Sig>::make, &author::signature_code<Sig>::info};
}

// Its record, made when it is first asked for.
const kernel& kernel_of(const function_address& f);

template <class F>
inline constexpr bool is_function_pointer = std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;

template <class F>
consteval author::verdict explain_no_pointer(std::string_view op) {
  author::verdict v;
  v.add("kernel for ").add(op).add(": wanted a pointer to a function, found ");
  add_found<F>(v);
  return v.add("; a kernel that is known here is a template argument, impl<&kernel>(op, key)");
}

/// Why an F is no pointer to a kernel of the operator; empty if it is one.
template <class F, class Op>
consteval author::verdict explain_pointer() {
  if constexpr (!typed_operator<Op>)
    return explain_no_operator<Op>("impl_pointer()");
  else if constexpr (!is_function_pointer<F>)
    return explain_no_pointer<F>(Op::name());
  else
    return explain_kernel<F, Op>();
}
template <class F>
consteval author::verdict explain_named_pointer() {
  if constexpr (!is_function_pointer<F>)
    return explain_no_pointer<F>("a name");
  else
    return explain_signature_of<F>();
}
template <class F, class Op>
concept pointer_for = explain_pointer<F, Op>().ok();
template <class F>
concept pointer_for_name = explain_named_pointer<F>().ok();

template <class F, class Op>
consteval void refuse_pointer() {
  static_assert(pointer_for<F, Op>, explain_pointer<F, Op>());
}
template <class F>
consteval void refuse_named_pointer() {
  static_assert(pointer_for_name<F>, explain_named_pointer<F>());
}

}  // namespace detail

}  // namespace topbit
