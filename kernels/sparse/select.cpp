// Finds the table of an instruction set. Compiled for the baseline processor.
#include "sparse_kernels.h"

namespace tb_sparse {
const tb_sparse_kernels* find_table(const char* isa);  // null if this build has none; see layout_tables.cpp.in
}

const tb_sparse_kernels* tb_sparse_kernels_for(const char* isa) {
  // The tables of kernels/cpu know what this processor runs.
  return tb_cpu_kernels_for(isa) != nullptr ? tb_sparse::find_table(isa) : nullptr;
}
