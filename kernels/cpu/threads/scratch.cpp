// The per-thread buffers of scratch.h. Compiled once, for the baseline processor, so that all architectures share them.
#include "threads/scratch.h"

#include <stdlib.h>

namespace tb_cpu {
namespace {

struct buffer {
  void* data = nullptr;
  int64_t bytes = 0;

  // A thread may still call kernels after this destructor, from destructors of its thread_local objects: the buffer is
  // allocated again then and never freed.
  ~buffer() {
    free(data);
    data = nullptr;
    bytes = 0;
  }
};

thread_local buffer buffers[3];

}  // namespace

void* scratch(int64_t bytes, scratch_level level) noexcept {
  buffer& mine = buffers[static_cast<int>(level)];
  if (bytes > mine.bytes) {
    free(mine.data);
    mine.data = nullptr;
    mine.bytes = 0;
    void* fresh = nullptr;
    if (posix_memalign(&fresh, 64, static_cast<size_t>(bytes)) != 0) return nullptr;
    mine.data = fresh;
    mine.bytes = bytes;
  }
  return mine.data;
}

}  // namespace tb_cpu
