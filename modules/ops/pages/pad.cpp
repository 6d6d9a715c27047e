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
            "Pads with a constant, 0 where no value is given; or with elements: mirrored ('reflect'), the first and "
            "the last one repeated ('replicate'), or taken from the other end ('circular').",
        .shapes = padded,
        .dtypes = "any; the result has self's, to which the value is converted",
        .memory = "the result is new and dense",
        .cost =
            "constant_pad_nd's; with another mode one pass for each padded dimension, each into a new tensor, and a "
            "list of places made on the host for it",
        .errors =
            {raises<shape_error>(bad_pad, "pad([1, 2], [1])"),
             raises<shape_error>(
                 "with another mode than 'constant', more is padded than the mode has elements for, none is left, or "
                 "in front of the padded dimensions there is nothing, but for 'circular', or more than two",
                 "pad([[1, 2]], [2, 0], 'reflect')"),
             raises<error>("mode is another word, has a value but is not 'constant', or has not two numbers for each "
                           "of one to three dimensions, or of any for 'circular'",
                           "pad([[1, 2]], [1, 1], 'wrap')")},
        .examples = {{"pad([1, 2], [1, 2])", "[0, 1, 2, 0, 0] (int64 [5])"},
                     {"pad([1.5, 2.5], [0, 1], 'constant', 7.0)", "[1.5, 2.5, 7] (float32 [3])"},
                     {"pad([[1, 2, 3]], [2, 0], 'reflect')", "[[3, 2, 1, 2, 3]] (int64 [1, 5])"}},
    }),
    page<ops::pad_circular>({
        .summary =
            "Pads with elements from the other end: pad in mode 'circular'; negative numbers take elements away first.",
        .shapes = padded,
        .dtypes = "any; the result has self's",
        .memory = "the result is new and dense",
        .cost = "one pass for each padded dimension, each into a new tensor, and a list of places made on the host for "
                "it",
        .errors = {raises<shape_error>("more is padded than there are elements, none is left, or self has fewer "
                                       "dimensions than are padded, or over two more",
                                       "_pad_circular([1, 2], [3, 0])"),
                   raises<error>("there are not two numbers for each padded dimension", "_pad_circular([1, 2], [1])")},
        .examples = {{"_pad_circular([1, 2, 3], [2, 1])", "[2, 3, 1, 2, 3, 1] (int64 [6])"},
                     {"_pad_circular([[1, 2], [3, 4]], [1, 0, -1, 0])", "[[4, 3, 4]] (int64 [1, 3])"}},
    }),
};

}  // namespace

void publish_pad_pages() { author::publish_pages({"Padding", pages}).keep(); }

}  // namespace topbit::detail
