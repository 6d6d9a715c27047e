// Gather and scatter along a row. Elements that are only moved are copied as integers of the same size.
//
// Indices are checked a block at a time, just before they are used. Interleaved rows are processed as columns, few
// enough that what the indices select stays in the second cache; each element is written in the order of its row.
#include "elementwise/for_each_row.h"
#include "elementwise/write_blocks.h"
#include "layout.h"
#include "rowwise/index_range.h"
#include "rowwise/rowwise.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Calls visit(row, first, last) for pieces of the rows whose indices are in range.
template <typename Visit>
void each_piece(const rows_at& r, int64_t range, Visit visit) {
  const int64_t length = r.length[2], pitch = r.pitch[2];
  const auto within = [&](const int64_t* index, int64_t count) {
    if (indices_within(index, count, 0, range)) return true;
    r.refused->store(true, std::memory_order_relaxed);
    return false;
  };
  if (length <= index_block && (pitch == length || pitch == 0)) {
    const int64_t at_once = pitch == 0 ? r.count : index_block / (length > 0 ? length : 1);
    for (int64_t row = 0; row < r.count; row += at_once) {
      const int64_t some = r.count - row < at_once ? r.count - row : at_once;
      if (!within(r.as<const int64_t>(2, row), pitch == 0 ? length : some * length)) return;
      for (int64_t k = row; k < row + some; ++k) visit(k, int64_t(0), length);
    }
    return;
  }
  for (int64_t row = 0; row < r.count; ++row) {
    const int64_t* const index = r.as<const int64_t>(2, row);
    for (int64_t i = 0; i < length; i += index_block) {
      const int64_t some = length - i < index_block ? length - i : index_block;
      if (!within(index + i, some)) return;
      visit(row, i, i + some);
    }
  }
}

// Calls visit(i, first, last) for the elements i of the columns `first` to last - 1. One index may stand for all
// columns.
template <int Bytes, typename Visit>
void each_piece_across(const rows_at& r, int64_t range, Visit visit) {
  constexpr int64_t held = 256 * 1024, line = 16;  // bytes, columns
  const int64_t fitting = held / Bytes / (range > 0 ? range : 1) / line * line;
  const int64_t width = r.pitch[2] == 0 ? r.count : fitting > line ? fitting : line;
  for (int64_t column = 0; column < r.count; column += width) {
    const int64_t last = r.count - column < width ? r.count : column + width;
    const int64_t indices = r.pitch[2] == 0 ? 1 : last - column;
    const int64_t at_once = indices < index_block ? index_block / indices : 1;
    for (int64_t i = 0; i < r.length[2]; i += at_once) {
      const int64_t end = r.length[2] - i < at_once ? r.length[2] : i + at_once;
      bool within = true;
      for (int64_t k = i; k < end; ++k) {
        within &= indices_within(r.as<const int64_t>(2, column) + k * r.step[2], indices, 0, range);
      }
      if (!within) return r.refused->store(true, std::memory_order_relaxed);
      for (int64_t k = i; k < end; ++k) visit(k, column, last);
    }
  }
}

template <typename Bytes>
void gather_rows(const rows_at& r) {
  const int64_t to = r.step[0], from = r.step[1];
  each_piece(r, r.length[1], [&](int64_t row, int64_t first, int64_t last) {
    Bytes* const out = r.as<Bytes>(0, row);
    const Bytes* const in = r.as<const Bytes>(1, row);
    const int64_t* const index = r.as<const int64_t>(2, row);
    if (to == 1 && from == 1) {
      if (row + 1 < r.count) prefetch_share(in + r.pitch[1], r.length[1], first, last, r.length[2]);
      write_blocks(out + first, last - first, r.streams, [=](int64_t begin, int64_t some, Bytes* block) {
        for (int64_t i = 0; i < some; ++i) block[i] = in[index[first + begin + i]];
      });
    } else {
      for (int64_t i = first; i < last; ++i) out[i * to] = in[index[i] * from];
    }
  });
  if (r.streams) end_stream();
}

template <typename Bytes>
void gather(const rows_at& r) {
  if (r.count != 1) return gather_rows<Bytes>(r);
  each_row_part(r.length[2], row_parts(r.length[2]), [&](int64_t, int64_t first, int64_t last) {
    rows_at part = r;
    part.row[0] = r.as<Bytes>(0) + first * r.step[0];
    part.row[2] = r.as<int64_t>(2) + first;
    part.length[2] = last - first;
    gather_rows<Bytes>(part);
  });
}

template <typename Bytes>
void gather_across(const rows_at& r) {
  const int64_t from = r.step[1];
  each_piece_across<sizeof(Bytes)>(r, r.length[1], [&](int64_t i, int64_t first, int64_t last) {
    Bytes* const out = r.as<Bytes>(0) + i * r.step[0];
    const Bytes* const in = r.as<const Bytes>(1);
    const int64_t* const index = r.as<const int64_t>(2) + i * r.step[2];
    if (r.pitch[2] == 0) {
      const Bytes* const row = in + *index * from;
      __builtin_memcpy(out + first, row + first, size_t(last - first) * sizeof(Bytes));
    } else {
      for (int64_t c = first; c < last; ++c) out[c] = in[index[c] * from + c];
    }
  });
}

template <typename Bytes>
void scatter(const rows_at& r) {
  const int64_t to = r.step[0], from = r.step[1];
  each_piece(r, r.length[0], [&](int64_t row, int64_t first, int64_t last) {
    Bytes* const out = r.as<Bytes>(0, row);
    const Bytes* const source = r.as<const Bytes>(1, row);
    const int64_t* const index = r.as<const int64_t>(2, row);
    for (int64_t i = first; i < last; ++i) out[index[i] * to] = source[i * from];
  });
}

// The sum of bools is their or. int64_t wraps by unsigned arithmetic, as signed overflow is undefined.
struct sum {
  static uint8_t of(uint8_t a, uint8_t b) { return a | b; }
  static int64_t of(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
  template <typename T>
  static T of(T a, T b) {
    return a + b;
  }
};
struct product {
  static uint8_t of(uint8_t a, uint8_t b) { return a & b; }
  static int64_t of(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
  template <typename T>
  static T of(T a, T b) {
    return a * b;
  }
};
struct greatest {
  template <typename T>
  static T of(T a, T b) {
    return b > a || b != b ? b : a;
  }
};
struct least {
  template <typename T>
  static T of(T a, T b) {
    return b < a || b != b ? b : a;
  }
};

// Elements that are only written: the last one of an index stays.
struct replacement {
  template <typename T>
  static T of(T, T b) {
    return b;
  }
};

template <typename Fold, typename T>
void scatter_reduce(const rows_at& r) {
  each_piece(r, r.length[0], [&](int64_t row, int64_t first, int64_t last) {
    T* const out = r.as<T>(0, row);
    const T* const source = r.as<const T>(1, row);
    const int64_t* const index = r.as<const int64_t>(2, row);
    constexpr int64_t piece = 64;
    for (int64_t begin = first; begin < last; begin += piece) {
      const int64_t end = last - begin < piece ? last : begin + piece;
      if (row + 1 < r.count) {
        prefetch_share(out + r.pitch[0], r.length[0], begin, end, r.length[2]);
        if (r.streams) prefetch_ahead(source + begin, end - begin);
        if (r.streams) prefetch_ahead(index + begin, end - begin);
      }
      for (int64_t i = begin; i < end; ++i) {
        T& to = out[index[i]];
        to = Fold::of(to, source[i]);
      }
    }
  });
}

template <typename Fold, typename T>
void scatter_across(const rows_at& r) {
  const int64_t step = r.step[0], beside = r.pitch[1];
  each_piece_across<sizeof(T)>(r, r.length[0], [&](int64_t i, int64_t first, int64_t last) {
    T* const out = r.as<T>(0);
    const T* const source = r.as<const T>(1) + i * r.step[1];
    const int64_t* const index = r.as<const int64_t>(2) + i * r.step[2];
    if (r.pitch[2] == 0) {
      T* const row = out + *index * step;
      if (beside == 0) {
        for (int64_t c = first; c < last; ++c) row[c] = Fold::of(row[c], *source);
      } else {
        for (int64_t c = first; c < last; ++c) row[c] = Fold::of(row[c], source[c]);
      }
    } else {
      for (int64_t c = first; c < last; ++c) {
        T& to = out[index[c] * step + c];
        to = Fold::of(to, source[c * beside]);
      }
    }
  });
}

// Of the source and the index, the operands whose row is the same for adjacent positions.
uint32_t repeated_of(const tb_rowwise& call) {
  int d = 0;
  while (d < call.ndim && call.sizes[d] == 1) ++d;
  if (d == call.ndim) return 0;
  return (call.row[1].strides[d] == 0 ? operand(1) : 0) | (call.row[2].strides[d] == 0 ? operand(2) : 0);
}

template <typename Fold>
rows_loop scattering(const tb_rowwise& call) {
  return {.run = by_number(call, scatter_reduce<Fold, uint8_t>, scatter_reduce<Fold, int64_t>,
                           scatter_reduce<Fold, float>, scatter_reduce<Fold, double>),
          .across = by_number(call, scatter_across<Fold, uint8_t>, scatter_across<Fold, int64_t>,
                              scatter_across<Fold, float>, scatter_across<Fold, double>),
          .many = true,
          .shared = repeated_of(call),
          .whole = operand(2),
          .updated = operand(0),
          .index = 2,
          .range = 0,
          .streams = true,
          .checks = true};
}

void check_only(const rows_at&) {}

}  // namespace

rows_loop index_rows(const tb_rowwise& call) {
  switch (call.op) {
    case TB_GATHER:
      return {.run = by_bytes<rows_fn>(call.row[0].dtype, gather<uint8_t>, gather<uint16_t>, gather<uint32_t>,
                                       gather<uint64_t>),
              .across = by_bytes<rows_fn>(call.row[0].dtype, gather_across<uint8_t>, gather_across<uint16_t>,
                                          gather_across<uint32_t>, gather_across<uint64_t>),
              .many = true,
              .shared = repeated_of(call) & operand(2),
              .whole = operand(2),
              .as_is = operand(0) | operand(1),
              .index = 2,
              .range = 1,
              .streams = true,
              .checks = true};
    case TB_SCATTER:
      return {.run = by_bytes<rows_fn>(call.row[0].dtype, scatter<uint8_t>, scatter<uint16_t>, scatter<uint32_t>,
                                       scatter<uint64_t>),
              .across = by_bytes<rows_fn>(call.row[0].dtype, scatter_across<replacement, uint8_t>,
                                          scatter_across<replacement, uint16_t>, scatter_across<replacement, uint32_t>,
                                          scatter_across<replacement, uint64_t>),
              .many = true,
              .shared = repeated_of(call),
              .whole = operand(2),
              .as_is = operand(0) | operand(1),
              .index = 2,
              .range = 0,
              .checks = true};
    case TB_SCATTER_ADD: return scattering<sum>(call);
    case TB_SCATTER_MUL: return scattering<product>(call);
    case TB_SCATTER_AMAX: return scattering<greatest>(call);
    case TB_SCATTER_AMIN: return scattering<least>(call);
    case TB_CHECK_INDEX: return {.run = check_only, .as_is = operand(0) | operand(1), .index = 0, .range = 1};
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
