// Rules of counts and extremes of rows, and of the elements that a mask selects, against plain loops.
#include "row_calls.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

// The table, unless it lacks the operation.
template <typename Table>
backend need_operation(tb_rowwise_op op) {
  const backend here = need<Table>(&tb_kernels::rowwise);
  if (here.kernels->runs != nullptr && here.kernels->runs(TB_ENTRY_ROWWISE, op) == 0) {
    SKIP("no such operation in the table " << here.kernels->name);
  }
  return here;
}

template <typename T>
rows_operand spaced(const array<T>& data, std::int64_t length, std::int64_t step) {
  return {data.seen_by_kernel(), length, 0, step, dtype_of<T>};
}

tb_status run(stage& memory, const tb_rowwise& call) {
  return memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); });
}

template <typename T>
std::string try_minmax(backend here, std::int64_t length, std::int64_t step, std::int64_t nan_at) {
  stage memory(here);
  const auto in = memory.make<T>((length - 1) * step + 1);
  const auto least = memory.make<T>(1), greatest = memory.make<T>(1);
  random_numbers random(std::uint64_t(length + step));
  for (T& x : in) x = std::is_same_v<T, byte> ? T(random.bits() >> 9 & 1) : T(random.between(-1e6, 1e6));
  if constexpr (std::is_floating_point_v<T>) {
    if (nan_at >= 0) in[nan_at * step] = std::numeric_limits<T>::quiet_NaN();
  }
  const tb_rowwise call =
      rows_call<T>(TB_MINMAX, 1, 2, {number_of_row(least), number_of_row(greatest), spaced(in, length, step)});
  CHECK(run(memory, call) == TB_OK);
  T low = in[0], high = in[0];
  for (std::int64_t i = 0; i < length; ++i) {
    const T x = in[i * step];
    if (x != x || x < low) low = x;
    if (x != x || x > high) high = x;
    if (x != x) break;
  }
  differences<T> found;
  found.add(0, least[0], {low});
  found.add(1, greatest[0], {high});
  return found.text();
}

// Counts, or sums of weights in order, in the type of the result.
template <typename T>
std::string try_bincount(backend here, std::int64_t length, std::int64_t bins, std::int64_t step, bool weighted) {
  stage memory(here);
  const auto in = memory.make<std::int64_t>(length * step);
  const auto weights = memory.make<T>(length);
  const auto out = memory.make<T>(bins);
  random_numbers random(std::uint64_t(length + bins));
  for (std::int64_t& x : in) x = std::int64_t((random.bits() >> 9) % std::uint64_t(bins));
  if (length > 3) in[step] = in[2 * step] = bins - 1;
  for (T& x : weights) x = T(random.between(-100, 100));
  const tb_rowwise call = rows_call<T>(
      TB_BINCOUNT, 1, 1, {spaced(out, bins, 1), spaced(in, length, step), shared_row(weights, length, weighted)});
  CHECK(run(memory, call) == TB_OK);
  std::vector<T> want(std::size_t(bins), T(0));
  for (std::int64_t i = 0; i < length; ++i) want[std::size_t(in[i * step])] += weighted ? weights[i] : T(1);
  differences<T> found;
  for (std::int64_t b = 0; b < bins; ++b) found.add(b, out[b], {want[std::size_t(b)]});
  return found.text();
}

template <typename T>
std::string try_histc(backend here, std::int64_t length, std::int64_t bins, T low, T high) {
  stage memory(here);
  const auto in = memory.make<T>(length);
  const auto out = memory.make<T>(bins);
  random_numbers random(std::uint64_t(length * bins));
  for (T& x : in) {
    // Half of the elements lie at the limits of bins, or beside.
    const T edge = low + (high - low) * T((random.bits() >> 20) % std::uint64_t(bins + 1)) / T(bins);
    const std::uint64_t pick = random.bits() >> 9 & 7;
    x = pick == 0   ? edge
        : pick == 1 ? std::nextafter(edge, T(INFINITY))
        : pick == 2 ? std::nextafter(edge, -T(INFINITY))
        : pick == 3 ? sample<T>(random)
                    : T(random.between(double(low) - 1, double(high) + 1));
  }
  tb_rowwise call = rows_call<T>(TB_HISTC, 1, 1, {spaced(out, bins, 1), spaced(in, length, 1)});
  call.number[0].f = double(low);
  call.number[1].f = double(high);
  CHECK(run(memory, call) == TB_OK);
  std::vector<std::int64_t> want(std::size_t(bins), 0);
  for (const T x : in) {
    if (!(x >= low && x <= high)) continue;
    const T offset = x - low, scaled = offset * T(bins), bin = scaled / (high - low);
    ++want[std::size_t(std::min(std::int64_t(bin), bins - 1))];
  }
  differences<T> found;
  for (std::int64_t b = 0; b < bins; ++b) found.add(b, out[b], {static_cast<long double>(want[std::size_t(b)])});
  return found.text();
}

template <typename T>
std::string try_compress(backend here, std::int64_t length, std::int64_t step, std::uint64_t one_in) {
  stage memory(here);
  const auto in = memory.make<T>(length * step);
  const auto mask = memory.make<byte>(length);
  fill_with_samples(in, 3);
  random_numbers random{std::uint64_t(length)};
  std::vector<T> want;
  for (std::int64_t i = 0; i < length; ++i) {
    mask[i] = (random.bits() >> 11) % one_in == 0 ? byte(1) : byte(0);
    if (mask[i] != 0) want.push_back(in[i * step]);
  }
  const auto count = std::int64_t(want.size());
  const auto out = memory.make<T>(count);
  const tb_rowwise call =
      rows_call<T>(TB_COMPRESS, 1, 1, {spaced(out, count, 1), spaced(in, length, step), spaced(mask, length, 1)});
  CHECK(run(memory, call) == TB_OK);
  return count == 0 || std::memcmp(want.data(), out.begin(), want.size() * sizeof(T)) == 0 ? "" : "elements differ";
}

}  // namespace

TEMPLATE_TEST_CASE("minmax: both extremes, or a NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need_operation<TestType>(TB_MINMAX);
  std::string failures;
  for (const std::int64_t length : {1, 2, 15, 16, 100, 1001, 70001}) {
    for (const std::int64_t step : {1, 3}) {
      for (const std::int64_t nan_at : {std::int64_t(-1), std::int64_t(0), length - 1}) {
        failures += try_minmax<float>(here, length, step, nan_at) + try_minmax<double>(here, length, step, nan_at);
      }
      failures += try_minmax<std::int64_t>(here, length, step, -1) + try_minmax<byte>(here, length, step, -1);
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("bincount: the number of each, or the sum of its weights in order", "[kernels]", EVERY_TABLE) {
  const backend here = need_operation<TestType>(TB_BINCOUNT);
  std::string failures;
  for (const std::int64_t length : {1, 5, 255, 257, 3000}) {
    for (const std::int64_t bins : {1, 2, 100, 1000, 5000}) {
      failures += try_bincount<std::int64_t>(here, length, bins, 1, false) +
                  try_bincount<std::int64_t>(here, length, bins, 2, false) +
                  try_bincount<float>(here, length, bins, 1, true) + try_bincount<double>(here, length, bins, 3, true);
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("histc: the bin of each element within the range, rounded as its type is", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need_operation<TestType>(TB_HISTC);
  std::string failures;
  for (const std::int64_t length : {1, 7, 256, 3001}) {
    for (const std::int64_t bins : {1, 3, 10, 100, 3000, 7000}) {
      failures += try_histc<float>(here, length, bins, -1.25f, 2.7f) + try_histc<double>(here, length, bins, 0.1, 0.7) +
                  try_histc<float>(here, length, bins, 0.0f, 1e-3f);
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("compress: the elements whose mask is set, in order, and nothing behind them", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need_operation<TestType>(TB_COMPRESS);
  std::string failures;
  for (const std::int64_t length : {1, 2, 17, 1000, 4099}) {
    for (const std::int64_t step : {1, 2}) {
      for (const std::uint64_t one_in : {1, 2, 10, 100000}) {
        failures += try_compress<float>(here, length, step, one_in) + try_compress<double>(here, length, step, one_in) +
                    try_compress<byte>(here, length, step, one_in);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("counts and selections of long rows are the same for every number of threads", "[kernels][threads]",
                   EVERY_TABLE) {
  const backend here = need_operation<TestType>(TB_COMPRESS);
  for (const std::int32_t count : {2, 3, 5}) {
    const with_threads now(count);
    CHECK(try_minmax<float>(here, 170001, 1, 100000) + try_minmax<std::int64_t>(here, 170001, 1, -1) == "");
    CHECK(try_bincount<std::int64_t>(here, 170001, 100, 1, false) == "");
    CHECK(try_histc<float>(here, 170001, 50, -2.0f, 3.0f) + try_histc<double>(here, 170001, 170001, -2.0, 3.0) == "");
    CHECK(try_compress<float>(here, 170001, 1, 3) + try_compress<byte>(here, 170001, 1, 2) == "");
  }
}
