// The entries of the kernel table, and what their programs have in common.
#pragma once

#include <topbit/kernel_abi.h>

#include <new>
#include <utility>

#include "opencl.h"

namespace ocl {

tb_status copy(const tb_plan* plan, const tb_call* call);
tb_status elementwise(const tb_elementwise* e, const tb_call* call);
tb_status reduce(const tb_reduction* r, const tb_call* call);

std::int32_t runs_elementwise(std::int32_t op);
std::int32_t runs_reduction(std::int32_t op);

// Of this thread's last failed(), for tb_kernels::last_error.
const char* last_error();
tb_status failed(const error& e);
template <class Run>
tb_status guarded(Run run) {
  try {
    run();
    return TB_OK;
  } catch (const error& e) {
    return failed(e);
  } catch (const std::bad_alloc&) {
    return TB_OUT_OF_MEMORY;
  }
}

inline device& device_of(const tb_call* call) { return *devices()[static_cast<std::size_t>(call->device)]; }
constexpr bool is_real(std::int32_t dtype) { return dtype >= TB_F16; }
std::size_t bytes_of(std::int32_t dtype);

// Programs count in 32 bits; calls of more elements are left to the host.
constexpr std::int64_t most_elements = std::int64_t{1} << 30;
std::int64_t count_of(const tb_plan& plan, int from, int to);
// How many elements make a program of their own worth its compilation. TOPBIT_OPENCL_MANY is for tests.
std::int64_t many();

// A call as the programs see it. The code of an operand is its dtype, and whether the operand is a number that comes
// with the call, one element for all, or not dense.
enum { with_call = 16, repeated = 32, apart = 64 };
struct layout {
  std::int64_t stride[TB_MAX_OPERANDS][TB_MAX_DIMS];
  std::int64_t value[TB_MAX_OPERANDS];  // the bytes of operands that come with the call
  std::int64_t number[TB_MAX_NUMBERS];  // an int64, or the bytes of a double
  std::uint32_t size[TB_MAX_DIMS], multiply[TB_MAX_DIMS], shift[TB_MAX_DIMS];
  std::uint32_t row, items, dims, first_kept;
  std::int32_t code[TB_MAX_OPERANDS];

  explicit layout(const tb_plan& plan);
  // Division by a size is a multiplication and a shift, for what is below 2^31.
  void set_size(int d, std::int64_t n);
};

// Text of programs: each word is followed by what takes its place. Of words that begin alike the longest comes first.
std::string replace_all(std::string text, const std::vector<std::string>& words);
template <class... Words>
std::string replaced(std::string text, const Words&... words) {
  return replace_all(std::move(text), {std::string(words)...});
}
const char* type_of(std::int32_t dtype);  // "float" for TB_F32

// What all programs begin with: the layout, and functions that take elements to `compute` and from `result`, for the
// dtypes whose bits are set: load(code, address, index), number(code, bytes, 0) and store(code, address, index, value).
// With a width of 8 also load8() and store8().
std::string prelude(std::int32_t compute, std::int32_t result, int width, unsigned dtypes);

constexpr std::uint64_t of_elementwise = 1ULL << 60, of_reduce = 2ULL << 60, of_join = 3ULL << 60;  // in keys

}  // namespace ocl
