// Matrix and vector products. Operands have one dtype, any but bool, and any strides, without a copy. float16 and
// bfloat16 are computed in float32, integers wrap.
export module topbit.ops:linalg.linalg;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// self: [m, k], mat2: [k, n] -> [m, n].
///
/// Errors   shape_error if the inner sizes differ or an operand is not a matrix; dtype_error if the dtypes differ
inline constexpr op<"aten::mm(Tensor self, Tensor mat2) -> Tensor"> mm;
inline constexpr op<"aten::mm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)"> mm_out;

/// Batched matrix products: [b, m, k], [b, k, n] -> [b, m, n].
inline constexpr op<"aten::bmm(Tensor self, Tensor mat2) -> Tensor"> bmm;
inline constexpr op<"aten::bmm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)"> bmm_out;

/// beta * self + alpha * mat1 @ mat2; self broadcasts, and is not read if beta is 0. Factors of integers are integers.
inline constexpr op<"aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor">
    addmm;
inline constexpr op<
    "aten::addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)">
    addmm_;
inline constexpr op<
    "aten::addmm.out(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) out) -> "
    "Tensor(a!)">
    addmm_out;

/// relu of addmm, or gelu without an approximation, in one pass over the result. relu supports every dtype, gelu
/// floating ones. If recorded, addmm and the activation.
inline constexpr op<
    "aten::_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool "
    "use_gelu=False) -> Tensor">
    _addmm_activation;
inline constexpr op<
    "aten::_addmm_activation.out(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool "
    "use_gelu=False, Tensor(a!) out) -> Tensor(a!)">
    _addmm_activation_out;

/// addmm for each matrix of a batch.
inline constexpr op<
    "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor">
    baddbmm;
inline constexpr op<
    "aten::baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)">
    baddbmm_;
inline constexpr op<
    "aten::baddbmm.out(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) out) -> "
    "Tensor(a!)">
    baddbmm_out;

/// beta * self + alpha * the sum of the batch's products. Composite.
inline constexpr op<
    "aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor">
    addbmm;
inline constexpr op<
    "aten::addbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)">
    addbmm_;
inline constexpr op<
    "aten::addbmm.out(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) out) -> "
    "Tensor(a!)">
    addbmm_out;

/// The product of the last two dimensions, the others broadcast. A vector on the left is a row, on the right a column,
/// and that dimension is removed. Composite.
inline constexpr op<"aten::matmul(Tensor self, Tensor other) -> Tensor"> matmul;
inline constexpr op<"aten::matmul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> matmul_out;
/// Alias of matmul.
inline constexpr op<"aten::linalg_matmul(Tensor self, Tensor other) -> Tensor"> linalg_matmul;
inline constexpr op<"aten::linalg_matmul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)">
    linalg_matmul_out;

/// input @ weight.t() + bias over the last dimension; weight: [out, in] or [in]. Composite.
inline constexpr op<"aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor"> linear;
inline constexpr op<"aten::linear.out(Tensor input, Tensor weight, Tensor? bias=None, *, Tensor(a!) out) -> Tensor(a!)">
    linear_out;

/// [m, k], [k] -> [m]. Composite.
inline constexpr op<"aten::mv(Tensor self, Tensor vec) -> Tensor"> mv;
inline constexpr op<"aten::mv.out(Tensor self, Tensor vec, *, Tensor(a!) out) -> Tensor(a!)"> mv_out;

/// beta * self + alpha * mat @ vec, as addmm. Composite.
inline constexpr op<"aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor">
    addmv;
inline constexpr op<
    "aten::addmv_(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)">
    addmv_;
inline constexpr op<
    "aten::addmv.out(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) out) -> "
    "Tensor(a!)">
    addmv_out;

/// The sum of the products of two vectors. Composite.
inline constexpr op<"aten::dot(Tensor self, Tensor tensor) -> Tensor"> dot;
inline constexpr op<"aten::dot.out(Tensor self, Tensor tensor, *, Tensor(a!) out) -> Tensor(a!)"> dot_out;
/// dot, since complex dtypes are not supported. Composite.
inline constexpr op<"aten::vdot(Tensor self, Tensor other) -> Tensor"> vdot;
inline constexpr op<"aten::vdot.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> vdot_out;

/// Each element of one vector times each of the other: [m], [n] -> [m, n]; any dtypes. Composite.
inline constexpr op<"aten::outer(Tensor self, Tensor vec2) -> Tensor"> outer;
inline constexpr op<"aten::outer.out(Tensor self, Tensor vec2, *, Tensor(a!) out) -> Tensor(a!)"> outer_out;
/// Alias of outer.
inline constexpr op<"aten::ger(Tensor self, Tensor vec2) -> Tensor"> ger;
inline constexpr op<"aten::ger.out(Tensor self, Tensor vec2, *, Tensor(a!) out) -> Tensor(a!)"> ger_out;

/// beta * self + alpha * outer(vec1, vec2). Composite.
inline constexpr op<"aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor">
    addr;
inline constexpr op<
    "aten::addr_(Tensor(a!) self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)">
    addr_;
inline constexpr op<
    "aten::addr.out(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) out) -> "
    "Tensor(a!)">
    addr_out;

/// Blocks of other, each times an element of self; missing leading dimensions count as 1. Composite.
inline constexpr op<"aten::kron(Tensor self, Tensor other) -> Tensor"> kron;
inline constexpr op<"aten::kron.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> kron_out;

/// The sum of a matrix's diagonal; integers sum into int64. Composite.
inline constexpr op<"aten::trace(Tensor self) -> Tensor"> trace;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::mm, aten::mm_out> mm;
inline constexpr overloads<aten::bmm, aten::bmm_out> bmm;
inline constexpr overloads<aten::addmm, aten::addmm_out> addmm;
inline constexpr overloads<aten::addmm_> addmm_;
inline constexpr overloads<aten::baddbmm, aten::baddbmm_out> baddbmm;
inline constexpr overloads<aten::baddbmm_> baddbmm_;
inline constexpr overloads<aten::addbmm, aten::addbmm_out> addbmm;
inline constexpr overloads<aten::addbmm_> addbmm_;
inline constexpr overloads<aten::matmul, aten::matmul_out> matmul;
inline constexpr overloads<aten::linalg_matmul, aten::linalg_matmul_out> linalg_matmul;
inline constexpr overloads<aten::linear, aten::linear_out> linear;
inline constexpr overloads<aten::mv, aten::mv_out> mv;
inline constexpr overloads<aten::addmv, aten::addmv_out> addmv;
inline constexpr overloads<aten::addmv_> addmv_;
inline constexpr overloads<aten::dot, aten::dot_out> dot;
inline constexpr overloads<aten::vdot, aten::vdot_out> vdot;
inline constexpr overloads<aten::outer, aten::outer_out> outer;
inline constexpr overloads<aten::ger, aten::ger_out> ger;
inline constexpr overloads<aten::addr, aten::addr_out> addr;
inline constexpr overloads<aten::addr_> addr_;
inline constexpr overloads<aten::kron, aten::kron_out> kron;
inline constexpr overloads<aten::trace> trace;

}  // namespace topbit
