// expect: error: static assertion failed: ops\.yaml:7:24: found structured_delegate 'les\.out', wanted an entry of this table; the nearest name is less\.out$
// topic: tables
// A structured form delegates to an entry of its table.
#include <cstdint>

import topbit.core;
import topbit.tables;
import topbit.tensor;
namespace tables = topbit::tables;

#ifndef FIXED
inline constexpr tables::table ops{"toy", R"(
- func: less.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: less_out
- func: less(Tensor self, Tensor other) -> Tensor
  structured_delegate: les.out
)",
                                   "ops.yaml"};
#else
inline constexpr tables::table ops{"toy", R"(
- func: less.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: less_out
- func: less(Tensor self, Tensor other) -> Tensor
  structured_delegate: less.out
)",
                                   "ops.yaml"};
#endif
using topbit::tensor;
tensor& less_out(const tensor& self, const tensor& other, tensor& out);
tensor less_shape(const tensor& self, const tensor& other);
const auto kernels =
    tables::library_from<ops, tables::named<"less_out", &less_out>, tables::shape<"less.out", &less_shape>>("toy");
