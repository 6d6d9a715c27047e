// The operations that have a SIMD form: one line each, by the name of the element function in kernels/common. All other
// operations loop over the element function.
#pragma once

#include "activation_gradients.h"
#include "activations.h"
#include "error_function.h"
#include "exponential.h"
#include "gamma.h"
#include "gelu_tanh.h"
#include "gradient_functions.h"
#include "hyperbolic.h"
#include "hypot.h"
#include "inverse_error_function.h"
#include "inverse_trigonometric.h"
#include "logarithm.h"
#include "power.h"
#include "remainder.h"
#include "roots.h"
#include "rounding.h"
#include "trigonometric.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

namespace fn = tb_kernel::fn;
template <typename T>
using numbers = tb_kernel::numbers<T>;

template <typename F>
constexpr auto in_vectors = nullptr;

template <>
constexpr auto in_vectors<fn::sqrt> = []<typename T>(vec<T> x, const numbers<T>&) { return xsimd::sqrt(x); };
template <>
constexpr auto in_vectors<fn::rsqrt> = []<typename T>(vec<T> x, const numbers<T>&) { return rsqrt<T>(x); };
template <>
constexpr auto in_vectors<fn::exp> = []<typename T>(vec<T> x, const numbers<T>&) { return exp<T>(x); };
template <>
constexpr auto in_vectors<fn::exp2> = []<typename T>(vec<T> x, const numbers<T>&) { return exp2<T>(x); };
template <>
constexpr auto in_vectors<fn::expm1> = []<typename T>(vec<T> x, const numbers<T>&) { return expm1<T>(x); };
template <>
constexpr auto in_vectors<fn::log> = []<typename T>(vec<T> x, const numbers<T>&) { return log<T>(x); };
template <>
constexpr auto in_vectors<fn::log2> = []<typename T>(vec<T> x, const numbers<T>&) { return log2<T>(x); };
template <>
constexpr auto in_vectors<fn::log10> = []<typename T>(vec<T> x, const numbers<T>&) { return log10<T>(x); };
template <>
constexpr auto in_vectors<fn::log1p> = []<typename T>(vec<T> x, const numbers<T>&) { return log1p<T>(x); };
template <>
constexpr auto in_vectors<fn::sinh> = []<typename T>(vec<T> x, const numbers<T>&) { return sinh<T>(x); };
template <>
constexpr auto in_vectors<fn::cosh> = []<typename T>(vec<T> x, const numbers<T>&) { return cosh<T>(x); };
template <>
constexpr auto in_vectors<fn::tanh> = []<typename T>(vec<T> x, const numbers<T>&) { return tanh<T>(x); };
template <>
constexpr auto in_vectors<fn::asinh> = []<typename T>(vec<T> x, const numbers<T>&) { return asinh<T>(x); };
template <>
constexpr auto in_vectors<fn::acosh> = []<typename T>(vec<T> x, const numbers<T>&) { return acosh<T>(x); };
template <>
constexpr auto in_vectors<fn::atanh> = []<typename T>(vec<T> x, const numbers<T>&) { return atanh<T>(x); };
template <>
constexpr auto in_vectors<fn::sigmoid> = []<typename T>(vec<T> x, const numbers<T>&) { return sigmoid<T>(x); };
template <>
constexpr auto in_vectors<fn::silu> = []<typename T>(vec<T> x, const numbers<T>&) { return silu<T>(x); };
template <>
constexpr auto in_vectors<fn::mish> = []<typename T>(vec<T> x, const numbers<T>&) { return mish<T>(x); };
template <>
constexpr auto in_vectors<fn::log_sigmoid> = []<typename T>(vec<T> x, const numbers<T>&) { return log_sigmoid<T>(x); };
template <>
constexpr auto in_vectors<fn::softplus> =
    []<typename T>(vec<T> x, const numbers<T>& k) { return softplus<T>(x, k.n0, k.n1); };
template <>
constexpr auto in_vectors<fn::elu> =
    []<typename T>(vec<T> x, const numbers<T>& k) { return elu<T>(x, k.n0, k.n1, k.n2); };
template <>
constexpr auto in_vectors<fn::logit> = []<typename T>(vec<T> x, const numbers<T>& k) { return logit<T>(x, k.n0); };
template <>
constexpr auto in_vectors<fn::logaddexp> =
    []<typename T>(vec<T> a, vec<T> b, const numbers<T>&) { return logaddexp<T>(a, b); };
template <>
constexpr auto in_vectors<fn::xlogy> = []<typename T>(vec<T> a, vec<T> b, const numbers<T>&) { return xlogy<T>(a, b); };

template <>
constexpr auto in_vectors<fn::elu_backward> =
    []<typename T>(vec<T> g, vec<T> x, const numbers<T>& k) { return elu_backward<T>(g, x, k.n0, k.n1, k.n2); };
template <>
constexpr auto in_vectors<fn::softplus_backward> =
    []<typename T>(vec<T> g, vec<T> x, const numbers<T>& k) { return softplus_backward<T>(g, x, k.n0, k.n1); };
template <>
constexpr auto in_vectors<fn::silu_backward> =
    []<typename T>(vec<T> g, vec<T> x, const numbers<T>&) { return silu_backward<T>(g, x); };
template <>
constexpr auto in_vectors<fn::gelu_backward> =
    []<typename T>(vec<T> g, vec<T> x, const numbers<T>&) { return gelu_backward(g, x); };
template <>
constexpr auto in_vectors<fn::gelu_tanh_backward> =
    []<typename T>(vec<T> g, vec<T> x, const numbers<T>&) { return gelu_tanh_backward<T>(g, x); };
template <>
constexpr auto in_vectors<fn::mish_backward> =
    []<typename T>(vec<T> g, vec<T> x, const numbers<T>&) { return mish_backward<T>(g, x); };
template <>
constexpr auto in_vectors<fn::glu_gate_backward> =
    []<typename T>(vec<T> g, vec<T> b, vec<T> c, const numbers<T>&) { return glu_gate_backward<T>(g, b, c); };

template <>
constexpr auto in_vectors<fn::sin> = []<typename T>(vec<T> x, const numbers<T>&) { return sin<T>(x); };
template <>
constexpr auto in_vectors<fn::cos> = []<typename T>(vec<T> x, const numbers<T>&) { return cos<T>(x); };
template <>
constexpr auto in_vectors<fn::tan> = []<typename T>(vec<T> x, const numbers<T>&) { return tan<T>(x); };
template <>
constexpr auto in_vectors<fn::asin> = []<typename T>(vec<T> x, const numbers<T>&) { return asin<T>(x); };
template <>
constexpr auto in_vectors<fn::acos> = []<typename T>(vec<T> x, const numbers<T>&) { return acos<T>(x); };
template <>
constexpr auto in_vectors<fn::atan> = []<typename T>(vec<T> x, const numbers<T>&) { return atan<T>(x); };
template <>
constexpr auto in_vectors<fn::erf> = []<typename T>(vec<T> x, const numbers<T>&) { return erf<T>(x); };
template <>
constexpr auto in_vectors<fn::erfc> = []<typename T>(vec<T> x, const numbers<T>&) { return erfc<T>(x); };
template <>
constexpr auto in_vectors<fn::erfinv> = []<typename T>(vec<T> x, const numbers<T>&) { return erfinv(x); };
// The C library is faster than two elements at a time.
#if defined(__AVX2__)
template <>
constexpr auto in_vectors<fn::lgamma> = []<typename T>(vec<T> x, const numbers<T>&) { return lgamma(x); };
#endif
template <>
constexpr auto in_vectors<fn::digamma> = []<typename T>(vec<T> x, const numbers<T>&) { return digamma(x); };
template <>
constexpr auto in_vectors<fn::gelu> = []<typename T>(vec<T> x, const numbers<T>&) { return gelu(x); };
template <>
constexpr auto in_vectors<fn::gelu_tanh> = []<typename T>(vec<T> x, const numbers<T>&) { return gelu_tanh(x); };
template <>
constexpr auto in_vectors<fn::atan2> = []<typename T>(vec<T> a, vec<T> b, const numbers<T>&) { return atan2<T>(a, b); };
template <>
constexpr auto in_vectors<fn::hypot> = []<typename T>(vec<T> a, vec<T> b, const numbers<T>&) { return hypot<T>(a, b); };
template <>
constexpr auto in_vectors<fn::pow> = []<typename T>(vec<T> a, vec<T> b, const numbers<T>&) { return pow<T>(a, b); };

template <>
constexpr auto in_vectors<fn::fmod> = []<typename T>(vec<T> a, vec<T> b, const numbers<T>&) { return fmod<T>(a, b); };
template <>
constexpr auto in_vectors<fn::remainder> =
    []<typename T>(vec<T> a, vec<T> b, const numbers<T>&) { return remainder<T>(a, b); };
template <>
constexpr auto in_vectors<fn::div_floor> =
    []<typename T>(vec<T> a, vec<T> b, const numbers<T>&) { return div_floor<T>(a, b); };

// Powers of a row with a single exponent: the call's first number, or Doubled / 2 known at compile time.
struct fixed_power {};
template <>
constexpr auto in_vectors<fixed_power> =
    []<typename T>(vec<T> x, const numbers<T>& k) { return ordinary_power<T>(x, vec<T>(k.n0)); };
template <int Doubled>
struct fixed_simple_power {};
template <int Doubled>
constexpr auto in_vectors<fixed_simple_power<Doubled>> =
    []<typename T>(vec<T> x, const numbers<T>&) { return simple_power<Doubled, T>(x); };

// Only for SSE2: with SSE4.1 the compiler vectorizes these with rounding instructions.
#if !defined(__SSE4_1__)
template <>
constexpr auto in_vectors<fn::ceil> = []<typename T>(vec<T> x, const numbers<T>&) { return ceil<T>(x); };
template <>
constexpr auto in_vectors<fn::floor> = []<typename T>(vec<T> x, const numbers<T>&) { return floor<T>(x); };
template <>
constexpr auto in_vectors<fn::trunc> = []<typename T>(vec<T> x, const numbers<T>&) { return trunc<T>(x); };
template <>
constexpr auto in_vectors<fn::frac> = []<typename T>(vec<T> x, const numbers<T>&) { return x - trunc<T>(x); };
template <>
constexpr auto in_vectors<fn::round> = []<typename T>(vec<T> x, const numbers<T>& k) { return round<T>(x, k.n0); };
#endif

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
