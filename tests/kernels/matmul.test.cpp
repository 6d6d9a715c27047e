// Rules of matmul: every shape, any strides, nothing written outside the result.
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdlib>
#include <thread>

#include "products.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

// A sanitizer's allocator ends the program where malloc would return null.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    (defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)))
constexpr bool malloc_may_fail = false;
#else
constexpr bool malloc_may_fail = true;
#endif

template <typename T>
std::string try_all(backend here, const std::vector<extent>& extents, variant how = {}) {
  std::string failures;
  for (const extent of : extents) failures += try_matmul<T>(here, of, order::rows, order::rows, how);
  return failures;
}

std::vector<extent> around_the_tile() {
  std::vector<extent> all;
  for (const std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 23, 25}) {
    for (const std::int64_t n : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65}) all.push_back({m, n, 5});
  }
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("matmul: every size around a micro-kernel tile", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_all<float>(here, around_the_tile()) == "");
  CHECK(try_all<double>(here, around_the_tile()) == "");
}

TEMPLATE_TEST_CASE("matmul: the shapes of small networks", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const std::vector<extent> shapes = {{32, 128, 64}, {256, 64, 128}, {256, 10, 64},
                                      {64, 64, 64},  {1, 100, 100},  {100, 1, 100}};
  CHECK(try_all<float>(here, shapes) == "");
  CHECK(try_all<double>(here, shapes) == "");
}

TEMPLATE_TEST_CASE("matmul: sizes beyond one cache block", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const std::vector<extent> shapes = {{5, 7, 257},   {3, 33, 1000}, {150, 9, 300},
                                      {300, 40, 20}, {4, 1100, 6},  {2, 2100, 260}};
  CHECK(try_all<float>(here, shapes) == "");
  CHECK(try_all<double>(here, shapes) == "");
}

TEMPLATE_TEST_CASE("matmul: a and b have any strides, negative and zero too", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto every_order = {order::rows, order::columns, order::rows_apart, order::backwards, order::repeated};
  std::string failures;
  for (const order a : every_order) {
    for (const order b : every_order) {
      for (const extent of : {extent{13, 9, 7}, extent{14, 70, 33}, extent{30, 700, 33}}) {
        failures += try_matmul<float>(here, of, a, b, {});
        failures += try_matmul<double>(here, of, a, b, {});
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: memory between the rows of the result is unchanged", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const std::vector<extent> shapes = {{13, 9, 7}, {4, 33, 300}, {3, 16, 8}};
  CHECK(try_all<float>(here, shapes, {.gap = 3}) == "");
  CHECK(try_all<double>(here, shapes, {.gap = 3}) == "");
}

TEMPLATE_TEST_CASE("matmul: NaN and infinity reach their rows and columns and no others", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const std::vector<extent> shapes = {{13, 9, 7}, {14, 70, 33}, {5, 5, 1}};
  CHECK(try_all<float>(here, shapes, {.corners = true}) == "");
  CHECK(try_all<double>(here, shapes, {.corners = true}) == "");
}

TEMPLATE_TEST_CASE("matmul: a depth of zero gives zeros, an empty result nothing", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_all<float>(here, {{3, 5, 0}, {0, 5, 3}, {3, 0, 3}, {0, 0, 0}}) == "");
  CHECK(try_all<double>(here, {{3, 5, 0}}, {.gap = 2}) == "");
}

TEMPLATE_TEST_CASE("matmul: alpha, beta, a batch and a result of any strides, in every type", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  sampled_cases cases;
  for (const extent of : {extent{13, 9, 7}, extent{50, 70, 33}, extent{4, 33, 300}, extent{1, 5, 3}, extent{5, 1, 3},
                          extent{1, 1, 4}, extent{3, 4, 0}}) {
    for (const order out : {order::rows, order::columns, order::rows_apart, order::backwards}) {
      for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {1.0, 1.0}, {-3.0, 0.0}, {2.0, -2.0}, {0.0, 3.0}}) {
        const variant how = {.alpha = alpha,
                             .beta = beta,
                             .added = beta == 0 ? plus::nothing : plus::result,
                             .batch = 3,
                             .shared_a = beta == 1,
                             .out = out};
        if (cases.is_drawn()) failures += try_matmul<float>(here, of, order::rows, order::columns, how);
        if (cases.is_drawn()) failures += try_matmul<double>(here, of, order::columns, order::rows, how);
        if (cases.is_drawn()) failures += try_matmul<std::int64_t>(here, of, order::rows_apart, order::backwards, how);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: with beta 0 the result is not read, also if NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  for (const order out : {order::rows, order::columns, order::rows_apart}) {
    for (const double alpha : {1.0, 2.0}) {
      const variant how = {.alpha = alpha, .batch = 2, .out = out, .old_nan = true};
      for (const extent of : {extent{13, 9, 7}, extent{60, 50, 300}, extent{3, 5, 0}}) {
        failures += try_matmul<float>(here, of, order::rows, order::rows, how);
        failures += try_matmul<double>(here, of, order::rows, order::rows, how);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: integers wrap", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  stage memory(here);
  const auto a = memory.make<std::int64_t>(2), b = memory.make<std::int64_t>(2), out = memory.make<std::int64_t>(1);
  a[0] = INT64_MAX, a[1] = 4;
  b[0] = 2, b[1] = INT64_MAX;
  out[0] = 5;
  tb_matmul product = plain(out.seen_by_kernel(), a.seen_by_kernel(), b.seen_by_kernel(), {1, 1, 2}, TB_I64);
  product.added = product.out;
  CHECK(memory.run([&](const tb_kernels& k) { return k.matmul(&product, nullptr); }) == TB_OK);
  CHECK(out[0] == -1);  // 5 - 2 - 4 modulo 2 to the 64th
}

TEMPLATE_TEST_CASE("matmul: other types are not supported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const tb_dtype type : {TB_BOOL, TB_U8, TB_I32}) {
    const tb_matmul product = plain(nullptr, nullptr, nullptr, {0, 0, 0}, type);
    CHECK(here.kernels->matmul(&product, nullptr) == TB_UNSUPPORTED_DTYPE);
  }
}

TEMPLATE_TEST_CASE("matmul: threads do not share their working memory", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  if (here.memory != nullptr) SKIP("CUDA kernels have no working memory on the host");
  constexpr std::int64_t size = 70;
  std::vector<float> ones(size * size, 1.0f);
  const auto multiply = [&](float factor, std::vector<float>& out) {
    std::vector<float> a(size * size, factor);
    const tb_matmul product = plain(out.data(), a.data(), ones.data(), {size, size, size}, TB_F32);
    for (int again = 0; again < 50; ++again) here.kernels->matmul(&product, nullptr);
  };
  std::vector<std::vector<float>> results(4, std::vector<float>(size * size));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) threads.emplace_back([&, t] { multiply(float(t + 1), results[t]); });
  for (std::thread& one : threads) one.join();
  for (std::size_t t = 0; t < 4; ++t) {
    CHECK(std::all_of(results[t].begin(), results[t].end(), [&](float x) { return x == float(t + 1) * size; }));
  }
}

TEMPLATE_TEST_CASE("matmul: out of workspace memory is reported", "[kernels]", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  if (!malloc_may_fail) SKIP("a sanitizer's allocator does not fail");
  std::vector<double> a(1024 * 256);
  std::vector<double> b(256 * 1024);
  std::vector<double> out(1024 * 1024);
  tb_matmul product = plain(out.data(), a.data(), b.data(), {1024, 1024, 256}, TB_F64);
  product.b_row = 1;  // so that b has to be packed
  product.b_col = 256;
  int status = 0;
  // A thread that has made room for nothing yet, and a process without others that could take parts.
  std::thread([&] {
    const pid_t child = fork();
    if (child == 0) {
      tb_cpu_set_threads(1);
      const rlimit nothing_more = {1, 1};
      setrlimit(RLIMIT_AS, &nothing_more);
      void* volatile left_over = nullptr;  // what earlier tests gave back to malloc
      do left_over = std::malloc(1 << 20);
      while (left_over != nullptr);
      _exit(here.kernels->matmul(&product, nullptr));
    }
    waitpid(child, &status, 0);
  }).join();
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == TB_OUT_OF_MEMORY);
}
