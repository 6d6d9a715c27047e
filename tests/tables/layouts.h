// What the tests of tables ask of oneDNN's layout: defined in with_onednn.cpp, or in without_onednn.cpp. Include this
// after every other header: it imports.
#pragma once

#include <vector>

#include "article.h"

import topbit;
import topbit.sparse;

namespace tb = topbit;

namespace layouts {

/// The tensor in that layout; nothing where it is not built.
std::vector<tb::tensor> of_mkldnn(const tb::tensor& t);
tb::tensor& zero_mkldnn(tb::tensor& self);

}  // namespace layouts
