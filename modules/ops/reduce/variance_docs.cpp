module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view wide =
    "floating; the result has self's; sums are kept in float64; no more elements than the correction give NaN or inf";

constexpr family_lines variance_family = {.shapes = reduced_shapes,
                                          .dtypes = wide,
                                          .memory = reduced_memory,
                                          .cost =
                                              "two passes over self, for the mean and for the squares around it, so "
                                              "that a large mean does not reduce accuracy; nothing is copied"};
constexpr family_lines with_mean_family = {
    .shapes = reduced_shapes,
    .dtypes = wide,
    .cost = "three passes over self: two for the first result, one more for the mean; nothing is copied"};

constexpr operator_page pages[] = {
    page<variance_family, aten::var, aten::var_dim, aten::var_out, aten::var_correction, aten::var_correction_out>(
        {.summary = "Computes the variance: the sum of squared distances to the mean, divided by the count minus a "
                    "correction, which is 1 for unbiased=True and by default.",
         .errors = {not_floating("var([1, 2])"), bad_shape(bad_dims, "var.dim([1.5, 2.5], 1)")},
         .examples = {{"var([1.0, 3.0])", "2 (float32 [])"},
                      {"var.dim([[1.0, 3.0], [2.0, 2.0]], 1, False)", "[1, 0] (float32 [2])"},
                      {"var.correction([1.0, 2.0, 3.0, 6.0], None, correction=2)", "7 (float32 [])"}}}),
    page<variance_family, aten::std, aten::std_dim, aten::std_out, aten::std_correction, aten::std_correction_out>(
        {.summary = "Computes the standard deviation, the root of the variance.",
         .errors = {not_floating("std([1, 2])"), bad_shape(bad_dims, "std.dim([1.5, 2.5], 1)")},
         .examples = {{"std([1.0, 3.0])", "1.4142135 (float32 [])"},
                      {"std.dim([[1.0, 3.0], [2.0, 2.0]], 1, False)", "[1, 0] (float32 [2])"},
                      {"std.correction([1.0, 2.0, 3.0, 6.0], None, correction=2)", "2.6457512 (float32 [])"}}}),
    page<with_mean_family, aten::var_mean, aten::var_mean_dim, aten::var_mean_correction>(
        {.summary = "Returns the variance, as var does, and the mean.",
         .errors = {not_floating("var_mean([1, 2])"), bad_shape(bad_dims, "var_mean.dim([1.5, 2.5], 1)")},
         .examples = {{"var_mean([1.0, 3.0])", "2 (float32 []); 2 (float32 [])"},
                      {"var_mean.dim([[1.0, 3.0], [2.0, 2.0]], 1, False)",
                       "[1, 0] (float32 [2]); [2, 2] (float32 [2])"}}}),
    page<with_mean_family, aten::std_mean, aten::std_mean_dim, aten::std_mean_correction>(
        {.summary = "Returns the standard deviation, as std does, and the mean.",
         .errors = {not_floating("std_mean([1, 2])"), bad_shape(bad_dims, "std_mean.dim([1.5, 2.5], 1)")},
         .examples = {{"std_mean([1.0, 3.0])", "1.4142135 (float32 []); 2 (float32 [])"},
                      {"std_mean.dim([[1.0, 3.0], [2.0, 2.0]], 1, False)",
                       "[1, 0] (float32 [2]); [2, 2] (float32 [2])"}}}),
};

void publish_spread_docs() { author::publish_pages({"Variance and standard deviation", pages}).keep(); }

}  // namespace topbit::detail
