// Operators whose kernel's front is one function, told the backend: those that are not structured, since the device of
// their result is that of the tensor they are given.
export module topbit.ops:fronted;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :device_check;

namespace topbit::detail {

// Front(backend_call, arguments...) checks and computes; without a kernel table it only checks. A member of a
// forms_list, as `ruled` is.
template <auto Front, const auto& Op>
struct fronted {
  using signature = std::remove_cvref_t<decltype(Op)>::signature;

  template <author::kernel_source Source, class Sig>
  struct kernel;
  template <author::kernel_source Source, class R, class... A>
  struct kernel<Source, R(A...)> {
    static R run(A... a) {
      author::check_one_device(Op, a...);
      return Front(backend_call{Source(), Op.name()}, a...);
    }
  };

  template <author::kernel_source Source>
  static constexpr std::array<author::kernel_row, 1> rows(dispatch_key k, std::source_location where) {
    return {author::row<&kernel<Source, signature>::run>(Op, k, where)};
  }
  static constexpr std::array<author::kernel_row, 1> meta_rows(std::source_location where) {
    return rows<&no_kernels>(key::Meta, where);
  }
  // Calls visit.operator()<Op>().
  template <class Visit>
  static void each_form(Visit visit) {
    visit.template operator()<Op>();
  }
};

}  // namespace topbit::detail
