module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view one_pass =
    "one pass: each row along dim is read and written once; non-dense rows, or rows of another compute type, go "
    "through a buffer of one row";
constexpr std::string_view bad_dim = "dim is out of range";

constexpr family_lines scan_family = {.shapes = same_shape,
                                      .memory =
                                          "the result is new and dense; writes to self, or to out if it shares memory "
                                          "with self or has another dtype, are computed in a temporary and copied",
                                      .cost = one_pass};
constexpr family_lines with_indices_family = {.shapes = "self: [..] -> the same, twice",
                                              .dtypes = "any; values have self's, indices are int64",
                                              .cost = one_pass};

constexpr operator_page pages[] = {
    page<scan_family, aten::cumsum, aten::cumsum_, aten::cumsum_out>(
        {.summary = "Computes the cumulative sum along a dimension.",
         .dtypes = "any; integers and bool sum into int64 and wrap, unless dtype is given, to which elements are "
                   "converted first; floating sums are kept in float64",
         .errors = {bad_dtype("dtype is bool, or self in place cannot hold the result", "cumsum_([True, False], 0)"),
                    bad_shape(bad_dim, "cumsum([1, 2], 1)")},
         .examples = {{"cumsum([1, 2, 3], 0)", "[1, 3, 6] (int64 [3])"},
                      {"cumsum([[1, 2], [3, 4]], 0, dtype=float32)", "[[1, 2], [4, 6]] (float32 [2, 2])"}}}),
    page<scan_family, aten::cumprod, aten::cumprod_, aten::cumprod_out>(
        {.summary = "Computes the cumulative product along a dimension.",
         .dtypes = "any; integers and bool multiply into int64 and wrap, unless dtype is given, to which elements are "
                   "converted first; floating products are kept in float64",
         .errors = {bad_dtype("dtype is bool", "cumprod([1, 2], 0, dtype=bool)"),
                    bad_shape(bad_dim, "cumprod([1, 2], 1)")},
         .examples = {{"cumprod([1, 2, 3], 0)", "[1, 2, 6] (int64 [3])"},
                      {"cumprod([[1.5, 2.0], [2.0, 4.0]], 1)", "[[1.5, 3], [2, 8]] (float32 [2, 2])"}}}),
    page<with_indices_family, aten::cummax, aten::cummax_out>(
        {.summary = "Returns the cumulative maximum along a dimension, and the index of the last of equals; from a NaN "
                    "on, the last NaN.",
         .errors = {bad_shape(bad_dim, "cummax([1, 2], 1)")},
         .examples = {{"cummax([1, 3, 2, 3], 0)", "[1, 3, 3, 3] (int64 [4]); [0, 1, 1, 3] (int64 [4])"},
                      {"cummax([[1.0, nan], [2.0, 5.0]], 1)",
                       "[[1, nan], [2, 5]] (float32 [2, 2]); [[0, 1], [0, 1]] (int64 [2, 2])"}}}),
    page<with_indices_family, aten::cummin, aten::cummin_out>(
        {.summary = "Returns the cumulative minimum along a dimension, and the index of the last of equals; from a NaN "
                    "on, the last NaN.",
         .errors = {bad_shape(bad_dim, "cummin([1, 2], 1)")},
         .examples = {{"cummin([3, 1, 2, 1], 0)", "[3, 1, 1, 1] (int64 [4]); [0, 1, 1, 3] (int64 [4])"},
                      {"cummin([[1.0, nan], [2.0, 5.0]], 1)",
                       "[[1, nan], [2, 2]] (float32 [2, 2]); [[0, 1], [0, 0]] (int64 [2, 2])"}}}),
    page<aten::logcumsumexp, aten::logcumsumexp_out>(
        {.summary = "Computes the logarithm of the cumulative sum of exponentials along a dimension, without "
                    "intermediate overflow.",
         .shapes = same_shape,
         .dtypes = "floating; computed in float64",
         .cost = "one pass along each row, with an exponential and a logarithm for each element",
         .errors = {not_floating("logcumsumexp([0, 0], 0)"), bad_shape(bad_dim, "logcumsumexp([1.5, 2.5], 1)")},
         .examples = {{"logcumsumexp([0.0, 0.0], 0)", "[0, 0.6931472] (float32 [2])"},
                      {"logcumsumexp([1000.0, 1000.0], 0)", "[1000, 1000.6932] (float32 [2])"}}}),
    page<aten::diff, aten::diff_out>(
        {.summary = "Computes the n-th difference along a dimension; for bool whether elements differ; prepend and "
                    "append are concatenated first, unless n is 0.",
         .shapes = "self: [A, N], dim: 1, prepend: [A, P], append: [A, Q] -> [A, P + N + Q - n], or [A, 0] for a "
                   "greater n; dim is the last one unless it is given",
         .dtypes = "any; all are promoted; integers wrap",
         .cost = "n passes, each into a new tensor; prepend and append are joined with self in a copy first; one copy "
                 "more for out",
         .errors = {bad_shape(
                        "self has no such dimension, or none at all, or prepend or append has other sizes but for dim",
                        "diff([1, 4], prepend=[[0]])"),
                    bad_value("n is negative", "diff([1, 4], -1)")},
         .examples = {{"diff([1, 4, 9])", "[3, 5] (int64 [2])"},
                      {"diff([1, 4, 9], 2)", "[2] (int64 [1])"},
                      {"diff([[1, 4], [9, 16]], dim=0, prepend=[[0, 0]])", "[[1, 4], [8, 12]] (int64 [2, 2])"}}}),
};

void publish_scan_docs() { author::publish_pages({"Cumulative operations", pages}).keep(); }

}  // namespace topbit::detail
