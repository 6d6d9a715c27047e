// Before the first header of Thrust: it would include the headers of the CUDA runtime wherever it finds them, and those
// of this folder are in their place.
#pragma once

#include <cuda/std/__cccl/compiler.h>

#pragma push_macro("_CCCL_HAS_INCLUDE")
#undef _CCCL_HAS_INCLUDE
#define _CCCL_HAS_INCLUDE(header) 0
#include <cuda/std/__cccl/cuda_toolkit.h>
#pragma pop_macro("_CCCL_HAS_INCLUDE")
