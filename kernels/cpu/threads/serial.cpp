// The build without oneTBB: tasks run sequentially on the calling thread.
#include "threads/count.h"
#include "threads/parallel.h"

namespace tb_cpu {

const int32_t most_threads = 1;

int32_t threads() noexcept { return 1; }

void run_parts(int64_t parts, void (*part)(const void* context, int64_t i), const void* context) noexcept {
  for (int64_t i = 0; i < parts; ++i) part(context, i);
}

}  // namespace tb_cpu
