// Random fills, one number per element: element i in row-major order uses number first + i of the Philox sequence.
// Philox generates numbers in pairs, so a thread has a pair. Results are bitwise equal to the CPU's.
#include "elementwise/random.cuh"

#include "elementwise/pack.cuh"
#include "philox.h"
#include "random_functions.h"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

using namespace tb_kernel;

struct draw_call {
  offsets<2> element_offsets;
  philox_stream numbers;
  void* out;
  const void* of;  // data of the second operand
  int32_t dtype, of_dtype;
  tb_scalar number[2];
};

__device__ inline double as_stored(double x, int32_t dtype) {
  if (dtype == TB_F32) return double(float(x));
  if (dtype == TB_F16) return double(widen(narrow<half>(float(x))));
  if (dtype == TB_BF16) return double(widen(narrow<bfloat16>(float(x))));
  return x;
}

// Each functor maps a random number n to an element; `i` is the offset in the second operand.

// Multiples of the ulp just below 1, so that nothing is rounded between 0 and 1. With other bounds, rounding
// may reach the excluded upper bound, which is replaced by the lower.
struct uniform {
  __device__ double operator()(const draw_call& call, uint64_t n, int64_t) const {
    const int digits = call.dtype == TB_F32 ? 24 : call.dtype == TB_F16 ? 11 : call.dtype == TB_BF16 ? 8 : 53;
    const double from = call.number[0].f, to = call.number[1].f;
    const double x = from + product(unit(n, digits), to - from);
    return as_stored(x, call.dtype) < to ? x : from;
  }
};
struct normal {
  __device__ double operator()(const draw_call& call, uint64_t n, int64_t) const {
    return call.number[0].f + product(call.number[1].f, standard_normal(n));
  }
};
struct exponential {
  __device__ double operator()(const draw_call& call, uint64_t n, int64_t) const {
    return standard_exponential(n) / call.number[0].f;
  }
};
struct integer {
  __device__ int64_t operator()(const draw_call& call, uint64_t n, int64_t) const {
    const uint64_t low = uint64_t(call.number[0].i), range = uint64_t(call.number[1].i) - low + 1;
    return int64_t(low + integer_below(n, range));
  }
};
struct bernoulli {
  __device__ int64_t operator()(const draw_call& call, uint64_t n, int64_t) const { return unit(n) < call.number[0].f; }
};
struct bernoulli_of {
  __device__ int64_t operator()(const draw_call& call, uint64_t n, int64_t i) const {
    return unit(n) < load_as<double>(call.of, call.of_dtype, i);
  }
};

template <typename Draw>
__global__ void __launch_bounds__(block_threads) draw_pairs(draw_call call) {
  const philox_stream numbers = call.numbers.found();
  const uint64_t count = uint64_t(call.element_offsets.count), first_pair = numbers.first / 2;
  // Element 0 may be the second number of its pair.
  const uint64_t before = numbers.first % 2, pairs = (count + before + 1) / 2;
  for (uint64_t p = uint64_t(first_index()); p < pairs; p += uint64_t(index_step())) {
    const number_pair two = numbers_of(numbers.seed, numbers.subsequence, first_pair + p);
    for (int which = 0; which < 2; ++which) {
      const uint64_t i = 2 * p + uint64_t(which) - before;
      if (i >= count) continue;
      int64_t offset[2];
      call.element_offsets.at(int64_t(i), offset);
      store_as(call.out, call.dtype, offset[0], Draw()(call, which == 0 ? two.number[0] : two.number[1], offset[1]));
    }
  }
}

// The most common case: contiguous float32, an even first number that is known on the host.
template <typename Draw>
__global__ void __launch_bounds__(block_threads) draw_floats(draw_call call) {
  const int64_t pairs = (call.element_offsets.count + 1) / 2;
  for (int64_t p = first_index(); p < pairs; p += index_step()) {
    const number_pair two =
        numbers_of(call.numbers.seed, call.numbers.subsequence, call.numbers.first / 2 + uint64_t(p));
    const pack<float, 2> x{{float(Draw()(call, two.number[0], 0)), float(Draw()(call, two.number[1], 0))}};
    store(call.out, 2 * p, x, 2 * p + 1 < call.element_offsets.count ? 2 : 1);
  }
}

template <typename Draw, bool OfReals = false>
tb_status draw(const tb_random& call, const scope& on) {
  const tb_plan& plan = call.plan;
  const tb_operand& out = plan.operand[0];
  const tb_operand& of = plan.operand[plan.operands - 1];
  draw_call to{offsets<2>(plan.ndim, plan.sizes, [&](int o) { return o == 0 ? out.strides : of.strides; }),
               philox_stream(call),
               out.data,
               of.data,
               out.dtype,
               of.dtype,
               {call.number[0], call.number[1]}};
  const int64_t pairs = to.element_offsets.count / 2 + 1;
  constexpr const char* what = "random numbers";
  if constexpr (OfReals) {
    const bool dense = plan.ndim == 1 && out.strides[0] == 1 && out.dtype == TB_F32;
    const bool even = call.philox_state == nullptr && call.first % 2 == 0;
    if (dense && even && reinterpret_cast<uintptr_t>(out.data) % sizeof(pack<float, 2>) == 0) {
      return launch_over(on, what, pairs, draw_floats<Draw>, to);
    }
  }
  return launch_over(on, what, pairs, draw_pairs<Draw>, to);
}

}  // namespace

tb_status draw_each(const tb_random& call, const scope& on) {
  switch (call.op) {
    case TB_RANDOM_UNIFORM: return draw<uniform, true>(call, on);
    case TB_RANDOM_NORMAL: return draw<normal, true>(call, on);
    case TB_RANDOM_EXPONENTIAL: return draw<exponential, true>(call, on);
    case TB_RANDOM_INTEGER: return draw<integer>(call, on);
    case TB_RANDOM_BERNOULLI: return draw<bernoulli>(call, on);
    case TB_RANDOM_BERNOULLI_OF: return draw<bernoulli_of>(call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status random(const tb_random* call, const tb_call* where) {
  for (int d = 0; d < call->plan.ndim; ++d) {
    if (call->plan.sizes[d] == 0) return TB_OK;
  }
  const scope on(call->plan.operand[0].data, where);
  if (on.status() != TB_OK) return on.status();
  const bool draws = call->op != TB_RANDOM_CHECK_PROBABILITIES && call->op != TB_RANDOM_CHECK_WEIGHTS;
  if (draws && call->philox_state == nullptr && is_captured(on)) {
    return refuse(
        "found random numbers in a stream that is captured, and no cuda_graph::capture() in this thread: the graph "
        "would draw the same ones in every replay");
  }
  switch (call->op) {
    case TB_RANDOM_PERMUTATION:
    case TB_RANDOM_MULTINOMIAL:
    case TB_RANDOM_CHECK_PROBABILITIES:
    case TB_RANDOM_CHECK_WEIGHTS: return draw_many(*call, on);
    default: return draw_each(*call, on);
  }
}

}  // namespace tb_cuda
