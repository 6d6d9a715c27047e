// Functions and activations of one tensor, conversions, random numbers.
#include "cell.h"

namespace bench::operators {

namespace {

const shape_set sml{&matrices, {"S", "M", "L"}};

void add_functions(family f) {
  f.both("abs", {in()}, [](args a) { return lib::abs(a[0]); });
  f.add("acos", {in(-1, 1)}, [](args a) { return lib::acos(a[0]); });
  f.add("acosh", {in(1, 4)}, [](args a) { return lib::acosh(a[0]); });
  f.add("asin", {in(-1, 1)}, [](args a) { return lib::asin(a[0]); });
  f.add("asinh", {in()}, [](args a) { return lib::asinh(a[0]); });
  f.both("atan", {in()}, [](args a) { return lib::atan(a[0]); });
  f.add("atanh", {in(-0.99, 0.99)}, [](args a) { return lib::atanh(a[0]); });
  f.add("bitwise_not i64", {whole(-1000)}, [](args a) { return lib::bitwise_not(a[0]); });
  f.add("ceil", {in()}, [](args a) { return lib::ceil(a[0]); });
  f.add("cos", {in()}, [](args a) { return lib::cos(a[0]); });
  f.add("cosh", {in()}, [](args a) { return lib::cosh(a[0]); });
  f.add("digamma", {in(0.1, 4)}, [](args a) { return lib::digamma(a[0]); }).within(10);
  f.both("erf", {in()}, [](args a) { return lib::erf(a[0]); });
  f.add("erfc", {in()}, [](args a) { return lib::erfc(a[0]); });
  f.add("erfinv", {in(-0.99, 0.99)}, [](args a) { return lib::erfinv(a[0]); });
  f.both("exp", {in()}, [](args a) { return lib::exp(a[0]); });
  f.add("exp bf16", {in().as(lib::bf16)}, [](args a) { return lib::exp(a[0]); });
  f.add("exp f16", {in().as(lib::f16)}, [](args a) { return lib::exp(a[0]); });
  f.add("exp f64", {in().as(lib::f64)}, [](args a) { return lib::exp(a[0]); });
  f.add("exp of a.t()", {in().seen([](const tensor& x) { return lib::t(x); })}, [](args a) { return lib::exp(a[0]); });
  f.add("exp of a[:, ::2]", {in().seen(lib::every_other)}, [](args a) { return lib::exp(a[0]); });
  f.add("exp2", {in()}, [](args a) { return lib::exp2(a[0]); });
  f.add("expm1", {in()}, [](args a) { return lib::expm1(a[0]); });
  f.add("floor", {in()}, [](args a) { return lib::floor(a[0]); });
  f.add("frac", {in()}, [](args a) { return lib::frac(a[0]); });
  f.add("isfinite", {in()}, [](args a) { return lib::isfinite(a[0]); });
  f.add("isnan", {in()}, [](args a) { return lib::isnan(a[0]); });
  f.add("lgamma", {in(0.1, 4)}, [](args a) { return lib::lgamma(a[0]); });
  f.both("log", {in(0.1, 4)}, [](args a) { return lib::log(a[0]); });
  f.add("log10", {in(0.1, 4)}, [](args a) { return lib::log10(a[0]); });
  f.both("log1p", {in(0.1, 4)}, [](args a) { return lib::log1p(a[0]); });
  f.add("log2", {in(0.1, 4)}, [](args a) { return lib::log2(a[0]); });
  f.add("logical_not bool", {mask()}, [](args a) { return lib::logical_not(a[0]); });
  f.add("logit", {in(0.01, 0.99)}, [](args a) { return lib::logit(a[0]); });
  f.add("nan_to_num", {in()}, [](args a) { return lib::nan_to_num(a[0]); });
  f.both("neg", {in()}, [](args a) { return lib::neg(a[0]); });
  f.both("reciprocal", {in(0.1, 4)}, [](args a) { return lib::reciprocal(a[0]); });
  f.add("round", {in()}, [](args a) { return lib::round(a[0]); });
  f.both("rsqrt", {in(0.1, 4)}, [](args a) { return lib::rsqrt(a[0]); });
  f.both("sigmoid", {in()}, [](args a) { return lib::sigmoid(a[0]); });
  f.add("sign", {in()}, [](args a) { return lib::sign(a[0]); });
  f.both("sin", {in()}, [](args a) { return lib::sin(a[0]); });
  f.add("sinh", {in()}, [](args a) { return lib::sinh(a[0]); });
  f.both("sqrt", {in(0.1, 4)}, [](args a) { return lib::sqrt(a[0]); });
  f.both("square", {in()}, [](args a) { return lib::square(a[0]); });
  f.add("tan", {in(-1.5, 1.5)}, [](args a) { return lib::tan(a[0]); });
  f.both("tanh", {in()}, [](args a) { return lib::tanh(a[0]); });
  f.add("trunc", {in()}, [](args a) { return lib::trunc(a[0]); });
}

void add_activations(family f) {
  f.add("celu", {in()}, [](args a) { return lib::celu(a[0]); });
  f.both("elu", {in()}, [](args a) { return lib::elu(a[0]); });
  f.both("gelu", {in()}, [](args a) { return lib::gelu(a[0]); });
  f.add("gelu bf16", {in().as(lib::bf16)}, [](args a) { return lib::gelu(a[0]); });
  f.both("gelu_tanh", {in()}, [](args a) { return lib::gelu(a[0], lib::approximate("tanh")); });
  f.both("glu", {in()}, [](args a) { return lib::glu(a[0], 1); });
  f.add("hardsigmoid", {in()}, [](args a) { return lib::hardsigmoid(a[0]); });
  f.both("hardswish", {in()}, [](args a) { return lib::hardswish(a[0]); });
  f.both("hardtanh", {in()}, [](args a) { return lib::hardtanh(a[0]); });
  f.both("leaky_relu", {in()}, [](args a) { return lib::leaky_relu(a[0]); });
  f.both("log_sigmoid", {in()}, [](args a) { return lib::log_sigmoid(a[0]); });
  f.both("mish", {in()}, [](args a) { return lib::mish(a[0]); });
  f.add("prelu", {in(), sized({-1})}, [](args a) { return lib::prelu(a[0], a[1]); });
  f.both("relu", {in()}, [](args a) { return lib::relu(a[0]); });
  f.add("relu bf16", {in().as(lib::bf16)}, [](args a) { return lib::relu(a[0]); });
  f.add("relu6", {in(-3, 9)}, [](args a) { return lib::relu6(a[0]); });
  f.add("selu", {in()}, [](args a) { return lib::selu(a[0]); });
  f.both("silu", {in()}, [](args a) { return lib::silu(a[0]); });
  f.both("softplus", {in()}, [](args a) { return lib::softplus(a[0]); });
  f.add("softshrink", {in()}, [](args a) { return lib::softshrink(a[0]); });
}

void add_conversions(family f) {
  f.add("bf16->f32", {in().as(lib::bf16)}, [](args a) { return lib::to(a[0], lib::f32); });
  f.add("bool->f32", {mask()}, [](args a) { return lib::to(a[0], lib::f32); });
  f.add("f32->bf16", {in()}, [](args a) { return lib::to(a[0], lib::bf16); });
  f.add("f32->f16", {in()}, [](args a) { return lib::to(a[0], lib::f16); });
  f.add("f32->f64", {in()}, [](args a) { return lib::to(a[0], lib::f64); });
  f.add("f32->i64", {in()}, [](args a) { return lib::to(a[0], lib::i64); });
  f.add("i64->f32", {whole(-1000)}, [](args a) { return lib::to(a[0], lib::f32); });
}

void add_random(family f) {
  f.add("bernoulli", {in(0, 1)}, [](args a) { return lib::bernoulli(a[0]); }).compared(check::moments);
  f.add("dropout 0.1", {in(0.1, 4)}, [](args a) { return lib::dropout(a[0], 0.1, true); }).compared(check::moments);
  f.recorded("dropout 0.1", {&matrices, {"M", "1e6"}}, {in(0.1, 4)}, [](args a) {
     return lib::dropout(a[0], 0.1, true);
   }).compared(check::moments);
  f.add("multinomial", {&any_numbers, {"32x1000, 10"}}, {sized({0, 1}, 0.1, 4)}, [](args a) {
     return lib::multinomial(a[0], a.n(2), true);
   }).compared(check::sizes);
  f.add("rand", {}, [](args a) { return lib::rand({a.n(0), a.n(1)}); }).compared(check::moments);
  f.add("randint", {}, [](args a) { return lib::randint(100, {a.n(0), a.n(1)}); }).compared(check::moments);
  f.add("randn", {}, [](args a) { return lib::randn({a.n(0), a.n(1)}); }).compared(check::moments);
  f.add("randperm", {&matrices, {"S", "1e6"}}, {}, [](args a) {
     return lib::randperm(a.n(0) * a.n(1));
   }).compared(check::moments);
}

}  // namespace

void add_unary(std::vector<cell>& all) {
  add_functions({all, "unary", sml});
  add_activations({all, "activation", sml});
  add_conversions({all, "convert", sml});
  add_random({all, "random", sml});
}

}  // namespace bench::operators
