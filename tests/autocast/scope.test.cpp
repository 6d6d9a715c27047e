#include <array>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "support/allocations.h"
#include "support/raises.h"
#include "support/scale.h"
import topbit;
import topbit.autocast;

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::backend;
using tb::dtype;
using tb::tensor;

namespace {

const tensor& matrix() {
  static const tensor m = tb::from_values<float>({1, 2, 3, 4}, {2, 2});
  return m;
}
auto owners_of(const tensor& t) { return tb::author::record_of(t).references.load(); }
dtype of_product() { return aten::mm(matrix(), matrix()).dtype(); }

}  // namespace

TEST_CASE("scope: autocast is off outside, and lowers products inside", "[autocast][scope][M1][T8]") {
  CHECK(of_product() == dtype::float32);
  CHECK_FALSE(tb::autocast_enabled(backend::CPU));
  {
    const tb::autocast scope(backend::CPU);
    CHECK(tb::autocast_enabled(backend::CPU));
    CHECK_FALSE(tb::autocast_enabled(backend::CUDA));
    CHECK(tb::autocast_dtype(backend::CPU) == dtype::bfloat16);
    CHECK(of_product() == dtype::bfloat16);
  }
  CHECK(of_product() == dtype::float32);
}

TEST_CASE("scope: scopes nest, with dtypes of their own and islands without autocast", "[autocast][scope]") {
  const tb::autocast outer(backend::CPU);
  {
    const tb::autocast inner(backend::CPU, {.lower = dtype::float16});
    CHECK(of_product() == dtype::float16);
    {
      const tb::autocast island(backend::CPU, {.enabled = false});
      CHECK_FALSE(tb::autocast_enabled(backend::CPU));
      CHECK(of_product() == dtype::float32);
    }
    CHECK(of_product() == dtype::float16);
  }
  CHECK(of_product() == dtype::bfloat16);
}

TEST_CASE("scope: an exception restores the state before", "[autocast][scope]") {
  const tb::thread_key_state before = tb::current_thread_keys();
  try {
    const tb::autocast outer(backend::CPU);
    const tb::autocast inner(backend::CPU, {.lower = dtype::float16});
    throw std::runtime_error("out of both");
  } catch (const std::runtime_error&) {
  }
  const tb::thread_key_state after = tb::current_thread_keys();
  CHECK(after.include == before.include);
  CHECK(after.exclude == before.exclude);
  CHECK(tb::autocast_dtype(backend::CPU) == dtype::bfloat16);
  CHECK(of_product() == dtype::float32);
}

TEST_CASE("scope: a scope of one backend leaves the others alone", "[autocast][scope]") {
  const tb::autocast cuda(backend::CUDA);
  CHECK(tb::autocast_enabled(backend::CUDA));
  CHECK(of_product() == dtype::float32);
  const tb::autocast cpu(backend::CPU);
  CHECK(of_product() == dtype::bfloat16);
  const tb::autocast cuda_off(backend::CUDA, {.enabled = false});
  CHECK(of_product() == dtype::bfloat16);
}

TEST_CASE("scope: entering and leaving allocate nothing until a cast is cached", "[autocast][scope]") {
  const tensor x = tb::ones({2, 2}, tb::arg<"dtype"> = dtype::bfloat16), w = tb::require_grad(tb::ones({2, 2}));
  const std::size_t before = toy::allocations();
  {
    const tb::autocast scope(backend::CPU);
    const tb::autocast island(backend::CPU, {.enabled = false});
    const tb::autocast again(backend::CPU, {.lower = dtype::float16});
  }
  CHECK(toy::allocations() == before);
  const tb::autocast scope(backend::CPU);
  tb::author::cached_cast(w, dtype::bfloat16, backend::CPU);
  // A sanitizer counts nothing.
  CHECK((toy::allocations() == 0 || toy::allocations() > before));
}

TEST_CASE("scope: casts of weights live until the outermost scope ends", "[autocast][scope]") {
  const tensor w = tb::require_grad(tb::ones({64, 64}));
  const auto cast = [&] { return tb::author::cached_cast(w, dtype::bfloat16, backend::CPU); };
  {
    const tb::autocast first(backend::CPU);
  }
  const std::ptrdiff_t before = toy::live_bytes();
  const auto owners = owners_of(w);
  {
    const tb::autocast outer(backend::CPU);
    {
      const tb::autocast inner(backend::CPU);
      (void)cast();
    }
    // A sanitizer counts no bytes.
    CHECK((toy::live_bytes() == 0 || toy::live_bytes() > before));
    CHECK(owners_of(w) > owners);
    (void)tb::mm(matrix(), matrix());
  }
  CHECK(toy::live_bytes() == before);
  CHECK(owners_of(w) == owners);
}

TEST_CASE("scope: threads cast a weight that they share, each once", "[autocast][scope]") {
  const tensor w = tb::require_grad(tb::ones({8, 8}));
  std::array<tensor, 2> casts;
  std::array<bool, 2> same{};
  const auto task = [&](std::size_t i) {
    const tb::autocast scope(backend::CPU);
    casts[i] = tb::author::cached_cast(w, dtype::bfloat16, backend::CPU);
    same[i] = true;
    for (int n = 0; n < scaled(300); ++n) {
      same[i] = same[i] && tb::author::cached_cast(w, dtype::bfloat16, backend::CPU).same_as(casts[i]);
      (void)tb::mm(w, w);
    }
  };
  std::thread other(task, 1);
  task(0);
  other.join();
  CHECK(same == std::array{true, true});
  CHECK_FALSE(casts[0].same_as(casts[1]));
  tb::backward(tb::sum(casts[0] + casts[1]));
  CHECK(tb::leaf_grad(w).dtype() == dtype::float32);
}

TEST_CASE("scope: a thread starts without autocast", "[autocast][scope]") {
  const tb::autocast scope(backend::CPU);
  dtype found{};
  std::thread([&] { found = of_product(); }).join();
  CHECK(found == dtype::float32);
}

TEST_CASE("scope: a backend without autocast and another dtype are refused, and change nothing", "[autocast][scope]") {
  CHECK(toy::text_of<tb::device_error>([] { const tb::autocast s(backend::Meta); }) ==
        "autocast: Meta has no autocast; these backends have: CPU, CUDA");
  CHECK(toy::text_of<tb::dtype_error>([] { const tb::autocast s(backend::CPU, {.lower = dtype::float32}); }) ==
        "autocast(CPU): found dtype float32, wanted float16 or bfloat16");
  CHECK_NOTHROW(tb::autocast(backend::Meta, {.enabled = false}));
  CHECK_THROWS_AS(tb::autocast(backend::Meta, {.lower = dtype::int8, .enabled = false}), tb::dtype_error);
  CHECK(of_product() == dtype::float32);
  CHECK_FALSE(tb::autocast_enabled(backend::CPU));
}

TEST_CASE("scope: a backend of one's own names the dtype it prefers", "[autocast][scope]") {
  tb::author::set_autocast_dtype(backend::PrivateUse7, dtype::float16);
  const tb::autocast scope(backend::PrivateUse7);
  CHECK(tb::autocast_dtype(backend::PrivateUse7) == dtype::float16);
  CHECK(toy::text_of<tb::dtype_error>([] { tb::author::set_autocast_dtype(backend::PrivateUse7, dtype::int64); }) ==
        "autocast(PrivateUse7): found dtype int64, wanted float16 or bfloat16");
}

TEST_CASE("scope: current_layers() carries dtype, islands and the cache's switch to another thread",
          "[autocast][scope]") {
  const auto elsewhere = [](const tb::layer_state& layers) {
    dtype found{}, after{};
    std::thread([&] {
      {
        const tb::layer_guard guard(layers);
        found = of_product();
        {
          const tb::autocast inner(backend::CPU, {.lower = dtype::bfloat16});
          CHECK(of_product() == dtype::bfloat16);
        }
        CHECK(of_product() == found);
      }
      after = of_product();
    }).join();
    CHECK(after == dtype::float32);
    return found;
  };
  CHECK(elsewhere(tb::layer_state{}) == dtype::float32);
  CHECK(elsewhere(tb::current_layers()) == dtype::float32);
  const tb::autocast scope(backend::CPU, {.lower = dtype::float16});
  CHECK(elsewhere(tb::current_layers()) == dtype::float16);
  {
    const tb::autocast island(backend::CPU, {.enabled = false});
    CHECK(elsewhere(tb::current_layers()) == dtype::float32);
  }
  {
    const tb::exclude_guard hidden(tb::key::AutocastFunctionality);
    CHECK(elsewhere(tb::current_layers()) == dtype::float32);
  }
  const tb::layer_state of_scope = tb::current_layers();
  const tb::layer_guard none(tb::layer_state{});
  CHECK(of_product() == dtype::float32);
  CHECK_FALSE(tb::autocast_enabled(backend::CPU));
  const tb::layer_guard again(of_scope);
  CHECK(of_product() == dtype::float16);
}

// These abort, so that no state of another scope is restored. Run by their tags, in processes of their own. Catch2's
// handler of SIGABRT allocates, which ThreadSanitizer reports.
TEST_CASE("scope: one that ends before a scope inside it ends the process", "[.][unordered]") {
  std::signal(SIGABRT, SIG_DFL);
  std::optional<tb::autocast> outer(std::in_place, backend::CPU), inner(std::in_place, backend::CPU);
  outer.reset();
}
TEST_CASE("scope: one that ends on another thread ends the process", "[.][elsewhere]") {
  std::signal(SIGABRT, SIG_DFL);
  std::optional<tb::autocast> scope(std::in_place, backend::CPU);
  std::thread([&] { scope.reset(); }).join();
}
