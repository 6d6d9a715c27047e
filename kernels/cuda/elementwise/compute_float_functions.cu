// Elementwise operations that compute in F32: the TB_ELEMENTWISE_FUNCTION lines of elementwise.def.
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const variant_table float_function_variants = table_of(function_variants<float>);

}  // namespace tb_cuda
