// expect: error: static assertion failed: ops\.yaml:4:10: found no function 'add_cpu' for toy::add, wanted tables::named<"add_cpu", &function> in the list; the nearest name is ad_cpu$
// topic: tables
// Every function that a table names is in the list.
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
const auto kernels = tables::library_from<ops, tables::named<"ad_cpu", &add_cpu>>("toy");
#else
const auto kernels = tables::library_from<ops, tables::named<"add_cpu", &add_cpu>>("toy");
#endif
