// The CPU kernel tables of this build, slowest first, each with a function that tells whether this processor can run
// it.
//
// CMake generates the list from TOPBIT_CPU_ISAS (isa_targets.cpp.in); select.cpp reads it and contains no
// architecture's name. table.cpp, compiled once per architecture, defines the tables, and features_x86.cpp the checks.
#pragma once

#include "kernel_abi.h"

namespace tb_cpu {

struct isa_target {
  const char* isa;
  const tb_kernels* table;
  bool (*runs_here)() noexcept;
};

struct isa_target_list {
  const isa_target* first;
  const isa_target* last;
};

isa_target_list isa_targets() noexcept;  // never empty; the scalar build comes first

bool runs_sse2() noexcept;
bool runs_avx2() noexcept;
bool runs_avx512() noexcept;
// Whether a processor with AVX-512 has the instruction that multiplies pairs of bfloat16 numbers.
bool runs_avx512bf16() noexcept;

namespace scalar {
extern const tb_kernels table;
}
namespace sse2 {
extern const tb_kernels table;
}
namespace avx2 {
extern const tb_kernels table;
}
namespace avx512 {
extern const tb_kernels table;
}

}  // namespace tb_cpu
