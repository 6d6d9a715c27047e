// Elementwise operations that compute in I64.
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const variant_table integer_variants = table_of(all_variants<int64_t>);

}  // namespace tb_cuda
