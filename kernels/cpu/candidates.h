// The CPU tables of this build, worst first, each with the question whether this processor can run it.
//
// Which list is built is a choice between candidates_x86.cpp and candidates_portable.cpp, made in CMake;
// select.cpp reads the list and knows no architecture. The tables themselves are defined in reference.cpp and,
// once per architecture, in table.cpp.
#pragma once

#include "kernel_abi.h"

namespace tb_cpu {

struct candidate {
  const char* isa;
  const tb_kernels* table;
  bool (*runs_here)() noexcept;
};

struct candidate_list {
  const candidate* first;
  const candidate* last;
};

candidate_list candidates() noexcept;  // never empty; the first is the reference

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
