// expect: error: static assertion failed: ops\.yaml: found no operator 'ad', wanted one of this table; the nearest name is add$
// topic: tables
// An operator of a table has one of its names.
#include <cstdint>

import topbit.core;
import topbit.tables;
namespace tables = topbit::tables;
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b) -> int
  dispatch:
    CPU: add_cpu
)",
                                   "ops.yaml"};

#ifndef FIXED
constexpr auto add = tables::op_of<ops, "ad">;
#else
constexpr auto add = tables::op_of<ops, "add">;
#endif
