module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view bounded =
    "any; a floating number makes bool and integers float32, an integer makes bool int64; a tensor is promoted with "
    "self, and both may be bool";

constexpr operator_page pages[] = {
    page<elementwise::where, aten::where_self, aten::where_self_out, aten::where_ScalarSelf, aten::where_ScalarOther,
         aten::where_Scalar>(
        {.summary = "Selects the element of self if condition is true, and that of other otherwise.",
         .dtypes = "any; self and other are promoted; condition is bool, or uint8, of which all but 0 is true",
         .errors = {bad_dtype("condition is not bool or uint8", "where.self([1.5], [1.0], [2.0])")},
         .examples = {{"where.self([True, False] (bool), [1, 2], [[3], [4]])", "[[1, 3], [1, 4]] (int64 [2, 2])"},
                      {"where.ScalarOther([True, False], [1, 2], 0.5)", "[1, 0.5] (float32 [2])"},
                      {"where.Scalar([True, False], 1, 2)", "[1, 2] (int64 [2])"}}}),
    page<elementwise::clamp, aten::clamp, aten::clamp_, aten::clamp_out>(
        {.summary = "Limits elements to what lies between min and max, one of which may be missing; NaN stays, and "
                    "where min is above max all become max.",
         .dtypes = "any; the result has self's dtype, but float32 for bool and integers with a floating bound, and "
                   "int64 for bool with one of integers",
         .errors = {bad_value("neither min nor max is given", "clamp([1, 5])"),
                    bad_value("the bounds exclude all numbers of self's integer dtype", "clamp([1] (uint8), 300)"),
                    bad_dtype("self is bool, and so is each bound", "clamp([True], False, True)"),
                    bad_dtype("in place, a bound makes the result of a higher category than self",
                              "clamp_([1, 5], 0.5)")},
         .examples = {{"clamp([1, 5, 9], 2, 6)", "[2, 5, 6] (int64 [3])"},
                      {"clamp([1.0, nan, 9.0], max=6)", "[1, nan, 6] (float32 [3])"},
                      {"clamp([1, 5], 0.5, 3.5)", "[1, 3.5] (float32 [2])"}}}),
    page<elementwise::maximum, aten::clamp_Tensor, aten::clamp_Tensor_, aten::clamp_Tensor_out>(
        {.summary = "Limits each element to what lies between its own min and max, one of which may be missing; NaN in "
                    "any of the three is the result.",
         .dtypes = "any; all are promoted",
         .memory = "the result is new and dense, in the memory order of the operands; or self or out, which may "
                   "overlap the operands",
         .cost = "a pass for each bound, each into a new tensor, and one more in place and for out",
         .errors = {bad_value("neither min nor max is given", "clamp.Tensor([1, 5])")},
         .examples = {{"clamp.Tensor([1, 5, 9], [2, 2, 2], [6, 6, 8])", "[2, 5, 8] (int64 [3])"},
                      {"clamp.Tensor([1.0, 5.0], max=[[2.0], [4.0]])", "[[1, 2], [1, 4]] (float32 [2, 2])"}}}),
    page<elementwise::maximum, aten::clamp_min, aten::clamp_min_, aten::clamp_min_out, aten::clamp_min_Tensor,
         aten::clamp_min_Tensor_, aten::clamp_min_Tensor_out>(
        {.summary = "Clamps from below: clamp with one bound, with a tensor maximum.",
         .dtypes = bounded,
         .cost = "one pass; operands are converted and broadcast on the way, not copied",
         .errors = {bad_value("min excludes all numbers of self's integer dtype", "clamp_min([1] (uint8), 300)"),
                    bad_dtype("self is bool, and min a number that is bool", "clamp_min([True], True)")},
         .examples = {{"clamp_min([1, 5], 3)", "[3, 5] (int64 [2])"},
                      {"clamp_min.Tensor([1, 5], [2, 6])", "[2, 6] (int64 [2])"}}}),
    page<elementwise::minimum, aten::clamp_max, aten::clamp_max_, aten::clamp_max_out, aten::clamp_max_Tensor,
         aten::clamp_max_Tensor_, aten::clamp_max_Tensor_out>(
        {.summary = "Lowers what is above max to it: clamp with one bound, with a tensor minimum.",
         .dtypes = bounded,
         .cost = "one pass; operands are converted and broadcast on the way, not copied",
         .errors = {bad_value("max excludes all numbers of self's integer dtype", "clamp_max([1] (uint8), -1)"),
                    bad_dtype("self is bool, and max a number that is bool", "clamp_max([True], True)")},
         .examples = {{"clamp_max([1, 5], 3)", "[1, 3] (int64 [2])"},
                      {"clamp_max.Tensor([1, 5], [2, 4])", "[1, 4] (int64 [2])"}}}),
    page<elementwise::lerp, aten::lerp_Tensor, aten::lerp_Tensor_, aten::lerp_Tensor_out, aten::lerp_Scalar,
         aten::lerp_Scalar_, aten::lerp_Scalar_out>(
        {.summary = "Interpolates: self + weight * (end - self), exactly self for a weight of 0 and end for 1.",
         .dtypes = "floating; all tensors are of the same dtype, which the result has",
         .errors = {bad_dtype("the dtypes differ", "lerp.Tensor([0.0], [1], [0.5])")},
         .examples = {{"lerp.Tensor([0.0, 10.0], [10.0, 20.0], [0.5, 0.25])", "[5, 12.5] (float32 [2])"},
                      {"lerp.Scalar([0.0, 10.0], [10.0, 20.0], 0.5)", "[5, 15] (float32 [2])"}}}),
    page<elementwise::addcmul, aten::addcmul, aten::addcmul_, aten::addcmul_out>(
        {.summary = "Adds value * tensor1 * tensor2 to self, in one pass.",
         .dtypes = "numbers; the three are promoted; integers wrap",
         .errors = {bad_dtype("value has a fraction, and the tensors are of integers",
                              "addcmul([1], [3], [5], value=0.5)")},
         .examples = {{"addcmul([1, 2], [3, 4], [5, 6], value=2)", "[31, 50] (int64 [2])"}}}),
    page<elementwise::addcdiv, aten::addcdiv, aten::addcdiv_, aten::addcdiv_out>(
        {.summary = "Adds value * tensor1 / tensor2 to self, in one pass.",
         .dtypes = "floating; the three are promoted, so one that is floating will do",
         .examples = {{"addcdiv([1.0, 2.0], [3.0, 4.0], [2.0, 8.0], value=2)", "[4, 3] (float32 [2])"}}}),
};

void publish_ternary_docs() { author::publish_pages({"Selection, clamping and interpolation", pages}).keep(); }

}  // namespace topbit::detail
