// Registers what the module adds to operators, when it is initialised. In an interface partition, so that every program
// that imports the module runs it, before its own statics.
export module topbit.onednn:registration;

import topbit.std;

namespace topbit::onednn {

bool register_onednn();
const bool onednn_registered = register_onednn();

}  // namespace topbit::onednn
