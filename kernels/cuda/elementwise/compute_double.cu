// Elementwise operations that compute in F64.
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const pass_table double_passes = table_of(all_passes<double>);

}  // namespace tb_cuda
