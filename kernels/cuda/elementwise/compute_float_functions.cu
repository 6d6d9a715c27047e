// Elementwise operations that compute in F32: functions.
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const pass_table float_function_passes = table_of(function_passes<float>);

}  // namespace tb_cuda
