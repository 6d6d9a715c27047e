// Elementwise operations that compute in I64.
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const pass_table integer_passes = table_of(all_passes<int64_t>);

}  // namespace tb_cuda
