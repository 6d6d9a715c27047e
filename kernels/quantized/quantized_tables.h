// The tables of this build. CMake generates the list (quantized_tables.cpp.in); table.cpp, compiled once per
// instruction set, and vnni.cpp define the tables.
#pragma once

#include "quantized_kernels.h"

namespace tb_quantized_cpu {

struct table_list {
  const tb_quantized_kernels* const* first;
  const tb_quantized_kernels* const* last;
};

table_list tables() noexcept;

namespace scalar {
extern const tb_quantized_kernels table;
}
namespace sse2 {
extern const tb_quantized_kernels table;
}
namespace avx2 {
extern const tb_quantized_kernels table;
}
namespace avx512 {
extern const tb_quantized_kernels table;
}
namespace avx512vnni {
extern const tb_quantized_kernels table;
}

}  // namespace tb_quantized_cpu
