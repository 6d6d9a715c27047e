// There is no cuBLASLt for the host: every product is made by the kernels of this project.
#include "matmul/cublas_lt.cuh"

namespace tb_cuda {

bool has_library() { return false; }

library_answer multiply_by_library(const scope&, const tb_matmul&) { return {TB_OK, false}; }

}  // namespace tb_cuda
