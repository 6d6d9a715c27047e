// expect: error: static assertion failed: ops\.yaml:4:10: kernel for toy::add, argument 2 'b': the schema needs 'int64_t', the kernel takes 'int'; an int of a schema is std::int64_t$
// topic: tables
// A function of a table fits the schema.
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
std::int64_t add_cpu(std::int64_t a, int b);
#else
std::int64_t add_cpu(std::int64_t a, std::int64_t b);
#endif
const auto kernels = tables::library_from<ops, tables::named<"add_cpu", &add_cpu>>("toy");
