// Interface between runtime.cpp and streams.cpp.
#pragma once

#include <mutex>

#include "runtime.h"

namespace cuda_emulation {

constexpr int devices = 2;

// Held during every access to the emulated machine.
std::recursive_mutex& machine_lock();
int current_device();
// Sets the error that cudaGetLastError returns.
cudaError_t result(cudaError_t error);
// Pageable host memory, which the device copies through a staging buffer: such a copy is complete on the host side
// when the call returns.
bool is_pageable(const void* p);
// Executes all submitted work of all devices.
void finish_all();
// Whether a kernel of the device touched invalid memory; the device fails every call after that.
bool is_lost(int device);

}  // namespace cuda_emulation
