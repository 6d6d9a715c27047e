// expect: error: static assertion failed: ops\.yaml:3:15: found structured 'less\.out' without a shape function for 'less', wanted tables::shape<"less\.out", &function> in the list$
// topic: tables
// The result of a structured form is made by the shape function.
#include <cstdint>

import topbit.core;
import topbit.tables;
import topbit.tensor;
namespace tables = topbit::tables;

inline constexpr tables::table ops{"toy", R"(
- func: less.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: less_out
- func: less(Tensor self, Tensor other) -> Tensor
  structured_delegate: less.out
)",
                                   "ops.yaml"};

using topbit::tensor;
tensor& less_out(const tensor& self, const tensor& other, tensor& out);
tensor less_shape(const tensor& self, const tensor& other);
#ifndef FIXED
const auto kernels = tables::library_from<ops, tables::named<"less_out", &less_out>>("toy");
#else
const auto kernels =
    tables::library_from<ops, tables::named<"less_out", &less_out>, tables::shape<"less.out", &less_shape>>("toy");
#endif
