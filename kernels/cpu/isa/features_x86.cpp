// Which vector tables an x86-64 processor can run. The questions go to the compiler's run-time library, which also asks
// the operating system whether it saves the wide registers; a CPU bit alone is not enough.
#include "isa/isa_targets.h"

namespace tb_cpu {

bool runs_sse2() noexcept { return true; }

bool runs_avx2() noexcept {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

// The features that table.cpp's avx512 objects are compiled for, each of them.
bool runs_avx512() noexcept {
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

}  // namespace tb_cpu
