// A system clock after whose first reading another program has the processor for a while. Linked into the program that
// trace_environment.test.cpp runs, in the place of the one of the C library.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t which, timespec* to) noexcept {
  static bool read_before = false;  // by the one thread that runs before main()
  const long result = syscall(SYS_clock_gettime, which, to);
  if (which == CLOCK_MONOTONIC && !read_before) {
    read_before = true;
    const timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
  return static_cast<int>(result);
}
