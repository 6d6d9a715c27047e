// Reductions by comparison: maximum, minimum, the index of the first maximum or minimum, any, all. A NaN compares above
// (for a minimum: below) every number.
#include <limits>

#include "layout.h"
#include "reduce/reducers.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Whether x replaces best, which came earlier.
template <bool Greatest, typename T>
bool beats(T x, T best) {
  if constexpr (std::is_floating_point_v<T>) {
    //  and & instead of || and &&: no branches, so that the loops vectorize.
    return (Greatest ? x > best : x < best) | (__builtin_isnan(x) & !__builtin_isnan(best));
  }
  return Greatest ? x > best : x < best;
}

// The identity of the reduction: no element compares worse.
template <bool Greatest, typename T>
constexpr T weakest() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) return Greatest ? -limits::infinity() : limits::infinity();
  return Greatest ? limits::min() : limits::max();
}

template <bool Greatest, bool Magnitude = false>
struct choosing {
  static constexpr bool rest = false;
  template <typename T>
  using part = T;
  template <typename T>
  static T identity() {
    return weakest<Greatest, T>();
  }
  template <typename T>
  static T map(T x, double) {
    if constexpr (Magnitude) return T(::fabs(x));
    return x;
  }
  template <typename T>
  static T join(T a, T b) {
    const bool stays = Greatest ? a >= b : a <= b;
    if constexpr (std::is_floating_point_v<T>) return stays | __builtin_isnan(a) ? a : b;
    return stays ? a : b;
  }
  // Of four elements that come later: two comparisons find a NaN among them, where `join` needs one for each.
  template <typename T>
    requires std::is_floating_point_v<T>
  static T join_four(T part, T a, T b, T c, T d) {
    const bool nan = __builtin_isunordered(a, b) | __builtin_isunordered(c, d);
    const T best = wide_join(part, wide_join(wide_join(a, b), wide_join(c, d)));
    return nan ? std::numeric_limits<T>::quiet_NaN() : best;
  }
  template <typename V>
  static V wide(V x, double) {
    if constexpr (Magnitude) return magnitude_of(x);
    return x;
  }
  // One instruction for floats, which drops a NaN in b.
  static constexpr bool drops_nan = true;
  template <typename V>
  static V wide_join(V a, V b) {
    return (Greatest ? b > a : b < a) ? b : a;
  }
};

// Index of the maximum or minimum; the first of equal elements. A block is searched only if its extremum beats all
// elements before it.
template <bool Greatest, typename T>
struct finding {
  struct columns {
    T best[tile];
    int64_t index[tile];
  };

  static void start(void* state, int64_t n, const double*) {
    columns& s = *static_cast<columns*>(state);
    for (int64_t c = 0; c < n; ++c) {
      s.best[c] = weakest<Greatest, T>();
      s.index[c] = 0;
    }
  }

  static void along(void* state, const void* elements, int64_t count, int64_t first) {
    constexpr int64_t block = lanes_block<choosing<Greatest>, T>;
    columns& s = *static_cast<columns*>(state);
    const T* const x = static_cast<const T*>(elements);
    for (int64_t i = 0; i < count; i += block) {
      const int64_t some = count - i < block ? count - i : block;
      const T best = reducing<choosing<Greatest>, T>::of_block(x + i, some, 0);
      if (!beats<Greatest>(best, s.best[0])) continue;
      int64_t at = i;
      while (!(x[at] == best || (is_nan(best) && is_nan(x[at])))) ++at;
      s.best[0] = best;
      s.index[0] = first + at;
    }
  }

  static void across(void* state, const void* elements, int64_t n, int64_t rows, int64_t step, int64_t first) {
    columns& s = *static_cast<columns*>(state);
    const T* x = static_cast<const T*>(elements);
    for (int64_t r = 0; r < rows; ++r, x += step) {
#pragma clang loop vectorize(assume_safety)
      for (int64_t c = 0; c < n; ++c) {
        const bool better = beats<Greatest>(x[c], s.best[c]);
        s.best[c] = better ? x[c] : s.best[c];
        s.index[c] = better ? first + r : s.index[c];
      }
    }
  }

  struct record {
    T best;
    int64_t index;
  };

  static void put_aside(const void* state, reducer_record* to) {
    const columns& s = *static_cast<const columns*>(state);
    const record kept{s.best[0], s.index[0]};
    __builtin_memcpy(to, &kept, sizeof kept);
  }
  static void take_in(void* state, const reducer_record* from) {
    columns& s = *static_cast<columns*>(state);
    record kept;
    __builtin_memcpy(&kept, from, sizeof kept);
    if (!beats<Greatest>(kept.best, s.best[0])) return;
    s.best[0] = kept.best;
    s.index[0] = kept.index;
  }

  static void finish(void* state, int64_t n, int64_t, const tb_scalar*, void* out, int64_t* index) {
    const columns& s = *static_cast<const columns*>(state);
    for (int64_t c = 0; c < n; ++c) {
      static_cast<T*>(out)[c] = s.best[c];
      index[c] = s.index[c];
    }
  }
  static void finish_index(void* state, int64_t n, int64_t, const tb_scalar*, void* out, int64_t*) {
    const columns& s = *static_cast<const columns*>(state);
    for (int64_t c = 0; c < n; ++c) static_cast<int64_t*>(out)[c] = s.index[c];
  }
};

template <bool Greatest, typename T>
reducers value_and_index() {
  using f = finding<Greatest, T>;
  return {{code_of<T>, f::start, f::along, f::across, f::put_aside, f::take_in, f::finish}, {}, true};
}
template <bool Greatest, typename T>
reducers index_alone() {
  using f = finding<Greatest, T>;
  return {{TB_I64, f::start, f::along, f::across, f::put_aside, f::take_in, f::finish_index}, {}};
}

template <typename T>
reducers reducers_of(int32_t op) {
  switch (op) {
    case TB_MAX: return {make_reducer<choosing<true>, T>(), {}};
    case TB_MIN: return {make_reducer<choosing<false>, T>(), {}};
    case TB_MAX_INDEX: return value_and_index<true, T>();
    case TB_MIN_INDEX: return value_and_index<false, T>();
    case TB_ARGMAX: return index_alone<true, T>();
    case TB_ARGMIN: return index_alone<false, T>();
    default: return {};
  }
}

}  // namespace

reducers minmax_reducers(int32_t op, int32_t compute) {
  switch (compute) {
    case TB_BOOL: return reducers_of<byte>(op == TB_ANY ? TB_MAX : op == TB_ALL ? TB_MIN : op);
    case TB_I64: return reducers_of<int64_t>(op);
    case TB_F32: return reducers_of<float>(op);
    case TB_F64: return reducers_of<double>(op);
    default: return {};
  }
}

reducer greatest_as_double(int32_t compute) {
  return compute == TB_F32 ? make_reducer<choosing<true>, float, double>() : make_reducer<choosing<true>, double>();
}

reducer magnitude_reducer(int32_t compute, bool greatest) {
  if (compute == TB_F32) {
    return greatest ? make_reducer<choosing<true, true>, float>() : make_reducer<choosing<false, true>, float>();
  }
  return greatest ? make_reducer<choosing<true, true>, double>() : make_reducer<choosing<false, true>, double>();
}

}  // namespace tb_cpu::TOPBIT_ARCH
