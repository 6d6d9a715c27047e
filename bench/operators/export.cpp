// The one symbol of a shared library of cells.
#include "side.h"

extern "C" __attribute__((visibility("default"))) bench::operators::library* topbit_bench_library() {
  return &bench::operators::this_library();
}
