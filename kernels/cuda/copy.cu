#include "launch.cuh"
#include "table.cuh"

namespace tb_cuda {

tb_status copy(const tb_plan*, void*) { return TB_NOT_BUILT; }

}  // namespace tb_cuda
