// Operators with a data-dependent output shape, or that write parts of a tensor: one function does all of the work, for
// every backend with a table; on meta it refuses or skips it. Internal.
export module topbit.ops:computed;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :caller;
import :device_check;
import :structured;

namespace topbit::detail {

// Rule::run(backend_call, arguments of the functional or in-place form...) returns what the form returns.
template <class Rule, const auto& Op>
struct computed_kernel {
  template <class... A>
  static decltype(auto) call(key_set keys, A&&... a) {
    check_devices<false, true>(Op, a...);
    return Rule::run(call_on(keys, Op.name()), a...);
  }
  template <class Sig>
  struct form;
  template <class R, class... A>
  struct form<R(A...)> {
    static R run(key_set keys, A... a) { return call(keys, a...); }
  };
  template <class First, class... A>
  struct form<tensor&(First, A...)> {
    static tensor& run(key_set keys, First first, A... a) {
      if constexpr (std::same_as<First, tensor&>) {
        return call(keys, first, a...);
      } else {
        // The last argument is mutable.
        check_devices<false, true>(Op, first, a...);
        const auto all = std::tie(first, a...);
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> tensor& {
          const tensor result = Rule::run(call_on(keys, Op.name()), std::get<I>(all)...);
          tensor& out = std::get<sizeof...(A)>(all);
          check_result(Op.name(), {result.sizes(), result.dtype(), result.device(), {}}, out);
          copy_result(out, result);
          return out;
        }(std::make_index_sequence<sizeof...(A)>{});
      }
    }
  };
  static constexpr auto run = &names_caller<&form<typename std::remove_cvref_t<decltype(Op)>::signature>::run, Op>::run;
};

template <class Rule, const auto&... Ops>
struct computed {
  static constexpr auto needs = Rule::needs;
  static constexpr std::array<author::kernel_row, sizeof...(Ops)> rows(dispatch_key k, std::source_location where) {
    return {author::row<computed_kernel<Rule, Ops>::run>(Ops, k, where)...};
  }
  template <class Visit>
  static void each_form(Visit visit) {
    (visit.template operator()<Ops>(), ...);
  }
};

}  // namespace topbit::detail
