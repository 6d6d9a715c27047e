// What the objects of several units do when they are destroyed, in whichever order that comes. Include this after
// every other header: it imports.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "../host_ops.h"

namespace story {

using host::item;

/// Ends the program at once: a destructor cannot fail in any other way that would be seen.
inline void expect(bool what, const char* text) {
  if (what) return;
  std::fprintf(stderr, "found otherwise: %s\n", text);
  std::fflush(stderr);
  std::_Exit(1);
}

// Which unit was constructed first, and so is destroyed last.
#ifdef AT_EXIT_SECOND_IS_OLDER
inline constexpr bool first_is_older = false;
#else
inline constexpr bool first_is_older = true;
#endif

inline constexpr topbit::op<"exit::early", int(const item&)> early;
inline constexpr topbit::op<"exit::late", int(const item&)> late;

/// Answers, or raises since its library is gone: nothing else may happen.
template <class Op>
int calls_or_raises(const Op& op, const item& i) {
  try {
    return op(i);
  } catch (const topbit::no_kernel&) {
    return -1;
  }
}

}  // namespace story
