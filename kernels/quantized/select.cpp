// Finds the table of an instruction set. Compiled for the baseline processor.
#include <string.h>

#include "quantized_kernels.h"

namespace tb_quantized_cpu {

const tb_quantized_kernels* find_table(const char* isa);  // null if this build has none; see layout_tables.cpp.in

namespace {

bool has_vnni() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

}  // namespace
}  // namespace tb_quantized_cpu

const tb_quantized_kernels* tb_quantized_kernels_for(const char* isa) {
  const bool without_vnni = strcmp(isa, "avx512bw") == 0;
  const char* const family = without_vnni ? "avx512" : isa;
  // The tables of kernels/cpu know what this processor runs.
  if (tb_cpu_kernels_for(family) == nullptr) return nullptr;
  if (!without_vnni && strcmp(family, "avx512") == 0 && tb_quantized_cpu::has_vnni()) {
    return tb_quantized_cpu::find_table("avx512vnni");
  }
  return tb_quantized_cpu::find_table(family);
}
