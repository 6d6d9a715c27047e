// Reductions over dimensions. Reduced dimensions are kept as 1 with keepdim; none given means all, and a
// zero-dimensional tensor accepts 0 and -1. Results are dense, row-major.
//
// Floating sums are accurate to a few units in the last place, for any length. The sum of no elements is 0, the product
// 1, the mean NaN; the maximum or minimum of no elements is a shape_error. NaN propagates in maximum and minimum. A
// shape_error too for a dimension out of range or given twice.
export module topbit.ops:reduce.reduce;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The sum of all elements. Integers and bool sum into int64; elements are converted to `dtype` before they are added.
/// dtype_error for dtype=bool.
inline constexpr op<"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"> sum;

/// The sum over the given dimensions.
inline constexpr op<
    "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">
    sum_dim_IntList;
inline constexpr op<
    "aten::sum.IntList_out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> "
    "Tensor(a!)">
    sum_IntList_out;

/// sum_dim of the elements that are not NaN.
inline constexpr op<
    "aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">
    nansum;
inline constexpr op<
    "aten::nansum.out(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> "
    "Tensor(a!)">
    nansum_out;

/// sum / numel: composite. Integers and bool need a floating dtype, else dtype_error.
inline constexpr op<"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor"> mean;
inline constexpr op<"aten::mean.dtype_out(Tensor self, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)">
    mean_dtype_out;

/// The mean over the given dimensions. Composite.
inline constexpr op<"aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">
    mean_dim;
inline constexpr op<
    "aten::mean.out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> "
    "Tensor(a!)">
    mean_out;

/// The product of all elements; dtypes as in sum.
inline constexpr op<"aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor"> prod;

/// The product over one dimension.
inline constexpr op<"aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">
    prod_dim_int;
inline constexpr op<
    "aten::prod.int_out(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> "
    "Tensor(a!)">
    prod_int_out;

/// The maximum.
inline constexpr op<"aten::max(Tensor self) -> Tensor"> max;
inline constexpr op<"aten::max.unary_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> max_unary_out;

/// The maximum along a dimension, and its first index: int64.
inline constexpr op<"aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">
    max_dim;
inline constexpr op<
    "aten::max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    max_dim_max;

/// maximum. Composite.
inline constexpr op<"aten::max.other(Tensor self, Tensor other) -> Tensor"> max_other;
inline constexpr op<"aten::max.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> max_out;

/// The minimum.
inline constexpr op<"aten::min(Tensor self) -> Tensor"> min;
inline constexpr op<"aten::min.unary_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> min_unary_out;

/// The minimum along a dimension, and its first index: int64.
inline constexpr op<"aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">
    min_dim;
inline constexpr op<
    "aten::min.dim_min(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) min, Tensor(b!) min_indices) -> "
    "(Tensor(a!) values, Tensor(b!) indices)">
    min_dim_min;

/// minimum. Composite.
inline constexpr op<"aten::min.other(Tensor self, Tensor other) -> Tensor"> min_other;
inline constexpr op<"aten::min.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> min_out;

/// The maximum over the given dimensions.
inline constexpr op<"aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"> amax;
inline constexpr op<"aten::amax.out(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)">
    amax_out;

/// The minimum over the given dimensions.
inline constexpr op<"aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"> amin;
inline constexpr op<"aten::amin.out(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)">
    amin_out;

/// Minimum and maximum, over one dimension or all.
inline constexpr op<"aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)">
    aminmax;
inline constexpr op<
    "aten::aminmax.out(Tensor self, *, int? dim=None, bool keepdim=False, Tensor(a!) min, Tensor(b!) max) -> "
    "(Tensor(a!) min, Tensor(b!) max)">
    aminmax_out;

/// The index of the maximum, the first of equals; over all elements, row-major, without a dimension. int64.
inline constexpr op<"aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"> argmax;
inline constexpr op<"aten::argmax.out(Tensor self, int? dim=None, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)">
    argmax_out;

/// The index of the minimum.
inline constexpr op<"aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"> argmin;
inline constexpr op<"aten::argmin.out(Tensor self, int? dim=None, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)">
    argmin_out;

/// Whether any element is nonzero, NaN included. bool, or uint8 for uint8; False for no elements.
inline constexpr op<"aten::any(Tensor self) -> Tensor"> any;
inline constexpr op<"aten::any.all_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> any_all_out;
inline constexpr op<"aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"> any_dim;
inline constexpr op<"aten::any.out(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"> any_out;

/// Whether all elements are nonzero; True for no elements.
inline constexpr op<"aten::all(Tensor self) -> Tensor"> all;
inline constexpr op<"aten::all.all_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> all_all_out;
inline constexpr op<"aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"> all_dim;
inline constexpr op<"aten::all.out(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"> all_out;

/// The number of nonzero elements: int64.
inline constexpr op<"aten::count_nonzero(Tensor self, int? dim=None) -> Tensor"> count_nonzero;
inline constexpr op<"aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor"> count_nonzero_dim_IntList;

/// The norm of order p, default 2: 0 counts nonzero elements, inf and -inf are the maximum and minimum magnitude, any
/// other is sum(abs(x)^p)^(1/p). Floating dtypes only, else dtype_error; shape_error for orders inf and below 0 of no
/// elements.
inline constexpr op<"aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor"> norm_Scalar;
inline constexpr op<"aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor">
    norm_ScalarOpt_dtype;
inline constexpr op<"aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor">
    norm_ScalarOpt_dim;
inline constexpr op<
    "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor">
    norm_ScalarOpt_dim_dtype;
inline constexpr op<
    "aten::norm.out(Tensor self, Scalar? p, int[1] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)">
    norm_out;
inline constexpr op<
    "aten::norm.dtype_out(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype, Tensor(a!) out) -> "
    "Tensor(a!)">
    norm_dtype_out;

/// The same. The dtype must be able to hold self's.
inline constexpr op<
    "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
    "dtype=None) -> Tensor">
    linalg_vector_norm;
inline constexpr op<
    "aten::linalg_vector_norm.out(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
    "dtype=None, Tensor(a!) out) -> Tensor(a!)">
    linalg_vector_norm_out;

/// log(sum(exp(self))), without intermediate overflow; -inf for no elements. Integers and bool become float32.
inline constexpr op<"aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor"> logsumexp;
inline constexpr op<"aten::logsumexp.out(Tensor self, int[1] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)">
    logsumexp_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::sum, aten::sum_dim_IntList, aten::sum_IntList_out> sum;
inline constexpr overloads<aten::nansum, aten::nansum_out> nansum;
inline constexpr overloads<aten::mean, aten::mean_dtype_out, aten::mean_dim, aten::mean_out> mean;
inline constexpr overloads<aten::prod, aten::prod_dim_int, aten::prod_int_out> prod;
inline constexpr overloads<aten::max, aten::max_unary_out, aten::max_dim, aten::max_dim_max, aten::max_other,
                           aten::max_out>
    max;
inline constexpr overloads<aten::min, aten::min_unary_out, aten::min_dim, aten::min_dim_min, aten::min_other,
                           aten::min_out>
    min;
inline constexpr overloads<aten::amax, aten::amax_out> amax;
inline constexpr overloads<aten::amin, aten::amin_out> amin;
inline constexpr overloads<aten::aminmax, aten::aminmax_out> aminmax;
inline constexpr overloads<aten::argmax, aten::argmax_out> argmax;
inline constexpr overloads<aten::argmin, aten::argmin_out> argmin;
inline constexpr overloads<aten::any, aten::any_all_out, aten::any_dim, aten::any_out> any;
inline constexpr overloads<aten::all, aten::all_all_out, aten::all_dim, aten::all_out> all;
inline constexpr overloads<aten::count_nonzero, aten::count_nonzero_dim_IntList> count_nonzero;
inline constexpr overloads<aten::norm_Scalar, aten::norm_ScalarOpt_dtype, aten::norm_ScalarOpt_dim,
                           aten::norm_ScalarOpt_dim_dtype, aten::norm_out, aten::norm_dtype_out>
    norm;
inline constexpr overloads<aten::linalg_vector_norm, aten::linalg_vector_norm_out> linalg_vector_norm;
inline constexpr overloads<aten::logsumexp, aten::logsumexp_out> logsumexp;

}  // namespace topbit
