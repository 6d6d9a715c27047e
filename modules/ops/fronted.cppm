// Unstructured operators, whose kernel thunk is one function with the backend as an argument: their result is on the
// device of the given tensor.
export module topbit.ops:fronted;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :caller;
import :device_check;

namespace topbit::detail {

// Front(backend_call, arguments...), the kernel thunk, checks and computes with the kernels of Needs; without a table
// it only checks. A member of a forms_list, like `ruled`. With HostScalars some of its tensors may be zero-dimensional
// host tensors.
template <auto Front, const auto& Op, auto Needs, bool HostScalars = false>
struct fronted {
  static constexpr auto needs = Needs;
  using signature = std::remove_cvref_t<decltype(Op)>::signature;

  template <class Sig>
  struct kernel;
  template <class R, class... A>
  struct kernel<R(A...)> {
    static R run(key_set keys, A... a) {
      check_devices<HostScalars, true>(Op, a...);
      return Front(call_on(keys, Op.name()), a...);
    }
  };

  static constexpr std::array<author::kernel_row, 1> rows(dispatch_key k, std::source_location where) {
    return {author::row<&names_caller<&kernel<signature>::run, Op>::run>(Op, k, where)};
  }
  // Calls visit.operator()<Op>().
  template <class Visit>
  static void each_form(Visit visit) {
    visit.template operator()<Op>();
  }
};

}  // namespace topbit::detail
