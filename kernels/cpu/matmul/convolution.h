// Declarations shared by the sources of the convolution.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

// Convolutions of few outputs per group, without products of matrices. False if another algorithm is faster.
bool convolve_directly(const tb_convolution& call, tb_status* status);

// Convolutions whose windows are longer than their results.
bool convolve_long(const tb_convolution& call, tb_status* status);

}  // namespace tb_cpu::TOPBIT_ARCH
