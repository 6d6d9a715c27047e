module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;

namespace topbit {

std::string_view cpu_isa() noexcept {
  const std::string_view name = tb_cpu_kernels()->name;  // "cpu/avx2"
  return name.substr(name.find('/') + 1);
}

std::string_view cpu_isa_problem() noexcept {
  const char* text = tb_cpu_error();
  return text != nullptr ? text : std::string_view();
}

}  // namespace topbit
