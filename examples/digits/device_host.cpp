#include "device.h"

std::string cuda_missing() { return "this program is built without the CUDA backend, demo_digits_cuda has it"; }
