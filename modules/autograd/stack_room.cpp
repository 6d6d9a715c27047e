// Detects that a thread's stack is nearly used up, for nested backward runs.
module;

#include <pthread.h>

module topbit.autograd;

import topbit.std;

namespace topbit::detail {

namespace {

// Bounds of the stack that the system made for this thread; both 0 if unknown.
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
  // Bytes for throwing an error and for a hook that starts no other run.
  constexpr std::uintptr_t enough = std::uintptr_t{128} << 10;
  static thread_local const stack_bounds mine;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // Code on a user-allocated stack, such as a coroutine's, is outside the bounds and not checked.
  return here >= mine.low && here < mine.high && here - mine.low < enough;
}

}  // namespace topbit::detail
