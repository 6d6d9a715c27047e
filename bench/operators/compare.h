// Whether two libraries have computed the same.
#pragma once

#include <string>

#include "library.h"
#include "plan.h"

namespace bench::operators {

// What is wrong, or nothing: "result 1, element 7 of 1024: 0.5 beside 0.25". An element may differ by the precision of
// the result's type times the operator's slack, of its own size and of the root mean square of the result.
std::string difference(library& first, library& second, const operation& of);

}  // namespace bench::operators
