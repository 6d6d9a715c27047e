module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view other_sizes = "the sizes differ in another dimension";
constexpr std::string_view one_copy = "one pass: each element of the result is read and written once";
constexpr std::string_view no_tensors = "there are no tensors";
constexpr std::string_view bad_repeats = "repeats are neither int64 nor int32";
constexpr std::string_view no_matrix = "self has fewer than two dimensions";
constexpr std::string_view triangle_cost =
    "one pass over self, and before it one over a mask of one matrix, a byte for each element";

constexpr family_lines joined_family = {.dtypes = "any; all are promoted to one dtype",
                                        .cost = "as cat, which it calls; one copy more for out"};
constexpr family_lines copied_family = {
    .dtypes = "any; all are promoted to one dtype",
    .cost = "one pass: each element is read and written once, and converted on the way"};

constexpr operator_page pages[] = {
    // Put together.
    page<copied_family, aten::cat, aten::cat_out>(
        {.summary = "Joins tensors along a dimension, one after another.",
         .shapes = "tensors: [A, N] and [A, M], dim: 1 -> [A, N + M]; a tensor of size [0] fits everywhere",
         .errors = {bad_shape("the sizes differ in another dimension than dim", "cat([[[1], [2]], [[3, 4]]], 1)"),
                    bad_shape("a tensor has no dimensions; stack() joins those", "cat([[1, 2], 3])"),
                    bad_shape("the tensors have no such dimension", "cat([[1], [2]], 1)"),
                    raises<no_kernel>("there are no tensors to select a backend", "cat([])")},
         .examples = {{"cat([[1, 2], [3]])", "[1, 2, 3] (int64 [3])"},
                      {"cat([[[1], [2]], [[3], [4]]], 1)", "[[1, 3], [2, 4]] (int64 [2, 2])"},
                      {"cat([[1, 2], [0.5]])", "[1, 2, 0.5] (float32 [3])"}}}),
    page<copied_family, aten::stack, aten::stack_out>(
        {.summary = "Joins tensors of equal sizes along a new dimension.",
         .shapes = "tensors: k of [A, B], dim: 1 -> [A, k, B]",
         .errors = {bad_shape("the sizes differ", "stack([[1, 2], [3]])"),
                    bad_shape("dim is out of range", "stack([[1], [2]], 2)"), bad_value(no_tensors, "stack([])")},
         .examples = {{"stack([[1, 2], [3, 4]])", "[[1, 2], [3, 4]] (int64 [2, 2])"},
                      {"stack([[1, 2], [3, 4]], -1)", "[[1, 3], [2, 4]] (int64 [2, 2])"},
                      {"stack([1, 0.5])", "[1, 0.5] (float32 [2])"}}}),
    page<joined_family, aten::hstack, aten::hstack_out>(
        {.summary = "Joins tensors side by side: along the second dimension, vectors and scalars along their only one.",
         .shapes = "tensors: [A, N] and [A, M] -> [A, N + M]; [N] and [M] -> [N + M]; a scalar counts as [1]",
         .errors = {bad_shape(other_sizes, "hstack([[1], [[2]]])"), bad_value(no_tensors, "hstack([])")},
         .examples = {{"hstack([[[1], [2]], [[3], [4]]])", "[[1, 3], [2, 4]] (int64 [2, 2])"},
                      {"hstack([[1, 2], [3]])", "[1, 2, 3] (int64 [3])"}}}),
    page<aten::vstack, aten::vstack_out>(
        {.summary = "Joins tensors one below another: along the first dimension, a vector counts as one row.",
         .shapes = "tensors: [N, A] and [M, A] -> [N + M, A]; [A] and [A] -> [2, A]",
         .dtypes = "any; all are promoted to one dtype",
         .cost = "as cat, which it calls",
         .errors = {bad_shape(other_sizes, "vstack([[1, 2], [3]])"), bad_value(no_tensors, "vstack([])")},
         .examples = {{"vstack([[1, 2], [3, 4]])", "[[1, 2], [3, 4]] (int64 [2, 2])"},
                      {"vstack([[[1, 2], [3, 4]], [5, 6]])", "[[1, 2], [3, 4], [5, 6]] (int64 [3, 2])"}}}),
    page<joined_family, aten::dstack, aten::dstack_out>(
        {.summary =
             "Joins tensors behind each other: along the third dimension, which a matrix or vector has of size 1.",
         .shapes = "tensors: [N, M, A] and [N, M, B] -> [N, M, A + B]; [N, M] counts as [N, M, 1], [M] as [1, M, 1]",
         .errors = {bad_shape(other_sizes, "dstack([[1, 2], [3]])"), bad_value(no_tensors, "dstack([])")},
         .examples = {{"dstack([[[1, 2]], [[3, 4]]])", "[[[1, 3], [2, 4]]] (int64 [1, 2, 2])"},
                      {"dstack([1, 2])", "[[[1, 2]]] (int64 [1, 1, 2])"}}}),
    page<joined_family, aten::column_stack, aten::column_stack_out>(
        {.summary = "Joins tensors along the second dimension, where a vector or a scalar counts as one column.",
         .shapes = "tensors: [N] and [N, M] -> [N, 1 + M]",
         .errors = {bad_shape(other_sizes, "column_stack([[1, 2], [3]])"), bad_value(no_tensors, "column_stack([])")},
         .examples = {{"column_stack([[1, 2], [3, 4]])", "[[1, 3], [2, 4]] (int64 [2, 2])"},
                      {"column_stack([[1, 2], [[3, 4], [5, 6]]])", "[[1, 3, 4], [2, 5, 6]] (int64 [2, 3])"}}}),

    // Repeated.
    page<aten::repeat>({.summary = "Repeats self as a whole, the given number of times along each dimension; "
                                   "additional numbers add leading dimensions.",
                        .shapes = "self: [N, M], repeats: [r, s] -> [r*N, s*M]; repeats: [q, r, s] -> [q, r*N, s*M]",
                        .dtypes = "any",
                        .cost = "each element of the result is written once; self is read once, what was written is "
                                "copied on, twice as much each time",
                        .errors = {bad_shape("repeats are fewer than self has dimensions", "repeat([[1, 2]], [2])"),
                                   bad_shape("one of repeats is negative", "repeat([1, 2], [-1])")},
                        .examples = {{"repeat([1, 2], [2])", "[1, 2, 1, 2] (int64 [4])"},
                                     {"repeat([1, 2], [2, 1])", "[[1, 2], [1, 2]] (int64 [2, 2])"}}}),
    page<aten::tile>({.summary = "Repeats self as a whole, as repeat does, but with 1 for missing leading numbers.",
                      .shapes = "self: [N, M], dims: [s] -> [N, s*M]",
                      .dtypes = "any",
                      .cost = "as repeat, which it calls",
                      .errors = {bad_shape("one of dims is negative", "tile([1, 2], [-1])")},
                      .examples = {{"tile([[1, 2], [3, 4]], [2])", "[[1, 2, 1, 2], [3, 4, 3, 4]] (int64 [2, 4])"}}}),
    page<aten::repeat_interleave_self_int>(
        {.summary = "Repeats each slice of a dimension consecutively; without dim, each element in row-major order.",
         .shapes = "self: [A, N], repeats: r, dim: 1 -> [A, r*N]; without dim, [r*A*N]",
         .dtypes = "any",
         .cost = "one pass over the result; a non-dense self is copied first where its strides do not allow a view",
         .errors = {bad_value("repeats is negative", "repeat_interleave.self_int([1, 2], -1)"),
                    no_such_dimension("repeat_interleave.self_int([1, 2], 2, 1)"),
                    bad_shape("output_size is not the size that comes of it",
                              "repeat_interleave.self_int([1, 2], 2, output_size=3)")},
         .examples = {{"repeat_interleave.self_int([1, 2], 2)", "[1, 1, 2, 2] (int64 [4])"},
                      {"repeat_interleave.self_int([[1, 2]], 2, 0)", "[[1, 2], [1, 2]] (int64 [2, 2])"},
                      {"repeat_interleave.self_int([[1, 2]], 2, 1)", "[[1, 1, 2, 2]] (int64 [1, 4])"}}}),
    page<aten::repeat_interleave_self_Tensor>(
        {.summary = "Repeats each slice of a dimension consecutively, as given by repeats; without dim, each element "
                    "in row-major order.",
         .shapes = "self: [A, N], repeats: [N], or one number for all, dim: 1 -> [A, the sum of repeats]; without dim, "
                   "of all elements [the sum of repeats]",
         .dtypes = "any; repeats are int64 or int32",
         .cost = "repeat_interleave.Tensor's, which finds an index, then as index_select",
         .errors = {bad_shape("repeats are neither one number nor one for each slice",
                              "repeat_interleave.self_Tensor([5, 6], [1, 2, 3])"),
                    no_such_dimension("repeat_interleave.self_Tensor([5, 6], [1, 2], 1)"),
                    bad_shape("output_size is not the sum of the repeats",
                              "repeat_interleave.self_Tensor([5, 6], [1, 2], output_size=4)"),
                    bad_value("one of repeats is negative", "repeat_interleave.self_Tensor([5, 6], [1, -2])"),
                    bad_dtype(bad_repeats, "repeat_interleave.self_Tensor([5, 6], [1.0, 2.0])")},
         .examples = {{"repeat_interleave.self_Tensor([5, 6], [1, 2] (int64))", "[5, 6, 6] (int64 [3])"},
                      {"repeat_interleave.self_Tensor([[5, 6]], 2, 1)", "[[5, 5, 6, 6]] (int64 [1, 4])"}}}),
    page<aten::repeat_interleave_Tensor>(
        {.summary = "Returns each index from 0 up, repeated as given by repeats.",
         .shapes = "repeats: [N] -> [the sum of repeats]",
         .dtypes = "int64 and int32; the result has the dtype of repeats",
         .cost = "the repeats are summed, and their sum is read on the host; then a binary search for each element of "
                 "the result",
         .errors = {bad_dtype(bad_repeats, "repeat_interleave.Tensor([2.0])"),
                    bad_shape("repeats have other than one dimension", "repeat_interleave.Tensor([[2]])"),
                    bad_shape("output_size is not the sum of the repeats",
                              "repeat_interleave.Tensor([2, 1], output_size=4)"),
                    bad_value("one of repeats, or output_size, is negative", "repeat_interleave.Tensor([2, -1])")},
         .examples = {{"repeat_interleave.Tensor([2, 0, 1])", "[0, 0, 2] (int64 [3])"}}}),

    // Turned.
    page<aten::flip>({.summary = "Reverses the order of the slices of some dimensions.",
                      .shapes = same_shape,
                      .dtypes = "any",
                      .memory = "the result is new and dense: strides are never negative, so it is not a view",
                      .cost = one_copy,
                      .errors = {bad_shape("a dimension is given twice", "flip([[1, 2]], [0, -2])"),
                                 no_such_dimension("flip([1, 2], [1])")},
                      .examples = {{"flip([[1, 2], [3, 4]], [1])", "[[2, 1], [4, 3]] (int64 [2, 2])"},
                                   {"flip([[1, 2], [3, 4]], [0, 1])", "[[4, 3], [2, 1]] (int64 [2, 2])"}}}),
    page<aten::roll>(
        {.summary = "Moves elements along dimensions, those at the end to the front; without dims, in row-major order.",
         .shapes = "self: [..], shifts: one for each of dims -> the same",
         .dtypes = "any",
         .cost = "one pass for each dimension; without dims, a self whose strides allow no view in one is copied first",
         .errors = {bad_value("shifts and dims are not equally many, but for one shift without dims",
                              "roll([[1, 2]], [1, 1], [0])"),
                    no_such_dimension("roll([1, 2], [1], [1])")},
         .examples = {{"roll([1, 2, 3, 4], [1])", "[4, 1, 2, 3] (int64 [4])"},
                      {"roll([[1, 2, 3], [4, 5, 6]], [-1], [1])", "[[2, 3, 1], [5, 6, 4]] (int64 [2, 3])"},
                      {"roll([[1, 2], [3, 4]], [1])", "[[4, 1], [2, 3]] (int64 [2, 2])"}}}),
    page<aten::rot90>(
        {.summary = "Rotates the plane of two dimensions by k times 90 degrees, from the first towards the second.",
         .shapes = "self: [N, M] -> [M, N] for an odd k, else [N, M]",
         .dtypes = "any",
         .memory = "the result is new, for an odd k with the strides of a transpose",
         .cost = one_copy,
         .errors = {bad_shape("dims are not two different dimensions", "rot90([[1, 2]], 1, [0, 0])"),
                    bad_shape(no_matrix, "rot90([1, 2])")},
         .examples = {{"rot90([[1, 2], [3, 4]])", "[[2, 4], [1, 3]] (int64 [2, 2])"},
                      {"rot90([[1, 2], [3, 4]], 2)", "[[4, 3], [2, 1]] (int64 [2, 2])"},
                      {"rot90([[1, 2], [3, 4]], -1)", "[[3, 1], [4, 2]] (int64 [2, 2])"}}}),

    // Parts of matrices.
    page<aten::tril, aten::tril_, aten::tril_out>(
        {.summary = "Keeps the elements of matrices on and below a diagonal, and puts 0 elsewhere.",
         .shapes = "self: [.., N, M] -> the same: element [i, j] stays where j - i <= diagonal",
         .dtypes = "any",
         .cost = triangle_cost,
         .errors = {bad_shape(no_matrix, "tril([1, 2])")},
         .examples = {{"tril([[1, 2], [3, 4]])", "[[1, 0], [3, 4]] (int64 [2, 2])"},
                      {"tril_([[1, 2, 3], [4, 5, 6]], 1)", "[[1, 2, 0], [4, 5, 6]] (int64 [2, 3])"}}}),
    page<aten::triu, aten::triu_, aten::triu_out>(
        {.summary = "Keeps the elements of matrices on and above a diagonal, and puts 0 elsewhere.",
         .shapes = "self: [.., N, M] -> the same: element [i, j] stays where j - i >= diagonal",
         .dtypes = "any",
         .cost = triangle_cost,
         .errors = {bad_shape(no_matrix, "triu([1, 2])")},
         .examples = {{"triu([[1, 2], [3, 4]])", "[[1, 2], [0, 4]] (int64 [2, 2])"},
                      {"triu_([[1, 2, 3], [4, 5, 6]], 1)", "[[0, 2, 3], [0, 0, 6]] (int64 [2, 3])"}}}),
    page<aten::diag, aten::diag_out>(
        {.summary = "Makes a matrix of zeros with self on a diagonal, or of a matrix the vector of that diagonal.",
         .shapes = "self: [N], diagonal: k -> [N + |k|, N + |k|]; [N, M] -> the elements [i, i + k] that there are",
         .dtypes = "any",
         .cost = "of a vector, one pass that fills the matrix with 0, and one over self; of a matrix, one pass over "
                 "the diagonal",
         .errors = {bad_shape("self is neither a vector nor a matrix", "diag([[[1]]])"),
                    bad_shape("the number of elements of the matrix overflows 64 bits", "diag([1, 2], 5000000000)")},
         .examples = {{"diag([1, 2])", "[[1, 0], [0, 2]] (int64 [2, 2])"},
                      {"diag([[1, 2], [3, 4]])", "[1, 4] (int64 [2])"},
                      {"diag([[1, 2], [3, 4]], -1)", "[3] (int64 [1])"}}}),
};

void publish_join_docs() { author::publish_pages({"Concatenation, repetition and rotation", pages}).keep(); }

}  // namespace topbit::detail
