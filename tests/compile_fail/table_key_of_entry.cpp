// expect: error: static assertion failed: ops\.yaml:3:3: found the key 'dispach', wanted one of an entry, such as func or dispatch; the nearest name is dispatch$
// topic: tables
// A table is read by the compiler, which knows the keys of its entries.
#include <cstdint>

import topbit.core;
import topbit.tables;
namespace tables = topbit::tables;
#ifndef FIXED
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b) -> int
  dispach:
    CPU: add_cpu
)",
                                   "ops.yaml"};
#else
inline constexpr tables::table ops{"toy", R"(
- func: add(int a, int b) -> int
  dispatch:
    CPU: add_cpu
)",
                                   "ops.yaml"};
#endif
std::int64_t add_cpu(std::int64_t a, std::int64_t b);

const auto kernels = tables::library_from<ops, tables::named<"add_cpu", &add_cpu>>("toy");
