// The shared library's one symbol.
#include "../side.h"

extern "C" __attribute__((visibility("default"))) bench::operators::library* topbit_bench_library() {
  return &bench::operators::this_library();
}
