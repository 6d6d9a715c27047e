#include "launch.cuh"
#include "table.cuh"

namespace tb_cuda {

tb_status matmul(const tb_matmul*, void*) { return TB_NOT_BUILT; }

}  // namespace tb_cuda
