// Conversions between formats, and the division of rows into parts.
#include "arch.h"
#include "numbers.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

// Of 1, 2, 4, 8 bytes or any other size.
template <typename F>
void with_element(int64_t size, F f) {
  switch (size) {
    case 1: return f(uint8_t());
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    case 8: return f(uint64_t());
    default: return;
  }
}

// Counts the columns [begin, end) in `next`, turns the counts into the offsets of their first entries, and returns the
// offset behind the last one. P holds every offset.
template <typename I, typename P>
P begin_columns(const matrix<I>& a, I* compressed, P* next, int64_t begin, int64_t end) {
  for (int64_t c = begin; c < end; ++c) next[c] = 0;
  P before = 0;
  if (begin == 0 && end == a.columns) {
    for (int64_t e = 0; e < a.nnz; ++e) ++next[a.plain[e]];
  } else {
    for (int64_t e = 0; e < a.nnz; ++e) {
      const I c = a.plain[e];
      before += c < begin;
      if (c >= begin && c < end) ++next[c];
    }
  }
  for (int64_t c = begin; c < end; ++c) {
    const P count = next[c];
    next[c] = before;
    compressed[c] = static_cast<I>(before);
    before += count;
  }
  if (end == a.columns) compressed[end] = static_cast<I>(before);
  return before;
}

template <bool All, typename I, typename P, typename F>
void each_moved(const matrix<I>& a, P* next, int64_t begin, int64_t end, F f) {
  for (int64_t row = 0; row < a.rows; ++row) {
    for (int64_t e = a.compressed[row]; e < a.compressed[row + 1]; ++e) {
      const I c = a.plain[e];
      if (All || (c >= begin && c < end)) f(row, e, next[c]++);
    }
  }
}

// Moves the entries of the columns, where write_row(position, row) stores their rows.
template <typename I, typename P, typename W>
void move_entries(const tb_transpose& call, P* next, int64_t begin, int64_t end, W write_row) {
  const matrix<I> a(call.a);
  const auto move_all = [&](auto f) {
    if (begin == 0 && end == a.columns) return each_moved<true>(a, next, begin, end, f);
    each_moved<false>(a, next, begin, end, f);
  };
  int64_t* const order = call.order;
  if (call.values == nullptr) {
    if (order == nullptr) return move_all([=](int64_t row, int64_t, P to) { write_row(to, row); });
    return move_all([=](int64_t row, int64_t e, P to) {
      write_row(to, row);
      order[to] = e;
    });
  }
  with_element(call.element_size, [&]<typename E>(E) {
    const E* const values = static_cast<const E*>(call.values);
    E* const moved = static_cast<E*>(call.moved);
    move_all([=](int64_t row, int64_t e, P to) {
      write_row(to, row);
      moved[to] = values[e];
      if (order != nullptr) order[to] = e;
    });
  });
}

template <typename I>
void transpose_columns(const tb_transpose& call, int64_t begin, int64_t end) {
  I* const plain = static_cast<I*>(call.plain);
  I* const next = static_cast<I*>(call.workspace);
  begin_columns(matrix<I>(call.a), static_cast<I*>(call.compressed), next, begin, end);
  move_entries<I>(call, next, begin, end, [=](I to, int64_t row) { plain[to] = static_cast<I>(row); });
}

// The same of 64-bit indices that 32 bits hold, which are written all over the memory and are half of it then: to the
// second half of the columns' part of `plain`, from where they are widened, first to last. An index that is written is
// never behind one that is still to be read.
void transpose_narrow(const tb_transpose& call, int64_t begin, int64_t end) {
  // The part that ends at the last column writes the last offset, also where the matrix has no column.
  if (begin == end && end != call.a.columns) return;
  int64_t* const compressed = static_cast<int64_t*>(call.compressed);
  uint32_t* const next = static_cast<uint32_t*>(call.workspace);
  const int64_t last = begin_columns(matrix<int64_t>(call.a), compressed, next, begin, end);
  const int64_t first = compressed[begin], count = last - first;
  int64_t* const plain = static_cast<int64_t*>(call.plain) + first;
  unsigned char* const narrow = reinterpret_cast<unsigned char*>(plain) + 4 * count;
  move_entries<int64_t>(call, next, begin, end, [=](uint32_t to, int64_t row) {
    const uint32_t written = static_cast<uint32_t>(row);
    __builtin_memcpy(narrow + 4 * (to - first), &written, 4);
  });
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    lanes<uint32_t, 8> rows;
    __builtin_memcpy(&rows, narrow + 4 * i, sizeof rows);
    const auto wide = __builtin_convertvector(rows, lanes<int64_t, 8>);
    __builtin_memcpy(plain + i, &wide, sizeof wide);
  }
  for (; i < count; ++i) {
    uint32_t row;
    __builtin_memcpy(&row, narrow + 4 * i, sizeof row);
    plain[i] = row;
  }
}

template <typename I>
void write_offsets(const int64_t* entries, int64_t count, int64_t rows, I* compressed, int64_t begin, int64_t end) {
  int64_t low = 0;
  for (int64_t high = count; low < high;) {
    const int64_t middle = low + (high - low) / 2;
    if (entries[middle] < begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int64_t e = low;
  for (int64_t row = begin; row < end; ++row) {
    compressed[row] = static_cast<I>(e);
    while (e < count && entries[e] == row) ++e;
  }
  if (end == rows) compressed[rows] = static_cast<I>(count);
}

}  // namespace

void rows_to_offsets(const int64_t* entries, int64_t count, int64_t rows, int32_t index, void* compressed,
                     int64_t begin, int64_t end) {
  with_index(index,
             [&]<typename I>(I) { write_offsets(entries, count, rows, static_cast<I*>(compressed), begin, end); });
}

void offsets_to_rows(const void* compressed, int32_t index, int64_t* entries, int64_t begin, int64_t end) {
  with_index(index, [&]<typename I>(I) {
    const I* const offsets = static_cast<const I*>(compressed);
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t e = offsets[row]; e < offsets[row + 1]; ++e) entries[e] = row;
    }
  });
}

void transpose(const tb_transpose* call, int64_t begin, int64_t end) {
  constexpr int64_t most = INT32_MAX;
  if (call->a.index == TB_I64 && call->a.nnz <= most && call->a.rows <= most) {
    return transpose_narrow(*call, begin, end);
  }
  with_index(call->a.index, [&]<typename I>(I) { transpose_columns<I>(*call, begin, end); });
}

int64_t row_of_part(const tb_csr* a, int64_t part, int64_t parts) {
  if (part >= parts) return a->rows;
  return with_index(a->index, [&]<typename I>(I) {
    const I* const offsets = static_cast<const I*>(a->compressed);
    // Quotient and remainder separately: the product of the total and `part` may overflow.
    const int64_t total = a->rows + a->nnz;
    const int64_t wanted = total / parts * part + total % parts * part / parts;
    int64_t low = 0;
    for (int64_t high = a->rows; low < high;) {
      const int64_t middle = low + (high - low) / 2;
      if (middle + static_cast<int64_t>(offsets[middle]) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  });
}

}  // namespace tb_sparse::TOPBIT_ARCH
