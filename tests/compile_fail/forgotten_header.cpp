// expect: error: missing '#include .*'; 'string' must be declared before it is used$
// topic: modules
// An import brings the names of topbit and none of the standard library's; headers are included, before it.
#include <vector>
#ifndef FIXED
import topbit.core;
#else
#  include <string>
import topbit.core;
#endif

std::vector<std::string> names;
