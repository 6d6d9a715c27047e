// Matrix products: transposes the call if the columns of the result are contiguous, and chooses the implementation.
// cuBLASLt computes what it supports, followed by an epilogue kernel if needed; tiled kernels compute the rest.
#include "matmul/cublas_lt.cuh"
#include "matmul/tiled.cuh"
#include "product_forms.h"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

// Below this, launch overhead dominates and cuBLASLt launches more slowly. For small results the depth dominates,
// which the tiled kernels split into parts.
constexpr int64_t least_library_work = 32 * 32 * 32, least_library_result = 256;

tb_status find_fault(const tb_matmul& p) {
  switch (p.dtype) {
    case TB_I64:
    case TB_F32:
    case TB_F64:
      if (p.out_dtype != p.dtype) return TB_UNSUPPORTED_DTYPE;
      break;
    case TB_F16:
    case TB_BF16:
      if (p.out_dtype != p.dtype && p.out_dtype != TB_F32) return TB_UNSUPPORTED_DTYPE;
      break;
    default: return TB_UNSUPPORTED_DTYPE;
  }
  if (p.activation < 0 || p.activation == TB_RELU) return TB_OK;
  switch (p.activation) {
    case TB_SIGMOID:
    case TB_TANH:
    case TB_SILU:
    case TB_GELU:
    case TB_GELU_TANH: return p.dtype == TB_I64 ? TB_UNSUPPORTED_DTYPE : TB_OK;
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

int32_t compute_dtype(const tb_matmul& p) { return p.dtype == TB_F64 ? TB_F64 : TB_F32; }

// The activation runs as a second pass in place if the result has the compute type, so that rounding is the same as
// in a fused epilogue; relu always does, since it commutes with rounding.
library_answer with_its_epilogue(const scope& on, const tb_matmul& p) {
  tb_matmul product = p;
  product.activation = -1;
  const bool in_place = p.activation < 0 || p.activation == TB_RELU || p.out_dtype == compute_dtype(p);
  if (!in_place) return {TB_OK, false};
  const library_answer answer = multiply_by_library(on, product);
  if (!answer.done || p.activation < 0) return answer;
  return {activate_result(on, p), true};
}

// Computes the sums alone into temporary memory; finish_sums applies the epilogue.
library_answer sums_alone(const scope& on, const tb_matmul& p) {
  tb_matmul sums = p;
  const temporary memory(on, uint64_t(p.batch * p.m * p.n) * (p.dtype == TB_F64 ? sizeof(double) : sizeof(float)));
  if (memory.status() != TB_OK) return {TB_OK, false};
  sums.out = memory.data();
  sums.out_row = p.n;
  sums.out_col = 1;
  sums.out_batch = p.m * p.n;
  sums.out_dtype = compute_dtype(p);
  sums.added = nullptr;
  sums.alpha.f = 1;
  sums.activation = -1;
  const library_answer answer = multiply_by_library(on, sums);
  if (!answer.done) return answer;
  return {finish_sums(on, p, memory.data(), 1), true};
}

bool is_worth_library(const tb_matmul& p) {
  if (p.dtype == TB_I64 || p.m < 2 || p.n < 2 || p.k < 1 || p.m * p.n < least_library_result) return false;
  const bool a = p.a_row == 1 || p.a_col == 1, b = p.b_row == 1 || p.b_col == 1;
  return a && b && double(p.m) * double(p.n) * double(p.k) * double(p.batch) >= double(least_library_work);
}

}  // namespace

tb_status matmul(const tb_matmul* given, const tb_call* where) {
  const tb_status fault = find_fault(*given);
  if (fault != TB_OK) return fault;
  tb_matmul p = *given;
  if (p.m <= 0 || p.n <= 0 || p.batch <= 0) return TB_OK;
  if (p.k < 0) p.k = 0;
  if (p.k == 0) p.a = p.b = p.out;  // never read; matrices without elements may have null data
  const scope on(p.out, where);
  if (on.status() != TB_OK) return on.status();
  if (p.out_col != 1 && p.out_row == 1) tb_kernel::transpose(p);
  tb_kernel::join_batch(p);
  if (is_worth_library(p) && has_library()) {
    library_answer answer = with_its_epilogue(on, p);
    if (answer.status == TB_OK && !answer.done) answer = sums_alone(on, p);
    if (answer.status != TB_OK || answer.done) return answer.status;
  }
  return multiply_in_tiles(on, p);
}

}  // namespace tb_cuda
