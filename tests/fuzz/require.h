// What the programs of this folder check with. A unit of a module includes it before its imports.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

inline bool is_shown(unsigned char c) { return c >= 0x20 && c != 0x7f; }

// An error's text is short, and nothing in it controls a terminal.
inline void require_shown_safely(const char* text, std::size_t below, bool (*may_have)(unsigned char) = &is_shown) {
  std::size_t size = 0;
  while (text[size] != 0 && may_have(static_cast<unsigned char>(text[size]))) ++size;
  require(text[size] == 0 && size < below, "an error can be shown");
}

}  // namespace fuzz
