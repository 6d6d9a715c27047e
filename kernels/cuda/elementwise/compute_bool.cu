// Elementwise operations that compute in BOOL.
#ifdef __CUDACC__
// Warning 186: comparison of an unsigned value with 0.
#  pragma nv_diag_suppress 186
#endif
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const variant_table bool_variants = table_of(all_variants<bool_t>);

}  // namespace tb_cuda
