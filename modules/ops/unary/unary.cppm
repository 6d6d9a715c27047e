// Elementwise functions of one tensor. Each has up to three forms: x(self), x_(self) in place, x_out(self, out = ...).
// Unless noted, the result has self's floating type, float32 for integers and bool.
export module topbit.ops:unary.unary;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

// Any number; the result has self's dtype.

/// -self; integers wrap. dtype_error for bool.
inline constexpr op<"aten::neg(Tensor self) -> Tensor"> neg;
inline constexpr op<"aten::neg_(Tensor(a!) self) -> Tensor(a!)"> neg_;
inline constexpr op<"aten::neg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> neg_out;

/// The magnitude; integers wrap, so the lowest is unchanged.
inline constexpr op<"aten::abs(Tensor self) -> Tensor"> abs;
inline constexpr op<"aten::abs_(Tensor(a!) self) -> Tensor(a!)"> abs_;
inline constexpr op<"aten::abs.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> abs_out;

/// -1, 0 or 1; 0 for a NaN.
inline constexpr op<"aten::sign(Tensor self) -> Tensor"> sign;
inline constexpr op<"aten::sign_(Tensor(a!) self) -> Tensor(a!)"> sign_;
inline constexpr op<"aten::sign.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> sign_out;

/// The same: complex numbers, of which PyTorch's sgn takes the direction, are no dtype here.
inline constexpr op<"aten::sgn(Tensor self) -> Tensor"> sgn;
inline constexpr op<"aten::sgn_(Tensor(a!) self) -> Tensor(a!)"> sgn_;
inline constexpr op<"aten::sgn.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> sgn_out;

/// self itself. dtype_error for bool. Composite.
inline constexpr op<"aten::positive(Tensor(a) self) -> Tensor(a)"> positive;

/// self * self.
inline constexpr op<"aten::square(Tensor self) -> Tensor"> square;
inline constexpr op<"aten::square_(Tensor(a!) self) -> Tensor(a!)"> square_;
inline constexpr op<"aten::square.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> square_out;

/// Rounded up; integers are unchanged, as in the next three.
inline constexpr op<"aten::ceil(Tensor self) -> Tensor"> ceil;
inline constexpr op<"aten::ceil_(Tensor(a!) self) -> Tensor(a!)"> ceil_;
inline constexpr op<"aten::ceil.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> ceil_out;

/// Rounded down.
inline constexpr op<"aten::floor(Tensor self) -> Tensor"> floor;
inline constexpr op<"aten::floor_(Tensor(a!) self) -> Tensor(a!)"> floor_;
inline constexpr op<"aten::floor.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> floor_out;

/// Rounded to nearest, ties to even.
inline constexpr op<"aten::round(Tensor self) -> Tensor"> round;
inline constexpr op<"aten::round_(Tensor(a!) self) -> Tensor(a!)"> round_;
inline constexpr op<"aten::round.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> round_out;

/// Rounded to this many decimals, negative ones before the point. Integers are unchanged.
inline constexpr op<"aten::round.decimals(Tensor self, *, int decimals) -> Tensor"> round_decimals;
inline constexpr op<"aten::round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)"> round_decimals_;
inline constexpr op<"aten::round.decimals_out(Tensor self, *, int decimals, Tensor(a!) out) -> Tensor(a!)">
    round_decimals_out;

/// Rounded toward zero.
inline constexpr op<"aten::trunc(Tensor self) -> Tensor"> trunc;
inline constexpr op<"aten::trunc_(Tensor(a!) self) -> Tensor(a!)"> trunc_;
inline constexpr op<"aten::trunc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> trunc_out;

/// self - trunc(self); floating types only.
inline constexpr op<"aten::frac(Tensor self) -> Tensor"> frac;
inline constexpr op<"aten::frac_(Tensor(a!) self) -> Tensor(a!)"> frac_;
inline constexpr op<"aten::frac.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> frac_out;

/// NaN, infinity and -infinity replaced: by default 0, the maximum and the minimum of the dtype.
inline constexpr op<"aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor">
    nan_to_num;
inline constexpr op<
    "aten::nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor(a!)">
    nan_to_num_;
inline constexpr op<
    "aten::nan_to_num.out(Tensor self, float? nan=None, float? posinf=None, float? neginf=None, *, Tensor(a!) out) -> "
    "Tensor(a!)">
    nan_to_num_out;

/// Every bit flipped; logical not of bool. Integers and bool.
inline constexpr op<"aten::bitwise_not(Tensor self) -> Tensor"> bitwise_not;
inline constexpr op<"aten::bitwise_not_(Tensor(a!) self) -> Tensor(a!)"> bitwise_not_;
inline constexpr op<"aten::bitwise_not.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> bitwise_not_out;

// Roots, exponentials, logarithms.

/// 1 / self.
inline constexpr op<"aten::reciprocal(Tensor self) -> Tensor"> reciprocal;
inline constexpr op<"aten::reciprocal_(Tensor(a!) self) -> Tensor(a!)"> reciprocal_;
inline constexpr op<"aten::reciprocal.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> reciprocal_out;

/// Degrees to radians: self * pi / 180.
inline constexpr op<"aten::deg2rad(Tensor self) -> Tensor"> deg2rad;
inline constexpr op<"aten::deg2rad_(Tensor(a!) self) -> Tensor(a!)"> deg2rad_;
inline constexpr op<"aten::deg2rad.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> deg2rad_out;

/// Degrees from radians.
inline constexpr op<"aten::rad2deg(Tensor self) -> Tensor"> rad2deg;
inline constexpr op<"aten::rad2deg_(Tensor(a!) self) -> Tensor(a!)"> rad2deg_;
inline constexpr op<"aten::rad2deg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> rad2deg_out;

/// The square root; NaN below 0.
inline constexpr op<"aten::sqrt(Tensor self) -> Tensor"> sqrt;
inline constexpr op<"aten::sqrt_(Tensor(a!) self) -> Tensor(a!)"> sqrt_;
inline constexpr op<"aten::sqrt.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> sqrt_out;

/// 1 / sqrt(self).
inline constexpr op<"aten::rsqrt(Tensor self) -> Tensor"> rsqrt;
inline constexpr op<"aten::rsqrt_(Tensor(a!) self) -> Tensor(a!)"> rsqrt_;
inline constexpr op<"aten::rsqrt.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> rsqrt_out;

/// e to the power of self.
inline constexpr op<"aten::exp(Tensor self) -> Tensor"> exp;
inline constexpr op<"aten::exp_(Tensor(a!) self) -> Tensor(a!)"> exp_;
inline constexpr op<"aten::exp.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> exp_out;

/// 2 to the power of self.
inline constexpr op<"aten::exp2(Tensor self) -> Tensor"> exp2;
inline constexpr op<"aten::exp2_(Tensor(a!) self) -> Tensor(a!)"> exp2_;
inline constexpr op<"aten::exp2.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> exp2_out;

/// exp(self) - 1, exact near 0.
inline constexpr op<"aten::expm1(Tensor self) -> Tensor"> expm1;
inline constexpr op<"aten::expm1_(Tensor(a!) self) -> Tensor(a!)"> expm1_;
inline constexpr op<"aten::expm1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> expm1_out;

/// The natural logarithm: -inf for 0, NaN below.
inline constexpr op<"aten::log(Tensor self) -> Tensor"> log;
inline constexpr op<"aten::log_(Tensor(a!) self) -> Tensor(a!)"> log_;
inline constexpr op<"aten::log.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> log_out;

/// The logarithm to base 2.
inline constexpr op<"aten::log2(Tensor self) -> Tensor"> log2;
inline constexpr op<"aten::log2_(Tensor(a!) self) -> Tensor(a!)"> log2_;
inline constexpr op<"aten::log2.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> log2_out;

/// The logarithm to base 10.
inline constexpr op<"aten::log10(Tensor self) -> Tensor"> log10;
inline constexpr op<"aten::log10_(Tensor(a!) self) -> Tensor(a!)"> log10_;
inline constexpr op<"aten::log10.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> log10_out;

/// log(1 + self), exact near 0.
inline constexpr op<"aten::log1p(Tensor self) -> Tensor"> log1p;
inline constexpr op<"aten::log1p_(Tensor(a!) self) -> Tensor(a!)"> log1p_;
inline constexpr op<"aten::log1p.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> log1p_out;

// Trigonometry, in radians.

/// The sine.
inline constexpr op<"aten::sin(Tensor self) -> Tensor"> sin;
inline constexpr op<"aten::sin_(Tensor(a!) self) -> Tensor(a!)"> sin_;
inline constexpr op<"aten::sin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> sin_out;

/// The cosine.
inline constexpr op<"aten::cos(Tensor self) -> Tensor"> cos;
inline constexpr op<"aten::cos_(Tensor(a!) self) -> Tensor(a!)"> cos_;
inline constexpr op<"aten::cos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> cos_out;

/// The tangent.
inline constexpr op<"aten::tan(Tensor self) -> Tensor"> tan;
inline constexpr op<"aten::tan_(Tensor(a!) self) -> Tensor(a!)"> tan_;
inline constexpr op<"aten::tan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> tan_out;

/// The inverse sine; NaN outside [-1, 1].
inline constexpr op<"aten::asin(Tensor self) -> Tensor"> asin;
inline constexpr op<"aten::asin_(Tensor(a!) self) -> Tensor(a!)"> asin_;
inline constexpr op<"aten::asin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> asin_out;

/// The inverse cosine; NaN outside [-1, 1].
inline constexpr op<"aten::acos(Tensor self) -> Tensor"> acos;
inline constexpr op<"aten::acos_(Tensor(a!) self) -> Tensor(a!)"> acos_;
inline constexpr op<"aten::acos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> acos_out;

/// The inverse tangent.
inline constexpr op<"aten::atan(Tensor self) -> Tensor"> atan;
inline constexpr op<"aten::atan_(Tensor(a!) self) -> Tensor(a!)"> atan_;
inline constexpr op<"aten::atan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> atan_out;

/// The hyperbolic sine.
inline constexpr op<"aten::sinh(Tensor self) -> Tensor"> sinh;
inline constexpr op<"aten::sinh_(Tensor(a!) self) -> Tensor(a!)"> sinh_;
inline constexpr op<"aten::sinh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> sinh_out;

/// The hyperbolic cosine.
inline constexpr op<"aten::cosh(Tensor self) -> Tensor"> cosh;
inline constexpr op<"aten::cosh_(Tensor(a!) self) -> Tensor(a!)"> cosh_;
inline constexpr op<"aten::cosh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> cosh_out;

/// The hyperbolic tangent.
inline constexpr op<"aten::tanh(Tensor self) -> Tensor"> tanh;
inline constexpr op<"aten::tanh_(Tensor(a!) self) -> Tensor(a!)"> tanh_;
inline constexpr op<"aten::tanh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> tanh_out;

/// The inverse hyperbolic sine.
inline constexpr op<"aten::asinh(Tensor self) -> Tensor"> asinh;
inline constexpr op<"aten::asinh_(Tensor(a!) self) -> Tensor(a!)"> asinh_;
inline constexpr op<"aten::asinh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> asinh_out;

/// The inverse hyperbolic cosine; NaN below 1.
inline constexpr op<"aten::acosh(Tensor self) -> Tensor"> acosh;
inline constexpr op<"aten::acosh_(Tensor(a!) self) -> Tensor(a!)"> acosh_;
inline constexpr op<"aten::acosh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> acosh_out;

/// The inverse hyperbolic tangent; NaN outside [-1, 1].
inline constexpr op<"aten::atanh(Tensor self) -> Tensor"> atanh;
inline constexpr op<"aten::atanh_(Tensor(a!) self) -> Tensor(a!)"> atanh_;
inline constexpr op<"aten::atanh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> atanh_out;

// Special functions.

/// The error function.
inline constexpr op<"aten::erf(Tensor self) -> Tensor"> erf;
inline constexpr op<"aten::erf_(Tensor(a!) self) -> Tensor(a!)"> erf_;
inline constexpr op<"aten::erf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> erf_out;

/// 1 - erf(self), exact for large self.
inline constexpr op<"aten::erfc(Tensor self) -> Tensor"> erfc;
inline constexpr op<"aten::erfc_(Tensor(a!) self) -> Tensor(a!)"> erfc_;
inline constexpr op<"aten::erfc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> erfc_out;

/// The inverse of erf; NaN outside [-1, 1].
inline constexpr op<"aten::erfinv(Tensor self) -> Tensor"> erfinv;
inline constexpr op<"aten::erfinv_(Tensor(a!) self) -> Tensor(a!)"> erfinv_;
inline constexpr op<"aten::erfinv.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> erfinv_out;

/// The logarithm of the magnitude of gamma.
inline constexpr op<"aten::lgamma(Tensor self) -> Tensor"> lgamma;
inline constexpr op<"aten::lgamma_(Tensor(a!) self) -> Tensor(a!)"> lgamma_;
inline constexpr op<"aten::lgamma.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> lgamma_out;

/// The derivative of lgamma; -inf at 0, NaN at negative whole numbers.
inline constexpr op<"aten::digamma(Tensor self) -> Tensor"> digamma;
inline constexpr op<"aten::digamma_(Tensor(a!) self) -> Tensor(a!)"> digamma_;
inline constexpr op<"aten::digamma.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> digamma_out;

/// 1 / (1 + exp(-self)).
inline constexpr op<"aten::sigmoid(Tensor self) -> Tensor"> sigmoid;
inline constexpr op<"aten::sigmoid_(Tensor(a!) self) -> Tensor(a!)"> sigmoid_;
inline constexpr op<"aten::sigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> sigmoid_out;

/// log(self / (1 - self)); self is clamped to [eps, 1 - eps] if eps is given.
inline constexpr op<"aten::logit(Tensor self, float? eps=None) -> Tensor"> logit;
inline constexpr op<"aten::logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)"> logit_;
inline constexpr op<"aten::logit.out(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)"> logit_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::neg, aten::neg_out> neg;
inline constexpr overloads<aten::neg_> neg_;
inline constexpr overloads<aten::abs, aten::abs_out> abs;
inline constexpr overloads<aten::abs_> abs_;
inline constexpr overloads<aten::sign, aten::sign_out> sign;
inline constexpr overloads<aten::sign_> sign_;
inline constexpr overloads<aten::sgn, aten::sgn_out> sgn;
inline constexpr overloads<aten::sgn_> sgn_;
inline constexpr overloads<aten::positive> positive;
inline constexpr overloads<aten::square, aten::square_out> square;
inline constexpr overloads<aten::square_> square_;
inline constexpr overloads<aten::ceil, aten::ceil_out> ceil;
inline constexpr overloads<aten::ceil_> ceil_;
inline constexpr overloads<aten::floor, aten::floor_out> floor;
inline constexpr overloads<aten::floor_> floor_;
inline constexpr overloads<aten::round, aten::round_out, aten::round_decimals, aten::round_decimals_out> round;
inline constexpr overloads<aten::round_, aten::round_decimals_> round_;
inline constexpr overloads<aten::trunc, aten::trunc_out> trunc;
inline constexpr overloads<aten::trunc_> trunc_;
inline constexpr overloads<aten::frac, aten::frac_out> frac;
inline constexpr overloads<aten::frac_> frac_;
inline constexpr overloads<aten::nan_to_num, aten::nan_to_num_out> nan_to_num;
inline constexpr overloads<aten::nan_to_num_> nan_to_num_;
inline constexpr overloads<aten::bitwise_not, aten::bitwise_not_out> bitwise_not;
inline constexpr overloads<aten::bitwise_not_> bitwise_not_;
inline constexpr overloads<aten::reciprocal, aten::reciprocal_out> reciprocal;
inline constexpr overloads<aten::reciprocal_> reciprocal_;
inline constexpr overloads<aten::deg2rad, aten::deg2rad_out> deg2rad;
inline constexpr overloads<aten::deg2rad_> deg2rad_;
inline constexpr overloads<aten::rad2deg, aten::rad2deg_out> rad2deg;
inline constexpr overloads<aten::rad2deg_> rad2deg_;
inline constexpr overloads<aten::sqrt, aten::sqrt_out> sqrt;
inline constexpr overloads<aten::sqrt_> sqrt_;
inline constexpr overloads<aten::rsqrt, aten::rsqrt_out> rsqrt;
inline constexpr overloads<aten::rsqrt_> rsqrt_;
inline constexpr overloads<aten::exp, aten::exp_out> exp;
inline constexpr overloads<aten::exp_> exp_;
inline constexpr overloads<aten::exp2, aten::exp2_out> exp2;
inline constexpr overloads<aten::exp2_> exp2_;
inline constexpr overloads<aten::expm1, aten::expm1_out> expm1;
inline constexpr overloads<aten::expm1_> expm1_;
inline constexpr overloads<aten::log, aten::log_out> log;
inline constexpr overloads<aten::log_> log_;
inline constexpr overloads<aten::log2, aten::log2_out> log2;
inline constexpr overloads<aten::log2_> log2_;
inline constexpr overloads<aten::log10, aten::log10_out> log10;
inline constexpr overloads<aten::log10_> log10_;
inline constexpr overloads<aten::log1p, aten::log1p_out> log1p;
inline constexpr overloads<aten::log1p_> log1p_;
inline constexpr overloads<aten::sin, aten::sin_out> sin;
inline constexpr overloads<aten::sin_> sin_;
inline constexpr overloads<aten::cos, aten::cos_out> cos;
inline constexpr overloads<aten::cos_> cos_;
inline constexpr overloads<aten::tan, aten::tan_out> tan;
inline constexpr overloads<aten::tan_> tan_;
inline constexpr overloads<aten::asin, aten::asin_out> asin;
inline constexpr overloads<aten::asin_> asin_;
inline constexpr overloads<aten::acos, aten::acos_out> acos;
inline constexpr overloads<aten::acos_> acos_;
inline constexpr overloads<aten::atan, aten::atan_out> atan;
inline constexpr overloads<aten::atan_> atan_;
inline constexpr overloads<aten::sinh, aten::sinh_out> sinh;
inline constexpr overloads<aten::sinh_> sinh_;
inline constexpr overloads<aten::cosh, aten::cosh_out> cosh;
inline constexpr overloads<aten::cosh_> cosh_;
inline constexpr overloads<aten::tanh, aten::tanh_out> tanh;
inline constexpr overloads<aten::tanh_> tanh_;
inline constexpr overloads<aten::asinh, aten::asinh_out> asinh;
inline constexpr overloads<aten::asinh_> asinh_;
inline constexpr overloads<aten::acosh, aten::acosh_out> acosh;
inline constexpr overloads<aten::acosh_> acosh_;
inline constexpr overloads<aten::atanh, aten::atanh_out> atanh;
inline constexpr overloads<aten::atanh_> atanh_;
inline constexpr overloads<aten::erf, aten::erf_out> erf;
inline constexpr overloads<aten::erf_> erf_;
inline constexpr overloads<aten::erfc, aten::erfc_out> erfc;
inline constexpr overloads<aten::erfc_> erfc_;
inline constexpr overloads<aten::erfinv, aten::erfinv_out> erfinv;
inline constexpr overloads<aten::erfinv_> erfinv_;
inline constexpr overloads<aten::lgamma, aten::lgamma_out> lgamma;
inline constexpr overloads<aten::lgamma_> lgamma_;
inline constexpr overloads<aten::digamma, aten::digamma_out> digamma;
inline constexpr overloads<aten::digamma_> digamma_;
inline constexpr overloads<aten::sigmoid, aten::sigmoid_out> sigmoid;
inline constexpr overloads<aten::sigmoid_> sigmoid_;
inline constexpr overloads<aten::logit, aten::logit_out> logit;
inline constexpr overloads<aten::logit_> logit_;

}  // namespace topbit
