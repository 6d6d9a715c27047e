#include "elementwise/convert.h"

#include <type_traits>

#include "elementwise/copy_row.h"
#include "elementwise/for_each_row.h"
#include "elementwise/partition.h"
#include "elementwise/transpose.h"
#include "half.h"
#include "layout.h"
#include "stream.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using tb_kernel::bfloat16;
using tb_kernel::half;

// Hardware float16 conversions (F16C) convert whole SIMD registers. Results are bitwise the same as in software, except
// for the bits of a NaN.
#ifdef __F16C__
float float_of(half x) { return static_cast<float>(__builtin_bit_cast(_Float16, x)); }
half half_of(float x) { return __builtin_bit_cast(half, static_cast<_Float16>(x)); }
#else
float float_of(half x) { return tb_kernel::to_float(x); }
half half_of(float x) { return tb_kernel::to_half(x); }
#endif

template <typename T>
auto number(T x) {
  if constexpr (std::is_same_v<T, boolean>)
    return uint8_t(x.value != 0);
  else if constexpr (std::is_same_v<T, half>)
    return float_of(x);
  else if constexpr (std::is_same_v<T, bfloat16>)
    return tb_kernel::to_float(x);
  else
    return x;
}

// A floating-point number outside the range of int64_t becomes INT64_MIN, as x86's cvttsd2si gives; in C++ the cast is
// undefined behaviour. Narrower integers take the low bits of that int64_t.
template <typename To, typename Number>
To element(Number x) {
  if constexpr (std::is_same_v<To, boolean>) {
    return {uint8_t(x != Number(0))};
  } else if constexpr (std::is_same_v<To, half>) {
    return half_of(float(x));
  } else if constexpr (std::is_same_v<To, bfloat16>) {
    return tb_kernel::to_bfloat16(float(x));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Number>) {
    return To(x >= Number(-0x1p63) && x < Number(0x1p63) ? int64_t(x) : INT64_MIN);
  } else {
    return To(x);
  }
}

template <typename To, typename From>
void convert(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t count) {
  To* const to = static_cast<To*>(out);
  const From* const from = static_cast<const From*>(in);
  if (out_step == 1 && in_step == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = element<To>(number(from[i]));
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * out_step] = element<To>(number(from[i * in_step]));
  }
}

template <typename From>
convert_fn from_compute(int32_t to) {
  constexpr convert_fn all[TB_DTYPE_COUNT] = {convert<boolean, From>, convert<uint8_t, From>,  convert<int8_t, From>,
                                              convert<int16_t, From>, convert<int32_t, From>,  convert<int64_t, From>,
                                              convert<half, From>,    convert<bfloat16, From>, convert<float, From>,
                                              convert<double, From>};
  return all[to];
}

template <typename To>
convert_fn to_compute(int32_t from) {
  constexpr convert_fn all[TB_DTYPE_COUNT] = {
      convert<To, boolean>, convert<To, uint8_t>, convert<To, int8_t>,   convert<To, int16_t>, convert<To, int32_t>,
      convert<To, int64_t>, convert<To, half>,    convert<To, bfloat16>, convert<To, float>,   convert<To, double>};
  return all[from];
}

template <typename T>
void move(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t count) {
  T* const to = static_cast<T*>(out);
  const T* const from = static_cast<const T*>(in);
  // With these steps known, the compiler reverses or repeats elements in SIMD registers.
  if (out_step == 1 && in_step == -1) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[-i];
  } else if (out_step == 1 && in_step == 0) {
    const T value = *from;
    for (int64_t i = 0; i < count; ++i) to[i] = value;
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * out_step] = from[i * in_step];
  }
}

// Elements in reverse, with non-temporal stores. Those of the source are read in ascending order, in which processors
// prefetch: that takes half as long as writing in ascending order.
template <typename T>
void stream_reversed(void* out, const void* in, int64_t count) {
  constexpr int64_t line = 64 / sizeof(T);
  T* const to = static_cast<T*>(out);
  const T* const from = static_cast<const T*>(in);
  const int64_t beside = (-int64_t(reinterpret_cast<uintptr_t>(to)) & 63) / int64_t(sizeof(T));
  const int64_t head = beside < count ? beside : count, end = head + (count - head) / line * line;
  move<T>(to + end, 1, from - end, -1, count - end);
  for (int64_t first = end - line; first >= head; first -= line) {
    alignas(64) T part[line];
    for (int64_t i = 0; i < line; ++i) part[i] = from[-first - i];
    stream(reinterpret_cast<char*>(to + first), reinterpret_cast<const char*>(part), 64);
  }
  move<T>(to, 1, from, -1, head);
}

struct row_copies {
  convert_fn strided;
  void (*reversed)(void* out, const void* in, int64_t count);
};
template <typename T>
constexpr row_copies copies_of{move<T>, stream_reversed<T>};

// Writes pieces of memory with non-temporal stores. Pieces that follow each other share cache lines, which are written
// whole: an ordinary store to a part of one would wait for it to be read.
class line_writer {
 public:
  void write(char* to, const char* from, int64_t bytes) {
    if (to != next_) flush();
    if (filled_ == 0) {
      const int64_t head = smaller(-int64_t(reinterpret_cast<uintptr_t>(to)) & 63, bytes);
      __builtin_memcpy(to, from, static_cast<size_t>(head));
      to += head, from += head, bytes -= head;
    } else {
      const int64_t more = smaller(64 - filled_, bytes);
      __builtin_memcpy(line_ + filled_, from, static_cast<size_t>(more));
      filled_ += more, to += more, from += more, bytes -= more;
      if (filled_ == 64) stream(to - 64, line_, 64), filled_ = 0;
    }
    const int64_t whole = bytes / 64 * 64, rest = bytes - whole;
    if (whole != 0) stream(to, from, whole);
    if (rest != 0) __builtin_memcpy(line_, from + whole, static_cast<size_t>(rest)), filled_ = rest;
    next_ = to + bytes;
  }
  void flush() {
    if (filled_ != 0) __builtin_memcpy(next_ - filled_, line_, static_cast<size_t>(filled_));
    filled_ = 0;
  }

 private:
  static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

  alignas(64) char line_[64];
  int64_t filled_ = 0;
  char* next_ = nullptr;
};

// Exchanges dimensions 0 and 1 if that gives fewer rows: those of a few strided elements take longer to begin than to
// copy. Longer dimensions are not exchanged, since lines should be written while they are cached.
tb_plan with_longer_rows(tb_plan plan) {
  constexpr int64_t few = 8, most = 64;
  tb_operand &to = plan.operand[0], &from = plan.operand[1];
  const bool dense = to.strides[0] == 1 && from.strides[0] == 1;
  if (dense || plan.ndim < 2 || plan.sizes[0] >= few || plan.sizes[1] <= plan.sizes[0] || plan.sizes[1] > most)
    return plan;
  const auto exchange = [](int64_t* pair) {
    const int64_t first = pair[0];
    pair[0] = pair[1], pair[1] = first;
  };
  exchange(plan.sizes), exchange(to.strides), exchange(from.strides);
  return plan;
}

// Copies without conversion: elements are moved as integers of the same size.
void copy_same(const tb_plan& given, bool streams) {
  const tb_plan plan = with_longer_rows(given);
  const int64_t bytes = element_bytes[plan.operand[0].dtype], count = plan.sizes[0];
  const int64_t out_step = plan.operand[0].strides[0], in_step = plan.operand[1].strides[0];
  const row_copies& copies = bytes == 1   ? copies_of<uint8_t>
                             : bytes == 2 ? copies_of<uint16_t>
                             : bytes == 4 ? copies_of<uint32_t>
                                          : copies_of<uint64_t>;
  line_writer lines;
  each_row<2>(plan, [&](char* const* at) {
    if (streams && out_step == 1 && in_step == -1) {
      copies.reversed(at[0], at[1], count);
    } else if (out_step != 1 || in_step != 1) {
      copies.strided(at[0], out_step, at[1], in_step, count);
    } else if (streams) {
      lines.write(at[0], at[1], count * bytes);
    } else {
      copy_row(at[0], at[1], count * bytes);
    }
  });
  if (!streams) return;
  lines.flush();
  end_stream();
}

// Copies a matrix whose source is dense along dimension 1, in transposed tiles. A conversion goes through a buffer.
void copy_across(const tb_plan& plan, convert_fn direct) {
  const tb_operand &to = plan.operand[0], &from = plan.operand[1];
  const int64_t to_bytes = element_bytes[to.dtype], from_bytes = element_bytes[from.dtype];
  alignas(64) char tile[tile_rows * tile_columns * 8];
  each_position<2>(plan, 2, [&](char* const* base) {
    for (int64_t j = 0; j < plan.sizes[1]; j += tile_rows) {
      const int64_t rows = plan.sizes[1] - j < tile_rows ? plan.sizes[1] - j : tile_rows;
      for (int64_t i = 0; i < plan.sizes[0]; i += tile_columns) {
        const int64_t columns = plan.sizes[0] - i < tile_columns ? plan.sizes[0] - i : tile_columns;
        char* const out = base[0] + (i * to.strides[0] + j * to.strides[1]) * to_bytes;
        const char* const in = base[1] + (i * from.strides[0] + j) * from_bytes;
        const int64_t out_step = to.strides[1] * to_bytes, in_step = from.strides[0] * from_bytes;
        if (direct == nullptr) {
          transpose(out, out_step, in, in_step, rows, columns, from_bytes);
          continue;
        }
        transpose(tile, tile_columns * from_bytes, in, in_step, rows, columns, from_bytes);
        for (int64_t r = 0; r < rows; ++r) {
          direct(out + r * out_step, 1, tile + r * tile_columns * from_bytes, 1, columns);
        }
      }
    }
  });
}

}  // namespace

convert_fn conversion(int32_t to, int32_t from) {
  switch (from) {
    case TB_BOOL: return from_compute<boolean>(to);
    case TB_I64: return from_compute<int64_t>(to);
    case TB_F32: return from_compute<float>(to);
    case TB_F64: return from_compute<double>(to);
    default: break;
  }
  switch (to) {
    case TB_BOOL: return to_compute<boolean>(from);
    case TB_I64: return to_compute<int64_t>(from);
    case TB_F32: return to_compute<float>(from);
    case TB_F64: return to_compute<double>(from);
    default: return nullptr;
  }
}

int32_t compute_type(int32_t dtype) {
  switch (dtype) {
    case TB_BOOL:
    case TB_F64: return dtype;
    case TB_F16:
    case TB_BF16:
    case TB_F32: return TB_F32;
    default: return TB_I64;
  }
}

tb_status copy(const tb_plan* plan, const tb_call*) {
  const int32_t to = plan->operand[0].dtype, from = plan->operand[1].dtype;
  const convert_fn direct = to == from ? nullptr : conversion(to, from);
  const int32_t between = compute_type(from);
  const convert_fn load = conversion(between, from), store = conversion(to, between);
  const int64_t count = positions(*plan);
  const bool streams = can_stream && to == from && plan->sizes[0] >= 1024 && passes_the_cache(*plan, count);
  in_parts(*plan, 0, count, [&](const tb_plan& part) {
    const int64_t row = part.sizes[0], to_step = part.operand[0].strides[0], from_step = part.operand[1].strides[0];
    if (to_step == 1 && lies_across(part, 1) && (to == from || direct != nullptr)) return copy_across(part, direct);
    if (to == from) return copy_same(part, streams);
    if (direct != nullptr) {
      return each_row<2>(part, [&](char* const* at) { direct(at[0], to_step, at[1], from_step, row); });
    }
    constexpr int64_t block = 512;
    alignas(64) double buffer[block];
    each_row<2>(part, [&](char* const* at) {
      for (int64_t i = 0; i < row; i += block) {
        const int64_t some = row - i < block ? row - i : block;
        load(buffer, 1, at[1] + i * from_step * element_bytes[from], from_step, some);
        store(at[0] + i * to_step * element_bytes[to], to_step, buffer, 1, some);
      }
    });
  });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
