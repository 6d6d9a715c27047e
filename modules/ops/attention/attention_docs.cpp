module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view shapes =
    "query: [.., l, e], key: [.., s, e], value: [.., s, v], attn_mask: broadcasts to [.., l, s] -> [.., l, v]";

constexpr operator_page pages[] = {
    page<aten::scaled_dot_product_attention>(
        {.summary = "Returns softmax(query @ key^T * scale + attn_mask) @ value, for each query a weighted mean of the "
                    "values; scale is 1 / sqrt(e) by default.",
         .shapes = shapes,
         .dtypes = "floating; the three are the same, and the result's too; attn_mask has it, and is added, or is "
                   "bool, and keeps what is True; float16 and bfloat16 are computed in float32, but on CUDA weights "
                   "are rounded to half precision",
         .cost = "attend without gradients; else, and on the CPU for 2^10 to 2^22 scores without attn_mask and "
                 "is_causal, two matrix products and a softmax, not fused: the scores, [.., l, s], are held in memory, "
                 "with up to four such tensors at a time, and is_causal computes all of them",
         .errors =
             {bad_dtype(
                  "query, key and value differ, or are not floating, or attn_mask is neither bool nor of their dtype",
                  "scaled_dot_product_attention([[1]], [[1]], [[1]])"),
              bad_shape("the shapes do not match", "scaled_dot_product_attention([[1.0, 0.0]], [[1.0]], [[1.0]])"),
              bad_value(
                  "attn_mask and is_causal are given; or there is a dropout_p or enable_gqa, which are not supported",
                  "scaled_dot_product_attention([[1.0]], [[1.0]], [[1.0]], dropout_p=0.5)")},
         .examples = {{"scaled_dot_product_attention([[0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [3.0]])",
                       "[[2]] (float32 [1, 1])"},
                      {"scaled_dot_product_attention([[1.0], [1.0]], [[1.0], [1.0]], [[2.0], [4.0]], is_causal=True)",
                       "[[2], [3]] (float32 [2, 1])"},
                      {"scaled_dot_product_attention([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]], [[False, True]])",
                       "[[4]] (float32 [1, 1])"}}}),
    page<native::attend>(
        {.summary = "Returns scaled_dot_product_attention fused, in one pass over tiles of the keys, without the "
                    "scores in memory; with gradients it is computed as two matrix products and a softmax.",
         .shapes = shapes,
         .dtypes = "float32 and float64; the three are the same, and the result's too; attn_mask has it, or is bool; "
                   "on CUDA also float16 and bfloat16, computed in float32",
         .memory = "the result is new and dense; and a few tens of kilobytes of workspace per thread",
         .cost = "two matrix products and one exponential for each score; keys that no query of a tile sees in "
                 "is_causal are left out",
         .errors = {bad_dtype("query, key and value differ, or are not of a dtype that the backend takes, or attn_mask "
                              "is neither bool nor of their dtype",
                              "attend([[1]], [[1]], [[1]], None, False, 1.0)"),
                    bad_shape("the shapes do not match", "attend([[1.0, 0.0]], [[1.0]], [[1.0]], None, False, 1.0)")},
         .examples = {{"attend([[0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [3.0]], None, False, 1.0)",
                       "[[2]] (float32 [1, 1])"}}}),
};

void publish_attention_docs() { author::publish_pages({"Attention", pages}).keep(); }

}  // namespace topbit::detail
