// Prints which CPU table this process chose, and why not another: the subject of the kernels.choice tests.
#include <cstdio>

#include "kernel_abi.h"

int main() {
  std::printf("%s\n", tb_cpu_kernels()->name);
  if (const char* error = tb_cpu_error(); error != nullptr) std::printf("%s\n", error);
  return 0;
}
