// The library that this program, or shared library, was compiled with.
#pragma once

#include <vector>

#include "library.h"
#include "plan.h"

namespace bench::operators {

// In the order of the library's list.
std::vector<operation> operations();
library& this_library();

}  // namespace bench::operators
