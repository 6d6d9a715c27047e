// The per-thread buffers behind scratch.h. Compiled for the baseline processor, once for all architectures, so
// that switching tables does not keep buffers for each.
#include "threads/scratch.h"

#include <stdlib.h>

namespace tb_cpu {
namespace {

struct buffer {
  void* data = nullptr;
  int64_t bytes = 0;

  // A thread may still call kernels while it ends, from destructors of its statics: it begins anew then, and what that
  // takes is not given back.
  ~buffer() {
    free(data);
    data = nullptr;
    bytes = 0;
  }
};

thread_local buffer buffers[2];

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
