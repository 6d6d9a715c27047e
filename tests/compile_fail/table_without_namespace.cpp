// expect: error: static assertion failed: table:2:9: found 'add' without a namespace, wanted ns::add, or one for the table, as in tables::table\{"ns", text\}$
// topic: tables
// An operator of a table has a namespace.
#include <cstdint>

import topbit.core;
import topbit.tables;
namespace tables = topbit::tables;
#ifndef FIXED
inline constexpr char ops[] = R"(
- func: add(int a, int b) -> int
  dispatch:
    CPU: add_cpu
)";
#else
inline constexpr char ops[] = R"(
- func: toy::add(int a, int b) -> int
  dispatch:
    CPU: add_cpu
)";
#endif
std::int64_t add_cpu(std::int64_t a, std::int64_t b);

const auto kernels = tables::library_from<ops, tables::named<"add_cpu", &add_cpu>>("toy");
