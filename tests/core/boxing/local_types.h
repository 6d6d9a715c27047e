// What another source file says of its own type of the same name: see local_types.test.cpp.
#pragma once

import topbit.core;

namespace local_types {

topbit::value made_elsewhere();
topbit::operator_handle declared_elsewhere();

}  // namespace local_types
