// Include before the first Thrust header: keeps Thrust from including the toolkit's CUDA runtime headers, which the
// headers of this folder replace.
#pragma once

#include <cuda/std/__cccl/compiler.h>

#pragma push_macro("_CCCL_HAS_INCLUDE")
#undef _CCCL_HAS_INCLUDE
#define _CCCL_HAS_INCLUDE(header) 0
#include <cuda/std/__cccl/cuda_toolkit.h>
#pragma pop_macro("_CCCL_HAS_INCLUDE")
