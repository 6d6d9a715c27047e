// Device query of the demo, implemented in device_host.cpp, or in device_cuda.cpp for the program that links the CUDA
// backend.
#pragma once

#include <string>

// Why CUDA is unavailable; empty if it is available.
std::string cuda_missing();
