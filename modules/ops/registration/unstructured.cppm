// Operators without a shape function: one function checks, allocates and computes, for every backend with a kernel
// table. Their output shape depends on the data, they write part of a tensor, or they make a tensor from numbers.
// Internal.
module topbit.ops:registration.unstructured;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.caller;
import :registration.device_check;
import :registration.families;
import :registration.structured;

namespace topbit::detail {

// Kernel of one function: Run(backend_call, arguments...) with the table kernels Needs. With HostScalars some of its
// tensors may be zero-dimensional host tensors.
template <auto Run, auto Needs, bool HostScalars = false>
struct function_kernel {
  static constexpr auto needs = Needs;
  static constexpr bool host_scalars = HostScalars;
  template <class... A>
    requires std::invocable<decltype(Run), backend_call, A...>
  static decltype(auto) run(backend_call c, A&&... a) {
    return Run(c, std::forward<A>(a)...);
  }
};

// Kernel::run(backend_call, arguments...) returns what the form Op returns. An out form whose `out` it does not take
// gets the result of the functional form, checked and copied.
template <class Kernel, const auto& Op>
struct [[gnu::visibility("hidden")]] unstructured_kernel {
  static constexpr bool host_scalars = requires { requires Kernel::host_scalars; };

  template <class Sig>
  struct form;
  template <class R, class... A>
  struct form<R(A...)> {
    static R run(key_set keys, A... a) {
      check_devices<host_scalars, true>(Op, a...);
      const backend_call c = call_on(keys, Op.name());
      if constexpr (requires { Kernel::run(c, std::forward<A>(a)...); }) {
        return Kernel::run(c, std::forward<A>(a)...);
      } else {
        const auto all = std::tie(a...);
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> R {
          return write_result(Op.name(), Kernel::run(c, std::get<I>(all)...), std::get<sizeof...(I)>(all));
        }(std::make_index_sequence<sizeof...(A) - 1>{});
      }
    }
  };
  static constexpr auto run = &names_caller<&form<typename std::remove_cvref_t<decltype(Op)>::signature>::run, Op>::run;
};

// A member of a forms_list, like structured_forms.
template <class Kernel, const auto&... Ops>
struct unstructured {
  static constexpr std::array<operator_form, sizeof...(Ops)> forms{
      form_of<unstructured_kernel<Kernel, Ops>::run, Ops>()...};
  static constexpr form_group group{forms, Kernel::needs, tags_of<Kernel>()};
};

}  // namespace topbit::detail
