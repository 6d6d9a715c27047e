module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

using author::page;
using author::page_error;
using author::raises;

constexpr std::string_view new_or_written =
    "the result is new and dense, in the memory order of the operands; or self or out, which may be an operand, and "
    "costs a copy if it overlaps one partly";

constexpr std::string_view one_pass = "one pass; operands are converted and broadcast on the way, not copied";
constexpr std::string_view one_pass_or_number =
    "one pass; operands are converted and broadcast on the way, not copied, and a number is first made a tensor";

consteval page_error no_broadcast(std::string_view example) {
  return raises<shape_error>("the operands do not broadcast", example);
}
consteval page_error other_sizes(std::string_view example) {
  return raises<shape_error>("self in place, or out, has another shape than the result, or elements that share memory",
                             example);
}
consteval page_error no_fit(std::string_view example) {
  return raises<dtype_error>("the result is of a higher category (bool, integers, floating) than self in place, or out",
                             example);
}
constexpr page_error two_devices = raises<device_error>("the tensors are on different devices");

constexpr author::operator_page pages[] = {
    page<aten::where_self, aten::where_self_out, aten::where_ScalarSelf, aten::where_ScalarOther, aten::where_Scalar>({
        .summary = "Selects the element of self if condition is true, and that of other otherwise.",
        .shapes = "condition: [..], self: [..], other: [..] -> their broadcast",
        .dtypes = "any; self and other are promoted; condition is bool, or uint8, of which all but 0 is true",
        .memory = "the result is new and dense, in the memory order of the operands; or out, which may be an operand, "
                  "and costs a copy if it overlaps one partly",
        .cost = one_pass_or_number,
        .errors = {raises<dtype_error>("condition is not bool or uint8", "where.self([1.5], [1.0], [2.0])"),
                   no_broadcast("where.self([True, False, True], [1, 2], [3])"),
                   raises<shape_error>("out has another shape than the result, or elements that share memory",
                                       "where.self_out([True], [1], [2], out=[0, 0])"),
                   raises<dtype_error>("the result is of a higher category (bool, integers, floating) than out",
                                       "where.self_out([True], [1.5], [2], out=[0])"),
                   two_devices},
        .examples = {{"where.self([True, False] (bool), [1, 2], [[3], [4]])", "[[1, 3], [1, 4]] (int64 [2, 2])"},
                     {"where.ScalarOther([True, False], [1, 2], 0.5)", "[1, 0.5] (float32 [2])"},
                     {"where.Scalar([True, False], 1, 2)", "[1, 2] (int64 [2])"}},
    }),
    page<aten::clamp, aten::clamp_, aten::clamp_out>({
        .summary = "Limits elements to what lies between min and max, one of which may be missing; NaN stays, and "
                   "where min is above max all become max.",
        .shapes = "self: [..] -> the same",
        .dtypes =
            "any; the result has self's dtype, but float32 for bool and integers with a floating bound, and int64 for "
            "bool with one of integers",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<error>("neither min nor max is given", "clamp([1, 5])"),
                   raises<error>("the bounds exclude all numbers of self's integer dtype", "clamp([1] (uint8), 300)"),
                   raises<dtype_error>("self is bool, and so is each bound", "clamp([True], False, True)"),
                   no_fit("clamp_([1, 5], 0.5)"), other_sizes("clamp.out([1], 0, out=[0, 0])"), two_devices},
        .examples = {{"clamp([1, 5, 9], 2, 6)", "[2, 5, 6] (int64 [3])"},
                     {"clamp([1.0, nan, 9.0], max=6)", "[1, nan, 6] (float32 [3])"},
                     {"clamp([1, 5], 0.5, 3.5)", "[1, 3.5] (float32 [2])"}},
    }),
    page<aten::clamp_Tensor, aten::clamp_Tensor_, aten::clamp_Tensor_out>({
        .summary = "Limits each element to what lies between its own min and max, one of which may be missing; NaN in "
                   "any of the three is the result.",
        .shapes = "self: [..], min: [..], max: [..] -> their broadcast; in place self's",
        .dtypes = "any; all are promoted",
        .memory = "the result is new and dense, in the memory order of the operands; or self or out, which may overlap "
                  "the operands",
        .cost = "a pass for each bound, each into a new tensor, and one more in place and for out",
        .errors = {raises<error>("neither min nor max is given", "clamp.Tensor([1, 5])"),
                   no_broadcast("clamp.Tensor([1, 5, 9], [2, 2])"), other_sizes("clamp_.Tensor([1], [2, 2])"),
                   no_fit("clamp_.Tensor([1, 5], [2.5])"), two_devices},
        .examples = {{"clamp.Tensor([1, 5, 9], [2, 2, 2], [6, 6, 8])", "[2, 5, 8] (int64 [3])"},
                     {"clamp.Tensor([1.0, 5.0], max=[[2.0], [4.0]])", "[[1, 2], [1, 4]] (float32 [2, 2])"}},
    }),
    page<aten::clamp_min, aten::clamp_min_, aten::clamp_min_out, aten::clamp_min_Tensor, aten::clamp_min_Tensor_,
         aten::clamp_min_Tensor_out>({
        .summary = "Clamps from below: clamp with one bound, with a tensor maximum.",
        .shapes = "self: [..], min: [..] -> their broadcast; in place self's",
        .dtypes =
            "any; a floating number makes bool and integers float32, an integer makes bool int64; a tensor is promoted "
            "with self, and both may be bool",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<error>("min excludes all numbers of self's integer dtype", "clamp_min([1] (uint8), 300)"),
                   raises<dtype_error>("self is bool, and min a number that is bool", "clamp_min([True], True)"),
                   no_broadcast("clamp_min.Tensor([1, 2, 3], [1, 2])"), other_sizes("clamp_min_.Tensor([1], [2, 2])"),
                   no_fit("clamp_min_([1], 2.5)"), two_devices},
        .examples = {{"clamp_min([1, 5], 3)", "[3, 5] (int64 [2])"},
                     {"clamp_min.Tensor([1, 5], [2, 6])", "[2, 6] (int64 [2])"}},
    }),
    page<aten::clamp_max, aten::clamp_max_, aten::clamp_max_out, aten::clamp_max_Tensor, aten::clamp_max_Tensor_,
         aten::clamp_max_Tensor_out>({
        .summary = "Lowers what is above max to it: clamp with one bound, with a tensor minimum.",
        .shapes = "self: [..], max: [..] -> their broadcast; in place self's",
        .dtypes =
            "any; a floating number makes bool and integers float32, an integer makes bool int64; a tensor is promoted "
            "with self, and both may be bool",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<error>("max excludes all numbers of self's integer dtype", "clamp_max([1] (uint8), -1)"),
                   raises<dtype_error>("self is bool, and max a number that is bool", "clamp_max([True], True)"),
                   no_broadcast("clamp_max.Tensor([1, 2, 3], [1, 2])"), other_sizes("clamp_max_.Tensor([1], [2, 2])"),
                   no_fit("clamp_max_([1], 2.5)"), two_devices},
        .examples = {{"clamp_max([1, 5], 3)", "[1, 3] (int64 [2])"},
                     {"clamp_max.Tensor([1, 5], [2, 4])", "[1, 4] (int64 [2])"}},
    }),
    page<aten::lerp_Tensor, aten::lerp_Tensor_, aten::lerp_Tensor_out, aten::lerp_Scalar, aten::lerp_Scalar_,
         aten::lerp_Scalar_out>({
        .summary = "Interpolates: self + weight * (end - self), exactly self for a weight of 0 and end for 1.",
        .shapes = "self: [..], end: [..], weight: [..] -> their broadcast; in place self's",
        .dtypes = "floating; all tensors are of the same dtype, which the result has",
        .memory = new_or_written,
        .cost = one_pass_or_number,
        .errors = {raises<dtype_error>("the dtypes differ", "lerp.Tensor([0.0], [1], [0.5])"),
                   raises<dtype_error>("the tensors are not floating", "lerp.Scalar([0], [1], 0.5)"),
                   no_broadcast("lerp.Tensor([1.0, 2.0, 3.0], [1.0, 2.0], [0.5])"),
                   other_sizes("lerp_.Tensor([1.0], [1.0, 2.0], [0.5])"),
                   raises<dtype_error>("out is not floating", "lerp.Tensor_out([0.0], [1.0], [0.5], out=[0])"),
                   two_devices},
        .examples = {{"lerp.Tensor([0.0, 10.0], [10.0, 20.0], [0.5, 0.25])", "[5, 12.5] (float32 [2])"},
                     {"lerp.Scalar([0.0, 10.0], [10.0, 20.0], 0.5)", "[5, 15] (float32 [2])"}},
    }),
    page<aten::addcmul, aten::addcmul_, aten::addcmul_out>({
        .summary = "Adds value * tensor1 * tensor2 to self, in one pass.",
        .shapes = "self: [..], tensor1: [..], tensor2: [..] -> their broadcast; in place self's",
        .dtypes = "numbers; the three are promoted; integers wrap",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<dtype_error>("value has a fraction, and the tensors are of integers",
                                       "addcmul([1], [3], [5], value=0.5)"),
                   raises<dtype_error>("all three are bool", "addcmul([True], [True], [True])"),
                   no_broadcast("addcmul([1, 2, 3], [1, 2], [1])"), other_sizes("addcmul_([1], [1, 2], [1])"),
                   no_fit("addcmul_([1], [1.5], [2])"), two_devices},
        .examples = {{"addcmul([1, 2], [3, 4], [5, 6], value=2)", "[31, 50] (int64 [2])"}},
    }),
    page<aten::addcdiv, aten::addcdiv_, aten::addcdiv_out>({
        .summary = "Adds value * tensor1 / tensor2 to self, in one pass.",
        .shapes = "self: [..], tensor1: [..], tensor2: [..] -> their broadcast; in place self's",
        .dtypes = "floating; the three are promoted, so one that is floating will do",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<dtype_error>("none of the three is floating", "addcdiv([1], [3], [2])"),
                   no_broadcast("addcdiv([1.0, 2.0, 3.0], [1.0, 2.0], [1.0])"),
                   other_sizes("addcdiv_([1.0], [1.0, 2.0], [1.0])"), no_fit("addcdiv_([1], [1.5], [2.0])"),
                   two_devices},
        .examples = {{"addcdiv([1.0, 2.0], [3.0, 4.0], [2.0, 8.0], value=2)", "[4, 3] (float32 [2])"}},
    }),
};

}  // namespace

void publish_ternary_docs() { author::publish_pages({"Selection, clamping and interpolation", pages}).keep(); }

}  // namespace topbit::detail
