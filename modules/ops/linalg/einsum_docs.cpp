module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr operator_page pages[] = {
    page<aten::einsum>(
        {.summary = "Multiplies tensors with named dimensions, and sums over the letters that the result does not "
                    "have; without an arrow the result has the letters that occur once, in alphabetical order.",
         .shapes = "tensors: a dimension for each letter of its term, any for '...', which broadcast -> a dimension "
                   "for each letter behind the arrow",
         .dtypes = "numbers; all dtypes are the same, and the result's too; a single operand may be bool, and integers "
                   "that are only summed sum into int64",
         .memory = "the result is new, and its strides may be any; of one operand without a sum it is a view",
         .cost = "one bmm for each further operand, left to right; an operand is first summed over the letters that "
                 "only it has, and copied if its letters are in another order than the product needs",
         .errors = {bad_value("the equation cannot be read, has not one term for each tensor, or names a letter behind "
                              "the arrow twice or out of nowhere; or a path is given",
                              "einsum('ij,jk->iz', [[[1, 2]], [[1], [2]]])"),
                    bad_shape("a tensor has another rank than its term, or one letter has two sizes, none of them 1",
                              "einsum('ij,jk->ik', [[[1, 2]], [[1], [2], [3]]])"),
                    bad_dtype("the dtypes of factors differ, or are bool", "einsum('i,i->', [[1, 2], [1.5, 2.5]])")},
         .examples = {{"einsum('ij,jk->ik', [[[1, 2], [3, 4]], [[1, 0], [2, 1]]])", "[[5, 2], [11, 4]] (int64 [2, 2])"},
                      {"einsum('i,j', [[1, 2], [3, 4, 5]])", "[[3, 4, 5], [6, 8, 10]] (int64 [2, 3])"},
                      {"einsum('...ii->...i', [[[1, 2], [3, 4]]])", "[1, 4] (int64 [2])"}}}),
    page<aten::tensordot, aten::tensordot_out>(
        {.summary = "Multiplies two tensors and sums over pairs of dimensions, the first of dims_self with the first "
                    "of dims_other, and so on.",
         .shapes = "self: [..], other: [..] -> the sizes of self that are not summed, then those of other",
         .dtypes = one_dtype,
         .memory = composed_memory,
         .cost = "one matrix product; an operand whose summed dimensions are not innermost, in order, is copied",
         .errors = {bad_shape("the lists have different lengths, a dimension is out of range or given twice, or the "
                              "sizes of a pair differ",
                              "tensordot([1, 2], [1, 2, 3], [0], [0])"),
                    not_one_dtype("tensordot([1, 2], [1.5, 2.5], [0], [0])")},
         .examples = {{"tensordot([[1, 2], [3, 4]], [[1, 0], [2, 1]], [1], [0])", "[[5, 2], [11, 4]] (int64 [2, 2])"},
                      {"tensordot([[1, 2], [3, 4]], [[1, 0], [2, 1]], [0, 1], [0, 1])", "11 (int64 [])"}}}),
    page<aten::inner, aten::inner_out>(
        {.summary = "Multiplies two tensors and sums over the last dimension of both; with a zero-dimensional tensor "
                    "it is an elementwise product.",
         .shapes = "self: [.., k], other: [.., k] -> self's other sizes, then other's",
         .dtypes = "numbers; both are the same, and the result's too, but for a plain product, which is mul's",
         .memory = composed_memory,
         .cost = "one matrix product, which reads dense operands in place",
         .errors = {bad_shape("the last sizes differ", "inner([1, 2], [1, 2, 3])"),
                    not_one_dtype("inner([1, 2], [1.5, 2.5])")},
         .examples = {{"inner([1, 2, 3], [4, 5, 6])", "32 (int64 [])"},
                      {"inner([[1, 2], [3, 4]], [[1, 0], [2, 1]])", "[[1, 4], [3, 10]] (int64 [2, 2])"}}}),
};

void publish_einsum_docs() { author::publish_pages({"Tensor contractions", pages}).keep(); }

}  // namespace topbit::detail
