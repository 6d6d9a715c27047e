// Cumulative sums, products, maxima and minima along a dimension.
export module topbit.ops:rowwise.scan;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// Each element is the sum of those up to it. bool and integers become int64 by default.
inline constexpr op<"aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"> cumsum;
inline constexpr op<"aten::cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)"> cumsum_;
inline constexpr op<"aten::cumsum.out(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)">
    cumsum_out;

/// Each element is the product of those up to it; otherwise as cumsum.
inline constexpr op<"aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"> cumprod;
inline constexpr op<"aten::cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)"> cumprod_;
inline constexpr op<"aten::cumprod.out(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)">
    cumprod_out;

/// The cumulative maximum and its index, the last of equals. From a NaN on, the last NaN.
inline constexpr op<"aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)"> cummax;
inline constexpr op<
    "aten::cummax.out(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, "
    "Tensor(b!) indices)">
    cummax_out;

/// The cumulative minimum; otherwise as cummax.
inline constexpr op<"aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)"> cummin;
inline constexpr op<
    "aten::cummin.out(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, "
    "Tensor(b!) indices)">
    cummin_out;

/// log(cumsum(exp(self))) without overflow. Floating types.
inline constexpr op<"aten::logcumsumexp(Tensor self, int dim) -> Tensor"> logcumsumexp;
inline constexpr op<"aten::logcumsumexp.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)"> logcumsumexp_out;

/// Each element less the one before it, n times; for bool whether they differ. prepend and append, with the other sizes
/// equal, are concatenated first. Composite.
inline constexpr op<"aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor">
    diff;
inline constexpr op<
    "aten::diff.out(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None, *, Tensor(a!) out) -> "
    "Tensor(a!)">
    diff_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::cumsum, aten::cumsum_out> cumsum;
inline constexpr overloads<aten::cumsum_> cumsum_;
inline constexpr overloads<aten::cumprod, aten::cumprod_out> cumprod;
inline constexpr overloads<aten::cumprod_> cumprod_;
inline constexpr overloads<aten::cummax, aten::cummax_out> cummax;
inline constexpr overloads<aten::cummin, aten::cummin_out> cummin;
inline constexpr overloads<aten::logcumsumexp, aten::logcumsumexp_out> logcumsumexp;
inline constexpr overloads<aten::diff, aten::diff_out> diff;

}  // namespace topbit
