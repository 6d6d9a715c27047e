// Every elementwise operator, for every dtype, over random shapes and arrangements of memory, against one loop over
// double. The process's kernels are tested: the build registers these tests once per architecture.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/dtype_rules.h"
#include "oracle/functions.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using oracle::stored;
using support::arrangement;
using tb::dtype;
using tb::tensor;

namespace {

enum class result { same, floating, predicate, number };
using element = std::function<double(dtype, const double*)>;

// What the operator is for one element. `takes`: b, i, f for the categories of dtypes. Operands are drawn from low to
// high where they are floating; `slack` is how many times the usual tolerance an ill-conditioned function may be off.
struct operation {
  std::string name;
  std::size_t inputs;
  result gives;
  std::string takes;
  element f;
  double low = -4, high = 4, slack = 1;
  std::vector<tb::value> numbers{};
};

element one(double (*f)(double)) {
  return [f](dtype, const double* x) { return f(x[0]); };
}
element two(double (*f)(double, double)) {
  return [f](dtype, const double* x) { return f(x[0], x[1]); };
}

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double bits(dtype t) { return 8 * static_cast<double>(tb::size_of(t)); }
std::int64_t whole(double x) { return static_cast<std::int64_t>(x); }

const std::vector<operation>& operations() {
  using enum result;
  static const std::vector<operation> all = [] {
    std::vector<operation> o{
        {"aten::neg", 1, same, "if", one([](double x) { return -x; })},
        {"aten::abs", 1, same, "bif", one(std::fabs)},
        {"aten::sign", 1, same, "bif", one(sign)},
        {"aten::square", 1, number, "bif", one([](double x) { return x * x; })},
        {"aten::ceil", 1, same, "if", one(std::ceil)},
        {"aten::floor", 1, same, "if", one(std::floor)},
        {"aten::round", 1, same, "if", one(std::nearbyint)},
        {"aten::trunc", 1, same, "if", one(std::trunc)},
        {"aten::frac", 1, same, "f", one([](double x) { return x - std::trunc(x); })},
        {"aten::bitwise_not", 1, same, "bi",
         [](dtype t, const double* x) { return t == dtype::boolean ? x[0] == 0 : -1 - x[0]; }},
        {"aten::reciprocal", 1, floating, "bif", one([](double x) { return 1 / x; })},
        {"aten::sqrt", 1, floating, "bif", one(std::sqrt)},
        {"aten::rsqrt", 1, floating, "bif", one([](double x) { return 1 / std::sqrt(x); })},
        {"aten::exp", 1, floating, "bif", one(std::exp)},
        {"aten::exp2", 1, floating, "bif", one(std::exp2)},
        {"aten::expm1", 1, floating, "bif", one(std::expm1)},
        {"aten::log", 1, floating, "bif", one(std::log)},
        {"aten::log2", 1, floating, "bif", one(std::log2)},
        {"aten::log10", 1, floating, "bif", one(std::log10)},
        {"aten::log1p", 1, floating, "bif", one(std::log1p)},
        {"aten::sin", 1, floating, "bif", one(std::sin)},
        {"aten::cos", 1, floating, "bif", one(std::cos)},
        {"aten::tan", 1, floating, "bif", one(std::tan), -1.4, 1.4},
        {"aten::asin", 1, floating, "bif", one(std::asin), -1.2, 1.2},
        {"aten::acos", 1, floating, "bif", one(std::acos), -1.2, 1.2},
        {"aten::atan", 1, floating, "bif", one(std::atan)},
        {"aten::sinh", 1, floating, "bif", one(std::sinh)},
        {"aten::cosh", 1, floating, "bif", one(std::cosh)},
        {"aten::tanh", 1, floating, "bif", one(std::tanh)},
        {"aten::asinh", 1, floating, "bif", one(std::asinh)},
        {"aten::acosh", 1, floating, "bif", one(std::acosh), 0, 5},
        {"aten::atanh", 1, floating, "bif", one(std::atanh), -1.2, 1.2},
        {"aten::erf", 1, floating, "bif", one(std::erf)},
        {"aten::erfc", 1, floating, "bif", one(std::erfc)},
        {"aten::lgamma", 1, floating, "bif", one(std::lgamma), 0.1, 9},
        {"aten::sigmoid", 1, floating, "bif", one(oracle::sigmoid<double>)},
        {"aten::logit",
         1,
         floating,
         "bif",
         one([](double x) { return std::log(x / (1 - x)); }),
         0.05,
         0.95,
         4,
         {tb::value(std::optional<double>())}},
        {"aten::relu", 1, same, "if", one([](double x) { return x <= 0 ? 0 : x; })},
        {"aten::silu", 1, same, "f", one(oracle::silu<double>)},
        {"aten::mish", 1, same, "f", one([](double x) { return x * std::tanh(std::log1p(std::exp(x))); })},
        {"aten::hardswish", 1, same, "f", one([](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; })},
        {"aten::hardsigmoid", 1, same, "f", one([](double x) { return std::clamp(x + 3, 0.0, 6.0) / 6; })},
        {"aten::log_sigmoid", 1, same, "f", one([](double x) { return std::log(oracle::sigmoid(x)); }), -4, 4, 4},
        {"aten::gelu",
         1,
         same,
         "f",
         one([](double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; }),
         -4,
         4,
         1,
         {tb::value(std::string_view("none"))}},
        {"aten::softplus",
         1,
         same,
         "f",
         one([](double x) { return std::log1p(std::exp(x)); }),
         -4,
         4,
         1,
         {tb::value(tb::scalar(1)), tb::value(tb::scalar(20))}},
        {"aten::elu",
         1,
         same,
         "f",
         one([](double x) { return x > 0 ? 2 * x : 2 * 1.5 * std::expm1(0.5 * x); }),
         -4,
         4,
         1,
         {tb::value(tb::scalar(1.5)), tb::value(tb::scalar(2)), tb::value(tb::scalar(0.5))}},
        {"aten::leaky_relu",
         1,
         same,
         "f",
         one([](double x) { return x > 0 ? x : 0.25 * x; }),
         -4,
         4,
         1,
         {tb::value(tb::scalar(0.25))}},
        {"aten::logical_not", 1, predicate, "bif", one([](double x) -> double { return x == 0; })},
        {"aten::isnan", 1, predicate, "bif", one([](double x) -> double { return std::isnan(x); })},
        {"aten::isinf", 1, predicate, "bif", one([](double x) -> double { return std::isinf(x); })},
        {"aten::isfinite", 1, predicate, "bif", one([](double x) -> double { return std::isfinite(x); })},
        {"aten::add.Tensor",
         2,
         same,
         "bif",
         [](dtype t, const double* x) { return t == dtype::boolean ? x[0] != 0 || x[1] != 0 : x[0] + x[1]; },
         -4,
         4,
         1,
         {tb::value(tb::scalar(1))}},
        {"aten::sub.Tensor",
         2,
         same,
         "if",
         two([](double a, double b) { return a - 2 * b; }),
         -4,
         4,
         1,
         {tb::value(tb::scalar(2))}},
        {"aten::mul.Tensor", 2, same, "bif", two([](double a, double b) { return a * b; })},
        {"aten::div.Tensor", 2, floating, "bif", two([](double a, double b) { return a / b; })},
        {"aten::maximum", 2, same, "bif",
         two([](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); })},
        {"aten::minimum", 2, same, "bif",
         two([](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); })},
        {"aten::fmax", 2, same, "bif", two(std::fmax)},
        {"aten::fmin", 2, same, "bif", two(std::fmin)},
        {"aten::atan2", 2, floating, "bif", two(std::atan2)},
        {"aten::hypot", 2, floating, "bif", two(std::hypot)},
        {"aten::copysign.Tensor", 2, floating, "bif", two(std::copysign)},
        {"aten::logaddexp", 2, floating, "bif",
         two([](double a, double b) { return std::log(std::exp(a) + std::exp(b)); })},
        {"aten::xlogy.Tensor", 2, floating, "bif", two([](double a, double b) {
           return std::isnan(b) ? b : a == 0 ? 0 : a * std::log(b);
         })},
        {"aten::bitwise_and.Tensor", 2, same, "bi",
         two([](double a, double b) { return static_cast<double>(whole(a) & whole(b)); })},
        {"aten::bitwise_or.Tensor", 2, same, "bi",
         two([](double a, double b) { return static_cast<double>(whole(a) | whole(b)); })},
        {"aten::bitwise_xor.Tensor", 2, same, "bi",
         two([](double a, double b) { return static_cast<double>(whole(a) ^ whole(b)); })},
        {"aten::bitwise_left_shift.Tensor", 2, same, "i",
         [](dtype t, const double* x) {
           return x[1] < 0 || x[1] >= bits(t) ? 0 : std::ldexp(x[0], static_cast<int>(x[1]));
         }},
        {"aten::bitwise_right_shift.Tensor", 2, same, "i",
         [](dtype t, const double* x) {
           return x[1] < 0 || x[1] >= bits(t) ? (x[0] < 0 ? -1 : 0)
                                              : std::floor(std::ldexp(x[0], -static_cast<int>(x[1])));
         }},
        {"aten::eq.Tensor", 2, predicate, "bif", two([](double a, double b) -> double { return a == b; })},
        {"aten::ne.Tensor", 2, predicate, "bif", two([](double a, double b) -> double { return a != b; })},
        {"aten::lt.Tensor", 2, predicate, "bif", two([](double a, double b) -> double { return a < b; })},
        {"aten::le.Tensor", 2, predicate, "bif", two([](double a, double b) -> double { return a <= b; })},
        {"aten::gt.Tensor", 2, predicate, "bif", two([](double a, double b) -> double { return a > b; })},
        {"aten::ge.Tensor", 2, predicate, "bif", two([](double a, double b) -> double { return a >= b; })},
        {"aten::logical_and", 2, predicate, "bif", two([](double a, double b) -> double { return a != 0 && b != 0; })},
        {"aten::logical_or", 2, predicate, "bif", two([](double a, double b) -> double { return a != 0 || b != 0; })},
        {"aten::logical_xor", 2, predicate, "bif",
         two([](double a, double b) -> double { return (a != 0) != (b != 0); })},
        {"aten::threshold_backward",
         2,
         same,
         "if",
         two([](double a, double b) { return b <= 1 ? 0 : a; }),
         -4,
         4,
         1,
         {tb::value(tb::scalar(1))}},
        {"aten::addcmul",
         3,
         same,
         "if",
         [](dtype, const double* x) { return x[0] + 2 * x[1] * x[2]; },
         -4,
         4,
         4,
         {tb::value(tb::scalar(2))}},
        {"aten::addcdiv",
         3,
         same,
         "f",
         [](dtype, const double* x) { return x[0] + 2 * x[1] / x[2]; },
         0.5,
         4,
         4,
         {tb::value(tb::scalar(2))}},
    };
    return o;
  }();
  return all;
}

tensor random_operand(support::numbers& source, const operation& o, const tb::shape& sizes, dtype t, arrangement how) {
  const tensor x = support::arranged(sizes, t, how);
  constexpr double corners[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, -1};
  support::each_index(sizes, [&](const tb::shape& index) {
    double v = source.real(o.low, o.high);
    if (t == dtype::boolean) v = static_cast<double>(source.whole(0, 1));
    if (tb::is_integer(t)) v = std::round(t == dtype::uint8 ? std::fabs(v) : v);
    if (tb::is_floating(t) && source.whole(0, 9) == 0) v = corners[source.whole(0, 6)];
    support::set(x, index, v);
  });
  return x;
}

std::optional<tb::operator_handle> form(const std::string& name, const std::string& in_place, const char* out) {
  const auto dot = name.find('.');
  const std::string base = name.substr(0, dot), overload = dot == std::string::npos ? "" : name.substr(dot);
  if (out == nullptr) return tb::registry::process().try_find(base + in_place + overload);
  if (auto found = tb::registry::process().try_find(base + overload + out)) return found;
  return tb::registry::process().try_find(base + ".out");
}

// Calls an operator with tensors, its numbers, and what it writes.
tensor call(const tb::operator_handle& op, const std::vector<tensor>& in, const operation& o, const tensor* out) {
  tb::inline_stack<8> s;
  for (const tensor& t : in) s.push(t);
  for (const tb::value& v : o.numbers) s.push(v);
  tensor written = out != nullptr ? *out : tensor();
  if (out != nullptr) s.push(tb::value::refer(written));
  op.call_boxed(s);
  return s.pop().get<tensor>();
}

bool takes(const operation& o, dtype t) { return o.takes.find("bif"[oracle::category(t)]) != std::string::npos; }

dtype result_of(const operation& o, dtype t) {
  if (o.gives == result::predicate) return dtype::boolean;
  if (o.gives == result::number && t == dtype::boolean) return dtype::int64;
  return o.gives == result::floating && !tb::is_floating(t) ? dtype::float32 : t;
}

std::vector<double> naive(const operation& o, const std::vector<tensor>& in, const tb::shape& sizes, dtype type,
                          dtype stored_in) {
  // Integers are computed in int64, float16 and bfloat16 in float32: a number beyond self's dtype is still itself when
  // compared.
  const dtype computed = type == dtype::boolean && o.gives != result::floating ? type
                         : type == dtype::float64                              ? type
                         : tb::is_integer(type) && o.gives != result::floating ? dtype::int64
                                                                               : dtype::float32;
  std::vector<double> wanted;
  support::each_index(sizes, [&](const tb::shape& i) {
    double x[3];
    for (std::size_t k = 0; k < in.size(); ++k) {
      x[k] = stored(computed, support::get(in[k], support::broadcast_index(i, in[k].sizes())));
    }
    wanted.push_back(stored(stored_in, stored(result_of(o, type), o.f(type, x))));
  });
  return wanted;
}

// Relative to the result's dtype; float32 and float64 are computed with a few roundings of their own.
double tolerance(const operation& o, dtype t) { return o.slack * support::tolerance_of(t); }

}  // namespace

TEST_CASE("elementwise: every operator agrees with a loop over double, for every dtype",
          "[ops][elementwise][property]") {
  support::numbers source(11);
  for (const operation& o : operations()) {
    const tb::operator_handle op = tb::find(o.name);
    for (dtype first : tb::all_dtypes) {
      for (dtype second : tb::all_dtypes) {
        if (o.inputs == 1 && second != first) continue;
        for (int round = 0; round < (o.inputs == 1 ? 6 : 2); ++round) {
          const tb::shape sizes = round == 0 ? tb::shape{source.whole(0, 3), 67} : source.shape(4, 5);
          std::vector<tensor> in;
          for (std::size_t k = 0; k < o.inputs; ++k) {
            const auto how = static_cast<arrangement>(source.whole(0, 3));
            in.push_back(
                random_operand(source, o, k == 0 ? sizes : source.narrowed(sizes), k == 0 ? first : second, how));
          }
          dtype type = in[0].dtype();
          if (o.inputs > 1) type = oracle::naive_promoted(in[0], in[1]);
          if (o.inputs > 2 && in[2].dim() > 0) type = oracle::naive_promote(first, second);
          if (o.inputs > 2 && in[1].dim() + in[2].dim() == 0 && in[0].dim() > 0)
            type = oracle::naive_promoted(in[0], in[1]);
          INFO(o.name << " of " << tb::name_of(first) << " and " << tb::name_of(second) << " " << tb::to_string(sizes));
          if (!takes(o, type)) {
            CHECK_THROWS_AS(call(op, in, o, nullptr), tb::dtype_error);
            continue;
          }
          const tensor y = call(op, in, o, nullptr);
          REQUIRE(y.dtype() == result_of(o, type));
          REQUIRE(y.sizes() == sizes);
          const auto wanted = naive(o, in, sizes, type, y.dtype());
          REQUIRE(support::difference(support::values(y), wanted, tolerance(o, y.dtype())) == "");
        }
      }
    }
  }
}

TEST_CASE("elementwise: in-place and out forms agree with the functional form", "[ops][elementwise][property]") {
  support::numbers source(12);
  for (const operation& o : operations()) {
    const tb::operator_handle op = tb::find(o.name);
    for (dtype t : tb::all_dtypes) {
      if (!takes(o, t)) continue;
      const tb::shape sizes = source.shape(3, 5);
      std::vector<tensor> in;
      for (std::size_t k = 0; k < o.inputs; ++k) {
        in.push_back(random_operand(source, o, sizes, t, static_cast<arrangement>(source.whole(0, k == 0 ? 2 : 3))));
      }
      INFO(o.name << " of " << tb::name_of(t) << " " << tb::to_string(sizes));
      const tensor y = call(op, in, o, nullptr);
      const auto wanted = support::values(y);
      if (const auto out_form = form(o.name, "", "_out")) {
        tensor out = support::arranged(sizes, y.dtype(), static_cast<arrangement>(source.whole(0, 2)));
        CHECK(call(*out_form, in, o, &out).same_as(out));
        CHECK(support::difference(support::values(out), wanted, 0) == "");
        CHECK(out.version() == 1);
      }
      const auto in_place = form(o.name, "_", nullptr);
      if (!in_place || in_place->argument_count() != op.argument_count()) continue;
      tb::inline_stack<8> s;
      tensor self = in[0];
      s.push(tb::value::refer(self));
      for (std::size_t k = 1; k < in.size(); ++k) s.push(in[k]);
      for (const tb::value& v : o.numbers) s.push(v);
      if (!tb::can_cast(y.dtype(), t)) {
        CHECK_THROWS_AS(in_place->call_boxed(s), tb::dtype_error);
        continue;
      }
      std::vector<double> kept;
      for (double x : wanted) kept.push_back(stored(t, x));
      in_place->call_boxed(s);
      CHECK(support::difference(support::values(self), kept, 0) == "");
    }
  }
}

TEST_CASE("elementwise: the meta backend returns the same sizes, strides and dtype", "[ops][elementwise][meta]") {
  support::numbers source(13);
  for (const operation& o : operations()) {
    const tb::operator_handle op = tb::find(o.name);
    for (dtype t : tb::all_dtypes) {
      if (!takes(o, t)) continue;
      const tb::shape sizes = source.shape(4, 4);
      std::vector<tensor> in, there;
      for (std::size_t k = 0; k < o.inputs; ++k) {
        const auto how = static_cast<arrangement>(source.whole(0, 3));
        const tb::shape narrow = k == 0 ? sizes : source.narrowed(sizes);
        in.push_back(random_operand(source, o, narrow, t, how));
        there.push_back(support::arranged(narrow, t, how, tb::meta));
      }
      INFO(o.name << " of " << tb::name_of(t) << " " << tb::to_string(sizes));
      const tensor y = call(op, in, o, nullptr), m = call(op, there, o, nullptr);
      CHECK(m.device() == tb::meta);
      CHECK(m.sizes() == y.sizes());
      CHECK(m.strides() == y.strides());
      CHECK(m.dtype() == y.dtype());
    }
  }
}

TEST_CASE("elementwise: results have the memory order of their operands", "[ops][elementwise][strides][property]") {
  support::numbers source(14);
  const tensor dense = source.tensor({3, 4, 5}, dtype::float32);
  const tensor transposed = source.tensor({3, 4, 5}, dtype::float32, arrangement::transposed);
  CHECK((dense + dense).strides() == tb::shape{20, 5, 1});
  CHECK((transposed + transposed).strides() == tb::shape{1, 3, 12});
  CHECK((transposed + dense).strides() == tb::shape{1, 3, 12});
  CHECK((dense + transposed).strides() == tb::shape{20, 5, 1});
  CHECK((transposed + source.tensor({5}, dtype::float32)).strides() == tb::shape{1, 3, 12});
  CHECK(topbit::aten::exp(transposed).strides() == tb::shape{1, 3, 12});
}

TEST_CASE("elementwise: integers cannot be divided by zero, and nothing is written", "[ops][elementwise][property]") {
  namespace aten = topbit::aten;
  tensor a = support::tensor_of({7, -7, 5}, {3}, dtype::int32);
  const tensor zero = support::tensor_of({2, 2, 0}, {3}, dtype::int8);
  const auto text = [](auto f) { return toy::text_of<tb::error>(f); };
  CHECK(text([&] { aten::floor_divide_Tensor_(a, zero); }) ==
        "aten::floor_divide_.Tensor: found a divisor of 0 for integers int8 [3]");
  CHECK(text([&] { aten::remainder_Tensor_(a, zero); }) ==
        "aten::remainder_.Tensor: found a divisor of 0 for integers int8 [3]");
  CHECK(text([&] { aten::fmod_Tensor(a, zero); }) == "aten::fmod.Tensor: found a divisor of 0 for integers int8 [3]");
  CHECK(support::values(a) == std::vector<double>{7, -7, 5});
  const tensor two = support::tensor_of({2, 2, -2}, {3}, dtype::int8);
  CHECK(support::values(aten::floor_divide(a, two)) == std::vector<double>{3, -4, -3});
  CHECK(support::values(aten::remainder_Tensor(a, two)) == std::vector<double>{1, 1, -1});
  CHECK(support::values(aten::fmod_Tensor(a, two)) == std::vector<double>{1, -1, 1});
}
