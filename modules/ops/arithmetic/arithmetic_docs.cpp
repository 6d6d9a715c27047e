module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view checked_division =
    "one pass, and for integers one over other before, in search of a 0; operands are converted and broadcast on the "
    "way, not copied, and a number is first made a tensor";

consteval page_error zero_divisor(std::string_view example) {
  return bad_value("the operands are integers, and a divisor is 0", example);
}

constexpr operator_page pages[] = {
    page<elementwise::add, aten::add_Tensor, aten::add_Tensor_, aten::add_out, aten::add_Scalar, aten::add_Scalar_>(
        {.summary = "Adds other, alpha times, to self; for bool the logical or.",
         .errors = {bad_dtype("alpha has a fraction for integers, or is not 1 for bool",
                              "add.Tensor([1], [2], alpha=1.5)")},
         .examples = {{"add.Tensor([1, 2], [[10], [20]])", "[[11, 12], [21, 22]] (int64 [2, 2])"},
                      {"add.Tensor([1, 2], [0.5, 1.5], alpha=2)", "[2, 5] (float32 [2])"},
                      {"add.Scalar([1, 2], 0.5)", "[1.5, 2.5] (float32 [2])"}}}),
    page<elementwise::sub, aten::sub_Tensor, aten::sub_Tensor_, aten::sub_out, aten::sub_Scalar, aten::sub_Scalar_>(
        {.summary = "Subtracts other, alpha times, from self; for bool there is logical_xor.",
         .errors = {bad_dtype("alpha has a fraction for integers", "sub.Tensor([1], [2], alpha=1.5)")},
         .examples = {{"sub.Tensor([5, 7], [1, 2], alpha=3)", "[2, 1] (int64 [2])"},
                      {"sub.Scalar([1.5, 2.5], 1)", "[0.5, 1.5] (float32 [2])"}}}),
    page<elementwise::sub, aten::rsub_Tensor, aten::rsub_Scalar>(
        {.summary = "Subtracts self, alpha times, from other: sub with its operands swapped.",
         .errors = {bad_dtype("alpha has a fraction for integers", "rsub.Tensor([1], [2], alpha=1.5)")},
         .examples = {{"rsub.Tensor([1, 2], [10, 20], alpha=3)", "[7, 14] (int64 [2])"},
                      {"rsub.Scalar([1, 2], 10)", "[9, 8] (int64 [2])"}}}),
    page<elementwise::mul, aten::mul_Tensor, aten::mul_Tensor_, aten::mul_out, aten::mul_Scalar, aten::mul_Scalar_>(
        {.summary = "Multiplies self by other; for bool the logical and.",
         .examples = {{"mul.Tensor([1, 2], [[10], [100]])", "[[10, 20], [100, 200]] (int64 [2, 2])"},
                      {"mul.Scalar([1, 2], 0.5)", "[0.5, 1] (float32 [2])"}}}),
    page<elementwise::div, aten::div_Tensor, aten::div_Tensor_, aten::div_out, aten::div_Scalar, aten::div_Scalar_>(
        {.summary = "Divides self by other; the quotient of integers is floating, and division by 0 gives inf or NaN.",
         .examples = {{"div.Tensor([1, 2], [2, 8])", "[0.5, 0.25] (float32 [2])"},
                      {"div.Scalar([1.0, -1.0], 0)", "[inf, -inf] (float32 [2])"}}}),
    page<elementwise::div, aten::div_Tensor_mode, aten::div_Tensor_mode_, aten::div_out_mode, aten::div_Scalar_mode,
         aten::div_Scalar_mode_>(
        {.summary = "Divides self by other and rounds: 'floor' down, 'trunc' toward zero, None not at all, as div.",
         .dtypes = "numbers; both are promoted, and rounded integers stay integers; None also takes two bool, and "
                   "gives a floating result",
         .cost = checked_division,
         .errors = {zero_divisor("div.Tensor_mode([1], [0], rounding_mode='floor')"),
                    bad_value("rounding_mode is another word", "div.Tensor_mode([1], [2], rounding_mode='up')")},
         .examples = {{"div.Tensor_mode([7, -7], [2, 2], rounding_mode='floor')", "[3, -4] (int64 [2])"},
                      {"div.Tensor_mode([7, -7], [2, 2], rounding_mode='trunc')", "[3, -3] (int64 [2])"},
                      {"div.Scalar_mode([7, -7], 2, rounding_mode=None)", "[3.5, -3.5] (float32 [2])"}}}),
    page<elementwise::div_floor, aten::floor_divide, aten::floor_divide_Tensor_, aten::floor_divide_out,
         aten::floor_divide_Scalar, aten::floor_divide_Scalar_>(
        {.summary = "Divides self by other and rounds down; see remainder.",
         .cost = checked_division,
         .errors = {zero_divisor("floor_divide([1], [0])")},
         .examples = {{"floor_divide([7, -7], [2, 2])", "[3, -4] (int64 [2])"},
                      {"floor_divide.Scalar([7.5, -7.5], 2)", "[3, -4] (float32 [2])"}}}),
    page<elementwise::remainder, aten::remainder_Tensor, aten::remainder_Tensor_, aten::remainder_Tensor_out,
         aten::remainder_Scalar, aten::remainder_Scalar_, aten::remainder_Scalar_out, aten::remainder_Scalar_Tensor>(
        {.summary = "Returns what is left of self after division by other rounded down; it has the sign of other.",
         .cost = checked_division,
         .errors = {zero_divisor("remainder.Tensor([7, 8], [0, 3])")},
         .examples = {{"remainder.Tensor([7, -7], [3, 3])", "[1, 2] (int64 [2])"},
                      {"remainder.Scalar([7.5, -7.5], 2)", "[1.5, 0.5] (float32 [2])"},
                      {"remainder.Scalar_Tensor(7, [3, -3])", "[1, -2] (int64 [2])"}}}),
    page<elementwise::fmod, aten::fmod_Tensor, aten::fmod_Tensor_, aten::fmod_Tensor_out, aten::fmod_Scalar,
         aten::fmod_Scalar_, aten::fmod_Scalar_out>(
        {.summary =
             "Returns what is left of self after division by other rounded toward zero; it has the sign of self.",
         .cost = checked_division,
         .errors = {zero_divisor("fmod.Tensor([1], [0])")},
         .examples = {{"fmod.Tensor([7, -7], [3, 3])", "[1, -1] (int64 [2])"},
                      {"fmod.Scalar([7.5, -7.5], 2)", "[1.5, -1.5] (float32 [2])"}}}),
    page<elementwise::pow, aten::pow_Tensor_Tensor, aten::pow_Tensor_, aten::pow_Tensor_Tensor_out,
         aten::pow_Tensor_Scalar, aten::pow_Scalar_, aten::pow_Tensor_Scalar_out, aten::pow_Scalar,
         aten::pow_Scalar_out>(
        {.summary = "Raises self to the power of exponent.",
         .dtypes = "numbers; both are promoted; integers wrap, and to a negative power all but 1 and -1 become 0",
         .cost = "one pass over the result; the power of an integer takes as many products as its exponent has bits, "
                 "at most twice; a number is first made a zero-dimensional tensor",
         .errors = {bad_value("self is of integers and exponent a negative integer, as a number",
                              "pow.Tensor_Scalar([1, 2], -1)")},
         .examples = {{"pow.Tensor_Tensor([2, 3], [10, 2])", "[1024, 9] (int64 [2])"},
                      {"pow.Tensor_Scalar([4, 9], 0.5)", "[2, 3] (float32 [2])"},
                      {"pow.Scalar(2, [3.0, -1.0])", "[8, 0.5] (float32 [2])"}}}),
    page<elementwise::maximum, aten::maximum, aten::maximum_out>(
        {.summary = "Computes the elementwise maximum; NaN propagates.",
         .examples = {{"maximum([1.0, 4.0, nan], [2.0, 3.0, 5.0])", "[2, 4, nan] (float32 [3])"}}}),
    page<elementwise::minimum, aten::minimum, aten::minimum_out>(
        {.summary = "Computes the elementwise minimum; NaN propagates.",
         .examples = {{"minimum([1.0, 4.0, nan], [2.0, 3.0, 5.0])", "[1, 3, nan] (float32 [3])"}}}),
    page<elementwise::fmax, aten::fmax, aten::fmax_out>(
        {.summary = "Computes the elementwise maximum; NaN is ignored.",
         .examples = {{"fmax([1.0, 4.0, nan], [2.0, 3.0, 5.0])", "[2, 4, 5] (float32 [3])"}}}),
    page<elementwise::fmin, aten::fmin, aten::fmin_out>(
        {.summary = "Computes the elementwise minimum; NaN is ignored.",
         .examples = {{"fmin([1.0, 4.0, nan], [2.0, 3.0, 5.0])", "[1, 3, 5] (float32 [3])"}}}),
    page<elementwise::atan2, aten::atan2, aten::atan2_, aten::atan2_out>(
        {.summary = "Returns the angle of the point (other, self), x and y, in radians from -pi to pi.",
         .examples = {{"atan2([1.0, -1.0], [1.0, -1.0])", "[0.7853982, -2.3561945] (float32 [2])"}}}),
    page<elementwise::hypot, aten::hypot, aten::hypot_, aten::hypot_out>(
        {.summary = "Returns the square root of the sum of both squares, without intermediate overflow.",
         .examples = {{"hypot([3.0, 5.0], [4.0, 12.0])", "[5, 13] (float32 [2])"}}}),
    page<elementwise::copysign, aten::copysign_Tensor, aten::copysign_Tensor_, aten::copysign_out,
         aten::copysign_Scalar, aten::copysign_Scalar_, aten::copysign_Scalar_out>(
        {.summary = "Returns the magnitude of self with the sign of other, also of a zero.",
         .examples = {{"copysign.Tensor([1.0, -2.0], [-0.0, 3.0])", "[-1, 2] (float32 [2])"},
                      {"copysign.Scalar([1, 2], -1)", "[-1, -2] (float32 [2])"}}}),
    page<elementwise::logaddexp, aten::logaddexp, aten::logaddexp_out>(
        {.summary = "Returns log(exp(self) + exp(other)), without intermediate overflow.",
         .examples = {{"logaddexp([0.0, 1000.0], [0.0, 1000.0])", "[0.6931472, 1000.6932] (float32 [2])"}}}),
    page<elementwise::xlogy, aten::xlogy_Tensor, aten::xlogy_Tensor_, aten::xlogy_OutTensor, aten::xlogy_Scalar_Other,
         aten::xlogy_Scalar_Other_, aten::xlogy_OutScalar_Other, aten::xlogy_Scalar_Self, aten::xlogy_OutScalar_Self>(
        {.summary = "Returns self * log(other), and 0 where self is 0, unless other is NaN.",
         .examples = {{"xlogy.Tensor([2.0, 0.0], [2.0, 0.0])", "[1.3862944, 0] (float32 [2])"},
                      {"xlogy.Scalar_Other([2.0, 0.0], 2)", "[1.3862944, 0] (float32 [2])"},
                      {"xlogy.Scalar_Self(2, [2.0, 0.0])", "[1.3862944, -inf] (float32 [2])"}}}),
    page<elementwise::heaviside, aten::heaviside, aten::heaviside_, aten::heaviside_out>(
        {.summary =
             "Returns 0 where self is below zero, 1 where it is above, and the element of values where it is zero.",
         .dtypes = "any; both are of the same dtype, which the result has",
         .errors = {bad_dtype("the dtypes of self and values differ", "heaviside([1], [1.0])")},
         .examples = {{"heaviside([-1.5, 0.0, 2.0], [0.5])", "[0, 0.5, 1] (float32 [3])"}}}),
};

void publish_arithmetic_docs() { author::publish_pages({"Elementwise arithmetic", pages}).keep(); }

}  // namespace topbit::detail
