#include "layouts.h"

import topbit.onednn;

namespace layouts {

std::vector<tb::tensor> of_mkldnn(const tb::tensor& t) { return {tb::to_mkldnn(t)}; }
tb::tensor& zero_mkldnn(tb::tensor& self) { return tb::zero_(self); }

}  // namespace layouts
