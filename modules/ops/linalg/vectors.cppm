// Cross products, angles and distances.
export module topbit.ops:linalg.vectors;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The cross product along a dimension of three elements; the others broadcast. Any dtype but bool, promoted.
///
/// Errors   shape_error for another size, or for another number of dimensions of one of them
inline constexpr op<"aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor"> linalg_cross;
inline constexpr op<"aten::linalg_cross.out(Tensor self, Tensor other, *, int dim=-1, Tensor(a!) out) -> Tensor(a!)">
    linalg_cross_out;

/// The same; without a dimension along the first one of three elements.
inline constexpr op<"aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor"> cross;
inline constexpr op<"aten::cross.out(Tensor self, Tensor other, int? dim=None, *, Tensor(a!) out) -> Tensor(a!)">
    cross_out;

/// The norm of order p >= 0 of the difference of each row of x1 [.., n, d] and each row of x2 [.., m, d]: [.., n, m].
/// The batch dimensions broadcast. compute_mode has no effect. Floating dtypes, promoted; float16 and bfloat16 are
/// computed in float32 and rounded once. O(n * m * d); stores no differences but for gradients, and on devices without
/// a kernel.
///
/// Errors   shape_error for fewer than two dimensions, other numbers of columns, or batches that do not broadcast;
///          dtype_error for other dtypes; error for another p
inline constexpr op<"aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor"> cdist;

// Composites, of floating types.

/// The cosine of the angle between vectors along a dimension, each of a norm of at least eps.
inline constexpr op<"aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor">
    cosine_similarity;
/// The norm of x1 - x2 + eps along the last dimension.
inline constexpr op<
    "aten::pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor">
    pairwise_distance;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::linalg_cross, aten::linalg_cross_out> linalg_cross;
inline constexpr overloads<aten::cross, aten::cross_out> cross;
inline constexpr overloads<aten::cosine_similarity> cosine_similarity;
inline constexpr overloads<aten::pairwise_distance> pairwise_distance;
inline constexpr overloads<aten::cdist> cdist;

}  // namespace topbit
