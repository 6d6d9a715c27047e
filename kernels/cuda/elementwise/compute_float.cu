// Elementwise operations that compute in F32: numbers and predicates.
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const pass_table float_passes = table_of(number_passes<float>);

}  // namespace tb_cuda
