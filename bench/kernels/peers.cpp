#include "peers.h"

namespace bench {

const std::vector<peer>& peers() {
  static const std::vector<peer> all = [] {
    std::vector<peer> found{topbit_peer()};
#ifdef BENCH_LIBTORCH
    found.push_back(libtorch_peer());
#endif
#ifdef BENCH_OPENBLAS
    found.push_back(openblas_peer());
#endif
#ifdef BENCH_EIGEN
    found.push_back(eigen_peer());
#endif
    found.push_back(step_by_hand());
    for (peer& p : yardsticks()) found.push_back(std::move(p));
    return found;
  }();
  return all;
}

}  // namespace bench
