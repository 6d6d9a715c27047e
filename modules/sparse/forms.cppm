// The forms of operators that write to an argument. Internal.
module topbit.sparse:forms;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::sparse {

// Writes a result to the `out` or self of an operator, and returns it. Both are strided, or of one sparse layout.
// Throws layout_error, shape_error, dtype_error or device_error, and writes nothing then.
tensor& write_result(std::string_view op, const tensor& result, tensor& out);

// The kernel of Op: writes the result of Functional to its last argument, or in place to the first.
template <const auto& Functional, const auto& Op, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct writing_form;
template <const auto& Functional, const auto& Op, class First, class... A>
struct writing_form<Functional, Op, tensor&(First, A...)> {
  static tensor& run(First first, A... a) {
    if constexpr (std::same_as<First, tensor&>) {
      return write_result(Op.name(), Functional(std::as_const(first), a...), first);
    } else {
      const auto all = std::tie(first, a...);
      return [&]<std::size_t... I>(std::index_sequence<I...>) -> tensor& {
        return write_result(Op.name(), Functional(std::get<I>(all)...), std::get<sizeof...(A)>(all));
      }(std::make_index_sequence<sizeof...(A)>{});
    }
  }
};

// The rows of one operator for all layouts of this module.
template <auto Kernel, const auto& Op>
constexpr std::array<author::kernel_row, 2> rows_of() {
  return {author::row<Kernel>(Op, key::AnySparse), author::row<Kernel>(Op, key::AnySparseCsr)};
}
template <const auto& Functional, const auto& Op>
constexpr std::array<author::kernel_row, 2> writing_rows() {
  return rows_of<&writing_form<Functional, Op>::run, Op>();
}

template <std::size_t... N>
constexpr auto joined_rows(const std::array<author::kernel_row, N>&... lists) {
  std::array<author::kernel_row, (N + ...)> all;
  auto next = all.begin();
  ((next = std::ranges::copy(lists, next).out), ...);
  return all;
}

}  // namespace topbit::sparse
