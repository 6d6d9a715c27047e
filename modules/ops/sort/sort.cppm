// Sorting and order statistics. NaN is above every number; of equals the first is returned, except by mode.
export module topbit.ops:sort.sort;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The sorted elements of a dimension, and their indices; always stable.
inline constexpr op<"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)">
    sort;
inline constexpr op<
    "aten::sort.values(Tensor self, int dim=-1, bool descending=False, *, Tensor(a!) values, Tensor(b!) indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    sort_values;

/// The same.
inline constexpr op<
    "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
    "indices)">
    sort_stable;
inline constexpr op<
    "aten::sort.values_stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False, Tensor(a!) values, "
    "Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)">
    sort_values_stable;

/// The indices of sort. Composites.
inline constexpr op<"aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor"> argsort;
inline constexpr op<"aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor">
    argsort_stable;

/// The k largest, or smallest, elements of a dimension in order, and their indices. Linear in the size, plus sorting k.
inline constexpr op<
    "aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor "
    "indices)">
    topk;
inline constexpr op<
    "aten::topk.values(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True, *, Tensor(a!) values, "
    "Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)">
    topk_values;

/// The k-th smallest element of a dimension, from 1, and its index. Linear.
inline constexpr op<
    "aten::kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)">
    kthvalue;
inline constexpr op<
    "aten::kthvalue.values(Tensor self, int k, int dim=-1, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) "
    "indices) -> (Tensor(a!) values, Tensor(b!) indices)">
    kthvalue_values;

/// The lower median of all elements; NaN if there is one, or if there are no elements.
inline constexpr op<"aten::median(Tensor self) -> Tensor"> median;

/// The same of a dimension, and its index.
inline constexpr op<"aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">
    median_dim;
inline constexpr op<
    "aten::median.dim_values(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    median_dim_values;

/// The same ignoring NaN; NaN if there is nothing else.
inline constexpr op<"aten::nanmedian(Tensor self) -> Tensor"> nanmedian;
inline constexpr op<"aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">
    nanmedian_dim;
inline constexpr op<
    "aten::nanmedian.dim_values(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    nanmedian_dim_values;

/// The most frequent, then smallest element of a dimension, and its last index.
inline constexpr op<"aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)"> mode;
inline constexpr op<
    "aten::mode.values(Tensor self, int dim=-1, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    mode_values;

/// Insertion indices of values in sorted rows, before equals, or after them with right or side='right': int64, or int32
/// with out_int32. The sequence is one row, or has the values' other sizes. sorter is the sorting permutation of
/// unsorted rows.
inline constexpr op<
    "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? "
    "side=None, Tensor? sorter=None) -> Tensor">
    searchsorted_Tensor;
inline constexpr op<
    "aten::searchsorted.Tensor_out(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, "
    "str? side=None, Tensor? sorter=None, Tensor(a!) out) -> Tensor(a!)">
    searchsorted_Tensor_out;
inline constexpr op<
    "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? "
    "side=None, Tensor? sorter=None) -> Tensor">
    searchsorted_Scalar;

/// searchsorted with one row of boundaries, and the arguments swapped.
inline constexpr op<
    "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor">
    bucketize_Tensor;
inline constexpr op<
    "aten::bucketize.Tensor_out(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False, Tensor(a!) "
    "out) -> Tensor(a!)">
    bucketize_Tensor_out;
inline constexpr op<
    "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor">
    bucketize_Scalar;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::sort, aten::sort_values, aten::sort_stable, aten::sort_values_stable> sort;
inline constexpr overloads<aten::argsort, aten::argsort_stable> argsort;
inline constexpr overloads<aten::topk, aten::topk_values> topk;
inline constexpr overloads<aten::kthvalue, aten::kthvalue_values> kthvalue;
inline constexpr overloads<aten::median, aten::median_dim, aten::median_dim_values> median;
inline constexpr overloads<aten::nanmedian, aten::nanmedian_dim, aten::nanmedian_dim_values> nanmedian;
inline constexpr overloads<aten::mode, aten::mode_values> mode;
inline constexpr overloads<aten::searchsorted_Tensor, aten::searchsorted_Tensor_out, aten::searchsorted_Scalar>
    searchsorted;
inline constexpr overloads<aten::bucketize_Tensor, aten::bucketize_Tensor_out, aten::bucketize_Scalar> bucketize;

}  // namespace topbit
