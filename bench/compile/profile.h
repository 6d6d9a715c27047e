// Where a compiler's time went, from the trace that clang writes with -ftime-trace.
#pragma once

#include <iosfwd>
#include <string>

namespace profile {

// Prints how long front end and back end took, and the phases and templates that took most, each without what was
// nested in it. Throws std::runtime_error where the file is no trace.
void print(std::ostream& out, const std::string& path);

}  // namespace profile
