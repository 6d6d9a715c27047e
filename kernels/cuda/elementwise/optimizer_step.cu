// Optimizer steps (SGD, Adam, AdamW): one pass over parameter, gradient and state, vectorized if all are aligned.
#include <math.h>

#include "elementwise/pack.cuh"
#include "function.h"
#include "runtime/launch.cuh"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

// The parameters of a step in the type of the arrays, rounded as in the CPU kernel.
template <typename T>
struct step_call {
  T* parameter;
  T* gradient;
  T* state[3];
  int64_t count;
  T scale, sign, decay;                                 // of the gradient
  T rate, momentum, rest;                               // of SGD
  bool begins, nesterov;                                // of SGD
  T keep, part, second, other, epsilon;                 // of Adam
  T corrections[2];                                     // of Adam: rate / (1 - beta1^step), sqrt(1 - beta2^step)
  double size, kept[2];                                 // rate, and beta1 and beta2
  const double *step_there, *scale_there, *skip_there;  // of tb_update
};

// Adam's bias corrections: rate / (1 - beta1^step) for `which` 0, sqrt(1 - beta2^step) for 1.
TB_FUNCTION double correction(int which, double size, double kept, double step) {
  const double rest = 1 - ::pow(kept, step);
  return which == 0 ? size / rest : ::sqrt(rest);
}

template <typename T>
step_call<T> call_of(const tb_update& u) {
  step_call<T> call{};
  call.parameter = static_cast<T*>(u.parameter);
  call.gradient = static_cast<T*>(u.gradient);
  for (int i = 0; i < 3; ++i) call.state[i] = static_cast<T*>(u.state[i]);
  call.count = u.count;
  call.scale = T(u.gradient_scale);
  call.scale_there = u.scale_there;
  call.skip_there = u.skip_there;
  call.sign = T(u.maximize != 0 ? -1 : 1);
  call.decay = T(u.op == TB_UPDATE_ADAMW ? 0 : u.decay);
  if (u.op == TB_UPDATE_SGD) {
    call.rate = T(u.rate);
    call.momentum = T(u.first);
    call.rest = T(1 - u.second);
    call.begins = u.first_step != 0;
    call.nesterov = u.nesterov != 0;
  } else {
    call.keep = T(u.op == TB_UPDATE_ADAMW ? 1 - u.rate * u.decay : 1);
    call.part = T(1 - u.first);
    call.second = T(u.second);
    call.other = T(1 - u.second);
    call.epsilon = T(u.epsilon);
    call.size = u.rate;
    call.kept[0] = u.first;
    call.kept[1] = u.second;
    call.step_there = u.step_there;
    if (u.step_there == nullptr) {
      for (int i = 0; i < 2; ++i) call.corrections[i] = T(correction(i, u.rate, call.kept[i], u.step));
    }
  }
  return call;
}

// The gradient as the step uses it: unscaled, negated when maximizing, with weight decay added. The unscaled
// gradient is stored back.
template <bool Scaled, typename T>
__device__ T gradient_of(const step_call<T>& call, T scale, T& gradient, T parameter) {
  if constexpr (Scaled) gradient = gradient / scale;
  return call.decay == T(0) ? gradient * call.sign : gradient * call.sign + parameter * call.decay;
}

template <bool HasMomentum>
struct sgd {
  static constexpr int states = HasMomentum ? 1 : 0;
  static constexpr bool counts = false;

  template <typename T>
  static __device__ T apply(const step_call<T>& call, T, T, T parameter, T g, T (&state)[3]) {
    if constexpr (HasMomentum) {
      const T v = call.begins ? g : state[0] * call.momentum + g * call.rest;
      state[0] = v;
      g = call.nesterov ? g + v * call.momentum : v;
    }
    return parameter - g * call.rate;
  }
};

template <bool Greatest>
struct adam {
  static constexpr int states = Greatest ? 3 : 2;
  static constexpr bool counts = true;

  template <typename T>
  static __device__ T apply(const step_call<T>& call, T size, T root, T parameter, T g, T (&state)[3]) {
    const T a = state[0] + call.part * (g - state[0]);
    T s = state[1] * call.second + call.other * g * g;
    state[0] = a;
    state[1] = s;
    if constexpr (Greatest) {
      s = s > state[2] || s != s ? s : state[2];
      state[2] = s;
    }
    return parameter * call.keep - size * a / (T(::sqrt(s)) / root + call.epsilon);
  }
};

template <typename Step, typename T, int V, bool Scaled>
__global__ void __launch_bounds__(block_threads) take_step(step_call<T> call) {
  if (call.skip_there != nullptr && *call.skip_there != 0) return;
  T size = call.corrections[0], root = call.corrections[1], scale = call.scale;
  if constexpr (Scaled) {
    if (call.scale_there != nullptr) scale = T(*call.scale_there);
  }
  if constexpr (Step::counts) {
    if (call.step_there != nullptr) {
      __shared__ T found[2];
      if (threadIdx.x < 2) {
        const int which = int(threadIdx.x);
        found[which] = T(correction(which, call.size, which == 0 ? call.kept[0] : call.kept[1], *call.step_there));
      }
      __syncthreads();
      size = found[0];
      root = found[1];
    }
  }
  const int64_t vectors = (call.count + V - 1) / V;
  for (int64_t n = first_index(); n < vectors; n += index_step()) {
    const int64_t at = n * V, rest = call.count - at;
    const int some = rest < V ? int(rest) : V;
    pack<T, V> parameter, gradient, state[3];
    load(parameter, call.parameter, at, 1, some);
    load(gradient, call.gradient, at, 1, some);
#pragma unroll
    for (int s = 0; s < Step::states; ++s) load(state[s], call.state[s], at, 1, some);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      T kept[3] = {};
#pragma unroll
      for (int s = 0; s < Step::states; ++s) kept[s] = state[s].of[j];
      const T g = gradient_of<Scaled>(call, scale, gradient.of[j], parameter.of[j]);
      parameter.of[j] = Step::apply(call, size, root, parameter.of[j], g, kept);
#pragma unroll
      for (int s = 0; s < Step::states; ++s) state[s].of[j] = kept[s];
    }
    if constexpr (Scaled) store(call.gradient, at, gradient, some);
#pragma unroll
    for (int s = 0; s < Step::states; ++s) store(call.state[s], at, state[s], some);
    store(call.parameter, at, parameter, some);
  }
}

bool is_aligned(const tb_update& u) {
  uintptr_t all = reinterpret_cast<uintptr_t>(u.parameter) | reinterpret_cast<uintptr_t>(u.gradient);
  for (const void* state : u.state) all |= reinterpret_cast<uintptr_t>(state);
  return all % 16 == 0;
}

template <typename Step, typename T>
tb_status run(const tb_update& u, const scope& on) {
  constexpr int width = 16 / int(sizeof(T));
  const bool scaled = u.gradient_scale != 0 || u.scale_there != nullptr, aligned = is_aligned(u);
  const auto kernel = aligned ? (scaled ? take_step<Step, T, width, true> : take_step<Step, T, width, false>)
                              : (scaled ? take_step<Step, T, 1, true> : take_step<Step, T, 1, false>);
  const int64_t vectors = aligned ? (u.count + width - 1) / width : u.count;
  unsigned grid = grid_for(vectors);
  if (u.step_there != nullptr) {
    // Every block computes the corrections, so the grid is limited to the blocks that run at once.
    const unsigned at_once = unsigned(multiprocessors(on)) * (2048 / block_threads);
    if (grid > at_once) grid = at_once;
  }
  return launch(on, "a step of an optimizer", kernel, grid, block_threads, 0, call_of<T>(u));
}

template <typename T>
tb_status run(const tb_update& u, const scope& on) {
  if (u.op == TB_UPDATE_SGD) return u.state[0] != nullptr ? run<sgd<true>, T>(u, on) : run<sgd<false>, T>(u, on);
  return u.state[2] != nullptr ? run<adam<true>, T>(u, on) : run<adam<false>, T>(u, on);
}

}  // namespace

tb_status update(const tb_update* call, const tb_call* where) {
  if (call->dtype != TB_F32 && call->dtype != TB_F64) return TB_UNSUPPORTED_DTYPE;
  if (call->op < 0 || call->op >= TB_UPDATE_COUNT) return TB_UNSUPPORTED_DTYPE;
  if (call->count == 0) return TB_OK;
  const scope on(call->parameter, where);
  if (on.status() != TB_OK) return on.status();
  const bool counts =
      call->op != TB_UPDATE_SGD ? call->step_there == nullptr : call->first_step != 0 && call->state[0] != nullptr;
  if (counts && is_captured(on)) {
    return refuse(
        "a step counted on the host cannot be captured: every replay would repeat it; use adam or adamw with the "
        "option capturable, or sgd, with momentum from its second step on");
  }
  return call->dtype == TB_F32 ? run<float>(*call, on) : run<double>(*call, on);
}

}  // namespace tb_cuda
