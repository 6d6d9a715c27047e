// The layout's module is not built.
#include "layouts.h"

namespace layouts {

std::vector<tb::tensor> of_mkldnn(const tb::tensor&) { return {}; }
tb::tensor& zero_mkldnn(tb::tensor& self) { return self; }

}  // namespace layouts
