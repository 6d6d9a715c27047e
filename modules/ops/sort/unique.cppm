// Unique elements. NaN differs from everything. The output shape is data-dependent: refused on meta.
export module topbit.ops:sort.unique;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The sorted unique elements, and, if requested, the inverse indices and the counts; otherwise these are empty. sorted
/// has no effect.
inline constexpr op<
    "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, "
    "Tensor, Tensor)">
    _unique2;

/// The same without the counts.
inline constexpr op<"aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)">
    _unique;

/// Unique slices of a dimension in lexicographic order; otherwise as _unique2. One stable sort per element of a slice.
inline constexpr op<
    "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
    "(Tensor, Tensor, Tensor)">
    unique_dim;

/// One of each run of equal consecutive slices, in order; without a dimension, of elements in row-major order.
inline constexpr op<
    "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> "
    "(Tensor, Tensor, Tensor)">
    unique_consecutive;
inline constexpr op<
    "aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> "
    "(Tensor, Tensor, Tensor)">
    unique_dim_consecutive;

/// True for elements that are in test_elements, or not in it with invert; both are promoted. assume_unique has no
/// effect. Sorts the test elements.
inline constexpr op<
    "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) "
    "-> Tensor">
    isin_Tensor_Tensor;
inline constexpr op<
    "aten::isin.Tensor_Tensor_out(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool "
    "invert=False, Tensor(a!) out) -> Tensor(a!)">
    isin_Tensor_Tensor_out;

/// The same with a number, which is compared as eq compares it. Composites.
inline constexpr op<
    "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> "
    "Tensor">
    isin_Tensor_Scalar;
inline constexpr op<
    "aten::isin.Tensor_Scalar_out(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool "
    "invert=False, Tensor(a!) out) -> Tensor(a!)">
    isin_Tensor_Scalar_out;
inline constexpr op<
    "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> "
    "Tensor">
    isin_Scalar_Tensor;
inline constexpr op<
    "aten::isin.Scalar_Tensor_out(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool "
    "invert=False, Tensor(a!) out) -> Tensor(a!)">
    isin_Scalar_Tensor_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::unique_dim> unique_dim;
inline constexpr overloads<aten::unique_consecutive> unique_consecutive;
inline constexpr overloads<aten::unique_dim_consecutive> unique_dim_consecutive;
inline constexpr overloads<aten::isin_Tensor_Tensor, aten::isin_Tensor_Tensor_out, aten::isin_Tensor_Scalar,
                           aten::isin_Tensor_Scalar_out, aten::isin_Scalar_Tensor, aten::isin_Scalar_Tensor_out>
    isin;

}  // namespace topbit
