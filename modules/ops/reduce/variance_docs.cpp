module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

using author::page;
using author::raises;

constexpr std::string_view over_dims =
    "self: [..] -> self's sizes without those of dim, or with 1 there if keepdim; no dim, or an empty one, means all";
constexpr std::string_view wide =
    "floating; the result has self's; sums are kept in float64; no more elements than the correction give NaN or inf";
constexpr std::string_view new_or_out =
    "the result is new and dense, or out, which may have any dtype that the result can be cast to; if out shares "
    "memory with self, the result is computed in a temporary and copied";
constexpr std::string_view two_reads =
    "two passes over self, for the mean and for the squares around it, so that a large mean does not reduce accuracy; "
    "nothing is copied";
constexpr std::string_view three_reads =
    "three passes over self: two for the first result, one more for the mean; nothing is copied";
constexpr std::string_view bad_dim = "dim is out of range or given twice, or out has other sizes";

constexpr author::operator_page pages[] = {
    page<aten::var, aten::var_dim, aten::var_out, aten::var_correction, aten::var_correction_out>({
        .summary = "Computes the variance: the sum of squared distances to the mean, divided by the count minus a "
                   "correction, which is 1 for unbiased=True and by default.",
        .shapes = over_dims,
        .dtypes = wide,
        .memory = new_or_out,
        .cost = two_reads,
        .errors = {raises<dtype_error>("self is not floating, or out cannot hold the result", "var([1, 2])"),
                   raises<shape_error>(bad_dim, "var.dim([1.5, 2.5], 1)")},
        .examples = {{"var([1.0, 3.0])", "2 (float32 [])"},
                     {"var.dim([[1.0, 3.0], [2.0, 2.0]], 1, False)", "[1, 0] (float32 [2])"},
                     {"var.correction([1.0, 2.0, 3.0, 6.0], None, correction=2)", "7 (float32 [])"}},
    }),
    page<aten::std, aten::std_dim, aten::std_out, aten::std_correction, aten::std_correction_out>({
        .summary = "Computes the standard deviation, the root of the variance.",
        .shapes = over_dims,
        .dtypes = wide,
        .memory = new_or_out,
        .cost = two_reads,
        .errors = {raises<dtype_error>("self is not floating, or out cannot hold the result", "std([1, 2])"),
                   raises<shape_error>(bad_dim, "std.dim([1.5, 2.5], 1)")},
        .examples = {{"std([1.0, 3.0])", "1.4142135 (float32 [])"},
                     {"std.dim([[1.0, 3.0], [2.0, 2.0]], 1, False)", "[1, 0] (float32 [2])"},
                     {"std.correction([1.0, 2.0, 3.0, 6.0], None, correction=2)", "2.6457512 (float32 [])"}},
    }),
    page<aten::var_mean, aten::var_mean_dim, aten::var_mean_correction>({
        .summary = "Returns the variance, as var does, and the mean.",
        .shapes = over_dims,
        .dtypes = wide,
        .memory = "both results are new and dense",
        .cost = three_reads,
        .errors = {raises<dtype_error>("self is not floating", "var_mean([1, 2])"),
                   raises<shape_error>("dim is out of range or given twice", "var_mean.dim([1.5, 2.5], 1)")},
        .examples = {{"var_mean([1.0, 3.0])", "2 (float32 []); 2 (float32 [])"},
                     {"var_mean.dim([[1.0, 3.0], [2.0, 2.0]], 1, False)",
                      "[1, 0] (float32 [2]); [2, 2] (float32 [2])"}},
    }),
    page<aten::std_mean, aten::std_mean_dim, aten::std_mean_correction>({
        .summary = "Returns the standard deviation, as std does, and the mean.",
        .shapes = over_dims,
        .dtypes = wide,
        .memory = "both results are new and dense",
        .cost = three_reads,
        .errors = {raises<dtype_error>("self is not floating", "std_mean([1, 2])"),
                   raises<shape_error>("dim is out of range or given twice", "std_mean.dim([1.5, 2.5], 1)")},
        .examples = {{"std_mean([1.0, 3.0])", "1.4142135 (float32 []); 2 (float32 [])"},
                     {"std_mean.dim([[1.0, 3.0], [2.0, 2.0]], 1, False)",
                      "[1, 0] (float32 [2]); [2, 2] (float32 [2])"}},
    }),
};

}  // namespace

void publish_spread_docs() { author::publish_pages({"Variance and standard deviation", pages}).keep(); }

}  // namespace topbit::detail
