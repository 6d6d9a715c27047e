// The kernels of the module, by the source file that has them. Internal.
module topbit.quantized:rows;

import topbit.std;
import topbit.core;

namespace topbit::quantized {

std::span<const author::kernel_row> composite_rows();  // of the operators on parts, for every backend
std::span<const author::kernel_row> cpu_rows();        // of the operators on parts, for the CPU
std::span<const author::kernel_row> gradient_rows();   // of the operators on parts
std::span<const author::kernel_row> quantize_rows();   // quantize_per_tensor and its like, dequantize, int_repr
std::span<const author::kernel_row> fake_rows();       // fake quantization
std::span<const author::kernel_row> product_rows();    // products of quantized tensors
std::span<const author::kernel_row> selection_rows();  // rows of quantized tensors
std::span<const author::kernel_row> fallback_rows();   // for operators with composites that would refuse
std::span<const author::kernel_row> copy_rows();       // copies, conversions, writes

}  // namespace topbit::quantized
