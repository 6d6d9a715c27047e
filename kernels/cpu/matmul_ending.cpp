#include "matmul_ending.h"

#include "convert.h"
#include "first_part.h"
#include "half.h"
#include "layout.h"
#include "multiply_add.h"
#include "walk.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
constexpr int32_t code_of = sizeof(T) == 4 ? TB_F32 : TB_F64;

const char* at(const void* base, int64_t element, int32_t dtype) {
  return static_cast<const char*>(base) + element * element_bytes[dtype];
}

// to = alpha * products + beta * added, and relu of that. `added` has neighbours, or is null.
template <typename T>
void combine(const ending<T>& how, int64_t columns, const T* products, const T* added, bool repeats, T* to) {
  constexpr int64_t width = vec<T>::size;
  const vec<T> alpha(how.alpha), beta(how.beta), zero(T(0));
  const vec<T> repeated(repeats ? *added : T(0));
  const bool scaled = how.alpha != T(1);
  const auto one = [&](vec<T> x, vec<T> more) {
    if (scaled) x = x * alpha;
    if (added != nullptr) x = multiply_add(beta, more, x);
    return how.relu ? xsimd::select(x <= zero, zero, x) : x;
  };
  int64_t j = 0;
  for (; j + width <= columns; j += width) {
    const vec<T> more = added == nullptr || repeats ? repeated : vec<T>::load_unaligned(added + j);
    one(vec<T>::load_unaligned(products + j), more).store_unaligned(to + j);
  }
  if (j < columns) {
    const vec<T> more = added == nullptr || repeats ? repeated : load_part(added + j, columns - j, T(0));
    store_part(to + j, columns - j, one(load_part(products + j, columns - j, T(0)), more));
  }
}

template <typename E, typename Round>
void round_to(void* out, const float* from, int64_t columns, Round round) {
  E* const to = static_cast<E*>(out);
  for (int64_t j = 0; j < columns; ++j) to[j] = round(from[j]);
}

// Neighbours of the result.
template <typename T>
void put(void* out, int32_t dtype, int64_t step, const T* from, int64_t columns) {
  if constexpr (sizeof(T) == 4) {
    if (step == 1 && dtype == TB_BF16) {
      return round_to<tb_kernel::bfloat16>(out, from, columns, [](float x) { return tb_kernel::to_bfloat16(x); });
    }
    if (step == 1 && dtype == TB_F16) {
      return round_to<tb_kernel::half>(out, from, columns, [](float x) { return tb_kernel::to_half(x); });
    }
  }
  conversion(dtype, code_of<T>)(out, step, from, 1, columns);
}

template <typename T>
void finish_rows(const ending<T>& how, int64_t row, int64_t rows, int64_t column, int64_t columns, const T* products,
                 int64_t products_row) {
  static constexpr tb_scalar no_numbers[TB_MAX_NUMBERS] = {};
  const bool direct = how.dtype == code_of<T> && how.out_col == 1;
  alignas(64) T line[ending_columns], gathered[ending_columns];
  for (int64_t r = 0; r < rows; ++r) {
    const T* const from = products + r * products_row;
    char* const out = const_cast<char*>(at(how.out, (row + r) * how.out_row + column * how.out_col, how.dtype));
    T* const to = direct ? reinterpret_cast<T*>(out) : line;
    const T* added = nullptr;
    const bool repeats = how.added != nullptr && how.added_col == 0;
    if (how.added != nullptr) {
      const char* const more = at(how.added, (row + r) * how.added_row + column * how.added_col, how.dtype);
      if (how.dtype == code_of<T> && (repeats || how.added_col == 1)) {
        added = reinterpret_cast<const T*>(more);
      } else {
        conversion(code_of<T>, how.dtype)(gathered, 1, more, how.added_col, repeats ? 1 : columns);
        added = gathered;
      }
    }
    combine(how, columns, from, added, repeats, to);
    if (how.activation != nullptr) {
      const void* const in[] = {to};
      how.activation(columns, to, in, no_numbers);
    }
    if (!direct) put(out, how.dtype, how.out_col, line, columns);
  }
}

}  // namespace

void finish(const ending<float>& how, int64_t row, int64_t rows, int64_t column, int64_t columns, const float* products,
            int64_t products_row) {
  finish_rows(how, row, rows, column, columns, products, products_row);
}
void finish(const ending<double>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
            const double* products, int64_t products_row) {
  finish_rows(how, row, rows, column, columns, products, products_row);
}

}  // namespace tb_cpu::TOPBIT_ARCH
