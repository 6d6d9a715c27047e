// Dot products of rows of two dense matrices at the entries of a sparse matrix.
//
// A dot product adds in 16 lanes, whose sums are added pairwise at the end: an order that depends on the length alone.
#include "arch.h"
#include "numbers.h"
#include "prefetch.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

constexpr int width = 16;

template <typename T>
using sums = lanes<sum_of<T>, width>;

// The last 1 to 15 elements of a row, followed by zeros.
template <typename T>
sums<T> load_part(const raw_of<T>* from, int64_t count) {
  lanes<raw_of<T>, width> x{};
  memcpy(&x, from, static_cast<size_t>(count) * sizeof *from);
  return number<T>::template widened<width>(x);
}

template <typename T, typename V>
sum_of<T> sum_of_lanes(V x) {
  using number = number<T>;
  const lanes<sum_of<T>, 8> eight =
      number::template plus<lanes<sum_of<T>, 8>>(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7),
                                                 __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
  const lanes<sum_of<T>, 4> four = number::template plus<lanes<sum_of<T>, 4>>(
      __builtin_shufflevector(eight, eight, 0, 1, 2, 3), __builtin_shufflevector(eight, eight, 4, 5, 6, 7));
  const lanes<sum_of<T>, 2> two = number::template plus<lanes<sum_of<T>, 2>>(__builtin_shufflevector(four, four, 0, 1),
                                                                             __builtin_shufflevector(four, four, 2, 3));
  return number::template plus<sum_of<T>>(two[0], two[1]);
}

template <typename T>
sum_of<T> dot(const raw_of<T>* left, const raw_of<T>* right, int64_t k) {
  using number = number<T>;
  sums<T> sum{}, other{};
  int64_t i = 0;
  // Two chains of additions, for the latency of one is longer than its loads.
  for (; i + 2 * width <= k; i += 2 * width) {
    sum = number::template multiply_add<sums<T>>(load<T, width>(left + i), load<T, width>(right + i), sum);
    other = number::template multiply_add<sums<T>>(load<T, width>(left + i + width), load<T, width>(right + i + width),
                                                   other);
  }
  if (i + width <= k) {
    sum = number::template multiply_add<sums<T>>(load<T, width>(left + i), load<T, width>(right + i), sum);
    i += width;
  }
  if (i < k) {
    other =
        number::template multiply_add<sums<T>>(load_part<T>(left + i, k - i), load_part<T>(right + i, k - i), other);
  }
  return sum_of_lanes<T>(number::template plus<sums<T>>(sum, other));
}

template <typename T, typename I>
void sampled_rows(const tb_sddmm& call, int64_t begin, int64_t end) {
  const matrix<I> a(call.a);
  const raw_of<T>* const left = static_cast<const raw_of<T>*>(call.left);
  const raw_of<T>* const right = static_cast<const raw_of<T>*>(call.right);
  raw_of<T>* const out = static_cast<raw_of<T>*>(call.out);
  constexpr int64_t element_size = sizeof(raw_of<T>);
  const row_prefetch<I> prefetch(a, right, call.right_step * element_size, call.k * element_size);
  for (int64_t row = begin; row < end; ++row) {
    const raw_of<T>* const from = left + row * call.left_step;
    const int64_t last = a.compressed[row + 1];
    for (int64_t e = a.compressed[row]; e < last; ++e) {
      prefetch(e);
      out[e] = narrowed<T>(dot<T>(from, right + a.plain[e] * call.right_step, call.k));
    }
  }
}

}  // namespace

void sddmm(const tb_sddmm* call, int64_t begin, int64_t end) {
  with_dtype(call->dtype, [&]<typename T>(T) {
    with_index(call->a.index, [&]<typename I>(I) { sampled_rows<T, I>(*call, begin, end); });
  });
}

}  // namespace tb_sparse::TOPBIT_ARCH
