// Which vector tables an x86-64 processor can run. Uses the compiler's run-time library, which also checks that the
// operating system saves the wide registers; the CPUID bit alone is not enough.
#include "isa/isa_targets.h"

namespace tb_cpu {

bool runs_sse2() noexcept { return true; }

bool runs_avx2() noexcept {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

// All features that the avx512 objects are compiled for.
bool runs_avx512() noexcept {
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

bool runs_avx512bf16() noexcept {
  static const bool found = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16") != 0;
  }();
  return found;
}

}  // namespace tb_cpu
