module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

using author::page;
using author::raises;

constexpr std::string_view new_or_written =
    "the result is new and dense; writes to self, or to out if it shares memory with self or has another dtype, are "
    "computed in a temporary and copied";
constexpr std::string_view one_pass =
    "one pass: each row along dim is read and written once; non-dense rows, or rows of another compute type, go "
    "through a buffer of one row";
constexpr std::string_view extremes_memory =
    "both results are new and dense, or the tensors given for them, which may not share memory with each other";
constexpr std::string_view bad_dim = "dim is out of range, or out has other sizes";

constexpr author::operator_page pages[] = {
    page<aten::cumsum, aten::cumsum_, aten::cumsum_out>({
        .summary = "Computes the cumulative sum along a dimension.",
        .shapes = "self: [..] -> the same",
        .dtypes =
            "any; integers and bool sum into int64 and wrap, unless dtype is given, to which elements are converted "
            "first; floating sums are kept in float64",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<dtype_error>("dtype is bool, or self or out cannot hold the result",
                                       "cumsum_([True, False], 0)"),
                   raises<shape_error>(bad_dim, "cumsum([1, 2], 1)")},
        .examples = {{"cumsum([1, 2, 3], 0)", "[1, 3, 6] (int64 [3])"},
                     {"cumsum([[1, 2], [3, 4]], 0, dtype=float32)", "[[1, 2], [4, 6]] (float32 [2, 2])"}},
    }),
    page<aten::cumprod, aten::cumprod_, aten::cumprod_out>({
        .summary = "Computes the cumulative product along a dimension.",
        .shapes = "self: [..] -> the same",
        .dtypes = "any; integers and bool multiply into int64 and wrap, unless dtype is given, to which elements are "
                  "converted first; floating products are kept in float64",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<dtype_error>("dtype is bool, or self or out cannot hold the result",
                                       "cumprod([1, 2], 0, dtype=bool)"),
                   raises<shape_error>(bad_dim, "cumprod([1, 2], 1)")},
        .examples = {{"cumprod([1, 2, 3], 0)", "[1, 2, 6] (int64 [3])"},
                     {"cumprod([[1.5, 2.0], [2.0, 4.0]], 1)", "[[1.5, 3], [2, 8]] (float32 [2, 2])"}},
    }),
    page<aten::cummax, aten::cummax_out>({
        .summary = "Returns the cumulative maximum along a dimension, and the index of the last of equals; from a NaN "
                   "on, the last NaN.",
        .shapes = "self: [..] -> the same, twice",
        .dtypes = "any; values have self's, indices are int64",
        .memory = extremes_memory,
        .cost = one_pass,
        .errors = {raises<shape_error>("dim is out of range, or a tensor to write has other sizes",
                                       "cummax([1, 2], 1)"),
                   raises<dtype_error>("a tensor to write cannot hold its result",
                                       "cummax.out([1.5], 0, values=[0] (int64), indices=[0] (int64))")},
        .examples = {{"cummax([1, 3, 2, 3], 0)", "[1, 3, 3, 3] (int64 [4]); [0, 1, 1, 3] (int64 [4])"},
                     {"cummax([[1.0, nan], [2.0, 5.0]], 1)",
                      "[[1, nan], [2, 5]] (float32 [2, 2]); [[0, 1], [0, 1]] (int64 [2, 2])"}},
    }),
    page<aten::cummin, aten::cummin_out>({
        .summary = "Returns the cumulative minimum along a dimension, and the index of the last of equals; from a NaN "
                   "on, the last NaN.",
        .shapes = "self: [..] -> the same, twice",
        .dtypes = "any; values have self's, indices are int64",
        .memory = extremes_memory,
        .cost = one_pass,
        .errors = {raises<shape_error>("dim is out of range, or a tensor to write has other sizes",
                                       "cummin([1, 2], 1)"),
                   raises<dtype_error>("a tensor to write cannot hold its result",
                                       "cummin.out([1.5], 0, values=[0] (int64), indices=[0] (int64))")},
        .examples = {{"cummin([3, 1, 2, 1], 0)", "[3, 1, 1, 1] (int64 [4]); [0, 1, 1, 3] (int64 [4])"},
                     {"cummin([[1.0, nan], [2.0, 5.0]], 1)",
                      "[[1, nan], [2, 2]] (float32 [2, 2]); [[0, 1], [0, 0]] (int64 [2, 2])"}},
    }),
    page<aten::logcumsumexp, aten::logcumsumexp_out>({
        .summary = "Computes the logarithm of the cumulative sum of exponentials along a dimension, without "
                   "intermediate overflow.",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating; computed in float64",
        .memory = "the result is new and dense, or out; if that shares memory with self, the result is computed in a "
                  "temporary and copied",
        .cost = "one pass along each row, with an exponential and a logarithm for each element",
        .errors = {raises<dtype_error>("self is not floating, or out cannot hold the result",
                                       "logcumsumexp([0, 0], 0)"),
                   raises<shape_error>(bad_dim, "logcumsumexp([1.5, 2.5], 1)")},
        .examples = {{"logcumsumexp([0.0, 0.0], 0)", "[0, 0.6931472] (float32 [2])"},
                     {"logcumsumexp([1000.0, 1000.0], 0)", "[1000, 1000.6932] (float32 [2])"}},
    }),
    page<aten::diff, aten::diff_out>({
        .summary = "Computes the n-th difference along a dimension; for bool whether elements differ; prepend and "
                   "append are concatenated first, unless n is 0.",
        .shapes =
            "self: [A, N], dim: 1, prepend: [A, P], append: [A, Q] -> [A, P + N + Q - n], or [A, 0] for a greater n; "
            "dim is the last one unless it is given",
        .dtypes = "any; all are promoted; integers wrap",
        .memory = "the result is new and dense; or out, which may overlap the arguments",
        .cost = "n passes, each into a new tensor; prepend and append are joined with self in a copy first; one copy "
                "more for out",
        .errors = {raises<shape_error>("self has no such dimension, or none at all, or prepend or append has other "
                                       "sizes but for dim",
                                       "diff([1, 4], prepend=[[0]])"),
                   raises<error>("n is negative", "diff([1, 4], -1)"),
                   raises<shape_error>("out has other sizes than the result, or elements that share memory",
                                       "diff.out([1, 4, 9], out=[0])"),
                   raises<dtype_error>("out cannot hold the result", "diff.out([1.5, 4.5], out=[0])"),
                   raises<device_error>("the tensors are on different devices")},
        .examples = {{"diff([1, 4, 9])", "[3, 5] (int64 [2])"},
                     {"diff([1, 4, 9], 2)", "[2] (int64 [1])"},
                     {"diff([[1, 4], [9, 16]], dim=0, prepend=[[0, 0]])", "[[1, 4], [8, 12]] (int64 [2, 2])"}},
    }),
};

}  // namespace

void publish_scan_docs() { author::publish_pages({"Cumulative operations", pages}).keep(); }

}  // namespace topbit::detail
