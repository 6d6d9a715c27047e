// A stopwatch: how long the calls of some operators took on this thread, by one kernel for all of them, whose arguments
// are not boxed. Copy namespace stopwatch.
#include <array>
#include <chrono>
#include <iostream>

import topbit;
namespace tb = topbit;

namespace stopwatch {
constexpr tb::dispatch_key own_key = tb::key::UserMiddle2;
using clock = std::chrono::steady_clock;
thread_local clock::duration spent{0};
thread_local int calls = 0;

struct timed {
  static constexpr tb::author::kernel_note note{"takes the time"};
  template <class R, class... A>
  R operator()(tb::typed_handle<R(A...)> op, tb::key_set keys, A... a) const {
    struct lap {
      clock::time_point start = clock::now();
      ~lap() {
        spent += clock::now() - start;
        ++calls;
      }
    } running;
    return op.redispatch(keys.below_highest(), static_cast<A>(a)...);
  }
};

const std::array rows{tb::author::signature_row<timed{}>(tb::aten::mm, own_key),
                      tb::author::signature_row<timed{}>(tb::aten::add_Tensor, own_key),
                      tb::author::signature_row<timed{}>(tb::aten::add_Tensor_, own_key)};
const auto kernels = tb::static_dispatch::install(rows);
const auto others = tb::fallthrough(own_key);  // not timed
}  // namespace stopwatch

int main() {
  tb::tensor x = tb::ones({64, 64});
  {
    const tb::include_guard timing(stopwatch::own_key);
    x = tb::mm(x, x) * x;
    x += x;
  }
  x += x;
  std::cout << stopwatch::calls << " calls, longer than 0: " << (stopwatch::spent.count() > 0 ? "yes" : "no")
            << '\n';                              // prints: 2 calls, longer than 0: yes
  std::cout << tb::to_string(x.sizes()) << '\n';  // prints: [64, 64]
}
