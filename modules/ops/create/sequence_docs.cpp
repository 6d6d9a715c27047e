module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view bad_steps =
    "step is 0 or leads away from end, an argument is not finite, or the number of elements overflows 64 bits";
constexpr std::string_view new_or_out = "the result is new and dense; or out, with its own stride, never resized";

constexpr family_lines steps_family = {
    .shapes = "start: a number, end: a number, steps: n -> [n]",
    .dtypes = "numbers; float32 by default; computed in float64, and integers are truncated",
    .memory = new_or_out};
constexpr family_lines counted_family = {
    .memory = new_or_out,
    .cost = "one pass of stores, each element computed as start + i * step, so that errors do not accumulate"};
constexpr family_lines indices_family = {.shapes = "row: rows, col: columns -> [2, elements]",
                                         .dtypes = "numbers; int64 by default",
                                         .memory = "the result is new, dense and row-major",
                                         .cost = "one pass of stores, with two calls of operators for each row"};

consteval page_error no_bool(std::string_view example) { return bad_dtype("dtype, or out's, is bool", example); }

constexpr operator_page pages[] = {
    page<counted_family, aten::arange, aten::arange_start, aten::arange_start_step, aten::arange_out,
         aten::arange_start_out>(
        {.summary = "Counts from start, or 0, in steps of step, or 1, up to but without end.",
         .shapes = "start: a number, end: a number, step: a number -> [ceil((end - start) / step)]",
         .dtypes = "numbers; where dtype is not given int64 if all arguments are integers, else float32; floating "
                   "elements are computed in float64, integers from the whole parts of start and step, and wrap",
         .errors = {no_bool("arange(3, dtype=bool)"), bad_value(bad_steps, "arange.start_step(1, 4, -1)")},
         .examples = {{"arange(3)", "[0, 1, 2] (int64 [3])"},
                      {"arange.start(1, 3.5)", "[1, 2, 3] (float32 [3])"},
                      {"arange.start_step(10, 0, -4)", "[10, 6, 2] (int64 [3])"}}}),
    page<counted_family, aten::range, aten::range_step, aten::range_out_, aten::range_out>(
        {.summary = "Counts from start in steps of step, or 1, up to and including end if reached.",
         .shapes = "start: a number, end: a number, step: a number -> [floor((end - start) / step) + 1]",
         .dtypes = "numbers; float32 by default; floating elements are computed in float64, integers from the whole "
                   "parts of start and step, and wrap",
         .errors = {no_bool("range(1, 4, dtype=bool)"), bad_value(bad_steps, "range(0, -1)")},
         .examples = {{"range(1, 4)", "[1, 2, 3, 4] (float32 [4])"},
                      {"range.step(10, 0, -4)", "[10, 6, 2] (float32 [3])"}}}),
    page<steps_family, aten::linspace, aten::linspace_out>(
        {.summary = "Returns steps numbers from start to end at equal distances, both included exactly.",
         .cost = "one pass of stores, each element from the nearer end; integers through a float64 tensor",
         .errors = {no_bool("linspace(0, 1, 3, dtype=bool)"),
                    bad_value("steps is below 0, or start or end is not finite", "linspace(0, 1, -1)")},
         .examples = {{"linspace(0, 1, 5)", "[0, 0.25, 0.5, 0.75, 1] (float32 [5])"},
                      {"linspace(0, 1, 1)", "[0] (float32 [1])"}}}),
    page<steps_family, aten::logspace, aten::logspace_out>(
        {.summary = "Raises base to the power of steps numbers from start to end at equal distances.",
         .cost = "three passes: linspace and pow, each into a float64 tensor, and a conversion",
         .errors = {no_bool("logspace(0, 1, 3, dtype=bool)"),
                    bad_value("steps is below 0, or start or end is not finite", "logspace(0, 1, -3)")},
         .examples = {{"logspace(0, 2, 3)", "[1, 10, 100] (float32 [3])"},
                      {"logspace(0, 2, 3, 2.0, dtype=int64)", "[1, 2, 4] (int64 [3])"}}}),
    page<aten::eye, aten::eye_m, aten::eye_out, aten::eye_m_out>(
        {.summary = "Returns the matrix with 1 on its diagonal and 0 elsewhere.",
         .shapes = "n: rows, m: columns, n where not given -> [n, m]",
         .dtypes = "any; float32 by default",
         .memory = "the result is new, dense and row-major; or out, with its own strides, never resized",
         .cost = "a pass that stores 0, and one over the diagonal",
         .errors = {bad_value("n or m is below 0", "eye(-1)")},
         .examples = {{"eye(2)", "[[1, 0], [0, 1]] (float32 [2, 2])"},
                      {"eye.m(2, 3)", "[[1, 0, 0], [0, 1, 0]] (float32 [2, 3])"}}}),
    page<indices_family, aten::tril_indices>(
        {.summary = "Returns row and column of the elements on and below a diagonal of a matrix, row by row; offset "
                    "moves the diagonal to the right.",
         .errors = {bad_dtype("dtype is bool", "tril_indices(2, 2, dtype=bool)"),
                    bad_value("row or col is below 0, or their product above 2^60", "tril_indices(-1, 3)")},
         .examples = {{"tril_indices(2, 2)", "[[0, 1, 1], [0, 0, 1]] (int64 [2, 3])"},
                      {"tril_indices(3, 3, -1)", "[[1, 2, 2], [0, 0, 1]] (int64 [2, 3])"}}}),
    page<indices_family, aten::triu_indices>(
        {.summary = "Returns row and column of the elements on and above a diagonal of a matrix, row by row; offset "
                    "moves the diagonal to the right.",
         .errors = {bad_dtype("dtype is bool", "triu_indices(2, 2, dtype=bool)"),
                    bad_value("row or col is below 0, or their product above 2^60", "triu_indices(-1, 3)")},
         .examples = {{"triu_indices(2, 2)", "[[0, 0, 1], [0, 1, 1]] (int64 [2, 3])"},
                      {"triu_indices(2, 3, 1)", "[[0, 0, 1], [1, 2, 2]] (int64 [2, 3])"}}}),
};

void publish_sequence_docs() { author::publish_pages({"Sequences", pages}).keep(); }

}  // namespace topbit::detail
