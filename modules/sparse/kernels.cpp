module;

#include "sparse_kernels.h"

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kernels;

namespace topbit::sparse {

const tb_sparse_kernels& kernels() noexcept {
  static const tb_sparse_kernels* const found = [] {
    const tb_sparse_kernels* const best = tb_sparse_kernels_for(std::string(cpu_isa()).c_str());
    return best != nullptr ? best : tb_sparse_kernels_for("scalar");
  }();
  return *found;
}

tb_csr csr_view(const tensor& compressed, const tensor& plain, std::int64_t columns) {
  return {.compressed = compressed.data(),
          .plain = plain.data(),
          .rows = compressed.sizes()[0] - 1,
          .columns = columns,
          .nnz = plain.sizes()[0],
          .index = code_of(plain.dtype()),
          .reserved = 0};
}

}  // namespace topbit::sparse
