// Operators whose results' sizes depend on elements, or that write parts of a tensor: a function does all of the work,
// for every backend with a table, and refuses or leaves it out where nothing is computed. Internal.
export module topbit.ops:computed;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :device_check;
import :structured;

namespace topbit::detail {

// Rule::run(backend_call, arguments of the functional or in-place form...) returns what the form returns.
template <class Rule, author::kernel_source Source, const auto& Op>
struct computed_kernel {
  template <class... A>
  static decltype(auto) call(A&&... a) {
    author::check_one_device(Op, a...);
    return Rule::run(backend_call{Source(), Op.name()}, a...);
  }
  template <class Sig>
  struct form;
  template <class R, class... A>
  struct form<R(A...)> {
    static R run(A... a) { return call(a...); }
  };
  template <class First, class... A>
  struct form<tensor&(First, A...)> {
    static tensor& run(First first, A... a) {
      if constexpr (std::same_as<First, tensor&>) {
        return call(first, a...);
      } else {
        // The last argument is written.
        author::check_one_device(Op, first, a...);
        const auto all = std::tie(first, a...);
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> tensor& {
          const tensor result = Rule::run(backend_call{Source(), Op.name()}, std::get<I>(all)...);
          tensor& out = std::get<sizeof...(A)>(all);
          check_result(Op.name(), {result.sizes(), result.dtype(), result.device(), {}}, out);
          copy_result(out, result);
          return out;
        }(std::make_index_sequence<sizeof...(A)>{});
      }
    }
  };
  static constexpr auto run = &form<typename std::remove_cvref_t<decltype(Op)>::signature>::run;
};

template <class Rule, const auto&... Ops>
struct computed {
  template <author::kernel_source Source>
  static constexpr std::array<author::kernel_row, sizeof...(Ops)> rows(dispatch_key k, std::source_location where) {
    return {author::row<computed_kernel<Rule, Source, Ops>::run>(Ops, k, where)...};
  }
  static constexpr std::array<author::kernel_row, sizeof...(Ops)> meta_rows(std::source_location where) {
    return rows<&no_kernels>(key::Meta, where);
  }
  template <class Visit>
  static void each_form(Visit visit) {
    (visit.template operator()<Ops>(), ...);
  }
};

}  // namespace topbit::detail
