// What the program asks about the device to compute on: answered by device_host.cpp, or by device_cuda.cpp in the
// program that links the CUDA backend.
#pragma once

#include <string>

// Why there is no GPU to compute on; empty where there is one.
std::string cuda_missing();
