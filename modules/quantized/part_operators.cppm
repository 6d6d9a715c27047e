// Operators on the parts of quantized tensors, in which the kernels are: a backend of another project may register its
// own. The composites of dense operators that every backend has are in part_composites.cpp, the kernels of the CPU in
// part_kernels.cpp.
//
// A scheme is passed as three numbers: bits; axis, -1 unless there is a scale for each index of that dimension; group,
// 0 unless there is a scale for each run of so many elements. Codes, scales and offsets are as quantized::payload has
// them. Anybody can call these operators, so the kernels of this library check their arguments: layouts, sizes, dtypes
// and devices, but no elements. One of another backend must bear any arguments too.
export module topbit.quantized:part_operators;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::native {

/// The codes of self, which is floating-point and of any strides.
inline constexpr op<
    "topbit::_quantize(Tensor self, Tensor scales, Tensor? offsets, int bits, int axis, int group, bool signed) -> "
    "Tensor">
    _quantize;

/// The values, of these sizes and this dtype.
inline constexpr op<
    "topbit::_dequantize(Tensor codes, Tensor scales, Tensor? offsets, int[] size, int bits, int axis, int group, "
    "ScalarType dtype) -> Tensor">
    _dequantize;

/// input @ weight.t() + bias. input: [m, columns], the codes are those of a matrix [n, columns], bias: [n] -> [m, n].
/// float16 and bfloat16 are computed in float32. `dynamic`: each row of input is rounded to int8 with the scale
/// max |x| / 127 before, and codes are multiplied where there is a kernel for it. The gradient is that of the product
/// without rounding.
inline constexpr op<
    "topbit::_quantized_linear(Tensor input, Tensor codes, Tensor scales, Tensor? offsets, Tensor? bias, int columns, "
    "int bits, int axis, int group, bool dynamic) -> Tensor">
    _quantized_linear;

/// input @ weight. input: [m, n], the codes are those of a matrix [n, columns] -> [m, columns].
inline constexpr op<
    "topbit::_quantized_mm(Tensor input, Tensor codes, Tensor scales, Tensor? offsets, int columns, int bits, int "
    "axis, "
    "int group) -> Tensor">
    _quantized_mm;

/// As _quantized_linear, of an input that is quantized: its codes of 8 bits, [m, columns], with one scale and one zero
/// point, or one for each row. `dtype` is that of the result. No gradient.
inline constexpr op<
    "topbit::_quantized_linear_codes(Tensor input, Tensor input_scales, Tensor? input_offsets, Tensor codes, Tensor "
    "scales, Tensor? offsets, int columns, int bits, int axis, int group, ScalarType dtype) -> Tensor">
    _quantized_linear_codes;

}  // namespace topbit::native
