// The operators that are batched by their kind. What is in no table is a composite, and batched by its parts. Internal.
module topbit.transform:kind_table;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :rule;

namespace topbit::detail {

// Formatted by hand: a family a line.
// clang-format off

inline constexpr auto kind_table = batching::rules(
    // Overload sets, with their in-place and out forms.
    batching::elementwise<
        add, add_, sub, sub_, rsub, mul, mul_, div, div_, floor_divide, floor_divide_, remainder, remainder_, fmod, fmod_,
        pow, pow_, maximum, minimum, fmax, fmin, atan2, atan2_, hypot, hypot_, copysign, copysign_, logaddexp, xlogy, xlogy_,
        heaviside, heaviside_, lerp, lerp_, addcmul, addcmul_, addcdiv, addcdiv_,
        eq, eq_, ne, ne_, lt, lt_, le, le_, gt, gt_, ge, ge_, isnan, isinf, isposinf, isneginf, signbit, isfinite, isclose,
        logical_not, logical_not_, logical_and, logical_and_, logical_or, logical_or_, logical_xor, logical_xor_,
        bitwise_not, bitwise_not_, bitwise_and, bitwise_and_, bitwise_or, bitwise_or_, bitwise_xor, bitwise_xor_,
        bitwise_left_shift, bitwise_left_shift_, bitwise_right_shift, bitwise_right_shift_,
        aten::where_self, aten::where_self_out, clamp, clamp_,
        neg, neg_, abs, abs_, sign, sign_, sgn, sgn_, square, square_, ceil, ceil_, floor, floor_, round, round_, trunc, trunc_, frac, frac_,
        nan_to_num, nan_to_num_, reciprocal, reciprocal_, deg2rad, deg2rad_, rad2deg, rad2deg_, sqrt, sqrt_, rsqrt, rsqrt_,
        exp, exp_, exp2, exp2_, expm1, expm1_, log, log_, log2, log2_, log10, log10_, log1p, log1p_,
        sin, sin_, cos, cos_, tan, tan_, asin, asin_, acos, acos_, atan, atan_, sinh, sinh_, cosh, cosh_, tanh, tanh_,
        asinh, asinh_, acosh, acosh_, atanh, atanh_, erf, erf_, erfc, erfc_, erfinv, erfinv_, lgamma, lgamma_, digamma, digamma_,
        sigmoid, sigmoid_, logit, logit_,
        relu, relu_, relu6, relu6_, hardtanh, hardtanh_, leaky_relu, leaky_relu_, elu, elu_, selu, selu_, celu, celu_,
        silu, silu_, gelu, gelu_, mish, mish_, softplus, hardswish, hardswish_, hardsigmoid, hardsigmoid_, log_sigmoid,
        threshold, threshold_, threshold_backward, hardshrink, softshrink, aten::_prelu_kernel,
        tanh_backward, sigmoid_backward, silu_backward, gelu_backward, mish_backward, softplus_backward, elu_backward,
        leaky_relu_backward, hardswish_backward, hardsigmoid_backward, native::clamp_backward, hardshrink_backward,
        softshrink_backward, native::prelu_backward, native::prelu_weight_backward,
        native::squared_difference, native::squared_difference_backward, native::smooth_l1, native::smooth_l1_backward,
        native::huber, native::huber_backward,
        copy_, clone, contiguous, aten::_to_copy, aten::_to_dense, aten::fill_Scalar, aten::fill_Scalar_, zero, zero_, aten::masked_fill_Scalar,
        aten::masked_fill_Scalar_>{},
    batching::reduction<
        aten::sum_dim_IntList, aten::sum_IntList_out, nansum, aten::prod_dim_int, aten::prod_int_out,
        aten::max_dim, aten::max_dim_max, aten::min_dim, aten::min_dim_min, amax, amin, aten::aminmax, aten::argmax, aten::argmin,
        aten::any_dim, aten::any_out, aten::all_dim, aten::all_out,
        aten::norm_ScalarOpt_dim, aten::norm_ScalarOpt_dim_dtype, aten::norm_out, aten::norm_dtype_out,
        linalg_vector_norm, logsumexp, kthvalue, count_nonzero, aten::var_correction, aten::std_correction, aten::median_dim, aten::nanmedian_dim, mode>{},
    batching::whole<aten::sum, aten::sum_dim_IntList>{}, batching::whole<aten::prod, aten::prod_dim_int>{},
    batching::whole<aten::max, aten::max_dim>{}, batching::whole<aten::min, aten::min_dim>{},
    batching::whole<aten::any, aten::any_dim>{}, batching::whole<aten::all, aten::all_dim>{},
    batching::whole<aten::norm_Scalar, aten::norm_ScalarOpt_dim>{},
    batching::whole<aten::norm_ScalarOpt_dtype, aten::norm_ScalarOpt_dim_dtype>{},
    batching::dimension<
        gather, aten::scatter_src, aten::scatter_value, aten::scatter_reduce, aten::scatter_value_reduce, scatter_add,
        scatter_reduce, flip, cumsum, cumsum_, cumprod, cumprod_, cummax, cummin, logcumsumexp, glu, glu_backward,
        aten::_softmax, aten::_softmax_out, aten::_softmax_backward_data, aten::_log_softmax, aten::_log_softmax_out,
        aten::_log_softmax_backward_data, aten::sort, aten::sort_stable, topk, linalg_cross, cross>{},
    batching::like<
        empty_like, full_like, zeros_like, ones_like, new_empty, new_full, new_zeros, new_ones>{},
    batching::refused<
        nonzero, argwhere, aten::where, aten::_unique2, aten::_unique, unique_dim, unique_consecutive,
        unique_dim_consecutive, aten::repeat_interleave_Tensor, bincount, allclose, equal, aten::_local_scalar_dense, is_nonzero>{});

// clang-format on

}  // namespace topbit::detail
