// The tables of an x86-64 build. The feature questions go to the compiler's run-time library, which also asks the
// operating system whether it saves the wide registers; a CPU bit alone is not enough.
#include "candidates.h"
#include "layout.h"

namespace tb_cpu {
namespace {

bool always() noexcept { return true; }

bool has_avx2() noexcept {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

// The features that table.cpp's avx512 objects are compiled for, each of them.
bool has_avx512() noexcept {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

const candidate list[] = {
    {"reference", &reference::table, always},
    {"sse2", &sse2::table, always},
    {"avx2", &avx2::table, has_avx2},
    {"avx512", &avx512::table, has_avx512},
};

}  // namespace

candidate_list candidates() noexcept {
  __builtin_cpu_init();
  return {list, list + sizeof(list) / sizeof(list[0])};
}

}  // namespace tb_cpu
