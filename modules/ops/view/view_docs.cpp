module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view a_view = "a view of self: the elements are self's own, and a write to one is seen in both";

constexpr family_lines view_family = {.dtypes = "any",
                                      .memory = a_view,
                                      .cost = "constant: sizes, strides and offset are worked out, no element is read"};
constexpr family_lines view_or_copy_family = {
    .dtypes = "any",
    .memory = "a view of self where its strides allow it, always if self is dense; else new and dense",
    .cost = "constant where a view will do; else one copy of all elements, each read once and written once"};
constexpr family_lines overwritten_copy_family = {
    .dtypes = "any; src is converted to self's, as by copy_",
    .memory = "the result is new, with the strides of self where these have no gaps, else dense",
    .cost = "one copy of self, each element read once and written once, and one of src"};
constexpr std::string_view other_sizes = "src has other sizes than the elements that it overwrites";

constexpr operator_page pages[] = {
    // The order of dimensions.
    page<view_family, aten::transpose_int, aten::swapaxes, aten::swapdims>(
        {.summary = "Swaps two dimensions, which may be equal.",
         .shapes = "self: [.., N, .., M, ..] -> [.., M, .., N, ..]",
         .errors = {no_such_dimension("transpose.int([[1, 2], [3, 4]], 0, 2)")},
         .examples = {{"transpose.int([[1, 2, 3], [4, 5, 6]], 0, 1)", "[[1, 4], [2, 5], [3, 6]] (int64 [3, 2])"},
                      {"swapaxes([[1, 2, 3]], 0, -1)", "[[1], [2], [3]] (int64 [3, 1])"}}}),
    page<view_family, aten::permute>(
        {.summary = "Permutes the dimensions: dimension i of the result is dimension dims[i] of self.",
         .shapes = "self: [A, B, C], dims: [2, 0, 1] -> [C, A, B]",
         .errors = {bad_shape("dims has more or fewer entries than self has dimensions",
                              "permute([[1, 2], [3, 4]], [0])"),
                    bad_shape("dims names a dimension twice, or one that self does not have",
                              "permute([[1, 2], [3, 4]], [0, -2])")},
         .examples = {{"permute([[[1, 2]], [[3, 4]]], [2, 0, 1])", "[[[1], [3]], [[2], [4]]] (int64 [2, 2, 1])"}}}),
    page<view_family, aten::movedim_intlist, aten::movedim_int>(
        {.summary = "Moves each dimension of source to its place in destination; the others keep their order.",
         .shapes = "self: [A, B, C], source: 0, destination: 2 -> [B, C, A]",
         .errors = {bad_shape("source and destination are not equally long",
                              "movedim.intlist([[1, 2], [3, 4]], [0, 1], [0])"),
                    bad_shape("one of them names a dimension twice, or one that self does not have",
                              "movedim.intlist([[1, 2], [3, 4]], [0, 1], [0, 0])")},
         .examples = {{"movedim.intlist([[[1, 2, 3]], [[4, 5, 6]]], [0], [2])",
                       "[[[1, 4], [2, 5], [3, 6]]] (int64 [1, 3, 2])"},
                      {"movedim.int([[1, 2, 3]], 0, 1)", "[[1], [2], [3]] (int64 [3, 1])"}}}),
    page<view_family, aten::t>(
        {.summary = "Transposes a matrix.",
         .shapes = "self: [N, M] -> [M, N]; [N] -> [N]; [] -> []",
         .memory = "a view of self",
         .errors = {bad_shape("self has more than two dimensions; mT takes those", "t([[[1, 2]]])")},
         .examples = {{"t([[1, 2, 3], [4, 5, 6]])", "[[1, 4], [2, 5], [3, 6]] (int64 [3, 2])"}}}),
    page<view_family, aten::numpy_T>(
        {.summary = "Reverses the order of all dimensions.",
         .shapes = "self: [A, B, C] -> [C, B, A]",
         .examples = {{"numpy_T([[[1, 2]], [[3, 4]]])", "[[[1, 3]], [[2, 4]]] (int64 [2, 1, 2])"}}}),
    page<view_family, aten::mT, aten::mH, aten::adjoint>(
        {.summary = "Transposes each matrix of the last two dimensions; mH and adjoint also conjugate, without effect "
                    "on real dtypes.",
         .shapes = "self: [.., N, M] -> [.., M, N]",
         .errors = {bad_shape("self has fewer than two dimensions", "mT([1, 2])")},
         .examples = {{"mT([[[1, 2], [3, 4]]])", "[[[1, 3], [2, 4]]] (int64 [1, 2, 2])"}}}),
    page<view_family, aten::matrix_H>(
        {.summary = "Transposes a matrix, which is its conjugate transpose too: every dtype is real.",
         .shapes = "self: [N, M] -> [M, N]",
         .errors = {bad_shape("self has other than two dimensions; mH takes more", "matrix_H([[[1, 2]]])")},
         .examples = {{"matrix_H([[1, 2], [3, 4]])", "[[1, 3], [2, 4]] (int64 [2, 2])"}}}),

    // Dimensions of size 1, and more of them.
    page<view_family, aten::unsqueeze>(
        {.summary = "Adds a dimension of size 1 before dimension dim; -1 adds it after the last.",
         .shapes = "self: [A, B], dim: 1 -> [A, 1, B]",
         .errors = {bad_shape("dim is out of range", "unsqueeze([1, 2], 2)"),
                    bad_shape("self has 8 dimensions already, the most there are", "unsqueeze([[[[[[[[1]]]]]]]], 0)")},
         .examples = {{"unsqueeze([1, 2], 0)", "[[1, 2]] (int64 [1, 2])"},
                      {"unsqueeze([1, 2], -1)", "[[1], [2]] (int64 [2, 1])"}}}),
    page<view_family, aten::squeeze, aten::squeeze_dim>(
        {.summary = "Removes all dimensions of size 1, or only dim if its size is 1.",
         .shapes = "self: [A, 1, B, 1] -> [A, B]",
         .errors = {no_such_dimension("squeeze.dim([[1], [2]], 2)")},
         .examples = {{"squeeze([[[1], [2]]])", "[1, 2] (int64 [2])"},
                      {"squeeze.dim([[[1], [2]]], 0)", "[[1], [2]] (int64 [2, 1])"},
                      {"squeeze.dim([[[1], [2]]], 1)", "[[[1], [2]]] (int64 [1, 2, 1])"}}}),
    page<view_family, aten::expand, aten::broadcast_to, aten::expand_as>(
        {.summary = "Expands dimensions of size 1, and adds leading ones, without copying; -1 keeps a size.",
         .shapes = "self: [N, 1], size: [K, N, M] -> [K, N, M]",
         .memory =
             "a view of self: repetitions are the one element, and writing to them is a shape_error; clone() first",
         .errors = {bad_shape("a size other than 1 should change", "expand([1, 2], [3])"),
                    bad_shape("the sizes are fewer than self has dimensions", "expand([[1], [2]], [2])"),
                    bad_shape("-1 for a new dimension", "expand([1, 2], [-1, 2])")},
         .examples = {{"expand([[1], [2]], [-1, 3])", "[[1, 1, 1], [2, 2, 2]] (int64 [2, 3])"},
                      {"expand_as([1, 2], [[0, 0], [0, 0]])", "[[1, 2], [1, 2]] (int64 [2, 2])"}}}),
    page<view_family, aten::atleast_1d, aten::atleast_2d, aten::atleast_3d>(
        {.summary = "Adds dimensions of size 1 where self has fewer than one, two or three.",
         .shapes = "self: [N] -> [N], [1, N] and [1, N, 1]; of a matrix, atleast_3d makes [N, M, 1]",
         .memory = "a view of self; self itself where it has dimensions enough",
         .examples = {{"atleast_1d(7)", "[7] (int64 [1])"},
                      {"atleast_2d([1, 2])", "[[1, 2]] (int64 [1, 2])"},
                      {"atleast_3d([1, 2])", "[[[1], [2]]] (int64 [1, 2, 1])"}}}),

    // The same elements in another shape.
    page<view_family, aten::view, aten::view_as>(
        {.summary = "Returns a view with another shape of the elements in row-major order; one size may be -1.",
         .shapes = "self: [N, M], size: [-1] -> [N*M]",
         .errors = {bad_shape("the sizes hold more or fewer elements than self", "view([1, 2, 3, 4], [3, -1])"),
                    bad_shape("a size is negative but for one -1, or dimensions should be joined whose strides do not "
                              "go on from one to the next, where only reshape will do",
                              "view([1, 2, 3, 4], [-1, -1])")},
         .examples = {{"view([1, 2, 3, 4], [2, -1])", "[[1, 2], [3, 4]] (int64 [2, 2])"},
                      {"view_as([1, 2, 3, 4], [[0], [0], [0], [0]])", "[[1], [2], [3], [4]] (int64 [4, 1])"}}}),
    page<view_or_copy_family, aten::reshape, aten::reshape_as>(
        {.summary = "Returns the elements, in row-major order, in another shape, as a view if possible.",
         .shapes = "self: [N, M], shape: [-1] -> [N*M]",
         .errors = {bad_shape("the sizes hold more or fewer elements than self, or are negative but for one -1",
                              "reshape([1, 2, 3, 4], [3, 2])")},
         .examples = {{"reshape([[1, 2, 3], [4, 5, 6]], [3, -1])", "[[1, 2], [3, 4], [5, 6]] (int64 [3, 2])"},
                      {"reshape_as([1, 2], [[0], [0]])", "[[1], [2]] (int64 [2, 1])"}}}),
    page<view_or_copy_family, aten::flatten_using_ints>(
        {.summary = "Joins the dimensions from start_dim to end_dim, both included; a scalar becomes one element.",
         .shapes = "self: [A, B, C], start_dim: 1, end_dim: -1 -> [A, B*C]; [] -> [1]",
         .memory =
             "self itself if start_dim is end_dim; else a view of self where its strides allow it, or new and dense",
         .errors = {no_such_dimension("flatten.using_ints([1, 2], 1)"),
                    bad_shape("start_dim is behind end_dim", "flatten.using_ints([[1, 2]], 1, 0)")},
         .examples = {{"flatten.using_ints([[1, 2], [3, 4]])", "[1, 2, 3, 4] (int64 [4])"},
                      {"flatten.using_ints([[[1, 2], [3, 4]]], 0, 1)", "[[1, 2], [3, 4]] (int64 [2, 2])"}}}),
    page<view_or_copy_family, aten::ravel>({.summary = "Flattens all dimensions into one, in row-major order.",
                                            .shapes = "self: [..] -> [N]",
                                            .examples = {{"ravel([[1, 2], [3, 4]])", "[1, 2, 3, 4] (int64 [4])"}}}),
    page<view_family, aten::unflatten_int>(
        {.summary = "Splits one dimension into several, of which one may be -1.",
         .shapes = "self: [A, B*C], dim: 1, sizes: [B, C] -> [A, B, C]",
         .errors = {bad_shape("the product of sizes is not the size of dim",
                              "unflatten.int([1, 2, 3, 4, 5, 6], 0, [4, -1])"),
                    bad_shape("sizes is empty, or the result would have more than 8 dimensions",
                              "unflatten.int([1, 2], 0, [])"),
                    no_such_dimension("unflatten.int([1, 2], 1, [2])")},
         .examples = {{"unflatten.int([1, 2, 3, 4, 5, 6], 0, [2, -1])", "[[1, 2, 3], [4, 5, 6]] (int64 [2, 3])"}}}),
    page<aten::contiguous>(
        {.summary = "Returns self if it is dense in row-major order, else a dense copy.",
         .shapes = same_shape,
         .dtypes = "any",
         .memory = "self itself, or new and dense",
         .cost = "constant for a dense tensor; else one copy of all elements",
         .errors = {bad_value("memory_format is preserve_format", "contiguous([1], memory_format=preserve_format)")},
         .examples = {{"contiguous([[1, 2], [3, 4]])", "[[1, 2], [3, 4]] (int64 [2, 2])"}}}),
    page<view_family, aten::alias>(
        {.summary = "Makes another tensor of the same elements, through which gradients flow back to self.",
         .shapes = same_shape,
         .examples = {{"alias([1, 2])", "[1, 2] (int64 [2])"}}}),
    page<view_family, aten::detach>(
        {.summary = "Makes another tensor of the same elements that no gradient flows through.",
         .shapes = same_shape,
         .examples = {{"detach([1.5, 2.5])", "[1.5, 2.5] (float32 [2])"}}}),

    // A part of the elements.
    page<view_family, aten::select_int>(
        {.summary = "Selects one slice of a dimension, which is removed; a negative index counts from the end.",
         .shapes = "self: [A, B, C], dim: 1 -> [A, C]",
         .errors = {bad_shape("index is out of range", "select.int([[1, 2], [3, 4]], 1, 2)"),
                    no_such_dimension("select.int(7, 0, 0)")},
         .examples = {{"select.int([[1, 2], [3, 4]], 0, 1)", "[3, 4] (int64 [2])"},
                      {"select.int([[1, 2], [3, 4]], 1, -1)", "[2, 4] (int64 [2])"}}}),
    page<view_family, aten::slice_Tensor>(
        {.summary = "Selects every step-th slice of a dimension from start up to, but not including, end.",
         .shapes = "self: [A, N], dim: 1 -> [A, ceil((end - start) / step)]; negative bounds count from the end, and "
                   "are then clamped to 0 and N",
         .errors = {bad_shape("step is less than 1; flip() reverses", "slice.Tensor([1, 2, 3], step=-1)"),
                    no_such_dimension("slice.Tensor(7)")},
         .examples = {{"slice.Tensor([0, 1, 2, 3, 4, 5], 0, 1, None, 2)", "[1, 3, 5] (int64 [3])"},
                      {"slice.Tensor([0, 1, 2, 3, 4, 5], 0, -2, 100)", "[4, 5] (int64 [2])"}}}),
    page<aten::narrow, aten::narrow_Tensor>(
        {.summary = "Selects length slices of a dimension from start on, all within its range.",
         .shapes = "self: [A, N], dim: 1 -> [A, length]; a negative start counts from the end",
         .dtypes = "any; a start in a tensor is of any integer type",
         .memory = a_view,
         .cost = "constant: sizes, strides and offset are worked out, no element of self is read; a start in a tensor "
                 "is, on the host",
         .errors = {bad_value("start is a tensor of other than one integer", "narrow.Tensor([1, 2], 0, [0, 1], 1)"),
                    bad_shape("start and length leave the dimension", "narrow([1, 2, 3], 0, 2, 2)"),
                    no_such_dimension("narrow(7, 0, 0, 1)")},
         .examples = {{"narrow([1, 2, 3, 4], 0, 1, 2)", "[2, 3] (int64 [2])"},
                      {"narrow([1, 2, 3, 4], 0, -2, 2)", "[3, 4] (int64 [2])"},
                      {"narrow.Tensor([1, 2, 3, 4], 0, 1 (int32), 2)", "[2, 3] (int64 [2])"}}}),
    page<view_family, aten::diagonal>(
        {.summary = "Selects the elements whose index in dim2 is the one in dim1 plus offset, as a new last dimension.",
         .shapes = "self: [A, N, M], dim1: 1, dim2: 2 -> [A, K]: K = min(N, M - offset), or min(N + offset, M) for a "
                   "negative offset, and at least 0",
         .errors = {bad_shape("dim1 and dim2 are one dimension", "diagonal([[1, 2], [3, 4]], 0, 1, -1)"),
                    no_such_dimension("diagonal([1, 2])")},
         .examples = {{"diagonal([[1, 2, 3], [4, 5, 6]])", "[1, 5] (int64 [2])"},
                      {"diagonal([[1, 2, 3], [4, 5, 6]], 1)", "[2, 6] (int64 [2])"},
                      {"diagonal([[1, 2, 3], [4, 5, 6]], -1)", "[4] (int64 [1])"}}}),
    page<view_family, aten::unfold>(
        {.summary = "Extracts windows of size elements, step apart, of a dimension; a new last dimension holds their "
                    "elements.",
         .shapes = "self: [A, N, B], dimension: 1 -> [A, (N - size) / step + 1, B, size], rounded down",
         .memory = "a view of self; overlapping windows share elements, and writing to the result is a shape_error",
         .errors = {bad_shape("size is negative, or more than the dimension has", "unfold([1, 2, 3], 0, 4, 1)"),
                    bad_shape("step is less than 1", "unfold([1, 2, 3], 0, 2, 0)"),
                    no_such_dimension("unfold([1, 2, 3], 1, 2, 1)"),
                    bad_shape("self has 8 dimensions already, the most there are",
                              "unfold([[[[[[[[1]]]]]]]], 0, 1, 1)")},
         .examples = {{"unfold([1, 2, 3, 4], 0, 2, 1)", "[[1, 2], [2, 3], [3, 4]] (int64 [3, 2])"},
                      {"unfold([1, 2, 3, 4, 5], 0, 2, 2)", "[[1, 2], [3, 4]] (int64 [2, 2])"}}}),
    page<view_family, aten::as_strided>(
        {.summary = "Looks at self's storage with any sizes, strides and offset, all counted in elements.",
         .shapes = "self: [..], size: [N, M], stride: [a, b] -> [N, M], whose element [i, j] is element storage_offset "
                   "+ i*a + j*b of the storage; without storage_offset, self's own offset",
         .memory = "a view of self's whole storage; where places coincide, writing to the result is a shape_error",
         .errors = {bad_shape("a place is outside of the storage", "as_strided([1, 2, 3], [2], [3])"),
                    bad_shape("a stride, the offset or a size is negative", "as_strided([1, 2, 3], [3], [-1])"),
                    bad_shape("size and stride are not equally long", "as_strided([1, 2, 3], [2, 2], [1])")},
         .examples = {{"as_strided([1, 2, 3, 4], [2, 2], [1, 2])", "[[1, 3], [2, 4]] (int64 [2, 2])"},
                      {"as_strided([1, 2, 3, 4], [3, 2], [1, 1], 0)", "[[1, 2], [2, 3], [3, 4]] (int64 [3, 2])"}}}),

    // Copies of a view, and copies in which a view is overwritten.
    page<view_family, aten::as_strided_copy>(
        {.summary =
             "Copies the elements of self's storage at any sizes, strides and offset, as as_strided selects them.",
         .shapes = "self: [..], size: [N, M], stride: [a, b] -> [N, M]; places as in as_strided",
         .memory = "the result is new and dense",
         .cost = "one copy of the selected elements",
         .errors = {bad_shape("a place is outside of the storage", "as_strided_copy([1, 2, 3], [2], [3])"),
                    bad_shape("a stride, the offset or a size is negative", "as_strided_copy([1, 2, 3], [3], [-1])"),
                    bad_shape("size and stride are not equally long", "as_strided_copy([1, 2, 3], [2, 2], [1])")},
         .examples = {{"as_strided_copy([1, 2, 3, 4], [2, 2], [1, 2])", "[[1, 3], [2, 4]] (int64 [2, 2])"},
                      {"as_strided_copy([1, 2, 3, 4], [2, 2], [0, 1], 2)", "[[3, 4], [3, 4]] (int64 [2, 2])"}}}),
    page<overwritten_copy_family, aten::select_scatter>(
        {.summary = "Copies self with one slice of a dimension, as select.int selects it, overwritten by src.",
         .shapes = "self: [A, B, C], src: [A, C], dim: 1 -> [A, B, C]",
         .errors = {bad_shape(other_sizes, "select_scatter([[1, 2], [3, 4]], [7], 0, 1)"),
                    bad_shape("index is out of range", "select_scatter([[1, 2], [3, 4]], [7, 8], 1, 2)"),
                    no_such_dimension("select_scatter(7, 8, 0, 0)")},
         .examples = {{"select_scatter([[1, 2], [3, 4]], [7, 8], 0, 1)", "[[1, 2], [7, 8]] (int64 [2, 2])"},
                      {"select_scatter([[1, 2], [3, 4]], [7, 8], 1, -1)", "[[1, 7], [3, 8]] (int64 [2, 2])"}}}),
    page<overwritten_copy_family, aten::slice_scatter>(
        {.summary = "Copies self with every step-th slice of a dimension, as slice.Tensor selects them, overwritten by "
                    "src.",
         .shapes = "self: [A, N], src: [A, ceil((end - start) / step)], dim: 1 -> [A, N]; bounds as in slice.Tensor",
         .errors = {bad_shape(other_sizes, "slice_scatter([1, 2, 3], [7], 0, 1)"),
                    bad_shape("step is less than 1", "slice_scatter([1, 2, 3], [7, 8, 9], step=-1)"),
                    no_such_dimension("slice_scatter(7, 8)")},
         .examples = {{"slice_scatter([0, 1, 2, 3, 4, 5], [7, 8, 9], 0, 1, None, 2)", "[0, 7, 2, 8, 4, 9] (int64 [6])"},
                      {"slice_scatter([0, 1, 2, 3], [7, 8], 0, -2)", "[0, 1, 7, 8] (int64 [4])"}}}),
    page<overwritten_copy_family, aten::diagonal_scatter>(
        {.summary = "Copies self with a diagonal of two dimensions, as diagonal selects it, overwritten by src.",
         .shapes = "self: [A, N, M], src: [A, K], dim1: 1, dim2: 2 -> [A, N, M]; K as in diagonal",
         .errors = {bad_shape(other_sizes, "diagonal_scatter([[1, 2], [3, 4]], [7])"),
                    bad_shape("dim1 and dim2 are one dimension", "diagonal_scatter([[1, 2], [3, 4]], [7, 8], 0, 1, 1)"),
                    no_such_dimension("diagonal_scatter([1, 2], [7])")},
         .examples = {{"diagonal_scatter([[1, 2, 3], [4, 5, 6]], [7, 8])", "[[7, 2, 3], [4, 8, 6]] (int64 [2, 3])"},
                      {"diagonal_scatter([[1, 2, 3], [4, 5, 6]], [7], -1)", "[[1, 2, 3], [7, 5, 6]] (int64 [2, 3])"}}}),
    page<overwritten_copy_family, aten::as_strided_scatter>(
        {.summary = "Copies self with the elements at any sizes, strides and offset of its storage, as as_strided "
                    "selects them, overwritten by src.",
         .shapes = "self: [..], src: [N, M], size: [N, M], stride: [a, b] -> the sizes of self",
         .memory = "the result is new, with the strides and the offset of self; if elements of self share memory, it "
                   "is dense, and size and stride refer to the dense copy",
         .cost = "one copy of self's storage up to the last element that is used, and one of src",
         .errors =
             {bad_shape(other_sizes, "as_strided_scatter([1, 2, 3], [7], [2], [1])"),
              bad_shape("a place is outside of the storage", "as_strided_scatter([1, 2, 3], [7, 8], [2], [3])"),
              bad_shape("several elements of src have one place", "as_strided_scatter([1, 2, 3], [7, 8], [2], [0])"),
              bad_shape("a stride, the offset or a size is negative",
                        "as_strided_scatter([1, 2, 3], [7, 8, 9], [3], [-1])"),
              bad_shape("size and stride are not equally long", "as_strided_scatter([1, 2, 3], [7, 8], [2], [1, 1])")},
         .examples = {{"as_strided_scatter([1, 2, 3, 4], [7, 8], [2], [2])", "[7, 2, 8, 4] (int64 [4])"},
                      {"as_strided_scatter([1, 2, 3, 4], [[7], [8]], [2, 1], [1, 1], 2)",
                       "[1, 2, 7, 8] (int64 [4])"}}}),
};

void publish_view_docs() { author::publish_pages({"Views", pages}).keep(); }

}  // namespace topbit::detail
