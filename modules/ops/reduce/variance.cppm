// Variance and standard deviation over dimensions, in two passes, so that a large mean does not reduce accuracy. The
// sum of squares is divided by the count minus the correction, at least 0: NaN or infinity then. Floating dtypes only,
// else dtype_error. Dimensions as in :reduce.
//
// In C++ PyTorch's `std` is `stddev`.
export module topbit.ops:reduce.variance;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The variance of all elements; unbiased is a correction of 1, else 0. Composite.
inline constexpr op<"aten::var(Tensor self, bool unbiased=True) -> Tensor"> var;
inline constexpr op<"aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor">
    var_dim;
inline constexpr op<
    "aten::var.out(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)">
    var_out;

/// The variance with any correction, 1 for none.
inline constexpr op<"aten::var.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> Tensor">
    var_correction;
inline constexpr op<
    "aten::var.correction_out(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False, Tensor(a!) out) -> "
    "Tensor(a!)">
    var_correction_out;

/// The root of the variance. Composite.
inline constexpr op<"aten::std(Tensor self, bool unbiased=True) -> Tensor"> std;
inline constexpr op<"aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor">
    std_dim;
inline constexpr op<
    "aten::std.out(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)">
    std_out;

/// The same with any correction, 1 for none.
inline constexpr op<"aten::std.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> Tensor">
    std_correction;
inline constexpr op<
    "aten::std.correction_out(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False, Tensor(a!) out) -> "
    "Tensor(a!)">
    std_correction_out;

/// Variance and mean. Composites.
inline constexpr op<"aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"> var_mean;
inline constexpr op<
    "aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)">
    var_mean_dim;
inline constexpr op<
    "aten::var_mean.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> (Tensor, Tensor)">
    var_mean_correction;

/// Standard deviation and mean. Composites.
inline constexpr op<"aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"> std_mean;
inline constexpr op<
    "aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)">
    std_mean_dim;
inline constexpr op<
    "aten::std_mean.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> (Tensor, Tensor)">
    std_mean_correction;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::var, aten::var_dim, aten::var_out, aten::var_correction, aten::var_correction_out> var;
inline constexpr overloads<aten::std, aten::std_dim, aten::std_out, aten::std_correction, aten::std_correction_out>
    stddev;
inline constexpr overloads<aten::var_mean, aten::var_mean_dim, aten::var_mean_correction> var_mean;
inline constexpr overloads<aten::std_mean, aten::std_mean_dim, aten::std_mean_correction> std_mean;

}  // namespace topbit
