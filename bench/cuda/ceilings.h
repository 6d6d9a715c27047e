// What the card can do, measured without the library: in CUDA alone.
#pragma once

#include <cstdint>

// All throw std::runtime_error with CUDA's words.

// Bytes per second of the fastest of a few copies of `bytes` within the device, counting what is read and written.
double copy_rate(std::int64_t bytes);
// The same for reading alone.
double read_rate(std::int64_t bytes);
// Seconds of the host for launching an empty kernel, the median of rounds that do not fill the queue.
double launch_seconds();
// FLOP/s of the vendor's library for a product of n x n matrices of random bfloat16, accumulated in float, with the
// fastest of the algorithms that it proposes; 0 if the library is not there.
double library_product_rate(std::int64_t n);
