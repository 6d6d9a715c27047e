// Chooses the CPU kernel table, once per process: the fastest one that this processor can run, unless TOPBIT_CPU_ISA
// names another.
//
// Compiled for the baseline processor, like the scalar build, since it runs before the processor's features are known.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa_targets.h"
#include "layout.h"
#include "threads/count.h"

namespace tb_cpu {
namespace {

struct choice {
  const tb_kernels* table;
  char error[448];  // empty if there is no error

  // Appends a sentence to the error text.
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) noexcept {
    const size_t used = strlen(error);
    const char* const between = used == 0 ? "" : "; ";
    const int begin = snprintf(error + used, sizeof error - used, "%s", between);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error + used + begin, sizeof error - used - static_cast<size_t>(begin), format, arguments);
    va_end(arguments);
  }
};

const isa_target* find(const char* isa) noexcept {
  const auto [first, last] = isa_targets();
  for (auto target = first; target != last; ++target) {
    if (strcmp(target->isa, isa) == 0) return target;
  }
  return nullptr;
}

const isa_target& best() noexcept {
  const auto [first, last] = isa_targets();
  auto found = first;
  for (auto target = first; target != last; ++target) {
    if (target->runs_here()) found = target;
  }
  return *found;
}

choice choose() noexcept {
  const isa_target& fallback = best();
  choice result{fallback.table, ""};
  if (!read_parallel_grain()) {
    result.add("TOPBIT_PARALLEL_GRAIN is '%.32s', wanted a number of elements, at least 1; using the usual one",
               getenv("TOPBIT_PARALLEL_GRAIN"));
  }
  const char* wanted = getenv("TOPBIT_CPU_ISA");
  if (wanted == nullptr || *wanted == '\0') {
    if (&fallback == isa_targets().first) {
      result.add("this build has no vector kernels for this processor; using the scalar kernels, which are slow");
    }
    return result;
  }
  const isa_target* named = find(wanted);
  if (named == nullptr) {
    char known[96] = "";
    const auto [first, last] = isa_targets();
    for (auto target = first; target != last; ++target) {
      const size_t used = strlen(known);
      snprintf(known + used, sizeof(known) - used, "%s%s", target == first ? "" : ", ", target->isa);
    }
    result.add("TOPBIT_CPU_ISA is '%.32s', this build supports %s; using %s", wanted, known, fallback.isa);
  } else if (!named->runs_here()) {
    result.add("TOPBIT_CPU_ISA is '%s', which this processor does not support; using %s", named->isa, fallback.isa);
  } else {
    result.table = named->table;
  }
  return result;
}

const choice& chosen() noexcept {
  static const choice once = choose();
  return once;
}

}  // namespace
}  // namespace tb_cpu

const tb_kernels* tb_cpu_kernels(void) { return tb_cpu::chosen().table; }

const char* tb_cpu_error(void) {
  const char* text = tb_cpu::chosen().error;
  return *text == '\0' ? nullptr : text;
}

const tb_kernels* tb_cpu_kernels_for(const char* isa) {
  const tb_cpu::isa_target* named = tb_cpu::find(isa);
  return named != nullptr && named->runs_here() ? named->table : nullptr;
}
