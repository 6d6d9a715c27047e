// Finds the table of an instruction set. Compiled for the baseline processor.
#include <string.h>

#include "sparse_tables.h"

const tb_sparse_kernels* tb_sparse_kernels_for(const char* isa) {
  // The tables of kernels/cpu know what this processor runs.
  if (tb_cpu_kernels_for(isa) == nullptr) return nullptr;
  const tb_sparse::table_list tables = tb_sparse::tables();
  for (const tb_sparse_kernels* const* t = tables.first; t != tables.last; ++t) {
    if (strcmp((*t)->isa, isa) == 0) return *t;
  }
  return nullptr;
}
