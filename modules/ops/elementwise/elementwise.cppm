// Elementwise operators from their operation code: the signature determines which arguments are operands and which are
// numbers.
module topbit.ops:elementwise.elementwise;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.arguments;
import :elementwise.operation;
import :elementwise.fast_path;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

// The promoted type of the operands, refused if the operation does not support it.
dtype elementwise_type(std::string_view op, elementwise code, const elementwise_arguments& a);
result_meta elementwise_meta(std::string_view op, elementwise code, const elementwise_arguments& a);
// Computes in the promoted type of the operands.
void run_elementwise(backend_call c, elementwise code, const elementwise_arguments& a, const tensor& out);
// Computes in this type.
void run_elementwise_in(backend_call c, elementwise code, dtype type, const elementwise_arguments& a,
                        const tensor& out);
// Sizes and strides of a result, of this type.
result_meta broadcast_meta(std::string_view op, const elementwise_arguments& a, dtype type);

// How an elementwise kernel writes: an element is read before it is written, and results are converted.
inline constexpr author::kernel_abilities elementwise_abilities{
    .in_place = true, .host_scalars = true, .converts = true};

template <elementwise Code>
struct elementwise_kernel {
  static constexpr tag_set tags = tag::pointwise;
  static constexpr auto needs = all_of(Code);
  template <class... A>
  static result_meta meta(std::string_view op, const A&... a) {
    return elementwise_meta(op, Code, collect(a...));
  }
  static constexpr bool takes_meta = true;
  template <class... A>
  static void run(backend_call c, const result_meta& m, const A&... a_and_out) {
    const auto all = std::tie(a_and_out...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      run_elementwise_in(c, Code, m.computed.value_or(m.type), collect(std::get<I>(all)...),
                         std::get<sizeof...(I)>(all));
    }(std::make_index_sequence<sizeof...(A) - 1>{});
  }
  template <bool Makes, class... A>
  static bool fast_path(backend_call c, tensor& out, const A&... a) {
    constexpr fast_path_facts facts = fast_path_facts_of(Code);
    constexpr int inputs = facts_of(Code).inputs;
    if constexpr (inputs == 0)
      return false;
    else
      return elementwise_fast_path<inputs, Makes>(c, Code, facts, collect(a...), out);
  }
};

template <elementwise Code, const auto&... Ops>
using elementwise_forms = structured_forms<elementwise_kernel<Code>, elementwise_abilities, Ops...>;

}  // namespace topbit::detail
