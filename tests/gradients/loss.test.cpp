// Gradients of losses.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "support/gradient_cases.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace native = topbit::native;
using support::check_gradients;
using tb::arg;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;

namespace {

tensor labels(const std::vector<std::int64_t>& values, const shape& sizes) { return tb::from_values(values, sizes); }
tensor numbers(const std::vector<double>& values, const tensor& like) {
  return tb::to(tb::from_values(values, {static_cast<std::int64_t>(values.size())}), like.dtype());
}

// So that no difference to another tensor is 0.
tensor apart(const tensor& x) { return x * 0.9 + 0.037; }

std::vector<double> gradient_of(const tensor& leaf, const tensor& loss) {
  const tensor total = aten::sum(loss);
  return support::values(tb::grad(std::span(&total, 1), std::span(&leaf, 1))[0]);
}

constexpr std::int64_t none = 0, mean = 1, sum = 2;

}  // namespace

TEST_CASE("loss gradients: labels, all reductions, with weights and an ignored label", "[gradients]") {
  const std::vector<std::int64_t> wanted{2, 0, 1, 2};
  for (const std::int64_t reduction : {none, mean, sum}) {
    for (const std::int64_t ignored : {-100, 1}) {
      for (const bool weighted : {false, true}) {
        INFO("reduction " << reduction << " ignored " << ignored << " weighted " << weighted);
        const auto weight = [=](const tensor& x) {
          return weighted ? std::optional(numbers({0.5, 2, 1.5}, x)) : std::nullopt;
        };
        check_gradients({"nll_loss", {{4, 3}}, [=](in x) {
                           return out{aten::nll_loss(x[0], labels(wanted, {4}), weight(x[0]), reduction, ignored)};
                         }});
        check_gradients({"cross_entropy_loss", {{4, 3}}, [=](in x) {
                           return out{
                               aten::cross_entropy_loss(x[0], labels(wanted, {4}), weight(x[0]), reduction, ignored)};
                         }});
        check_gradients(
            {"cross_entropy_loss, smoothed", {{4, 3}}, [=](in x) {
               return out{aten::cross_entropy_loss(x[0], labels(wanted, {4}), weight(x[0]), reduction, ignored, 0.3)};
             }});
        check_gradients({"nll_loss_nd", {{2, 3, 2}}, [=](in x) {
                           return out{
                               aten::nll_loss_nd(x[0], labels(wanted, {2, 2}), weight(x[0]), reduction, ignored)};
                         }});
        check_gradients(
            {"cross_entropy_loss of pixels", {{1, 3, 2, 2}}, [=](in x) {
               return out{aten::cross_entropy_loss(x[0], labels(wanted, {1, 2, 2}), weight(x[0]), reduction, ignored)};
             }});
        check_gradients({"nll_loss_backward", {reduction == none ? shape{4} : shape{}, {4, 3}}, [=](in x) {
                           const tensor total = tb::to(tb::from_values({2.5}, {}), x[0].dtype());
                           return out{aten::nll_loss_backward(x[0], x[1], labels(wanted, {4}), weight(x[0]), reduction,
                                                              ignored, total)};
                         }});
        check_gradients({"cross_entropy_backward", {reduction == none ? shape{4} : shape{}, {4, 3}}, [=](in x) {
                           const tensor total = tb::to(tb::from_values({2.5}, {}), x[0].dtype());
                           return out{native::cross_entropy_backward(x[0], x[1], labels(wanted, {4}), weight(x[0]),
                                                                     reduction, ignored, total)};
                         }});
      }
    }
    check_gradients({"nll_loss of one", {{3}}, [=](in x) {
                       return out{aten::nll_loss(x[0], labels({2}, {}), std::nullopt, reduction)};
                     }});
    check_gradients({"cross_entropy_loss of one", {{3}}, [=](in x) {
                       return out{aten::cross_entropy_loss(x[0], labels({2}, {}), std::nullopt, reduction)};
                     }});
    check_gradients({"nll_loss2d", {{1, 3, 2, 2}}, [=](in x) {
                       return out{aten::nll_loss2d(x[0], labels(wanted, {1, 2, 2}), std::nullopt, reduction)};
                     }});
  }
}

TEST_CASE("loss gradients: the sum of the weights has none, and weights that require one are refused", "[gradients]") {
  const tensor x = tb::require_grad(tb::from_values({0.1, 0.2, 0.7, 0.3, 0.3, 0.4}, {2, 3}));
  const tensor target = labels({2, 0}, {2});
  for (const bool scores : {false, true}) {
    const auto forward = [&](const std::optional<tensor>& weight) {
      return scores ? native::cross_entropy(x, target, weight, mean, -100)
                    : aten::nll_loss_forward(x, target, weight, mean, -100);
    };
    const auto [loss, total] = forward(std::nullopt);
    const tensor g = tb::grad(std::span(&total, 1), std::span(&x, 1), {.allow_unused = true})[0];
    CHECK((!g.defined() || support::values(g) == std::vector<double>(6, 0.0)));
    const tensor weight = tb::require_grad(tb::from_values({1.0, 2.0, 3.0}, {3}));
    CHECK_THROWS_AS(forward(weight), tb::error);
    CHECK_THROWS_AS(scores ? native::cross_entropy_backward(loss, x, target, weight, mean, -100, total)
                           : aten::nll_loss_backward(loss, x, target, weight, mean, -100, total),
                    tb::error);
  }
}

TEST_CASE("loss gradients: probabilities as targets have gradients too", "[gradients]") {
  for (const std::int64_t reduction : {none, mean, sum}) {
    check_gradients({"cross_entropy_loss", {{2, 3}, {2, 3}}, [=](in x) {
                       return out{
                           aten::cross_entropy_loss(x[0], x[1], numbers({0.5, 2, 1.5}, x[0]), reduction, -100, 0.2)};
                     }});
    check_gradients({"cross_entropy_loss of one", {{3}, {3}}, [=](in x) {
                       return out{aten::cross_entropy_loss(x[0], x[1], std::nullopt, reduction)};
                     }});
  }
}

TEST_CASE("loss gradients: pairs, all reductions, broadcast", "[gradients]") {
  const std::vector<std::pair<shape, shape>> shapes{{{2, 3}, {2, 3}}, {{2, 3}, {3}}};
  for (const std::int64_t reduction : {none, mean, sum}) {
    for (const auto& [self, target] : shapes) {
      INFO("reduction " << reduction << " target " << to_string(target));
      check_gradients({"mse_loss", {self, target}, [=](in x) { return out{aten::mse_loss(x[0], x[1], reduction)}; }});
      check_gradients(
          {"l1_loss", {self, target}, [=](in x) { return out{aten::l1_loss(x[0], apart(x[1]), reduction)}; }});
      for (const double beta : {0.0, 0.7}) {
        check_gradients({"smooth_l1_loss", {self, target}, [=](in x) {
                           return out{aten::smooth_l1_loss(x[0], apart(x[1]), reduction, beta)};
                         }});
      }
      check_gradients({"huber_loss", {self, target}, [=](in x) {
                         return out{aten::huber_loss(x[0], apart(x[1]), reduction, 0.7)};
                       }});
      check_gradients({"soft_margin_loss", {self, target}, [=](in x) {
                         return out{aten::soft_margin_loss(x[0], x[1], reduction)};
                       }});
      check_gradients({"binary_cross_entropy_with_logits", {self, target}, [=](in x) {
                         return out{
                             aten::binary_cross_entropy_with_logits(x[0], x[1], std::nullopt, std::nullopt, reduction)};
                       }});
      check_gradients({"binary_cross_entropy_with_logits, weights", {self, target, {3}, {3}}, [=](in x) {
                         return out{aten::binary_cross_entropy_with_logits(x[0], x[1], x[2], x[3], reduction)};
                       }});
      check_gradients({"kl_div, logarithms", {self, target}, [=](in x) {
                         return out{aten::kl_div(x[0], x[1], reduction, arg<"log_target"> = true)};
                       }});
      check_gradients(
          {"kl_div", {self, target}, [=](in x) { return out{aten::kl_div(x[0], x[1], reduction)}; }, 0.1, 0.9});
    }
    check_gradients({"binary_cross_entropy",
                     {{2, 3}, {2, 3}},
                     [=](in x) { return out{aten::binary_cross_entropy(x[0], x[1], std::nullopt, reduction)}; },
                     0.1,
                     0.9});
    check_gradients({"binary_cross_entropy, weights of more dimensions",
                     {{3}, {3}, {2, 3}},
                     [=](in x) { return out{aten::binary_cross_entropy(x[0], x[1], x[2], reduction)}; },
                     0.1,
                     0.9});
    check_gradients({"binary_cross_entropy, weights",
                     {{2, 3}, {2, 3}, {3}},
                     [=](in x) { return out{aten::binary_cross_entropy(x[0], x[1], x[2], reduction)}; },
                     0.1,
                     0.9});
  }
}

TEST_CASE("loss gradients: where a loss has a corner or an end they are PyTorch's", "[gradients]") {
  using list = std::vector<double>;
  const auto leaf = [](const list& values) {
    return tb::require_grad(tb::from_values(values, {static_cast<std::int64_t>(values.size())}));
  };
  const auto fixed = [](const list& values) {
    return tb::from_values(values, {static_cast<std::int64_t>(values.size())});
  };
  // A loss at a probability of 0 or 1 has no finite slope; it is that of 1e-12, and never NaN.
  const tensor ends = leaf({0, 0, 1, 1});
  const tensor outcomes = leaf({0, 1, 0, 1});
  CHECK(gradient_of(ends, aten::binary_cross_entropy(ends, outcomes, std::nullopt, none)) == list{0, -1e12, 1e12, 0});
  CHECK(gradient_of(outcomes, aten::binary_cross_entropy(ends, outcomes, std::nullopt, none)) ==
        list{100, 100, -100, -100});
  const tensor middle = leaf({0, 0, 0});
  CHECK(gradient_of(middle, aten::binary_cross_entropy_with_logits(middle, fixed({0, 1, 0.5}), std::nullopt,
                                                                   std::nullopt, none)) == list{0.5, -0.5, 0});
  const tensor margin = leaf({0, 0});
  CHECK(gradient_of(margin, aten::soft_margin_loss(margin, fixed({1, -1}), none)) == list{-0.5, 0.5});
  CHECK(gradient_of(margin, aten::l1_loss(margin, fixed({0, 1}), none)) == list{0, -1});
  const tensor near = leaf({0, 0.5, -0.5, 0.25});
  const auto second = [&](const tensor& loss) {
    const tensor total = aten::sum(loss);
    const tensor once = tb::grad(std::span(&total, 1), std::span(&near, 1), {.create_graph = true})[0];
    return gradient_of(near, once);
  };
  const tensor smooth = aten::smooth_l1_loss(near, fixed({0, 0, 0, 0}), none, 0.5);
  CHECK(gradient_of(near, smooth) == list{0, 1, -1, 0.5});
  CHECK(second(aten::smooth_l1_loss(near, fixed({0, 0, 0, 0}), none, 0.5)) == list{2, 0, 0, 2});
  CHECK(second(aten::huber_loss(near, fixed({0, 0, 0, 0}), none, 0.5)) == list{1, 0, 0, 1});
  // No label counts: the loss is 0 / 0, its gradient nothing.
  const tensor scores = tb::require_grad(tb::from_values({0.3, 0.2, 0.1, -0.3}, {2, 2}));
  for (const auto& loss : {aten::nll_loss(scores, labels({-100, -100}, {2})),
                           aten::cross_entropy_loss(scores, labels({-100, -100}, {2}))}) {
    CHECK(gradient_of(scores, loss) == list{0, 0, 0, 0});
  }
}
