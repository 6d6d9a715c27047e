// Elementwise operations that compute in BOOL.
#ifdef __CUDACC__
// That no BOOL is below zero is known.
#  pragma nv_diag_suppress 186
#endif
#include "elementwise/operations.cuh"

namespace tb_cuda {

constinit const variant_table bool_variants = table_of(all_variants<bool_t>);

}  // namespace tb_cuda
