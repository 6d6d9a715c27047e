// The scalar build has no non-temporal stores: an ordinary copy.
#pragma once

#include <stddef.h>

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr bool can_stream = false;

inline void stream(char* to, const char* from, int64_t bytes) {
  __builtin_memcpy(to, from, static_cast<size_t>(bytes));
}
inline void end_stream() {}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
