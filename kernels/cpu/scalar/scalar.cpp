// Matrix product and convolution of the scalar build, as plain loops. They share no code with the SIMD kernels, so that
// one bug cannot make both wrong.
//
// Floating-point sums are accumulated in double.
#include <math.h>

#include <limits>
#include <type_traits>

#include "elementwise/convert.h"
#include "elementwise/elementwise.h"
#include "half.h"
#include "isa/arch.h"
#include "layout.h"

namespace tb_cpu::scalar {
namespace {

using tb_kernel::bfloat16;
using tb_kernel::half;

template <typename E>
auto number(E x) {
  if constexpr (std::is_same_v<E, half> || std::is_same_v<E, bfloat16>)
    return tb_kernel::to_float(x);
  else
    return x;
}

// E: element type of a and b. O: of out and added. T: the type to which a result is rounded before its activation.
template <typename T, typename E, typename O>
tb_status matmul_of(const tb_matmul& product) {
  using total = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  constexpr int32_t compute = std::is_same_v<T, float> ? TB_F32 : std::is_same_v<T, double> ? TB_F64 : TB_I64;
  const auto factor = [](tb_scalar x) { return std::is_floating_point_v<T> ? total(T(x.f)) : total(x.i); };
  const total alpha = factor(product.alpha), beta = factor(product.beta);
  loops of{};
  if (product.activation >= 0) {
    of = loops_of(product.activation);
  }
  const loop_fn activation = compute == TB_F32 ? of.f32 : compute == TB_F64 ? of.f64 : of.integer;
  if (product.activation >= 0 && (activation == nullptr || of.inputs != 1)) return TB_UNSUPPORTED_DTYPE;
  for (int64_t at = 0; at < product.batch; ++at) {
    for (int64_t i = 0; i < product.m; ++i) {
      for (int64_t j = 0; j < product.n; ++j) {
        const int64_t a = at * product.a_batch + i * product.a_row, b = at * product.b_batch + j * product.b_col;
        total sum = 0;
        for (int64_t p = 0; p < product.k; ++p) {
          sum += total(number(static_cast<const E*>(product.a)[a + p * product.a_col])) *
                 total(number(static_cast<const E*>(product.b)[b + p * product.b_row]));
        }
        sum *= alpha;
        if (product.added != nullptr) {
          const int64_t more = at * product.added_batch + i * product.added_row + j * product.added_col;
          sum += beta * total(number(static_cast<const O*>(product.added)[more]));
        }
        T result = T(sum);
        const void* const in[] = {&result};
        const tb_scalar no_numbers[TB_MAX_NUMBERS] = {};
        if (activation != nullptr) activation(1, &result, in, no_numbers);
        O* const out =
            static_cast<O*>(product.out) + at * product.out_batch + i * product.out_row + j * product.out_col;
        conversion(product.out_dtype, compute)(out, 1, &result, 1, 1);
      }
    }
  }
  return TB_OK;
}

template <typename E>
tb_status matmul_fp16(const tb_matmul& product) {
  if (product.out_dtype == TB_F32) return matmul_of<float, E, float>(product);
  return product.out_dtype == product.dtype ? matmul_of<float, E, E>(product) : TB_UNSUPPORTED_DTYPE;
}

}  // namespace

tb_status matmul(const tb_matmul* product, const tb_call*) {
  const bool same = product->dtype == product->out_dtype;
  switch (product->dtype) {
    case TB_I64: return same ? matmul_of<int64_t, int64_t, int64_t>(*product) : TB_UNSUPPORTED_DTYPE;
    case TB_F16: return matmul_fp16<half>(*product);
    case TB_BF16: return matmul_fp16<bfloat16>(*product);
    case TB_F32: return same ? matmul_of<float, float, float>(*product) : TB_UNSUPPORTED_DTYPE;
    case TB_F64: return same ? matmul_of<double, double, double>(*product) : TB_UNSUPPORTED_DTYPE;
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

namespace {

// Calls visit(offset in the window, offset in the image) for each element of a window that lies inside the image.
template <typename Visit>
void each_inside(const tb_convolution& c, const int64_t* position, Visit visit) {
  int64_t k[3];
  for (k[0] = 0; k[0] < c.kernel[0]; ++k[0]) {
    for (k[1] = 0; k[1] < c.kernel[1]; ++k[1]) {
      for (k[2] = 0; k[2] < c.kernel[2]; ++k[2]) {
        int64_t window = 0, image = 0;
        bool inside = true;
        for (int d = 0; d < 3; ++d) {
          const int64_t at = position[d] * c.stride[d] + k[d] * c.dilation[d] - c.padding[d];
          inside = inside && at >= 0 && at < c.size[d];
          window = window * c.kernel[d] + k[d];
          image = image * c.size[d] + at;
        }
        if (inside) visit(window, image);
      }
    }
  }
}

template <typename T, typename E>
tb_status convolve_of(const tb_convolution& c) {
  const int64_t group_channels = c.channels / c.groups, group_outputs = c.outputs / c.groups;
  const int64_t window = c.kernel[0] * c.kernel[1] * c.kernel[2], pixels = c.size[0] * c.size[1] * c.size[2];
  E* out = static_cast<E*>(c.out);
  for (int64_t image = 0; image < c.images; ++image) {
    for (int64_t output = 0; output < c.outputs; ++output) {
      int64_t position[3];
      for (position[0] = 0; position[0] < c.out_size[0]; ++position[0]) {
        for (position[1] = 0; position[1] < c.out_size[1]; ++position[1]) {
          for (position[2] = 0; position[2] < c.out_size[2]; ++position[2]) {
            double sum = c.bias == nullptr ? 0.0 : double(number(static_cast<const E*>(c.bias)[output]));
            for (int64_t channel = 0; channel < group_channels; ++channel) {
              const int64_t from = image * c.channels + output / group_outputs * group_channels + channel;
              each_inside(c, position, [&](int64_t k, int64_t at) {
                sum +=
                    double(number(static_cast<const E*>(c.weight)[(output * group_channels + channel) * window + k])) *
                    double(number(static_cast<const E*>(c.image)[from * pixels + at]));
              });
            }
            const T result = T(sum);
            conversion(c.dtype, sizeof(T) == 4 ? TB_F32 : TB_F64)(out++, 1, &result, 1, 1);
          }
        }
      }
    }
  }
  return TB_OK;
}

}  // namespace

tb_status convolve(const tb_convolution* call, const tb_call*) {
  switch (call->dtype) {
    case TB_F16: return convolve_of<float, half>(*call);
    case TB_BF16: return convolve_of<float, bfloat16>(*call);
    case TB_F32: return convolve_of<float, float>(*call);
    case TB_F64: return convolve_of<double, double>(*call);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::scalar
