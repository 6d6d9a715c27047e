#include "kernels.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace ocl {

namespace {

thread_local std::string last_text;

constexpr const char* types[] = {"uchar", "uchar",  "char",   "short", "int",
                                 "long",  "ushort", "ushort", "float", "double"};

constexpr const char* common = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  long stride[4][8], value[4], number[3];
  uint size[8], multiply[8], shift[8], row, items, dims, first_kept;
  int code[4];
} layout;
uint quotient(uint n, uint multiply, uint shift) { return (mul_hi(n, multiply) + n) >> shift; }
)";
// $T, $R, $N: the type of computation, that of results, and the width of vectors, nothing for one element.
constexpr const char* conversions = R"(
long$N to_long$N(double$N x) { return (x >= -0x1p63) & (x < 0x1p63) ? convert_long$N(x) : (long$N)LONG_MIN; }
ushort$N to_bfloat16$N(float$N x) {
  uint$N bits = as_uint$N(x), near = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return convert_ushort$N((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16 | 0x40) : near);
}
float$N of_bfloat16$N(ushort$N x) { return as_float$N(convert_uint$N(x) << 16); }
ushort$N to_half$N(float$N x) {
  uint$N bits = as_uint$N(x), size = bits & 0x7fffffff, rounded = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
  uint$N denormal = as_uint$N(as_float$N(size) + 0.5f) - 0x3f000000, no_number = size > 0x7f800000 ? (uint$N)0x7e00 : (uint$N)0x7c00;
  return convert_ushort$N((bits >> 16 & 0x8000) | (size >= 0x47800000 ? no_number : size < 0x38800000 ? denormal : rounded));
}
float$N of_half$N(ushort$N x) {
  uint$N bits = convert_uint$N(x), size = (bits & 0x7fff) << 13, scaled = as_uint$N(as_float$N(size) * 0x1p112f);
  return as_float$N((bits & 0x8000) << 16 | (size >= 0x0f800000 ? size | 0x7f800000 : scaled));
}
)";

// Elements at p + i, in the address space of `p`. Halves are converted by integer operations: not every OpenCL loads
// vectors of them from any address.
std::string loaded(std::int32_t dtype, std::int32_t compute, const std::string& n, const std::string& space) {
  const std::string type = types[dtype], at = "(const " + space + type + "*)p";
  std::string x = n.empty() ? "(" + at + ")[i]" : "vload$N(0, " + at + " + i)", zero = "(" + type + ")0";
  if (dtype == TB_F16) x = "of_half$N(" + x + ")";
  if (dtype == TB_BF16) x = "of_bfloat16$N(" + x + ")";
  if (dtype == TB_F16 || dtype == TB_BF16) zero = "(float)0";
  if (dtype == TB_BOOL || compute == TB_BOOL)
    return "convert_$T(convert_uchar$N(" + x + " != " + zero + ") & (uchar)1)";
  if (compute == TB_I64 && is_real(dtype)) return "to_long$N(convert_double$N(" + x + "))";
  return "convert_$T(" + x + ")";
}
std::string stored(std::int32_t dtype, std::int32_t result, const std::string& n) {
  const std::string type = types[dtype], at = "(__global " + type + "*)p";
  std::string v = "convert_" + type + "$N(x)";
  if (!is_real(dtype) && is_real(result)) v = "convert_" + type + "$N(to_long$N(convert_double$N(x)))";
  if (dtype == TB_BOOL) v = "convert_uchar$N(x != ($R)0) & (uchar)1";
  if (dtype == TB_F16) v = "to_half$N(convert_float$N(x))";
  if (dtype == TB_BF16) v = "to_bfloat16$N(convert_float$N(x))";
  return n.empty() ? "(" + at + ")[i] = " + v : "vstore$N(" + v + ", 0, " + at + " + i)";
}

std::string access(std::int32_t compute, std::int32_t result, unsigned dtypes, const std::string& n) {
  std::string load, number, store;
  for (std::int32_t t = 0; t < TB_DTYPE_COUNT; ++t) {
    if ((dtypes >> t & 1) == 0) continue;
    const std::string found = "    case " + std::to_string(t) + ": ";
    load += found + "return " + loaded(t, compute, n, "__global ") + ";\n";
    if (n.empty()) number += found + "return " + loaded(t, compute, n, "") + ";\n";
    store += found + stored(t, result, n) + "; break;\n";
  }
  const auto function = [](const std::string& head, const std::string& cases, const std::string& end) {
    return head + " {\n  switch (code) {\n" + cases + "  }\n" + end + "}\n";
  };
  std::string text = conversions +
                     function("$T load$N(int code, const __global void* p, long i)", load, "  return 0;\n") +
                     function("void store$N(int code, __global void* p, long i, $R x)", store, "");
  if (n.empty()) text += function("$T number(int code, const void* p, long i)", number, "  return 0;\n");
  return replaced(text, "$T", types[compute] + n, "$R", types[result] + n, "$N", n);
}

}  // namespace

const char* last_error() { return last_text.c_str(); }
tb_status failed(const error& e) {
  last_text = e.what();
  const bool memory = e.status == CL_MEM_OBJECT_ALLOCATION_FAILURE || e.status == CL_OUT_OF_HOST_MEMORY;
  return memory ? TB_OUT_OF_MEMORY : TB_DEVICE_ERROR;
}

std::size_t bytes_of(std::int32_t dtype) {
  return std::to_array<std::size_t>({1, 1, 1, 2, 4, 8, 2, 2, 4, 8})[static_cast<std::size_t>(dtype)];
}
std::int64_t count_of(const tb_plan& plan, int from, int to) {
  std::int64_t count = 1;
  for (int d = from; d < to; ++d) count *= plan.sizes[d];
  return count;
}
std::int64_t many() {
  static const char* const text = std::getenv("TOPBIT_OPENCL_MANY");
  static const std::int64_t least = text != nullptr ? std::strtoll(text, nullptr, 10) : 4096;
  return least;
}

layout::layout(const tb_plan& plan) {
  std::memset(this, 0, sizeof *this);
  dims = static_cast<std::uint32_t>(plan.ndim);
  for (int d = 0; d < plan.ndim; ++d) set_size(d, plan.sizes[d]);
  std::fill_n(code, TB_MAX_OPERANDS, with_call);
  for (int j = 0; j < plan.operands; ++j) {
    const tb_operand& o = plan.operand[j];
    code[j] = o.dtype | (o.on_host != 0 ? with_call : 0);
    if (o.on_host != 0)
      std::memcpy(&value[j], o.data, bytes_of(o.dtype));
    else
      std::copy_n(o.strides, plan.ndim, stride[j]);
  }
}
void layout::set_size(int d, std::int64_t n) {
  size[d] = static_cast<std::uint32_t>(n);
  shift[d] = static_cast<std::uint32_t>(std::bit_width(size[d] - 1));
  multiply[d] =
      static_cast<std::uint32_t>((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift[d]) - size[d]) / size[d] + 1);
}

std::string replace_all(std::string text, const std::vector<std::string>& words) {
  for (std::size_t w = 0; w < words.size(); w += 2) {
    for (std::size_t at = 0; (at = text.find(words[w], at)) != std::string::npos; at += words[w + 1].size())
      text.replace(at, words[w].size(), words[w + 1]);
  }
  return text;
}
const char* type_of(std::int32_t dtype) { return types[dtype]; }

std::string prelude(std::int32_t compute, std::int32_t result, int width, unsigned dtypes) {
  return common + access(compute, result, dtypes, "") +
         (width == 1 ? "" : access(compute, result, dtypes, std::to_string(width)));
}

}  // namespace ocl
