module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :dequantizing;
import :rows;

namespace topbit::quantized {

namespace {

constinit thread_local int guards = 0;

struct counts {
  std::mutex lock;
  std::map<std::string, std::uint64_t> by_op;
};
counts& counted() {
  static counts all;
  return all;
}

bool has_quantized(const value& v) {
  bool found = false;
  author::each_tensor(v, [&](const tensor& t) { found = found || is_quantized(t); });
  return found;
}

std::string name_of_argument(const author::schema_view* schema, std::size_t i) {
  const std::string number = "argument " + std::to_string(i + 1);
  if (schema == nullptr || schema->arguments[i].name.empty()) return number;
  return number + " '" + std::string(schema->arguments[i].name) + "'";
}

[[noreturn]] void refuse_call(const operator_handle& op, std::string_view argument, const value& v) {
  dtype type = dtype::float32;
  author::each_tensor(v, [&](const tensor& t) {
    if (is_quantized(t)) type = t.dtype();
  });
  throw layout_error(std::string(op.name()) + ": found " + std::string(argument) +
                         " of layout quantized, wanted strided: no rule for quantized; dequantize(x) gives " +
                         std::string(name_of(type)),
                     std::string(op.name()));
}

}  // namespace

void without_kernel(const operator_handle& op, boxed_stack& stack) {
  const author::schema_view* const schema = op.parsed_schema();
  const std::span<value> arguments = stack.top(op.argument_count());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!has_quantized(arguments[i])) continue;
    const std::string argument = name_of_argument(schema, i);
    if (guards == 0) refuse_call(op, argument, arguments[i]);
    if (schema == nullptr || schema->arguments[i].writes) {
      throw layout_error(std::string(op.name()) + ": found " + argument +
                             " of layout quantized, which it would write to, wanted strided; dequantize_guard lends "
                             "values to read",
                         std::string(op.name()));
    }
  }
  {
    counts& all = counted();
    const std::lock_guard lock(all.lock);
    ++all.by_op[std::string(op.name())];
  }
  for (value& v : arguments) {
    if (!has_quantized(v)) continue;
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

std::vector<dequantized_calls> dequantize_report() {
  std::vector<dequantized_calls> report;
  {
    counts& all = counted();
    const std::lock_guard lock(all.lock);
    for (const auto& [op, calls] : all.by_op) report.push_back({op, calls});
  }
  std::stable_sort(report.begin(), report.end(),
                   [](const dequantized_calls& a, const dequantized_calls& b) { return a.calls > b.calls; });
  return report;
}

void reset_dequantize_report() {
  counts& all = counted();
  const std::lock_guard lock(all.lock);
  all.by_op.clear();
}

std::string to_string(std::span<const dequantized_calls> report) {
  std::size_t width = 8;
  for (const dequantized_calls& row : report) width = std::max(width, row.op.size());
  std::string text = "operator" + std::string(width - 8, ' ') + "  calls\n";
  for (const dequantized_calls& row : report) {
    const std::string calls = std::to_string(row.calls);
    text +=
        row.op + std::string(width - row.op.size() + 2 + (calls.size() < 5 ? 5 - calls.size() : 0), ' ') + calls + "\n";
  }
  return text;
}

}  // namespace topbit::quantized
