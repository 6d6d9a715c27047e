#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "support/tensor_values.h"
import topbit;
import topbit.autocast;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace author = topbit::author;
using support::values;
using tb::backend;
using tb::dtype;
using tb::tensor;

namespace {

tensor weight() { return tb::require_grad(tb::from_values<float>({0.1f, 0.2f, 0.3f, 0.4f}, {2, 2})); }
bool same(const tensor& a, const tensor& b) { return &author::record_of(a) == &author::record_of(b); }

}  // namespace

TEST_CASE("cast: float64, integers, and what has the dtype pass unchanged", "[autocast][cast][M3]") {
  for (const dtype t : {dtype::float64, dtype::int64, dtype::boolean, dtype::bfloat16}) {
    const tensor x = tb::zeros({2}, tb::arg<"dtype"> = t);
    CHECK(same(author::cached_cast(x, dtype::bfloat16, backend::CPU), x));
  }
  const tensor x = tb::zeros({2}, tb::arg<"dtype"> = dtype::float32);
  CHECK(same(author::cached_cast(x, dtype::bfloat16, backend::CUDA), x));
  CHECK(author::cached_cast(x, dtype::bfloat16, backend::CPU).dtype() == dtype::bfloat16);
}

TEST_CASE("cast: dtypes promote by the ordinary rules", "[autocast][cast]") {
  const tensor half = tb::zeros({1}, tb::arg<"dtype"> = dtype::float16),
               single = tb::zeros({1}, tb::arg<"dtype"> = dtype::float32);
  CHECK(author::promote_type(dtype::bfloat16, half, backend::CPU) == dtype::float32);
  CHECK(author::promote_type(dtype::bfloat16, single, backend::CPU) == dtype::float32);
  CHECK(author::promote_type(dtype::float16, half, backend::CPU) == dtype::float16);
  CHECK(author::promote_type(dtype::float16, single, backend::CUDA) == dtype::float16);
}

TEST_CASE("cast: a weight is cast once for each dtype, until the outermost scope ends", "[autocast][cast]") {
  const tensor w = weight();
  tensor first;
  {
    const tb::autocast scope(backend::CPU);
    const auto lowered = [&](dtype to) { return author::cached_cast(w, to, backend::CPU); };
    first = lowered(dtype::bfloat16);
    CHECK(same(lowered(dtype::bfloat16), first));
    const tensor half = lowered(dtype::float16);
    CHECK(half.dtype() == dtype::float16);
    {
      const tb::autocast inner(backend::CPU, {.lower = dtype::float16});
      CHECK(same(lowered(dtype::float16), half));
      CHECK(same(lowered(dtype::bfloat16), first));
    }
    CHECK(same(lowered(dtype::bfloat16), first));
    const tb::autocast uncached(backend::CPU, {.cached = tb::cached_casts::none});
    CHECK_FALSE(same(lowered(dtype::bfloat16), first));
  }
  const tb::autocast scope(backend::CPU);
  CHECK_FALSE(same(author::cached_cast(w, dtype::bfloat16, backend::CPU), first));
}

TEST_CASE("cast: a weight that was written is cast again", "[autocast][cast]") {
  tensor w = weight();
  const tb::autocast scope(backend::CPU);
  const tensor before = author::cached_cast(w, dtype::bfloat16, backend::CPU);
  {
    const tb::no_grad off;
    aten::fill_Scalar_(w, 3);
  }
  const tensor after = author::cached_cast(w, dtype::bfloat16, backend::CPU);
  CHECK(values(after) == std::vector<double>{3, 3, 3, 3});
  CHECK(same(author::cached_cast(w, dtype::bfloat16, backend::CPU), after));
}

TEST_CASE("cast: only a leaf that requires a gradient and is not a view is cached", "[autocast][cast][M6]") {
  const tb::autocast scope(backend::CPU);
  const auto is_cached = [](const tensor& t) {
    return same(author::cached_cast(t, dtype::bfloat16, backend::CPU),
                author::cached_cast(t, dtype::bfloat16, backend::CPU));
  };
  const tensor w = weight();
  CHECK(is_cached(w));
  CHECK_FALSE(is_cached(tb::zeros({2}, tb::arg<"dtype"> = dtype::float32)));
  CHECK_FALSE(is_cached(aten::select_int(w, 0, 1)));
  CHECK_FALSE(is_cached(aten::neg(w)));
  const tensor view = tb::require_grad(aten::select_int(tb::ones({2, 2}), 0, 0));
  REQUIRE(tb::is_view(view));
  REQUIRE(tb::is_leaf(view));
  CHECK_FALSE(is_cached(view));
  const tb::inference_mode inference;
  CHECK_FALSE(is_cached(w));
}

TEST_CASE("cast: large constants are cached where the scope says so", "[autocast][cast]") {
  const auto is_cached = [](const tensor& t) {
    return same(author::cached_cast(t, dtype::bfloat16, backend::CPU),
                author::cached_cast(t, dtype::bfloat16, backend::CPU));
  };
  const auto constant = [](std::int64_t size) { return tb::ones({size}, tb::arg<"dtype"> = dtype::float32); };
  tensor frozen = constant(5000);
  const tb::autocast scope(backend::CPU, {.cached = tb::cached_casts::also_of_constants});
  CHECK(is_cached(frozen));
  const tensor before = author::cached_cast(frozen, dtype::bfloat16, backend::CPU);
  tb::fill_(frozen, 3);
  CHECK_FALSE(same(author::cached_cast(frozen, dtype::bfloat16, backend::CPU), before));
  CHECK(is_cached(frozen));
  CHECK_FALSE(is_cached(constant(4096)));
  const tensor whole = constant(10000), part = tb::narrow(whole, 0, 0, 5000);
  CHECK_FALSE(is_cached(part));
  CHECK_FALSE(is_cached(whole));
  CHECK_FALSE(is_cached(tb::neg(tb::require_grad(constant(5000)))));
  // Writes to these are not counted.
  std::vector<float> numbers(5000, 1);
  CHECK_FALSE(is_cached(tb::from_blob(numbers.data(), {5000})));
  CHECK(is_cached(tb::from_blob(std::as_const(numbers).data(), {5000})));
  const tensor inferred = [&] {
    const tb::inference_mode inference;
    return constant(5000);
  }();
  CHECK_FALSE(is_cached(inferred));
  // A cast that was written is another one.
  tensor written = author::cached_cast(frozen, dtype::bfloat16, backend::CPU);
  tb::fill_(written, 7);
  CHECK(values(author::cached_cast(frozen, dtype::bfloat16, backend::CPU))[0] == 3);
  // One that becomes a weight needs a cast with a history.
  tb::require_grad(frozen);
  const tensor recorded = author::cached_cast(frozen, dtype::bfloat16, backend::CPU);
  CHECK(tb::requires_grad(recorded));
  CHECK(is_cached(frozen));
  const tb::autocast weights_alone(backend::CPU);
  CHECK_FALSE(is_cached(constant(5000)));
}

TEST_CASE("cast: a number from the host is cast with the tensors of a device, and promotes none", "[autocast][cast]") {
  const tensor number = tb::tensor(2.5), vector = tb::zeros({1}, tb::arg<"dtype"> = dtype::float32);
  CHECK(author::is_eligible(number, backend::CUDA));
  CHECK_FALSE(author::is_eligible(vector, backend::CUDA));
  CHECK(author::cached_cast(number, dtype::float16, backend::CUDA).dtype() == dtype::float16);
  CHECK(author::promote_type(dtype::float16, number, backend::CUDA) == dtype::float16);
  CHECK(author::promote_type(dtype::bfloat16, number, backend::CPU) == dtype::float32);
}

TEST_CASE("cast: many weights are found again", "[autocast][cast]") {
  const tb::autocast scope(backend::CPU);
  std::vector<tensor> weights, casts;
  for (int i = 0; i < 100; ++i) {
    weights.push_back(weight());
    casts.push_back(author::cached_cast(weights.back(), dtype::bfloat16, backend::CPU));
  }
  for (std::size_t i = 0; i < weights.size(); ++i)
    CHECK(same(author::cached_cast(weights[i], dtype::bfloat16, backend::CPU), casts[i]));
  tb::autocast::clear_cache();
  CHECK_FALSE(same(author::cached_cast(weights[0], dtype::bfloat16, backend::CPU), casts[0]));
}

TEST_CASE("cast: a cast made in a no_grad scope has its weight's gradient afterwards", "[autocast][cast]") {
  const tensor w = weight(), x = tb::ones({2, 2}, tb::arg<"dtype"> = dtype::float32);
  const tb::autocast scope(backend::CPU);
  {
    const tb::no_grad off;
    CHECK_FALSE(tb::requires_grad(aten::mm(x, w)));
  }
  tb::backward(aten::sum(aten::mm(x, w)));
  REQUIRE(tb::leaf_grad(w).defined());
  CHECK(tb::leaf_grad(w).dtype() == dtype::float32);
  CHECK(values(tb::leaf_grad(w)) == std::vector<double>{2, 2, 2, 2});
}

TEST_CASE("cast: losses that share a cached cast are differentiated one after the other", "[autocast][cast]") {
  const tensor w = weight(), x = tb::ones({2, 2}, tb::arg<"dtype"> = dtype::float32);
  const tb::autocast scope(backend::CPU);
  const tensor first = aten::sum(aten::mm(x, w)), second = aten::sum(aten::mm(x * 2, w));
  const tensor cast = author::cached_cast(w, dtype::bfloat16, backend::CPU);
  tb::backward(first);
  CHECK(values(tb::leaf_grad(w)) == std::vector<double>{2, 2, 2, 2});
  CHECK(same(author::cached_cast(w, dtype::bfloat16, backend::CPU), cast));
  tb::backward(second);
  CHECK(values(tb::leaf_grad(w)) == std::vector<double>{6, 6, 6, 6});
}
