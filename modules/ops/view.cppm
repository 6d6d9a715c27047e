// Operators that look at the same storage in another shape: one kernel for every strided backend, no element is
// touched.
export module topbit.ops:view;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// The two dimensions exchanged; negative ones count from the back. A tensor without dimensions takes 0 and -1.
inline constexpr op<"aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)"> transpose;
/// The transpose of a matrix; fewer dimensions stay as they are. Composite.
inline constexpr op<"aten::t(Tensor(a) self) -> Tensor(a)"> t;

/// Dimensions of size 1, and new ones in front, repeated without copying; -1 keeps a size.
inline constexpr op<"aten::expand(Tensor(a) self, int[] size, *, bool implicit=False) -> Tensor(a)"> expand;

/// Another shape of the same elements; one size may be -1. A dense tensor is viewed; others are a shape_error.
inline constexpr op<"aten::view(Tensor(a) self, int[] size) -> Tensor(a)"> view;

/// view where possible, else a dense copy. Composite.
inline constexpr op<"aten::reshape(Tensor(a) self, int[] shape) -> Tensor(a)"> reshape;

/// Elements start, start + step, ... below end of one dimension; negative bounds count from the back, and are clamped.
inline constexpr op<
    "aten::slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a)">
    slice;

}  // namespace topbit::ops
