// Gradients of normalisation, dropout, attention and moved pixels.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
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

tensor fixed(const shape& sizes, const tensor& like) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tb::numel(sizes); ++i) values.push_back(0.25 * static_cast<double>(i % 7) - 0.6);
  return tb::to(tb::from_values(values, sizes), like.dtype());
}

template <class... Results>
out list_of(const std::tuple<Results...>& results) {
  return std::apply([](const auto&... t) { return out{t...}; }, results);
}

}  // namespace

TEST_CASE("layer gradients: layer_norm, with and without weight and bias", "[gradients]") {
  for (const auto& [input, given_shape] : std::vector<std::pair<shape, shape>>{
           {{2, 3}, {3}}, {{2, 2, 3}, {3}}, {{2, 2, 3}, {2, 3}}, {{4}, {4}}, {{0, 3}, {3}}, {{2, 0}, {0}}}) {
    INFO("input " << to_string(input) << " shape " << to_string(given_shape));
    const shape normalised = given_shape;
    check_gradients({"layer_norm", {input}, [=](in x) { return out{aten::layer_norm(x[0], normalised)}; }});
    check_gradients({"layer_norm, weight", {input, given_shape}, [=](in x) {
                       return out{aten::layer_norm(x[0], normalised, x[1])};
                     }});
    check_gradients({"layer_norm, bias", {input, given_shape}, [=](in x) {
                       return out{aten::layer_norm(x[0], normalised, std::nullopt, x[1])};
                     }});
    check_gradients({"layer_norm, both", {input, given_shape, given_shape}, [=](in x) {
                       return out{aten::layer_norm(x[0], normalised, x[1], x[2], 0.1)};
                     }});
    check_gradients({"layer_norm of a fixed input", {given_shape, given_shape}, [=](in x) {
                       return out{aten::layer_norm(fixed(input, x[0]), normalised, x[0], x[1])};
                     }});
  }
}

TEST_CASE("layer gradients: native_layer_norm's mean and rstd have gradients, and so has its backward", "[gradients]") {
  check_gradients({"native_layer_norm", {{2, 2, 3}, {2, 3}, {2, 3}}, [](in x) {
                     return list_of(aten::native_layer_norm(x[0], shape{2, 3}, x[1], x[2], 0.1));
                   }});
  // Backward reads the deviation, so that its gradient comes twice.
  check_gradients({"native_layer_norm, result and deviation", {{2, 3}}, [](in x) {
                     const auto [y, mean, rstd] =
                         aten::native_layer_norm(x[0], shape{3}, std::nullopt, std::nullopt, 0.1);
                     return out{y, rstd};
                   }});
  check_gradients({"native_layer_norm, mean only", {{2, 3}}, [](in x) {
                     return out{std::get<1>(aten::native_layer_norm(x[0], shape{3}, std::nullopt, std::nullopt, 0.1))};
                   }});
  check_gradients({"native_layer_norm, deviation only", {{2, 3}}, [](in x) {
                     return out{std::get<2>(aten::native_layer_norm(x[0], shape{3}, std::nullopt, std::nullopt, 0.1))};
                   }});
  const auto backward = [](in x, const std::optional<tensor>& weight, std::array<bool, 3> wanted) {
    out all;
    for (const tensor& t :
         list_of(aten::native_layer_norm_backward(x[0], x[1], shape{3}, x[2], x[3], weight, std::nullopt, wanted))) {
      if (t.defined()) all.push_back(t);
    }
    return all;
  };
  check_gradients({"native_layer_norm_backward", {{2, 3}, {2, 3}, {2, 1}, {2, 1}, {3}}, [&](in x) {
                     return backward(x, x[4], {true, true, true});
                   }});
  check_gradients({"native_layer_norm_backward, of the input", {{2, 3}, {2, 3}, {2, 1}, {2, 1}}, [&](in x) {
                     return backward(x, std::nullopt, {true, false, false});
                   }});
  check_gradients({"native_layer_norm_backward, of the weight", {{2, 3}, {2, 3}, {2, 1}, {2, 1}}, [&](in x) {
                     return backward(x, std::nullopt, {false, true, false});
                   }});
}

TEST_CASE("layer gradients: rms_norm", "[gradients]") {
  for (const auto& [input, given_shape] :
       std::vector<std::pair<shape, shape>>{{{2, 3}, {3}}, {{2, 2, 3}, {2, 3}}, {{4}, {4}}, {{0, 3}, {3}}}) {
    const shape normalised = given_shape;
    check_gradients({"rms_norm", {input}, [=](in x) { return out{aten::rms_norm(x[0], normalised)}; }});
    check_gradients({"rms_norm, weight", {input, given_shape}, [=](in x) {
                       return out{aten::rms_norm(x[0], normalised, x[1], 0.1)};
                     }});
  }
  check_gradients({"rms_norm of a fixed input", {{3}}, [](in x) {
                     return out{aten::rms_norm(fixed({2, 3}, x[0]), shape{3}, x[0])};
                   }});
}

TEST_CASE("layer gradients: rms_norm without an eps uses the same default as forward", "[gradients]") {
  const tensor x = tb::require_grad(tb::to(tb::from_values({1e-5, -2e-5}, {2}), tb::dtype::float32));
  const tensor y = aten::sum(aten::rms_norm(x, shape{2}) * fixed({2}, x));
  const tensor given = aten::sum(aten::rms_norm(x, shape{2}, std::nullopt, 0x1p-23) * fixed({2}, x));
  const std::vector<double> a = support::values(tb::grad(std::span(&y, 1), std::span(&x, 1))[0]),
                            b = support::values(tb::grad(std::span(&given, 1), std::span(&x, 1))[0]);
  CHECK(a == b);
}

TEST_CASE("layer gradients: batch_norm in training and with running statistics", "[gradients]") {
  const auto norm = [](in x, bool training, const std::optional<tensor>& weight, const std::optional<tensor>& bias) {
    const tensor mean = fixed({2}, x[0]), var = aten::mul_Tensor(mean, mean) + 0.5;
    return out{aten::batch_norm(x[0], weight, bias, mean, var, training, 0.1, 0.1, false)};
  };
  for (const shape& input : std::vector<shape>{{3, 2}, {2, 2, 3}, {2, 2, 2, 2}}) {
    for (const bool training : {false, true}) {
      INFO("input " << to_string(input) << " training " << training);
      check_gradients({"batch_norm", {input}, [=](in x) { return norm(x, training, std::nullopt, std::nullopt); }});
      check_gradients(
          {"batch_norm, weight and bias", {input, {2}, {2}}, [=](in x) { return norm(x, training, x[1], x[2]); }});
    }
  }
  check_gradients({"batch_norm, no running statistics", {{3, 2}, {2}}, [](in x) {
                     return out{
                         aten::batch_norm(x[0], x[1], std::nullopt, std::nullopt, std::nullopt, true, 0.1, 0.1, false)};
                   }});
  check_gradients({"native_batch_norm", {{3, 2}, {2}, {2}}, [](in x) {
                     return list_of(
                         aten::native_batch_norm(x[0], x[1], x[2], std::nullopt, std::nullopt, true, 0.1, 0.1));
                   }});
}

TEST_CASE("layer gradients: group_norm and instance_norm", "[gradients]") {
  for (const std::int64_t groups : {1, 2, 4}) {
    check_gradients({"group_norm", {{2, 4, 3}}, [=](in x) {
                       return out{aten::group_norm(x[0], groups, std::nullopt, std::nullopt, 0.1)};
                     }});
    check_gradients({"group_norm, weight and bias", {{1, 4, 3}, {4}, {4}}, [=](in x) {
                       return out{aten::group_norm(x[0], groups, x[1], x[2], 0.1)};
                     }});
  }
  for (const bool own : {false, true}) {
    check_gradients({"instance_norm", {{2, 2, 3}, {2}, {2}}, [=](in x) {
                       const tensor mean = fixed({2}, x[0]), var = aten::mul_Tensor(mean, mean) + 0.5;
                       return out{aten::instance_norm(x[0], x[1], x[2], mean, var, own, 0.1, 0.1, false)};
                     }});
  }
}

TEST_CASE("layer gradients: channel_norm of given statistics, and its own gradient", "[gradients]") {
  const std::array<bool, 3> all{true, true, true};
  check_gradients({"channel_norm, given statistics", {{3, 2, 2}, {2}, {2}, {2}, {2}}, [](in x) {
                     const tensor variance = x[4] * x[4] + 0.5;
                     return out{std::get<0>(native::channel_norm(x[0], x[1], x[2], x[3], variance, 0, 0.1))};
                   }});
  check_gradients({"channel_norm_backward, groups", {{2, 4, 3}, {2, 4, 3}, {2, 2}, {2, 2}, {4}}, [&](in x) {
                     return list_of(
                         native::channel_norm_backward(x[0], x[1], x[2], x[3] * x[3] + 0.5, x[4], 2, 0.1, false, all));
                   }});
  for (const bool given : {false, true}) {
    check_gradients(
        {"channel_norm_backward", {{3, 2, 2}, {3, 2, 2}, {2}, {2}, {2}}, [&](in x) {
           return list_of(native::channel_norm_backward(x[0], x[1], x[2], x[3] * x[3] + 0.5, x[4], 0, 0.1, given, all));
         }});
  }
  const std::array<bool, 2> both{true, true};
  check_gradients({"rms_norm_backward", {{2, 3}, {2, 3}, {3}}, [&](in x) {
                     const auto [of_input, of_weight] =
                         native::rms_norm_backward(x[0], x[1], shape{3}, x[2], 0.1, both);
                     return out{of_input, of_weight};
                   }});
}

TEST_CASE("layer gradients: dropout, with the drawn mask", "[gradients]") {
  for (const bool train : {false, true}) {
    for (const double p : {0.0, 0.4, 1.0}) {
      INFO("train " << train << " p " << p);
      const auto both = [&](const auto& op, const auto& in_place) {
        check_gradients({std::string(op.name()), {{2, 5}}, [&, train, p](in x) {
                           tb::manual_seed(3);
                           return out{op(x[0], p, train)};
                         }});
        check_gradients({std::string(in_place.name()), {{2, 5}}, [&, train, p](in x) {
                           tb::manual_seed(3);
                           tensor y = aten::clone(x[0]);
                           in_place(y, p, train);
                           return out{y};
                         }});
      };
      both(aten::dropout, aten::dropout_);
      both(aten::alpha_dropout, aten::alpha_dropout_);
      check_gradients({"native_dropout", {{2, 5}}, [=](in x) {
                         tb::manual_seed(3);
                         return list_of(aten::native_dropout(x[0], p, train));
                       }});
    }
  }
  check_gradients({"native_dropout_backward", {{2, 3}}, [](in x) {
                     return out{aten::native_dropout_backward(x[0], aten::gt_Scalar(fixed({2, 3}, x[0]), 0), 2.5)};
                   }});
}

TEST_CASE("layer gradients: attention, with additive and boolean masks", "[gradients]") {
  const shape q{2, 3, 2}, k{2, 4, 2}, v{2, 4, 3};
  const auto kept = [](const shape& sizes) {
    std::vector<double> values;
    // The first query of each sees nothing.
    for (std::int64_t i = 0; i < tb::numel(sizes); ++i) values.push_back(i % 12 < 4 || i % 5 == 1 ? 0 : 1);
    return tb::to(tb::from_values(values, sizes), tb::dtype::boolean);
  };
  check_gradients(
      {"attention", {q, k, v}, [](in x) { return out{aten::scaled_dot_product_attention(x[0], x[1], x[2])}; }});
  check_gradients(
      {"attention, causal", {{3, 2}, {3, 2}, {3, 2}}, [](in x) {
         return out{aten::scaled_dot_product_attention(x[0], x[1], x[2], arg<"is_causal"> = true, arg<"scale"> = 0.3)};
       }});
  check_gradients({"attention, a summand", {q, k, v, {3, 4}}, [](in x) {
                     return out{aten::scaled_dot_product_attention(x[0], x[1], x[2], x[3])};
                   }});
  check_gradients({"attention, a condition", {q, k, v}, [=](in x) {
                     return out{aten::scaled_dot_product_attention(x[0], x[1], x[2], kept({2, 3, 4}))};
                   }});
  check_gradients({"attention, one key for all", {{2, 2, 3, 2}, {4, 2}, {2, 1, 4, 2}}, [](in x) {
                     return out{aten::scaled_dot_product_attention(x[0], x[1], x[2])};
                   }});
  check_gradients({"attention to fixed keys", {q}, [=](in x) {
                     return out{aten::scaled_dot_product_attention(x[0], fixed(k, x[0]), fixed(v, x[0]))};
                   }});
  const auto attend = [](std::vector<shape> shapes, auto run) {
    check_gradients({.name = "attend", .shapes = std::move(shapes), .run = run, .narrow = false});
  };
  attend({q, k, v}, [](in x) { return out{native::attend(x[0], x[1], x[2], std::nullopt, false, 0.5)}; });
  attend({q, q, q}, [](in x) { return out{native::attend(x[0], x[1], x[2], std::nullopt, true, 0.5)}; });
  attend({q, k, v, {3, 4}}, [](in x) { return out{native::attend(x[0], x[1], x[2], x[3], false, 0.5)}; });
  attend({q, k, v}, [=](in x) { return out{native::attend(x[0], x[1], x[2], kept({2, 3, 4}), false, 0.5)}; });
}

TEST_CASE("layer gradients: pixel and channel shuffles", "[gradients]") {
  check_gradients({"pixel_shuffle", {{4, 2, 1}}, [](in x) { return out{aten::pixel_shuffle(x[0], 2)}; }});
  check_gradients({"pixel_unshuffle", {{1, 1, 2, 4}}, [](in x) { return out{aten::pixel_unshuffle(x[0], 2)}; }});
  check_gradients({"channel_shuffle", {{1, 4, 2}}, [](in x) { return out{aten::channel_shuffle(x[0], 2)}; }});
  for (const shape& size : std::vector<shape>{{4, 4}, {3, 5}, {1, 1}}) {
    check_gradients(
        {"upsample_nearest2d", {{1, 2, 2, 3}}, [=](in x) { return out{aten::upsample_nearest2d(x[0], size)}; }});
  }
}

TEST_CASE("layer gradients: a step of an optimizer is refused where it would be recorded", "[gradients]") {
  const tensor leaf = tb::require_grad(tb::from_values({1.0, 2.0}, {2}));
  std::vector<tensor> self{leaf}, grads{tb::from_values({0.5, -0.5}, {2})}, buffers;
  const auto step = [&] {
    aten::_fused_sgd_(self, grads, buffers, 0.0, 0.0, 0.5, 0.0, false, false, false, std::nullopt, std::nullopt);
  };
  CHECK_THROWS_AS(step(), tb::error);
  CHECK(support::values(leaf) == std::vector<double>{1, 2});
  {
    const tb::no_grad guard;
    step();
  }
  CHECK(support::values(leaf) == std::vector<double>{0.75, 2.25});
  CHECK(tb::requires_grad(leaf));
}
