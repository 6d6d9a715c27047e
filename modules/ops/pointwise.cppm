// Elementwise operators from their operation code: the signature determines which arguments are operands and which are
// numbers.
export module topbit.ops:pointwise;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :pointwise_arguments;
import :pointwise_code;
import :quick;
import :structured;

namespace topbit::detail {

// The promoted type of the operands, refused if the operation does not support it.
dtype pointwise_type(std::string_view op, pointwise code, const pointwise_arguments& a);
result_meta pointwise_meta(std::string_view op, pointwise code, const pointwise_arguments& a);
// Computes in the promoted type of the operands.
void run_pointwise(backend_call c, pointwise code, const pointwise_arguments& a, const tensor& out);
// Computes in this type.
void run_pointwise_in(backend_call c, pointwise code, dtype type, const pointwise_arguments& a, const tensor& out);
// Sizes and strides of a result, of this type.
result_meta broadcast_meta(std::string_view op, const pointwise_arguments& a, dtype type);

// How an elementwise kernel writes: an element is read before it is written, and results are converted.
inline constexpr author::kernel_abilities pointwise_abilities{.in_place = true, .host_scalars = true, .converts = true};

template <pointwise Code>
struct pointwise_rule {
  static constexpr auto needs = all_of(Code);
  template <class... A>
  static result_meta meta(std::string_view op, const A&... a) {
    return pointwise_meta(op, Code, collect(a...));
  }
  template <class... A>
  static void run(backend_call c, const A&... a_and_out) {
    const auto all = std::tie(a_and_out...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      run_pointwise(c, Code, collect(std::get<I>(all)...), std::get<sizeof...(I)>(all));
    }(std::make_index_sequence<sizeof...(A) - 1>{});
  }
  template <class... A>
  static tensor quick(backend_call c, const A&... a) {
    constexpr quick_facts facts = quick_facts_of(Code);
    return quick_pointwise(c, Code, facts, collect(a...));
  }
  template <class... A>
  static bool quick_write(backend_call c, const tensor& out, const A&... a) {
    constexpr quick_facts facts = quick_facts_of(Code);
    return quick_pointwise(c, Code, facts, collect(a...), out);
  }
};

// The shape function and the kernel thunk of an operator, as functors that take any arguments.
template <class Rule>
struct rule_meta {
  template <class... A>
  constexpr auto operator()(std::string_view op, const A&... a) const {
    return Rule::meta(op, a...);
  }
};
template <class Rule, const auto& Op>
struct rule_kernel {
  template <class... A>
  void operator()(key_set keys, const A&... a) const {
    Rule::run(call_on(keys, Op.name()), a...);
  }
  static bool computes(key_set keys) noexcept { return table_of(keys) != nullptr; }
  template <class... A>
    requires requires(backend_call c, const A&... a) { Rule::quick(c, a...); }
  static tensor quick(key_set keys, const A&... a) {
    return Rule::quick(call_on(keys, Op.name()), a...);
  }
  template <class... A>
    requires requires(backend_call c, const tensor& out, const A&... a) { Rule::quick_write(c, out, a...); }
  static bool quick_write(key_set keys, const tensor& out, const A&... a) {
    return Rule::quick_write(call_on(keys, Op.name()), out, a...);
  }
};

// All forms of an operator with a shape function: the same kernels for each backend with a table, and for meta.
template <class Rule, author::kernel_abilities Can, const auto&... Ops>
struct ruled {
  static constexpr auto needs = Rule::needs;
  static constexpr std::array<author::kernel_row, sizeof...(Ops)> rows(dispatch_key k, std::source_location where) {
    return {author::row<structured_run<rule_meta<Rule>{}, rule_kernel<Rule, Ops>{}, Can, Ops>>(Ops, k, where)...};
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
  template <class Visit>
  static void each_form(Visit visit) {
    (Forms::each_form(visit), ...);
  }
};

template <pointwise Code, const auto&... Ops>
using pointwise_forms = ruled<pointwise_rule<Code>, pointwise_abilities, Ops...>;

}  // namespace topbit::detail
