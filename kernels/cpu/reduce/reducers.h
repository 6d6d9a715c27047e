// Builds reducers from three small functions: map an element, join two partial results, compute the final value.
//
// Elements are accumulated in SIMD lanes. Sums of floats are flushed every few elements to a compensated total in
// double, so that their error does not grow with the length.
#pragma once

#include <math.h>

#include <type_traits>

#include "half.h"
#include "is_nan.h"
#include "reduce/reduce.h"
#include "reduce_lanes.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Of each element of a vector; GCC has no such builtin.
template <typename V>
V magnitude_of(V x) {
  if constexpr (requires { __builtin_elementwise_abs(x); })
    return __builtin_elementwise_abs(x);
  else
    return x < V{} ? -x : x + V{};
}

using byte = uint8_t;  // a BOOL element: 0 or 1

using tb_kernel::is_nan;

template <typename T>
constexpr int32_t code_of = std::is_same_v<T, byte>      ? TB_BOOL
                            : std::is_same_v<T, int64_t> ? TB_I64
                            : std::is_same_v<T, float>   ? TB_F32
                                                         : TB_F64;

struct as_it_is {
  template <typename V>
  static V of(V value, double, int64_t, const tb_scalar*) {
    return value;
  }
};

// Requirements on F: F::part<T> is the accumulator type; F::rest tells that floating accumulators are flushed to a
// compensated total; F::identity, F::map(x, constant), F::join(part, part). Optional: F::join_four(part, x, x, x, x),
// of mapped elements, where that is faster than four joins.
template <typename F, typename T>
struct reducing {
  using part_type = typename F::template part<T>;

  struct columns {
    part_type part[tile];
    double constant[tile], total[tile], rest[tile];
  };
  static_assert(sizeof(columns) <= sizeof(reducer_state));

  static void start(void* state, int64_t n, const double* constant) {
    columns& s = *static_cast<columns*>(state);
    for (int64_t c = 0; c < n; ++c) {
      s.part[c] = F::template identity<T>();
      s.constant[c] = constant[c];
      s.total[c] = s.rest[c] = 0;
    }
  }

  static constexpr bool compensated = F::rest && std::is_floating_point_v<part_type>;

  // Adds x to the total with Knuth's two-sum; `rest` accumulates the rounding errors.
  static void add_to_total(double& total, double& rest, double x) {
    const double before = total, after = before + x, taken = after - before;
    rest += (before - (after - taken)) + (x - taken);
    total = after;
  }
  static void add_to_total(columns& s, int64_t c, double x) { add_to_total(s.total[c], s.rest[c], x); }
  template <typename Result, typename Last>
  static Result result_of(part_type part, double total, double rest, double constant, int64_t count,
                          const tb_scalar* number) {
    if constexpr (compensated) {
      // For an infinite total the rounding error is NaN and is ignored.
      return Result(Last::of(is_nan(rest) ? total : total + rest, constant, count, number));
    } else {
      return Result(Last::of(part, constant, count, number));
    }
  }

  static void move_parts(columns& s, int64_t n) {
    if constexpr (compensated) {
      for (int64_t c = 0; c < n; ++c) {
        add_to_total(s, c, double(s.part[c]));
        s.part[c] = F::template identity<T>();
      }
    }
  }

  template <typename S>
  static part_type of_block(const S* x, int64_t count, double constant) {
    if constexpr (reduces_in_lanes<F, T>) {
      return reduce_in_lanes<F, T>(x, count, constant);
    } else {
      return of_block_by_elements(x, count, constant);
    }
  }
  static part_type of_block_by_elements(const T* x, int64_t count, double constant) {
    constexpr int64_t lanes = 32;
    if (count < lanes) {
      part_type all = F::template identity<T>();
      for (int64_t i = 0; i < count; ++i) all = F::join(all, F::map(x[i], constant));
      return all;
    }
    part_type lane[lanes];
    for (int64_t u = 0; u < lanes; ++u) lane[u] = F::template identity<T>();
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (int64_t u = 0; u < lanes; ++u) lane[u] = F::join(lane[u], F::map(x[i + u], constant));
    }
    for (int64_t u = 0; i < count; ++i, ++u) lane[u] = F::join(lane[u], F::map(x[i], constant));
    for (int64_t width = lanes / 2; width > 0; width /= 2) {
      for (int64_t u = 0; u < width; ++u) lane[u] = F::join(lane[u], lane[u + width]);
    }
    return lane[0];
  }

  // Elements that are reduced before a flush; without flushes, all.
  static constexpr int64_t block = !compensated ? INT64_MAX : reduces_in_lanes<F, T> ? lanes_block<F, T> : 512;

  template <typename S>
  static void along(void* state, const void* elements, int64_t count, int64_t) {
    columns& s = *static_cast<columns*>(state);
    const S* const x = static_cast<const S*>(elements);
    for (int64_t i = 0; i < count; i += block) {
      s.part[0] = F::join(s.part[0], of_block(x + i, count - i < block ? count - i : block, s.constant[0]));
      move_parts(s, 1);
    }
  }

  // Joins rows to the parts of n columns. Four rows at a time, so that an accumulator is loaded and stored once per
  // four elements.
  template <typename ConstantOf>
  static void join_rows(part_type* part, const T* x, int64_t n, int64_t rows, int64_t step, ConstantOf constant_of) {
    for (; rows >= 4; rows -= 4, x += 4 * step) {
#pragma clang loop vectorize(assume_safety)
      for (int64_t c = 0; c < n; ++c) {
        const double constant = constant_of(c);
        const part_type first = F::map(x[c], constant), second = F::map(x[c + step], constant),
                        third = F::map(x[c + 2 * step], constant), fourth = F::map(x[c + 3 * step], constant);
        if constexpr (requires { F::join_four(first, first, second, third, fourth); }) {
          part[c] = F::join_four(part[c], first, second, third, fourth);
        } else {
          part[c] = F::join(F::join(F::join(F::join(part[c], first), second), third), fourth);
        }
      }
    }
    for (; rows > 0; --rows, x += step) {
#pragma clang loop vectorize(assume_safety)
      for (int64_t c = 0; c < n; ++c) part[c] = F::join(part[c], F::map(x[c], constant_of(c)));
    }
  }

  static void across(void* state, const void* elements, int64_t n, int64_t rows, int64_t step, int64_t) {
    columns& s = *static_cast<columns*>(state);
    const T* x = static_cast<const T*>(elements);
    for (int64_t r = 0; r < rows; r += most_few_rows, x += most_few_rows * step) {
      const int64_t some = rows - r < most_few_rows ? rows - r : most_few_rows;
      join_rows(s.part, x, n, some, step, [&](int64_t c) { return s.constant[c]; });
      move_parts(s, n);
    }
  }

  // Rows that are not flushed need no total.
  template <typename Result, typename Last>
  static void few_rows(const void* elements, int64_t n, int64_t rows, int64_t step, const tb_scalar* number,
                       void* out) {
    part_type part[tile];
    const double constant = number[0].f;
    for (int64_t c = 0; c < n; ++c) part[c] = F::template identity<T>();
    join_rows(part, static_cast<const T*>(elements), n, rows, step, [=](int64_t) { return constant; });
    Result* const to = static_cast<Result*>(out);
    for (int64_t c = 0; c < n; ++c) {
      if constexpr (std::is_same_v<Last, as_it_is>) {
        to[c] = Result(part[c]);
      } else {
        to[c] = result_of<Result, Last>(part[c], double(part[c]), 0, constant, rows, number);
      }
    }
  }

  struct record {
    part_type part;
    double total, rest;
  };
  static_assert(sizeof(record) <= sizeof(reducer_record));

  static void put_aside(const void* state, reducer_record* to) {
    const columns& s = *static_cast<const columns*>(state);
    const record kept{s.part[0], s.total[0], s.rest[0]};
    __builtin_memcpy(to, &kept, sizeof kept);
  }
  static void take_in(void* state, const reducer_record* from) {
    columns& s = *static_cast<columns*>(state);
    record kept;
    __builtin_memcpy(&kept, from, sizeof kept);
    s.part[0] = F::join(s.part[0], kept.part);
    if constexpr (compensated) {
      add_to_total(s, 0, kept.total);
      s.rest[0] += kept.rest;
    }
  }

  template <typename Result, typename Last>
  static void finish(void* state, int64_t n, int64_t count, const tb_scalar* number, void* out, int64_t*) {
    const columns& s = *static_cast<const columns*>(state);
    Result* const to = static_cast<Result*>(out);
    for (int64_t c = 0; c < n; ++c) {
      to[c] = result_of<Result, Last>(s.part[c], s.total[c], s.rest[c], s.constant[c], count, number);
    }
  }

  template <typename Result, typename Last>
  static void rows(const void* elements, int64_t n, int64_t step, int64_t count, const tb_scalar* number, void* out) {
    const T* x = static_cast<const T*>(elements);
    Result* const to = static_cast<Result*>(out);
    const double constant = number[0].f;
    for (int64_t r = 0; r < n; ++r, x += step) {
      part_type part = F::template identity<T>();
      double total = 0, rest = 0;
      for (int64_t i = 0; i < count; i += block) {
        part = F::join(part, of_block(x + i, count - i < block ? count - i : block, constant));
        if constexpr (compensated) {
          add_to_total(total, rest, double(part));
          part = F::template identity<T>();
        }
      }
      to[r] = result_of<Result, Last>(part, total, rest, constant, count, number);
    }
  }
};

template <typename F, typename T, typename Result = T, typename Last = as_it_is>
constexpr reducer make_reducer() {
  using f = reducing<F, T>;
  return {code_of<Result>,
          f::start,
          f::template along<T>,
          f::across,
          f::put_aside,
          f::take_in,
          f::template finish<Result, Last>,
          f::template rows<Result, Last>,
          f::template few_rows<Result, Last>};
}

// `how`, which is made of F and float, for float16 and bfloat16 elements too.
template <typename F>
constexpr reducer with_halves(reducer how) {
  if constexpr (reduces_in_lanes<F, float>) {
    how.along_f16 = reducing<F, float>::template along<tb_kernel::half>;
    how.along_bf16 = reducing<F, float>::template along<tb_kernel::bfloat16>;
  }
  return how;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
