// Random calls of normalisation, softmax, attention, embedding and dropout; see support/random_gradients.h.
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
using support::small_shape;
using tb::arg;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using source = support::numbers;
using T = const tensor&;
using maybe = std::optional<tensor>;

namespace {

std::int64_t count_of(const shape& sizes) { return static_cast<std::int64_t>(sizes.size()); }
shape last_of(const shape& sizes, std::int64_t count) {
  return shape(std::span(sizes.end() - count, static_cast<std::size_t>(count)));
}
// 1 to 3, seldom 0.
std::int64_t size(source& s) { return one_in(s, 15) ? 0 : s.whole(1, 3); }

template <class... Results>
out defined_of(const std::tuple<Results...>& results) {
  out all;
  const auto add = [&](T t) {
    if (t.defined()) all.push_back(t);
  };
  std::apply([&](const auto&... t) { (add(t), ...); }, results);
  return all;
}

// Perhaps a weight and a bias behind the input, and an eps that bounds what float16 and bfloat16 lose.
struct any_parameters {
  bool weighted, biased;
  double eps;
  any_parameters(source& s, bool bias = true)
      : weighted(one_in(s, 2)), biased(bias && one_in(s, 2)), eps(s.real(0.1, 1)) {}
  std::vector<shape> shapes(const shape& input, const shape& parameter) const {
    std::vector<shape> all{input};
    if (weighted) all.push_back(parameter);
    if (biased) all.push_back(parameter);
    return all;
  }
  maybe weight(in x) const { return weighted ? maybe(x[1]) : std::nullopt; }
  maybe bias(in x) const { return biased ? maybe(x[weighted ? 2 : 1]) : std::nullopt; }
  std::string text() const { return said("weight", weighted) + said("bias", biased) + said("eps", eps); }
};

// Over some of the last dimensions.
struct any_layers : any_parameters {
  shape input, given_shape;
  any_layers(source& s, bool bias) : any_parameters(s, bias), input(small_shape(s, 1)) {
    given_shape = last_of(input, s.whole(1, count_of(input)));
  }
  std::string text() const { return any_parameters::text() + said("shape", given_shape); }
};
random_rule of_layers(const std::string& name, bool bias, out (*f)(in, const any_layers&)) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const any_layers l(s, bias);
            return {l.shapes(l.input, l.given_shape), [=](in x) { return f(x, l); }, l.text()};
          },
          .narrow = 16};
}

// Over channels, with running statistics perhaps.
struct any_channels : any_parameters {
  shape input, channels;
  bool training;
  tensor mean = {}, variance = {};
  any_channels(source& s, bool training_only) : any_parameters(s), training(training_only || one_in(s, 2)) {
    input = {s.whole(training ? 2 : 0, 3), s.whole(1, 3)};
    for (std::int64_t d = s.whole(0, 2); d > 0; --d) input.push_back(s.whole(1, 2));
    channels = {input[1]};
    if (training && one_in(s, 2)) return;
    mean = s.tensor(channels, tb::dtype::float64);
    variance = s.positive(channels, tb::dtype::float64);
  }
  // New ones, which training writes to.
  maybe running(T kept, T like) const {
    return kept.defined() ? maybe(aten::clone(tb::to(kept, like.dtype()))) : std::nullopt;
  }
  std::string text() const {
    return any_parameters::text() + said("training", training) + said("running", mean.defined());
  }
};
random_rule of_channels(const std::string& name, bool training_only, out (*f)(in, const any_channels&)) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const any_channels c(s, training_only);
            return {c.shapes(c.input, c.channels), [=](in x) { return f(x, c); }, c.text()};
          },
          .mixes = true,
          .narrow = 16};
}

const std::vector<random_rule> norms{
    of_layers("layer_norm", true,
              [](in x, const any_layers& l) {
                return out{aten::layer_norm(x[0], l.given_shape, l.weight(x), l.bias(x), l.eps)};
              }),
    of_layers("native_layer_norm", true,
              [](in x, const any_layers& l) {
                return defined_of(aten::native_layer_norm(x[0], l.given_shape, l.weight(x), l.bias(x), l.eps));
              }),
    of_layers("rms_norm", false,
              [](in x, const any_layers& l) { return out{aten::rms_norm(x[0], l.given_shape, l.weight(x), l.eps)}; }),
    {.name = "native_layer_norm_backward",
     .draw = [](source& s) -> drawn_call {
       const any_layers l(s, false);
       shape rows = l.input;
       for (std::size_t d = rows.size() - l.given_shape.size(); d < rows.size(); ++d) rows[d] = 1;
       std::vector<shape> all{l.input, l.input, rows, rows};
       if (l.weighted) all.push_back(l.given_shape);
       std::array wanted{true, one_in(s, 2), one_in(s, 2)};
       std::swap(wanted[0], wanted[static_cast<std::size_t>(s.whole(0, 2))]);
       return {all,
               [=](in x) {
                 const maybe weight = l.weighted ? maybe(x[4]) : std::nullopt;
                 return support::beside_sums(defined_of(aten::native_layer_norm_backward(
                                                 x[0], x[1], l.given_shape, x[2], x[3], weight, std::nullopt, wanted)),
                                             x);
               },
               l.text() + said("input", wanted[0]) + said("weight", wanted[1]) + said("bias", wanted[2])};
     },
     .narrow = 16},
    of_channels("batch_norm", false,
                [](in x, const any_channels& c) {
                  return out{aten::batch_norm(x[0], c.weight(x), c.bias(x), c.running(c.mean, x[0]),
                                              c.running(c.variance, x[0]), c.training, 0.1, c.eps, false)};
                }),
    of_channels("native_batch_norm", true,
                [](in x, const any_channels& c) {
                  return defined_of(aten::native_batch_norm(x[0], c.weight(x), c.bias(x), c.running(c.mean, x[0]),
                                                            c.running(c.variance, x[0]), true, 0.1, c.eps));
                }),
    of_channels("instance_norm", false,
                [](in x, const any_channels& c) {
                  // Statistics of an image need two elements of each channel.
                  const tensor image =
                      aten::cat(std::array{aten::unsqueeze(x[0], -1), aten::unsqueeze(x[0] * 0.5, -1)}, -1);
                  return out{aten::instance_norm(image, c.weight(x), c.bias(x), c.running(c.mean, x[0]),
                                                 c.running(c.variance, x[0]), c.training, 0.1, c.eps, false)};
                }),
    of_channels("channel_norm", false,
                [](in x, const any_channels& c) {
                  const bool given = !c.training && c.mean.defined();
                  return defined_of(native::channel_norm(x[0], c.weight(x), c.bias(x),
                                                         given ? c.running(c.mean, x[0]) : std::nullopt,
                                                         given ? c.running(c.variance, x[0]) : std::nullopt, 0, c.eps));
                }),
    {.name = "group_norm",
     .draw = [](source& s) -> drawn_call {
       const any_parameters p(s);
       const std::int64_t groups = s.whole(1, 3);
       shape input{one_in(s, 12) ? 0 : s.whole(1, 2), groups * s.whole(1, 2)};
       for (std::int64_t d = s.whole(0, 2); d > 0; --d) input.push_back(s.whole(1, 2));
       return {p.shapes(input, {input[1]}),
               [=](in x) { return out{aten::group_norm(x[0], groups, p.weight(x), p.bias(x), p.eps)}; },
               p.text() + said("groups", groups)};
     },
     .mixes = true,
     .narrow = 16},
};

using along_dim = tensor (*)(in, std::int64_t dim);
random_rule rows(const std::string& name, std::size_t count, along_dim f) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const shape sizes = small_shape(s, 1);
            const std::int64_t dim = s.whole(-count_of(sizes), count_of(sizes) - 1);
            return {std::vector(count, sizes), [=](in x) { return out{f(x, dim)}; }, said("dim", dim)};
          },
          .narrow = 8};
}

const std::vector<random_rule> softmaxes{
    rows("softmax in float64", 1, [](in x, std::int64_t d) { return aten::softmax_int(x[0], d, tb::dtype::float64); }),
    rows("log_softmax in float64", 1,
         [](in x, std::int64_t d) { return aten::log_softmax_int(x[0], d, tb::dtype::float64); }),
    rows("_softmax", 1, [](in x, std::int64_t d) { return aten::_softmax(x[0], d, false); }),
    rows("_log_softmax", 1, [](in x, std::int64_t d) { return aten::_log_softmax(x[0], d, false); }),
    rows("_softmax_backward_data", 2,
         [](in x, std::int64_t d) { return aten::_softmax_backward_data(x[0], x[1], d, x[0].dtype()); }),
    rows("_log_softmax_backward_data", 2,
         [](in x, std::int64_t d) { return aten::_log_softmax_backward_data(x[0], x[1], d, x[0].dtype()); }),
};

// Query, key and value, whose batches broadcast, and what masks their scores.
struct any_attention {
  enum class masking { none, causal, condition, summand } how;
  std::vector<shape> shapes{};
  tensor kept = {};
  std::optional<double> scale;
  any_attention(source& s) : how(static_cast<masking>(s.whole(0, 3))) {
    const shape batch = small_shape(s, 0, 2, true, 4);
    const std::int64_t queries = size(s), keys = size(s), width = size(s);
    const auto matrix = [&](std::int64_t n, std::int64_t m) {
      shape all = one_in(s, 2) ? batch : s.narrowed(batch);
      all.push_back(n);
      all.push_back(m);
      return all;
    };
    shapes = {matrix(queries, width), matrix(keys, width), matrix(keys, size(s))};
    if (one_in(s, 2)) scale = s.real(-1, 1);
    const auto front = [](const shape& sizes) { return shape(std::span(sizes.begin(), sizes.size() - 2)); };
    shape scores = tb::broadcast("attention", front(shapes[0]), front(shapes[1]));
    scores.push_back(queries);
    scores.push_back(keys);
    const shape mask = s.narrowed(scores);
    if (how == masking::summand) shapes.push_back(mask);
    if (how != masking::condition) return;
    kept = support::scattered_room(s, mask, tb::dtype::boolean);
    support::each_index(mask, [&](const shape& index) { support::set(kept, index, one_in(s, 3) ? 0 : 1); });
  }
  bool causal() const { return how == masking::causal; }
  maybe mask(in x) const { return kept.defined() ? maybe(kept) : how == masking::summand ? maybe(x[3]) : std::nullopt; }
  std::string text() const {
    std::string words = said("masking", static_cast<int>(how)) + said("scale", scale.value_or(0));
    if (kept.defined()) words += said("mask", kept.sizes());
    for (const double x : kept.defined() ? support::values(kept) : std::vector<double>()) words += x == 0 ? "0" : "1";
    return words;
  }
};
random_rule attention(const std::string& name, double narrow, tensor (*f)(in, const any_attention&)) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const any_attention a(s);
            return {a.shapes, [=](in x) { return out{f(x, a)}; }, a.text()};
          },
          .narrow = narrow};
}

// Rows of a table, one of which may be padding. A row of padding is read like others and has no gradient, and one that
// is read twice has, by frequency, that of a mean: neither is the derivative, so for a true gradient neither is drawn.
struct any_rows {
  std::int64_t count, padding;
  bool by_frequency;
  tensor places;
  any_rows(source& s, bool true_gradient)
      : count(s.whole(1, 4)), padding(one_in(s, 2) ? s.whole(0, count - 1) : -1), by_frequency(one_in(s, 2)) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!true_gradient || i != padding) rows.push_back(i);
    }
    shape sizes = rows.empty() ? shape{0} : small_shape(s, 0, 2, true, 4);
    if (true_gradient && by_frequency) sizes = {s.whole(0, std::ssize(rows))};
    places = support::scattered_room(s, sizes, tb::dtype::int64);
    std::int64_t n = s.whole(0, 3);
    support::each_index(sizes, [&](const shape& index) {
      const std::int64_t at = true_gradient && by_frequency ? n++ % std::ssize(rows) : s.whole(0, std::ssize(rows) - 1);
      support::set(places, index, static_cast<double>(rows[static_cast<std::size_t>(at)]));
    });
  }
  std::string text() const {
    std::string words = said("padding", padding) + said("by frequency", by_frequency) + "rows";
    for (const double row : support::values(places)) words += " " + std::to_string(static_cast<std::int64_t>(row));
    return words;
  }
};

// The noise is drawn again from the same seed, in a dense tensor, whose order is that of its elements in every dtype.
using drops_elements = out (*)(T, double p, bool train);
random_rule dropout(const std::string& name, drops_elements f) {
  return {.name = name, .draw = [=](source& s) -> drawn_call {
            const double p = std::array{0.0, 0.3, 0.6, 1.0}[static_cast<std::size_t>(s.whole(0, 3))];
            const bool train = !one_in(s, 4);
            const auto seed = static_cast<std::uint64_t>(s.whole(1, 1000));
            return {{small_shape(s)},
                    [=](in x) {
                      tb::manual_seed(seed);
                      return f(aten::contiguous(x[0]), p, train);
                    },
                    said("p", p) + said("train", train) + said("seed", seed)};
          }};
}

const std::vector<random_rule> others{
    attention("scaled_dot_product_attention", 8,
              [](in x, const any_attention& a) {
                return aten::scaled_dot_product_attention(x[0], x[1], x[2], a.mask(x), 0.0, a.causal(),
                                                          arg<"scale"> = a.scale);
              }),
    // float16 and bfloat16 are refused.
    attention("attend", 0,
              [](in x, const any_attention& a) {
                return native::attend(x[0], x[1], x[2], a.mask(x), a.causal(), a.scale.value_or(0.5));
              }),
    {.name = "embedding, with padding and by frequency",
     .draw = [](source& s) -> drawn_call {
       const any_rows r(s, true);
       return {{{r.count, s.whole(0, 3)}},
               [=](in x) { return out{aten::embedding(x[0], r.places, r.padding, r.by_frequency)}; },
               r.text()};
     },
     .narrow = 4},
    {.name = "embedding_dense_backward",
     .draw = [](source& s) -> drawn_call {
       const any_rows r(s, false);
       shape sizes = r.places.sizes();
       sizes.push_back(s.whole(0, 3));
       return {{sizes},
               [=](in x) {
                 return out{aten::embedding_dense_backward(x[0], r.places, r.count, r.padding, r.by_frequency)};
               },
               r.text()};
     },
     .narrow = 4},
    dropout("dropout", [](T x, double p, bool train) { return out{aten::dropout(x, p, train)}; }),
    dropout("dropout_",
            [](T x, double p, bool train) {
              tensor y = aten::clone(x);
              return out{aten::dropout_(y, p, train)};
            }),
    dropout("alpha_dropout", [](T x, double p, bool train) { return out{aten::alpha_dropout(x, p, train)}; }),
    dropout("alpha_dropout_",
            [](T x, double p, bool train) {
              tensor y = aten::clone(x);
              return out{aten::alpha_dropout_(y, p, train)};
            }),
    dropout("native_dropout", [](T x, double p, bool train) { return defined_of(aten::native_dropout(x, p, train)); }),
    {.name = "native_dropout_backward",
     .draw = [](source& s) -> drawn_call {
       const shape sizes = small_shape(s);
       const double scale = s.real(1, 3);
       const tensor kept = support::scattered_room(s, sizes, tb::dtype::boolean);
       support::each_index(sizes, [&](const shape& index) { support::set(kept, index, one_in(s, 2) ? 0 : 1); });
       return {
           {sizes}, [=](in x) { return out{aten::native_dropout_backward(x[0], kept, scale)}; }, said("scale", scale)};
     },
     .narrow = 4},
};

}  // namespace

TEST_CASE("random gradients: normalisation", "[gradients][random]") { check_random_rules(norms, 100); }
TEST_CASE("random gradients: rows of softmax", "[gradients][random]") { check_random_rules(softmaxes, 50); }
TEST_CASE("random gradients: attention, embedding and dropout", "[gradients][random]") {
  check_random_rules(others, 150);
}
