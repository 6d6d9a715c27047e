// Which different elements there are. A NaN differs from everything. What decides sizes must be read: refused on meta.
export module topbit.ops:unique;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// Different elements in order, where each element is among them, and how often each is there, as asked for; what is
/// not is empty. sorted is always so.
inline constexpr op<
    "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, "
    "Tensor, Tensor)">
    unique2;

/// The same without the counts.
inline constexpr op<"aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)">
    unique;

/// Different slices of a dimension in lexicographic order; else as _unique2. One stable sort for each element of a
/// slice.
inline constexpr op<
    "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
    "(Tensor, Tensor, Tensor)">
    unique_dim;

/// One of each run of equal neighbours, where they stand; without a dimension, of elements in row-major order.
inline constexpr op<
    "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> "
    "(Tensor, Tensor, Tensor)">
    unique_consecutive;
inline constexpr op<
    "aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> "
    "(Tensor, Tensor, Tensor)">
    unique_dim_consecutive;

/// True for the elements that are among test_elements, or are not with invert; both are promoted. assume_unique changes
/// nothing. Sorts the tests.
inline constexpr op<
    "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) "
    "-> Tensor">
    isin;
inline constexpr op<
    "aten::isin.Tensor_Tensor_out(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool "
    "invert=False, Tensor(a!) out) -> Tensor(a!)">
    isin_out;

/// The same with a number, which is compared as eq compares it. Composites.
inline constexpr op<
    "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> "
    "Tensor">
    isin_scalar;
inline constexpr op<
    "aten::isin.Tensor_Scalar_out(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool "
    "invert=False, Tensor(a!) out) -> Tensor(a!)">
    isin_scalar_out;
inline constexpr op<
    "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> "
    "Tensor">
    isin_scalar_base;
inline constexpr op<
    "aten::isin.Scalar_Tensor_out(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool "
    "invert=False, Tensor(a!) out) -> Tensor(a!)">
    isin_scalar_base_out;

}  // namespace topbit::ops
