module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

using author::page;
using author::raises;

constexpr std::string_view padded =
    "self: [..], pad: two numbers for each padded dimension, before and after, the last dimension first -> self's "
    "sizes "
    "with both added";
constexpr std::string_view two_writes =
    "the result is filled with the value, then what is left of self is copied into it";
constexpr std::string_view bad_pad =
    "the numbers are odd in number or more than two for each dimension, or a size would be below 0";

constexpr author::operator_page pages[] = {
    page<ops::constant_pad_nd>({
        .summary = "Puts a value around the elements; a negative number takes elements away.",
        .shapes = padded,
        .dtypes = "any; the result has self's, to which the value is converted",
        .memory = "the result is new and dense",
        .cost = two_writes,
        .errors = {raises<shape_error>(bad_pad, "constant_pad_nd([1, 2], [1])")},
        .examples = {{"constant_pad_nd([1, 2], [1, 2], 9)", "[9, 1, 2, 9, 9] (int64 [5])"},
                     {"constant_pad_nd([[1, 2], [3, 4]], [-1, 0, 0, 1])", "[[2], [4], [0]] (int64 [3, 1])"}},
    }),
    page<ops::pad>({
        .summary =
            "Pads with a constant, 0 where no value is given: constant_pad_nd under the name that has modes, of which "
            "there is one.",
        .shapes = padded,
        .dtypes = "any; the result has self's, to which the value is converted",
        .memory = "the result is new and dense",
        .cost = two_writes,
        .errors = {raises<shape_error>(bad_pad, "pad([1, 2], [1])"),
                   raises<error>("mode is not 'constant'", "pad([1, 2], [1, 1], 'reflect')")},
        .examples = {{"pad([1, 2], [1, 2])", "[0, 1, 2, 0, 0] (int64 [5])"},
                     {"pad([1.5, 2.5], [0, 1], 'constant', 7.0)", "[1.5, 2.5, 7] (float32 [3])"}},
    }),
};

}  // namespace

void publish_pad_pages() { author::publish_pages({"Padding", pages}).keep(); }

}  // namespace topbit::detail
