module topbit.autocast;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

bool register_autocast() {
  register_autocast_state();
  author::install_casts<backend::CPU, autocast_cpu>().keep();
  author::install_casts<backend::CUDA, autocast_cuda>().keep();
  return true;
}

}  // namespace topbit::detail
