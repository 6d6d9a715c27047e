module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view compared =
    "any; both are promoted, so that large integers lose precision compared with floating numbers; the result is bool, "
    "in place and in out 1 and 0 of that dtype";
constexpr std::string_view logical =
    "any; both are promoted, and nonzero elements are true, NaN included; the result is bool, in place and in out 1 "
    "and 0 of that dtype";

constexpr operator_page pages[] = {
    page<elementwise::eq, aten::eq_Tensor, aten::eq_Tensor_, aten::eq_Tensor_out, aten::eq_Scalar, aten::eq_Scalar_,
         aten::eq_Scalar_out>(
        {.summary = "Tests elementwise whether self equals other; NaN equals nothing.",
         .dtypes = compared,
         .examples = {{"eq.Tensor([1.0, 2.0, nan], [1.0, 3.0, nan])", "[true, false, false] (bool [3])"},
                      {"eq.Scalar([1, 2], 1)", "[true, false] (bool [2])"}}}),
    page<elementwise::ne, aten::ne_Tensor, aten::ne_Tensor_, aten::ne_Tensor_out, aten::ne_Scalar, aten::ne_Scalar_,
         aten::ne_Scalar_out>(
        {.summary = "Tests elementwise whether self differs from other; NaN differs from everything.",
         .dtypes = compared,
         .examples = {{"ne.Tensor([1.0, 2.0, nan], [1.0, 3.0, nan])", "[false, true, true] (bool [3])"},
                      {"ne.Scalar([1, 2], 1)", "[false, true] (bool [2])"}}}),
    page<elementwise::lt, aten::lt_Tensor, aten::lt_Tensor_, aten::lt_Tensor_out, aten::lt_Scalar, aten::lt_Scalar_,
         aten::lt_Scalar_out>(
        {.summary = "Tests elementwise whether self is less than other; false if one is NaN.",
         .dtypes = compared,
         .examples = {{"lt.Tensor([1.0, 2.0, nan], [2.0, 2.0, 2.0])", "[true, false, false] (bool [3])"},
                      {"lt.Scalar([1, 2], 1.5)", "[true, false] (bool [2])"}}}),
    page<elementwise::le, aten::le_Tensor, aten::le_Tensor_, aten::le_Tensor_out, aten::le_Scalar, aten::le_Scalar_,
         aten::le_Scalar_out>(
        {.summary = "Tests elementwise whether self is less than or equal to other; false if one is NaN.",
         .dtypes = compared,
         .examples = {{"le.Tensor([1.0, 2.0, nan], [2.0, 2.0, 2.0])", "[true, true, false] (bool [3])"},
                      {"le.Scalar([1, 2], 1.5)", "[true, false] (bool [2])"}}}),
    page<elementwise::gt, aten::gt_Tensor, aten::gt_Tensor_, aten::gt_Tensor_out, aten::gt_Scalar, aten::gt_Scalar_,
         aten::gt_Scalar_out>(
        {.summary = "Tests elementwise whether self is greater than other; false if one is NaN.",
         .dtypes = compared,
         .examples = {{"gt.Tensor([2.0, 2.0, nan], [1.0, 2.0, 2.0])", "[true, false, false] (bool [3])"},
                      {"gt.Scalar([1, 2], 1.5)", "[false, true] (bool [2])"}}}),
    page<elementwise::ge, aten::ge_Tensor, aten::ge_Tensor_, aten::ge_Tensor_out, aten::ge_Scalar, aten::ge_Scalar_,
         aten::ge_Scalar_out>(
        {.summary = "Tests elementwise whether self is greater than or equal to other; false if one is NaN.",
         .dtypes = compared,
         .examples = {{"ge.Tensor([2.0, 2.0, nan], [1.0, 2.0, 2.0])", "[true, true, false] (bool [3])"},
                      {"ge.Scalar([1, 2], 1.5)", "[false, true] (bool [2])"}}}),

    // Logic.
    page<elementwise::logical_not, aten::logical_not, aten::logical_not_, aten::logical_not_out>(
        {.summary = "Tests elementwise whether self is 0.",
         .examples = {{"logical_not([1.5, 0.0])", "[false, true] (bool [2])"}}}),
    page<elementwise::logical_and, aten::logical_and, aten::logical_and_, aten::logical_and_out>(
        {.summary = "Tests elementwise whether self and other both are not 0.",
         .dtypes = logical,
         .examples = {{"logical_and([0.0, 2.0, 2.0, 0.0], [1.0, 1.0, 0.0, 0.0])",
                       "[false, true, false, false] (bool [4])"}}}),
    page<elementwise::logical_or, aten::logical_or, aten::logical_or_, aten::logical_or_out>(
        {.summary = "Tests elementwise whether self or other is not 0, or both.",
         .dtypes = logical,
         .examples = {{"logical_or([0.0, 2.0, 2.0, 0.0], [1.0, 1.0, 0.0, 0.0])",
                       "[true, true, true, false] (bool [4])"}}}),
    page<elementwise::logical_xor, aten::logical_xor, aten::logical_xor_, aten::logical_xor_out>(
        {.summary = "Tests elementwise whether exactly one of self and other is not 0.",
         .dtypes = logical,
         .examples = {{"logical_xor([0.0, 2.0, 2.0, 0.0], [1.0, 1.0, 0.0, 0.0])",
                       "[true, false, true, false] (bool [4])"}}}),
    page<elementwise::isnan, aten::isnan>(
        {.summary = "Tests elementwise whether self is NaN; never for integers and bool.",
         .examples = {{"isnan([1.0, nan, -inf])", "[false, true, false] (bool [3])"}}}),
    page<elementwise::isinf, aten::isinf>(
        {.summary = "Tests elementwise whether self is inf or -inf; never for integers and bool.",
         .examples = {{"isinf([1.0, nan, -inf])", "[false, false, true] (bool [3])"}}}),
    page<elementwise::isposinf, aten::isposinf, aten::isposinf_out>(
        {.summary = "Tests elementwise whether self is inf; never for integers and bool.",
         .examples = {{"isposinf([1.0, nan, -inf, inf])", "[false, false, false, true] (bool [4])"}}}),
    page<elementwise::isneginf, aten::isneginf, aten::isneginf_out>(
        {.summary = "Tests elementwise whether self is -inf; never for integers and bool.",
         .examples = {{"isneginf([1.0, nan, -inf, inf])", "[false, false, true, false] (bool [4])"}}}),
    page<elementwise::signbit, aten::signbit, aten::signbit_out>(
        {.summary =
             "Tests elementwise whether the sign bit of self is set: below zero, for -0.0, and for NaNs with it.",
         .examples = {{"signbit([1.0, -0.0, -inf])", "[false, true, true] (bool [3])"},
                      {"signbit([0, -1])", "[false, true] (bool [2])"}}}),
    page<elementwise::isfinite, aten::isfinite>(
        {.summary = "Tests elementwise whether self is neither NaN nor infinite; always for integers and bool.",
         .examples = {{"isfinite([1.0, nan, -inf])", "[true, false, false] (bool [3])"}}}),

    // Bits.
    page<elementwise::bitwise_and, aten::bitwise_and_Tensor, aten::bitwise_and_Tensor_, aten::bitwise_and_Tensor_out,
         aten::bitwise_and_Scalar, aten::bitwise_and_Scalar_, aten::bitwise_and_Scalar_out,
         aten::bitwise_and_Scalar_Tensor>(
        {.summary = "Computes the bitwise and; for bool the logical and.",
         .examples = {{"bitwise_and.Tensor([12, 10], [10, 6])", "[8, 2] (int64 [2])"},
                      {"bitwise_and.Scalar([12, 10], 6)", "[4, 2] (int64 [2])"},
                      {"bitwise_and.Scalar_Tensor(6, [12, 10])", "[4, 2] (int64 [2])"}}}),
    page<elementwise::bitwise_or, aten::bitwise_or_Tensor, aten::bitwise_or_Tensor_, aten::bitwise_or_Tensor_out,
         aten::bitwise_or_Scalar, aten::bitwise_or_Scalar_, aten::bitwise_or_Scalar_out,
         aten::bitwise_or_Scalar_Tensor>(
        {.summary = "Computes the bitwise or; for bool the logical or.",
         .examples = {{"bitwise_or.Tensor([12, 10], [10, 6])", "[14, 14] (int64 [2])"},
                      {"bitwise_or.Scalar([12, 10], 6)", "[14, 14] (int64 [2])"},
                      {"bitwise_or.Scalar_Tensor(6, [12, 10])", "[14, 14] (int64 [2])"}}}),
    page<elementwise::bitwise_xor, aten::bitwise_xor_Tensor, aten::bitwise_xor_Tensor_, aten::bitwise_xor_Tensor_out,
         aten::bitwise_xor_Scalar, aten::bitwise_xor_Scalar_, aten::bitwise_xor_Scalar_out,
         aten::bitwise_xor_Scalar_Tensor>(
        {.summary = "Computes the bitwise exclusive or; for bool whether they differ.",
         .examples = {{"bitwise_xor.Tensor([12, 10], [10, 6])", "[6, 12] (int64 [2])"},
                      {"bitwise_xor.Scalar([12, 10], 6)", "[10, 12] (int64 [2])"},
                      {"bitwise_xor.Scalar_Tensor(6, [12, 10])", "[10, 12] (int64 [2])"}}}),
    page<elementwise::shift_left, aten::bitwise_left_shift_Tensor, aten::bitwise_left_shift_Tensor_,
         aten::bitwise_left_shift_Tensor_out, aten::bitwise_left_shift_Tensor_Scalar,
         aten::bitwise_left_shift_Tensor_Scalar_, aten::bitwise_left_shift_Tensor_Scalar_out,
         aten::bitwise_left_shift_Scalar_Tensor>(
        {.summary = "Multiplies self by 2 to the power of other; a shift by a negative number, or by the bit width of "
                    "the promoted dtype or more, gives 0.",
         .examples = {{"bitwise_left_shift.Tensor([1, 2, 3], [3, 4, 64])", "[8, 32, 0] (int64 [3])"},
                      {"bitwise_left_shift.Tensor_Scalar([1, 2], 3)", "[8, 16] (int64 [2])"},
                      {"bitwise_left_shift.Scalar_Tensor(1, [3, 4])", "[8, 16] (int64 [2])"}}}),
    page<elementwise::shift_right, aten::bitwise_right_shift_Tensor, aten::bitwise_right_shift_Tensor_,
         aten::bitwise_right_shift_Tensor_out, aten::bitwise_right_shift_Tensor_Scalar,
         aten::bitwise_right_shift_Tensor_Scalar_, aten::bitwise_right_shift_Tensor_Scalar_out,
         aten::bitwise_right_shift_Scalar_Tensor>(
        {.summary = "Divides self by 2 to the power of other and rounds down; a shift by a negative number, or by the "
                    "bit width of the promoted dtype or more, gives 0, or -1 for negative numbers.",
         .examples = {{"bitwise_right_shift.Tensor([16, -16, -3], [2, 2, 64])", "[4, -4, -1] (int64 [3])"},
                      {"bitwise_right_shift.Tensor_Scalar([16, 5], 1)", "[8, 2] (int64 [2])"},
                      {"bitwise_right_shift.Scalar_Tensor(16, [1, 2])", "[8, 4] (int64 [2])"}}}),

    // Within a tolerance, and of whole tensors.
    page<aten::isclose>(
        {.summary = "Tests elementwise whether abs(self - other) <= atol + rtol * abs(other), or both are the same "
                    "infinity, or NaN with equal_nan.",
         .shapes = "self: [..], other: [..] -> their broadcast",
         .dtypes = "any; both are of the same dtype; the result is bool",
         .memory = "the result is new and dense, in the memory order of the operands",
         .cost = "ten passes, each into a new tensor, and four more with equal_nan; integers and bool are first copied "
                 "to float64",
         .errors = {bad_dtype("the dtypes differ", "isclose([1.0], [1])"),
                    no_broadcast("isclose([1.0, 2.0, 3.0], [1.0, 2.0])"),
                    bad_value("rtol or atol is negative or NaN", "isclose([1.0], [1.0], -1.0)")},
         .examples = {{"isclose([1.0, 2.0], [1.0, 2.5])", "[true, false] (bool [2])"},
                      {"isclose([1.0, nan], [1.1, nan], 0.2, equal_nan=True)", "[true, true] (bool [2])"}}}),
    page<aten::allclose>({.summary = "Tests whether all elements of self and other are close, as isclose says.",
                          .shapes = "self: [..], other: [..] -> a bool",
                          .dtypes = "any; both are of the same dtype",
                          .memory = "reads only; the result is not a tensor",
                          .cost = "the passes of isclose and two more; waits for the device",
                          .errors = {bad_dtype("the dtypes differ", "allclose([1.0], [1])"),
                                     no_broadcast("allclose([1.0, 2.0, 3.0], [1.0, 2.0])"),
                                     bad_value("rtol or atol is negative or NaN", "allclose([1.0], [1.0], -1.0)")},
                          .examples = {{"allclose([1.0, 2.0], [1.0, 2.5])", "False"},
                                       {"allclose([1.0, 2.0], [1.0, 2.5], atol=1.0)", "True"}}}),
    page<aten::equal>(
        {.summary = "Tests whether self and other have the same sizes and the same elements; NaN equals nothing.",
         .shapes = "self: [..], other: [..] -> a bool",
         .dtypes = "any; both are of the same dtype",
         .memory = "reads only; the result is not a tensor",
         .cost = "three passes, two of them into new tensors, and waits for the device; none if sizes differ",
         .errors = {bad_dtype("the dtypes differ", "equal([1, 2], [1.0, 2.0])")},
         .examples = {{"equal([1, 2], [1, 2])", "True"}, {"equal([1, 2], [[1, 2]])", "False"}}}),
};

void publish_comparison_docs() { author::publish_pages({"Comparison, logic and bits", pages}).keep(); }

}  // namespace topbit::detail
