module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

void author::check_attachable(const tensor& t, const layer_extension& e) {
  if (!t.defined()) throw error("attach: found an undefined tensor, wanted a defined one");
  if (e.attached) throw error("attach: found an extension that a tensor has, wanted one for this tensor alone");
}

}  // namespace topbit
