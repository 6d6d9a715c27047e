// What the two halves of the runtime know of each other.
#pragma once

#include <mutex>

#include "runtime.h"

namespace cuda_emulation {

constexpr int devices = 2;

// Held while anything of the machine is looked at or done.
std::recursive_mutex& machine_lock();
int current_device();
// Keeps an error for cudaGetLastError.
cudaError_t result(cudaError_t error);
// Memory of the host that the device copies through a place of its own: such copies have read, or written, when the
// call returns.
bool is_pageable(const void* p);
// All that was submitted, of all devices.
void finish_all();
// Whether a kernel of the device touched what is no memory. Nothing works on it after that.
bool is_lost(int device);

}  // namespace cuda_emulation
