// Products with the greatest or least term of a row instead of the sum.
#include "arch.h"
#include "numbers.h"
#include "prefetch.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

template <typename T, typename I>
struct reduction {
  using ordered = typename number<T>::ordered;
  static constexpr int64_t element_size = sizeof(raw_of<T>);

  matrix<I> a;
  const raw_of<T>* values;
  const raw_of<T>* dense;
  raw_of<T>* out;
  int64_t* arg;
  int64_t n, dense_step, out_step;
  row_prefetch<I> prefetch;

  explicit reduction(const tb_spmm_reduce& call)
      : a(call.product.a),
        values(static_cast<const raw_of<T>*>(call.product.values)),
        dense(static_cast<const raw_of<T>*>(call.product.dense)),
        out(static_cast<raw_of<T>*>(call.product.out)),
        arg(call.arg),
        n(call.product.n),
        dense_step(call.product.dense_step),
        out_step(call.product.out_step),
        prefetch(a, dense, dense_step * element_size, n * element_size) {}

  // The products of one entry with `Width` columns.
  template <int Width>
  lanes<ordered, Width> terms(int64_t e, int64_t column) const {
    using vector = lanes<sum_of<T>, Width>;
    const auto value = filled<vector, Width>(load<T>(values + e));
    const vector x = load<T, Width>(dense + a.plain[e] * dense_step + column);
    const vector result = number<T>::template times<vector>(value, x);
    if constexpr (Width == 1) {
      return static_cast<ordered>(result);
    } else {
      return reinterpret_cast<lanes<ordered, Width>>(result);
    }
  }

  // Where x replaces the extreme found before it.
  template <bool Greatest, typename V>
  static auto better(V x, V found) {
    // A comparison with NaN is false: the negated form lets NaN win, and the second keeps the first NaN.
    return Greatest ? !(x <= found) & (found == found) : !(x >= found) & (found == found);
  }

  template <bool Greatest, bool WithArg, int Width>
  void tile(int64_t row, int64_t column) const {
    using vector = lanes<ordered, Width>;
    using positions = lanes<int64_t, Width>;
    const int64_t first = a.compressed[row], last = a.compressed[row + 1];
    vector extreme{};
    positions found = filled<positions, Width>(int64_t(-1));
    if (first < last) {
      extreme = terms<Width>(first, column);
      found = filled<positions, Width>(first);
    }
    for (int64_t e = first + 1; e < last; ++e) {
      if (column == 0) prefetch(e);
      const vector x = terms<Width>(e, column);
      const auto replaces = better<Greatest>(x, extreme);
      extreme = replaces ? x : extreme;
      if constexpr (WithArg) {
        const auto here = filled<positions, Width>(e);
        if constexpr (Width == 1) {
          found = replaces ? here : found;
        } else {
          found = __builtin_convertvector(replaces, positions) ? here : found;
        }
      }
    }
    if constexpr (Width == 1) {
      store<T, 1>(out + row * out_step + column, static_cast<sum_of<T>>(extreme));
    } else {
      store<T, Width>(out + row * out_step + column, reinterpret_cast<lanes<sum_of<T>, Width>>(extreme));
    }
    if constexpr (WithArg) memcpy(arg + row * n + column, &found, sizeof found);
  }

  // The last tile overlaps its neighbour, as in spmm.
  template <bool Greatest, bool WithArg, int Width>
  void row(int64_t r) const {
    if constexpr (Width == 1) {
      for (int64_t c = 0; c < n; ++c) tile<Greatest, WithArg, 1>(r, c);
    } else {
      if (n < Width) return row<Greatest, WithArg, 1>(r);
      int64_t c = 0;
      for (; c + Width <= n; c += Width) tile<Greatest, WithArg, Width>(r, c);
      if (c < n) tile<Greatest, WithArg, Width>(r, n - Width);
    }
  }

  template <bool Greatest>
  void rows(int64_t begin, int64_t end) const {
    for (int64_t r = begin; r < end; ++r) {
      if (arg != nullptr) {
        row<Greatest, true, 16>(r);
      } else {
        row<Greatest, false, 16>(r);
      }
    }
  }
};

}  // namespace

void spmm_reduce(const tb_spmm_reduce* call, int64_t begin, int64_t end) {
  if (call->op == TB_SPMM_MEAN) return spmm_mean(&call->product, begin, end);
  with_dtype(call->product.dtype, [&]<typename T>(T) {
    with_index(call->product.a.index, [&]<typename I>(I) {
      const reduction<T, I> product(*call);
      if (call->op == TB_SPMM_AMAX) {
        product.template rows<true>(begin, end);
      } else {
        product.template rows<false>(begin, end);
      }
    });
  });
}

}  // namespace tb_sparse::TOPBIT_ARCH
