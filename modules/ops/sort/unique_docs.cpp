module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view no_elements = "slices have no elements to compare";

constexpr family_lines slices_family = {
    .shapes = "self: [A, N], dim: 1 -> [A, n]; inverse [N], or [0]; counts [n], or [0]",
    .dtypes = "any; inverse and counts are int64; a slice with a NaN differs from every other"};

constexpr operator_page pages[] = {
    page<aten::isin_Tensor_Tensor, aten::isin_Tensor_Tensor_out>(
        {.summary = "Tests which elements are in test_elements, or not in it with invert; NaN is in none.",
         .shapes = "elements: [..], test_elements: [..] -> elements'",
         .dtypes = "any; both are promoted; the result is bool, in out 1 and 0 of that dtype",
         .cost = "one sort of test_elements, a search among them for each element, log n comparisons for n, and four "
                 "passes over elements; assume_unique saves nothing",
         .examples = {{"isin.Tensor_Tensor([1, 2, 3], [3, 1])", "[true, false, true] (bool [3])"},
                      {"isin.Tensor_Tensor([1.0, nan], [1.0, nan], invert=True)", "[false, true] (bool [2])"}}}),
    page<aten::isin_Tensor_Scalar, aten::isin_Tensor_Scalar_out>(
        {.summary = "Tests which elements equal test_element, or do not with invert; NaN equals nothing: eq and ne.",
         .shapes = "elements: [..] -> the same",
         .dtypes = "any; both are promoted; the result is bool, in out 1 and 0 of that dtype",
         .memory = "the result is new and dense, in the memory order of elements; or out, which may overlap them",
         .cost = "one pass; elements are converted on the way, and the number is first made a tensor; one copy more "
                 "for out",
         .examples = {{"isin.Tensor_Scalar([1, 2], 2)", "[false, true] (bool [2])"},
                      {"isin.Tensor_Scalar([1, 2], 2, invert=True)", "[true, false] (bool [2])"}}}),
    page<aten::isin_Scalar_Tensor, aten::isin_Scalar_Tensor_out>(
        {.summary = "Tests whether a number is in test_elements, or not in it with invert; NaN is not.",
         .shapes = "test_elements: [..] -> []",
         .dtypes = "any; both are promoted; the result is bool, in out 1 or 0 of that dtype",
         .memory = "the result is new; or out, which may overlap test_elements",
         .cost = "one pass into a new tensor of test_elements' sizes, and one over that",
         .examples = {{"isin.Scalar_Tensor(1, [3, 1])", "true (bool [])"},
                      {"isin.Scalar_Tensor(1, [3, 1], invert=True)", "false (bool [])"}}}),
    page<slices_family, aten::unique_dim>(
        {.summary = "Returns the unique slices of a dimension in lexicographic order; the inverse indices and counts, "
                    "if requested.",
         .memory = "the results are new and dense; the first is sorted, independent of sorted",
         .cost = "a copy of self in rows, and one stable sort of N for each element of a slice; then some passes over "
                 "the rows, one of which compares neighbours",
         .errors = {no_such_dimension("unique_dim([2, 1], 1)"),
                    bad_shape(no_elements, "unique_dim([] (float32 [2, 0]), 0)")},
         .examples = {{"unique_dim([[2, 1], [1, 2], [2, 1]], 0)",
                       "[[1, 2], [2, 1]] (int64 [2, 2]); [] (int64 [0]); [] (int64 [0])"},
                      {"unique_dim([[2, 1], [1, 2], [2, 1]], 0, True, True, True)",
                       "[[1, 2], [2, 1]] (int64 [2, 2]); [1, 0, 1] (int64 [3]); [1, 2] (int64 [2])"}}}),
    page<slices_family, aten::unique_dim_consecutive>(
        {.summary = "Returns one slice of each run of equal consecutive slices of a dimension; the inverse indices and "
                    "run lengths, if requested.",
         .cost = "linear, without a sort: some passes, one of which compares neighbours; self is copied into rows "
                 "where these are not dense",
         .errors = {no_such_dimension("unique_dim_consecutive([2, 1], 1)"),
                    bad_shape(no_elements, "unique_dim_consecutive([] (float32 [2, 0]), 0)")},
         .examples = {{"unique_dim_consecutive([[2, 1], [2, 1], [1, 2], [2, 1]], 0, True, True)",
                       "[[2, 1], [1, 2], [2, 1]] (int64 [3, 2]); [0, 0, 1, 2] (int64 [4]); [2, 1, 1] (int64 [3])"}}}),
    page<aten::unique_consecutive>(
        {.summary = "Returns one element of each run of equal consecutive elements, in row-major order; with dim, one "
                    "slice, as unique_dim_consecutive does.",
         .shapes = "self: [..] -> [n]; inverse as self, or [0]; counts [n], or [0]",
         .dtypes = "any; inverse and counts are int64; each NaN is different",
         .cost =
             "linear, without a sort: some passes, one of which compares neighbours; a non-dense self is copied first",
         .errors = {no_such_dimension("unique_consecutive([1, 1], dim=1)"),
                    bad_shape("with dim, slices have no elements to compare",
                              "unique_consecutive([] (float32 [2, 0]), dim=0)")},
         .examples = {{"unique_consecutive([1, 1, 2, 1])", "[1, 2, 1] (int64 [3]); [] (int64 [0]); [] (int64 [0])"},
                      {"unique_consecutive([1, 1, 2, 1], True, True)",
                       "[1, 2, 1] (int64 [3]); [0, 0, 1, 2] (int64 [4]); [2, 1, 1] (int64 [3])"},
                      {"unique_consecutive([[1, 1], [1, 1]], False, True, 0)",
                       "[[1, 1]] (int64 [1, 2]); [] (int64 [0]); [2] (int64 [1])"}}}),
};

void publish_unique_docs() { author::publish_pages({"Unique elements", pages}).keep(); }

}  // namespace topbit::detail
