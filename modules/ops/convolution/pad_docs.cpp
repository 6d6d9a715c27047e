module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view padded =
    "self: [..], pad: two numbers for each padded dimension, before and after, the last dimension first -> self's "
    "sizes with both added";
constexpr std::string_view bad_pad =
    "the numbers are odd in number or more than two for each dimension, or a size would be below 0";

constexpr family_lines edges_family = {
    .shapes =
        "self: [channels, ..] or [n, channels, ..], padding: two numbers for each padded dimension, before and after, "
        "the last dimension first -> self's sizes with both added",
    .dtypes = "any; the result has self's",
    .cost =
        "one copy of self into the result, and one of each side that is padded; where a number is negative, one pass "
        "over a new tensor for each dimension that is padded, with an index that the host makes for it, and one that "
        "copies the last of them into the result, after a copy of a non-dense self"};

constexpr operator_page pages[] = {
    page<aten::constant_pad_nd>(
        {.summary = "Pads with a constant; a negative number removes elements.",
         .shapes = padded,
         .dtypes = "any; the result has self's, to which the value is converted",
         .cost = "the result is filled with the value, then what is left of self is copied into it",
         .errors = {bad_shape(bad_pad, "constant_pad_nd([1, 2], [1])")},
         .examples = {{"constant_pad_nd([1, 2], [1, 2], 9)", "[9, 1, 2, 9, 9] (int64 [5])"},
                      {"constant_pad_nd([[1, 2], [3, 4]], [-1, 0, 0, 1])", "[[2], [4], [0]] (int64 [3, 1])"}}}),
    page<edges_family, aten::reflection_pad1d, aten::reflection_pad1d_out, aten::reflection_pad2d,
         aten::reflection_pad2d_out, aten::reflection_pad3d, aten::reflection_pad3d_out>(
        {.summary = "Pads by reflection at the first and the last element, which are not repeated; a negative number "
                    "removes elements.",
         .errors =
             {bad_shape(
                  "self has another number of dimensions, a number is not below the size, or a size would be below 1",
                  "reflection_pad1d([[1, 2, 3]], [3, 1])"),
              bad_value("padding does not have two numbers for each padded dimension",
                        "reflection_pad1d([[1, 2, 3]], [1, 1, 1])")},
         .examples = {{"reflection_pad1d([[1, 2, 3]], [2, 1])", "[[3, 2, 1, 2, 3, 2]] (int64 [1, 6])"},
                      {"reflection_pad2d([[[1, 2], [3, 4]]], [1, 0, 0, 1])",
                       "[[[2, 1, 2], [4, 3, 4], [2, 1, 2]]] (int64 [1, 3, 3])"}}}),
    page<edges_family, aten::replication_pad1d, aten::replication_pad1d_out, aten::replication_pad2d,
         aten::replication_pad2d_out, aten::replication_pad3d, aten::replication_pad3d_out>(
        {.summary =
             "Pads by repeating the first and the last element of each dimension; a negative number removes elements.",
         .errors = {bad_shape("self has another number of dimensions, or a size is or would be below 1",
                              "replication_pad1d([[1, 2, 3]], [-3, 0])"),
                    bad_value("padding does not have two numbers for each padded dimension",
                              "replication_pad1d([[1, 2, 3]], [1, 1, 1])")},
         .examples = {{"replication_pad1d([[1, 2, 3]], [2, 1])", "[[1, 1, 1, 2, 3, 3]] (int64 [1, 6])"},
                      {"replication_pad2d([[[1, 2], [3, 4]]], [1, 0, 0, 1])",
                       "[[[1, 1, 2], [3, 3, 4], [3, 3, 4]]] (int64 [1, 3, 3])"}}}),
    page<aten::pad>(
        {.summary = "Pads with a constant, 0 by default; or with elements: mirrored ('reflect'), the first and the "
                    "last one repeated ('replicate'), or taken from the other end ('circular').",
         .shapes = padded,
         .dtypes = "any; the result has self's, to which the value is converted",
         .cost = "constant_pad_nd's; with another mode one pass for each padded dimension, each into a new tensor, and "
                 "a list of indices made on the host for it",
         .errors = {bad_shape(bad_pad, "pad([1, 2], [1])"),
                    bad_shape("in modes other than 'constant': more padding than the mode supports, an empty result, "
                              "or not one or two dimensions before the padded ones, except none for 'circular'",
                              "pad([[1, 2]], [2, 0], 'reflect')"),
                    bad_value("mode is another word, has a value but is not 'constant', or does not have two numbers "
                              "for each of one to three dimensions, or of any for 'circular'",
                              "pad([[1, 2]], [1, 1], 'wrap')")},
         .examples = {{"pad([1, 2], [1, 2])", "[0, 1, 2, 0, 0] (int64 [5])"},
                      {"pad([1.5, 2.5], [0, 1], 'constant', 7.0)", "[1.5, 2.5, 7] (float32 [3])"},
                      {"pad([[1, 2, 3]], [2, 0], 'reflect')", "[[3, 2, 1, 2, 3]] (int64 [1, 5])"}}}),
    page<aten::_pad_circular>(
        {.summary =
             "Pads with elements from the other end: pad in mode 'circular'; negative numbers remove elements first.",
         .shapes = padded,
         .dtypes = "any; the result has self's",
         .cost = "one pass for each padded dimension, each into a new tensor, and a list of indices made on the host "
                 "for it",
         .errors = {bad_shape("more padding than elements, an empty result, or self has fewer dimensions than are "
                              "padded, or over two more",
                              "_pad_circular([1, 2], [3, 0])"),
                    bad_value("there are not two numbers for each padded dimension", "_pad_circular([1, 2], [1])")},
         .examples = {{"_pad_circular([1, 2, 3], [2, 1])", "[2, 3, 1, 2, 3, 1] (int64 [6])"},
                      {"_pad_circular([[1, 2], [3, 4]], [1, 0, -1, 0])", "[[4, 3, 4]] (int64 [1, 3])"}}}),
};

void publish_pad_docs() { author::publish_pages({"Padding", pages}).keep(); }

}  // namespace topbit::detail
