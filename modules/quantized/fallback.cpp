module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :dequantizing;
import :rows;

namespace topbit::quantized {

namespace {

constinit thread_local int guards = 0;

constinit author::call_counts counted;

const tensor* find_quantized(const value& v) { return author::find_tensor(v, &is_quantized); }

}  // namespace

void without_kernel(const operator_handle& op, boxed_stack& stack) {
  const author::schema_view* const schema = op.parsed_schema();
  const std::span<value> arguments = stack.top(op.argument_count());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const tensor* const found = find_quantized(arguments[i]);
    if (found == nullptr) continue;
    check_no_gradient(op.name(), *found);
    if (guards == 0) {
      const std::string help = ": no rule for quantized; dequantize(x) gives " + std::string(name_of(found->dtype()));
      author::refuse_argument(op, i, layout::quantized, layout::strided, help);
    }
    if (schema == nullptr || schema->arguments[i].writes) {
      author::refuse_argument(op, i, layout::quantized, layout::strided,
                              ", since it would be written to; dequantize_guard lends values to read");
    }
  }
  counted.add(op.name());
  for (value& v : arguments) {
    if (find_quantized(v) == nullptr) continue;
    v = author::map_tensors(v, [](const tensor& t) { return is_quantized(t) ? dequantize(t) : t; });
  }
  op.call_boxed(stack);
}

namespace {

// Operators whose composite kernels would take precedence over the fallback, and then refuse in their own words.
template <const auto&... Ops>
constexpr std::array<author::kernel_row, sizeof...(Ops)> rows_without_kernel() {
  return {author::boxed_row<&without_kernel>(Ops, key::AnyQuantized)...};
}
constexpr auto rows = rows_without_kernel<aten::as_strided, aten::diagonal, aten::expand, aten::squeeze,
                                          aten::squeeze_dim, aten::unfold, aten::unsqueeze, aten::view, aten::equal,
                                          aten::allclose, aten::isclose, aten::_local_scalar_dense, aten::is_nonzero>();

}  // namespace

std::span<const author::kernel_row> fallback_rows() { return rows; }

dequantize_guard::dequantize_guard() noexcept { ++guards; }
dequantize_guard::~dequantize_guard() { --guards; }

std::vector<author::call_count> dequantize_report() { return counted.report(); }
void reset_dequantize_report() { counted.reset(); }

}  // namespace topbit::quantized
