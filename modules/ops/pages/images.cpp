module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

using author::page;
using author::raises;

constexpr author::operator_page pages[] = {
    page<ops::channel_shuffle>({
        .summary = "Interleaves groups of channels: the first of each group, then the second of each, and so on.",
        .shapes = "self: [n, channels, ..] -> the same",
        .dtypes = "any",
        .memory = "new and dense; a view of self where its strides allow it, as with one group",
        .cost = "one copy of all elements, each read once and written once; none for a view",
        .errors = {raises<shape_error>("self has fewer than three dimensions, or 8", "channel_shuffle([[1], [2]], 1)"),
                   raises<error>("groups is below 1 or does not divide the channels",
                                 "channel_shuffle([[[1], [2]]], 3)")},
        .examples = {{"channel_shuffle([[[1], [2], [3], [4]]], 2)", "[[[1], [3], [2], [4]]] (int64 [1, 4, 1])"}},
    }),
};

}  // namespace

void publish_images_pages() { author::publish_pages({"Images", pages}).keep(); }

}  // namespace topbit::detail
