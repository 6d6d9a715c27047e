// Random calls of losses, with every reduction; see support/random_gradients.h.
#include <algorithm>
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

constexpr std::int64_t none = 0, mean = 1;

std::int64_t any_reduction(source& s) { return s.whole(0, 2); }
// The mean of no elements is not a number.
shape any_sizes(source& s, std::int64_t reduction) { return small_shape(s, 0, 3, reduction != mean, 12); }

// Of two tensors that broadcast; `a` is a positive number of the loss.
using loss_of_pair = tensor (*)(T self, T target, std::int64_t reduction, double a);
random_rule pair(const std::string& name, loss_of_pair f, double low = -2, double high = 2) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const std::int64_t reduction = any_reduction(s);
            // No difference of elements is this.
            const double a = 0.3 + 0.37 * static_cast<double>(s.whole(1, 4)) + 0.001;
            std::vector<shape> all(2, any_sizes(s, reduction));
            if (one_in(s, 2)) {
              shape& narrow = all[static_cast<std::size_t>(s.whole(0, 1))];
              narrow = s.narrowed(narrow);
            }
            return {all, [=](in x) { return out{f(x[0], x[1], reduction, a)}; },
                    said("reduction", reduction) + said("number", a)};
          },
          .low = low,
          .high = high,
          .mixes = true,
          .narrow = 4};
}

// Perhaps two more tensors, behind self and target, that broadcast with them.
struct any_weights {
  bool first, second;
  any_weights(source& s, bool two) : first(one_in(s, 2)), second(two && one_in(s, 2)) {}
  void add_sizes(source& s, std::vector<shape>& all, const shape& sizes) const {
    for (const bool given : {first, second}) {
      if (given) all.push_back(s.narrowed(sizes));
    }
  }
  maybe weight(in x) const { return first ? maybe(x[2]) : std::nullopt; }
  maybe pos_weight(in x) const { return second ? maybe(x[first ? 3 : 2]) : std::nullopt; }
  std::string text() const { return said("weight", first) + said("pos_weight", second); }
};

const std::vector<random_rule> pairs{
    pair("mse_loss", [](T x, T y, std::int64_t r, double) { return aten::mse_loss(x, y, r); }),
    pair("l1_loss", [](T x, T y, std::int64_t r, double) { return aten::l1_loss(x, y, r); }),
    pair("smooth_l1_loss", [](T x, T y, std::int64_t r, double a) { return aten::smooth_l1_loss(x, y, r, a); }),
    pair("smooth_l1_loss without a bend",
         [](T x, T y, std::int64_t r, double) { return aten::smooth_l1_loss(x, y, r, 0.0); }),
    pair("huber_loss", [](T x, T y, std::int64_t r, double a) { return aten::huber_loss(x, y, r, a); }),
    pair("soft_margin_loss", [](T x, T y, std::int64_t r, double) { return aten::soft_margin_loss(x, y, r); }),
    pair(
        "kl_div", [](T x, T y, std::int64_t r, double) { return aten::kl_div(x, y, r); }, 0.1, 0.9),
    pair("kl_div of logarithms",
         [](T x, T y, std::int64_t r, double) { return aten::kl_div(x, y, r, arg<"log_target"> = true); }),
    {.name = "binary_cross_entropy",
     .draw = [](source& s) -> drawn_call {
       const std::int64_t reduction = any_reduction(s);
       const shape sizes = any_sizes(s, reduction);
       const any_weights w(s, false);
       // The weight may be what the others are repeated for.
       const shape both = w.first && one_in(s, 3) ? s.narrowed(sizes) : sizes;
       std::vector<shape> all{both, both};
       if (both == sizes) {
         w.add_sizes(s, all, sizes);
       } else {
         all.push_back(sizes);
       }
       return {all, [=](in x) { return out{aten::binary_cross_entropy(x[0], x[1], w.weight(x), reduction)}; },
               said("reduction", reduction) + w.text()};
     },
     .low = 0.1,
     .high = 0.9,
     .narrow = 8},
    {.name = "binary_cross_entropy_with_logits",
     .draw = [](source& s) -> drawn_call {
       const std::int64_t reduction = any_reduction(s);
       const shape sizes = any_sizes(s, reduction);
       const any_weights w(s, true);
       std::vector<shape> all{sizes, one_in(s, 2) ? sizes : s.narrowed(sizes)};
       w.add_sizes(s, all, sizes);
       return {
           all,
           [=](in x) {
             return out{aten::binary_cross_entropy_with_logits(x[0], x[1], w.weight(x), w.pos_weight(x), reduction)};
           },
           said("reduction", reduction) + w.text()};
     },
     .narrow = 8},
};

// Labels, weights of their classes, and a label that does not count; at least one does, where there are any.
struct any_labels {
  shape scores, places;
  tensor target, weights = {};
  std::int64_t ignored = -100, reduction;
  any_labels(source& s, std::int64_t least_dims, std::int64_t most_dims) : reduction(any_reduction(s)) {
    const std::int64_t classes = s.whole(1, 4), behind = s.whole(least_dims, most_dims) - 2;
    scores = {classes};
    if (behind >= 0) {
      places.push_back(one_in(s, 10) ? 0 : s.whole(1, 3));
      scores = {places[0], classes};
    }
    for (std::int64_t d = behind; d > 0; --d) {
      places.push_back(s.whole(1, 2));
      scores.push_back(places[places.size() - 1]);
    }
    target = support::scattered_room(s, places, tb::dtype::int64);
    std::vector<std::int64_t> used;
    support::each_index(places, [&](const shape& index) {
      used.push_back(s.whole(0, classes - 1));
      support::set(target, index, static_cast<double>(used.back()));
    });
    if (used.size() > 1 && one_in(s, 2) && std::ranges::count(used, used[0]) != std::ssize(used)) ignored = used[0];
    if (one_in(s, 2)) weights = s.positive({classes}, tb::dtype::float64);
  }
  maybe weight(T like) const { return weights.defined() ? maybe(tb::to(weights, like.dtype())) : std::nullopt; }
  tensor total(T like) const { return support::tensor_of({2.5}, {}, like.dtype()); }
  // Of a gradient of the loss.
  shape loss() const { return reduction == none ? places : shape{}; }
  std::string text() const {
    std::string words = said("reduction", reduction) + said("ignore_index", ignored) + "labels";
    for (const double label : support::values(target)) words += " " + std::to_string(static_cast<std::int64_t>(label));
    words += weights.defined() ? " weights" : "";
    for (const double w : weights.defined() ? support::values(weights) : std::vector<double>()) words += said("", w);
    return words;
  }
};

random_rule of_labels(const std::string& name, std::int64_t least_dims, std::int64_t most_dims,
                      tensor (*f)(T, const any_labels&, double smoothing), bool smooth = false) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const any_labels l(s, least_dims, most_dims);
            const double smoothing = smooth ? s.real(0.1, 1) : 0;
            return {
                {l.scores}, [=](in x) { return out{f(x[0], l, smoothing)}; }, l.text() + said(" smoothing", smoothing)};
          },
          .narrow = 8};
}

random_rule backward_of(const std::string& name, tensor (*f)(in, const any_labels&)) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const any_labels l(s, 1, 2);
            return {{l.loss(), l.scores}, [=](in x) { return support::beside_sums({f(x, l)}, x); }, l.text()};
          },
          .narrow = 8};
}

const std::vector<random_rule> labelled{
    of_labels("nll_loss", 1, 2,
              [](T x, const any_labels& l, double) {
                return aten::nll_loss(x, l.target, l.weight(x), l.reduction, l.ignored);
              }),
    of_labels("nll_loss_nd", 1, 5,
              [](T x, const any_labels& l, double) {
                return aten::nll_loss_nd(x, l.target, l.weight(x), l.reduction, l.ignored);
              }),
    of_labels("nll_loss2d", 4, 4,
              [](T x, const any_labels& l, double) {
                return aten::nll_loss2d(x, l.target, l.weight(x), l.reduction, l.ignored);
              }),
    of_labels("nll_loss_forward", 1, 2,
              [](T x, const any_labels& l, double) {
                return std::get<0>(aten::nll_loss_forward(x, l.target, l.weight(x), l.reduction, l.ignored));
              }),
    of_labels("cross_entropy_loss", 1, 5,
              [](T x, const any_labels& l, double) {
                return aten::cross_entropy_loss(x, l.target, l.weight(x), l.reduction, l.ignored);
              }),
    of_labels(
        "cross_entropy_loss, smoothed", 1, 5,
        [](T x, const any_labels& l, double smoothing) {
          return aten::cross_entropy_loss(x, l.target, l.weight(x), l.reduction, l.ignored, smoothing);
        },
        true),
    of_labels("cross_entropy", 1, 2,
              [](T x, const any_labels& l, double) {
                return std::get<0>(native::cross_entropy(x, l.target, l.weight(x), l.reduction, l.ignored));
              }),
    backward_of("nll_loss_backward",
                [](in x, const any_labels& l) {
                  return aten::nll_loss_backward(x[0], x[1], l.target, l.weight(x[0]), l.reduction, l.ignored,
                                                 l.total(x[0]));
                }),
    backward_of("cross_entropy_backward",
                [](in x, const any_labels& l) {
                  return native::cross_entropy_backward(x[0], x[1], l.target, l.weight(x[0]), l.reduction, l.ignored,
                                                        l.total(x[0]));
                }),
    {.name = "cross_entropy_loss of probabilities",
     .draw = [](source& s) -> drawn_call {
       const any_labels l(s, 1, 5);
       const double smoothing = one_in(s, 2) ? 0 : s.real(0.1, 1);
       return {{l.scores, l.scores},
               [=](in x) {
                 return out{aten::cross_entropy_loss(x[0], x[1], l.weight(x[0]), l.reduction, -100, smoothing)};
               },
               l.text() + said(" smoothing", smoothing)};
     },
     .narrow = 8},
};

}  // namespace

TEST_CASE("random gradients: losses of pairs", "[gradients][random]") { check_random_rules(pairs, 100); }
TEST_CASE("random gradients: losses of labels and of probabilities", "[gradients][random]") {
  check_random_rules(labelled, 100);
}
