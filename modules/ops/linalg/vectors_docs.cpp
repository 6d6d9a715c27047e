module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr operator_page pages[] = {
    page<aten::cross, aten::cross_out>(
        {.summary = "Computes the cross product of vectors of three elements.",
         .shapes = "self: [.., 3, ..], other: [.., 3, ..] -> their broadcast; dim is the first one of three elements "
                   "in self unless it is given",
         .dtypes = "numbers; both are promoted; integers wrap",
         .cost = "two products and a difference for each element, in tensors of a third of the result; float16 and "
                 "bfloat16 are computed in float32, integers in int64",
         .errors = {bad_shape("no dimension has three elements, or dim is not in range", "cross([1], [2])"),
                    bad_shape("self and other have not as many dimensions, or do not broadcast",
                              "cross([1, 0, 0], [[0, 1, 0]])"),
                    bad_dtype("both are bool", "cross([True, False, False], [False, True, False])")},
         .examples = {{"cross([1, 0, 0], [0, 1, 0])", "[0, 0, 1] (int64 [3])"},
                      {"cross([[1, 0, 0]], [[0, 1, 0], [0, 0, 1]], 1)", "[[0, 0, 1], [0, -1, 0]] (int64 [2, 3])"}}}),
    page<aten::cosine_similarity>(
        {.summary = "Computes the cosine of the angle between vectors along a dimension, with norms of at least eps.",
         .shapes = "x1: [A, N], x2: [A, N], dim: 1 -> [A]; the others broadcast",
         .dtypes = "floating; both are promoted, and float16 and bfloat16 are computed in float32",
         .cost = "each is divided by its norm, in a tensor of the broadcast sizes; these are multiplied into a third, "
                 "and added up",
         .errors = {bad_dtype("one is not floating", "cosine_similarity([1, 0], [1.0, 1.0], 0)"),
                    no_broadcast("cosine_similarity([1.0, 0.0], [1.0, 1.0, 1.0], 0)"),
                    bad_shape("dim, 1 by default, is not a dimension of their broadcast",
                              "cosine_similarity([1.0, 0.0], [1.0, 1.0])")},
         .examples = {{"cosine_similarity([[1.0, 0.0]], [[1.0, 1.0]])", "[0.70710677] (float32 [1])"},
                      {"cosine_similarity([0.0, 0.0], [4.0, 3.0], 0)", "0 (float32 [])"}}}),
    page<aten::cdist>(
        {.summary =
             "Returns the distance of each row of x1 from each row of x2: the norm of order p of their difference.",
         .shapes = "x1: [.., n, d], x2: [.., m, d] -> [.., n, m]",
         .dtypes = "floating; both are promoted; float16 and bfloat16 are computed in float32",
         .cost =
             "n * m * d subtractions and additions, whatever compute_mode says; for gradients, and where the backend "
             "has no kernel, one pass that writes all differences to a new tensor, and one over these",
         .errors = {bad_shape(
                        "one has fewer than two dimensions, the columns differ in number, or batches do not broadcast",
                        "cdist([[0.0]], [[0.0, 1.0]])"),
                    bad_dtype("one is not floating", "cdist([[0]], [[0.5]])"),
                    bad_value("p is below 0, or NaN", "cdist([[0.0]], [[0.5]], -1)")},
         .examples = {{"cdist([[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0]])", "[[0], [5]] (float32 [2, 1])"},
                      {"cdist([[0.0, 0.0]], [[3.0, 4.0]], 1)", "[[7]] (float32 [1, 1])"}}}),
    page<aten::linalg_cross, aten::linalg_cross_out>(
        {.summary = "Computes the cross product along a dimension of three elements.",
         .shapes = "self: [.., 3], other: [.., 3], dim: the last one unless it is given -> broadcast",
         .dtypes = "numbers; both are promoted; integers wrap; float16 and bfloat16 are computed in float32",
         .cost =
             "three elementwise operations over the elements of the result, with two tensors of a third of its sizes",
         .errors = {bad_shape("self and other have not three elements there", "linalg_cross([1, 2], [3, 4])"),
                    bad_shape("they differ in rank, do not broadcast, or have no such dimension",
                              "linalg_cross([1, 2, 3], [[3, 4, 5]])"),
                    bad_dtype("both are bool", "linalg_cross([True, False, True], [True, False, False])")},
         .examples = {{"linalg_cross([1, 0, 0], [0, 1, 0])", "[0, 0, 1] (int64 [3])"},
                      {"linalg_cross([[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0], [0.0, 0.0, 1.0]])",
                       "[[-3, 6, -3], [2, -1, 0]] (float32 [2, 3])"}}}),
    page<aten::pairwise_distance>(
        {.summary = "Returns the distance of vectors: the norm of order p of x1 - x2 + eps, along the last dimension.",
         .shapes = "x1: [A, N], x2: [A, N] -> [A], or [A, 1] with keepdim; they broadcast",
         .dtypes = "numbers; both are promoted, and differences of integers wrap before they become float32",
         .cost = "two elementwise passes with a tensor of the broadcast sizes each, and a reduction",
         .errors = {no_broadcast("pairwise_distance([0.0, 0.0], [3.0, 4.0, 5.0])"),
                    bad_dtype("both are bool", "pairwise_distance([True], [False])")},
         .examples = {{"pairwise_distance([[0.0, 0.0], [1.0, 1.0]], [[3.0, 4.0]], eps=0.0)",
                       "[5, 3.6055512] (float32 [2])"},
                      {"pairwise_distance([0.0, 0.0], [3.0, 4.0], 1.0, 0.0, True)", "[7] (float32 [1])"}}}),
};

void publish_vectors_docs() { author::publish_pages({"Cross products and distances", pages}).keep(); }

}  // namespace topbit::detail
