// Where a compiler's time went, from the trace that clang writes with -ftime-trace.
#pragma once

#include <iosfwd>
#include <string>

namespace profile {

// Prints the phases and the templates that took most, each without what happened inside of it that is listed elsewhere.
// Throws std::runtime_error where the file is no trace.
void print(std::ostream& out, const std::string& trace);

}  // namespace profile
