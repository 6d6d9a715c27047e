// The Autograd fallback: an operator without a rule does not lose its gradient silently. Registered when this module is
// loaded, from an interface partition, so that importing is enough even from a static archive.
export module topbit.autograd:unimplemented;

import topbit.std;
import topbit.core;

namespace topbit::detail {

registration register_unimplemented();
const registration unimplemented_registration = register_unimplemented();

}  // namespace topbit::detail
