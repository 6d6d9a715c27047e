// The operators on parts by operators on strided tensors: what every backend has, and the CPU for what its kernels
// leave out. Internal.
module topbit.quantized:part_composites;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :payload;
import :part_checks;

namespace topbit::quantized {

tensor quantize_parts(const tensor& self, const tensor& scales, const optional_tensor& offsets, std::int64_t bits,
                      std::int64_t axis, std::int64_t group, bool is_signed);
tensor dequantize_parts(const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                        std::span<const std::int64_t> size, std::int64_t bits, std::int64_t axis, std::int64_t group,
                        dtype type);
tensor linear_parts(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                    const optional_tensor& bias, std::int64_t columns, std::int64_t bits, std::int64_t axis,
                    std::int64_t group, bool dynamic);
tensor mm_parts(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group);
tensor linear_codes_parts(const tensor& input, const tensor& input_scales, const optional_tensor& input_offsets,
                          const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                          std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group, dtype type);

}  // namespace topbit::quantized
