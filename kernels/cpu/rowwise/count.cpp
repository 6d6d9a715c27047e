// Counting the elements of a row: histograms of numbers and of ranges, and the extremes they begin with.
#include <limits>

#include "layout.h"
#include "rowwise/rowwise.h"
#include "rowwise/sort_keys.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
struct extremes {
  T least, greatest;
  bool nan = false;

  void add(T low, T high) {
    least = low < least ? low : least;
    greatest = high > greatest ? high : greatest;
  }
};

// Of n elements.
template <typename T>
  requires std::is_integral_v<T>
extremes<T> extremes_of(const T* x, int64_t n) {
  extremes<T> all{std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  for (int64_t i = 0; i < n; ++i) all.add(x[i], x[i]);
  return all;
}

// Several of each, which the compiler vectorizes. A NaN, which comparisons ignore, has a bit pattern, without its sign,
// above that of infinity.
template <typename T>
extremes<T> extremes_of(const T* x, int64_t n) {
  using bits = key_type<T>;
  constexpr int64_t lanes = 128 / sizeof(T);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  extremes<T> all{infinity, -infinity};
  T least[lanes], greatest[lanes];
  bits size[lanes];
  for (int64_t k = 0; k < lanes; ++k) {
    least[k] = infinity;
    greatest[k] = -infinity;
    size[k] = 0;
  }
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int64_t k = 0; k < lanes; ++k) {
      const T value = x[i + k];
      const bits magnitude = __builtin_bit_cast(bits, value) & (~bits(0) >> 1);
      least[k] = value < least[k] ? value : least[k];
      greatest[k] = value > greatest[k] ? value : greatest[k];
      size[k] = magnitude > size[k] ? magnitude : size[k];
    }
  }
  for (; i < n; ++i) {
    all.add(x[i], x[i]);
    all.nan |= x[i] != x[i];
  }
  for (int64_t k = 0; k < lanes; ++k) {
    all.add(least[k], greatest[k]);
    all.nan |= size[k] > __builtin_bit_cast(bits, infinity);
  }
  return all;
}

template <typename T>
void minmax(const rows_at& r) {
  const T* const x = r.as<const T>(2);
  const int64_t count = r.length[2], parts = row_parts(count);
  extremes<T> of[most_row_parts];
  each_row_part(count, parts,
                [&](int64_t part, int64_t first, int64_t last) { of[part] = extremes_of(x + first, last - first); });
  for (int64_t part = 1; part < parts; ++part) {
    of[0].add(of[part].least, of[part].greatest);
    of[0].nan |= of[part].nan;
  }
  // Which of two zeros is found depends on the parts: both are 0 without a sign.
  *r.as<T>(0) = of[0].nan ? std::numeric_limits<T>::quiet_NaN() : T(of[0].least + T(0));
  *r.as<T>(1) = of[0].nan ? std::numeric_limits<T>::quiet_NaN() : T(of[0].greatest + T(0));
}

constexpr int64_t block = 256;

// Counts the bins of the elements 0 to count - 1 into `bins` counts. `bins_of(first, some, bin)` writes those of a
// block. Several tables, so that equal bins in a row do not wait for each other, and one set of them for each part. The
// counts are in `single`, unless that is null or there are several tables.
template <typename Bin, typename BinsOf>
int64_t* count_bins(const rows_at& r, int64_t count, int64_t bins, int64_t* single, const BinsOf& bins_of) {
  constexpr int64_t most_tables = 4;
  // `work` has two counts for each element of the longer row.
  const int64_t longest = r.length[0] < r.length[1] ? r.length[1] : r.length[0], room = 2 * longest / bins;
  const int64_t tables = room < most_tables ? 1 : most_tables;
  const int64_t wanted = row_parts(count), most = room / tables, parts = wanted < most ? wanted : most;
  int64_t* const table = single != nullptr && tables * parts == 1 ? single : static_cast<int64_t*>(r.work);
  each_row_part(count, parts, [&](int64_t part, int64_t first, int64_t last) {
    int64_t* const mine = table + part * tables * bins;
    for (int64_t i = 0; i < tables * bins; ++i) mine[i] = 0;
    int64_t* const of[most_tables] = {mine, mine + (tables > 1 ? bins : 0), mine + (tables > 1 ? 2 * bins : 0),
                                      mine + (tables > 1 ? 3 * bins : 0)};
    Bin bin[block];
    for (int64_t i = first; i < last; i += block) {
      const int64_t some = last - i < block ? last - i : block;
      bins_of(i, some, bin);
      int64_t j = 0;
      for (; j + most_tables <= some; j += most_tables) {
        for (int64_t t = 0; t < most_tables; ++t) ++of[t][bin[j + t]];
      }
      for (; j < some; ++j) ++of[0][bin[j]];
    }
  });
  for (int64_t t = 1; t < parts * tables; ++t) {
    for (int64_t b = 0; b < bins; ++b) table[b] += table[t * bins + b];
  }
  return table;
}

template <typename T>
void bincount(const rows_at& r) {
  const int64_t* const in = r.as<const int64_t>(1);
  T* const out = r.as<T>(0);
  const int64_t bins = r.length[0], count = r.length[1];
  if (r.row[2] != nullptr) {
    const T* const weights = r.as<const T>(2);
    for (int64_t b = 0; b < bins; ++b) out[b] = 0;
    for (int64_t i = 0; i < count; ++i) out[in[i]] = T(out[in[i]] + weights[i]);
    return;
  }
  int64_t* single = nullptr;
  if constexpr (std::is_same_v<T, int64_t>) single = out;
  const int64_t* const counts =
      count_bins<int64_t>(r, count, bins, single, [&](int64_t first, int64_t some, int64_t* bin) {
        for (int64_t i = 0; i < some; ++i) bin[i] = in[first + i];
      });
  if (counts == single) return;
  for (int64_t b = 0; b < bins; ++b) out[b] = T(counts[b]);
}

// Elements that are not counted go to one bin more.
template <typename T, typename Bin>
void histc_as(const rows_at& r) {
  const T* const in = r.as<const T>(1);
  const int64_t bins = r.length[0];
  const T low = T(r.number[0].f), high = T(r.number[1].f), width = high - low, factor = T(bins), last = T(bins - 1);
  const int64_t* const counts =
      count_bins<Bin>(r, r.length[1], bins + 1, nullptr, [=](int64_t first, int64_t some, Bin* bin) {
        for (int64_t i = 0; i < some; ++i) {
          const T x = in[first + i], scaled = (x - low) * factor / width;
          const bool inside = x >= low && x <= high;
          const Bin here = Bin(inside ? (scaled < factor ? scaled : last) : T(0));
          bin[i] = inside ? (here < Bin(bins) ? here : Bin(bins - 1)) : Bin(bins);
        }
      });
  for (int64_t b = 0; b < bins; ++b) r.as<T>(0)[b] = T(counts[b]);
}
template <typename T>
void histc(const rows_at& r) {
  r.length[0] < INT32_MAX ? histc_as<T, int32_t>(r) : histc_as<T, int64_t>(r);
}

}  // namespace

rows_loop count_rows(const tb_rowwise& call) {
  constexpr int64_t two_counts = 2 * sizeof(int64_t);
  switch (call.op) {
    case TB_MINMAX: return {.run = by_number(call, minmax<uint8_t>, minmax<int64_t>, minmax<float>, minmax<double>)};
    case TB_BINCOUNT:
      return {.run = by_number(call, nullptr, bincount<int64_t>, bincount<float>, bincount<double>),
              .whole = operand(1),
              .work_bytes = two_counts};
    case TB_HISTC: return {.run = by_float(call, histc<float>, histc<double>), .work_bytes = two_counts};
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
