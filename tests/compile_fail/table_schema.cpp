// expect: error: static assertion failed: schema 'toy::add\(int a, int b -> int', column 23: expected ',' or '\)'$
// note: in instantiation of template class 'topbit::tables::operator_in_line<ops, 0, 2>' requested here$
// topic: tables
// A schema of a table is refused like one in the code; a note names the line.
#include <cstdint>

import topbit.core;
import topbit.tables;
namespace tables = topbit::tables;
#ifndef FIXED
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b -> int
)",
                                   "ops.yaml"};
#else
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b) -> int
)",
                                   "ops.yaml"};
#endif
constexpr auto add = tables::op_of<ops, "add">;
