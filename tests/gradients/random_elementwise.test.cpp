// Random calls of every differentiable function of elements, in both forms; see support/random_gradients.h.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/elementwise_functions.h"
#include "support/random_gradients.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_random_rules;
using support::drawn_call;
using support::random_rule;
using support::small_shape;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using source = support::numbers;
using T = const tensor&;

namespace {

random_rule of_one(const support::unary_function& f, bool in_place) {
  const bool is_glu = f.name.starts_with("glu");
  return {.name = f.name + (in_place ? "_" : ""),
          .draw = [&f, in_place, is_glu](source& s) -> drawn_call {
            shape sizes = small_shape(s, is_glu ? 2 : 0);
            if (is_glu) sizes[f.name == "glu" ? 1 : sizes.size() - 1] = 2 * s.whole(1, 2);
            return {{sizes}, [&f, in_place](in x) {
                      if (!in_place) return out{f.call(x[0])};
                      tensor y = aten::clone(x[0]);
                      f.call_in_place(y);
                      return out{y};
                    }};
          },
          .low = f.low,
          .high = f.high,
          .not_near = f.not_near,
          .narrow = f.name == "rad2deg" ? 57.0 : 1.0};  // terms of this size may cancel
}

// Sizes that broadcast together.
std::vector<shape> broadcasting(source& s, std::size_t count) {
  const shape sizes = small_shape(s);
  std::vector<shape> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(s.whole(0, 2) == 0 ? sizes : s.narrowed(sizes));
  return all;
}

random_rule of_two(const support::binary_function& f, bool in_place) {
  return {.name = f.name + (in_place ? "_" : ""),
          .draw = [&f, in_place](source& s) -> drawn_call {
            std::vector<shape> sizes = broadcasting(s, 2);
            if (in_place) {
              sizes[0] = small_shape(s);
              sizes[1] = s.narrowed(sizes[0]);
            }
            return {sizes, [&f, in_place](in x) {
                      if (!in_place) return out{f.call(x[0], x[1])};
                      tensor y = aten::clone(x[0]);
                      f.call_in_place(y, tb::to(x[1], y.dtype()));
                      return out{y};
                    }};
          },
          .low = f.low,
          .high = f.high,
          .mixes = f.name != "heaviside"};
}

// Of tensors that broadcast, the first to the sizes of all where it is written.
random_rule of_several(const std::string& name, std::size_t count, std::function<tensor(in)> f, double low = -2,
                       double high = 2, bool in_place = false) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            std::vector<shape> sizes = broadcasting(s, count);
            if (in_place) {
              sizes[0] = small_shape(s);
              for (std::size_t i = 1; i < count; ++i) sizes[i] = s.narrowed(sizes[0]);
            }
            return {sizes, [f](in x) { return out{f(x)}; }};
          },
          .low = low,
          .high = high};
}

// One tensor and a number, away from 0 and from what numbers meet.
random_rule with_number(const std::string& name, std::function<tensor(T, double)> f, double low = 0.4) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const double numbers[] = {-1, 0.5, 0.7, 2, 3};
            const double number = numbers[s.whole(low < 0 ? 0 : 1, 4)];
            return {{small_shape(s)}, [=](in x) { return out{f(x[0], number)}; }, "number " + std::to_string(number)};
          },
          .low = low,
          .high = 1.9,
          .not_near = {0, 0.5, 0.7, 1, 1.4, 1.5}};
}

// Where elements of random sizes, that broadcast to those of the tensor, are true.
tensor any_mask(source& s, const shape& sizes) {
  const shape of_mask = s.narrowed(sizes);
  std::vector<double> bits;
  for (std::int64_t i = 0; i < tb::numel(of_mask); ++i) bits.push_back(static_cast<double>(s.whole(0, 1)));
  return support::tensor_of(bits, of_mask, tb::dtype::boolean);
}

}  // namespace

TEST_CASE("random gradients: functions of one tensor", "[gradients][random]") {
  std::vector<random_rule> rules;
  for (const auto* list : {&support::unary_functions, &support::activations}) {
    for (const support::unary_function& f : *list) {
      rules.push_back(of_one(f, false));
      if (f.call_in_place) rules.push_back(of_one(f, true));
    }
  }
  check_random_rules(rules, 25);
}

TEST_CASE("random gradients: functions of two tensors", "[gradients][random]") {
  std::vector<random_rule> rules;
  for (const support::binary_function& f : support::binary_functions) {
    rules.push_back(of_two(f, false));
    if (f.call_in_place) rules.push_back(of_two(f, true));
  }
  check_random_rules(rules, 50);
}

TEST_CASE("random gradients: functions of three tensors", "[gradients][random]") {
  using tb::arg;
  check_random_rules(
      {of_several("lerp", 3, [](in x) { return aten::lerp_Tensor(x[0], x[1], x[2]); }),
       of_several("addcmul", 3, [](in x) { return aten::addcmul(x[0], x[1], x[2], arg<"value"> = 0.7); }),
       of_several(
           "addcdiv", 3, [](in x) { return aten::addcdiv(x[0], x[1], x[2], arg<"value"> = 0.7); }, 0.5),
       of_several("clamp.Tensor", 3, [](in x) { return aten::clamp_Tensor(x[0], x[1], x[2]); }),
       of_several(
           "lerp_", 3,
           [](in x) {
             tensor y = aten::clone(x[0]);
             return aten::lerp_Tensor_(y, x[1], x[2]);
           },
           -2, 2, true),
       of_several(
           "addcmul_", 3,
           [](in x) {
             tensor y = aten::clone(x[0]);
             return aten::addcmul_(y, x[1], x[2], arg<"value"> = 0.7);
           },
           -2, 2, true),
       of_several(
           "addcdiv_", 3,
           [](in x) {
             tensor y = aten::clone(x[0]);
             return aten::addcdiv_(y, x[1], x[2], arg<"value"> = 0.7);
           },
           0.5, 2, true),
       of_several(
           "clamp_.Tensor", 2,
           [](in x) {
             tensor y = aten::clone(x[0]);
             return aten::clamp_Tensor_(y, x[1], std::nullopt);
           },
           -2, 2, true),
       of_several("lerp.Scalar", 2, [](in x) { return aten::lerp_Scalar(x[0], x[1], 0.3); }),
       of_several(
           "threshold_backward", 1, [](in x) { return aten::threshold_backward(x[0], x[0] * 2, 0.5); }, 0.3, 2),
       {.name = "where",
        .draw = [](source& s) -> drawn_call {
          const std::vector<shape> sizes = broadcasting(s, 2);
          const tensor which = any_mask(s, tb::broadcast("where", sizes[0], sizes[1]));
          return {sizes, [=](in x) { return out{aten::where_self(which, x[0], x[1])}; }};
        },
        .mixes = true},
       {.name = "masked_fill",
        .draw = [](source& s) -> drawn_call {
          const shape sizes = small_shape(s);
          const tensor which = any_mask(s, sizes);
          return {{sizes, {}}, [=](in x) {
                    tensor y = aten::clone(x[0]), z = aten::clone(x[0]);
                    return out{aten::masked_fill_Scalar(x[0], which, 3), aten::masked_fill_Tensor(x[0], which, x[1]),
                               aten::masked_fill_Scalar_(y, which, 3), aten::masked_fill_Tensor_(z, which, x[1])};
                  }};
        }},
       {.name = "masked_select and masked_scatter",
        .draw = [](source& s) -> drawn_call {
          const shape sizes = small_shape(s);
          const tensor which = any_mask(s, sizes);
          return {{sizes, {tb::numel(sizes)}}, [=](in x) {
                    tensor y = aten::clone(x[0]);
                    return out{aten::masked_select(x[0], which), aten::masked_scatter(x[0], which, x[1]),
                               aten::masked_scatter_(y, which, x[1])};
                  }};
        }},
       {.name = "prelu",
        .draw = [](source& s) -> drawn_call {
          const shape sizes = small_shape(s, 2);
          return {{sizes, {s.whole(0, 1) == 0 ? 1 : sizes[1]}}, [](in x) { return out{aten::prelu(x[0], x[1])}; }};
        }}},
      50);
}

// A comparison has no slope: what was there before, and what it is compared with, have gradients of zeros.
TEST_CASE("random gradients: comparisons in place", "[gradients][random]") {
  using compares = tensor& (*)(tensor&, T);
  const auto comparison = [](const std::string& name, compares f) {
    return of_several(
        name, 2,
        [f](in x) {
          tensor y = aten::clone(x[0]);
          return f(y, x[1]) * x[0];
        },
        -2, 2, true);
  };
  check_random_rules({comparison("eq_", [](tensor& y, T x) -> tensor& { return aten::eq_Tensor_(y, x); }),
                      comparison("ne_", [](tensor& y, T x) -> tensor& { return aten::ne_Tensor_(y, x); }),
                      comparison("lt_", [](tensor& y, T x) -> tensor& { return aten::lt_Tensor_(y, x); }),
                      comparison("le_", [](tensor& y, T x) -> tensor& { return aten::le_Tensor_(y, x); }),
                      comparison("gt_", [](tensor& y, T x) -> tensor& { return aten::gt_Tensor_(y, x); }),
                      comparison("ge_", [](tensor& y, T x) -> tensor& { return aten::ge_Tensor_(y, x); })},
                     25);
}

TEST_CASE("random gradients: functions of a tensor and a number", "[gradients][random]") {
  using tb::arg;
  check_random_rules(
      {with_number(
           "x + n", [](T x, double n) { return x + n; }, -2),
       with_number(
           "n - x", [](T x, double n) { return n - x; }, -2),
       with_number(
           "x * n", [](T x, double n) { return x * n; }, -2),
       with_number(
           "x / n", [](T x, double n) { return x / n; }, -2),
       with_number("n / x", [](T x, double n) { return n / x; }),
       with_number("div.Scalar_mode",
                   [](T x, double n) { return aten::div_Scalar_mode(x, n, arg<"rounding_mode"> = "floor"); }),
       with_number("floor_divide.Scalar", [](T x, double n) { return aten::floor_divide_Scalar(x, n); }),
       with_number("remainder.Scalar", [](T x, double n) { return aten::remainder_Scalar(x, n); }),
       with_number("fmod.Scalar", [](T x, double n) { return aten::fmod_Scalar(x, n); }),
       with_number(
           "copysign.Scalar", [](T x, double n) { return aten::copysign_Scalar(x, n); }, -2),
       with_number("xlogy.Scalar_Other", [](T x, double n) { return aten::xlogy_Scalar_Other(x, n); }),
       with_number("xlogy.Scalar_Self", [](T x, double n) { return aten::xlogy_Scalar_Self(n, x); }),
       with_number("pow.Tensor_Scalar", [](T x, double n) { return aten::pow_Tensor_Scalar(x, n); }),
       with_number("pow.Scalar", [](T x, double n) { return aten::pow_Scalar(n, x); }),
       with_number(
           "clamp", [](T x, double n) { return aten::clamp(x, n, n + 0.9); }, -2),
       with_number(
           "clamp_",
           [](T x, double n) {
             tensor y = x * x;
             return aten::clamp_(y, n, n + 0.9);
           },
           -2),
       with_number(
           "clamp_min", [](T x, double n) { return aten::clamp_min(x, n); }, -2),
       with_number(
           "where.ScalarOther", [](T x, double n) { return aten::where_ScalarOther(aten::gt_Scalar(x, 1), x, n); },
           -2)},
      25);
}
