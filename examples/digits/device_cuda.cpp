#include "device.h"

import topbit.cuda;

std::string cuda_missing() { return topbit::cuda_available() ? std::string() : topbit::cuda_unavailable_reason(); }
