// Sums of the entries of rows.
#include "arch.h"
#include "numbers.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

// F32 and the half formats are added in F64: their error then does not grow with the length of the row.
template <typename T>
struct totals {
  using type = double;
  static type of(sum_of<T> x) { return x; }
};
template <typename T>
  requires(!__is_same(sum_of<T>, float) && !__is_same(sum_of<T>, double))
struct totals<T> {
  using type = int64_t;
  static type of(sum_of<T> x) { return static_cast<typename number<T>::ordered>(x); }
};

template <typename T>
void store_total(void* out, int64_t at, typename totals<T>::type total) {
  if constexpr (__is_same(typename totals<T>::type, int64_t)) {
    static_cast<int64_t*>(out)[at] = total;
  } else {
    static_cast<raw_of<T>*>(out)[at] = narrowed<T>(static_cast<sum_of<T>>(total));
  }
}

// Integers wrap.
template <typename S>
S add(S a, S b) {
  if constexpr (__is_same(S, int64_t)) return static_cast<S>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  return a + b;
}

template <typename T, typename I>
void sum_scalar_rows(const tb_row_sum& call, int64_t begin, int64_t end) {
  const I* const offsets = static_cast<const I*>(call.compressed);
  const raw_of<T>* const values = static_cast<const raw_of<T>*>(call.values);
  int64_t e = offsets[begin];
  for (int64_t row = begin; row < end; ++row) {
    typename totals<T>::type sum = 0;
    // Rows are short: an unrolled loop would mostly run its remainder.
#pragma clang loop unroll(disable)
    for (const int64_t last = offsets[row + 1]; e < last; ++e) sum = add(sum, totals<T>::of(load<T>(values + e)));
    store_total<T>(call.out, row, sum);
  }
}

template <typename T, typename I>
void sum_rows(const tb_row_sum& call, int64_t begin, int64_t end) {
  using total = typename totals<T>::type;
  const I* const offsets = static_cast<const I*>(call.compressed);
  const raw_of<T>* const values = static_cast<const raw_of<T>*>(call.values);
  constexpr int64_t chunk = 32;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first = offsets[row], last = offsets[row + 1];
    for (int64_t c = 0; c < call.inner; c += chunk) {
      const int64_t count = c + chunk < call.inner ? chunk : call.inner - c;
      total sums[chunk] = {};
      for (int64_t e = first; e < last; ++e) {
        for (int64_t i = 0; i < count; ++i) {
          sums[i] = add(sums[i], totals<T>::of(load<T>(values + e * call.inner + c + i)));
        }
      }
      for (int64_t i = 0; i < count; ++i) store_total<T>(call.out, row * call.inner + c + i, sums[i]);
    }
  }
}

}  // namespace

void row_sum(const tb_row_sum* call, int64_t begin, int64_t end) {
  with_dtype(call->dtype, [&]<typename T>(T) {
    with_index(call->index, [&]<typename I>(I) {
      if (call->inner == 1) {
        sum_scalar_rows<T, I>(*call, begin, end);
      } else {
        sum_rows<T, I>(*call, begin, end);
      }
    });
  });
}

}  // namespace tb_sparse::TOPBIT_ARCH
