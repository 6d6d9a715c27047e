// The kernels of the CPU for the operators on parts. What they leave out is computed as on other devices: values of
// float64 in products, scales of float64, and arrangements without rows of whole bytes.
module;

#include <quantized_kernels.h>

#include <memory>

module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :part_checks;
import :part_composites;
import :rounding;
import :rows;

namespace topbit::quantized {

namespace {

const tb_quantized_kernels& kernels() {
  static const tb_quantized_kernels& selected = []() -> const tb_quantized_kernels& {
    const tb_quantized_kernels* const table = tb_quantized_kernels_for(std::string(cpu_isa()).c_str());
    return table != nullptr ? *table : *tb_quantized_kernels_for("scalar");
  }();
  return selected;
}

std::int32_t code(dtype t) noexcept { return static_cast<std::int32_t>(t); }

// Divides rows into parts of some work each; the parts depend on the sizes alone.
template <class F>
void over_rows(std::int64_t rows, std::int64_t work_of_row, std::int64_t multiple, const F& f) {
  constexpr std::int64_t work_of_part = 1 << 16;
  std::int64_t of_part = std::max<std::int64_t>(1, work_of_part / std::max<std::int64_t>(1, work_of_row));
  of_part = (of_part + multiple - 1) / multiple * multiple;
  author::parallel_for((rows + of_part - 1) / of_part,
                       [&](std::int64_t i) noexcept { f(i * of_part, std::min(rows, (i + 1) * of_part)); });
}

// Parts as kernels take them, which keeps alive what it points to.
struct described {
  tb_quantized q{};
  tensor codes, scales, offsets;
};

// Unsigned codes and zero points are passed less 128, as int8.
tensor shifted(const tensor& codes) { return bitwise_xor(codes, 128); }

// Rows and columns of the codes; false if rows are no whole bytes or share no scale.
bool arrange(tb_quantized& q, const shape& sizes, const scheme& s) {
  const auto dims = static_cast<std::int64_t>(sizes.size());
  const auto product = [&](std::int64_t first, std::int64_t end) {
    std::int64_t n = 1;
    for (; first < end; ++first) n *= sizes[first];
    return n;
  };
  std::int64_t split = dims == 0 ? 0 : dims - 1;
  q.scale_rows = 1;
  q.group = 0;
  if (s.scales == granularity::per_group) {
    q.group = s.group;
  } else if (s.scales == granularity::per_channel && s.axis == dims - 1) {
    q.group = 1;
  } else if (s.scales == granularity::per_channel) {
    split = s.axis + 1;
    if (s.bits == 4 && split != dims - 1 && sizes[dims - 1] % 2 != 0) return false;
    q.scale_rows = sizes[s.axis];
  }
  q.rows = product(0, split);
  q.columns = product(split, dims);
  if (s.scales == granularity::per_group) q.scale_rows = q.rows;
  if (q.group == 0) q.group = std::max<std::int64_t>(1, q.columns);
  q.bits = s.bits;
  q.row_bytes = s.bits == 4 ? q.columns / 2 + q.columns % 2 : q.columns;
  return true;
}

// Everything but the codes; null if there is no kernel for it.
std::optional<described> describe(const tensor& scales, const optional_tensor& offsets, const shape& sizes,
                                  const scheme& s, bool is_unsigned) {
  described d;
  if (!arrange(d.q, sizes, s) || scales.dtype() == dtype::float64 || d.q.rows == 0 || d.q.columns == 0) {
    return std::nullopt;
  }
  const bool is_shifted = is_unsigned && s.bits == 8;
  if (is_shifted && !has_zero_points(offsets)) return std::nullopt;
  d.scales = contiguous(scales);
  d.q.scales = d.scales.data();
  d.q.scale_dtype = code(scales.dtype());
  d.q.offset = TB_OFFSET_NONE;
  if (is_given(offsets)) {
    if (offsets->dtype() == dtype::float64) return std::nullopt;
    d.offsets = contiguous(is_shifted ? *offsets - 128 : *offsets);
    d.q.offsets = d.offsets.data();
    d.q.offset_dtype = code(d.offsets.dtype());
    d.q.offset = is_floating(d.offsets.dtype()) ? TB_OFFSET_MINIMUM : TB_OFFSET_ZERO_POINT;
  }
  return d;
}

void set_codes(described& d, const tensor& codes, bool is_shifted) {
  d.codes = is_shifted ? shifted(codes) : contiguous(codes);
  d.q.codes = d.codes.data();
}

std::optional<described> describe_with_codes(const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                                             const shape& sizes, const scheme& s) {
  const bool is_unsigned = codes.dtype() == dtype::uint8;
  std::optional<described> d = describe(scales, offsets, sizes, s, is_unsigned);
  if (d.has_value()) set_codes(*d, codes, is_unsigned && s.bits == 8);
  return d;
}

tensor quantize_cpu(const tensor& self, const tensor& scales, const optional_tensor& offsets, std::int64_t bits,
                    std::int64_t axis, std::int64_t group, bool is_signed) {
  const no_grad guard;
  const scheme s = check_quantize(self, scales, offsets, bits, axis, group);
  std::optional<described> d = describe(scales, offsets, self.sizes(), s, !is_signed);
  if (!d.has_value()) return quantize_parts(self, scales, offsets, bits, axis, group, is_signed);
  const bool has_int8 = bits == 8 && is_signed;
  tensor codes = author::make_tensor(code_sizes(s, self.sizes()), has_int8 ? dtype::int8 : dtype::uint8, cpu);
  d->q.codes = codes.data();
  const tensor x = contiguous(self);
  const code_range range = range_of(s.bits, true);
  const tb_quantize call{.to = d->q,
                         .x = x.data(),
                         .x_row = d->q.columns,
                         .dtype = code(x.dtype()),
                         .lowest = range.lowest,
                         .highest = range.highest,
                         .reserved = 0};
  over_rows(d->q.rows, d->q.columns, 1,
            [&](std::int64_t begin, std::int64_t end) { kernels().quantize(&call, begin, end); });
  return bits == 8 && !is_signed ? shifted(codes) : codes;
}

tensor dequantize_cpu(const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                      std::span<const std::int64_t> size, std::int64_t bits, std::int64_t axis, std::int64_t group,
                      dtype type) {
  const shape sizes(size);
  const scheme s = check_dequantize(codes, scales, offsets, sizes, bits, axis, group, type);
  const std::optional<described> d = describe_with_codes(codes, scales, offsets, sizes, s);
  if (!d.has_value()) return dequantize_parts(codes, scales, offsets, size, bits, axis, group, type);
  const tensor out = author::make_tensor(sizes, type, cpu);
  const tb_dequantize call{
      .from = d->q, .out = out.data(), .out_row = d->q.columns, .dtype = code(type), .reserved = 0};
  over_rows(d->q.rows, d->q.columns, 1,
            [&](std::int64_t begin, std::int64_t end) { kernels().dequantize(&call, begin, end); });
  return out;
}

// Runs the three steps of a product: x as codes or as numbers, of m rows.
tensor run_product(tb_quantized_matmul& call, dtype type) {
  const tensor out = author::make_tensor({call.m, call.w.rows}, type, cpu);
  call.out = out.data();
  call.out_row = call.w.rows;
  call.dtype = code(type);
  const std::size_t bytes = kernels().matmul_workspace(&call);
  constexpr std::size_t alignment = 64;
  const tensor memory = author::make_tensor({static_cast<std::int64_t>(bytes + alignment)}, dtype::uint8, cpu);
  void* start = memory.data();
  std::size_t room = bytes + alignment;
  call.workspace = ::std::align(alignment, bytes, start, room);
  over_rows(call.m, call.w.columns, 1,
            [&](std::int64_t begin, std::int64_t end) { kernels().matmul_prepare(&call, begin, end); });
  over_rows(call.w.rows, call.w.columns * call.m, TB_QUANTIZED_TILE,
            [&](std::int64_t begin, std::int64_t end) { kernels().matmul(&call, begin, end); });
  return out;
}

tensor linear_cpu(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                  const optional_tensor& bias, std::int64_t columns, std::int64_t bits, std::int64_t axis,
                  std::int64_t group, bool dynamic) {
  const no_grad guard;
  const scheme s = check_linear(input, codes, scales, offsets, bias, columns, bits, axis, group);
  const std::optional<described> d = describe_with_codes(codes, scales, offsets, {codes.size(0), columns}, s);
  if (!d.has_value() || input.size(0) == 0 || input.dtype() == dtype::float64) {
    return linear_parts(input, codes, scales, offsets, bias, columns, bits, axis, group, dynamic);
  }
  const tensor x = contiguous(input);
  const tensor added = is_given(bias) ? contiguous(to(*bias, dtype::float32)) : tensor();
  tb_quantized_matmul call{};
  call.w = d->q;
  call.x = x.data();
  call.bias = added.defined() ? added.data_ptr<float>() : nullptr;
  call.m = x.size(0);
  call.x_row = columns;
  call.input = dynamic ? TB_INPUT_DYNAMIC : TB_INPUT_FLOAT;
  return run_product(call, input.dtype());
}

tensor mm_cpu(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
              std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group) {
  const no_grad guard;
  const scheme s = check_mm(input, codes, scales, offsets, columns, bits, axis, group);
  const std::optional<described> d = describe_with_codes(codes, scales, offsets, {codes.size(0), columns}, s);
  if (!d.has_value() || input.size(0) == 0 || input.dtype() == dtype::float64) {
    return mm_parts(input, codes, scales, offsets, columns, bits, axis, group);
  }
  const tensor x = contiguous(input);
  const tensor out = author::make_tensor({x.size(0), columns}, input.dtype(), cpu);
  const tb_quantized_matmul_plain call{.w = d->q,
                                       .x = x.data(),
                                       .out = out.data(),
                                       .m = x.size(0),
                                       .x_row = d->q.rows,
                                       .out_row = columns,
                                       .dtype = code(input.dtype()),
                                       .reserved = 0};
  over_rows(columns, d->q.rows * call.m, 256,
            [&](std::int64_t begin, std::int64_t end) { kernels().matmul_plain(&call, begin, end); });
  return out;
}

tensor linear_codes_cpu(const tensor& input, const tensor& input_scales, const optional_tensor& input_offsets,
                        const tensor& codes, const tensor& scales, const optional_tensor& offsets, std::int64_t columns,
                        std::int64_t bits, std::int64_t axis, std::int64_t group, dtype type) {
  const no_grad guard;
  const scheme s =
      check_linear_codes(input, input_scales, input_offsets, codes, scales, offsets, columns, bits, axis, group, type);
  const std::optional<described> d = describe_with_codes(codes, scales, offsets, {codes.size(0), columns}, s);
  if (!d.has_value() || input.size(0) == 0 || type == dtype::float64) {
    return linear_codes_parts(input, input_scales, input_offsets, codes, scales, offsets, columns, bits, axis, group,
                              type);
  }
  const bool is_shifted = input.dtype() == dtype::uint8;
  const tensor x = is_shifted ? shifted(input) : contiguous(input);
  const tensor x_scales = contiguous(to(input_scales, dtype::float32));
  tensor zero;
  if (is_given(input_offsets)) zero = contiguous(is_shifted ? *input_offsets - 128 : *input_offsets);
  tb_quantized_matmul call{};
  call.w = d->q;
  call.x = x.data();
  call.m = x.size(0);
  call.x_row = columns;
  call.x_scales = x_scales.data_ptr<float>();
  call.x_zero_points = zero.defined() ? zero.data_ptr<std::int32_t>() : nullptr;
  call.x_parameters = x_scales.numel();
  call.input = TB_INPUT_CODES;
  return run_product(call, type);
}

constexpr author::kernel_row rows[] = {
    author::row<&quantize_cpu>(native::_quantize, key::CPU),
    author::row<&dequantize_cpu>(native::_dequantize, key::CPU),
    author::row<&linear_cpu>(native::_quantized_linear, key::CPU),
    author::row<&mm_cpu>(native::_quantized_mm, key::CPU),
    author::row<&linear_codes_cpu>(native::_quantized_linear_codes, key::CPU),
};

}  // namespace

std::span<const author::kernel_row> cpu_rows() { return rows; }

}  // namespace topbit::quantized
