// A plugin whose device lacks a function: it is refused, and brings nothing.
#include "far_memory.h"

import topbit;
import topbit.backend;

[[maybe_unused]] const topbit::backend refused = topbit::author::register_backend(
    "refused", {.memory = {far_memory::allocate, far_memory::release, far_memory::copy_in}});
