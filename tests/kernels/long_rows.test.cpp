// Rules of scans, sorts and searches of rows, short and long: whatever the length, the layout and the table, the same.
#include <numeric>

#include "orders.h"
#include "row_calls.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

// Rows of one length, how they lie, and what is found in them.
struct layout {
  std::int64_t rows, length;
  bool side_by_side = false;
  lie how() const { return side_by_side ? beside(rows) : behind(length); }
};

constexpr layout scan_layouts[] = {{1, 1},     {3, 7},      {5, 16, true},   {70, 33},       {3, 512},
                                   {3, 513},   {2, 2048},   {2, 5000},       {3, 300, true}, {5000, 20, true},
                                   {1, 70000}, {3, 100001}, {2, 70000, true}};

template <typename T>
void fill_rows(const array<T>& in, std::uint64_t seed, double low, double high) {
  random_numbers random(seed);
  for (T& x : in) x = std::is_same_v<T, byte> ? T(random.bits() >> 9 & 1) : T(random.between(low, high));
}

// The running result of a row: in long double, or wrapping.
template <typename T>
using widest = std::conditional_t<std::is_floating_point_v<T>, long double, std::uint64_t>;

template <typename T>
std::string try_scan(backend here, tb_rowwise_op op, const layout& of, double low, double high,
                     const std::function<widest<T>(widest<T>, widest<T>)>& step, bool in_place = false) {
  stage memory(here);
  const auto in = memory.make<T>(of.rows * of.length);
  const auto out = in_place ? in : memory.make<T>(of.rows * of.length);
  fill_rows(in, 5, low, high);
  const std::vector<T> before(in.begin(), in.end());
  const lie how = of.how();
  const tb_rowwise call = rows_call<T>(op, of.rows, 1, {matrix(out, of.length, how), matrix(in, of.length, how)});
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < of.rows; ++r) {
    widest<T> now{};
    for (std::int64_t i = 0; i < of.length; ++i) {
      const std::int64_t at = how.at(r, i);
      now = i == 0 ? widest<T>(before[std::size_t(at)]) : step(now, widest<T>(before[std::size_t(at)]));
      if constexpr (std::is_floating_point_v<T>)
        found.add(at, out[at], {now, ulps<T>(4, 1 + std::fabs(now)) + std::fabs(now) * 1e-12L});
      else
        found.add(at, out[at], {T(now)});
    }
  }
  return found.text().empty() ? "" : std::to_string(of.rows) + " of " + std::to_string(of.length) + " " + found.text();
}

template <typename T>
std::string try_extremes(backend here, bool greatest, const layout& of, bool with_nan) {
  stage memory(here);
  const auto in = memory.make<T>(of.rows * of.length);
  const auto out = memory.make<T>(of.rows * of.length);
  const auto index = memory.make<std::int64_t>(of.rows * of.length);
  // Few different numbers, so that many are equal.
  random_numbers random(8);
  for (T& x : in) x = T(random.bits() >> 11 & (std::is_same_v<T, byte> ? 1 : 7));
  const lie how = of.how();
  if (with_nan && std::is_floating_point_v<T>) {
    in[how.at(0, of.length / 2)] = in[how.at(0, of.length - 1)] = std::numeric_limits<T>::quiet_NaN();
  }
  const tb_rowwise call =
      rows_call<T>(greatest ? TB_CUMMAX : TB_CUMMIN, of.rows, 2,
                   {matrix(out, of.length, how), matrix(index, of.length, how), matrix(in, of.length, how)});
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  differences<T> values;
  differences<std::int64_t> places;
  for (std::int64_t r = 0; r < of.rows; ++r) {
    std::int64_t best = 0;
    for (std::int64_t i = 0; i < of.length; ++i) {
      const T x = in[how.at(r, i)], y = in[how.at(r, best)];
      if (is_nan(x) || (greatest ? x >= y : x <= y)) best = i;
      values.add(how.at(r, i), out[how.at(r, i)], {in[how.at(r, best)]});
      places.add(how.at(r, i), index[how.at(r, i)], {best});
    }
  }
  return values.text() + places.text();
}

enum class content { any, ties, nans };

template <typename T>
void fill_for_sort(const array<T>& in, content what) {
  random_numbers random(21);
  for (T& x : in) {
    const std::uint64_t bits = random.bits() >> 7;
    if constexpr (std::is_same_v<T, byte>) {
      x = byte(bits & 1);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      x = what == content::ties ? std::int64_t(bits % 5) - 2 : sample<T>(random);
    } else {
      x = what == content::any ? T(random.between(-1e6, 1e6)) : T(std::int64_t(bits % 9) - 4) * T(0.5);
      if (x == 0 && bits % 2 == 0) x = -x;
      if (what == content::nans && bits % 3 != 0) x = std::numeric_limits<T>::quiet_NaN();
      if (what == content::any && bits % 64 == 0) x = bits % 128 == 0 ? T(INFINITY) : -T(INFINITY);
    }
  }
}

template <typename T>
std::string try_order(backend here, tb_rowwise_op op, const layout& of, std::int64_t number, std::int64_t results,
                      content what, bool in_place = false) {
  stage memory(here);
  const auto in = memory.make<T>(of.rows * of.length);
  const auto out = in_place ? in : memory.make<T>(of.rows * results);
  const auto index = memory.make<std::int64_t>(of.rows * results);
  fill_for_sort(in, what);
  const std::vector<T> before(in.begin(), in.end());
  const lie to = of.side_by_side ? beside(of.rows) : behind(results);
  tb_rowwise call = rows_call<T>(
      op, of.rows, 2, {matrix(out, results, to), matrix(index, results, to), matrix(in, of.length, of.how())});
  call.number[0].i = number;
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  differences<T> values;
  differences<std::int64_t> places;
  for (std::int64_t r = 0; r < of.rows; ++r) {
    std::vector<T> row;
    for (std::int64_t i = 0; i < of.length; ++i) row.push_back(before[std::size_t(of.how().at(r, i))]);
    const std::vector<std::int64_t> want = places_of(op, row, number, results);
    for (std::int64_t i = 0; i < results; ++i) {
      const std::int64_t from = want[std::size_t(i)];
      values.add(to.at(r, i), out[to.at(r, i)], {row[std::size_t(from)]});
      places.add(to.at(r, i), index[to.at(r, i)], {from});
    }
  }
  const std::string text = values.text() + places.text();
  if (text.empty()) return "";
  return "operation " + std::to_string(op) + " of " + std::to_string(of.rows) + " rows of " +
         std::to_string(of.length) + " content " + std::to_string(int(what)) + ": " + text + "\n";
}

constexpr layout sort_layouts[] = {{1, 1},          {5, 3},    {300, 2},  {3, 31, true},   {40, 40},
                                   {3, 2000, true}, {2, 2048}, {1, 2049}, {3, 2500, true}, {1, 66000}};

template <typename T>
std::string try_orders(backend here, const layout& of, content what) {
  std::string failures;
  const std::int64_t n = of.length;
  for (const std::int64_t flag : {0, 1}) {
    failures += try_order<T>(here, TB_SORT, of, flag, n, what) + try_order<T>(here, TB_MEDIAN, of, flag, 1, what);
    for (const std::int64_t k : {std::int64_t(1), std::min<std::int64_t>(n, 10), n / 2 + 1}) {
      failures += try_order<T>(here, TB_TOPK, of, flag, k, what);
    }
  }
  for (const std::int64_t rank : {std::int64_t(0), n / 3, n - 1}) {
    failures += try_order<T>(here, TB_KTH_VALUE, of, rank, 1, what);
  }
  return failures + try_order<T>(here, TB_MODE, of, 0, 1, what);
}

constexpr std::int64_t bytes_of[TB_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};

std::int32_t compute_of(std::int32_t dtype) {
  if (dtype == TB_F16 || dtype == TB_BF16) return TB_F32;
  return dtype >= TB_U8 && dtype <= TB_I64 ? std::int32_t(TB_I64) : dtype;
}

// Results and places of an operation on rows of any bits of a dtype; of float16 and bfloat16, NaNs as one.
std::vector<std::uint64_t> of_any_bits(backend here, tb_rowwise_op op, std::int32_t dtype, std::int32_t to,
                                       const layout& of, std::int64_t number, std::int64_t results) {
  stage memory(here);
  const auto in = memory.make<byte>(of.rows * of.length * bytes_of[dtype]);
  const auto out = memory.make<byte>(of.rows * results * bytes_of[to]);
  const auto index = memory.make<std::int64_t>(of.rows * results);
  random_numbers random(99);
  for (byte& b : in) b = byte(random.bits() >> 13);
  std::fill(index.begin(), index.end(), 0);
  const bool indexed = op != TB_CUMSUM;
  const rows_operand result{out.seen_by_kernel(), results, results, 1, to};
  const rows_operand rows{in.seen_by_kernel(), of.length, of.how().stride, of.how().step, dtype};
  tb_rowwise call = indexed ? rows_call<float>(op, of.rows, 2, {result, matrix(index, results, behind(results)), rows})
                            : rows_call<float>(op, of.rows, 1, {result, rows});
  call.compute = compute_of(dtype);
  call.number[0].i = number;
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  std::vector<std::uint64_t> found(index.begin(), index.end());
  for (std::int64_t i = 0; i < of.rows * results; ++i) {
    std::uint64_t x = 0;
    std::memcpy(&x, out.begin() + i * bytes_of[to], std::size_t(bytes_of[to]));
    const bool nan = (to == TB_F16 && (x & 0x7fff) > 0x7c00) || (to == TB_BF16 && (x & 0x7fff) > 0x7f80);
    found.push_back(nan ? 0x7fff : x);
  }
  return found;
}

}  // namespace

TEMPLATE_TEST_CASE("scans: cumulative sums and products of rows, also in place", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  const auto sum = [](auto a, auto b) { return a + b; };
  const auto product = [](auto a, auto b) { return a * b; };
  std::string failures;
  for (const layout& of : scan_layouts) {
    failures += try_scan<float>(here, TB_CUMSUM, of, -1, 2, sum) + try_scan<double>(here, TB_CUMSUM, of, 0, 1, sum) +
                try_scan<std::int64_t>(here, TB_CUMSUM, of, -1e17, 1e18, sum) +
                try_scan<float>(here, TB_CUMSUM, of, -1, 2, sum, true) +
                try_scan<double>(here, TB_CUMPROD, of, 0.9999, 1.0001, product) +
                try_scan<std::int64_t>(here, TB_CUMPROD, of, -9, 9, product);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("scans: logcumsumexp", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  const auto both = [](long double a, long double b) {
    return std::fmax(a, b) + std::log1p(std::exp(std::fmin(a, b) - std::fmax(a, b)));
  };
  std::string failures;
  for (const layout& of : scan_layouts) {
    failures += try_scan<float>(here, TB_LOGCUMSUMEXP, of, -30, 30, both) +
                try_scan<double>(here, TB_LOGCUMSUMEXP, of, -30, 30, both);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("scans: infinities and NaN propagate along the row, and a sum of -0 is 0", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t length : {5, 100, 600, 70000}) {
    stage memory(here);
    const auto in = memory.make<float>(length);
    const auto out = memory.make<float>(length);
    std::fill(in.begin(), in.end(), -INFINITY);
    in[3] = INFINITY;
    tb_rowwise call = rows_call<float>(TB_LOGCUMSUMEXP, 1, 1,
                                       {matrix(out, length, behind(length)), matrix(in, length, behind(length))});
    const auto run = [&](const tb_kernels& k) { return k.rowwise(&call, nullptr); };
    REQUIRE(memory.run(run) == TB_OK);
    CHECK((out[0] == -INFINITY && out[2] == -INFINITY && out[3] == INFINITY && out[length - 1] == INFINITY));
    in[4] = NAN;
    REQUIRE(memory.run(run) == TB_OK);
    CHECK((out[3] == INFINITY && std::isnan(out[4]) && std::isnan(out[length - 1])));
    call.op = TB_CUMSUM;
    std::fill(in.begin(), in.end(), -0.0f);
    REQUIRE(memory.run(run) == TB_OK);
    CHECK((out[0] == 0 && !std::signbit(out[0]) && !std::signbit(out[length - 1])));
  }
}

TEMPLATE_TEST_CASE("scans: cummax and cummin return the last of equals, from a NaN on the last NaN", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const layout& of : scan_layouts) {
    for (const bool greatest : {true, false}) {
      failures += try_extremes<float>(here, greatest, of, true) + try_extremes<double>(here, greatest, of, false) +
                  try_extremes<std::int64_t>(here, greatest, of, false) + try_extremes<byte>(here, greatest, of, false);
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("sorts: stable both ways, a NaN above every number, and order statistics", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  sampled_cases sample;
  for (const layout& of : sort_layouts) {
    for (const content what : {content::any, content::ties, content::nans}) {
      if (!sample.is_drawn()) continue;
      failures += try_orders<float>(here, of, what);
      if (of.length < 2048 || what == content::nans) failures += try_orders<double>(here, of, what);
    }
    if (of.length < 60000 && sample.is_drawn()) failures += try_orders<std::int64_t>(here, of, content::any);
    if (sample.is_drawn()) failures += try_orders<byte>(here, of, content::ties);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("mode: the smallest of the most frequent elements, at its last index", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t length : {16, 1000, 2500, 5000}) {
    stage memory(here);
    const auto in = memory.make<float>(length);
    const auto out = memory.make<float>(1);
    const auto index = memory.make<std::int64_t>(1);
    // Each value three times, but for the last.
    for (std::int64_t i = 0; i < length; ++i) in[i] = float(i * 7 % length / 3);
    const tb_rowwise call =
        rows_call<float>(TB_MODE, 1, 2, {number_of_row(out), number_of_row(index), matrix(in, length, behind(length))});
    REQUIRE(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < length; ++i) last = in[i] == 0 ? i : last;
    CHECK(out[0] == 0);
    CHECK(index[0] == last);
  }
}

TEMPLATE_TEST_CASE("sorts: the result may overwrite the rows", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const layout& of : sort_layouts) {
    failures += try_order<float>(here, TB_SORT, of, 0, of.length, content::ties, true) +
                try_order<std::int64_t>(here, TB_SORT, of, 1, of.length, content::any, true);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("rows: elements of every dtype are scanned and sorted as by the scalar build", "[kernels]", sse2,
                   avx2, avx512, cuda) {
  const backend here = need<TestType>(&tb_kernels::rowwise), other = need<scalar>();
  std::string failures;
  sampled_cases sample;
  const auto compare = [&](tb_rowwise_op op, std::int32_t dtype, std::int32_t to, const layout& of, std::int64_t number,
                           std::int64_t results) {
    if (!sample.is_drawn()) return;
    if (of_any_bits(here, op, dtype, to, of, number, results) !=
        of_any_bits(other, op, dtype, to, of, number, results)) {
      failures += "operation " + std::to_string(op) + " dtype " + std::to_string(dtype) + " of " +
                  std::to_string(of.length) + "\n";
    }
  };
  for (const layout& of : {layout{5, 13}, {7, 200, true}, {2, 700}, {3, 2500}, {1, 66000}}) {
    for (const std::int32_t dtype : {TB_U8, TB_I8, TB_I16, TB_I32, TB_I64, TB_F16, TB_BF16}) {
      for (const std::int64_t flag : {0, 1}) {
        compare(TB_SORT, dtype, dtype, of, flag, of.length);
        compare(TB_TOPK, dtype, dtype, of, flag, 12);
        compare(TB_MEDIAN, dtype, dtype, of, flag, 1);
      }
      compare(TB_KTH_VALUE, dtype, dtype, of, of.length / 4, 1);
      compare(TB_MODE, dtype, dtype, of, 0, 1);
      compare(TB_CUMMAX, dtype, dtype, of, 0, of.length);
      compare(TB_CUMMIN, dtype, dtype, of, 0, of.length);
      // Sums of float16 and bfloat16 are exact in double, those of integers wrap.
      if (dtype != TB_BF16) compare(TB_CUMSUM, dtype, dtype == TB_F16 ? TB_F16 : TB_I64, of, 0, of.length);
    }
    compare(TB_SORT, TB_I32, TB_I64, of, 0, of.length);
    compare(TB_TOPK, TB_F16, TB_F32, of, 0, 5);
  }
  CHECK(failures == "");
}
