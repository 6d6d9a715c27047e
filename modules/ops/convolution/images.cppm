// Images [.., channels, height, width], rearranged and resampled. Composites.
export module topbit.ops:convolution.images;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// [.., c * r * r, h, w] to [.., c, h * r, w * r]: channels become pixels.
inline constexpr op<"aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor"> pixel_shuffle;
/// The inverse of pixel_shuffle.
inline constexpr op<"aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor"> pixel_unshuffle;
/// [n, g * c, ..] with channels i of all g groups adjacent.
inline constexpr op<"aten::channel_shuffle(Tensor self, int groups) -> Tensor"> channel_shuffle;

/// [n, c, h, w] to [n, c, output_size...]: pixel i is pixel floor(i / scale), where scale is given, or the ratio of the
/// sizes.
inline constexpr op<
    "aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> "
    "Tensor">
    upsample_nearest2d;
inline constexpr op<
    "aten::upsample_nearest2d.out(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None, *, "
    "Tensor(a!) out) -> Tensor(a!)">
    upsample_nearest2d_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::pixel_shuffle> pixel_shuffle;
inline constexpr overloads<aten::pixel_unshuffle> pixel_unshuffle;
inline constexpr overloads<aten::channel_shuffle> channel_shuffle;
inline constexpr overloads<aten::upsample_nearest2d, aten::upsample_nearest2d_out> upsample_nearest2d;

}  // namespace topbit
