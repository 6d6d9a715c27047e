module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view number_dtypes =
    "any; a non-integer number is compared with integers in float64, an integer with any of them in int64; the result "
    "is int64, or int32 with out_int32";
constexpr std::string_view sorted_rows =
    "linear: some passes over each row, one for about 11 bits in which its elements differ; up to 64 elements by "
    "comparing all; about 17 bytes for each element of one row";
constexpr std::string_view chosen_by_rank =
    "linear for any row: elements are counted by their highest bits, and those with the wanted ones are kept; 8 bytes "
    "for each element of one row, 16 for types of 8 bytes";
constexpr std::string_view empty_row = "the dimension has no elements";

constexpr family_lines by_rank_family = {
    .shapes = "self: [A, N], dim: 1 -> values and indices, both [A], or [A, 1] with keepdim", .cost = chosen_by_rank};
constexpr family_lines median_of_all_family = {
    .shapes = "self: [..] -> []",
    .cost =
        "linear, by selection; 8 bytes for each element, 16 for types of 8 bytes; a non-dense self is copied "
        "first"};

constexpr operator_page pages[] = {
    // All in order.
    page<aten::sort, aten::sort_values, aten::sort_stable, aten::sort_values_stable>(
        {.summary = "Sorts each row of a dimension, and returns the indices; always stable.",
         .shapes = "self: [..] -> values and indices, both the same; dim is the last one unless it is given",
         .dtypes = "any; indices are int64; a NaN is above every number",
         .cost = sorted_rows,
         .errors = {no_such_dimension("sort([3, 1], 1)")},
         .examples = {{"sort([3, 1, 2])", "[1, 2, 3] (int64 [3]); [1, 2, 0] (int64 [3])"},
                      {"sort([3.0, nan, 5.0], descending=True)", "[nan, 5, 3] (float32 [3]); [1, 2, 0] (int64 [3])"},
                      {"sort.stable([[3, 1], [1, 3]], stable=True, dim=0)",
                       "[[1, 1], [3, 3]] (int64 [2, 2]); [[1, 0], [0, 1]] (int64 [2, 2])"}}}),
    page<aten::argsort, aten::argsort_stable>(
        {.summary = "Returns the indices of sort along a dimension; stable.",
         .shapes = "self: [..] -> the same; dim is the last one unless it is given",
         .dtypes = "any; the result is int64; a NaN is above every number",
         .cost = "as sort, which it calls, and which makes the values, too",
         .errors = {no_such_dimension("argsort([3, 1], 1)")},
         .examples = {{"argsort([3, 1, 2])", "[1, 2, 0] (int64 [3])"},
                      {"argsort.stable([1, 2, 1], stable=True, descending=True)", "[1, 0, 2] (int64 [3])"}}}),

    // Some by rank.
    page<aten::topk, aten::topk_values>(
        {.summary = "Returns the k largest or smallest elements of each row in order, and their indices.",
         .shapes = "self: [A, N], k: K -> values and indices, both [A, K]; dim is the last one unless it is given",
         .dtypes = "any; indices are int64; a NaN is above every number; of equal ones the first counts",
         .cost =
             "linear, and a sort of k elements, also for sorted=False; for few k, one comparison for most elements; "
             "16 bytes for each element of one row, 32 for types of 8 bytes",
         .errors = {bad_shape("k is negative, or more than the dimension has", "topk([3, 1, 2], 4)"),
                    no_such_dimension("topk([3, 1], 1, 1)")},
         .examples = {{"topk([3, 1, 2], 2)", "[3, 2] (int64 [2]); [0, 2] (int64 [2])"},
                      {"topk([3, 1, 2], 2, largest=False)", "[1, 2] (int64 [2]); [1, 2] (int64 [2])"}}}),
    page<aten::kthvalue, aten::kthvalue_values>(
        {.summary = "Returns the k-th smallest element of each row, from 1, and its index.",
         .shapes = "self: [A, N] -> values and indices, both [A], or [A, 1] with keepdim",
         .dtypes = "any; indices are int64; a NaN is above every number; of equal ones the first counts first",
         .cost = chosen_by_rank,
         .errors = {bad_shape("k is less than 1, or more than the dimension has", "kthvalue([3, 1, 2], 0)"),
                    no_such_dimension("kthvalue([3, 1], 1, 1)"), bad_shape(empty_row, "kthvalue([] (int64 [0]), 1)")},
         .examples = {{"kthvalue([3, 1, 2], 2)", "2 (int64 []); 2 (int64 [])"},
                      {"kthvalue([[3, 1], [2, 4]], 1, 0, True)", "[[2, 1]] (int64 [1, 2]); [[1, 0]] (int64 [1, 2])"}}}),
    page<median_of_all_family, aten::median>(
        {.summary = "Returns the median of all elements, the lower one for an even number.",
         .dtypes = "any; a NaN among the elements is the result, and so is one where a floating self has no elements",
         .errors = {bad_shape("self has no elements and is not floating, so that NaN cannot be returned",
                              "median([] (int64 [0]))")},
         .examples = {{"median([4, 1, 3, 2])", "2 (int64 [])"}, {"median([1.0, nan])", "nan (float32 [])"}}}),
    page<by_rank_family, aten::median_dim, aten::median_dim_values>(
        {.summary = "Returns the median of each row, the lower one for an even number, and its index.",
         .dtypes = "any; indices are int64; a row with a NaN gives its first NaN; of equal ones the first counts first",
         .errors = {no_such_dimension("median.dim([3, 1], 1)"), bad_shape(empty_row, "median.dim([] (int64 [0]), 0)")},
         .examples = {{"median.dim([[1, 3, 2], [6, 5, 4]], 1)", "[2, 5] (int64 [2]); [2, 1] (int64 [2])"},
                      {"median.dim([[1, 3, 2], [6, 5, 4]], 0, True)",
                       "[[1, 3, 2]] (int64 [1, 3]); [[0, 0, 0]] (int64 [1, 3])"}}}),
    page<median_of_all_family, aten::nanmedian>(
        {.summary = "Returns the median of all elements ignoring NaN, the lower one for an even number.",
         .dtypes = "any; NaN if there is nothing else, or no element of a floating self",
         .errors = {bad_shape("self has no elements and is not floating, so that NaN cannot be returned",
                              "nanmedian([] (int64 [0]))")},
         .examples = {{"nanmedian([4, 1, 3, 2])", "2 (int64 [])"}, {"nanmedian([1.0, nan, 3.0])", "1 (float32 [])"}}}),
    page<by_rank_family, aten::nanmedian_dim, aten::nanmedian_dim_values>(
        {.summary = "Returns the median of each row ignoring NaN, the lower one for an even number, and its index.",
         .dtypes =
             "any; indices are int64; a row of nothing but NaN gives its first; of equal ones the first counts first",
         .errors = {no_such_dimension("nanmedian.dim([3, 1], 1)"),
                    bad_shape(empty_row, "nanmedian.dim([] (int64 [0]), 0)")},
         .examples = {{"nanmedian.dim([[1, 3, 2], [6, 5, 4]], 1)", "[2, 5] (int64 [2]); [2, 1] (int64 [2])"},
                      {"nanmedian.dim([[nan, 5.0, 3.0], [nan, nan, nan]], 1)",
                       "[3, nan] (float32 [2]); [2, 0] (int64 [2])"}}}),
    page<aten::mode, aten::mode_values>(
        {.summary = "Returns the most frequent element of each row, the smallest of several, and its last index.",
         .shapes = "self: [A, N] -> values and indices, both [A], or [A, 1] with keepdim; dim is the last one unless "
                   "it is given",
         .dtypes = "any; indices are int64; a NaN equals nothing, so each of them counts once",
         .cost = "as sort; 33 bytes for each element of one row of 8 bytes each",
         .errors = {no_such_dimension("mode([3, 1], 1)"), bad_shape(empty_row, "mode([] (int64 [0]))")},
         .examples = {{"mode([3, 1, 3, 1, 2])", "1 (int64 []); 3 (int64 [])"},
                      {"mode([[1, 2, 2], [4, 4, 5]])", "[2, 4] (int64 [2]); [2, 1] (int64 [2])"}}}),

    // Places in what is sorted, and what is there more than once.
    page<aten::searchsorted_Tensor, aten::searchsorted_Tensor_out>(
        {.summary = "Finds the insertion indices of values in sorted rows: before equal elements, or after them with "
                    "right=True or side='right'.",
         .shapes = "sorted_sequence: [N], self: [..] -> self's; sorted_sequence: [A, N], self: [A, M] -> [A, M]; "
                   "sorter: sorted_sequence's, the order of rows that are not sorted",
         .dtypes = "any; sorted_sequence has self's dtype; the result is int64, or int32 with out_int32; a NaN belongs "
                   "at the end, and a row that has one is not searched in order",
         .cost = "log n comparisons for each value, in a row of n; that the row is sorted is not looked at; rows of "
                 "other types than bool, int64, float32 and float64, or with strides, are converted",
         .errors = {bad_shape("sorted_sequence is neither one row, nor of self's sizes but for the last",
                              "searchsorted.Tensor([[1, 3], [2, 4]], [3])"),
                    bad_dtype("the dtypes differ, or sorter is not int64", "searchsorted.Tensor([1, 3], [3.5])"),
                    bad_shape("sorter has another shape than sorted_sequence, or an index out of range",
                              "searchsorted.Tensor([3, 1], [2], sorter=[1, 2])"),
                    bad_value("side is neither 'left' nor 'right'", "searchsorted.Tensor([1, 3], [2], side='up')"),
                    bad_value("side is 'left' and right is True",
                              "searchsorted.Tensor([1, 3], [2], side='left', right=True)")},
         .examples = {{"searchsorted.Tensor([1, 3, 5], [3, 4, 0])", "[1, 2, 0] (int64 [3])"},
                      {"searchsorted.Tensor([1, 3, 5], [3, 4, 0], right=True, out_int32=True)",
                       "[2, 2, 0] (int32 [3])"},
                      {"searchsorted.Tensor([5, 1, 3], [3], sorter=[1, 2, 0])", "[1] (int64 [1])"}}}),
    page<aten::searchsorted_Scalar>(
        {.summary = "Finds the insertion index of one number in a sorted row: before equal elements, or after them "
                    "with right=True or side='right'.",
         .shapes = "sorted_sequence: [N] -> []; sorter: [N], the order of a row that is not sorted",
         .dtypes = number_dtypes,
         .cost = "log n comparisons in a row of n; one that is converted for them is copied",
         .errors =
             {bad_shape("sorted_sequence has other than one dimension", "searchsorted.Scalar([[1, 3], [2, 4]], 3)"),
              bad_shape("sorter has another size than sorted_sequence, or an index out of range",
                        "searchsorted.Scalar([3, 1], 2, sorter=[1, 2])"),
              bad_dtype("sorter is not int64", "searchsorted.Scalar([3, 1], 2, sorter=[1.0, 0.0])"),
              bad_value("side is neither 'left' nor 'right'", "searchsorted.Scalar([1, 3], 2, side='up')"),
              bad_value("side is 'left' and right is True", "searchsorted.Scalar([1, 3], 2, side='left', right=True)")},
         .examples = {{"searchsorted.Scalar([0, 1, 1], 1)", "1 (int64 [])"},
                      {"searchsorted.Scalar([0, 1, 1], 1, side='right')", "3 (int64 [])"},
                      {"searchsorted.Scalar([1, 4, 5], 4.5)", "2 (int64 [])"}}}),
    page<aten::bucketize_Tensor, aten::bucketize_Tensor_out>(
        {.summary = "Finds the insertion indices of values in sorted boundaries: before equal ones, or after them with "
                    "right=True; searchsorted with one row and swapped arguments.",
         .shapes = "self: [..], boundaries: [N] -> self's",
         .dtypes = "any; boundaries have self's dtype; the result is int64, or int32 with out_int32; a NaN belongs at "
                   "the end",
         .cost = "log n comparisons for each value, for n boundaries; their order is not checked; what has other types "
                 "than bool, int64, float32 and float64, or boundaries with strides, is converted",
         .errors = {bad_shape("boundaries are not one row", "bucketize.Tensor([3], [[1, 3]])"),
                    dtypes_differ("bucketize.Tensor([3.5], [1, 3])")},
         .examples = {{"bucketize.Tensor([3, 6], [1, 3, 5])", "[1, 3] (int64 [2])"},
                      {"bucketize.Tensor([3, 6], [1, 3, 5], right=True, out_int32=True)", "[2, 3] (int32 [2])"}}}),
    page<aten::bucketize_Scalar>({.summary = "Finds the insertion index of one number in sorted boundaries: before "
                                             "equal ones, or after them with right=True.",
                                  .shapes = "boundaries: [N] -> []",
                                  .dtypes = number_dtypes,
                                  .cost = "log n comparisons for n boundaries; what is converted for them is copied",
                                  .errors = {bad_shape("boundaries are not one row", "bucketize.Scalar(3, [[1, 3]])")},
                                  .examples = {{"bucketize.Scalar(3, [1, 3, 5])", "1 (int64 [])"},
                                               {"bucketize.Scalar(4.5, [1, 4, 5])", "2 (int64 [])"}}}),
    page<aten::_unique2, aten::_unique>(
        {.summary =
             "Returns the sorted unique elements; the inverse indices and counts, if requested; _unique never counts.",
         .shapes = "self: [..] -> [n]; inverse as self, or [0]; counts [n], or [0], but for _unique",
         .dtypes = "any; inverse and counts are int64; each NaN is different",
         .memory = "the results are new and dense; the first is sorted, independent of sorted",
         .cost = "one sort of all elements, and some passes over them: one to compare neighbours, two to find where "
                 "the different ones start, and three for the inverse; 17 bytes for each element while sorting",
         .examples = {{"_unique2([3, 1, 3])", "[1, 3] (int64 [2]); [] (int64 [0]); [] (int64 [0])"},
                      {"_unique2([3, 1, 3], True, True, True)",
                       "[1, 3] (int64 [2]); [1, 0, 1] (int64 [3]); [1, 2] (int64 [2])"},
                      {"_unique([3, 1, 3], True, True)", "[1, 3] (int64 [2]); [1, 0, 1] (int64 [3])"}}}),
};

void publish_sort_docs() { author::publish_pages({"Sorting and order statistics", pages}).keep(); }

}  // namespace topbit::detail
