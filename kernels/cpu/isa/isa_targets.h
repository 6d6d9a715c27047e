// The CPU tables of this build, worst first, each with the question whether this processor can run it.
//
// The list is made by CMake from TOPBIT_CPU_ISAS (isa_targets.cpp.in); select.cpp reads it and knows no architecture.
// The tables themselves are defined in reference.cpp and, once per architecture, in table.cpp; the questions in
// features_x86.cpp.
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

isa_target_list isa_targets() noexcept;  // never empty; the first is the reference

bool runs_sse2() noexcept;
bool runs_avx2() noexcept;
bool runs_avx512() noexcept;

namespace reference {
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
