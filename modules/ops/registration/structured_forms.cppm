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
//   using my_forms = forms_list<structured_forms<twice_kernel, abilities, aten::twice, aten::twice_, aten::twice_out>>;
module topbit.ops:registration.structured_forms;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
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
  static constexpr auto needs = Kernel::needs;
  static constexpr std::array<author::kernel_row, sizeof...(Ops)> rows(dispatch_key k, std::source_location where) {
    return {
        author::row<structured_run<shape_function<Kernel>{}, kernel_thunk<Kernel, Ops>{}, Can, Ops>>(Ops, k, where)...};
  }
  // Tags each form as the kernel says, if it does.
  static void register_tags() {
    if constexpr (requires { Kernel::tags; }) {
      static constexpr author::kernel_row all[] = {author::tagged(Ops, Kernel::tags)...};
      author::register_rows(all);
    }
  }
  // Calls visit.operator()<Op>() for each form.
  template <class Visit>
  static void each_form(Visit visit) {
    (visit.template operator()<Ops>(), ...);
  }
};

// A family of operators. A backend has those for which its table has all kernels.
template <class... Forms>
struct forms_list {
  static void register_backend(dispatch_key k, std::source_location where) {
    const tb_kernels* const table = table_of(k);
    const auto add = [&]<class F> {
      if (offers(table, F::needs)) author::register_rows(F::rows(k, where));
    };
    (add.template operator()<Forms>(), ...);
  }
  static void add_needs(needs_by_name& all) {
    const auto add = [&]<class F> { F::each_form([&]<const auto & Op>() { all[Op.name()] = F::needs; }); };
    (add.template operator()<Forms>(), ...);
  }
  static void register_tags() {
    const auto tag_forms = []<class F> {
      if constexpr (requires { F::register_tags(); }) F::register_tags();
    };
    (tag_forms.template operator()<Forms>(), ...);
  }
  template <class Visit>
  static void each_form(Visit visit) {
    (Forms::each_form(visit), ...);
  }
};

}  // namespace topbit::detail
