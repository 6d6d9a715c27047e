module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view one_or_all =
    "self: [..] -> self's sizes without dim, or with 1 there if keepdim; no dim means all";
constexpr std::string_view one_read = "one pass: self is read once, for any strides and dtype, and nothing is copied";
constexpr std::string_view nothing_to_order = "nothing is reduced, or dim is out of range";

constexpr family_lines over_dims_family = {.shapes = reduced_shapes, .memory = reduced_memory, .cost = one_read};
constexpr family_lines over_one_dim_or_all_family = {.shapes = one_or_all, .memory = reduced_memory, .cost = one_read};
constexpr family_lines minimum_or_maximum_family = {
    .shapes = "self: [..] -> []", .dtypes = "any; the result has self's", .memory = reduced_memory, .cost = one_read};
constexpr family_lines with_indices_family = {
    .shapes = "self: [..] -> self's sizes without dim, or with 1 there if keepdim",
    .dtypes = "any; values have self's, indices are int64",
    .cost = one_read};
constexpr family_lines norm_family = {
    .shapes = reduced_shapes,
    .dtypes =
        "floating; with dtype, which must hold self's, elements are converted to it first; sums are kept in float64",
    .memory = reduced_memory,
    .cost =
        "one pass: self is read once, and nothing is copied; orders other than 0, 1, 2 and the infinities take a power "
        "of each element"};

constexpr operator_page pages[] = {
    page<over_dims_family, aten::sum, aten::sum_dim_IntList, aten::sum_IntList_out>(
        {.summary = "Sums all elements, or those along dimensions; 0 for no elements.",
         .dtypes = "any; integers and bool sum into int64 and wrap, float16 and bfloat16 are added in float32; with "
                   "dtype, elements are converted to it first",
         .cost = "one pass: self is read once, for any strides and dtype, and nothing is copied; the error of floating "
                 "sums is a few units in the last place, however many are added",
         .errors = {bad_dtype("dtype is bool", "sum([1, 2], dtype=bool)"),
                    bad_shape(bad_dims, "sum.dim_IntList([[1, 2], [3, 4]], [0, 0])")},
         .examples = {{"sum([1, 2, 3])", "6 (int64 [])"},
                      {"sum.dim_IntList([[1, 2], [3, 4]], 0, True)", "[[4, 6]] (int64 [1, 2])"},
                      {"sum([True, True, False], dtype=float32)", "2 (float32 [])"}}}),
    page<over_dims_family, aten::nansum, aten::nansum_out>(
        {.summary = "Sums the elements that are not NaN.",
         .dtypes = "any; as sum has them",
         .errors = {bad_dtype("dtype is bool", "nansum([1, 2], dtype=bool)"),
                    bad_shape(bad_dims, "nansum([1.5, 2.5], 1)")},
         .examples = {{"nansum([1, 2])", "3 (int64 [])"},
                      {"nansum([[1.5, nan], [nan, nan]], 1)", "[1.5, 0] (float32 [2])"}}}),
    page<over_dims_family, aten::mean, aten::mean_dim, aten::mean_dtype_out, aten::mean_out>(
        {.summary = "Computes the mean; NaN for no elements.",
         .dtypes = "floating; any with a floating dtype argument, to which elements are converted first; float16 and "
                   "bfloat16 are added in float32",
         .cost = "a sum, and a pass over the result to divide it",
         .errors = {bad_dtype("self is not floating and no floating dtype is given", "mean([1, 2])"),
                    bad_shape(bad_dims, "mean.dim([1.5, 2.5], 1)")},
         .examples = {{"mean([1.0, 2.0])", "1.5 (float32 [])"},
                      {"mean([1, 2], dtype=float64)", "1.5 (float64 [])"},
                      {"mean.dim([[1.0, 2.0], [3.0, 5.0]], 1)", "[1.5, 4] (float32 [2])"}}}),
    page<over_one_dim_or_all_family, aten::prod, aten::prod_dim_int, aten::prod_int_out>(
        {.summary = "Multiplies all elements, or those along one dimension; 1 for no elements.",
         .dtypes = "any; integers and bool multiply into int64 and wrap, floating elements in float64; with dtype, "
                   "elements are converted to it first",
         .errors = {bad_dtype("dtype is bool", "prod([1, 2], dtype=bool)"),
                    bad_shape("dim is out of range", "prod.dim_int([1, 2], 1)")},
         .examples = {{"prod([2, 3])", "6 (int64 [])"}, {"prod.dim_int([[2, 3], [4, 5]], 1)", "[6, 20] (int64 [2])"}}}),
    page<minimum_or_maximum_family, aten::max, aten::max_unary_out>(
        {.summary = "Returns the maximum of all elements; NaN propagates.",
         .errors = {bad_shape("self has no elements", "max([] (float32))")},
         .examples = {{"max([2, 7, 1])", "7 (int64 [])"}, {"max([2.0, nan])", "nan (float32 [])"}}}),
    page<with_indices_family, aten::max_dim, aten::max_dim_max>(
        {.summary = "Returns the maximum along a dimension, and its first index.",
         .errors = {bad_shape("dim has no elements or is out of range", "max.dim([1, 2], 1)")},
         .examples = {{"max.dim([[1, 5], [7, 7]], 1)", "[5, 7] (int64 [2]); [1, 0] (int64 [2])"},
                      {"max.dim([[1, 5], [7, 7]], 0, True)", "[[7, 7]] (int64 [1, 2]); [[1, 1]] (int64 [1, 2])"}}}),
    page<elementwise::maximum, aten::max_other, aten::max_out>(
        {.summary = "Alias of maximum.",
         .examples = {{"max.other([1, 5], [3, 2])", "[3, 5] (int64 [2])"},
                      {"max.other([1.5, 3.5], 2)", "[2, 3.5] (float32 [2])"}}}),
    page<minimum_or_maximum_family, aten::min, aten::min_unary_out>(
        {.summary = "Returns the minimum of all elements; NaN propagates.",
         .errors = {bad_shape("self has no elements", "min([] (float32))")},
         .examples = {{"min([2, 7, 1])", "1 (int64 [])"}, {"min([2.0, nan])", "nan (float32 [])"}}}),
    page<with_indices_family, aten::min_dim, aten::min_dim_min>(
        {.summary = "Returns the minimum along a dimension, and its first index.",
         .errors = {bad_shape("dim has no elements or is out of range", "min.dim([1, 2], 1)")},
         .examples = {{"min.dim([[1, 5], [7, 7]], 1)", "[1, 7] (int64 [2]); [0, 0] (int64 [2])"},
                      {"min.dim([[1, 5], [7, 7]], 0, True)", "[[1, 5]] (int64 [1, 2]); [[0, 0]] (int64 [1, 2])"}}}),
    page<elementwise::minimum, aten::min_other, aten::min_out>(
        {.summary = "Alias of minimum.",
         .examples = {{"min.other([1, 5], [3, 2])", "[1, 2] (int64 [2])"},
                      {"min.other([1.5, 3.5], 2)", "[1.5, 2] (float32 [2])"}}}),
    page<over_dims_family, aten::amax, aten::amax_out>(
        {.summary = "Returns the maximum over dimensions; NaN propagates.",
         .dtypes = "any; the result has self's",
         .errors = {bad_shape(nothing_to_order, "amax([1, 2], [0, 0])")},
         .examples = {{"amax([[1, 5], [7, 2]], 0)", "[7, 5] (int64 [2])"},
                      {"amax([[1, 5], [7, 2]], [0, 1], True)", "[[7]] (int64 [1, 1])"}}}),
    page<over_dims_family, aten::amin, aten::amin_out>(
        {.summary = "Returns the minimum over dimensions; NaN propagates.",
         .dtypes = "any; the result has self's",
         .errors = {bad_shape(nothing_to_order, "amin([1, 2], [0, 0])")},
         .examples = {{"amin([[1, 5], [7, 2]], 0)", "[1, 2] (int64 [2])"},
                      {"amin([[1, 5], [7, 2]], [0, 1], True)", "[[1]] (int64 [1, 1])"}}}),
    page<aten::aminmax, aten::aminmax_out>(
        {.summary = "Returns minimum and maximum of all elements or along one dimension; NaN propagates.",
         .shapes = one_or_all,
         .dtypes = "any; both results have self's",
         .cost = "two passes, one for each result; nothing is copied",
         .errors = {bad_shape(nothing_to_order, "aminmax([] (float32))")},
         .examples = {{"aminmax([3, 1, 2])", "1 (int64 []); 3 (int64 [])"},
                      {"aminmax([[1, 5], [7, 2]], dim=0, keepdim=True)",
                       "[[1, 2]] (int64 [1, 2]); [[7, 5]] (int64 [1, 2])"}}}),
    page<over_one_dim_or_all_family, aten::argmax, aten::argmax_out>(
        {.summary = "Returns the index of the maximum, the first of equals; without dim the row-major index over all "
                    "elements.",
         .dtypes = "any; the result is int64",
         .errors = {bad_shape(nothing_to_order, "argmax([] (float32))")},
         .examples = {{"argmax([[1, 5], [7, 2]])", "2 (int64 [])"},
                      {"argmax([[1, 5], [7, 7]], 1)", "[1, 0] (int64 [2])"}}}),
    page<over_one_dim_or_all_family, aten::argmin, aten::argmin_out>(
        {.summary = "Returns the index of the minimum, the first of equals; without dim the row-major index over all "
                    "elements.",
         .dtypes = "any; the result is int64",
         .errors = {bad_shape(nothing_to_order, "argmin([] (float32))")},
         .examples = {{"argmin([[4, 5], [1, 2]])", "2 (int64 [])"},
                      {"argmin([[1, 5], [7, 7]], 1)", "[0, 0] (int64 [2])"}}}),
    page<over_one_dim_or_all_family, aten::any, aten::any_all_out, aten::any_dim, aten::any_out>(
        {.summary = "Tests whether any element is nonzero, NaN included; False for no elements.",
         .dtypes = "any; the result is bool, of uint8 it is uint8",
         .cost = "one pass over all elements: without early exit; nothing is copied",
         .errors = {bad_shape("dim is out of range", "any.dim([1, 0], 1)")},
         .examples = {{"any([0, 2])", "true (bool [])"},
                      {"any.dim([[0, 0], [0, 2]], 1)", "[false, true] (bool [2])"},
                      {"any([0, 2] (uint8))", "1 (uint8 [])"}}}),
    page<over_one_dim_or_all_family, aten::all, aten::all_all_out, aten::all_dim, aten::all_out>(
        {.summary = "Tests whether all elements are nonzero, NaN included; True for no elements.",
         .dtypes = "any; the result is bool, of uint8 it is uint8",
         .cost = "one pass over all elements: without early exit; nothing is copied",
         .errors = {bad_shape("dim is out of range", "all.dim([1, 0], 1)")},
         .examples = {{"all([0, 2])", "false (bool [])"},
                      {"all.dim([[0, 1], [2, 3]], 1)", "[false, true] (bool [2])"},
                      {"all([] (float32))", "true (bool [])"}}}),
    page<aten::count_nonzero, aten::count_nonzero_dim_IntList>(
        {.summary = "Counts the nonzero elements, NaN included.",
         .shapes = "self: [..] -> self's sizes without dim; no dim means all",
         .dtypes = "any; the result is int64",
         .cost = one_read,
         .errors = {bad_shape(bad_dims, "count_nonzero([1, 0], 1)")},
         .examples = {{"count_nonzero([[1, 0], [2, 3]])", "3 (int64 [])"},
                      {"count_nonzero.dim_IntList([[1, 0], [2, 3]], [1])", "[1, 2] (int64 [2])"}}}),
    page<norm_family, aten::norm_Scalar, aten::norm_ScalarOpt_dtype, aten::norm_ScalarOpt_dim,
         aten::norm_ScalarOpt_dim_dtype, aten::norm_out, aten::norm_dtype_out>(
        {.summary = "Computes the norm of order p, 2 for None: 0 counts nonzero elements, inf and -inf give the "
                    "maximum and minimum magnitude, any other p gives sum(abs(self)^p)^(1/p).",
         .errors = {bad_dtype("self or dtype is not floating, or dtype cannot hold self's", "norm.Scalar([3, 4])"),
                    bad_shape("dim is out of range or given twice, or nothing is reduced and p is inf or below 0",
                              "norm.Scalar([] (float32), inf)")},
         .examples = {{"norm.Scalar([3.0, -4.0])", "5 (float32 [])"},
                      {"norm.ScalarOpt_dim([[3.0, -4.0], [0.0, 2.0]], 1, 1)", "[7, 2] (float32 [2])"},
                      {"norm.Scalar([3.0, -4.0], inf)", "4 (float32 [])"}}}),
    page<norm_family, aten::linalg_vector_norm, aten::linalg_vector_norm_out>(
        {.summary = "Computes the norm of order ord of the elements, as norm does, for any number of dimensions.",
         .errors = {bad_dtype("self or dtype is not floating, or dtype cannot hold self's",
                              "linalg_vector_norm([3.0, 4.0], 2, dtype=float16)"),
                    bad_shape("dim is out of range or given twice, or nothing is reduced and ord is inf or below 0",
                              "linalg_vector_norm([3.0, 4.0], 2, 1)")},
         .examples = {{"linalg_vector_norm([3.0, -4.0])", "5 (float32 [])"},
                      {"linalg_vector_norm([[3.0, -4.0], [0.0, 2.0]], 0, 1)", "[2, 1] (float32 [2])"},
                      {"linalg_vector_norm([1.0, 2.0, 2.0], 3)", "2.5712817 (float32 [])"}}}),
    page<over_dims_family, aten::logsumexp, aten::logsumexp_out>(
        {.summary =
             "Computes the logarithm of the sum of exponentials, without intermediate overflow; -inf for no elements.",
         .dtypes = "any; integers and bool become float32",
         .cost = "two passes over self: for the maximum, then for the sum of exponentials of the differences from it",
         .errors = {bad_shape(bad_dims, "logsumexp([1.5, 2.5], 1)")},
         .examples = {{"logsumexp([0, 0], 0)", "0.6931472 (float32 [])"},
                      {"logsumexp([[1000.0, 1000.0], [0.0, -inf]], 1)", "[1000.6932, 0] (float32 [2])"}}}),
};

void publish_reduce_docs() { author::publish_pages({"Reductions", pages}).keep(); }

}  // namespace topbit::detail
