// Rules of sorting and selection by rank on rows that are hard for an algorithm: long common prefixes of keys, elements
// already in order, few values, both zeros and every NaN. The model is the standard library's sort.
#include "orders.h"

#include "row_calls.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

enum class hard { any_bits, few_values, equal, runs, long_runs, ascending, descending, zeros_and_nans };
constexpr hard every_kind[] = {hard::any_bits,  hard::few_values, hard::equal,      hard::runs,
                               hard::long_runs, hard::ascending,  hard::descending, hard::zeros_and_nans};

template <typename T>
T of_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, byte>) return byte(bits & 1);
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <typename T>
T hard_element(random_numbers& random, hard kind) {
  const std::uint64_t bits = random.bits();
  if constexpr (!std::is_same_v<T, byte>) {
    switch (kind) {
      case hard::any_bits: return of_bits<T>(bits);
      case hard::few_values: return T(std::int64_t(bits >> 9 & 7) - 3);
      case hard::equal: return T(5);
      // Keys of 64 bits whose high 32 bits are equal in short or in long runs.
      case hard::runs: return of_bits<T>((bits >> 13 & 0xff) << 45 | (bits >> 40 & 0xffff));
      case hard::long_runs: return of_bits<T>((bits >> 13 & 1) << 60 | (bits >> 30 & 0xffffff));
      case hard::ascending:
      case hard::descending: return T(std::int64_t(bits >> 40));
      case hard::zeros_and_nans:
        if constexpr (std::is_floating_point_v<T>) {
          const T some[] = {
              T(0), -T(0), T(NAN), -T(NAN), T(INFINITY), -T(INFINITY), std::numeric_limits<T>::denorm_min(), T(1)};
          return some[bits >> 9 & 7];
        }
    }
  }
  return of_bits<T>(bits >> 7);
}

template <typename T>
void fill_hard(const array<T>& row, std::uint64_t seed, hard kind) {
  random_numbers random(seed);
  for (T& x : row) x = hard_element<T>(random, kind);
  if (kind == hard::ascending) std::sort(row.begin(), row.end());
  if (kind == hard::descending) std::sort(row.begin(), row.end(), std::greater<>());
}

// An operation on one row: elements and their positions, and with `indices` false the elements alone.
template <typename T>
std::string try_row(backend here, tb_rowwise_op op, std::int64_t length, std::int64_t number, std::int64_t results,
                    hard kind, bool indices) {
  stage memory(here);
  const auto in = memory.make<T>(length), out = memory.make<T>(results);
  const auto index = memory.make<std::int64_t>(results);
  fill_hard(in, std::uint64_t(length + int(kind)), kind);
  std::fill(index.begin(), index.end(), -1);
  tb_rowwise call = rows_call<T>(
      op, 1, 2, {number_of_row(out), shared_row(index, results, indices), matrix(in, length, behind(length))});
  call.row[0].length = results;
  call.number[0].i = number;
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  const std::vector<std::int64_t> want = places_of(op, std::vector<T>(in.begin(), in.end()), number, results);
  for (std::int64_t i = 0; i < results; ++i) {
    const T element = in[want[std::size_t(i)]];
    const bool same = std::memcmp(&out[i], &element, sizeof(T)) == 0 || (is_nan(element) && is_nan(out[i]));
    if (same && index[i] == (indices ? want[std::size_t(i)] : -1)) continue;
    std::ostringstream text;
    text << "operation " << op << " of " << length << " with " << number << " for " << results << ", content "
         << int(kind) << ": at " << i << " got " << +out[i] << " from " << index[i] << ", wanted " << +element
         << " from " << want[std::size_t(i)] << "\n";
    return text.str();
  }
  return "";
}

template <typename T>
std::string try_every_order(backend here, std::int64_t length, hard kind) {
  std::string failures;
  for (const std::int64_t flag : {0, 1}) {
    failures += try_row<T>(here, TB_SORT, length, flag, length, kind, true) +
                try_row<T>(here, TB_SORT, length, flag, length, kind, false) +
                try_row<T>(here, TB_MEDIAN, length, flag, 1, kind, true);
    for (const std::int64_t k : {std::int64_t(1), std::int64_t(16), std::int64_t(33), length / 9, length / 2, length}) {
      if (k >= 1 && k <= length) failures += try_row<T>(here, TB_TOPK, length, flag, k, kind, true);
    }
  }
  for (const std::int64_t rank : {std::int64_t(0), length / 2, length - 1}) {
    failures += try_row<T>(here, TB_KTH_VALUE, length, rank, 1, kind, true);
  }
  return failures + try_row<T>(here, TB_MODE, length, 0, 1, kind, true);
}

}  // namespace

TEMPLATE_TEST_CASE("order: rows that are hard to sort are in the standard library's order", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  sampled_cases cases;
  for (const std::int64_t length : {1, 2, 16, 17, 31, 63, 64, 65, 66, 100, 129, 257, 1000, 3000, 20000}) {
    for (const hard kind : every_kind) {
      if (length > 1000 && !cases.is_drawn()) continue;
      // Long rows have a test of their own, and take minutes where a device is emulated.
      if (length > 300 && std::is_same_v<TestType, cuda>) continue;
      failures += try_every_order<float>(here, length, kind) + try_every_order<double>(here, length, kind) +
                  try_every_order<std::int64_t>(here, length, kind) + try_every_order<byte>(here, length, kind);
    }
  }
  CHECK(failures == "");
}

// Parts of one row are sorted on several threads.
TEMPLATE_TEST_CASE("order: a long row is sorted, and its ranks are found, the same for every number of threads",
                   "[kernels][threads]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const std::int32_t count : {2, 3, 5}) {
    const with_threads now(count);
    for (const hard kind : {hard::any_bits, hard::runs, hard::long_runs, hard::zeros_and_nans}) {
      const std::int64_t length = 170001;
      failures += try_row<double>(here, TB_SORT, length, 0, length, kind, true) +
                  try_row<float>(here, TB_SORT, length, 1, length, kind, true) +
                  try_row<std::int64_t>(here, TB_SORT, length, 0, length, kind, count == 2);
      if (count != 3) continue;
      for (const std::int64_t flag : {0, 1}) {
        failures += try_row<float>(here, TB_MEDIAN, length, flag, 1, kind, true) +
                    try_row<double>(here, TB_MEDIAN, length, flag, 1, kind, true) +
                    try_row<float>(here, TB_TOPK, length, flag, 16, kind, true) +
                    try_row<std::int64_t>(here, TB_TOPK, length, flag, 7, kind, true) +
                    try_row<float>(here, TB_TOPK, length, flag, length / 2, kind, true);
      }
      for (const std::int64_t rank : {std::int64_t(0), length / 3, length - 1}) {
        failures += try_row<float>(here, TB_KTH_VALUE, length, rank, 1, kind, true) +
                    try_row<std::int64_t>(here, TB_KTH_VALUE, length, rank, 1, kind, true);
      }
    }
  }
  CHECK(failures == "");
}
