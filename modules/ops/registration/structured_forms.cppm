// The library's structured operators: one type has the shape function, the kernel, and what the kernel needs of a
// backend.
//
//   struct twice_kernel {
//     static constexpr auto needs = all_of(table_entry::...);       // the table kernels that run() calls
//     static constexpr tag_set tags = tag::pointwise;               // if there is something to say
//     static result_meta meta(std::string_view op, arguments...);    // throws on invalid arguments
//     static void run(backend_call, arguments..., const tensor& out...);
//     static constexpr bool takes_meta = true;  // if run() takes the first result_meta after the backend_call
//   };
//   inline constexpr auto my_forms =
//       forms_list<structured_forms<twice_kernel, abilities, aten::twice, aten::twice_, aten::twice_out>>();
module topbit.ops:registration.structured_forms;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.families;
import :registration.structured;

namespace topbit::detail {

// Kernel::meta and Kernel::run as functors that take any arguments.
template <class Kernel>
struct shape_function {
  template <class... A>
  constexpr auto operator()(std::string_view op, const A&... a) const {
    return Kernel::meta(op, a...);
  }
};
template <class Kernel, const auto& Op>
struct kernel_thunk : Kernel {
  template <class... A>
  void operator()(key_set keys, const A&... a) const {
    Kernel::run(call_on(keys, Op.name()), a...);
  }
  static bool computes(key_set keys) noexcept { return table_of(keys) != nullptr; }
};

// All forms of an operator with a shape function: the same kernels for each backend with a table, and for meta.
template <class Kernel, author::kernel_abilities Can, const auto&... Ops>
struct structured_forms {
  static constexpr std::array<operator_form, sizeof...(Ops)> forms{
      form_of<structured_run<shape_function<Kernel>{}, kernel_thunk<Kernel, Ops>{}, Can, Ops>, Ops>()...};
  static constexpr form_group group{forms, Kernel::needs, tags_of<Kernel>()};
};

}  // namespace topbit::detail
