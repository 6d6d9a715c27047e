#include "matmul/epilogue.h"

#include "elementwise/convert.h"
#include "elementwise/for_each_row.h"
#include "half.h"
#include "layout.h"
#include "matmul/pack.h"
#include "multiply_add.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
constexpr int32_t code_of = sizeof(T) == 4 ? TB_F32 : TB_F64;

const char* at(const void* base, int64_t element, int32_t dtype) {
  return static_cast<const char*>(base) + element * element_bytes[dtype];
}

// to = alpha * products + beta * added, then ReLU if Relu, for contiguous rows. `added` is null, has contiguous rows,
// or, with `repeats`, has one element per row.
template <typename T, bool Adds, bool Relu>
void combine(const epilogue<T>& how, int64_t rows, int64_t columns, const T* products, int64_t products_row,
             const T* added, int64_t added_row, bool repeats, T* to, int64_t to_row) {
  constexpr int64_t width = vec<T>::size;
  const vec<T> alpha(how.alpha), beta(how.beta), zero(T(0));
  const auto scaled = [&](vec<T> x, vec<T> more) {
    x = x * alpha;
    if constexpr (Adds) x = multiply_add(beta, more, x);
    return Relu ? xsimd::select(x <= zero, zero, x) : x;
  };
  const int64_t whole = columns / width * width, rest = columns - whole;
  const partial_vector<T> part(rest == 0 ? width : rest);
  for (int64_t r = 0; r < rows; ++r, products += products_row, added += added_row, to += to_row) {
    if (Adds && repeats) {
      const vec<T> more(*added);
      for (int64_t j = 0; j < whole; j += width) {
        scaled(vec<T>::load_unaligned(products + j), more).store_unaligned(to + j);
      }
    } else {
      for (int64_t j = 0; j < whole; j += width) {
        scaled(vec<T>::load_unaligned(products + j), vec<T>::load_unaligned(added + j)).store_unaligned(to + j);
      }
    }
    if (rest == 0) continue;
    const vec<T> more = Adds && repeats ? vec<T>(*added)
                        : loads_parts   ? part.load(added + whole)
                                        : load_part(added + whole, rest, T(0));
    const vec<T> last = loads_parts ? part.load(products + whole) : load_part(products + whole, rest, T(0));
    part.store(to + whole, scaled(last, more));
  }
}
template <typename T>
void combine(const epilogue<T>& how, int64_t rows, int64_t columns, const T* products, int64_t products_row,
             const T* added, int64_t added_row, bool repeats, T* to, int64_t to_row) {
  const bool adds = added != nullptr;
  const auto run = adds ? (how.relu ? &combine<T, true, true> : &combine<T, true, false>)
                        : (how.relu ? &combine<T, false, true> : &combine<T, false, false>);
  run(how, rows, columns, products, products_row, adds ? added : products, adds ? added_row : products_row, repeats, to,
      to_row);
}

template <typename E, typename Round>
void round_to(E* to, int64_t to_row, const float* from, int64_t from_row, int64_t rows, int64_t columns, Round round) {
  for (int64_t r = 0; r < rows; ++r, to += to_row, from += from_row) {
    // A tile has few columns.
#pragma clang loop interleave_count(1)
    for (int64_t j = 0; j < columns; ++j) to[j] = round(from[j]);
  }
}

// Converts rows of results and stores them.
template <typename T>
void put(void* out, const epilogue<T>& how, const T* from, int64_t from_row, int64_t rows, int64_t columns) {
  if constexpr (sizeof(T) == 4) {
    using tb_kernel::bfloat16, tb_kernel::half;
    if (how.out_col == 1 && how.dtype == TB_BF16) {
      return round_to(static_cast<bfloat16*>(out), how.out_row, from, from_row, rows, columns,
                      [](float x) { return tb_kernel::to_bfloat16(x); });
    }
    if (how.out_col == 1 && how.dtype == TB_F16) {
      return round_to(static_cast<half*>(out), how.out_row, from, from_row, rows, columns,
                      [](float x) { return tb_kernel::to_half(x); });
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    conversion(how.dtype, code_of<T>)(const_cast<char*>(at(out, r * how.out_row, how.dtype)), how.out_col,
                                      from + r * from_row, 1, columns);
  }
}

template <typename T>
void finish_rows(const epilogue<T>& how, int64_t row, int64_t rows, int64_t column, int64_t columns, const T* products,
                 int64_t products_row) {
  static constexpr tb_scalar no_numbers[TB_MAX_NUMBERS] = {};
  const bool direct = how.dtype == code_of<T> && how.out_col == 1;
  const bool repeats = how.added_col == 0;
  const bool gathers = how.added != nullptr && (how.dtype != code_of<T> || (!repeats && how.added_col != 1));
  char* const out = const_cast<char*>(at(how.out, row * how.out_row + column * how.out_col, how.dtype));
  const char* const more =
      how.added == nullptr ? nullptr : at(how.added, row * how.added_row + column * how.added_col, how.dtype);
  if (direct && !gathers) {
    T* const to = reinterpret_cast<T*>(out);
    combine(how, rows, columns, products, products_row, reinterpret_cast<const T*>(more), how.added_row, repeats, to,
            how.out_row);
    for (int64_t r = 0; r < rows && how.activation != nullptr; ++r) {
      const void* const in[] = {to + r * how.out_row};
      how.activation(columns, to + r * how.out_row, in, no_numbers);
    }
    return;
  }
  if (!direct && how.nothing()) return put(out, how, products, products_row, rows, columns);
  alignas(64) T lines[epilogue_columns], gathered[epilogue_columns];
  const int64_t most = epilogue_columns / columns;
  for (int64_t first = 0; first < rows; first += most) {
    const int64_t count = rows - first < most ? rows - first : most;
    const char* const from = more == nullptr ? nullptr : at(more, first * how.added_row, how.dtype);
    const T* added = reinterpret_cast<const T*>(from);
    int64_t added_row = how.added_row;
    if (gathers) {
      // An addend that all rows share is read once.
      if (added_row != 0) added_row = columns;
      for (int64_t r = 0; r < (added_row == 0 ? 1 : count); ++r) {
        conversion(code_of<T>, how.dtype)(gathered + r * columns, 1, at(from, r * how.added_row, how.dtype),
                                          how.added_col, repeats ? 1 : columns);
      }
      added = gathered;
    }
    T* const to = direct ? reinterpret_cast<T*>(out) + first * how.out_row : lines;
    const int64_t to_row = direct ? how.out_row : columns;
    combine(how, count, columns, products + first * products_row, products_row, added, added_row, repeats, to, to_row);
    for (int64_t r = 0; r < count && how.activation != nullptr; ++r) {
      const void* const in[] = {to + r * to_row};
      how.activation(columns, to + r * to_row, in, no_numbers);
    }
    if (!direct) {
      put(const_cast<char*>(at(out, first * how.out_row, how.dtype)), how, lines, columns, count, columns);
    }
  }
}

// Transposes [rows][columns], where rows are at most a register's width, to columns of that width.
template <typename T>
void turn(const T* from, int64_t from_row, int64_t rows, int64_t columns, T* to) {
  constexpr int64_t width = vec<T>::size;
  for (int64_t r = 0; r < rows; r += piece<T>) {
    for (int64_t j = 0; j < columns; j += width) {
      vec<T> square[piece<T>];
      for (int64_t i = 0; i < piece<T>; ++i) {
        const T* const at = from + (r + i < rows ? r + i : rows - 1) * from_row + j;
        square[i] = columns - j < width ? load_part(at, columns - j, T(0)) : vec<T>::load_unaligned(at);
      }
      transpose_pieces(square);
      for (int64_t i = 0; i < piece<T>; ++i) store_pieces(to + (j + i) * width + r, piece<T> * width, square[i]);
    }
  }
}

// The same for a result with contiguous columns, whose rows are those of the transposed products.
template <typename T>
void finish_columns(const epilogue<T>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
                    const T* products, int64_t products_row) {
  constexpr int64_t width = vec<T>::size;
  alignas(64) T turned[(epilogue_columns + width) * width];
  epilogue<T> of_turned = how;
  of_turned.out_row = how.out_col;
  of_turned.out_col = 1;
  of_turned.added_row = how.added_col;
  of_turned.added_col = how.added_row;
  for (int64_t r = 0; r < rows; r += width, products += width * products_row) {
    const int64_t some = rows - r < width ? rows - r : width;
    turn(products, products_row, some, columns, turned);
    finish_rows(of_turned, column, columns, row + r, some, turned, width);
  }
}

template <typename T>
void finish_either(const epilogue<T>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
                   const T* products, int64_t products_row) {
  const bool by_columns = how.out_row == 1 && how.out_col != 1 && rows > 1;
  (by_columns ? finish_columns<T> : finish_rows<T>)(how, row, rows, column, columns, products, products_row);
}

}  // namespace

void finish(const epilogue<float>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
            const float* products, int64_t products_row) {
  finish_either(how, row, rows, column, columns, products, products_row);
}
void finish(const epilogue<double>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
            const double* products, int64_t products_row) {
  finish_either(how, row, rows, column, columns, products, products_row);
}

}  // namespace tb_cpu::TOPBIT_ARCH
