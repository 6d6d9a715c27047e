// Boxed kernels with a state of their own: a user's function object, called like a boxed function.
//
// The object is moved into a record and stays for as long as the registry, since a call that races with a withdrawal
// may still be inside.
export module topbit.core:functor;

import topbit.std;
import :concepts;
import :handle;
import :kernel;
import :key_set;
import :stack;
import :text;
import :version;

namespace topbit {

namespace detail {

template <class F>
inline constexpr bool is_boxed_call = std::is_invocable_r_v<void, F, const operator_handle&, key_set, stack&> ||
                                      std::is_invocable_r_v<void, F, const operator_handle&, stack&>;

/// Why an object of type F is no boxed kernel; empty if it is one.
template <class F>
consteval verdict explain_boxed_functor() {
  verdict v;
  if constexpr (is_boxed_call<const F&>) {
    if constexpr (!std::is_move_constructible_v<F>) {
      v.add("boxed kernel: '").add(type_name<F>()).add("' cannot be moved into the registry");
    }
  } else if constexpr (is_boxed_call<F&>) {
    v.add("boxed kernel: the call operator of '").add(type_name<F>());
    v.add("' must be const, since threads call it at once; what it changes must be atomic or locked, and mutable");
  } else {
    v.add("boxed kernel: needs an object to call as 'void(const operator_handle&, key_set, stack&)' or without the ");
    v.add("key set, found '").add(type_name<F>()).add("'");
  }
  return v;
}

// A boxed kernel that a registry owns.
struct functor_kernel : kernel {
  void (*destroy)(functor_kernel*) noexcept = nullptr;
  functor_kernel* next = nullptr;  // of the same registry
};
struct destroy_functor {
  void operator()(functor_kernel* k) const noexcept { k->destroy(k); }
};
using functor_ptr = std::unique_ptr<functor_kernel, destroy_functor>;

template <class F>
struct functor_record : functor_kernel {
  F functor;

  explicit functor_record(F&& f)
      : functor_kernel{{.boxed = &run, .state = &image_note<0>::value, .kind = kernel_kind::boxed}, &destroy_this},
        functor(std::move(f)) {}
  static void run(const kernel* k, const operator_handle& op, key_set keys, stack& s) {
    const F& f = static_cast<const functor_record*>(k)->functor;
    if constexpr (std::is_invocable_v<const F&, const operator_handle&, key_set, stack&>)
      f(op, keys, s);
    else
      f(op, s);
  }
  static void destroy_this(functor_kernel* k) noexcept { delete static_cast<functor_record*>(k); }
};

template <class F>
functor_ptr make_functor(F f) {
  return functor_ptr(new functor_record<F>(std::move(f)));
}

}  // namespace detail

/// An object that can serve any operator: it is called with a stack, by several threads at once.
export template <class F>
concept boxed_functor = detail::explain_boxed_functor<F>().ok();

namespace detail {

template <class F>
consteval void refuse_functor() {
  static_assert(boxed_functor<F>, explain_boxed_functor<F>());
}

}  // namespace detail

}  // namespace topbit
