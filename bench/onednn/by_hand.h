// oneDNN without topbit: a primitive that is made once and executed on memory that stays.
#pragma once

#include <cstdint>
#include <functional>

struct convolution_shape {
  std::int64_t images, channels, outputs, size, window, stride, padding;
};

// Executes a convolution with a bias of random numbers, weights in the format it wants, on one thread.
std::function<void()> convolution_by_hand(const convolution_shape& c);
// Executes relu of so many elements.
std::function<void()> relu_by_hand(std::int64_t elements);
