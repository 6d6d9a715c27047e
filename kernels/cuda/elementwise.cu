// Elementwise CUDA kernels: arange, copy, and some of the pointwise operations, on operands of one dtype.
//
// A dense row of any length goes four elements at a time, in loads of up to 16 bytes; an input of one repeated
// element stays on that path. Everything else divides an index into offsets. Each operation is one functor.
#include <type_traits>
#include <utility>

#include "launch.cuh"

namespace tb_cuda {
namespace {

using byte = uint8_t;  // a BOOL element: 0 or 1

// int64_t arithmetic wraps, which C++ has for unsigned numbers only.
template <typename T>
using wrapping = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;

template <typename T>
struct constant {
  T value;
  __device__ T operator()() const { return value; }
};

template <typename T>
struct negate {
  __device__ T operator()(T x) const {
    if constexpr (std::is_same_v<T, int64_t>) return T(0 - uint64_t(x));
    return -x;
  }
};

template <typename T>
struct exponential {
  __device__ T operator()(T x) const { return exp(x); }
};

template <typename T>
struct logarithm {
  __device__ T operator()(T x) const { return log(x); }
};

template <typename T>
struct relu {
  __device__ T operator()(T x) const { return x <= T(0) ? T(0) : x; }
};

template <typename T>
struct add_scaled {
  wrapping<T> factor;
  __device__ T operator()(T a, T b) const { return T(wrapping<T>(a) + factor * wrapping<T>(b)); }
};

template <typename T>
struct multiply {
  __device__ T operator()(T a, T b) const { return T(wrapping<T>(a) * wrapping<T>(b)); }
};

template <typename T>
struct divide {
  __device__ T operator()(T a, T b) const { return a / b; }
};

template <typename T>
struct threshold_backward {
  T threshold;
  __device__ T operator()(T a, T b) const { return b <= threshold ? T(0) : a; }
};

struct either {
  __device__ byte operator()(byte a, byte b) const { return a | b; }
};

struct both {
  __device__ byte operator()(byte a, byte b) const { return a & b; }
};

// The relation is data: every thread takes the same branch and waits for memory anyway, and there is a sixth of
// the code.
template <typename T>
struct compares {
  int32_t op;
  __device__ byte operator()(T a, T b) const {
    switch (op) {
      case TB_EQ: return a == b;
      case TB_NE: return a != b;
      case TB_LT: return a < b;
      case TB_LE: return a <= b;
      case TB_GT: return a > b;
      default: return a >= b;
    }
  }
};

// A floating point number outside int64_t becomes the lowest int64_t, as on the CPU.
template <typename To, typename From>
struct convert {
  __device__ To operator()(From x) const {
    if constexpr (std::is_same_v<To, byte>) return x != From(0);
    if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>) {
      return x >= From(-0x1p63) && x < From(0x1p63) ? To(x) : INT64_MIN;
    }
    return To(x);
  }
};

// Four neighbours, loaded and stored at once; alignment ends at the widest access there is.
template <typename T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) quad {
  T at[4];
};

template <typename T>
struct dense {
  const T* data;
  __device__ T one(int64_t i) const { return data[i]; }
  __device__ quad<T> four(int64_t i) const { return reinterpret_cast<const quad<T>*>(data)[i]; }
};

template <typename T>
struct repeated {
  const T* data;
  __device__ T one(int64_t) const { return *data; }
  __device__ quad<T> four(int64_t) const {
    const T x = *data;
    return {{x, x, x, x}};
  }
};

template <typename Out, typename Op, typename... In>
__device__ quad<Out> apply_four(Op op, quad<In>... in) {
  quad<Out> result;
  for (int lane = 0; lane < 4; ++lane) result.at[lane] = op(in.at[lane]...);
  return result;
}

// The last one to three elements fall to the first threads.
template <typename Op, typename Out, typename... In>
__global__ void dense_kernel(int64_t n, Op op, Out* out, In... in) {
  const int64_t quads = n / 4;
  for (int64_t i = first_index(); i < quads; i += index_step()) {
    reinterpret_cast<quad<Out>*>(out)[i] = apply_four<Out>(op, in.four(i)...);
  }
  const int64_t i = quads * 4 + first_index();
  if (i < n) out[i] = op(in.one(i)...);
}

template <int Operands>
struct geometry {
  int ndim;
  int64_t sizes[TB_MAX_DIMS];
  int64_t strides[Operands][TB_MAX_DIMS];
};

template <typename Op, typename Out, typename... In, int... O>
__device__ void apply_at(const int64_t* offset, Op op, Out* out, std::integer_sequence<int, O...>, const In*... in) {
  out[offset[0]] = op(in[offset[O + 1]]...);
}

template <typename Op, typename Out, typename... In>
__global__ void strided_kernel(int64_t n, geometry<1 + sizeof...(In)> of, Op op, Out* out, const In*... in) {
  constexpr int operands = 1 + sizeof...(In);
  for (int64_t i = first_index(); i < n; i += index_step()) {
    int64_t offset[operands] = {};
    int64_t rest = i;
    for (int d = 0; d < of.ndim; ++d) {
      const int64_t index = rest % of.sizes[d];
      rest /= of.sizes[d];
      for (int o = 0; o < operands; ++o) offset[o] += index * of.strides[o][d];
    }
    apply_at(offset, op, out, std::make_integer_sequence<int, sizeof...(In)>(), in...);
  }
}

template <typename T>
bool aligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % alignof(quad<T>) == 0;
}

template <typename Op, typename Out, typename... In>
tb_status launch_dense(int64_t n, cudaStream_t stream, Op op, Out* out, In... in) {
  dense_kernel<<<grid_for((n + 3) / 4), block_threads, 0, stream>>>(n, op, out, in...);
  return after_launch("elementwise kernel");
}

// Which inputs are dense and which repeat one element decides the kernel; no match means the strided one.
template <typename Op, typename Out>
bool try_dense(const tb_plan& plan, cudaStream_t stream, Op op, Out* out, tb_status& status) {
  if (plan.operand[0].strides[0] != 1) return false;
  status = launch_dense(plan.sizes[0], stream, op, out);
  return true;
}

template <typename Op, typename Out, typename In>
bool try_dense(const tb_plan& plan, cudaStream_t stream, Op op, Out* out, tb_status& status, const In* in) {
  if (plan.operand[0].strides[0] != 1 || plan.operand[1].strides[0] != 1 || !aligned<In>(in)) return false;
  status = launch_dense(plan.sizes[0], stream, op, out, dense<In>{in});
  return true;
}

template <typename Op, typename Out, typename In>
bool try_dense(const tb_plan& plan, cudaStream_t stream, Op op, Out* out, tb_status& status, const In* a, const In* b) {
  const int64_t a_step = plan.operand[1].strides[0];
  const int64_t b_step = plan.operand[2].strides[0];
  const int64_t n = plan.sizes[0];
  if (plan.operand[0].strides[0] != 1) return false;
  if (a_step == 1 && b_step == 1 && aligned<In>(a) && aligned<In>(b)) {
    status = launch_dense(n, stream, op, out, dense<In>{a}, dense<In>{b});
  } else if (a_step == 1 && b_step == 0 && aligned<In>(a)) {
    status = launch_dense(n, stream, op, out, dense<In>{a}, repeated<In>{b});
  } else if (a_step == 0 && b_step == 1 && aligned<In>(b)) {
    status = launch_dense(n, stream, op, out, repeated<In>{a}, dense<In>{b});
  } else {
    return false;
  }
  return true;
}

// out = op(in...) over a whole plan: operand 0 has elements Out, the others In.
template <typename Out, typename... In, typename Op>
tb_status map(const tb_plan& plan, void* stream, Op op) {
  constexpr int operands = 1 + sizeof...(In);
  int64_t n = 1;
  geometry<operands> of;
  of.ndim = plan.ndim;
  for (int d = 0; d < plan.ndim; ++d) {
    n *= plan.sizes[d];
    of.sizes[d] = plan.sizes[d];
    for (int o = 0; o < operands; ++o) of.strides[o][d] = plan.operand[o].strides[d];
  }
  if (n <= 0) return TB_OK;
  const device_scope scope = device_scope::of(plan.operand[0].data);
  if (scope.status() != TB_OK) return scope.status();
  Out* out = static_cast<Out*>(plan.operand[0].data);
  const auto launch = [&](const In*... in) {
    tb_status status = TB_OK;
    if (plan.ndim == 1 && aligned<Out>(out) && try_dense(plan, stream_of(stream), op, out, status, in...)) {
      return status;
    }
    strided_kernel<<<grid_for(n), block_threads, 0, stream_of(stream)>>>(n, of, op, out, in...);
    return after_launch("strided elementwise kernel");
  };
  return [&]<int... O>(std::integer_sequence<int, O...>) {
    return launch(static_cast<const In*>(plan.operand[O + 1].data)...);
  }(std::make_integer_sequence<int, sizeof...(In)>());
}

template <typename T>
__global__ void arange_kernel(int64_t n, T* out, int64_t stride, tb_scalar start, tb_scalar step) {
  for (int64_t i = first_index(); i < n; i += index_step()) {
    if constexpr (std::is_same_v<T, int64_t>) {
      out[i * stride] = T(uint64_t(start.i) + uint64_t(i) * uint64_t(step.i));
    } else {
      out[i * stride] = T(start.f + double(i) * step.f);
    }
  }
}

template <typename T>
tb_status arange_as(const tb_plan& plan, tb_scalar start, tb_scalar step, void* stream) {
  const tb_operand& out = plan.operand[0];
  const int64_t n = plan.sizes[0];
  if (n <= 0) return TB_OK;
  const device_scope scope = device_scope::of(out.data);
  if (scope.status() != TB_OK) return scope.status();
  arange_kernel<<<grid_for(n), block_threads, 0, stream_of(stream)>>>(n, static_cast<T*>(out.data), out.strides[0],
                                                                      start, step);
  return after_launch("arange kernel");
}

template <typename From>
tb_status copy_from(const tb_plan& plan, void* stream) {
  switch (plan.operand[0].dtype) {
    case TB_BOOL: return map<byte, From>(plan, stream, convert<byte, From>());
    case TB_I64: return map<int64_t, From>(plan, stream, convert<int64_t, From>());
    case TB_F32: return map<float, From>(plan, stream, convert<float, From>());
    case TB_F64: return map<double, From>(plan, stream, convert<double, From>());
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

template <typename T>
T number_as(tb_scalar number) {
  if constexpr (std::is_same_v<T, byte>) return number.i != 0 || number.f != 0;
  if constexpr (std::is_same_v<T, int64_t>) return number.i;
  return T(number.f);
}

template <typename T>
tb_status pointwise_as(const tb_pointwise& call, void* stream) {
  constexpr bool is_bool = std::is_same_v<T, byte>;
  const tb_plan& plan = call.plan;
  const T number = number_as<T>(call.number[0]);
  switch (call.op) {
    case TB_FILL: return map<T>(plan, stream, constant<T>{number});
    case TB_EQ:
    case TB_NE:
    case TB_LT:
    case TB_LE:
    case TB_GT:
    case TB_GE: return map<byte, T, T>(plan, stream, compares<T>{call.op});
    default: break;
  }
  if constexpr (is_bool) {
    if (call.op == TB_ADD) return map<byte, byte, byte>(plan, stream, either());
    if (call.op == TB_MUL) return map<byte, byte, byte>(plan, stream, both());
  } else {
    switch (call.op) {
      case TB_NEG: return map<T, T>(plan, stream, negate<T>());
      case TB_RELU: return map<T, T>(plan, stream, relu<T>());
      case TB_ADD: return map<T, T, T>(plan, stream, add_scaled<T>{wrapping<T>(number)});
      case TB_SUB: return map<T, T, T>(plan, stream, add_scaled<T>{wrapping<T>(0) - wrapping<T>(number)});
      case TB_MUL: return map<T, T, T>(plan, stream, multiply<T>());
      case TB_THRESHOLD_BACKWARD: return map<T, T, T>(plan, stream, threshold_backward<T>{number});
      default: break;
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (call.op == TB_DIV) return map<T, T, T>(plan, stream, divide<T>());
    if (call.op == TB_EXP) return map<T, T>(plan, stream, exponential<T>());
    if (call.op == TB_LOG) return map<T, T>(plan, stream, logarithm<T>());
  }
  return TB_UNSUPPORTED_DTYPE;
}

bool is_comparison(int32_t op) { return op >= TB_EQ && op <= TB_GE; }

// Whether the operands have the dtypes that the operation computes in; there are no conversions yet.
bool needs_no_conversion(const tb_pointwise& call) {
  const tb_plan& plan = call.plan;
  if (plan.operand[0].dtype != (is_comparison(call.op) ? int32_t(TB_BOOL) : call.compute)) return false;
  for (int o = 1; o < plan.operands; ++o) {
    if (plan.operand[o].dtype != call.compute) return false;
  }
  return true;
}

}  // namespace

tb_status pointwise(const tb_pointwise* call, void* stream) {
  if (!needs_no_conversion(*call)) return TB_UNSUPPORTED_DTYPE;
  switch (call->compute) {
    case TB_BOOL: return pointwise_as<byte>(*call, stream);
    case TB_I64: return pointwise_as<int64_t>(*call, stream);
    case TB_F32: return pointwise_as<float>(*call, stream);
    case TB_F64: return pointwise_as<double>(*call, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, void* stream) {
  switch (plan->operand[0].dtype) {
    case TB_I64: return arange_as<int64_t>(*plan, start, step, stream);
    case TB_F32: return arange_as<float>(*plan, start, step, stream);
    case TB_F64: return arange_as<double>(*plan, start, step, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status copy(const tb_plan* plan, void* stream) {
  switch (plan->operand[1].dtype) {
    case TB_BOOL: return copy_from<byte>(*plan, stream);
    case TB_I64: return copy_from<int64_t>(*plan, stream);
    case TB_F32: return copy_from<float>(*plan, stream);
    case TB_F64: return copy_from<double>(*plan, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
