// expect: error: static assertion failed: ops\.yaml:2:9: found 'add\(int a, int b=1\) -> int', which is not what was declared; run 'topbit generate' again$
// topic: tables
// Declarations that were made of an older table are refused.
#include <cstdint>

import topbit.core;
import topbit.tables;
namespace tables = topbit::tables;
#ifndef FIXED
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b=1) -> int
)",
                                   "ops.yaml"};
#else
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b) -> int
)",
                                   "ops.yaml"};
#endif
inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
static_assert(tables::check_declarations<ops, add>());
