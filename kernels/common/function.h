// How a function that host and device share is declared.
#pragma once

#ifdef __CUDACC__
#  define TB_FUNCTION __host__ __device__ inline
#else
#  define TB_FUNCTION inline
#endif
