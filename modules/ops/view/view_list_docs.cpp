module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view one_view_each = "constant for each result: no element is read";

constexpr family_lines parts_of_self_family = {
    .dtypes = "any", .memory = "views of self, which share its elements", .cost = one_view_each};
constexpr family_lines expanded_views_family = {
    .memory = "views of the tensors: repeated elements are shared, and writing to them is a shape_error; clone() first",
    .cost = one_view_each};

constexpr operator_page pages[] = {
    page<parts_of_self_family, aten::split_Tensor>(
        {.summary = "Splits a dimension into parts of split_size; the last one may be shorter.",
         .shapes = "self: [A, N], split_size: K, dim: 1 -> ceil(N / K) of [A, K]; one part if N is 0",
         .errors = {bad_shape("split_size is negative, or 0 for a dimension with elements",
                              "split.Tensor([1, 2, 3], 0)"),
                    no_such_dimension("split.Tensor(7, 1)")},
         .examples = {{"split.Tensor([1, 2, 3], 2)", "[[1, 2] (int64 [2]), [3] (int64 [1])]"},
                      {"split.Tensor([[1, 2, 3], [4, 5, 6]], 2, 1)",
                       "[[[1, 2], [4, 5]] (int64 [2, 2]), [[3], [6]] (int64 [2, 1])]"}}}),
    page<parts_of_self_family, aten::split_with_sizes, aten::split_sizes>(
        {.summary = "Splits a dimension into parts of the given sizes.",
         .shapes = "self: [A, N], split_sizes: [K, M], dim: 1 -> [A, K], [A, M], where K + M is N",
         .errors = {bad_shape("the sizes do not add up to the dimension, or one is negative",
                              "split_with_sizes([1, 2, 3], [1, 1])"),
                    no_such_dimension("split.sizes(7, [1])")},
         .examples = {{"split_with_sizes([1, 2, 3], [1, 2])", "[[1] (int64 [1]), [2, 3] (int64 [2])]"},
                      {"split.sizes([1, 2, 3], [3, 0])", "[[1, 2, 3] (int64 [3]), [] (int64 [0])]"}}}),
    page<parts_of_self_family, aten::chunk>(
        {.summary = "Splits a dimension into parts of one size, at most chunks of them; the last one may be shorter.",
         .shapes = "self: [A, N], chunks: K, dim: 1 -> parts of [A, ceil(N / K)]; K empty ones if N is 0",
         .errors = {bad_shape("chunks is less than 1, or more than 1048576 where N is 0", "chunk([1, 2, 3], 0)"),
                    no_such_dimension("chunk(7, 1)")},
         .examples = {{"chunk([1, 2, 3, 4, 5], 2)", "[[1, 2, 3] (int64 [3]), [4, 5] (int64 [2])]"},
                      {"chunk([1, 2, 3, 4, 5], 4)", "[[1, 2] (int64 [2]), [3, 4] (int64 [2]), [5] (int64 [1])]"}}}),
    page<parts_of_self_family, aten::tensor_split_sections>(
        {.summary =
             "Splits a dimension into exactly sections parts, the first of which may be one longer than the others.",
         .shapes = "self: [A, N], sections: K, dim: 1 -> N % K of [A, N / K + 1], then [A, N / K], rounded down",
         .errors = {bad_shape("sections is less than 1, or more than 1048576 and more than N",
                              "tensor_split.sections([1, 2, 3], 0)"),
                    no_such_dimension("tensor_split.sections(7, 1)")},
         .examples = {{"tensor_split.sections([1, 2, 3, 4, 5], 3)",
                       "[[1, 2] (int64 [2]), [3, 4] (int64 [2]), [5] (int64 [1])]"},
                      {"tensor_split.sections([1, 2], 3)", "[[1] (int64 [1]), [2] (int64 [1]), [] (int64 [0])]"}}}),
    page<parts_of_self_family, aten::tensor_split_indices>(
        {.summary = "Splits a dimension before each of the indices, which are clamped as in slice.",
         .shapes = "self: [A, N], indices: [i, j], dim: 1 -> the slices 0 to i, i to j, and j to N",
         .memory =
             "views of self; for decreasing indices the part between them is empty and the next one overlaps others",
         .errors = {no_such_dimension("tensor_split.indices(7, [1])")},
         .examples = {{"tensor_split.indices([1, 2, 3, 4], [1, -1])",
                       "[[1] (int64 [1]), [2, 3] (int64 [2]), [4] (int64 [1])]"}}}),
    page<aten::tensor_split_tensor_indices_or_sections>(
        {.summary = "Splits a dimension like tensor_split with a tensor argument: sections if it is zero-dimensional, "
                    "else indices.",
         .shapes =
             "self: [A, N], tensor_indices_or_sections: [] or [i, j], dim: 1 -> the parts that tensor_split gives",
         .dtypes = "any; the numbers are int64",
         .memory = "views of self, which overlap for decreasing indices",
         .cost = "constant for each result: no element of self is read, the numbers are, on the host",
         .errors = {bad_value("the numbers are not int64, not on the host, or have two dimensions or more",
                              "tensor_split.tensor_indices_or_sections([1, 2, 3], [1.0])"),
                    bad_shape("sections is less than 1", "tensor_split.tensor_indices_or_sections([1, 2, 3], 0)"),
                    no_such_dimension("tensor_split.tensor_indices_or_sections(7, [1])")},
         .examples = {{"tensor_split.tensor_indices_or_sections([1, 2, 3, 4], [1, 3] (int64))",
                       "[[1] (int64 [1]), [2, 3] (int64 [2]), [4] (int64 [1])]"},
                      {"tensor_split.tensor_indices_or_sections([1, 2, 3, 4], 2)",
                       "[[1, 2] (int64 [2]), [3, 4] (int64 [2])]"}}}),
    page<parts_of_self_family, aten::unbind_int>(
        {.summary = "Splits a dimension into its slices, one tensor each, without the dimension.",
         .shapes = "self: [A, N], dim: 1 -> N of [A]",
         .errors = {no_such_dimension("unbind.int(7)")},
         .examples = {{"unbind.int([[1, 2], [3, 4]])", "[[1, 2] (int64 [2]), [3, 4] (int64 [2])]"},
                      {"unbind.int([[1, 2], [3, 4]], 1)", "[[1, 3] (int64 [2]), [2, 4] (int64 [2])]"}}}),
    page<expanded_views_family, aten::broadcast_tensors>(
        {.summary = "Expands all tensors to their broadcast shape.",
         .shapes = "tensors: [N, 1] and [M] -> [N, M] and [N, M]",
         .dtypes = "any; each keeps its own",
         .errors = {no_broadcast("broadcast_tensors([[1, 2], [1, 2, 3]])")},
         .examples = {{"broadcast_tensors([[1, 2], [[3], [4]]])",
                       "[[[1, 2], [1, 2]] (int64 [2, 2]), [[3, 3], [4, 4]] (int64 [2, 2])]"}}}),
    page<aten::atleast_1d_Sequence, aten::atleast_2d_Sequence, aten::atleast_3d_Sequence>(
        {.summary = "Adds dimensions of size 1 to each tensor that has fewer than one, two or three, as atleast_1d, "
                    "atleast_2d and atleast_3d do.",
         .shapes = "tensors: [] and [N] -> [1] and [N], [1, 1] and [1, N], or [1, 1, 1] and [1, N, 1]",
         .dtypes = "any; each keeps its own",
         .memory = "views of the tensors; a tensor with enough dimensions is returned itself",
         .cost = one_view_each,
         .examples = {{"atleast_1d.Sequence([7, [1, 2]])", "[[7] (int64 [1]), [1, 2] (int64 [2])]"},
                      {"atleast_2d.Sequence([7, [1, 2]])", "[[[7]] (int64 [1, 1]), [[1, 2]] (int64 [1, 2])]"},
                      {"atleast_3d.Sequence([[1, 2]])", "[[[[1], [2]]] (int64 [1, 2, 1])]"}}}),
    page<expanded_views_family, aten::meshgrid>(
        {.summary = "Makes the coordinates of a grid: tensor i runs along dimension i and repeats along the others.",
         .shapes = "tensors: [N] and [M] -> [N, M] and [N, M]; a scalar counts as one element",
         .dtypes = "any; all have one",
         .errors = {bad_shape("a tensor has more than one dimension", "meshgrid([[[1, 2]]])"),
                    bad_shape("there are no tensors, or more than 8", "meshgrid([])"),
                    dtypes_differ("meshgrid([[1, 2], [1.5]])")},
         .examples = {{"meshgrid([[1, 2], [3, 4, 5]])",
                       "[[[1, 1, 1], [2, 2, 2]] (int64 [2, 3]), [[3, 4, 5], [3, 4, 5]] (int64 [2, 3])]"}}}),
    page<expanded_views_family, aten::meshgrid_indexing>(
        {.summary =
             "Makes the coordinates of a grid: as meshgrid for 'ij', with the first two dimensions swapped for 'xy'.",
         .shapes = "tensors: [N] and [M] -> [N, M] and [N, M] for 'ij', [M, N] and [M, N] for 'xy'",
         .dtypes = "any; all have one",
         .errors = {bad_shape("a tensor has more than one dimension", "meshgrid.indexing([[[1, 2]]], indexing='ij')"),
                    bad_shape("there are no tensors, or more than 8", "meshgrid.indexing([], indexing='ij')"),
                    dtypes_differ("meshgrid.indexing([[1, 2], [1.5]], indexing='ij')"),
                    bad_value("indexing is neither 'ij' nor 'xy'", "meshgrid.indexing([[1, 2]], indexing='yx')")},
         .examples = {{"meshgrid.indexing([[1, 2], [3, 4]], indexing='xy')",
                       "[[[1, 2], [1, 2]] (int64 [2, 2]), [[3, 3], [4, 4]] (int64 [2, 2])]"},
                      {"meshgrid.indexing([[1, 2], [3, 4]], indexing='ij')",
                       "[[[1, 1], [2, 2]] (int64 [2, 2]), [[3, 4], [3, 4]] (int64 [2, 2])]"}}}),
};

void publish_view_list_docs() { author::publish_pages({"Views returning lists", pages}).keep(); }

}  // namespace topbit::detail
