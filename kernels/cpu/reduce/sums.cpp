// Reductions by addition and multiplication: sums, products, variances, norms, logsumexp.
#include "exponential_sums.h"
#include "layout.h"
#include "reduce/reducers.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
using sum_part = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;  // integers wrap

// Sums of Map::of(x, constant), accumulated in double if Wide, otherwise in the type of the elements.
template <typename Map, bool Wide = true>
struct adding {
  static constexpr bool rest = true;
  template <typename T>
  using part = std::conditional_t<Wide && std::is_floating_point_v<T>, double, sum_part<T>>;
  template <typename T>
  static part<T> identity() {
    return 0;
  }
  template <typename T>
  static part<T> map(T x, double constant) {
    return Map::template of<part<T>>(x, constant);
  }
  template <typename P>
  static P join(P a, P b) {
    return a + b;
  }
  template <typename V>
    requires requires(V x) { Map::wide(x, 0.0); }
  static V wide(V x, double constant) {
    return Map::wide(x, constant);
  }
  template <typename V>
  static V wide_join(V a, V b) {
    return a + b;
  }
  template <typename V>
    requires requires(V x) { Map::wide_add(x, x, 0.0); }
  static V wide_add(V sum, V x, double constant) {
    return Map::wide_add(sum, x, constant);
  }
};

struct multiplying {
  static constexpr bool rest = false;
  template <typename T>
  using part = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  template <typename T>
  static part<T> identity() {
    return 1;
  }
  template <typename T>
  static part<T> map(T x, double) {
    return part<T>(x);
  }
  template <typename P>
  static P join(P a, P b) {
    return a * b;
  }
  template <typename V>
  static V wide(V x, double) {
    return x;
  }
  template <typename V>
  static V wide_join(V a, V b) {
    return a * b;
  }
};

struct element {
  template <typename P, typename T>
  static P of(T x, double) {
    return P(x);
  }
  template <typename V>
  static V wide(V x, double) {
    return x;
  }
};
struct number_or_zero {
  template <typename P, typename T>
  static P of(T x, double) {
    return is_nan(x) ? P(0) : P(x);
  }
  template <typename V>
  static V wide(V x, double) {
    return x == x ? x : V{};
  }
};
struct square {
  template <typename P, typename T>
  static P of(T x, double) {
    return P(x) * P(x);
  }
  template <typename V>
  static V wide(V x, double) {
    return x * x;
  }
  template <typename V>
  static V wide_add(V sum, V x, double) {
    return add_product(sum, x, x);
  }
};
struct magnitude {
  template <typename P, typename T>
  static P of(T x, double) {
    return P(::fabs(x));
  }
  template <typename V>
  static V wide(V x, double) {
    return magnitude_of(x);
  }
};
struct not_zero {
  template <typename P, typename T>
  static P of(T x, double) {
    return P(x != T(0));
  }
};
struct power {
  template <typename P, typename T>
  static P of(T x, double order) {
    return P(::pow(::fabs(double(x)), order));
  }
};
struct squared_deviation {
  template <typename P, typename T>
  static P of(T x, double mean) {
    const P d = P(x) - P(mean);
    return d * d;
  }
  template <typename V>
  static V wide(V x, double mean) {
    const V d = x - mean;
    return d * d;
  }
  template <typename V>
  static V wide_add(V sum, V x, double mean) {
    return add_product(sum, x - mean, x - mean);
  }
};
// exp(x - maximum); an infinite maximum is not subtracted.
struct exponential {
  template <typename P, typename T>
  static P of(T x, double greatest) {
    const T shifted = x - T(shift(greatest));
    if constexpr (std::is_same_v<T, float>) return P(::expf(shifted));
    return P(::exp(shifted));
  }
  template <typename V>
    requires exponentials_in_lanes
  static V wide(V x, double greatest) {
    return shifted_exponential(x, shift(greatest));
  }
  static double shift(double greatest) { return __builtin_isinf(greatest) ? 0 : greatest; }
};

struct over_count {
  static double of(double sum, double, int64_t count, const tb_scalar*) { return sum / double(count); }
};
struct over_corrected_count {
  static double of(double sum, double, int64_t count, const tb_scalar* number) {
    const double left = double(count) - number[0].f;
    return sum / (left > 0 ? left : 0);
  }
};
struct root_over_corrected_count {
  static double of(double sum, double constant, int64_t count, const tb_scalar* number) {
    return ::sqrt(over_corrected_count::of(sum, constant, count, number));
  }
};
struct root {
  static double of(double sum, double, int64_t, const tb_scalar*) { return ::sqrt(sum); }
};
struct root_of_order {
  static double of(double sum, double order, int64_t, const tb_scalar*) { return ::pow(sum, 1 / order); }
};
struct logarithm {
  static double of(double sum, double greatest, int64_t, const tb_scalar*) {
    return ::log(sum) + exponential::shift(greatest);
  }
};

template <typename T>
reducer norm_reducer(double order) {
  if (order == 0) return make_reducer<adding<not_zero>, T>();
  if (order == 1) return make_reducer<adding<magnitude>, T>();
  if (order == 2) return make_reducer<adding<square>, T, T, root>();
  if (__builtin_isinf(order)) return magnitude_reducer(code_of<T>, order > 0);
  return make_reducer<adding<power>, T, T, root_of_order>();
}

// The sum of exponentials is of numbers above 0, so in the type of the elements its error is small too.
template <typename T>
reducer exponential_sum() {
  using sum = adding<exponential, !exponentials_in_lanes>;
  reducer all = make_reducer<sum, T, T, logarithm>();
  if constexpr (exponentials_in_lanes) all.across = add_exponentials_across<sum, T, exponential::shift>;
  return all;
}

template <typename T>
reducer sum_reducer() {
  using sum = adding<element, false>;
  if constexpr (std::is_same_v<T, float>) return with_halves<sum>(make_reducer<sum, float>());
  return make_reducer<sum, T>();
}

template <typename T>
reducers float_reducers(int32_t op, const tb_scalar* number) {
  const reducer mean = make_reducer<adding<element>, T, double, over_count>();
  switch (op) {
    case TB_SUM: return {sum_reducer<T>(), {}};
    case TB_NANSUM: return {make_reducer<adding<number_or_zero, false>, T>(), {}};
    case TB_SUM_SQUARES: return {make_reducer<adding<square>, T>(), {}};
    case TB_PROD: return {make_reducer<multiplying, T>(), {}};
    case TB_VAR: return {mean, make_reducer<adding<squared_deviation>, T, T, over_corrected_count>()};
    case TB_STD: return {mean, make_reducer<adding<squared_deviation>, T, T, root_over_corrected_count>()};
    case TB_NORM: return {norm_reducer<T>(number[0].f), {}};
    case TB_LOGSUMEXP: return {greatest_as_double(code_of<T>), exponential_sum<T>()};
    default: return {};
  }
}

}  // namespace

reducers sum_reducers(int32_t op, int32_t compute, const tb_scalar* number) {
  if (compute == TB_F32) return float_reducers<float>(op, number);
  if (compute == TB_F64) return float_reducers<double>(op, number);
  if (compute == TB_BOOL) {
    if (op == TB_COUNT_NONZERO) return {make_reducer<adding<element>, byte, int64_t>(), {}};
    return {};
  }
  switch (op) {
    case TB_SUM:
    case TB_NANSUM: return {make_reducer<adding<element>, int64_t>(), {}};
    case TB_SUM_SQUARES: return {make_reducer<adding<square>, int64_t>(), {}};
    case TB_PROD: return {make_reducer<multiplying, int64_t>(), {}};
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
