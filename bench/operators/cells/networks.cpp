// Layers of networks: normalisation, pooling, convolution, attention.
#include "cell.h"

namespace bench::operators {

namespace {

const shape_set sml{&matrices, {"S", "M", "L"}};
const shape_set m_1e6{&matrices, {"M", "1e6"}};
const shape_set sml_images{&images, {"S 2x8x8x8", "M 4x32x28x28", "L 16x64x96x96"}};

void add_norms(family f) {
  const input weight = sized({1}, 0.5, 1.5), statistic = sized({1}, 0.5, 1.5).without_gradient();
  const auto rows = [](args a) { return lib::layer_norm(a[0], {a.n(1)}, a[1], a[2]); };
  const auto trained = [](args a) { return lib::batch_norm(a[0], a[1], a[2], a[3], a[4], true, 0.1, 1e-5, false); };
  const auto grouped = [](args a) { return lib::group_norm(a[0], 8, a[1], a[2]); };
  f.add("batch_norm eval", sml_images, {in(), weight, weight, statistic, statistic},
        [](args a) { return lib::batch_norm(a[0], a[1], a[2], a[3], a[4], false, 0.1, 1e-5, false); });
  f.add("batch_norm train", sml_images, {in(), weight, weight, statistic, statistic}, trained);
  f.recorded("batch_norm train", {&images, {"4x32x28x28", "16x64x32x32"}}, {in(), weight, weight, statistic, statistic},
             trained)
      .within(10);
  f.add("group_norm 8", sml_images, {in(), weight, weight}, grouped);
  f.recorded("group_norm 8", {&images, {"16x64x32x32"}}, {in(), weight, weight}, grouped).within(10);
  f.add("instance_norm", sml_images, {in(), weight, weight}, [](args a) {
    return lib::instance_norm(a[0], a[1], a[2], lib::nothing, lib::nothing, true, 0.1, 1e-5, false);
  });
  f.both("layer_norm", {in(), weight, weight}, rows, m_1e6, 10);
  f.add("layer_norm bf16", {in().as(lib::bf16), weight.as(lib::bf16), weight.as(lib::bf16)}, rows);
  f.add("log_softmax dim0", {in()}, [](args a) { return lib::log_softmax(a[0], 0); });
  f.both("log_softmax dim1", {in()}, [](args a) { return lib::log_softmax(a[0], 1); });
  f.both("rms_norm", {in(), weight}, [](args a) { return lib::rms_norm(a[0], {a.n(1)}, a[1]); }, m_1e6, 10);
  f.add("softmax bf16", {in().as(lib::bf16)}, [](args a) { return lib::softmax(a[0], 1); });
  f.add("softmax dim0", {in()}, [](args a) { return lib::softmax(a[0], 0); });
  f.both("softmax dim1", {in()}, [](args a) { return lib::softmax(a[0], 1); });
  f.add("softmax rows of 10", {sized({tenth, -10})}, [](args a) { return lib::softmax(a[0], 1); });
}

void add_pools(family f) {
  const shape_set recorded{&images, {"16x64x32x32"}};
  const auto halved = [](args a) { return lib::avg_pool2d(a[0], {2, 2}); };
  const auto greatest = [](args a) { return lib::max_pool2d(a[0], {2, 2}); };
  const auto whole_image = [](args a) { return lib::adaptive_avg_pool2d(a[0], {1, 1}); };
  const auto doubled = [](args a) { return lib::upsample_nearest2d(a[0], {2 * a.n(2), 2 * a.n(3)}); };
  f.both("adaptive_avg_pool2d 1", {in()}, whole_image, recorded);
  f.add("adaptive_avg_pool2d 7", {in()}, [](args a) { return lib::adaptive_avg_pool2d(a[0], {7, 7}); });
  f.both("avg_pool2d 2", {in()}, halved, recorded);
  f.add("avg_pool2d 3 s1 p1", {in()}, [](args a) { return lib::avg_pool2d(a[0], {3, 3}, {1, 1}, {1, 1}); });
  f.both("max_pool2d 2", {in()}, greatest, recorded);
  f.add("max_pool2d 3 s2 p1", {in()}, [](args a) { return lib::max_pool2d(a[0], {3, 3}, {2, 2}, {1, 1}); });
  f.add("pixel_shuffle 2", {in()}, [](args a) { return lib::pixel_shuffle(a[0], 2); });
  f.both("upsample_nearest 2x", {in()}, doubled, {&images, {"4x64x32x32"}});
}

void add_convolutions(family f) {
  // batch, channels, rows and columns; weights; a number for each channel of the result
  const input image = sized({0, 1, 2, 2}), weight = sized({4, 7, 3, 3}, -0.1, 0.1), bias = sized({4});
  const auto padded = [](args a) {
    return lib::conv2d(a[0], a[1], a[2], {a.n(5), a.n(5)}, {a.n(3) / 2, a.n(3) / 2}, {1, 1}, a.n(6));
  };
  const shape_set shapes{&convolutions,
                         {"1x128x28 3x3 128", "1x128x56 3x3 dw", "1x256x14 3x3 256", "1x256x28 1x1 64",
                          "1x32x56 5x5 32", "1x384x14 5x5 dw", "1x3x224 7x7 s2 64", "1x512x7 1x1 2048",
                          "1x64x56 3x3 64", "1x64x56 3x3 64 g4", "1x64x56 3x3 s2 128", "32x1x8 3x3 16",
                          "8x128x16 3x3 128", "8x16x28 3x3 32", "8x32x28 3x3 dw", "8x64x32 3x3 64", "8x64x56 1x1 256"}};
  f.add("conv1d", {&any_numbers, {"8x64x1000 k3 64"}}, {sized({0, 1, 2}), sized({4, 1, 3}, -0.1, 0.1), sized({4})},
        [](args a) { return lib::conv1d(a[0], a[1], a[2], {1}, {1}); })
      .within(10);
  f.add("conv2d", shapes, {image, weight, bias}, padded).within(10);
  f.recorded("conv2d", shapes, {image, weight, bias}, padded).within(30);
  f.add("conv2d bf16", {&convolutions, {"1x64x56 3x3 64"}},
        {image.as(lib::bf16), weight.as(lib::bf16), bias.as(lib::bf16)}, padded);
  f.add("conv3d", {&any_numbers, {"1x16x16x32x32 k3 16"}},
        {sized({0, 1, 2, 3, 4}), sized({6, 1, 5, 5, 5}, -0.1, 0.1), sized({6})},
        [](args a) { return lib::conv3d(a[0], a[1], a[2], {1, 1, 1}, {1, 1, 1}); })
      .within(10);
  f.add("conv_transpose2d", {&any_numbers, {"1x64x28 k2 s2 64"}},
        {sized({0, 1, 2, 2}), sized({1, 5, 3, 3}, -0.1, 0.1), sized({5})},
        [](args a) { return lib::conv_transpose2d(a[0], a[1], a[2], {2, 2}); })
      .within(10);
}

void add_attention(family f) {
  const input query = sized({0, 1, 2, 3}, -1, 1), key = sized({0, 1, 4, 3}, -1, 1);
  const auto plain = [](args a) { return lib::scaled_dot_product_attention(a[0], a[1], a[2]); };
  const auto causal = [](args a) {
    return lib::scaled_dot_product_attention(a[0], a[1], a[2], lib::nothing, 0.0, true);
  };
  const std::vector<std::string> both{"1x12x128x32", "1x4x64x32", "1x8x1024x64", "8x12x128x32", "8x4x128x64"};
  const std::vector<std::string> both_causal{"1x8x1024x64 causal", "8x4x128x64 causal"};
  std::vector<std::string> forward = both, forward_causal = both_causal;
  forward.push_back("1x12x1x64 kv 512");
  forward_causal.push_back("1x16x2048x128 causal");
  f.add("sdpa", {&attentions, forward}, {query, key, key}, plain).within(10);
  f.add("sdpa", {&attentions, forward_causal}, {query, key, key}, causal).within(10);
  f.add("sdpa bf16", {&attentions, {"8x12x128x64"}}, {query.as(lib::bf16), key.as(lib::bf16), key.as(lib::bf16)},
        plain);
  f.add("sdpa mask", {&attentions, {"8x12x128x32"}}, {query, key, key, sized({2, 4})}, [](args a) {
     return lib::scaled_dot_product_attention(a[0], a[1], a[2], a[3]);
   }).within(10);
  f.recorded("sdpa", {&attentions, both}, {query, key, key}, plain).within(30);
  f.recorded("sdpa", {&attentions, both_causal}, {query, key, key}, causal).within(30);
}

}  // namespace

void add_networks(std::vector<cell>& all) {
  add_norms({all, "norm", sml});
  add_pools({all, "pool", sml_images});
  add_convolutions({all, "conv", {}});
  add_attention({all, "attention", {}});
}

}  // namespace bench::operators
