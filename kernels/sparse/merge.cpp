// Unions and intersections of the entries of two sparse matrices, row by row.
//
// Which matrix has the next column is unpredictable, so the loops advance by comparisons instead of branches.
#include "arch.h"
#include "numbers.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

// The entries of one row of both matrices.
template <typename I>
struct row_pair {
  int64_t a, a_end, b, b_end;

  row_pair(const matrix<I>& left, const matrix<I>& right, int64_t row)
      : a(left.compressed[row]),
        a_end(left.compressed[row + 1]),
        b(right.compressed[row]),
        b_end(right.compressed[row + 1]) {}
  bool both() const { return a < a_end && b < b_end; }
};

// Columns [first, last) of a row, up to 16 of them, and -1 beyond.
template <typename I>
lanes<I, 16> load_columns(const I* plain, int64_t first, int64_t last) {
  lanes<I, 16> x = filled<lanes<I, 16>, 16>(I(-1));
  if (last - first >= 16) {
    memcpy(&x, plain + first, sizeof x);
  } else {
    memcpy(&x, plain + first, static_cast<size_t>(last - first) * sizeof(I));
  }
  return x;
}

// The number of columns that both rows have: each column of one is compared with 16 of the other.
template <typename I>
int64_t common(const matrix<I>& left, const matrix<I>& right, row_pair<I> at) {
  lanes<I, 16> equal{};
  for (; at.both(); at.b += 16) {
    const int64_t stop = at.b + 16 < at.b_end ? at.b + 16 : at.b_end;
    const lanes<I, 16> columns = load_columns(right.plain, at.b, stop);
    const I last = right.plain[stop - 1];
    for (; at.a < at.a_end && left.plain[at.a] <= last; ++at.a) equal -= columns == left.plain[at.a];
  }
  I count = 0;
  for (int i = 0; i < 16; ++i) count += equal[i];
  return count;
}

template <typename T, typename I>
struct merger {
  using sum = sum_of<T>;

  matrix<I> left, right;
  const raw_of<T>*a_values, *b_values;
  const I* compressed;
  I* plain;
  raw_of<T>* values;
  int64_t inner;
  sum alpha;

  explicit merger(const tb_merge& call)
      : left(call.a),
        right(call.b),
        a_values(static_cast<const raw_of<T>*>(call.a_values)),
        b_values(static_cast<const raw_of<T>*>(call.b_values)),
        compressed(static_cast<const I*>(call.compressed)),
        plain(static_cast<I*>(call.plain)),
        values(static_cast<raw_of<T>*>(call.values)),
        inner(call.inner),
        alpha(number<T>::of(call.alpha)) {}

  sum a_value(int64_t e, int64_t c) const { return load<T>(a_values + e * inner + c); }
  sum b_value(int64_t e, int64_t c) const {
    return number<T>::template times<sum>(alpha, load<T>(b_values + e * inner + c));
  }
  void put(int64_t e, int64_t c, sum x) const { values[e * inner + c] = narrowed<T>(x); }

  void copy_a(int64_t e, int64_t out) const {
    plain[out] = left.plain[e];
    for (int64_t c = 0; c < inner; ++c) put(out, c, a_value(e, c));
  }
  void copy_b(int64_t e, int64_t out) const {
    plain[out] = right.plain[e];
    for (int64_t c = 0; c < inner; ++c) put(out, c, b_value(e, c));
  }

  // One element per entry.
  void add_scalars(row_pair<I> at, int64_t out) const {
    for (; at.both(); ++out) {
      const I x = left.plain[at.a], y = right.plain[at.b];
      const sum a = a_value(at.a, 0), b = b_value(at.b, 0), both = number<T>::template plus<sum>(a, b);
      const sum either = x < y ? a : b;
      plain[out] = x < y ? x : y;
      put(out, 0, x == y ? both : either);
      at.a += x <= y;
      at.b += y <= x;
    }
    for (; at.a < at.a_end; ++at.a) copy_a(at.a, out++);
    for (; at.b < at.b_end; ++at.b) copy_b(at.b, out++);
  }

  void add(row_pair<I> at, int64_t out) const {
    for (; at.both(); ++out) {
      const I x = left.plain[at.a], y = right.plain[at.b];
      if (x < y) {
        copy_a(at.a++, out);
      } else if (y < x) {
        copy_b(at.b++, out);
      } else {
        plain[out] = x;
        for (int64_t c = 0; c < inner; ++c) {
          put(out, c, number<T>::template plus<sum>(a_value(at.a, c), b_value(at.b, c)));
        }
        ++at.a;
        ++at.b;
      }
    }
    for (; at.a < at.a_end; ++at.a) copy_a(at.a, out++);
    for (; at.b < at.b_end; ++at.b) copy_b(at.b, out++);
  }

  void intersect(row_pair<I> at, int64_t out) const {
    while (at.both()) {
      const I x = left.plain[at.a], y = right.plain[at.b];
      if (x == y) {
        plain[out] = x;
        for (int64_t c = 0; c < inner; ++c) {
          const sum b = load<T>(b_values + at.b * inner + c);
          put(out, c, number<T>::template times<sum>(a_value(at.a, c), b));
        }
        ++out;
      }
      at.a += x <= y;
      at.b += y <= x;
    }
  }
};

template <typename F>
void with_merger(const tb_merge& call, F f) {
  with_index(call.a.index,
             [&]<typename I>(I) { with_dtype(call.dtype, [&]<typename T>(T) { f(merger<T, I>(call)); }); });
}

template <typename I>
void locate_rows(const matrix<I>& left, const matrix<I>& right, int64_t* positions, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    row_pair<I> at(left, right, row);
    while (at.both()) {
      const I x = left.plain[at.a], y = right.plain[at.b];
      // Written again until the column of b has caught up.
      positions[at.a] = x == y ? at.b : -1;
      at.a += x <= y;
      at.b += y <= x;
    }
    for (; at.a < at.a_end; ++at.a) positions[at.a] = -1;
  }
}

}  // namespace

void union_count(const tb_merge* call, int64_t begin, int64_t end) {
  with_index(call->a.index, [&]<typename I>(I) {
    const matrix<I> left(call->a), right(call->b);
    for (int64_t row = begin; row < end; ++row) {
      const row_pair<I> at(left, right, row);
      call->counts[row] = at.a_end - at.a + at.b_end - at.b - common(left, right, at);
    }
  });
}

void union_fill(const tb_merge* call, int64_t begin, int64_t end) {
  with_merger(*call, [&]<typename T, typename I>(const merger<T, I>& merge) {
    for (int64_t row = begin; row < end; ++row) {
      const row_pair<I> at(merge.left, merge.right, row);
      if (merge.inner == 1) {
        merge.add_scalars(at, merge.compressed[row]);
      } else {
        merge.add(at, merge.compressed[row]);
      }
    }
  });
}

void intersect_count(const tb_merge* call, int64_t begin, int64_t end) {
  with_index(call->a.index, [&]<typename I>(I) {
    const matrix<I> left(call->a), right(call->b);
    for (int64_t row = begin; row < end; ++row) call->counts[row] = common(left, right, row_pair<I>(left, right, row));
  });
}

void intersect_fill(const tb_merge* call, int64_t begin, int64_t end) {
  with_merger(*call, [&]<typename T, typename I>(const merger<T, I>& merge) {
    for (int64_t row = begin; row < end; ++row) {
      // Sparse matrices have few entries in common.
      if (merge.compressed[row] == merge.compressed[row + 1]) continue;
      merge.intersect(row_pair<I>(merge.left, merge.right, row), merge.compressed[row]);
    }
  });
}

void locate(const tb_csr* a, const tb_csr* b, int64_t* positions, int64_t begin, int64_t end) {
  with_index(a->index, [&]<typename I>(I) { locate_rows(matrix<I>(*a), matrix<I>(*b), positions, begin, end); });
}

}  // namespace tb_sparse::TOPBIT_ARCH
