module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view not_a_mask = "the mask is neither bool nor uint8";
constexpr std::string_view index_out_of_range = "an index is not between -n and n - 1, for a dimension of n";
constexpr std::string_view not_an_index = "an index is not int64, int32, bool or uint8";
constexpr std::string_view bad_indices =
    "there are more indices than dimensions, they do not broadcast with each other, or a mask has another shape than "
    "its dimensions";

constexpr operator_page pages[] = {
    page<aten::index_Tensor, aten::index_Tensor_out>(
        {.summary =
             "Selects the elements at coordinates: one tensor of indices for each dimension, None for a whole one.",
         .shapes = "self: [A, B, C], indices: [[n], None, [n]] -> [n, B]; indices broadcast with each other, and their "
                   "dimensions replace the first indexed one, or come first if None is between them; a mask of k "
                   "dimensions indexes k dimensions of self by the coordinates of its nonzero elements",
         .dtypes = "any; indices are int64 or int32, negative ones count from the end; masks are bool or uint8",
         .cost =
             "indices that broadcast or are int32 are copied; all are read for their range, then each element of the "
             "result is read and written once; a non-dense self is copied first, all of it, and so is any where None "
             "is between indices; a mask is read twice, to count and to note coordinates; out takes one copy more",
         .errors = {bad_shape(index_out_of_range, "index.Tensor([[1, 2], [3, 4]], [[2]])"),
                    bad_shape(bad_indices, "index.Tensor([[1, 2], [3, 4]], [[0], [0], [0]])"),
                    bad_dtype(not_an_index, "index.Tensor([[1, 2], [3, 4]], [[1.0]])")},
         .examples = {{"index.Tensor([[1, 2], [3, 4]], [[0, 1] (int64), [1, 0] (int64)])", "[2, 3] (int64 [2])"},
                      {"index.Tensor([[1, 2], [3, 4]], [None, [1, 0]])", "[[2, 1], [4, 3]] (int64 [2, 2])"},
                      {"index.Tensor([[1, 2], [3, 4]], [[[True, False], [False, True]]])", "[1, 4] (int64 [2])"}}}),
    page<aten::index_put, aten::index_put_>(
        {.summary = "Writes values into self at coordinates that are given as in index, or adds them with accumulate.",
         .shapes = "self: [A, B, C], indices: [[n], None, [n]], values: broadcast to [n, B] -> [A, B, C]",
         .dtypes = "any; values have self's dtype, indices are int64 or int32, masks bool or uint8; sums of integers "
                   "wrap, of bool they are the or, of float16 and bfloat16 they are rounded after each addition",
         .memory = "the result is new and dense; index_put_ writes self; of equal coordinates the last wins, unless "
                   "accumulate is given",
         .cost = "values are broadcast into a new tensor, the indices read for their range, then each value is written "
                 "once; self is copied once, except in place; a non-dense self is copied there and back",
         .errors = {bad_shape(index_out_of_range, "index_put([1, 2, 3], [[3]], [5])"),
                    bad_shape(bad_indices, "index_put([1, 2, 3], [[True, False]], [5])"),
                    bad_shape("values do not broadcast to what index would give",
                              "index_put([1, 2, 3], [[0, 2]], [5, 6, 7])"),
                    bad_dtype("values have another dtype than self", "index_put([1, 2, 3], [[0, 2]], [5.5, 6.5])"),
                    bad_dtype(not_an_index, "index_put([1, 2, 3], [[0.0]], [5])")},
         .examples = {{"index_put([1, 2, 3], [[0, 2] (int64)], [5, 6])", "[5, 2, 6] (int64 [3])"},
                      {"index_put([1, 2, 3], [[0, 0]], [5, 6], True)", "[12, 2, 3] (int64 [3])"},
                      {"index_put_([[1, 2], [3, 4]], [None, [1]], 0)", "[[1, 0], [3, 0]] (int64 [2, 2])"}}}),
    page<aten::masked_fill_Scalar, aten::masked_fill_Scalar_, aten::masked_fill_Tensor, aten::masked_fill_Tensor_>(
        {.summary = "Writes one value where the mask is True, and keeps self's elements elsewhere.",
         .shapes = "self: [..], mask: [..], value: [] -> broadcast, which in place is self's",
         .dtypes = "any; value is converted to self's, truncated for integers; mask is bool or uint8",
         .cost = "one pass over self and mask; a mask of uint8 is converted first",
         .errors = {no_broadcast("masked_fill.Scalar([1, 2, 3], [True, False], 9)"),
                    bad_shape("in place, the mask is larger than self",
                              "masked_fill_.Scalar([1, 2], [[True], [False]], 9)"),
                    bad_shape("value has dimensions", "masked_fill.Tensor([1, 2], [True, False], [9])"),
                    bad_dtype(not_a_mask, "masked_fill.Scalar([1, 2], [1, 0], 9)")},
         .examples = {{"masked_fill.Scalar([1, 2, 3], [True, False, True] (bool), 0)", "[0, 2, 0] (int64 [3])"},
                      {"masked_fill_.Tensor([[1.0, 2.0], [3.0, 4.0]], [True, False], -0.5)",
                       "[[-0.5, 2], [-0.5, 4]] (float32 [2, 2])"}}}),
    page<aten::masked_scatter, aten::masked_scatter_>(
        {.summary =
             "Writes the elements of source, in row-major order, where the mask is True, and keeps self's elsewhere.",
         .shapes = "self: [..], mask: [..], source: [..], with an element at least for each True -> broadcast, which "
                   "in place is self's",
         .dtypes = "any; source has self's dtype; mask is bool or uint8",
         .cost = "the mask is read twice, to count and to note coordinates, int64 for each dimension; then as "
                 "index_put_; self is copied once, except in place; a non-dense source is copied first",
         .errors = {no_broadcast("masked_scatter([1, 2, 3], [True, False], [8, 9])"),
                    bad_shape("in place, the mask is larger than self",
                              "masked_scatter_([1, 2], [[True], [False]], [8, 9])"),
                    bad_shape("source has fewer elements than the mask has True",
                              "masked_scatter([1, 2], [True, True], [8])"),
                    bad_dtype("source has another dtype than self", "masked_scatter([1, 2], [True, True], [8.0, 9.0])"),
                    bad_dtype(not_a_mask, "masked_scatter([1, 2], [1, 1], [8, 9])")},
         .examples = {{"masked_scatter([1, 2, 3], [True, False, True] (bool), [8, 9])", "[8, 2, 9] (int64 [3])"},
                      {"masked_scatter_([[1, 2], [3, 4]], [False, True], [7, 8, 9])",
                       "[[1, 7], [3, 8]] (int64 [2, 2])"}}}),
    page<aten::masked_select, aten::masked_select_out>(
        {.summary = "Selects the elements where the mask is True, in row-major order, into one dimension.",
         .shapes = "self: [..], mask: [..] -> [n], for n that are True after both were broadcast",
         .dtypes = "any; mask is bool or uint8",
         .cost = "the mask is read twice, to count and to select, and self once; of both, what is not dense, or is "
                 "broadcast, is copied first; out takes one copy of the result more",
         .errors = {no_broadcast("masked_select([1, 2], [True, False, True])"),
                    bad_dtype(not_a_mask, "masked_select([1, 2], [1, 0])")},
         .examples = {{"masked_select([1, 2, 3], [True, False, True] (bool))", "[1, 3] (int64 [2])"},
                      {"masked_select([[1, 2], [3, 4]], [False, True])", "[2, 4] (int64 [2])"}}}),
    page<aten::nonzero, aten::nonzero_out, aten::argwhere>(
        {.summary = "Returns the coordinates of the elements that are not 0, in row-major order, one row for each.",
         .shapes = "self: [N, M] -> [n, 2]; of k dimensions, [n, k]",
         .dtypes = "any; coordinates are int64; a NaN is not 0",
         .cost = "self is read twice, to count and to write; nothing is copied, for any strides; out takes one copy of "
                 "the result more",
         .examples = {{"nonzero([[0, 1], [1, 0]])", "[[0, 1], [1, 0]] (int64 [2, 2])"},
                      {"nonzero([0.0, 1.5, nan])", "[[1], [2]] (int64 [2, 1])"},
                      {"argwhere([0, 7])", "[[1]] (int64 [1, 1])"}}}),
    page<aten::where>({.summary = "Returns the coordinates of the elements that are not 0 as index takes them: one "
                                  "tensor for each dimension.",
                       .shapes = "condition: [N, M] -> [n] and [n]; a scalar counts as [1]",
                       .dtypes = "any; coordinates are int64",
                       .memory = "views of one new tensor, the result of nonzero",
                       .cost = "as nonzero: condition is read twice",
                       .examples = {{"where([[0, 1], [1, 0]])", "[[0, 1] (int64 [2]), [1, 0] (int64 [2])]"}}}),
    page<aten::one_hot>(
        {.summary = "Returns a one-hot row of zeros with a 1 for each label.",
         .shapes = "self: [..], num_classes: N -> [.., N]; N is the maximum label plus 1 for -1",
         .dtypes = "int64; the result is int64",
         .cost = "one pass that fills the result with 0, and one write for each label, whose range is looked at first; "
                 "a num_classes of -1 takes one reduction of the labels more",
         .errors = {bad_shape("a label is not between 0 and num_classes - 1", "one_hot([0, 2], 2)"),
                    bad_dtype("the labels are not int64", "one_hot([0, 2] (int32))"),
                    bad_value("num_classes is less than 1, but for -1", "one_hot([0, 2], 0)"),
                    bad_value("num_classes is -1, and there are no labels, or all are negative",
                              "one_hot([] (int64 [0]))")},
         .examples = {{"one_hot([0, 2])", "[[1, 0, 0], [0, 0, 1]] (int64 [2, 3])"},
                      {"one_hot([1], 3)", "[[0, 1, 0]] (int64 [1, 3])"}}}),
    page<aten::bincount>(
        {.summary = "Counts each integer from 0 up in self, or sums the corresponding weights.",
         .shapes = "self: [N], weights: [N] -> [n]: the maximum plus 1, at least minlength",
         .dtypes =
             "integers; the result is int64, or with weights float32 for those of float32, float64 for all others",
         .cost = "one pass for the minimum and the maximum, and one that counts, or adds the weights in order",
         .errors = {bad_dtype("self is not of integers", "bincount([0.5])"),
                    bad_shape("self has other than one dimension", "bincount([[0, 1]])"),
                    bad_shape("a number is negative", "bincount([0, -1])"),
                    bad_shape("weights have another size than self", "bincount([0, 1], [0.5])"),
                    bad_value("minlength is negative", "bincount([0, 1], minlength=-1)")},
         .examples = {{"bincount([0, 2, 2])", "[1, 0, 2] (int64 [3])"},
                      {"bincount([0, 2, 2], [0.5, 1.0, 2.0], 4)", "[0.5, 0, 3, 0] (float32 [4])"}}}),
    page<aten::histc, aten::histc_out>(
        {.summary =
             "Computes a histogram: the number of elements in each of bins equal parts of [min, max], or of the range "
             "of self if these are equal; the last part includes max, and elements outside and NaN are not counted.",
         .shapes = "self: [..], bins: N -> [N]",
         .dtypes = "float32 and float64; the result has self's, in which the part of x is computed, (x - min) * bins / "
                   "(max - min), and which holds counts to 2^24, or 2^53, exactly",
         .cost = "one pass, and one before without a range; a non-dense self is copied first",
         .errors = {bad_dtype("self is neither float32 nor float64", "histc([1, 2])"),
                    bad_value("bins is less than 1", "histc([1.0, 2.0], 0)"),
                    bad_value("min or max is not finite, or min is above max", "histc([1.0, 2.0], 3, 5, 2)"),
                    bad_value("min and max are equal, and an element is not finite", "histc([1.0, inf], 3)")},
         .examples = {{"histc([1.0, 2.0, 1.0], 4, 0, 3)", "[0, 2, 1, 0] (float32 [4])"},
                      {"histc([1.0, 2.0, 4.0], 3)", "[1, 1, 1] (float32 [3])"}}}),
};

void publish_advanced_index_docs() { author::publish_pages({"Indexing with tensors and masks", pages}).keep(); }

}  // namespace topbit::detail
