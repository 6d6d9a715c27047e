// Products of two sparse matrices, row by row (Gustavson's algorithm), and elements of such products.
//
// A row of the result is added up in an array with an element per column, and a bitmap marks the columns in use:
// reading it in ascending order sorts the row. Where the matrix is wide, a second bitmap tells which words of the first
// are not zero, so that a row costs little more than its entries.
#include "arch.h"
#include "numbers.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

constexpr size_t line = 64;
constexpr int64_t widest_searched = 32 * 1024;  // columns

size_t whole_lines(size_t bytes) { return (bytes + line - 1) / line * line; }
size_t words_for(size_t bits) { return (bits + 63) / 64; }

// Bit i: word i is not zero.
uint64_t words_in_use(const uint64_t* words) {
  using eight = lanes<uint64_t, 8>;
  typedef bool bits [[clang::ext_vector_type(8)]];
  uint64_t result = 0;
  for (int i = 0; i < 64; i += 8) {
    eight x;
    memcpy(&x, words + i, sizeof x);
    const bits found = __builtin_convertvector(x != 0, bits);
    uint8_t byte;
    memcpy(&byte, &found, 1);
    result |= uint64_t(byte) << i;
  }
  return result;
}

// With `Wide`, the summary is kept, otherwise made when needed.
template <bool Wide>
struct columns_in_use {
  uint64_t* marks;    // a bit per column, in whole groups of 64 words
  uint64_t* summary;  // a bit per word of marks
  size_t groups;

  columns_in_use(void* workspace, int64_t columns)
      : marks(static_cast<uint64_t*>(workspace)),
        summary(marks + groups_for(columns) * 64),
        groups(groups_for(columns)) {}

  static size_t groups_for(int64_t columns) { return words_for(words_for(static_cast<size_t>(columns))); }
  static size_t bytes(int64_t columns) { return groups_for(columns) * 64 * 8 + whole_lines(groups_for(columns) * 8); }

  // Returns whether the column was not in use before.
  bool add(uint64_t column) const {
    uint64_t& word = marks[column / 64];
    const uint64_t before = word, bit = uint64_t(1) << column % 64;
    word = before | bit;
    if constexpr (Wide) summary[column / 4096] |= uint64_t(1) << column / 64 % 64;
    return (before & bit) == 0;
  }

  // Calls f for each column in use, ascending, and clears all.
  template <typename F>
  void take(F f) const {
    for (size_t g = 0; g < groups; ++g) {
      uint64_t left = Wide ? summary[g] : words_in_use(marks + g * 64);
      for (; left != 0; left &= left - 1) {
        const size_t w = g * 64 + static_cast<size_t>(__builtin_ctzll(left));
        uint64_t bits = marks[w];
        marks[w] = 0;
        do {
          f(static_cast<int64_t>(w * 64) + __builtin_ctzll(bits));
          bits &= bits - 1;
        } while (bits != 0);
      }
      if constexpr (Wide) summary[g] = 0;
    }
  }
};

// Calls f(e, m) for each product of entry e in a row of a and entry m of b.
template <typename I, typename F>
void each_product(const matrix<I>& a, const matrix<I>& b, int64_t row, F f) {
  constexpr int64_t distance = 3;
  for (int64_t e = a.compressed[row]; e < a.compressed[row + 1]; ++e) {
    if (e + distance < a.nnz) __builtin_prefetch(b.plain + b.compressed[a.plain[e + distance]]);
    const int64_t last = b.compressed[a.plain[e] + 1];
    for (int64_t m = b.compressed[a.plain[e]]; m < last; ++m) f(e, m);
  }
}

template <typename I>
void count_rows(const tb_spgemm& call, void* workspace, int64_t begin, int64_t end) {
  const matrix<I> a(call.a), b(call.b);
  const columns_in_use<false> columns(workspace, b.columns);
  for (int64_t row = begin; row < end; ++row) {
    int64_t count = 0;
    each_product(a, b, row, [&](int64_t, int64_t m) { count += columns.add(static_cast<uint64_t>(b.plain[m])); });
    call.counts[row] = count;
    if (b.columns <= widest_searched) {
      memset(columns.marks, 0, columns.groups * 64 * sizeof(uint64_t));
    } else {
      each_product(a, b, row, [&](int64_t, int64_t m) { columns.marks[static_cast<uint64_t>(b.plain[m]) / 64] = 0; });
    }
  }
}

template <bool Wide, typename T, typename I>
void fill_rows(const tb_spgemm& call, void* workspace, int64_t begin, int64_t end) {
  using number = number<T>;
  const matrix<I> a(call.a), b(call.b);
  const columns_in_use<Wide> columns(workspace, b.columns);
  auto* const sums =
      reinterpret_cast<sum_of<T>*>(static_cast<char*>(workspace) + columns_in_use<Wide>::bytes(b.columns));
  const auto* const a_values = static_cast<const raw_of<T>*>(call.a_values);
  const auto* const b_values = static_cast<const raw_of<T>*>(call.b_values);
  I* const plain = static_cast<I*>(call.plain);
  raw_of<T>* const values = static_cast<raw_of<T>*>(call.values);
  for (int64_t row = begin; row < end; ++row) {
    each_product(a, b, row, [&](int64_t e, int64_t m) {
      const auto column = static_cast<uint64_t>(b.plain[m]);
      columns.add(column);
      sums[column] =
          number::template multiply_add<sum_of<T>>(load<T>(a_values + e), load<T>(b_values + m), sums[column]);
    });
    int64_t out = static_cast<const I*>(call.compressed)[row];
    columns.take([&](int64_t column) {
      plain[out] = static_cast<I>(column);
      values[out++] = narrowed<T>(sums[column]);
      sums[column] = 0;
    });
  }
}

template <typename T, typename I>
void dot_rows(const tb_masked_spgemm& call, void* workspace, int64_t begin, int64_t end) {
  using sum = sum_of<T>;
  const matrix<I> mask(call.mask), a(call.a), b(call.b);
  const columns_in_use<false> columns(workspace, b.columns);
  auto* const row_of_a = reinterpret_cast<sum*>(static_cast<char*>(workspace) + columns_in_use<true>::bytes(b.columns));
  const auto* const a_values = static_cast<const raw_of<T>*>(call.a_values);
  const auto* const b_values = static_cast<const raw_of<T>*>(call.b_values);
  auto* const out = static_cast<raw_of<T>*>(call.out);
  for (int64_t row = begin; row < end; ++row) {
    if (mask.compressed[row] == mask.compressed[row + 1]) continue;
    for (int64_t e = a.compressed[row]; e < a.compressed[row + 1]; ++e) {
      columns.add(static_cast<uint64_t>(a.plain[e]));
      row_of_a[a.plain[e]] = load<T>(a_values + e);
    }
    for (int64_t e = mask.compressed[row]; e < mask.compressed[row + 1]; ++e) {
      sum total = 0;
      const int64_t last = b.compressed[mask.plain[e] + 1];
      for (int64_t m = b.compressed[mask.plain[e]]; m < last; ++m) {
        const auto column = static_cast<uint64_t>(b.plain[m]);
        if ((columns.marks[column / 64] >> column % 64 & 1) == 0) continue;
        total = number<T>::template multiply_add<sum>(row_of_a[column], load<T>(b_values + m), total);
      }
      out[e] = narrowed<T>(total);
    }
    for (int64_t e = a.compressed[row]; e < a.compressed[row + 1]; ++e) {
      columns.marks[static_cast<uint64_t>(a.plain[e]) / 64] = 0;
      row_of_a[a.plain[e]] = 0;
    }
  }
}

}  // namespace

size_t spgemm_workspace(int64_t columns, int32_t dtype) {
  size_t element = 0;
  with_dtype(dtype, [&]<typename T>(T) { element = sizeof(sum_of<T>); });
  return columns_in_use<true>::bytes(columns) + element * static_cast<size_t>(columns);
}

void spgemm_count(const tb_spgemm* call, void* workspace, int64_t begin, int64_t end) {
  with_index(call->a.index, [&]<typename I>(I) { count_rows<I>(*call, workspace, begin, end); });
}

void spgemm_fill(const tb_spgemm* call, void* workspace, int64_t begin, int64_t end) {
  with_dtype(call->dtype, [&]<typename T>(T) {
    with_index(call->a.index, [&]<typename I>(I) {
      if (call->b.columns > widest_searched) {
        fill_rows<true, T, I>(*call, workspace, begin, end);
      } else {
        fill_rows<false, T, I>(*call, workspace, begin, end);
      }
    });
  });
}

void masked_spgemm(const tb_masked_spgemm* call, void* workspace, int64_t begin, int64_t end) {
  with_dtype(call->dtype, [&]<typename T>(T) {
    with_index(call->mask.index, [&]<typename I>(I) { dot_rows<T, I>(*call, workspace, begin, end); });
  });
}

}  // namespace tb_sparse::TOPBIT_ARCH
