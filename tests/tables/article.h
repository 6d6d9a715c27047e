// PyTorch's entries of zero_, sub.out and sub.Tensor as a table. Include this after every other header: it imports.
#pragma once

import topbit.core;
import topbit.tensor;
import topbit.tables;

namespace article {

inline constexpr topbit::tables::table list{"article", R"(
# zero_
- func: zero_(Tensor(a!) self) -> Tensor(a!)
  device_check: NoCheck # TensorIterator
  variants: method, function
  dispatch:
    CPU, CUDA: zero_
    Meta: zero_meta_
    SparseCPU, SparseCUDA: zero_sparse_
    MkldnnCPU: mkldnn_zero_

# sub.out
- func: sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  device_check: NoCheck # TensorIterator
  structured: True
  structured_inherits: TensorIteratorBase
  dispatch:
    CPU, CUDA: sub_out
    SparseCPU, SparseCUDA: sub_out_sparse

# sub.Tensor
- func: sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  device_check: NoCheck # TensorIterator
  variants: function, method
  structured_delegate: sub.out
  dispatch:
    SparseCPU, SparseCUDA: sub_sparse
)"};

}  // namespace article
