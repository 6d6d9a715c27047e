// Variance, standard deviation, norms and logsumexp.
#include "reduce/minmax_reducers.cuh"
#include "reduce/sum_reducers.cuh"

namespace tb_cuda {
namespace {

// Sums of the differences from the first element, and of their squares. The first element is at most sqrt(count)
// standard deviations from the mean, so a large mean causes no cancellation.
template <typename C>
struct deviation {
  using compute = C;
  struct part {
    sum_of<C> sum, squares;
  };
  static constexpr bool needs_origin = true;
  double correction;
  bool root;

  __device__ part identity() const { return {sum_of<C>::of(0), sum_of<C>::of(0)}; }
  __device__ void take(part& sums, C x, int64_t, C origin) const {
    const double d = double(x) - double(origin);
    sums.sum.add(d);
    sums.squares.add(d * d);
  }
  __device__ part join(part a, const part& b) const {
    a.sum.add(b.sum);
    a.squares.add(b.squares);
    return a;
  }
  __device__ void store(const part& sums, int64_t count, const reduced_value& to, int64_t at, int64_t) const {
    const double sum = sums.sum.value();
    double squares = sums.squares.value() - sum * (sum / double(count));
    if (squares < 0) squares = 0;
    const double left = double(count) - correction, variance = squares / (left > 0 ? left : 0);
    store_as<C>(to.out, to.dtype, at, C(root ? ::sqrt(variance) : variance));
  }
};

// Online logsumexp: the maximum so far, and the sum of exponentials of the differences from it.
template <typename C>
struct exponentials {
  using compute = C;
  struct part {
    double greatest, sum;
  };
  static constexpr bool needs_origin = false;

  // For equal infinities the difference is NaN.
  static __device__ double term(double x, double greatest) { return x == greatest ? 1 : ::exp(x - greatest); }

  __device__ part identity() const { return {-std::numeric_limits<double>::infinity(), 0}; }
  __device__ void take(part& p, C x, int64_t, C) const {
    if (double(x) > p.greatest) {
      p.sum = p.sum * ::exp(p.greatest - double(x)) + 1;
      p.greatest = double(x);
    } else if constexpr (std::is_same_v<C, float>) {
      p.sum += x == float(p.greatest) ? 1.0f : ::expf(x - float(p.greatest));
    } else {
      p.sum += term(x, p.greatest);
    }
  }
  __device__ part join(const part& a, const part& b) const {
    const double greatest = a.greatest > b.greatest ? a.greatest : b.greatest;
    return {greatest, a.sum * term(a.greatest, greatest) + b.sum * term(b.greatest, greatest)};
  }
  __device__ void store(const part& p, int64_t, const reduced_value& to, int64_t at, int64_t) const {
    store_as<C>(to.out, to.dtype, at, C(::log(p.sum) + p.greatest));
  }
};

template <typename C>
tb_status norm_of(const tb_reduction& call, const scope& on) {
  const double order = call.number[0].f;
  if (order == 0) return reduce_elements(on, call, adding<C, not_zero>{});
  if (order == 1) return reduce_elements(on, call, adding<C, magnitude>{});
  if (order == 2) return reduce_elements(on, call, adding<C, square>{2});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (order == infinity) return reduce_elements(on, call, choosing<C, true, true>{});
  if (order == -infinity) return reduce_elements(on, call, choosing<C, false, true>{});
  return reduce_elements(on, call, adding<C, power>{order});
}

template <typename C>
tb_status moment_of(const tb_reduction& call, const scope& on) {
  switch (call.op) {
    case TB_VAR: return reduce_elements(on, call, deviation<C>{call.number[0].f, false});
    case TB_STD: return reduce_elements(on, call, deviation<C>{call.number[0].f, true});
    case TB_NORM: return norm_of<C>(call, on);
    default: return reduce_elements(on, call, exponentials<C>{});
  }
}

}  // namespace

tb_status reduce_moments(const tb_reduction& call, const scope& on) {
  switch (call.compute) {
    case TB_F32: return moment_of<float>(call, on);
    case TB_F64: return moment_of<double>(call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
