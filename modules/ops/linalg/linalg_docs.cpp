module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view bad_batches =
    "a batch is not three-dimensional, batches or inner sizes differ, or self does not broadcast to the product; in "
    "place, self has other sizes";
constexpr std::string_view bad_sum_types =
    "the dtypes differ, or are bool, or alpha or beta is not an integer for integer operands";

constexpr family_lines product_family = {
    .dtypes = one_dtype,
    .memory = "the result is new and dense, or out; a matrix that shares memory with out is copied first",
    .cost =
        "m * k * n multiply-adds for each matrix; floating operands are read where they are or in packed blocks, from "
        "any strides, integers narrower than int64 are copied to it, and the result back"};
constexpr family_lines composed_product_family = {.dtypes = one_dtype, .memory = composed_memory};
constexpr family_lines sum_of_products_family = {
    .shapes = "self: broadcasts to [m, n], mat1: [m, k], mat2: [k, n] -> [m, n]",
    .dtypes = one_dtype,
    .memory =
        "the result is new and dense, or written to self or out; out may be self, and a matrix that shares memory with "
        "the result is copied first"};
constexpr family_lines promoted_family = {.dtypes = "any; both are promoted", .memory = composed_memory};

constexpr operator_page pages[] = {
    page<product_family, aten::mm, aten::mm_out>(
        {.summary = "Multiplies two matrices.",
         .shapes = "self: [m, k], mat2: [k, n] -> [m, n]",
         .errors = {bad_shape("an operand is not a matrix, or the inner sizes differ", "mm([[1, 2]], [[3, 4]])"),
                    not_one_dtype("mm([[1, 2]], [[1.5], [2.5]])")},
         .examples = {{"mm([[1, 2], [3, 4]], [[1, 0], [2, 1]])", "[[5, 2], [11, 4]] (int64 [2, 2])"},
                      {"mm([[1.5, 2.0]], [[2.0], [0.5]])", "[[4]] (float32 [1, 1])"}}}),
    page<product_family, aten::bmm, aten::bmm_out>(
        {.summary = "Multiplies the matrices of two batches, each with its counterpart; the batches do not broadcast.",
         .shapes = "self: [b, m, k], mat2: [b, k, n] -> [b, m, n]",
         .errors = {bad_shape("an operand is not three-dimensional, or the batches or inner sizes differ",
                              "bmm([[[1, 2]]], [[[3, 4]]])"),
                    not_one_dtype("bmm([[[1, 2]]], [[[1.5], [2.5]]])")},
         .examples = {{"bmm([[[1, 2]], [[3, 4]]], [[[1], [1]], [[0], [2]]])", "[[[3]], [[8]]] (int64 [2, 1, 1])"}}}),
    page<sum_of_products_family, aten::addmm, aten::addmm_, aten::addmm_out>(
        {.summary = "Returns beta * self + alpha * mat1 @ mat2; self is not read if beta is 0.",
         .cost = "mm's; self is read once, as the result is written",
         .errors = {bad_shape("mat1 or mat2 is not a matrix, their inner sizes differ, or self does not broadcast to "
                              "the product; in place, self has other sizes",
                              "addmm([1, 2, 3], [[1, 2]], [[1], [2]])"),
                    bad_dtype(bad_sum_types, "addmm([1], [[1, 2]], [[1], [2]], alpha=0.5)")},
         .examples = {{"addmm([10, 20], [[1, 2], [3, 4]], [[1, 0], [2, 1]])", "[[15, 22], [21, 24]] (int64 [2, 2])"},
                      {"addmm([[1.0]], [[1.0, 2.0]], [[3.0], [4.0]], beta=10, alpha=0.5)",
                       "[[15.5]] (float32 [1, 1])"}}}),
    page<sum_of_products_family, aten::_addmm_activation, aten::_addmm_activation_out>(
        {.summary =
             "Returns relu(beta * self + alpha * mat1 @ mat2), or gelu of that, without an approximation, with "
             "use_gelu; self is not read if beta is 0. With gradients it is computed as addmm and the activation.",
         .dtypes = "numbers; all dtypes are the same, and the result's too; with use_gelu only floating ones; float16 "
                   "and bfloat16 are computed in float32 and rounded once, after the activation",
         .cost = "addmm's; the activation is applied to each block before it is written",
         .errors =
             {bad_shape(
                  "mat1 or mat2 is not a matrix, their inner sizes differ, or self does not broadcast to the product",
                  "_addmm_activation([1, 2, 3], [[1, 2]], [[1], [2]])"),
              bad_dtype("the dtypes differ, or are bool, or are integers with use_gelu or a non-integer factor",
                        "_addmm_activation([1], [[1, 2]], [[1], [2]], use_gelu=True)")},
         .examples = {{"_addmm_activation([0.5, -20.0], [[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]])",
                       "[[13.5, 0]] (float32 [1, 2])"},
                      {"_addmm_activation([1.0], [[1.0, 2.0]], [[0.0], [0.0]], use_gelu=True)",
                       "[[0.841345]] (float32 [1, 1])"}}}),
    page<sum_of_products_family, aten::baddbmm, aten::baddbmm_, aten::baddbmm_out>(
        {.summary = "Returns beta * self + alpha * batch1 @ batch2, matrix by matrix; self is not read if beta is 0.",
         .shapes = "self: broadcasts to [b, m, n], batch1: [b, m, k], batch2: [b, k, n] -> [b, m, n]",
         .cost = "bmm's; self is read once, as the result is written",
         .errors = {bad_shape(bad_batches, "baddbmm([1, 2, 3], [[[1, 2]]], [[[1], [2]]])"),
                    bad_dtype(bad_sum_types, "baddbmm([1], [[[1, 2]]], [[[1], [2]]], beta=0.5)")},
         .examples = {{"baddbmm([10], [[[1, 2]], [[3, 4]]], [[[1], [1]], [[0], [2]]])",
                       "[[[13]], [[18]]] (int64 [2, 1, 1])"}}}),
    page<composed_product_family, aten::addbmm, aten::addbmm_, aten::addbmm_out>(
        {.summary = "Returns beta * self + alpha * the sum of all products of a batch; self is not read if beta is 0.",
         .shapes = "self: broadcasts to [m, n], batch1: [b, m, k], batch2: [b, k, n] -> [m, n]",
         .cost = "one matrix product, [m, b * k] with [b * k, n], for which batch1 is copied if b > 1",
         .errors = {bad_shape(bad_batches, "addbmm([1], [[[1, 2]]], [[[3, 4]]])"),
                    bad_dtype(bad_sum_types, "addbmm([1], [[[1, 2]]], [[[1.5], [2.5]]])")},
         .examples = {{"addbmm([10], [[[1, 2]], [[3, 4]]], [[[1], [1]], [[0], [2]]])", "[[21]] (int64 [1, 1])"}}}),
    page<composed_product_family, aten::matmul, aten::matmul_out, aten::linalg_matmul, aten::linalg_matmul_out>(
        {.summary =
             "Multiplies matrices and vectors: the last two dimensions are those of matrices, the others broadcast; a "
             "vector is a row on the left and a column on the right, and that dimension is removed.",
         .shapes = "self: [.., m, k] or [k], other: [.., k, n] or [k] -> [.., m, n], [.., m], [.., n] or []",
         .cost = "one mm where other is a matrix or a vector, however many dimensions self has; else a bmm, for which "
                 "an operand whose batch broadcasts is copied, unless that is one matrix for all",
         .errors = {bad_shape("an operand has no dimension, the inner sizes differ, or the others do not broadcast",
                              "matmul([[1, 2]], [[3, 4]])"),
                    not_one_dtype("matmul([1, 2], [1.5, 2.5])")},
         .examples = {{"matmul([[1, 2], [3, 4]], [[1, 0], [2, 1]])", "[[5, 2], [11, 4]] (int64 [2, 2])"},
                      {"matmul([[1, 2], [3, 4]], [1, 10])", "[21, 43] (int64 [2])"},
                      {"matmul([[[1, 2]], [[3, 4]]], [[1], [1]])", "[[[3]], [[7]]] (int64 [2, 1, 1])"}}}),
    page<composed_product_family, aten::linear, aten::linear_out>(
        {.summary = "Computes input @ weight.t() + bias.",
         .shapes = "input: [.., in], weight: [out, in] or [in], bias: [out], [1] or [] -> [.., out], or [..] for a "
                   "weight of one dimension",
         .cost = "one matrix product that reads weight in place; the bias is part of it if weight is a matrix, else it "
                 "is added in another pass",
         .errors = {bad_shape("input has no dimension, its last size is not weight's, or bias has other sizes",
                              "linear([1, 2], [[1, 2, 3]])"),
                    not_one_dtype("linear([1, 2], [[1.5, 2.5]])")},
         .examples = {{"linear([[1, 2]], [[1, 1], [0, 2]], [10, 20])", "[[13, 24]] (int64 [1, 2])"},
                      {"linear([1.0, 2.0], [[1.0, 1.0], [0.0, 2.0]])", "[3, 4] (float32 [2])"}}}),
    page<product_family, aten::mv, aten::mv_out>(
        {.summary = "Multiplies a matrix by a vector.",
         .shapes = "self: [m, k], vec: [k] -> [m]",
         .memory = composed_memory,
         .errors = {bad_shape("self is not a matrix, vec not a vector, or their inner sizes differ",
                              "mv([[1, 2]], [1, 2, 3])"),
                    not_one_dtype("mv([[1, 2]], [1.5, 2.5])")},
         .examples = {{"mv([[1, 2], [3, 4]], [1, 10])", "[21, 43] (int64 [2])"}}}),
    page<composed_product_family, aten::addmv, aten::addmv_, aten::addmv_out>(
        {.summary = "Returns beta * self + alpha * mat @ vec; self is not read if beta is 0.",
         .shapes = "self: [m], [1] or [], mat: [m, k], vec: [k] -> [m]",
         .cost = "a matrix product, one of them a column, which adds to a copy of self",
         .errors = {bad_shape(
                        "mat is not a matrix, vec not a vector, their inner sizes differ, or self has other sizes",
                        "addmv([1, 2], [[1, 2]], [1, 2])"),
                    bad_dtype(bad_sum_types, "addmv([1], [[1, 2]], [1, 2], beta=0.5)")},
         .examples = {{"addmv([10, 20], [[1, 2], [3, 4]], [1, 10])", "[31, 63] (int64 [2])"},
                      {"addmv([1.0], [[1.0, 2.0]], [3.0, 4.0], beta=10, alpha=0.5)", "[15.5] (float32 [1])"}}}),
    page<composed_product_family, aten::dot, aten::dot_out, aten::vdot, aten::vdot_out>(
        {.summary =
             "Computes the dot product of two vectors; vdot is the same, since complex dtypes are not supported.",
         .shapes = "self: [n], tensor: [n] -> []",
         .cost = "the product of a row and a column: n multiply-adds; operands that are not dense are packed, and "
                 "dtypes other than int64, float32 and float64 are copied",
         .errors = {bad_shape("an operand is not a vector, or the lengths differ", "dot([1, 2], [1, 2, 3])"),
                    not_one_dtype("dot([1, 2], [1.5, 2.5])")},
         .examples = {{"dot([1, 2, 3], [4, 5, 6])", "32 (int64 [])"},
                      {"vdot([1.5, 2.0], [2.0, 0.5])", "4 (float32 [])"}}}),
    page<promoted_family, aten::outer, aten::outer_out, aten::ger, aten::ger_out>(
        {.summary = "Multiplies each element of one vector by each of the other; ger is another name.",
         .shapes = "self: [m], vec2: [n] -> [m, n]",
         .cost = "one pass over the result, as a product that broadcasts",
         .errors = {bad_shape("an operand is not a vector", "outer([1, 2], [[3, 4]])")},
         .examples = {{"outer([1, 2], [3, 4, 5])", "[[3, 4, 5], [6, 8, 10]] (int64 [2, 3])"},
                      {"ger([1, 2], [0.5])", "[[0.5], [1]] (float32 [2, 1])"}}}),
    page<aten::addr, aten::addr_, aten::addr_out>(
        {.summary = "Returns beta * self + alpha * outer(vec1, vec2); self is not read if beta is 0.",
         .shapes = "self: broadcasts to [m, n], vec1: [m], vec2: [n] -> [m, n]",
         .dtypes = "any; all are promoted, with factors that are not 1 too",
         .memory = composed_memory,
         .cost = "a pass for the outer product, one for the sum, and one for each factor that is not 1",
         .errors = {bad_shape("vec1 or vec2 is not a vector, or self does not broadcast to the product; in place, self "
                              "has other sizes",
                              "addr([0, 0, 0], [1, 2], [3, 4])"),
                    bad_dtype("self in place cannot hold the result", "addr_([[0]], [1], [2.5])")},
         .examples = {{"addr([[1, 2], [3, 4]], [1, 2], [10, 20])", "[[11, 22], [23, 44]] (int64 [2, 2])"},
                      {"addr([0.0, 1.0], [1, 2], [10, 20], beta=2, alpha=0.5)",
                       "[[5, 12], [10, 22]] (float32 [2, 2])"}}}),
    page<promoted_family, aten::kron, aten::kron_out>(
        {.summary = "Returns the Kronecker product: a block of other for each element of self, times that element.",
         .shapes = "self: [m, ..], other: [n, ..] -> [m * n, ..]; the one of fewer dimensions has ones in front",
         .cost = "one pass over the result, as a product that broadcasts; operands that are not dense are copied",
         .errors = {bad_shape("an operand has more than 4 dimensions", "kron([[[[[1]]]]], [1])")},
         .examples = {{"kron([1, 10], [1, 2, 3])", "[1, 2, 3, 10, 20, 30] (int64 [6])"},
                      {"kron([[1, 0], [0, 1]], [[2, 3]])", "[[2, 3, 0, 0], [0, 0, 2, 3]] (int64 [2, 4])"}}}),
    page<aten::trace>({.summary = "Sums the diagonal of a matrix.",
                       .shapes = "self: [m, n] -> []",
                       .dtypes = "any; integers and bool sum into int64",
                       .cost = "one read of the diagonal",
                       .errors = {bad_shape("self is not a matrix", "trace([1, 2])")},
                       .examples = {{"trace([[1, 2], [3, 4]])", "5 (int64 [])"}}}),
};

void publish_linalg_docs() { author::publish_pages({"Matrix and vector products", pages}).keep(); }

}  // namespace topbit::detail
