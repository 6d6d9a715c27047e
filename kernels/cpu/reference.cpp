// The kernels that are written with vectors, as plain loops for the reference. They share no code with the vector
// kernels, so that they cannot be wrong together.
//
// Floating point sums are accumulated in double.
#include <math.h>

#include <limits>
#include <type_traits>

#include "arch.h"
#include "layout.h"

namespace tb_cpu::reference {
template <typename T>
static void matmul_of(const tb_matmul& product) {
  using total = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  const auto number = [](tb_scalar x) { return std::is_floating_point_v<T> ? total(T(x.f)) : total(x.i); };
  const total alpha = number(product.alpha);
  const total beta = number(product.beta);
  for (int64_t at = 0; at < product.batch; ++at) {
    for (int64_t i = 0; i < product.m; ++i) {
      for (int64_t j = 0; j < product.n; ++j) {
        const int64_t a = at * product.a_batch + i * product.a_row, b = at * product.b_batch + j * product.b_col;
        total sum = 0;
        for (int64_t p = 0; p < product.k; ++p) {
          sum += total(static_cast<const T*>(product.a)[a + p * product.a_col]) *
                 total(static_cast<const T*>(product.b)[b + p * product.b_row]);
        }
        T* out = static_cast<T*>(product.out) + at * product.out_batch + i * product.out_row + j * product.out_col;
        *out = T(beta == 0 ? alpha * sum : beta * total(*out) + alpha * sum);
      }
    }
  }
}

tb_status matmul(const tb_matmul* product, void*) {
  switch (product->dtype) {
    case TB_I64: matmul_of<int64_t>(*product); return TB_OK;
    case TB_F32: matmul_of<float>(*product); return TB_OK;
    case TB_F64: matmul_of<double>(*product); return TB_OK;
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::reference
