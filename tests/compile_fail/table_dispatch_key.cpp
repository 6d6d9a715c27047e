// expect: error: static assertion failed: ops\.yaml:4:5: found the key 'SparseCpu', wanted a dispatch key or an alias, such as CPU; the nearest name is SparseCPU$
// topic: tables
// Kernels are listed for dispatch keys by their names.
#include <cstdint>

import topbit.core;
import topbit.tables;
namespace tables = topbit::tables;
#ifndef FIXED
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b) -> int
  dispatch:
    SparseCpu: add_cpu
)",
                                   "ops.yaml"};
#else
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b) -> int
  dispatch:
    SparseCPU: add_cpu
)",
                                   "ops.yaml"};
#endif
std::int64_t add_cpu(std::int64_t a, std::int64_t b);

const auto kernels = tables::library_from<ops, tables::named<"add_cpu", &add_cpu>>("toy");
