// expect: error: static assertion failed: ops\.yaml:3:3: found the tag view: found no result that shares an argument's memory, wanted one in an alias set, as in 'Tensor\(a\)'$
// topic: tables
// A tag of a table does not contradict the schema.
#include <cstdint>

import topbit.core;
import topbit.tables;
import topbit.tensor;
namespace tables = topbit::tables;

#ifndef FIXED
inline constexpr tables::table ops{"toy", R"(
- func: half(Tensor self) -> Tensor
  tags: view
)",
                                   "ops.yaml"};
#else
inline constexpr tables::table ops{"toy", R"(
- func: half(Tensor(a) self) -> Tensor(a)
  tags: view
)",
                                   "ops.yaml"};
#endif
topbit::tensor half(const topbit::tensor& self);
const auto kernels = tables::library_from<ops, tables::named<"half", &half>>("toy");
