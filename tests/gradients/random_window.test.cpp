// Random calls of convolutions, pools and padding, and of what moves pixels; see support/random_gradients.h.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "support/random_gradients.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace native = topbit::native;
using support::check_random_rules;
using support::drawn_call;
using support::one_in;
using support::random_rule;
using support::said;
using tb::arg;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using source = support::numbers;

namespace {

// One number that counts for all dimensions, or one for each.
shape any_list(source& s, std::size_t count, std::int64_t low, std::int64_t high) {
  shape all;
  for (std::size_t n = one_in(s, 3) ? 1 : count; n > 0; --n) all.push_back(s.whole(low, high));
  return all;
}
std::int64_t at(const shape& list, std::size_t i) { return list[list.size() == 1 ? 0 : i]; }

// How many elements a window goes over.
std::int64_t reach(std::int64_t kernel, std::int64_t dilation) { return dilation * (kernel - 1) + 1; }

shape without_batch(const shape& sizes) { return shape(std::span(sizes.begin() + 1, sizes.size() - 1)); }

// How windows lie on an input, and sizes that fit.
struct any_windows {
  shape input{}, weight{}, result{}, stride, padding, dilation, more{0};
  std::int64_t groups;
  any_windows(source& s, std::size_t count)
      : stride(any_list(s, count, 1, 3)),
        padding(any_list(s, count, 0, 2)),
        dilation(any_list(s, count, 1, 2)),
        groups(s.whole(1, 2)) {}
  std::string text() const {
    return said("stride", stride) + said("padding", padding) + said("dilation", dilation) + said("groups", groups) +
           said("output_padding", more);
  }
};

struct any_convolution : any_windows {
  any_convolution(source& s, std::size_t count) : any_windows(s, count) {
    const std::int64_t images = one_in(s, 12) ? 0 : s.whole(1, 2), channels = s.whole(1, count == 1 ? 2 : 1);
    weight = {groups * s.whole(1, 2), channels};
    input = {images, groups * channels};
    result = {images, weight[0]};
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t kernel = s.whole(1, count == 3 ? 2 : 3), over = reach(kernel, at(dilation, i));
      const std::int64_t size = std::max<std::int64_t>(1, over - 2 * at(padding, i)) + s.whole(0, count == 1   ? 3
                                                                                                  : count == 2 ? 2
                                                                                                               : 1);
      weight.push_back(kernel);
      input.push_back(size);
      result.push_back((size + 2 * at(padding, i) - over) / at(stride, i) + 1);
    }
  }
};

struct any_transposed : any_windows {
  any_transposed(source& s, std::size_t count) : any_windows(s, count) {
    const std::int64_t images = s.whole(1, 2), channels = groups * s.whole(1, 2);
    more = any_list(s, count, 0, *std::ranges::min_element(stride) - 1);
    input = {images, channels};
    weight = {channels, s.whole(1, 2)};
    for (std::size_t i = 0; i < count; ++i) {
      input.push_back(s.whole(1, count == 3 ? 2 : 3));
      weight.push_back(s.whole(1, count == 3 ? 2 : 3));
    }
    const auto size = [&](std::size_t i) {
      return (input[i + 2] - 1) * at(stride, i) - 2 * at(padding, i) + reach(weight[i + 2], at(dilation, i)) +
             at(more, i);
    };
    for (std::size_t i = 0; i < count; ++i) {
      if (size(i) < 1) padding = {0};
    }
    result = {images, groups * weight[1]};
    for (std::size_t i = 0; i < count; ++i) result.push_back(size(i));
  }
};

std::optional<tensor> bias_of(in x) { return x.size() == 3 ? std::optional(x[2]) : std::nullopt; }

// Of an input, of one image perhaps, a weight and perhaps a bias.
template <class Windows>
random_rule layer(const std::string& name, std::size_t count, std::function<tensor(in, const Windows&)> f,
                  bool single = true) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const Windows w(s, count);
            std::vector<shape> all{single && one_in(s, 4) ? without_batch(w.input) : w.input, w.weight};
            if (one_in(s, 2)) all.push_back({w.result[1]});
            return {all, [=](in x) { return out{f(x, w)}; }, w.text()};
          },
          .narrow = 4};
}
using convolves = any_convolution;
using transposes = any_transposed;

// With a stride of 1, and padding in words.
template <const auto& Op>
random_rule padded_layer(const std::string& name, std::size_t count) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            any_convolution w(s, count);
            const bool same = one_in(s, 2);
            if (same) w.stride = {1};
            for (std::size_t i = 0; i < count; ++i)
              w.input[i + 2] = std::max(w.input[i + 2], reach(w.weight[i + 2], at(w.dilation, i)));
            std::vector<shape> all{w.input, w.weight};
            if (one_in(s, 2)) all.push_back({w.weight[0]});
            const std::string padding = same ? "same" : "valid";
            return {all, [=](in x) { return out{Op(x[0], x[1], bias_of(x), w.stride, padding, w.dilation, w.groups)}; },
                    w.text() + padding};
          },
          .narrow = 4};
}

// Of two of the three between which a convolution is.
random_rule kernel_of(const std::string& name, std::vector<shape> (*shapes)(const any_convolution&),
                      tensor (*f)(in, const any_convolution&)) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const any_convolution w(s, static_cast<std::size_t>(s.whole(1, 3)));
            return {shapes(w), [=](in x) { return out{f(x, w)}; }, w.text()};
          },
          .narrow = 4};
}

template <class Windows>
random_rule backward_of(const std::string& name, bool transposed) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const Windows w(s, static_cast<std::size_t>(s.whole(1, 3)));
            std::array wanted{true, one_in(s, 2), one_in(s, 2)};
            std::swap(wanted[0], wanted[static_cast<std::size_t>(s.whole(0, 1))]);
            return {{w.result, w.input, w.weight},
                    [=](in x) {
                      const auto [a, b, c] =
                          aten::convolution_backward(x[0], x[1], x[2], shape{w.result[1]}, w.stride, w.padding,
                                                     w.dilation, transposed, w.more, w.groups, wanted);
                      out all;
                      for (const tensor& t : {a, b, c}) {
                        if (t.defined()) all.push_back(t);
                      }
                      return support::beside_sums(all, x);
                    },
                    w.text() + said("input", wanted[0]) + said("weight", wanted[1]) + said("bias", wanted[2])};
          },
          .narrow = 4};
}

const std::vector<random_rule> convolutions{
    layer<convolves>("conv1d", 1,
                     [](in x, const convolves& w) {
                       return aten::conv1d(x[0], x[1], bias_of(x), w.stride, w.padding, w.dilation, w.groups);
                     }),
    layer<convolves>("conv2d", 2,
                     [](in x, const convolves& w) {
                       return aten::conv2d(x[0], x[1], bias_of(x), w.stride, w.padding, w.dilation, w.groups);
                     }),
    layer<convolves>("conv3d", 3,
                     [](in x, const convolves& w) {
                       return aten::conv3d(x[0], x[1], bias_of(x), w.stride, w.padding, w.dilation, w.groups);
                     }),
    padded_layer<aten::conv1d_padding>("conv1d.padding", 1),
    padded_layer<aten::conv2d_padding>("conv2d.padding", 2),
    padded_layer<aten::conv3d_padding>("conv3d.padding", 3),
    layer<transposes>("conv_transpose1d", 1,
                      [](in x, const transposes& w) {
                        return aten::conv_transpose1d(x[0], x[1], bias_of(x), w.stride, w.padding, w.more, w.groups,
                                                      w.dilation);
                      }),
    layer<transposes>("conv_transpose2d", 2,
                      [](in x, const transposes& w) {
                        return aten::conv_transpose2d_input(x[0], x[1], bias_of(x), w.stride, w.padding, w.more,
                                                            w.groups, w.dilation);
                      }),
    layer<transposes>("conv_transpose3d", 3,
                      [](in x, const transposes& w) {
                        return aten::conv_transpose3d_input(x[0], x[1], bias_of(x), w.stride, w.padding, w.more,
                                                            w.groups, w.dilation);
                      }),
    layer<convolves>(
        "convolution", 2,
        [](in x, const convolves& w) {
          return aten::convolution(x[0], x[1], bias_of(x), w.stride, w.padding, w.dilation, false, shape{0}, w.groups);
        },
        false),
    layer<transposes>(
        "convolution, transposed", 2,
        [](in x, const transposes& w) {
          return aten::convolution(x[0], x[1], bias_of(x), w.stride, w.padding, w.dilation, true, w.more, w.groups);
        },
        false),
    kernel_of(
        "convolve", [](const convolves& w) { return std::vector{w.input, w.weight}; },
        [](in x, const convolves& w) {
          return native::convolve(x[0], x[1], w.stride, w.padding, w.dilation, w.groups);
        }),
    kernel_of(
        "convolve_input_gradient", [](const convolves& w) { return std::vector{w.result, w.weight}; },
        [](in x, const convolves& w) {
          return native::convolve_input_gradient(x[0], x[1], w.input, w.stride, w.padding, w.dilation, w.groups);
        }),
    kernel_of(
        "convolve_weight_gradient", [](const convolves& w) { return std::vector{w.result, w.input}; },
        [](in x, const convolves& w) {
          return native::convolve_weight_gradient(x[0], x[1], w.weight, w.stride, w.padding, w.dilation, w.groups);
        }),
    backward_of<convolves>("convolution_backward", false),
    backward_of<transposes>("convolution_backward, transposed", true),
};

// How windows lie on an image of one or two dimensions that they fit: each has an element of it.
struct any_pool {
  shape image, kernel, stride, padding, dilation;
  bool ceil, counted;
  std::optional<std::int64_t> divisor;
  any_pool(source& s, std::size_t count, bool dilates)
      : image(s.whole(0, 1) == 0 ? shape{} : shape{one_in(s, 6) ? 0 : s.whole(1, 2)}),
        kernel(any_list(s, count, 1, 3)),
        stride(one_in(s, 3) ? shape{} : any_list(s, count, 1, 3)),
        padding(any_list(s, count, 0, *std::ranges::min_element(kernel) / 2)),
        dilation(any_list(s, count, 1, dilates ? 2 : 1)),
        ceil(one_in(s, 2)),
        counted(one_in(s, 2)) {
    if (one_in(s, 3)) divisor = std::array<std::int64_t, 3>{-2, 1, 5}[static_cast<std::size_t>(s.whole(0, 2))];
    image.push_back(s.whole(1, 2));
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t least = std::max(at(dilation, i), reach(at(kernel, i), at(dilation, i)) - 2 * at(padding, i));
      image.push_back(least + s.whole(0, 2));
    }
  }
  std::string text() const {
    return said("kernel", kernel) + said("stride", stride) + said("padding", padding) + said("dilation", dilation) +
           said("ceil", ceil) + said("count_include_pad", counted) + said("divisor", divisor.value_or(0));
  }
};

random_rule pool(const std::string& name, std::size_t count, bool of_largest,
                 out (*f)(const tensor&, const any_pool&)) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const any_pool p(s, count, of_largest);
            return {{p.image}, [=](in x) { return f(x[0], p); }, p.text()};
          },
          .repeats = !of_largest,
          .narrow = 4};
}

std::tuple<tensor, tensor> largest(const tensor& x, const any_pool& p) {
  return aten::max_pool2d_with_indices(x, p.kernel, p.stride, p.padding, p.dilation, p.ceil);
}
tensor averages(const tensor& x, const any_pool& p) {
  return aten::avg_pool2d(x, p.kernel, p.stride, p.padding, p.ceil, p.counted, p.divisor);
}

// The others: adaptive ones, and those of a gradient, whose image is a constant of the gradient's dtype.
random_rule other_pool(const std::string& name, std::function<drawn_call(source&)> draw) {
  return {.name = name, .draw = std::move(draw), .narrow = 4};
}

const std::vector<random_rule> pools{
    pool("max_pool1d", 1, true,
         [](const tensor& x, const any_pool& p) {
           return out{aten::max_pool1d(x, p.kernel, p.stride, p.padding, p.dilation, p.ceil)};
         }),
    pool("max_pool1d_with_indices", 1, true,
         [](const tensor& x, const any_pool& p) {
           const auto [values, indices] =
               aten::max_pool1d_with_indices(x, p.kernel, p.stride, p.padding, p.dilation, p.ceil);
           return out{values, indices};
         }),
    pool("max_pool2d", 2, true,
         [](const tensor& x, const any_pool& p) {
           return out{aten::max_pool2d(x, p.kernel, p.stride, p.padding, p.dilation, p.ceil)};
         }),
    pool("max_pool2d_with_indices", 2, true,
         [](const tensor& x, const any_pool& p) {
           const auto [values, indices] = largest(x, p);
           return out{values, indices};
         }),
    pool("avg_pool1d", 1, false,
         [](const tensor& x, const any_pool& p) {
           return out{aten::avg_pool1d(x, p.kernel, p.stride, p.padding, p.ceil, p.counted)};
         }),
    pool("avg_pool2d", 2, false, [](const tensor& x, const any_pool& p) { return out{averages(x, p)}; }),
    other_pool("max_pool2d_with_indices_backward",
               [](source& s) -> drawn_call {
                 const any_pool p(s, 2, true);
                 const tensor image = s.tensor(p.image, tb::dtype::float64);
                 const tensor indices = std::get<1>(largest(image, p));
                 return {{indices.sizes()},
                         [=](in x) {
                           return out{aten::max_pool2d_with_indices_backward(x[0], tb::to(image, x[0].dtype()),
                                                                             p.kernel, p.stride, p.padding, p.dilation,
                                                                             p.ceil, indices)};
                         },
                         p.text() + said("image", p.image)};
               }),
    other_pool("avg_pool2d_backward",
               [](source& s) -> drawn_call {
                 const any_pool p(s, 2, false);
                 const tensor image = s.tensor(p.image, tb::dtype::float64);
                 return {{averages(image, p).sizes()},
                         [=](in x) {
                           return out{aten::avg_pool2d_backward(x[0], tb::to(image, x[0].dtype()), p.kernel, p.stride,
                                                                p.padding, p.ceil, p.counted, p.divisor)};
                         },
                         p.text() + said("image", p.image)};
               }),
    other_pool(
        "adaptive_avg_pool1d",
        [](source& s) -> drawn_call {
          const std::int64_t size = s.whole(1, 6);
          shape image{s.whole(1, 2), s.whole(1, 6)};
          if (one_in(s, 2)) image = {s.whole(1, 2), image[0], image[1]};
          return {{image}, [=](in x) { return out{aten::adaptive_avg_pool1d(x[0], shape{size})}; }, said("size", size)};
        }),
    other_pool("adaptive_avg_pool2d",
               [](source& s) -> drawn_call {
                 const shape size = any_list(s, 2, 1, 5);
                 shape image{s.whole(1, 2), s.whole(1, 4), s.whole(1, 4)};
                 if (one_in(s, 2)) image = {s.whole(0, 2), image[0], image[1], image[2]};
                 return {{image},
                         [=](in x) {
                           return out{aten::adaptive_avg_pool2d(x[0], size),
                                      aten::_adaptive_avg_pool2d(x[0] * x[0], size)};
                         },
                         said("size", size)};
               }),
    other_pool("_adaptive_avg_pool2d_backward",
               [](source& s) -> drawn_call {
                 shape size{s.whole(1, 2), s.whole(1, 4), s.whole(1, 4)};
                 if (one_in(s, 2)) size = {s.whole(1, 2), size[0], size[1], size[2]};
                 shape sizes = size;
                 sizes[sizes.size() - 1] = s.whole(1, 5);
                 sizes[sizes.size() - 2] = s.whole(1, 5);
                 const tensor image = s.tensor(sizes, tb::dtype::float64);
                 return {
                     {size},
                     [=](in x) { return out{aten::_adaptive_avg_pool2d_backward(x[0], tb::to(image, x[0].dtype()))}; },
                     said("image", sizes)};
               }),
};

// `padded` dimensions behind channels, and perhaps a batch; numbers that the mode can have, some of them negative.
enum class edge { constant, reflect, replicate, circular };
random_rule padding(const std::string& name, edge mode, std::size_t padded, tensor (*f)(const tensor&, const shape&)) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            shape sizes;
            for (std::int64_t n = s.whole(mode == edge::circular ? 0 : 1, 2); n > 0; --n)
              sizes.push_back(s.whole(1, 2));
            const std::size_t front = sizes.size();
            for (std::size_t i = 0; i < padded; ++i) sizes.push_back(s.whole(1, padded == 3 ? 2 : 4));
            shape pad;
            for (std::size_t i = 0; i < padded; ++i) {
              const std::int64_t n = sizes[front + padded - 1 - i];
              const auto fits = [&](std::int64_t a, std::int64_t b) {
                const std::int64_t left = n + std::min<std::int64_t>(a, 0) + std::min<std::int64_t>(b, 0);
                const bool enough = mode == edge::constant || mode == edge::replicate ||
                                    std::max(a, b) <= (mode == edge::reflect ? n - 1 : left);
                return enough && left >= 0 && n + a + b >= 1;
              };
              std::int64_t before = 0, behind = 0;
              do {
                before = s.whole(-2, 3);
                behind = s.whole(-2, 3);
              } while (!fits(before, behind));
              pad.push_back(before);
              pad.push_back(behind);
            }
            return {{sizes}, [=](in x) { return out{f(x[0], pad), f(x[0] * x[0], pad)}; }, said("pad", pad)};
          },
          .narrow = 4};
}
using T = const tensor&;
using D = const shape&;

const std::vector<random_rule> paddings{
    padding("constant_pad_nd of one", edge::constant, 1, [](T x, D p) { return aten::constant_pad_nd(x, p, 5); }),
    padding("constant_pad_nd", edge::constant, 2, [](T x, D p) { return aten::constant_pad_nd(x, p, -1.5); }),
    padding("reflection_pad1d", edge::reflect, 1, [](T x, D p) { return aten::reflection_pad1d(x, p); }),
    padding("reflection_pad2d", edge::reflect, 2, [](T x, D p) { return aten::reflection_pad2d(x, p); }),
    padding("reflection_pad3d", edge::reflect, 3, [](T x, D p) { return aten::reflection_pad3d(x, p); }),
    padding("replication_pad1d", edge::replicate, 1, [](T x, D p) { return aten::replication_pad1d(x, p); }),
    padding("replication_pad2d", edge::replicate, 2, [](T x, D p) { return aten::replication_pad2d(x, p); }),
    padding("replication_pad3d", edge::replicate, 3, [](T x, D p) { return aten::replication_pad3d(x, p); }),
    padding("_pad_circular of one", edge::circular, 1, [](T x, D p) { return aten::_pad_circular(x, p); }),
    padding("_pad_circular", edge::circular, 2, [](T x, D p) { return aten::_pad_circular(x, p); }),
    padding("pad, constant", edge::constant, 2, [](T x, D p) { return aten::pad(x, p, "constant", 2.5); }),
    padding("pad, reflect", edge::reflect, 2, [](T x, D p) { return aten::pad(x, p, "reflect"); }),
    padding("pad, replicate", edge::replicate, 3, [](T x, D p) { return aten::pad(x, p, "replicate"); }),
    padding("pad, circular", edge::circular, 3, [](T x, D p) { return aten::pad(x, p, "circular"); }),
};

// Of images, with sizes that the factor divides.
random_rule pixels(const std::string& name, std::function<shape(source&, std::int64_t)> sizes,
                   tensor (*f)(const tensor&, std::int64_t)) {
  return {.name = name, .draw = [=](source& s) -> drawn_call {
            const std::int64_t factor = s.whole(1, 3);
            shape all = support::small_shape(s, 0, 1, true, 2);
            for (const std::int64_t n : sizes(s, factor)) all.push_back(n);
            return {{all}, [=](in x) { return out{f(x[0], factor), f(x[0] * x[0], factor)}; }, said("factor", factor)};
          }};
}

const std::vector<random_rule> images{
    pixels(
        "pixel_shuffle", [](source& s, std::int64_t r) { return shape{r * r, s.whole(1, 2), s.whole(1, 2)}; },
        [](T x, std::int64_t r) { return aten::pixel_shuffle(x, r); }),
    pixels(
        "pixel_unshuffle",
        [](source& s, std::int64_t r) { return shape{s.whole(1, 2), r * s.whole(1, 2), r * s.whole(1, 2)}; },
        [](T x, std::int64_t r) { return aten::pixel_unshuffle(x, r); }),
    {.name = "channel_shuffle",
     .draw = [](source& s) -> drawn_call {
       const std::int64_t groups = s.whole(1, 3);
       shape sizes{s.whole(1, 2), groups * s.whole(1, 3), s.whole(1, 2)};
       if (one_in(s, 2)) sizes.push_back(s.whole(1, 2));
       return {{sizes}, [=](in x) { return out{aten::channel_shuffle(x[0], groups)}; }, said("groups", groups)};
     }},
    {.name = "upsample_nearest2d",
     .draw = [](source& s) -> drawn_call {
       const shape sizes{s.whole(0, 2), s.whole(1, 2), s.whole(1, 3), s.whole(1, 3)};
       const shape size{s.whole(1, 6), s.whole(1, 6)};
       const std::optional<double> scale = one_in(s, 2) ? std::optional(s.real(0.3, 3)) : std::nullopt;
       return {{sizes},
               [=](in x) { return out{aten::upsample_nearest2d(x[0], size, scale)}; },
               said("size", size) + said("scale", scale.value_or(0))};
     },
     .narrow = 4},
};

}  // namespace

TEST_CASE("random gradients: convolutions", "[gradients][random]") { check_random_rules(convolutions, 40); }
TEST_CASE("random gradients: pools", "[gradients][random]") { check_random_rules(pools, 100); }
TEST_CASE("random gradients: padding", "[gradients][random]") { check_random_rules(paddings, 40); }
TEST_CASE("random gradients: pixel shuffles", "[gradients][random]") { check_random_rules(images, 50); }
