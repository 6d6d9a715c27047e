// Elementwise operations that compute in F64.
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const variant_table double_variants = table_of(all_variants<double>);

}  // namespace tb_cuda
