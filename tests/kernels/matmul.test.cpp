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

// What is asked beside the plain product of two matrices.
struct variant {
  double alpha = 1, beta = 0;
  std::int64_t batch = 1;
  bool shared_a = false;  // one a for the whole batch
  order out = order::rows;
  std::int64_t gap = 0;  // behind each row of the result; order::rows alone
  bool corners = false;  // a NaN in a, an infinity in b
  bool old_nan = false;  // the result held NaN before
};

template <typename T>
std::string try_matmul(backend here, extent of, order a_order, order b_order, variant how) {
  stage memory(here);
  const strides a_is = lay_out(a_order, of.m, of.k);
  const strides b_is = lay_out(b_order, of.k, of.n);
  strides out_is = lay_out(how.out, of.m, of.n);
  if (how.gap != 0) out_is = {of.n + how.gap, 1, 0, of.m * of.n == 0 ? 0 : (of.m - 1) * (of.n + how.gap) + of.n};
  const std::int64_t a_batch = how.shared_a ? 0 : a_is.count + 1;
  const std::int64_t out_batch = out_is.count;
  const auto a = memory.make<T>(a_is.count + a_batch * (how.batch - 1));
  const auto b = memory.make<T>(b_is.count * how.batch);
  const auto out = memory.make<T>(out_is.count * how.batch);
  fill_between(a, 1, -9, 9);
  fill_between(b, 2, -9, 9);
  fill_between(out, 3, -9, 9);
  if constexpr (std::is_floating_point_v<T>) {
    if (how.corners && a.size() > 0) a[a.size() / 2] = std::numeric_limits<T>::quiet_NaN();
    if (how.corners && b.size() > 0) b[b.size() / 2] = std::numeric_limits<T>::infinity();
    if (how.old_nan) std::fill(out.begin(), out.end(), std::numeric_limits<T>::quiet_NaN());
  }
  const std::vector<T> before(out.begin(), out.end());

  tb_matmul product{};
  product.out = out.seen_by_kernel() + out_is.first;
  product.a = a.seen_by_kernel() + a_is.first;
  product.b = b.seen_by_kernel() + b_is.first;
  product.m = of.m;
  product.n = of.n;
  product.k = of.k;
  product.out_row = out_is.row;
  product.out_col = out_is.col;
  product.a_row = a_is.row;
  product.a_col = a_is.col;
  product.b_row = b_is.row;
  product.b_col = b_is.col;
  product.batch = how.batch;
  product.out_batch = out_batch;
  product.a_batch = a_batch;
  product.b_batch = b_is.count;
  product.alpha = {how.alpha, std::int64_t(how.alpha)};
  product.beta = {how.beta, std::int64_t(how.beta)};
  product.dtype = dtype_of<T>;
  CHECK(memory.run([&](const tb_kernels& k) { return k.matmul(&product, nullptr); }) == TB_OK);

  using total = std::conditional_t<std::is_floating_point_v<T>, long double, std::int64_t>;
  std::vector<expected<T>> want;
  for (const T x : before) want.push_back({x});
  for (std::int64_t s = 0; s < how.batch; ++s) {
    for (std::int64_t i = 0; i < of.m; ++i) {
      for (std::int64_t j = 0; j < of.n; ++j) {
        total sum = 0;
        long double magnitude = 0;
        for (std::int64_t p = 0; p < of.k; ++p) {
          const total term = total(a[s * a_batch + a_is.first + i * a_is.row + p * a_is.col]) *
                             total(b[s * b_is.count + b_is.first + p * b_is.row + j * b_is.col]);
          sum += term;
          magnitude += std::fabs(static_cast<long double>(term));
        }
        const std::int64_t at = s * out_batch + out_is.first + i * out_is.row + j * out_is.col;
        const total old = how.beta == 0 ? total(0) : total(how.beta) * total(before[std::size_t(at)]);
        magnitude = magnitude * std::fabs(how.alpha) + std::fabs(static_cast<long double>(old));
        want[std::size_t(at)] = {total(how.alpha) * sum + old, 0};
        if constexpr (std::is_floating_point_v<T>) {
          want[std::size_t(at)].slack = ulps<T>(4 + std::sqrt(double(of.k)), magnitude);
        }
      }
    }
  }
  differences<T> found;
  for (std::size_t i = 0; i < want.size(); ++i) found.add(std::int64_t(i), out[std::int64_t(i)], want[i]);
  if (found.text() == "") return "";
  return found.text() + " in " + std::to_string(of.m) + "x" + std::to_string(of.k) + " by " + std::to_string(of.n) +
         "\n";
}

template <typename T>
std::string try_all(backend here, const std::vector<extent>& extents, variant how = {}) {
  std::string failures;
  for (const extent of : extents) failures += try_matmul<T>(here, of, order::rows, order::rows, how);
  return failures;
}

// One product of dense matrices.
tb_matmul plain(void* out, const void* a, const void* b, extent of, tb_dtype type) {
  tb_matmul product{};
  product.out = out;
  product.a = a;
  product.b = b;
  product.m = of.m;
  product.n = of.n;
  product.k = of.k;
  product.out_row = product.b_row = of.n;
  product.a_row = of.k;
  product.out_col = product.a_col = product.b_col = 1;
  product.batch = 1;
  product.alpha = {1, 1};
  product.dtype = type;
  return product;
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
        failures += try_matmul<float>(here, of, a, b, {});
        failures += try_matmul<double>(here, of, a, b, {});
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: what lies between the rows of the result stays", "[kernels]", EVERY_TABLE) {
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

// CUDA has the plain product of one pair of matrices.
TEMPLATE_TEST_CASE("matmul: alpha, beta, a batch and a result of any strides, in every type", "[kernels]", reference,
                   sse2, avx2, avx512) {
  const backend here = need<TestType>();
  std::string failures;
  for (const extent of : {extent{13, 9, 7}, extent{50, 70, 33}, extent{4, 33, 300}, extent{1, 5, 3}, extent{5, 1, 3},
                          extent{1, 1, 4}, extent{3, 4, 0}}) {
    for (const order out : {order::rows, order::columns, order::rows_apart, order::backwards}) {
      for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {1.0, 1.0}, {-3.0, 0.0}, {2.0, -2.0}, {0.0, 3.0}}) {
        const variant how = {.alpha = alpha, .beta = beta, .batch = 3, .shared_a = beta == 1, .out = out};
        failures += try_matmul<float>(here, of, order::rows, order::columns, how);
        failures += try_matmul<double>(here, of, order::columns, order::rows, how);
        failures += try_matmul<std::int64_t>(here, of, order::rows_apart, order::backwards, how);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("matmul: a beta of 0 does not read the result, a NaN in it vanishes", "[kernels]", reference, sse2,
                   avx2, avx512) {
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

TEMPLATE_TEST_CASE("matmul: integers wrap", "[kernels]", reference, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  const std::int64_t a[] = {INT64_MAX, 4};
  const std::int64_t b[] = {2, INT64_MAX};
  std::int64_t out = 5;
  tb_matmul product = plain(&out, a, b, {1, 1, 2}, TB_I64);
  product.beta = {1, 1};
  CHECK(here.kernels->matmul(&product, nullptr) == TB_OK);
  CHECK(out == -1);  // 5 - 2 - 4 modulo 2 to the 64th
}

TEMPLATE_TEST_CASE("matmul: other types are not supported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const tb_dtype type : {TB_BOOL, TB_I32, TB_F16, TB_BF16}) {
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

TEMPLATE_TEST_CASE("matmul: working memory that cannot be had is reported", "[kernels]", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  if (!malloc_may_fail) SKIP("a sanitizer's allocator does not fail");
  // The largest blocks there are, so that no earlier call in this process has made room for them.
  std::vector<double> a(144 * 256);
  std::vector<double> b(256 * 1024);
  std::vector<double> out(144 * 1024);
  const tb_matmul product = plain(out.data(), a.data(), b.data(), {144, 1024, 256}, TB_F64);
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
