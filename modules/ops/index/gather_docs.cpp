module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view index_sizes = "index and self differ in rank, or index is larger in another than dim";
constexpr std::string_view src_sizes =
    "index, self and src differ in rank, or index is larger than src, or than self in another dimension than dim";
constexpr std::string_view source_types = "source has another dtype than self, or the index is neither int64 nor int32";
constexpr std::string_view source_shapes = "self: [N, M], dim: 0, index: [k], source: [k, M] -> [N, M]";
constexpr std::string_view source_shape = "source has another shape than self, with as many slices as indices";
constexpr std::string_view index_range = "an index is not between 0 and the size less 1: nothing is written then";
constexpr std::string_view index_shape = "the index has more than one dimension";
constexpr std::string_view not_int64 = "the index is not int64";
constexpr std::string_view not_an_index = "the index is neither int64 nor int32";
constexpr std::string_view reduced =
    "the index is read for its range first, and again to write: one operation for each of its elements; self is copied "
    "once, except in place; rows of float16, bfloat16 and small integers, and rows with strides, are converted and "
    "back";
constexpr std::string_view scattered_shapes =
    "self: [N, M], dim: 1, index: [n, k], src: at least [n, k] -> [N, M], with n <= N: src[i, j] goes to out[i, "
    "index[i, j]]";
constexpr std::string_view scattered_sizes =
    "self has no such dimension, or index, self and src differ in rank, or index is larger than src, or than self in "
    "another dimension than dim";

constexpr operator_page pages[] = {
    // An index for each element.
    page<aten::gather, aten::gather_out>(
        {.summary = "Gathers, for each element of index, the element of self at the same position except in dim, where "
                    "the index applies.",
         .shapes = "self: [N, M], dim: 1, index: [n, k] -> [n, k], with n <= N: out[i, j] = self[i, index[i, j]]",
         .dtypes = "any; index is int64; with sparse_grad the gradient of self is sparse, which needs "
                   "topbit.sparse",
         .cost = "the index is read twice, the first time for its range; one read and one write for each of its "
                 "elements; self is not copied, for any strides",
         .errors = {bad_shape(index_range, "gather([[1, 2], [3, 4]], 1, [[0], [-1]])"),
                    bad_shape(index_sizes, "gather([[1, 2], [3, 4]], 1, [[0], [1], [0]])"),
                    no_such_dimension("gather([1, 2], 1, [0])"),
                    bad_dtype(not_int64, "gather([1, 2], 0, [0] (int32))")},
         .examples = {{"gather([[1, 2], [3, 4]], 1, [[0, 0], [1, 0]] (int64))", "[[1, 1], [4, 3]] (int64 [2, 2])"},
                      {"gather([[1, 2], [3, 4]], 0, [[1, 0]])", "[[3, 2]] (int64 [1, 2])"}}}),
    page<aten::scatter_src, aten::scatter_src_, aten::scatter_src_out>(
        {.summary = "Writes src into self, each element at its own position except in dim, where the index applies; of "
                    "equal indices the last wins.",
         .shapes = "self: [N, M], dim: 1, index: [n, k], src: at least [n, k] -> [N, M], with n <= N: out[i, index[i, "
                   "j]] = src[i, j]",
         .dtypes = "any; src has self's dtype, index is int64",
         .cost = "the index is read for its range first, and again to write: one read and one write for each of its "
                 "elements; self is copied once, except in place",
         .errors = {bad_shape(index_range, "scatter.src([0, 0, 0], 0, [2, 3], [5, 6])"),
                    bad_shape(src_sizes, "scatter.src([0, 0, 0], 0, [2, 0, 1], [5, 6])"),
                    no_such_dimension("scatter.src([0], 1, [0], [5])"),
                    bad_dtype("src has another dtype than self", "scatter.src([0, 0, 0], 0, [2, 0], [5.5, 6.5])"),
                    bad_dtype(not_int64, "scatter.src([0, 0], 0, [1] (int32), [5])")},
         .examples = {{"scatter.src([0, 0, 0], 0, [2, 0] (int64), [5, 6])", "[6, 0, 5] (int64 [3])"},
                      {"scatter_.src([0, 0, 0], 0, [2, 2], [5, 6])", "[0, 0, 6] (int64 [3])"}}}),
    page<aten::scatter_value, aten::scatter_value_, aten::scatter_value_out>(
        {.summary = "Writes one value into self, at the indices along dim.",
         .shapes = "self: [N, M], dim: 1, index: [n, k] -> [N, M], with n <= N: out[i, index[i, j]] = value",
         .dtypes = "any; value is converted to self's, truncated for integers; index is int64",
         .cost = "the index is read for its range first, and again to write: one write for each of its elements; self "
                 "is copied once, except in place",
         .errors = {bad_shape(index_range, "scatter.value([0, 0, 0], 0, [3], 7)"),
                    bad_shape(index_sizes, "scatter.value([0, 0, 0], 0, [[1]], 7)"),
                    no_such_dimension("scatter.value([0], 1, [0], 7)"),
                    bad_dtype(not_int64, "scatter.value([0, 0], 0, [1] (int32), 7)")},
         .examples = {{"scatter.value([0, 0, 0], 0, [2, 0] (int64), 7)", "[7, 0, 7] (int64 [3])"},
                      {"scatter_.value([[0.0, 0.0], [0.0, 0.0]], 1, [[1], [0]], 0.5)",
                       "[[0, 0.5], [0.5, 0]] (float32 [2, 2])"}}}),
    page<aten::scatter_add, aten::scatter_add_, aten::scatter_add_out>(
        {.summary = "Adds src to self, each element at its own position except in dim, where the index applies; equal "
                    "indices accumulate.",
         .shapes = "self: [N, M], dim: 1, index: [n, k], src: at least [n, k] -> [N, M], with n <= N: out[i, index[i, "
                   "j]] += src[i, j]",
         .dtypes = "any; src has self's dtype, index is int64; integers wrap, of bool it is the or, float16 and "
                   "bfloat16 are rounded once for each row",
         .cost = "the index is read for its range first, and again to add: one addition for each of its elements; self "
                 "is copied once, except in place; rows of float16, bfloat16 and small integers, and rows with "
                 "strides, are converted and back",
         .errors = {bad_shape(index_range, "scatter_add([0, 0, 0], 0, [2, 3], [5, 6])"),
                    bad_shape(src_sizes, "scatter_add([0, 0, 0], 0, [2, 0, 1], [5, 6])"),
                    no_such_dimension("scatter_add([0], 1, [0], [5])"),
                    bad_dtype("src has another dtype than self", "scatter_add([0, 0, 0], 0, [2, 0], [5.5, 6.5])"),
                    bad_dtype(not_int64, "scatter_add([0, 0], 0, [1] (int32), [5])")},
         .examples = {{"scatter_add([1, 1, 1], 0, [2, 2] (int64), [5, 6])", "[1, 1, 12] (int64 [3])"},
                      {"scatter_add_([False, False], 0, [1, 1], [True, True])", "[false, true] (bool [2])"}}}),
    page<aten::scatter_reduce, aten::scatter_reduce_, aten::scatter_reduce_out>(
        {.summary = "Adds src to self, or multiplies self by it, each element at its own position except in dim, where "
                    "the index applies.",
         .shapes = scattered_shapes,
         .dtypes = "any; src has self's dtype, index is int64; integers wrap, for bool 'add' is logical or and "
                   "'multiply' logical and, float16 and bfloat16 are rounded once for each row",
         .cost = reduced,
         .errors = {bad_value("reduce is neither 'add' nor 'multiply'",
                              "scatter.reduce([0, 0], 0, [1], [5], reduce='sum')"),
                    bad_shape(index_range, "scatter.reduce([0, 0], 0, [2], [5], reduce='add')"),
                    bad_shape(scattered_sizes, "scatter.reduce([0, 0], 0, [1, 0], [5], reduce='add')"),
                    bad_dtype("src has another dtype than self, or the index is not int64",
                              "scatter.reduce([0, 0], 0, [1], [5.5], reduce='add')")},
         .examples = {{"scatter.reduce([1, 2, 3], 0, [2, 2] (int64), [5, 6], reduce='multiply')",
                       "[1, 2, 90] (int64 [3])"},
                      {"scatter_.reduce([1, 2, 3], 0, [2, 2], [5, 6], reduce='add')", "[1, 2, 14] (int64 [3])"}}}),
    page<aten::scatter_value_reduce, aten::scatter_value_reduce_, aten::scatter_value_reduce_out>(
        {.summary = "Adds one value to self, or multiplies self by it, at the indices along dim, once per occurrence.",
         .shapes = "self: [N, M], dim: 1, index: [n, k] -> [N, M], with n <= N: out[i, index[i, j]] += or *= value",
         .dtypes = "any; value is converted to self's, truncated for integers; index is int64; integers wrap, for bool "
                   "'add' is logical or and 'multiply' logical and",
         .cost = reduced,
         .errors =
             {bad_value(
                  "reduce is neither 'add' nor 'multiply'", "scatter.value_reduce([0, 0], 0, [1], 7, reduce='sum')"),
              bad_shape(index_range, "scatter.value_reduce([0, 0], 0, [2], 7, reduce='add')"),
              bad_shape(
                  "self has no such dimension, or index has another number of them, or is larger in another than dim",
                  "scatter.value_reduce([0, 0], 0, [[1]], 7, reduce='add')"),
              bad_dtype(not_int64, "scatter.value_reduce([0, 0], 0, [1] (int32), 7, reduce='add')")},
         .examples = {{"scatter.value_reduce([1, 2, 3], 0, [2, 2] (int64), 4, reduce='multiply')",
                       "[1, 2, 48] (int64 [3])"},
                      {"scatter_.value_reduce([1, 2, 3], 0, [2, 0], 4.5, reduce='add')", "[5, 2, 7] (int64 [3])"}}}),
    page<aten::scatter_reduce_two, aten::scatter_reduce_two_, aten::scatter_reduce_two_out>(
        {.summary = "Reduces the elements of src with the same destination index by sum, prod, mean, amax or amin, "
                    "including the element of self unless include_self=False; other elements are unchanged.",
         .shapes = scattered_shapes,
         .dtypes =
             "any; src has self's dtype, index is int64; sums and products of integers wrap, and their mean is rounded "
             "down; for bool mean is undefined, sum and amax are logical or, prod and amin logical and; NaN propagates",
         .cost =
             "the index is read for its range first, and again to write; without self once more, to replace it; the "
             "mean counts in a tensor of self's sizes and divides in one pass more; self is copied once, except in "
             "place; rows of float16, bfloat16 and small integers, and rows with strides, are converted and back",
         .errors = {bad_value("reduce is none of these", "scatter_reduce.two([0, 0], 0, [1], [5], 'add')"),
                    bad_shape(index_range, "scatter_reduce.two([0, 0], 0, [2], [5], 'sum')"),
                    bad_shape(scattered_sizes, "scatter_reduce.two([0, 0], 0, [1, 0], [5], 'sum')"),
                    bad_dtype("src has another dtype than self, the index is not int64, or it is the mean of bool",
                              "scatter_reduce.two([True], 0, [0], [True], 'mean')")},
         .examples = {{"scatter_reduce.two([1, 2, 3], 0, [0, 0, 2] (int64), [5, 6, 7], 'amax')",
                       "[6, 2, 7] (int64 [3])"},
                      {"scatter_reduce.two([1, 2, 3], 0, [0, 0, 2], [5, 6, 7], 'prod', include_self=False)",
                       "[30, 2, 7] (int64 [3])"},
                      {"scatter_reduce_.two([1.0, 2.0, 3.0], 0, [0, 0, 2], [5.0, 6.0, 7.0], 'mean')",
                       "[4, 2, 5] (float32 [3])"}}}),
    page<aten::take_along_dim, aten::take_along_dim_out>(
        {.summary = "Gathers elements along dim with a broadcasting index, such as the result of argsort or argmax.",
         .shapes = "self: [N, M], indices: [1, k], dim: 1 -> [N, k]; without dim, of all elements of self in order, "
                   "and one result for each of the indices",
         .dtypes = "any; indices are int64",
         .cost = "as gather; nothing is copied to broadcast; without dim, a non-dense self is copied",
         .errors = {bad_shape(index_range, "take_along_dim([[3, 1], [5, 4]], [[0, 2]], 1)"),
                    bad_shape("self and indices have not as many dimensions, or do not broadcast but for dim",
                              "take_along_dim([[3, 1], [5, 4]], [0, 1], 1)"),
                    no_such_dimension("take_along_dim([3, 1], [0], 1)"),
                    bad_dtype("the indices are not int64", "take_along_dim([3, 1], [0] (int32), 0)")},
         .examples = {{"take_along_dim([[3, 1, 2], [6, 5, 4]], [[1], [2]] (int64), 1)", "[[1], [4]] (int64 [2, 1])"},
                      {"take_along_dim([[3, 1, 2], [6, 5, 4]], [0, 5])", "[3, 4] (int64 [2])"}}}),

    // An index for each slice.
    page<aten::index_select, aten::index_select_out>(
        {.summary = "Selects the slices of a dimension given by a list of indices, in its order.",
         .shapes = "self: [N, M], dim: 0, index: [k] -> [k, M]; a zero-dimensional index counts as [1]",
         .dtypes = "any; index is int64 or int32",
         .cost = "each element of the result is read and written once, whole slices at a time; a non-dense self is "
                 "copied first, all of it",
         .errors = {bad_shape(index_range, "index_select([[1, 2], [3, 4]], 0, [2])"),
                    bad_shape(index_shape, "index_select([[1, 2], [3, 4]], 0, [[1]])"),
                    no_such_dimension("index_select([1, 2], 1, [0])"),
                    bad_dtype(not_an_index, "index_select([1, 2], 0, [1.0])")},
         .examples = {{"index_select([[1, 2], [3, 4]], 0, [1, 1, 0] (int64))",
                       "[[3, 4], [3, 4], [1, 2]] (int64 [3, 2])"},
                      {"index_select([[1, 2], [3, 4]], 1, [1] (int32))", "[[2], [4]] (int64 [2, 1])"}}}),
    page<aten::index_add, aten::index_add_, aten::index_add_out>(
        {.summary =
             "Adds alpha times slice i of source to the slice index[i] of self, for each i; equal indices accumulate.",
         .shapes = source_shapes,
         .dtypes = "any; source has self's dtype, index is int64 or int32; integers wrap, of bool it is the or, "
                   "float16 and bfloat16 are rounded after each addition",
         .cost = "the index is read for its range first; then each element of source is read and added once; an alpha "
                 "other than 1 takes one pass over source more; self is copied once, except in place; a non-dense "
                 "output is copied there and back",
         .errors = {bad_shape(index_range, "index_add([1, 1], 0, [2], [5])"),
                    bad_shape(index_shape, "index_add([1, 1], 0, [[1]], [5])"),
                    bad_shape(source_shape, "index_add([1, 1], 0, [1], [5, 6])"),
                    bad_dtype(source_types, "index_add([1, 1], 0, [1], [5.5])"),
                    bad_dtype("alpha is a float, and self is not", "index_add([1, 1], 0, [1], [5], alpha=0.5)")},
         .examples = {{"index_add([[1, 1], [1, 1], [1, 1]], 0, [2, 0] (int64), [[1, 2], [3, 4]])",
                       "[[4, 5], [1, 1], [2, 3]] (int64 [3, 2])"},
                      {"index_add_([1, 1], 0, [1, 1], [5, 6], alpha=10)", "[1, 111] (int64 [2])"}}}),
    page<aten::index_copy, aten::index_copy_, aten::index_copy_out>(
        {.summary =
             "Copies slice i of source to the slice index[i] of self, for each i; of equal indices the last wins.",
         .shapes = source_shapes,
         .dtypes = "any; source has self's dtype, index is int64 or int32",
         .cost = "the index is read for its range first; then each element of source is read and written once; self is "
                 "copied once, except in place; a non-dense output is copied there and back",
         .errors = {bad_shape(index_range, "index_copy([1, 1], 0, [2], [5])"),
                    bad_shape(index_shape, "index_copy([1, 1], 0, [[1]], [5])"),
                    bad_shape(source_shape, "index_copy([1, 1], 0, [1], [5, 6])"),
                    bad_dtype("source has another dtype than self", "index_copy([1, 1], 0, [1], [5.5])"),
                    bad_dtype(not_an_index, "index_copy([1, 1], 0, [1.0], [5])")},
         .examples = {{"index_copy([[1, 1], [1, 1], [1, 1]], 0, [2, 0] (int64), [[1, 2], [3, 4]])",
                       "[[3, 4], [1, 1], [1, 2]] (int64 [3, 2])"},
                      {"index_copy_([1, 1], 0, [0, 0], [5, 6])", "[6, 1] (int64 [2])"}}}),
    page<aten::index_reduce, aten::index_reduce_, aten::index_reduce_out>(
        {.summary =
             "Reduces slice i of source into slice index[i] of self, for each i: their product ('prod'), average "
             "('mean'), maximum ('amax') or minimum ('amin'); without include_self, of the slices of source only.",
         .shapes = source_shapes,
         .dtypes = "any; source has self's dtype, index is int64 or int32; products of integers wrap, averages are "
                   "rounded down; float16 and bfloat16 are rounded once for each row, and once more for an average",
         .cost = "the index is read for its range first; then one operation for each element of source, and without "
                 "include_self a write before; an average takes as many additions to count, and one pass to divide; "
                 "self is copied once, except in place; rows of float16, bfloat16 and small integers, and rows with "
                 "strides, are converted and back",
         .errors = {bad_shape(index_range, "index_reduce([1, 1], 0, [2], [5], 'prod')"),
                    bad_shape(index_shape, "index_reduce([1, 1], 0, [[1]], [5], 'prod')"),
                    bad_shape(source_shape, "index_reduce([1, 1], 0, [1], [5, 6], 'prod')"),
                    bad_dtype(source_types, "index_reduce([1, 1], 0, [1], [5.5], 'prod')"),
                    bad_value("reduce is another word, also 'sum', which index_add is for",
                              "index_reduce([1, 1], 0, [1], [5], 'sum')")},
         .examples = {{"index_reduce([2, 2, 2], 0, [2, 0, 2] (int64), [5, 6, 7], 'prod')", "[12, 2, 70] (int64 [3])"},
                      {"index_reduce([1.0, 1.0], 0, [1, 1], [5.0, 6.0], 'mean')", "[1, 4] (float32 [2])"},
                      {"index_reduce_([1, 9], 0, [1, 1], [5, 6], 'amax', include_self=False)", "[1, 6] (int64 [2])"}}}),
    page<aten::index_fill_int_Scalar, aten::index_fill_int_Scalar_, aten::index_fill_int_Tensor,
         aten::index_fill_int_Tensor_>(
        {.summary = "Writes one value to all elements of the slices given by a list of indices.",
         .shapes = "self: [N, M], dim: 0, index: [k], value: [] -> [N, M]",
         .dtypes = "any; value is converted to self's, truncated for integers; index is int64 or int32",
         .cost = "the slices with the value are made first, then written as index_copy does; self is copied once, "
                 "except in place",
         .errors = {bad_shape(index_range, "index_fill.int_Scalar([1, 1], 0, [2], 7)"),
                    bad_shape(index_shape, "index_fill.int_Scalar([1, 1], 0, [[1]], 7)"),
                    no_such_dimension("index_fill.int_Scalar([1, 1], 1, [1], 7)"),
                    bad_shape("value has dimensions", "index_fill.int_Tensor([1, 1], 0, [1], [7])"),
                    bad_dtype(not_an_index, "index_fill_.int_Scalar([1, 1], 0, [1.0], 7)")},
         .examples = {{"index_fill.int_Scalar([[1, 1], [1, 1]], 1, [1] (int64), 7)", "[[1, 7], [1, 7]] (int64 [2, 2])"},
                      {"index_fill_.int_Tensor([1, 1, 1], 0, [0, 2], 7.5)", "[7, 1, 7] (int64 [3])"}}}),
    page<aten::take, aten::take_out>(
        {.summary = "Selects elements by their row-major index, where negative indices count from the end.",
         .shapes = "self: [..], index: [N, M] -> [N, M]",
         .dtypes = "any; index is int64",
         .cost = "the index is read twice, the first time for its range; one read and one write for each of its "
                 "elements; a non-dense self is copied first, all of it",
         .errors = {bad_shape("an index is not between -n and n - 1, for n elements", "take([[1, 2], [3, 4]], [4])"),
                    bad_dtype(not_int64, "take([1, 2], [0] (int32))")},
         .examples = {{"take([[1, 2], [3, 4]], [3, -1, 0] (int64))", "[4, 4, 1] (int64 [3])"}}}),

    // Rows of a matrix.
    page<aten::embedding>(
        {.summary =
             "Selects rows of a matrix by index; padding_idx, scale_grad_by_freq and sparse only say what the gradient "
             "is.",
         .shapes = "weight: [N, M], indices: [..] -> [.., M]",
         .dtypes = "any; indices are int64 or int32; with sparse the gradient of weight is sparse, with the rows that "
                   "were selected, which needs topbit.sparse",
         .cost = "each element of the result is read and written once, whole rows at a time; a weight that is not "
                 "dense is copied first, all of it",
         .errors = {bad_shape("an index is not between 0 and N - 1", "embedding([[1.5], [2.5]], [0, 2])"),
                    bad_shape("weight is not a matrix, or the result would have more than 8 dimensions",
                              "embedding([1.5, 2.5], [0])"),
                    bad_dtype(not_an_index, "embedding([[1.5], [2.5]], [0.0])"),
                    bad_value("both scale_grad_by_freq and sparse are True",
                              "embedding([[1.5], [2.5]], [0], scale_grad_by_freq=True, sparse=True)")},
         .examples = {{"embedding([[1.5, 2.5], [3.5, 4.5]], [1, 0, 1] (int64))",
                       "[[3.5, 4.5], [1.5, 2.5], [3.5, 4.5]] (float32 [3, 2])"}}}),
    page<aten::embedding_bag, aten::embedding_bag_padding_idx, aten::_embedding_bag>(
        {.summary = "Adds up the rows of a matrix that a bag of indices selects (mode 0), averages them (1) or takes "
                    "their maximum (2); bag b has the indices from offsets[b] to before offsets[b + 1].",
         .shapes = "weight: [N, M], indices: [K], offsets: [B], or with include_last_offset, where the last one ends "
                   "the last bag, [B + 1], per_sample_weights: [K] -> [B, M], and for the gradient an empty tensor, "
                   "the sizes of the bags [B], and the rows of the maxima [B, M] or an empty tensor; an empty bag "
                   "gives zeros, and padding_idx counts as in no bag",
         .dtypes = "floating; indices and offsets are int64 or int32, per_sample_weights have weight's; float16 and "
                   "bfloat16 are added in float32 and rounded once; with sparse the gradient of weight is sparse, "
                   "which needs topbit.sparse; a NaN is the maximum of its bag",
         .cost = "one read of each selected row and one write of the result; no row is copied, and none for the "
                 "gradient of weight, which sorts the indices; a weight that is not dense is copied first, all of it",
         .errors = {bad_shape("an index is not between 0 and N - 1", "embedding_bag([[1.5], [2.5]], [0, 2], [0])"),
                    bad_shape("weight is not a matrix, indices or offsets have another number of dimensions than one, "
                              "per_sample_weights have another size than indices, or offsets are empty with "
                              "include_last_offset",
                              "embedding_bag([[1.5], [2.5]], [[0, 1]], [0])"),
                    bad_shape("padding_idx is no row",
                              "embedding_bag.padding_idx([[1.5]], [0], [0], False, 0, False, None, False, 1)"),
                    bad_value("offsets do not begin with 0, decrease or are greater than K",
                              "embedding_bag([[1.5], [2.5]], [0, 1], [1])"),
                    bad_value("mode is not 0, 1 or 2; or sparse or scale_grad_by_freq are True with mode 2, or both",
                              "embedding_bag([[1.5]], [0], [0], mode=3)"),
                    bad_value("per_sample_weights are given with another mode than 0",
                              "embedding_bag([[1.5]], [0], [0], mode=1, per_sample_weights=[0.5])"),
                    bad_dtype(
                        "weight is not floating, per_sample_weights have another dtype, or indices or offsets are "
                        "neither int64 nor int32",
                        "embedding_bag([[1]], [0], [0])")},
         .examples = {{"embedding_bag([[1.5, 2.5], [3.5, 4.5]], [1, 0, 1] (int64), [0, 2] (int64))",
                       "[[5, 7], [3.5, 4.5]] (float32 [2, 2]); [] (int64 [0]); [2, 1] (int64 [2]); [] (int64 [0])"}}}),
    page<aten::embedding_dense_backward>(
        {.summary = "Computes the gradient of embedding with respect to its matrix: row i is the sum of the rows of "
                    "grad_output whose index is i, except padding_idx.",
         .shapes = "grad_output: [.., M], indices: [..], num_weights: N -> [N, M]",
         .dtypes = "any; floating with scale_grad_by_freq, which divides each row by how often its index is there; "
                   "indices are int64 or int32; float16 and bfloat16 are rounded after each addition",
         .cost = "one pass that fills the result with 0, one that adds grad_output up; padding_idx and "
                 "scale_grad_by_freq take one pass over grad_output each, into a new tensor",
         .errors = {bad_shape("an index is not between 0 and num_weights - 1",
                              "embedding_dense_backward([[1.5], [2.5]], [0, 2], 2, -1, False)"),
                    bad_shape("grad_output does not have the sizes of indices and one more dimension",
                              "embedding_dense_backward([[1.5], [2.5]], [0], 2, -1, False)"),
                    bad_shape("num_weights is negative",
                              "embedding_dense_backward([[1.5], [2.5]], [0, 0], -2, -1, False)"),
                    bad_dtype("grad_output is not floating, and scale_grad_by_freq is True",
                              "embedding_dense_backward([[1], [2]], [0, 0], 2, -1, True)"),
                    bad_dtype(not_an_index, "embedding_dense_backward([[1.5], [2.5]], [0.0, 1.0], 2, -1, False)")},
         .examples =
             {{"embedding_dense_backward([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 2, 0] (int64), 3, -1, False)",
               "[[6, 8], [0, 0], [3, 4]] (float32 [3, 2])"},
              {"embedding_dense_backward([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 2, 0], 3, 2, True)",
               "[[3, 4], [0, 0], [0, 0]] (float32 [3, 2])"}}}),
};

void publish_gather_docs() { author::publish_pages({"Gather and scatter", pages}).keep(); }

}  // namespace topbit::detail
