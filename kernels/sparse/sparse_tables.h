// The tables of this build. CMake generates the list (sparse_tables.cpp.in); table.cpp, compiled once per instruction
// set, defines the tables.
#pragma once

#include "sparse_kernels.h"

namespace tb_sparse {

struct table_list {
  const tb_sparse_kernels* const* first;
  const tb_sparse_kernels* const* last;
};

table_list tables() noexcept;

namespace scalar {
extern const tb_sparse_kernels table;
}
namespace sse2 {
extern const tb_sparse_kernels table;
}
namespace avx2 {
extern const tb_sparse_kernels table;
}
namespace avx512 {
extern const tb_sparse_kernels table;
}

}  // namespace tb_sparse
