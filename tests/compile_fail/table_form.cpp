// expect: error: static assertion failed: ops\.yaml:7:24: found 'less' to delegate to 'less\.out' in line 2: argument 2, 'by', differs from 'other' there in its type, name or default$
// topic: tables
// A structured form takes what its out form takes.
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
- func: less(Tensor self, Tensor by) -> Tensor
  structured_delegate: less.out
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
