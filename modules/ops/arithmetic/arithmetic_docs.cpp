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

constexpr std::string_view broadcast_shapes = "self: [..], other: [..] -> their broadcast; in place self's";
constexpr std::string_view promoted_any =
    "any; both are promoted, where a number or a zero-dimensional tensor counts only in a higher category (bool, "
    "integers, floating)";
constexpr std::string_view promoted_numbers =
    "numbers; both are promoted, where a number or a zero-dimensional tensor counts only in a higher category (bool, "
    "integers, floating)";
constexpr std::string_view promoted_floating = "any; both are promoted, integers and bool to float32";

constexpr std::string_view new_or_written =
    "the result is new and dense, in the memory order of the operands; or self or out, which may be an operand, and "
    "costs a copy if it overlaps one partly";
constexpr std::string_view new_or_out =
    "the result is new and dense, in the memory order of the operands; or out, which may be an operand, and costs a "
    "copy if it overlaps one partly";

constexpr std::string_view one_pass = "one pass; operands are converted and broadcast on the way, not copied";
constexpr std::string_view one_pass_or_number =
    "one pass; operands are converted and broadcast on the way, not copied, and a number is first made a tensor";
constexpr std::string_view checked_division =
    "one pass, and for integers one over other before, in search of a 0; operands are converted and broadcast on the "
    "way, not copied, and a number is first made a tensor";

consteval page_error no_broadcast(std::string_view example) {
  return raises<shape_error>("the operands do not broadcast", example);
}
consteval page_error other_sizes(std::string_view example) {
  return raises<shape_error>("self in place, or out, has another shape than the result, or elements that share memory",
                             example);
}
consteval page_error no_fit(std::string_view example) {
  return raises<dtype_error>("the result is of a higher category than self in place, or out", example);
}
consteval page_error zero_divisor(std::string_view example) {
  return raises<error>("the operands are integers, and a divisor is 0", example);
}
consteval page_error two_bool(std::string_view example) { return raises<dtype_error>("both are bool", example); }
constexpr page_error two_devices = raises<device_error>("the tensors are on different devices");

constexpr author::operator_page pages[] = {
    page<aten::add_Tensor, aten::add_Tensor_, aten::add_out, aten::add_Scalar, aten::add_Scalar_>({
        .summary = "Adds other, alpha times, to self; for bool the logical or.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_any,
        .memory = new_or_written,
        .cost = one_pass_or_number,
        .errors = {no_broadcast("add.Tensor([1, 2, 3], [1, 2])"), other_sizes("add_.Tensor([1], [1, 2])"),
                   no_fit("add_.Tensor([1], [1.5])"),
                   raises<dtype_error>("alpha has a fraction for integers, or is not 1 for bool",
                                       "add.Tensor([1], [2], alpha=1.5)"),
                   two_devices},
        .examples = {{"add.Tensor([1, 2], [[10], [20]])", "[[11, 12], [21, 22]] (int64 [2, 2])"},
                     {"add.Tensor([1, 2], [0.5, 1.5], alpha=2)", "[2, 5] (float32 [2])"},
                     {"add.Scalar([1, 2], 0.5)", "[1.5, 2.5] (float32 [2])"}},
    }),
    page<aten::sub_Tensor, aten::sub_Tensor_, aten::sub_out, aten::sub_Scalar, aten::sub_Scalar_>({
        .summary = "Subtracts other, alpha times, from self.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_numbers,
        .memory = new_or_written,
        .cost = one_pass_or_number,
        .errors = {no_broadcast("sub.Tensor([1, 2, 3], [1, 2])"), other_sizes("sub_.Tensor([1], [1, 2])"),
                   no_fit("sub_.Tensor([1], [1.5])"),
                   raises<dtype_error>("both are bool: logical_xor is their difference", "sub.Tensor([True], [True])"),
                   raises<dtype_error>("alpha has a fraction for integers", "sub.Tensor([1], [2], alpha=1.5)"),
                   two_devices},
        .examples = {{"sub.Tensor([5, 7], [1, 2], alpha=3)", "[2, 1] (int64 [2])"},
                     {"sub.Scalar([1.5, 2.5], 1)", "[0.5, 1.5] (float32 [2])"}},
    }),
    page<aten::rsub_Tensor, aten::rsub_Scalar>({
        .summary = "Subtracts self, alpha times, from other: sub with its operands swapped.",
        .shapes = "self: [..], other: [..] -> their broadcast",
        .dtypes = promoted_numbers,
        .memory = "the result is new and dense, in the memory order of the operands",
        .cost = one_pass_or_number,
        .errors = {no_broadcast("rsub.Tensor([1, 2, 3], [1, 2])"), two_bool("rsub.Tensor([True], [True])"),
                   raises<dtype_error>("alpha has a fraction for integers", "rsub.Tensor([1], [2], alpha=1.5)"),
                   two_devices},
        .examples = {{"rsub.Tensor([1, 2], [10, 20], alpha=3)", "[7, 14] (int64 [2])"},
                     {"rsub.Scalar([1, 2], 10)", "[9, 8] (int64 [2])"}},
    }),
    page<aten::mul_Tensor, aten::mul_Tensor_, aten::mul_out, aten::mul_Scalar, aten::mul_Scalar_>({
        .summary = "Multiplies self by other; for bool the logical and.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_any,
        .memory = new_or_written,
        .cost = one_pass_or_number,
        .errors = {no_broadcast("mul.Tensor([1, 2, 3], [1, 2])"), other_sizes("mul_.Tensor([1], [1, 2])"),
                   no_fit("mul_.Scalar([1, 2], 0.5)"), two_devices},
        .examples = {{"mul.Tensor([1, 2], [[10], [100]])", "[[10, 20], [100, 200]] (int64 [2, 2])"},
                     {"mul.Scalar([1, 2], 0.5)", "[0.5, 1] (float32 [2])"}},
    }),
    page<aten::div_Tensor, aten::div_Tensor_, aten::div_out, aten::div_Scalar, aten::div_Scalar_>({
        .summary = "Divides self by other; the quotient of integers is floating, and division by 0 gives inf or NaN.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_floating,
        .memory = new_or_written,
        .cost = one_pass_or_number,
        .errors = {no_broadcast("div.Tensor([1, 2, 3], [1, 2])"), other_sizes("div_.Tensor([1.0], [1, 2])"),
                   no_fit("div_.Tensor([1], [2])"), two_devices},
        .examples = {{"div.Tensor([1, 2], [2, 8])", "[0.5, 0.25] (float32 [2])"},
                     {"div.Scalar([1.0, -1.0], 0)", "[inf, -inf] (float32 [2])"}},
    }),
    page<aten::div_Tensor_mode, aten::div_Tensor_mode_, aten::div_out_mode, aten::div_Scalar_mode,
         aten::div_Scalar_mode_>({
        .summary = "Divides self by other and rounds: 'floor' down, 'trunc' toward zero, None not at all, as div.",
        .shapes = broadcast_shapes,
        .dtypes = "numbers; both are promoted, and rounded integers stay integers; None also takes two bool, and gives "
                  "a floating result",
        .memory = new_or_written,
        .cost = checked_division,
        .errors = {zero_divisor("div.Tensor_mode([1], [0], rounding_mode='floor')"),
                   raises<error>("rounding_mode is another word", "div.Tensor_mode([1], [2], rounding_mode='up')"),
                   no_broadcast("div.Tensor_mode([1, 2, 3], [1, 2], rounding_mode='floor')"),
                   other_sizes("div_.Tensor_mode([1], [1, 2], rounding_mode='floor')"),
                   raises<dtype_error>(
                       "both are bool and the quotient is rounded, or the result does not fit self in place, or out",
                       "div_.Tensor_mode([1], [2], rounding_mode=None)"),
                   two_devices},
        .examples = {{"div.Tensor_mode([7, -7], [2, 2], rounding_mode='floor')", "[3, -4] (int64 [2])"},
                     {"div.Tensor_mode([7, -7], [2, 2], rounding_mode='trunc')", "[3, -3] (int64 [2])"},
                     {"div.Scalar_mode([7, -7], 2, rounding_mode=None)", "[3.5, -3.5] (float32 [2])"}},
    }),
    page<aten::floor_divide, aten::floor_divide_Tensor_, aten::floor_divide_out, aten::floor_divide_Scalar,
         aten::floor_divide_Scalar_>({
        .summary = "Divides self by other and rounds down; see remainder.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_numbers,
        .memory = new_or_written,
        .cost = checked_division,
        .errors = {zero_divisor("floor_divide([1], [0])"), no_broadcast("floor_divide([1, 2, 3], [1, 2])"),
                   other_sizes("floor_divide_.Tensor([1], [1, 2])"), no_fit("floor_divide_.Tensor([1], [0.5])"),
                   two_bool("floor_divide([True], [True])"), two_devices},
        .examples = {{"floor_divide([7, -7], [2, 2])", "[3, -4] (int64 [2])"},
                     {"floor_divide.Scalar([7.5, -7.5], 2)", "[3, -4] (float32 [2])"}},
    }),
    page<aten::remainder_Tensor, aten::remainder_Tensor_, aten::remainder_Tensor_out, aten::remainder_Scalar,
         aten::remainder_Scalar_, aten::remainder_Scalar_out, aten::remainder_Scalar_Tensor>({
        .summary = "Returns what is left of self after division by other rounded down; it has the sign of other.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_numbers,
        .memory = new_or_written,
        .cost = checked_division,
        .errors = {zero_divisor("remainder.Tensor([7, 8], [0, 3])"),
                   no_broadcast("remainder.Tensor([1, 2, 3], [1, 2])"), other_sizes("remainder_.Tensor([1], [1, 2])"),
                   no_fit("remainder_.Tensor([1], [1.5])"), two_bool("remainder.Tensor([True], [True])"), two_devices},
        .examples = {{"remainder.Tensor([7, -7], [3, 3])", "[1, 2] (int64 [2])"},
                     {"remainder.Scalar([7.5, -7.5], 2)", "[1.5, 0.5] (float32 [2])"},
                     {"remainder.Scalar_Tensor(7, [3, -3])", "[1, -2] (int64 [2])"}},
    }),
    page<aten::fmod_Tensor, aten::fmod_Tensor_, aten::fmod_Tensor_out, aten::fmod_Scalar, aten::fmod_Scalar_,
         aten::fmod_Scalar_out>({
        .summary = "Returns what is left of self after division by other rounded toward zero; it has the sign of self.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_numbers,
        .memory = new_or_written,
        .cost = checked_division,
        .errors = {zero_divisor("fmod.Tensor([1], [0])"), no_broadcast("fmod.Tensor([1, 2, 3], [1, 2])"),
                   other_sizes("fmod_.Tensor([1], [1, 2])"), no_fit("fmod_.Tensor([1], [1.5])"),
                   two_bool("fmod.Tensor([True], [True])"), two_devices},
        .examples = {{"fmod.Tensor([7, -7], [3, 3])", "[1, -1] (int64 [2])"},
                     {"fmod.Scalar([7.5, -7.5], 2)", "[1.5, -1.5] (float32 [2])"}},
    }),
    page<aten::pow_Tensor_Tensor, aten::pow_Tensor_, aten::pow_Tensor_Tensor_out, aten::pow_Tensor_Scalar,
         aten::pow_Scalar_, aten::pow_Tensor_Scalar_out, aten::pow_Scalar, aten::pow_Scalar_out>({
        .summary = "Raises self to the power of exponent.",
        .shapes = "self: [..], exponent: [..] -> their broadcast; in place self's",
        .dtypes = "numbers; both are promoted; integers wrap, and to a negative power all but 1 and -1 become 0",
        .memory = new_or_written,
        .cost = "one pass over the result; the power of an integer takes as many products as its exponent has bits, at "
                "most twice; a number is first made a zero-dimensional tensor",
        .errors = {raises<error>("self is of integers and exponent a negative integer, as a number",
                                 "pow.Tensor_Scalar([1, 2], -1)"),
                   no_broadcast("pow.Tensor_Tensor([1, 2, 3], [1, 2])"), other_sizes("pow_.Tensor([1], [1, 2])"),
                   no_fit("pow_.Scalar([4], 0.5)"), two_bool("pow.Tensor_Tensor([True], [True])"), two_devices},
        .examples = {{"pow.Tensor_Tensor([2, 3], [10, 2])", "[1024, 9] (int64 [2])"},
                     {"pow.Tensor_Scalar([4, 9], 0.5)", "[2, 3] (float32 [2])"},
                     {"pow.Scalar(2, [3.0, -1.0])", "[8, 0.5] (float32 [2])"}},
    }),
    page<aten::maximum, aten::maximum_out>({
        .summary = "Computes the elementwise maximum; NaN propagates.",
        .shapes = "self: [..], other: [..] -> their broadcast",
        .dtypes = promoted_any,
        .memory = new_or_out,
        .cost = one_pass,
        .errors = {no_broadcast("maximum([1, 2, 3], [1, 2])"), other_sizes("maximum.out([1], [2], out=[0, 0])"),
                   no_fit("maximum.out([1.5], [2.5], out=[0])"), two_devices},
        .examples = {{"maximum([1.0, 4.0, nan], [2.0, 3.0, 5.0])", "[2, 4, nan] (float32 [3])"}},
    }),
    page<aten::minimum, aten::minimum_out>({
        .summary = "Computes the elementwise minimum; NaN propagates.",
        .shapes = "self: [..], other: [..] -> their broadcast",
        .dtypes = promoted_any,
        .memory = new_or_out,
        .cost = one_pass,
        .errors = {no_broadcast("minimum([1, 2, 3], [1, 2])"), other_sizes("minimum.out([1], [2], out=[0, 0])"),
                   no_fit("minimum.out([1.5], [2.5], out=[0])"), two_devices},
        .examples = {{"minimum([1.0, 4.0, nan], [2.0, 3.0, 5.0])", "[1, 3, nan] (float32 [3])"}},
    }),
    page<aten::fmax, aten::fmax_out>({
        .summary = "Computes the elementwise maximum; NaN is ignored.",
        .shapes = "self: [..], other: [..] -> their broadcast",
        .dtypes = promoted_any,
        .memory = new_or_out,
        .cost = one_pass,
        .errors = {no_broadcast("fmax([1, 2, 3], [1, 2])"), other_sizes("fmax.out([1], [2], out=[0, 0])"),
                   no_fit("fmax.out([1.5], [2.5], out=[0])"), two_devices},
        .examples = {{"fmax([1.0, 4.0, nan], [2.0, 3.0, 5.0])", "[2, 4, 5] (float32 [3])"}},
    }),
    page<aten::fmin, aten::fmin_out>({
        .summary = "Computes the elementwise minimum; NaN is ignored.",
        .shapes = "self: [..], other: [..] -> their broadcast",
        .dtypes = promoted_any,
        .memory = new_or_out,
        .cost = one_pass,
        .errors = {no_broadcast("fmin([1, 2, 3], [1, 2])"), other_sizes("fmin.out([1], [2], out=[0, 0])"),
                   no_fit("fmin.out([1.5], [2.5], out=[0])"), two_devices},
        .examples = {{"fmin([1.0, 4.0, nan], [2.0, 3.0, 5.0])", "[1, 3, 5] (float32 [3])"}},
    }),
    page<aten::atan2, aten::atan2_, aten::atan2_out>({
        .summary = "Returns the angle of the point (other, self), x and y, in radians from -pi to pi.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_floating,
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {no_broadcast("atan2([1, 2, 3], [1, 2])"), other_sizes("atan2_([1.0], [1, 2])"),
                   no_fit("atan2_([1], [1])"), two_devices},
        .examples = {{"atan2([1.0, -1.0], [1.0, -1.0])", "[0.7853982, -2.3561945] (float32 [2])"}},
    }),
    page<aten::hypot, aten::hypot_, aten::hypot_out>({
        .summary = "Returns the square root of the sum of both squares, without intermediate overflow.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_floating,
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {no_broadcast("hypot([1, 2, 3], [1, 2])"), other_sizes("hypot_([1.0], [1, 2])"),
                   no_fit("hypot_([3], [4])"), two_devices},
        .examples = {{"hypot([3.0, 5.0], [4.0, 12.0])", "[5, 13] (float32 [2])"}},
    }),
    page<aten::copysign_Tensor, aten::copysign_Tensor_, aten::copysign_out, aten::copysign_Scalar,
         aten::copysign_Scalar_, aten::copysign_Scalar_out>({
        .summary = "Returns the magnitude of self with the sign of other, also of a zero.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_floating,
        .memory = new_or_written,
        .cost = one_pass_or_number,
        .errors = {no_broadcast("copysign.Tensor([1, 2, 3], [1, 2])"), other_sizes("copysign_.Tensor([1.0], [1, 2])"),
                   no_fit("copysign_.Tensor([1], [-1])"), two_devices},
        .examples = {{"copysign.Tensor([1.0, -2.0], [-0.0, 3.0])", "[-1, 2] (float32 [2])"},
                     {"copysign.Scalar([1, 2], -1)", "[-1, -2] (float32 [2])"}},
    }),
    page<aten::logaddexp, aten::logaddexp_out>({
        .summary = "Returns log(exp(self) + exp(other)), without intermediate overflow.",
        .shapes = "self: [..], other: [..] -> their broadcast",
        .dtypes = promoted_floating,
        .memory = new_or_out,
        .cost = one_pass,
        .errors = {no_broadcast("logaddexp([1, 2, 3], [1, 2])"),
                   other_sizes("logaddexp.out([1.0], [2.0], out=[0.0, 0.0])"),
                   no_fit("logaddexp.out([1], [2], out=[0])"), two_devices},
        .examples = {{"logaddexp([0.0, 1000.0], [0.0, 1000.0])", "[0.6931472, 1000.6932] (float32 [2])"}},
    }),
    page<aten::xlogy_Tensor, aten::xlogy_Tensor_, aten::xlogy_OutTensor, aten::xlogy_Scalar_Other,
         aten::xlogy_Scalar_Other_, aten::xlogy_OutScalar_Other, aten::xlogy_Scalar_Self, aten::xlogy_OutScalar_Self>({
        .summary = "Returns self * log(other), and 0 where self is 0, unless other is NaN.",
        .shapes = broadcast_shapes,
        .dtypes = promoted_floating,
        .memory = new_or_written,
        .cost = one_pass_or_number,
        .errors = {no_broadcast("xlogy.Tensor([1, 2, 3], [1, 2])"), other_sizes("xlogy_.Tensor([1.0], [1, 2])"),
                   no_fit("xlogy_.Tensor([1], [2])"), two_devices},
        .examples = {{"xlogy.Tensor([2.0, 0.0], [2.0, 0.0])", "[1.3862944, 0] (float32 [2])"},
                     {"xlogy.Scalar_Other([2.0, 0.0], 2)", "[1.3862944, 0] (float32 [2])"},
                     {"xlogy.Scalar_Self(2, [2.0, 0.0])", "[1.3862944, -inf] (float32 [2])"}},
    }),
    page<aten::heaviside, aten::heaviside_, aten::heaviside_out>({
        .summary =
            "Returns 0 where self is below zero, 1 where it is above, and the element of values where it is zero.",
        .shapes = "self: [..], values: [..] -> their broadcast; in place self's",
        .dtypes = "any; both are of the same dtype, which the result has",
        .memory = new_or_written,
        .cost = one_pass,
        .errors = {raises<dtype_error>("the dtypes of self and values differ", "heaviside([1], [1.0])"),
                   no_broadcast("heaviside([1, 2, 3], [1, 2])"), other_sizes("heaviside_([1], [1, 2])"),
                   raises<dtype_error>("the result is of a higher category than out",
                                       "heaviside.out([1.0], [0.5], out=[0])"),
                   two_devices},
        .examples = {{"heaviside([-1.5, 0.0, 2.0], [0.5])", "[0, 0.5, 1] (float32 [3])"}},
    }),
};

}  // namespace

void publish_arithmetic_docs() { author::publish_pages({"Elementwise arithmetic", pages}).keep(); }

}  // namespace topbit::detail
