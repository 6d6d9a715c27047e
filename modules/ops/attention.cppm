// Attention.
export module topbit.ops:attention;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// softmax(query @ key^T * scale + mask) @ value over the last two dimensions, [.., l, e], [.., s, e], [.., s, v] ->
/// [.., l, v]; scale is 1 / sqrt(e) if none is given. attn_mask is added, or, if bool, keeps what is True; is_causal
/// keeps keys up to the query's own place. Halves are computed in float32. Composite over attend
/// where the backend has it, else over products and a softmax.
///
/// Errors   shape_error and dtype_error for operands that do not fit; error for a mask beside is_causal, for a dropout
///          and for enable_gqa, which are not supported
inline constexpr op<
    "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
    "dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor">
    scaled_dot_product_attention;

/// scaled_dot_product_attention in one pass, without the scores in memory; where it is recorded, products and a
/// softmax. float32 and float64; halves where the backend sums them in float32.
inline constexpr op<
    "topbit::attend(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, bool is_causal, float scale) -> Tensor">
    attend;

}  // namespace topbit::ops
