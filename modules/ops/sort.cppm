// Order: sorting, ranks, and what is equal. A NaN is above every number; of equals the first is found, but by mode.
export module topbit.ops:sort;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// The elements of a dimension in order, and where each stood; stable whatever is asked for.
inline constexpr op<"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)">
    sort;
inline constexpr op<
    "aten::sort.values(Tensor self, int dim=-1, bool descending=False, *, Tensor(a!) values, Tensor(b!) indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    sort_out;

/// The same.
inline constexpr op<
    "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
    "indices)">
    sort_stable;
inline constexpr op<
    "aten::sort.values_stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False, Tensor(a!) values, "
    "Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)">
    sort_stable_out;

/// The indices of sort. Composites.
inline constexpr op<"aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor"> argsort;
inline constexpr op<"aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor">
    argsort_stable;

/// The k greatest, or least, elements of a dimension in order, and where they stood. Linear in the size, but for the k.
inline constexpr op<
    "aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor "
    "indices)">
    topk;
inline constexpr op<
    "aten::topk.values(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True, *, Tensor(a!) values, "
    "Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)">
    topk_out;

/// The element of rank k, counted from 1, of a dimension, and where it stood. Linear.
inline constexpr op<
    "aten::kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)">
    kthvalue;
inline constexpr op<
    "aten::kthvalue.values(Tensor self, int k, int dim=-1, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) "
    "indices) -> (Tensor(a!) values, Tensor(b!) indices)">
    kthvalue_out;

/// The lower of the middle elements of all; NaN if there is one, or no element at all.
inline constexpr op<"aten::median(Tensor self) -> Tensor"> median;

/// The same of a dimension, and where it stood.
inline constexpr op<"aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">
    median_dim;
inline constexpr op<
    "aten::median.dim_values(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    median_dim_out;

/// The same of what is not NaN; NaN if nothing else is there.
inline constexpr op<"aten::nanmedian(Tensor self) -> Tensor"> nanmedian;
inline constexpr op<"aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">
    nanmedian_dim;
inline constexpr op<
    "aten::nanmedian.dim_values(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    nanmedian_dim_out;

/// The most frequent element of a dimension, the least of those, and where it stands last.
inline constexpr op<"aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)"> mode;
inline constexpr op<
    "aten::mode.values(Tensor self, int dim=-1, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    mode_out;

/// Where values belong in sorted rows, in front of equals, or behind them with right or side='right': int64, or int32
/// with out_int32. The sequence is one row, or has the values' other sizes. sorter says the order of rows that are not
/// sorted.
inline constexpr op<
    "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? "
    "side=None, Tensor? sorter=None) -> Tensor">
    searchsorted;
inline constexpr op<
    "aten::searchsorted.Tensor_out(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, "
    "str? side=None, Tensor? sorter=None, Tensor(a!) out) -> Tensor(a!)">
    searchsorted_out;
inline constexpr op<
    "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? "
    "side=None, Tensor? sorter=None) -> Tensor">
    searchsorted_scalar;

/// searchsorted with one row of boundaries, and the arguments the other way round.
inline constexpr op<
    "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor">
    bucketize;
inline constexpr op<
    "aten::bucketize.Tensor_out(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False, Tensor(a!) "
    "out) -> Tensor(a!)">
    bucketize_out;
inline constexpr op<
    "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor">
    bucketize_scalar;

}  // namespace topbit::ops
