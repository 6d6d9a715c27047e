// Attention.
export module topbit.ops:attention.attention;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// softmax(query @ key^T * scale + mask) @ value over the last two dimensions, [.., l, e], [.., s, e], [.., s, v] ->
/// [.., l, v]; scale is 1 / sqrt(e) if none is given. attn_mask is added, or, if bool, keeps what is True; is_causal
/// keeps keys up to the query's own position. float16 and bfloat16 are computed in float32. Composite over attend if
/// the backend has it, else over matrix products and softmax.
///
/// Errors   shape_error and dtype_error for mismatched operands; error for a mask with is_causal, for dropout and for
///          enable_gqa, which are not supported
inline constexpr op<
    "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
    "dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor">
    scaled_dot_product_attention;

}  // namespace topbit::aten

export namespace topbit::native {

/// Fused scaled_dot_product_attention, without the scores in memory; if recorded, matrix products and softmax. float32
/// and float64; float16 and bfloat16 if the backend accumulates them in float32.
inline constexpr op<
    "topbit::attend(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, bool is_causal, float scale) -> Tensor">
    attend;

}  // namespace topbit::native

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::scaled_dot_product_attention> scaled_dot_product_attention;

}  // namespace topbit
