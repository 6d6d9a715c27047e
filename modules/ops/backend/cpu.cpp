module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;

namespace topbit {

std::string_view cpu_isa() noexcept {
  const std::string_view name = tb_cpu_kernels()->name;  // "cpu/avx2"
  return name.substr(name.find('/') + 1);
}

std::string_view cpu_isa_problem() noexcept {
  const char* text = tb_cpu_error();
  return text != nullptr ? text : std::string_view();
}

int num_threads() noexcept { return tb_cpu_threads(); }

void set_num_threads(int count) {
  if (count < 1 || count > 1024) {
    throw bad_argument("set_num_threads: found " + std::to_string(count) + ", wanted 1 to 1024");
  }
  tb_cpu_set_threads(count);
}

std::string_view num_threads_problem() noexcept {
  const char* text = tb_cpu_threads_error();
  return text != nullptr ? text : std::string_view();
}

void detail::run_parts(std::int64_t parts, void (*part)(const void* context, std::int64_t i),
                       const void* context) noexcept {
  tb_cpu_run_parts(parts, part, context);
}

void detail::report_cpu_problems() {
  // Without the variable, processors are counted when a kernel first needs their number.
  const bool asked = std::getenv("TOPBIT_NUM_THREADS") != nullptr;
  for (const std::string_view problem : {cpu_isa_problem(), asked ? num_threads_problem() : std::string_view()}) {
    if (problem.empty()) continue;
    author::warn({problem});
  }
}

}  // namespace topbit
