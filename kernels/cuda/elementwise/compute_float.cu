// Elementwise operations that compute in F32: the TB_ELEMENTWISE_NUMBER lines of elementwise.def.
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const variant_table float_variants = table_of(number_variants<float>);

}  // namespace tb_cuda
