#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/rows.h"
import topbit;
import topbit.profiler;

namespace tb = topbit;
namespace profile = topbit::profile;
using support::row_of;

namespace {

// What the kernels of one call cost together, as the table has it.
template <class F>
profile::cost cost_of_call(F&& f, std::vector<std::string>* unknown = nullptr) {
  profile::session p({.threads = tb::observe::threads::mine, .costs = true});
  f();
  p.stop();
  profile::cost all;
  const profile::table t = p.table();
  for (const profile::row& r : t.rows) {
    if (r.work) all += *r.work;
  }
  if (unknown != nullptr) *unknown = t.without_cost;
  return all;
}

const tb::tensor a = tb::ones({4, 8}), b = tb::ones({8, 16});

std::optional<profile::cost> seven(std::span<const tb::value>) { return profile::cost{7, 7, 0, 0}; }

}  // namespace

TEST_CASE("cost: products count a multiplication and an addition for each step", "[profiler][PR17]") {
  CHECK(cost_of_call([] { (void)tb::mm(a, b); }) == profile::cost{2 * 4 * 8 * 16, 2 * 4 * 8 * 16, 4 * (32 + 128), 256});
  CHECK(cost_of_call([] { (void)tb::bmm(tb::ones({3, 4, 8}), tb::ones({3, 8, 2})); }).products == 2 * 3 * 4 * 8 * 2);
  CHECK(cost_of_call([] { (void)tb::mv(a, tb::ones({8})); }).products == 2 * 4 * 8);
  CHECK(cost_of_call([] { (void)tb::dot(tb::ones({8}), tb::ones({8})); }).products == 2 * 8);
  const profile::cost with_sum = cost_of_call([] { (void)tb::addmm(tb::ones({16}), a, b); });
  CHECK(with_sum.products == 2 * 4 * 8 * 16);
  CHECK(with_sum.operations == 2 * 4 * 8 * 16 + 4 * 16);
}

TEST_CASE("cost: composites count by their kernels, once", "[profiler][PR17]") {
  CHECK(cost_of_call([] { (void)tb::matmul(a, b); }).products == 2 * 4 * 8 * 16);
  CHECK(cost_of_call([] { (void)tb::linear(a, tb::ones({16, 8}), tb::ones({16})); }).products == 2 * 4 * 8 * 16);
  const tb::tensor leaf = tb::require_grad(tb::ones({4, 8}));
  CHECK(cost_of_call([&] { (void)tb::mm(leaf, b); }).products == 2 * 4 * 8 * 16);  // a call and its redispatch
}

TEST_CASE("cost: convolutions count windows, strides, padding, dilation and groups", "[profiler][PR17]") {
  const tb::tensor image = tb::ones({2, 4, 9, 9});
  CHECK(cost_of_call([&] { (void)tb::conv2d(image, tb::ones({6, 4, 3, 3})); }).products ==
        2.0 * 2 * 6 * 7 * 7 * 4 * 3 * 3);
  CHECK(cost_of_call([&] {
          (void)tb::conv2d(image, tb::ones({6, 2, 3, 3}), std::nullopt, {2, 2}, {1, 1}, {1, 1}, 2);
        }).products == 2.0 * 2 * 6 * 5 * 5 * 2 * 3 * 3);
}

TEST_CASE("cost: transposed convolutions count windows for each element of the image", "[profiler][PR17]") {
  const tb::tensor image = tb::ones({2, 4, 5, 5});
  const profile::cost c = cost_of_call([&] { (void)tb::conv_transpose2d(image, tb::ones({4, 6, 3, 3})); });
  CHECK(c.products == 2.0 * 2 * 4 * 5 * 5 * 6 * 3 * 3);
  CHECK(c.bytes_written == 4.0 * 2 * 6 * 7 * 7);
}

TEST_CASE("cost: the gradients of a convolution cost a convolution each", "[profiler][PR17]") {
  const tb::tensor image = tb::require_grad(tb::ones({2, 4, 9, 9})), weight = tb::require_grad(tb::ones({6, 4, 3, 3}));
  const tb::tensor loss = tb::sum(tb::conv2d(image, weight));
  CHECK(cost_of_call([&] { tb::backward(loss); }).products == 2 * (2.0 * 2 * 6 * 7 * 7 * 4 * 3 * 3));
}

TEST_CASE("cost: calls without elements cost nothing", "[profiler][PR17]") {
  CHECK(cost_of_call([] { (void)tb::mm(tb::ones({4, 0}), tb::ones({0, 3})); }).products == 0);
  CHECK(cost_of_call([] { (void)tb::linear(tb::ones({0, 8}), tb::ones({16, 8})); }).products == 0);
}

TEST_CASE("cost: attention is two products of every query with every key", "[profiler][PR17]") {
  const tb::tensor q = tb::ones({2, 3, 5, 8}), k = tb::ones({2, 3, 7, 8});
  CHECK(cost_of_call([&] { (void)tb::scaled_dot_product_attention(q, k, k); }).products == 2.0 * 2 * 2 * 3 * 5 * 7 * 8);
  CHECK(cost_of_call([&] { (void)tb::native::attend(q, k, k, std::nullopt, false, 1.0); }).products ==
        2.0 * 2 * 2 * 3 * 5 * 7 * 8);
}

TEST_CASE("cost: of causal attention the masked half is counted or not, and the table says which", "[profiler][PR17]") {
  const tb::tensor q = tb::ones({2, 3, 5, 8}), half_precision = tb::to(q, tb::dtype::float16);
  const double whole = 2.0 * 2 * 2 * 3 * 5 * 5 * 8;
  const auto attend = [&](profile::causal_counting counting, const tb::tensor& x, bool causal) {
    profile::session p({.threads = tb::observe::threads::mine, .costs = true, .causal = counting});
    (void)tb::scaled_dot_product_attention(x, x, x, std::nullopt, 0.0, causal);
    p.stop();
    return p.table();
  };
  const auto products = [](const profile::table& t) {
    double sum = 0;
    for (const profile::row& r : t.rows) sum += r.work ? r.work->products : 0;
    return sum;
  };
  for (const tb::tensor& x : {q, half_precision}) {
    const profile::table all = attend(profile::causal_counting::whole, x, true);
    CHECK(products(all) == whole);
    CHECK(to_string(all).find("\nproducts of causal attention: whole\n") != std::string::npos);
    const profile::table some = attend(profile::causal_counting::half, x, true);
    CHECK(products(some) == whole / 2);
    CHECK(to_string(some).find("\nproducts of causal attention: half\n") != std::string::npos);
    CHECK(to_json(some).find("\"causal\": \"half\"") != std::string::npos);
  }
  const profile::table full = attend(profile::causal_counting::half, q, false);
  CHECK(products(full) == whole);
  CHECK_FALSE(full.causal);
  CHECK(to_string(full).find("causal") == std::string::npos);
}

TEST_CASE("cost: pointwise operators and reductions count elements, views nothing", "[profiler][PR17]") {
  CHECK(cost_of_call([] { (void)(a + tb::ones({8})); }).operations >= 32);
  const profile::cost add = cost_of_call([] { (void)(a + a); });
  CHECK(add == profile::cost{0, 32, 2 * 32 * 4, 32 * 4});
  CHECK(cost_of_call([] { (void)tb::sum(a); }).operations == 32);
  CHECK(cost_of_call([] { (void)tb::transpose(a, 0, 1); }) == profile::cost{});
}

TEST_CASE("cost: operators without a rule are named, and can be given one", "[profiler][PR17]") {
  std::vector<std::string> unknown;
  CHECK(cost_of_call([] { (void)tb::sort(a); }, &unknown) == profile::cost{});
  REQUIRE_FALSE(unknown.empty());
  const std::string name = unknown[0];
  tb::author::register_cost(name, seven);
  CHECK(cost_of_call([] { (void)tb::sort(a); }, &unknown).products == 7);
  CHECK(std::ranges::find(unknown, name) == unknown.end());
}

TEST_CASE("cost: calls that differ in integers alone are told apart", "[profiler][PR17]") {
  const tb::tensor image = tb::ones({2, 4, 9, 9}), weight = tb::ones({6, 4, 3, 3});
  CHECK(cost_of_call([&] {
          (void)tb::conv2d(image, weight);
          (void)tb::conv2d(image, weight, std::nullopt, {3, 3});
        }).products == 2.0 * 2 * 6 * (7 * 7 + 3 * 3) * 4 * 3 * 3);
}

TEST_CASE("cost: calls that are refused end neither the program nor the profile", "[profiler][PR17]") {
  const tb::tensor number = tb::full({}, 1.0), image = tb::ones({1, 1, 4, 4}), undefined;
  const auto refused = [](auto f) { CHECK_THROWS(f()); };
  CHECK(cost_of_call([&] {
          refused([&] { (void)tb::mm(number, number); });
          refused([&] { (void)tb::mm(undefined, undefined); });
          refused([&] { (void)tb::linear(number, number); });
          refused([&] { (void)tb::conv2d(image, image, std::nullopt, {0, 0}); });
          refused([&] { (void)tb::conv2d(number, number); });
          refused([&] { (void)tb::scaled_dot_product_attention(number, number, number); });
          (void)tb::mm(a, b);
        }).products == 2 * 4 * 8 * 16);
}

TEST_CASE("cost: out forms have the rules of the others", "[profiler][PR17]") {
  tb::tensor out = tb::empty({4, 16});
  CHECK(cost_of_call([&] { (void)tb::mm(a, b, tb::arg<"out"> = out); }).products == 2 * 4 * 8 * 16);
}

TEST_CASE("cost: of composites no rule is missed", "[profiler][PR17]") {
  std::vector<std::string> unknown;
  cost_of_call([] { (void)tb::conv2d(tb::ones({1, 1, 4, 4}), tb::ones({1, 1, 2, 2})); }, &unknown);
  CHECK(std::ranges::find(unknown, "aten::conv2d") == unknown.end());
  CHECK(std::ranges::find(unknown, "aten::convolution") == unknown.end());
}
