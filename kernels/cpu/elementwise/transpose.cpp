#include "elementwise/transpose.h"

#include "layout.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// GCC vector extension types of 16 bytes, a size that every supported processor has.
template <typename T>
using quad [[gnu::vector_size(16)]] = T;

template <typename T>
T at(const char* in, int64_t offset) {
  T value;
  __builtin_memcpy(&value, in + offset, sizeof value);
  return value;
}
template <typename T>
void put(char* out, int64_t offset, T value) {
  __builtin_memcpy(out + offset, &value, sizeof value);
}

void square(char* out, int64_t out_step, const char* in, int64_t in_step, uint32_t) {
  using v = quad<uint32_t>;
  const v a = at<v>(in, 0), b = at<v>(in, in_step), c = at<v>(in, 2 * in_step), d = at<v>(in, 3 * in_step);
  const v ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const v cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  put(out, 0, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  put(out, out_step, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  put(out, 2 * out_step, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  put(out, 3 * out_step, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

void square(char* out, int64_t out_step, const char* in, int64_t in_step, uint64_t) {
  using v = quad<uint64_t>;
  const v a = at<v>(in, 0), b = at<v>(in, in_step);
  put(out, 0, __builtin_shufflevector(a, b, 0, 2));
  put(out, out_step, __builtin_shufflevector(a, b, 1, 3));
}

template <typename T>
void one_by_one(char* out, int64_t out_step, const char* in, int64_t in_step, int64_t rows, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      put(out, r * out_step + c * int64_t(sizeof(T)), at<T>(in, c * in_step + r * int64_t(sizeof(T))));
    }
  }
}

template <typename T>
void in_squares(char* out, int64_t out_step, const char* in, int64_t in_step, int64_t rows, int64_t columns) {
  constexpr int64_t side = 16 / sizeof(T), bytes = sizeof(T);
  const int64_t whole_rows = rows / side * side, whole_columns = columns / side * side;
  for (int64_t c = 0; c < whole_columns; c += side) {
    for (int64_t r = 0; r < whole_rows; r += side) {
      square(out + r * out_step + c * bytes, out_step, in + c * in_step + r * bytes, in_step, T());
    }
  }
  one_by_one<T>(out + whole_rows * out_step, out_step, in + whole_rows * bytes, in_step, rows - whole_rows, columns);
  one_by_one<T>(out + whole_columns * bytes, out_step, in + whole_columns * in_step, in_step, whole_rows,
                columns - whole_columns);
}

}  // namespace

void transpose(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t rows, int64_t columns,
               int64_t element_bytes) {
  char* const to = static_cast<char*>(out);
  const char* const from = static_cast<const char*>(in);
  switch (element_bytes) {
    case 1: one_by_one<uint8_t>(to, out_step, from, in_step, rows, columns); break;
    case 2: one_by_one<uint16_t>(to, out_step, from, in_step, rows, columns); break;
    case 4: in_squares<uint32_t>(to, out_step, from, in_step, rows, columns); break;
    default: in_squares<uint64_t>(to, out_step, from, in_step, rows, columns); break;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
