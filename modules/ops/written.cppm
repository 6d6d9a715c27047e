// Out variants of composites: the result of the functional form is checked and copied. Internal.
export module topbit.ops:written;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :caller;
import :device_check;
import :families;
import :structured;

namespace topbit::detail {

// The kernel of Op, which writes the result of Functional to its last argument, or in place to the first.
template <const auto& Functional, const auto& Op>
struct written_form {
  static tensor& put(tensor& to, const tensor& result) {
    check_result(Op.name(), {result.sizes(), result.dtype(), result.device(), {}}, to);
    copy_result(to, result);
    return to;
  }

  template <class Sig>
  struct form;
  template <class First, class... A>
  struct form<tensor&(First, A...)> {
    static tensor& run(First first, A... a) {
      author::check_one_device(Op, first, a...);
      if constexpr (std::same_as<First, tensor&>) {
        return put(first, Functional(std::as_const(first), a...));
      } else {
        const auto all = std::tie(first, a...);
        return put(std::get<sizeof...(A)>(all), [&]<std::size_t... I>(std::index_sequence<I...>) {
          return Functional(std::get<I>(all)...);
        }(std::make_index_sequence<sizeof...(A)>{}));
      }
    }
  };
};

// Definitions and kernels of the out and in-place forms of one operator.
template <const auto& Functional, const auto&... Ops>
void register_written() {
  static constexpr author::kernel_row all[] = {
      author::define(Ops)...,
      caller_row<
          &written_form<Functional, Ops>::template form<typename std::remove_cvref_t<decltype(Ops)>::signature>::run,
          Ops>(key::CompositeExplicitAutograd)...};
  author::register_rows(all);
  register_writing<Ops...>();
}

}  // namespace topbit::detail
