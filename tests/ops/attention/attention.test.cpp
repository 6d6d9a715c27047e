// Attention: what a query sees, and by which way it is computed.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace native = topbit::native;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using list = std::vector<std::int64_t>;

TEST_CASE("attention: weights of each query sum to one, and a causal query sees no later key", "[ops][attention]") {
  support::numbers source(4);
  const tensor q = source.tensor({2, 3, 4}, dtype::float64), k = source.tensor({2, 3, 4}, dtype::float64);
  const tensor ones = aten::ones(list{2, 3, 1}, arg<"dtype"> = dtype::float64),
               v = source.tensor({2, 3, 2}, dtype::float64);
  CHECK(support::difference(values(aten::scaled_dot_product_attention(q, k, ones)), std::vector<double>(6, 1), 1e-12) ==
        "");
  const tensor causal = aten::scaled_dot_product_attention(q, k, v, std::nullopt, 0.0, true);
  const tensor first = aten::slice_Tensor(causal, 1, 0, 1);
  CHECK(support::difference(values(first), values(aten::slice_Tensor(v, 1, 0, 1)), 1e-12) == "");
  CHECK(text_of<tb::error>([&] { aten::scaled_dot_product_attention(q, k, v, std::nullopt, 0.5); }) ==
        "aten::scaled_dot_product_attention: found dropout_p 0.5, wanted 0");
}

TEST_CASE("attention: the composed and the fused implementation agree, and the CPU uses the faster one",
          "[ops][attention]") {
  support::numbers source(5);
  const auto calls_one_pass = [](auto call) {
    tb::trace_session trace = tb::trace_session::this_thread();
    call();
    trace.stop();
    const auto events = trace.events();
    return std::ranges::any_of(events, [](const tb::inspect::trace_event& e) { return e.op == native::attend.name(); });
  };
  // Few scores, some, and more than the caches hold.
  for (const std::int64_t l : {8, 40, 1500}) {
    const tensor q = source.tensor({2, l, 8}, dtype::float64), k = source.tensor({2, l, 8}, dtype::float64),
                 v = source.tensor({2, l, 4}, dtype::float64);
    tensor out;
    CHECK(calls_one_pass([&] { out = aten::scaled_dot_product_attention(q, k, v); }) == (l != 40));
    const tensor at_once = native::attend(q, k, v, std::nullopt, false, 1 / std::sqrt(8.0));
    CHECK(support::difference(values(out), values(at_once), 1e-12) == "");
    CHECK(calls_one_pass([&] { (void)aten::scaled_dot_product_attention(q, k, v, std::nullopt, 0.0, true); }));
  }
}

TEST_CASE("attention: the fused CPU implementation does not take half precision, recorded or not", "[ops][attention]") {
  for (dtype t : {dtype::float16, dtype::bfloat16}) {
    const tensor x = aten::ones(list{2, 3}, arg<"dtype"> = t), leaf = tb::require_grad(aten::clone(x));
    for (const tensor& query : {x, leaf}) {
      CHECK(text_of<tb::dtype_error>([&] {
              native::attend(query, x, x, std::nullopt, false, 1.0);
            }).ends_with("; scaled_dot_product_attention converts float16 and bfloat16"));
    }
  }
}

TEST_CASE("attention: a query that sees no key gives zeros, and has no gradient", "[ops][attention]") {
  const double inf = std::numeric_limits<double>::infinity();
  for (dtype t : {dtype::float16, dtype::float32, dtype::float64}) {
    support::numbers source(5);
    const tensor q = source.tensor({1, 2, 4}, t), k = source.tensor({1, 3, 4}, t), v = source.tensor({1, 3, 4}, t);
    const tensor seen = tensor_of({1, 0, 1, 0, 0, 0}, {2, 3}, dtype::boolean);
    const tensor added = tensor_of({0, -inf, 0, -inf, -inf, -inf}, {2, 3}, t);
    const tensor all = aten::scaled_dot_product_attention(q, k, v);
    for (const tensor& mask : {seen, added}) {
      const tensor query = tb::require_grad(aten::clone(q));
      const tensor out = aten::scaled_dot_product_attention(query, k, v, mask);
      const auto found = values(out);
      for (std::size_t i = 0; i < 8; ++i) CHECK((i < 4 ? std::isfinite(found[i]) : found[i] == 0));
      tb::backward(aten::sum(out));
      const auto gradient = values(tb::leaf_grad(query));
      for (std::size_t i = 0; i < 8; ++i) CHECK((i < 4 ? std::isfinite(gradient[i]) : gradient[i] == 0));
    }
    const tensor none = aten::full(list{2, 3}, true);
    CHECK(values(aten::scaled_dot_product_attention(q, k, v, none)) == values(all));
  }
}

TEST_CASE("attention: many causal queries have the gradients of queries with a mask", "[ops][attention]") {
  support::numbers source(6);
  for (const std::int64_t keys : {150, 300, 320}) {
    const tensor q = source.tensor({2, 300, 4}, dtype::float64), k = source.tensor({2, keys, 4}, dtype::float64),
                 v = source.tensor({2, keys, 3}, dtype::float64), weight = source.tensor({2, 300, 3}, dtype::float64);
    const tensor seen = aten::tril(aten::full(list{300, keys}, true));
    std::vector<std::vector<double>> found[2];
    for (const bool causal : {false, true}) {
      const tensor leaves[] = {tb::require_grad(aten::clone(q)), tb::require_grad(aten::clone(k)),
                               tb::require_grad(aten::clone(v))};
      const std::optional<tensor> mask = causal ? std::nullopt : std::optional(seen);
      const tensor out = aten::scaled_dot_product_attention(leaves[0], leaves[1], leaves[2], mask, 0.0, causal);
      tb::backward(aten::sum(out * weight));
      found[causal].push_back(values(out));
      for (const tensor& leaf : leaves) found[causal].push_back(values(tb::leaf_grad(leaf)));
    }
    for (std::size_t i = 0; i < 4; ++i) CHECK(support::difference(found[1][i], found[0][i], 1e-12) == "");
  }
}
