module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view bad_factor = "the factor is below 1";

constexpr family_lines pixels_family = {
    .dtypes = "any; the result has self's",
    .memory =
        "the result is new and dense; or a view of self where no element changes its place, as with a factor of 1",
    .cost = "one copy of all elements; a non-dense self may be copied once more before, to be cut"};

constexpr operator_page pages[] = {
    page<aten::channel_shuffle>(
        {.summary = "Interleaves groups of channels: the first of each group, then the second of each, and so on.",
         .shapes = "self: [n, channels, ..] -> the same",
         .dtypes = "any",
         .memory = "new and dense; a view of self where its strides allow it, as with one group",
         .cost = "one copy of all elements, each read once and written once; none for a view",
         .errors = {bad_shape("self has fewer than three dimensions, or 8", "channel_shuffle([[1], [2]], 1)"),
                    bad_value("groups is below 1 or does not divide the channels", "channel_shuffle([[[1], [2]]], 3)")},
         .examples = {{"channel_shuffle([[[1], [2], [3], [4]]], 2)", "[[[1], [3], [2], [4]]] (int64 [1, 4, 1])"}}}),
    page<pixels_family, aten::pixel_shuffle>(
        {.summary = "Makes images larger by turning channels into pixels: r * r of them give each pixel r rows of r.",
         .shapes = "self: [.., C * r * r, H, W], upscale_factor: r -> [.., C, H * r, W * r]",
         .errors = {bad_shape("the square of the factor does not divide the channels",
                              "pixel_shuffle([[[1]], [[2]], [[3]]], 2)"),
                    bad_shape("self has fewer than three dimensions, or more than six", "pixel_shuffle([[1]], 1)"),
                    bad_value(bad_factor, "pixel_shuffle([[[1]]], 0)")},
         .examples = {{"pixel_shuffle([[[1]], [[2]], [[3]], [[4]]], 2)", "[[[1, 2], [3, 4]]] (int64 [1, 2, 2])"}}}),
    page<pixels_family, aten::pixel_unshuffle>(
        {.summary = "Makes images smaller by turning pixels into channels: pixel_shuffle the other way round.",
         .shapes = "self: [.., C, H * r, W * r], downscale_factor: r -> [.., C * r * r, H, W]",
         .errors = {bad_shape("the factor does not divide height and width", "pixel_unshuffle([[[1, 2], [3, 4]]], 3)"),
                    bad_shape("self has fewer than three dimensions, or more than six", "pixel_unshuffle([[1]], 1)"),
                    bad_value(bad_factor, "pixel_unshuffle([[[1]]], 0)")},
         .examples = {{"pixel_unshuffle([[[1, 2], [3, 4]]], 2)", "[[[1]], [[2]], [[3]], [[4]]] (int64 [4, 1, 1])"}}}),
    page<aten::upsample_nearest2d, aten::upsample_nearest2d_out>(
        {.summary = "Resizes images by nearest neighbour: pixel i is pixel floor(i / scale), where scale is scales_h "
                    "or scales_w, ignored for factors 1 and 2, or else the ratio of the sizes, in float32.",
         .shapes = "self: [N, C, H, W], output_size: [h, w] -> [N, C, h, w]",
         .dtypes = "any; the result has self's",
         .cost = "an index of rows and one of columns, made on the host, and index_select with each, rows first; a "
                 "non-dense self is copied before",
         .errors = {bad_shape("self is not four-dimensional, or no channels, height or width",
                              "upsample_nearest2d([[[1, 2], [3, 4]]], [4, 4])"),
                    bad_value("output_size is not two numbers of 1 or more",
                              "upsample_nearest2d([[[[1, 2], [3, 4]]]], [0, 4])")},
         .examples = {{"upsample_nearest2d([[[[1, 2], [3, 4]]]], [4, 3])",
                       "[[[[1, 1, 2], [1, 1, 2], [3, 3, 4], [3, 3, 4]]]] (int64 [1, 1, 4, 3])"},
                      {"upsample_nearest2d([[[[1, 2, 3, 4]]]], [1, 2], None, 1.0)",
                       "[[[[1, 2]]]] (int64 [1, 1, 1, 2])"}}}),
};

void publish_images_docs() { author::publish_pages({"Images", pages}).keep(); }

}  // namespace topbit::detail
