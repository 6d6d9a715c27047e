// Copies a dense row: inline, since most rows are short. Long ones are not left to memmove: from some KiB on that of
// glibc uses `rep movsb`, which some processors execute up to ten times slower where source and destination are aligned
// differently, and at speeds that vary by a factor of two where they are not.
#pragma once

#include <stddef.h>

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Bytes that are held in registers.
template <int64_t size>
using row_part [[gnu::vector_size(size)]] = char;

// Of `size` to 2 * size bytes.
template <int64_t size>
void copy_both_ends(char* to, const char* from, int64_t bytes) {
  row_part<size> first, last;
  __builtin_memcpy(&first, from, size);
  __builtin_memcpy(&last, from + bytes - size, size);
  __builtin_memcpy(to, &first, size);
  __builtin_memcpy(to + bytes - size, &last, size);
}

// `to` may be `from`, but not overlap it otherwise.
inline void copy_row(char* to, const char* from, int64_t bytes) {
  constexpr int64_t line = 64, lines = 4;
  if (bytes >= line) {
    if (bytes >= 2 * lines * line) {
      __builtin_memcpy(to, from, line);
      const int64_t head = line - int64_t(reinterpret_cast<uintptr_t>(to) % line);
      to += head, from += head, bytes -= head;
    }
    for (; bytes >= 2 * lines * line; to += lines * line, from += lines * line, bytes -= lines * line) {
      row_part<line> part[lines];
      for (int64_t i = 0; i < lines; ++i) __builtin_memcpy(&part[i], from + i * line, line);
      for (int64_t i = 0; i < lines; ++i) __builtin_memcpy(to + i * line, &part[i], line);
    }
    for (; bytes > 2 * line; to += line, from += line, bytes -= line) __builtin_memcpy(to, from, line);
    return copy_both_ends<line>(to, from, bytes);
  }
  if (bytes >= 32) return copy_both_ends<32>(to, from, bytes);
  if (bytes >= 16) return copy_both_ends<16>(to, from, bytes);
  if (bytes >= 8) return copy_both_ends<8>(to, from, bytes);
  if (bytes >= 4) return copy_both_ends<4>(to, from, bytes);
  for (int64_t i = 0; i < bytes; ++i) to[i] = from[i];
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
