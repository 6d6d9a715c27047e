// Optimizer steps: one pass over parameter, gradient and state. Plain loops, which the compiler vectorizes; each
// element's arithmetic is the same in the vector body and in the remainder loop.
#include <math.h>

#include "layout.h"
#include "threads/parallel.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// The gradient as the step uses it: divided by the gradient scale, negated when maximizing, with weight decay added.
template <typename T, bool Scaled>
struct gradients {
  T* gradient;
  T scale, sign, decay;

  explicit gradients(const tb_update& u)
      : gradient(static_cast<T*>(u.gradient)),
        scale(T(u.scale_there != nullptr ? *u.scale_there : u.gradient_scale)),
        sign(T(u.maximize != 0 ? -1 : 1)),
        decay(T(u.op == TB_UPDATE_ADAMW ? 0 : u.decay)) {}
  T of(int64_t i, T parameter) const {
    T g = gradient[i];
    if constexpr (Scaled) gradient[i] = g = g / scale;
    return decay == T(0) ? g * sign : g * sign + parameter * decay;
  }
};

template <typename T, bool Scaled, bool Momentum>
void sgd(const tb_update& u, int64_t first, int64_t last) {
  T* const parameter = static_cast<T*>(u.parameter);
  T* const velocity = static_cast<T*>(u.state[0]);
  const gradients<T, Scaled> gradient(u);
  const T rate = T(u.rate), momentum = T(u.first), rest = T(1 - u.second);
  const bool begins = u.first_step != 0, nesterov = u.nesterov != 0;
#pragma clang loop vectorize(assume_safety)
  for (int64_t i = first; i < last; ++i) {
    T g = gradient.of(i, parameter[i]);
    if constexpr (Momentum) {
      const T v = begins ? g : velocity[i] * momentum + g * rest;
      velocity[i] = v;
      g = nesterov ? g + v * momentum : v;
    }
    parameter[i] -= g * rate;
  }
}

template <typename T, bool Scaled, bool Greatest>
void adam(const tb_update& u, int64_t first, int64_t last) {
  T* const parameter = static_cast<T*>(u.parameter);
  T *const average = static_cast<T*>(u.state[0]), *const square = static_cast<T*>(u.state[1]);
  T* const greatest = static_cast<T*>(u.state[2]);
  const gradients<T, Scaled> gradient(u);
  const T keep = T(u.op == TB_UPDATE_ADAMW ? 1 - u.rate * u.decay : 1);
  const T part = T(1 - u.first), second = T(u.second), other = T(1 - u.second), epsilon = T(u.epsilon);
  const double step = u.step_there != nullptr ? *u.step_there : u.step;
  const T size = T(u.rate / (1 - pow(u.first, step))), root = T(sqrt(1 - pow(u.second, step)));
#pragma clang loop vectorize(assume_safety)
  for (int64_t i = first; i < last; ++i) {
    const T g = gradient.of(i, parameter[i]);
    const T a = average[i] + part * (g - average[i]);
    T s = square[i] * second + other * g * g;
    average[i] = a;
    square[i] = s;
    if constexpr (Greatest) {
      s = s > greatest[i] || s != s ? s : greatest[i];
      greatest[i] = s;
    }
    parameter[i] = parameter[i] * keep - size * a / (T(::sqrt(s)) / root + epsilon);
  }
}

using update_fn = void (*)(const tb_update&, int64_t first, int64_t last);

template <typename T, bool Scaled>
update_fn update_of(const tb_update& u) {
  if (u.op == TB_UPDATE_SGD) return u.state[0] != nullptr ? sgd<T, Scaled, true> : sgd<T, Scaled, false>;
  return u.state[2] != nullptr ? adam<T, Scaled, true> : adam<T, Scaled, false>;
}

}  // namespace

tb_status update(const tb_update* call, const tb_call*) {
  const bool scaled = call->gradient_scale != 0 || call->scale_there != nullptr;
  update_fn run = nullptr;
  if (call->dtype == TB_F32) run = scaled ? update_of<float, true>(*call) : update_of<float, false>(*call);
  if (call->dtype == TB_F64) run = scaled ? update_of<double, true>(*call) : update_of<double, false>(*call);
  if (run == nullptr || call->op < 0 || call->op >= TB_UPDATE_COUNT) return TB_UNSUPPORTED_DTYPE;
  if (call->skip_there != nullptr && *call->skip_there != 0) return TB_OK;
  const int64_t parts = (call->count + parallel_grain - 1) / parallel_grain;
  each_part(parts, [&](int64_t part) {
    const int64_t first = part * parallel_grain, last = first + parallel_grain;
    run(*call, first, last < call->count ? last : call->count);
  });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
