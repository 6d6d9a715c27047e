// expect: error: static assertion failed: ops\.yaml:1:1: found the function 'add_meta', which no entry of the table names; remove it from the list$
// topic: tables
// Every function of the list is named by the table.
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

std::int64_t add_cpu(std::int64_t a, std::int64_t b);

#ifndef FIXED
const auto kernels =
    tables::library_from<ops, tables::named<"add_cpu", &add_cpu>, tables::named<"add_meta", &add_cpu>>("toy");
#else
const auto kernels = tables::library_from<ops, tables::named<"add_cpu", &add_cpu>>("toy");
#endif
