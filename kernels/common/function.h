// The declaration specifiers of functions shared by host and device code.
#pragma once

#ifdef __CUDACC__
#  define TB_FUNCTION __host__ __device__ inline
#else
#  define TB_FUNCTION inline
#endif
