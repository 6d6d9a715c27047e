#include "threads/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

#include "kernel_abi.h"
#include "threads/parallel.h"
#ifdef __linux__
#  include <sched.h>
#endif

namespace tb_cpu {

constinit int64_t parallel_grain = 32768;

namespace {

// Returns true if the variable is unset or an integer from 1 to `most`, which is then stored in `number`.
bool read(const char* variable, long most, long& number) noexcept {
  const char* const text = getenv(variable);
  if (text == nullptr || *text == '\0') return true;
  char* end = nullptr;
  errno = 0;
  const long found = strtol(text, &end, 10);
  if (errno != 0 || *end != '\0' || found < 1 || found > most) return false;
  number = found;
  return true;
}

int32_t processors() noexcept {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    const int count = CPU_COUNT(&set);
    return count < most_threads ? count : most_threads;
  }
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : online < most_threads ? int32_t(online) : most_threads;
}

struct choice {
  int32_t count;
  char error[160] = "";
};

choice choose() noexcept {
  choice result{processors()};
  long count = result.count;
  if (read("TOPBIT_NUM_THREADS", 1024, count)) {
    result.count = count < most_threads ? int32_t(count) : most_threads;
  } else {
    snprintf(result.error, sizeof result.error,
             "TOPBIT_NUM_THREADS is '%.32s', wanted a number from 1 to 1024; using %d", getenv("TOPBIT_NUM_THREADS"),
             result.count);
  }
  return result;
}

const choice& from_environment() noexcept {
  static const choice once = choose();
  return once;
}

std::atomic<int32_t> set_by_program{0};

}  // namespace

int32_t thread_count() noexcept {
  const int32_t set = set_by_program.load(std::memory_order_relaxed);
  return set != 0 ? set : from_environment().count;
}

bool read_parallel_grain() noexcept {
  long grain = parallel_grain;
  const bool good = read("TOPBIT_PARALLEL_GRAIN", 1L << 40, grain);
  parallel_grain = grain;
  return good;
}

}  // namespace tb_cpu

int32_t tb_cpu_threads(void) { return tb_cpu::thread_count(); }

void tb_cpu_run_parts(int64_t parts, void (*part)(const void* context, int64_t i), const void* context) {
  tb_cpu::run_parts(parts, part, context);
}

void tb_cpu_set_threads(int32_t count) {
  const int32_t most = tb_cpu::most_threads;
  tb_cpu::set_by_program.store(count < 1 ? 1 : count < most ? count : most, std::memory_order_relaxed);
}

const char* tb_cpu_threads_error(void) {
  const char* const text = tb_cpu::from_environment().error;
  return *text == '\0' ? nullptr : text;
}
