// Rules of matmul: every shape, any strides, nothing written outside the result.
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdlib>
#include <thread>

#include "support.h"

using namespace kernel_tests;

namespace {

// A sanitizer's allocator ends the program where malloc would return null.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    (defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)))
constexpr bool malloc_may_fail = false;
#else
constexpr bool malloc_may_fail = true;
#endif

struct extent {
  std::int64_t m, n, k;
};

enum class order { rows, columns, rows_apart, backwards, repeated };

struct strides {
  std::int64_t row, col, first, count;
};

// The strides of a [rows][cols] matrix stored in some order, where its first element is, and how long the memory is.
strides lay_out(order how, std::int64_t rows, std::int64_t cols) {
  const std::int64_t count = rows * cols;
  switch (how) {
    case order::rows: return {cols, 1, 0, count};
    case order::columns: return {1, rows, 0, count};
    case order::rows_apart:
      return {cols * 2 + 3, 2, 0, count == 0 ? 0 : (rows - 1) * (cols * 2 + 3) + (cols - 1) * 2 + 1};
    case order::backwards: return {-cols, -1, count == 0 ? 0 : count - 1, count};
    case order::repeated: return {0, 1, 0, cols};
  }
  return {};
}

template <typename T>
std::string try_matmul(backend here, extent of, order a_order, order b_order, std::int64_t gap, bool corners) {
  stage memory(here);
  const strides a_is = lay_out(a_order, of.m, of.k);
  const strides b_is = lay_out(b_order, of.k, of.n);
  const std::int64_t out_row = of.n + gap;
  const auto a = memory.make<T>(a_is.count);
  const auto b = memory.make<T>(b_is.count);
  const auto out = memory.make<T>(of.m * of.n == 0 ? 0 : (of.m - 1) * out_row + of.n);
  fill_between(a, 1, -2, 2);
  fill_between(b, 2, -2, 2);
  if (corners && a.size() > 0) a[a.size() / 2] = std::numeric_limits<T>::quiet_NaN();
  if (corners && b.size() > 0) b[b.size() / 2] = std::numeric_limits<T>::infinity();
  std::fill(out.begin(), out.end(), T(-77));

  tb_matmul product{};
  product.out = out.seen_by_kernel();
  product.a = a.seen_by_kernel() + a_is.first;
  product.b = b.seen_by_kernel() + b_is.first;
  product.m = of.m;
  product.n = of.n;
  product.k = of.k;
  product.out_row = out_row;
  product.a_row = a_is.row;
  product.a_col = a_is.col;
  product.b_row = b_is.row;
  product.b_col = b_is.col;
  product.dtype = dtype_of<T>;
  CHECK(memory.run([&](const tb_kernels& k) { return k.matmul(&product, nullptr); }) == TB_OK);

  differences<T> found;
  for (std::int64_t i = 0; i < of.m; ++i) {
    for (std::int64_t j = 0; j < out_row && i * out_row + j < out.size(); ++j) {
      if (j >= of.n) {
        found.add(i * out_row + j, out[i * out_row + j], {-77});
        continue;
      }
      long double sum = 0;
      long double magnitude = 0;
      for (std::int64_t p = 0; p < of.k; ++p) {
        const long double term = static_cast<long double>(a[a_is.first + i * a_is.row + p * a_is.col]) *
                                 b[b_is.first + p * b_is.row + j * b_is.col];
        sum += term;
        magnitude += std::fabs(term);
      }
      found.add(i * out_row + j, out[i * out_row + j], {sum, ulps<T>(2 + std::sqrt(double(of.k)), magnitude)});
    }
  }
  if (found.text() == "") return "";
  return found.text() + " in " + std::to_string(of.m) + "x" + std::to_string(of.k) + " by " + std::to_string(of.n) +
         "\n";
}

template <typename T>
std::string try_all(backend here, const std::vector<extent>& extents, std::int64_t gap = 0, bool corners = false) {
  std::string failures;
  for (const extent of : extents) failures += try_matmul<T>(here, of, order::rows, order::rows, gap, corners);
  return failures;
}

std::vector<extent> around_the_tile() {
  std::vector<extent> all;
  for (const std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 23, 25}) {
    for (const std::int64_t n : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65}) all.push_back({m, n, 5});
  }
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("matmul: every size around a register tile", "[kernels]", EVERY_TABLE) {
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

TEMPLATE_TEST_CASE("matmul: depths, heights and widths beyond one block of the cache", "[kernels]", EVERY_TABLE) {
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
      for (const extent of : {extent{13, 9, 7}, extent{14, 70, 33}}) {
        failures += try_matmul<float>(here, of, a, b, 0, false);
        failures += try_matmul<double>(here, of, a, b, 0, false);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: what lies between the rows of the result stays", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const std::vector<extent> shapes = {{13, 9, 7}, {4, 33, 300}, {3, 16, 8}};
  CHECK(try_all<float>(here, shapes, 3) == "");
  CHECK(try_all<double>(here, shapes, 3) == "");
}

TEMPLATE_TEST_CASE("matmul: NaN and infinity reach their rows and columns and no others", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const std::vector<extent> shapes = {{13, 9, 7}, {14, 70, 33}, {5, 5, 1}};
  CHECK(try_all<float>(here, shapes, 0, true) == "");
  CHECK(try_all<double>(here, shapes, 0, true) == "");
}

TEMPLATE_TEST_CASE("matmul: a depth of zero gives zeros, an empty result nothing", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_all<float>(here, {{3, 5, 0}, {0, 5, 3}, {3, 0, 3}, {0, 0, 0}}) == "");
  CHECK(try_all<double>(here, {{3, 5, 0}}, 2) == "");
}

TEMPLATE_TEST_CASE("matmul: integers are not supported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  tb_matmul product{};
  product.dtype = TB_I64;
  CHECK(here.kernels->matmul(&product, nullptr) == TB_UNSUPPORTED_DTYPE);
}

TEMPLATE_TEST_CASE("matmul: threads do not share their working memory", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  if (here.memory != nullptr) SKIP("CUDA kernels have no working memory on the host");
  constexpr std::int64_t size = 70;
  std::vector<float> ones(size * size, 1.0f);
  const auto multiply = [&](float factor, std::vector<float>& out) {
    std::vector<float> a(size * size, factor);
    tb_matmul product{out.data(), a.data(), ones.data(), size, size, size, size, size, 1, size, 1, TB_F32, 0};
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

TEMPLATE_TEST_CASE("matmul: working memory that cannot be had is reported", "[kernels]", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  if (!malloc_may_fail) SKIP("a sanitizer's allocator does not fail");
  // The largest blocks there are, so that no earlier call in this process has made room for them.
  std::vector<double> a(144 * 256);
  std::vector<double> b(256 * 1024);
  std::vector<double> out(144 * 1024);
  tb_matmul product{out.data(), a.data(), b.data(), 144, 1024, 256, 1024, 256, 1, 1024, 1, TB_F64, 0};
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit nothing_more = {1, 1};
    setrlimit(RLIMIT_AS, &nothing_more);
    void* volatile left_over = nullptr;  // what earlier tests gave back to malloc
    do left_over = std::malloc(1 << 20);
    while (left_over != nullptr);
    _exit(here.kernels->matmul(&product, nullptr));
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == TB_OUT_OF_MEMORY);
}
