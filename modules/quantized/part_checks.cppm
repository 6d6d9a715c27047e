// The checks of the operators on parts. Anybody can call these, by text and from a graph file too. No elements are
// read: codes, scales and offsets of any value give some number, and none is an address. So tensors whose scales are
// written to stay safe as well. Internal.
module topbit.quantized:part_checks;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :payload;

namespace topbit::quantized {

using optional_tensor = std::optional<tensor>;

// Each returns the scheme of its arguments; throws shape_error, dtype_error, device_error, layout_error or
// bad_argument.
scheme check_quantize(const tensor& self, const tensor& scales, const optional_tensor& offsets, std::int64_t bits,
                      std::int64_t axis, std::int64_t group);
scheme check_dequantize(const tensor& codes, const tensor& scales, const optional_tensor& offsets, const shape& sizes,
                        std::int64_t bits, std::int64_t axis, std::int64_t group, dtype type);
scheme check_linear(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                    const optional_tensor& bias, std::int64_t columns, std::int64_t bits, std::int64_t axis,
                    std::int64_t group);
scheme check_mm(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group);
scheme check_linear_codes(const tensor& input, const tensor& input_scales, const optional_tensor& input_offsets,
                          const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                          std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group, dtype type);

}  // namespace topbit::quantized
