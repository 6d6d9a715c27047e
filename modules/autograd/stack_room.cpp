// How much of its stack a thread has left.
module;

#include <pthread.h>

module topbit.autograd;

import topbit.std;

namespace topbit::detail {

namespace {

// Where the stack that the system made for this thread lies; nothing if it does not say.
struct stack_bounds {
  std::uintptr_t low = 0, high = 0;
  stack_bounds() noexcept {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* begin = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
      low = reinterpret_cast<std::uintptr_t>(begin);
      high = low + size;
    }
    pthread_attr_destroy(&attributes);
  }
};

}  // namespace

bool is_stack_short() noexcept {
  // What raising an error from here, and a hook that does not begin another run, may take.
  constexpr std::uintptr_t enough = std::uintptr_t{128} << 10;
  static thread_local const stack_bounds mine;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // A stack of a user's own, as coroutines have, is another one.
  return here >= mine.low && here < mine.high && here - mine.low < enough;
}

}  // namespace topbit::detail
