// Comparisons, bits, shifts and wrapping arithmetic of any two dtypes, numbers at the ends of their ranges among them.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/exact_values.h"
#include "support/operator_forms.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::approximately;
using support::extended;
using support::forms;
using tb::dtype;
using tb::scalar;
using tb::tensor;

namespace {

using truth = bool (*)(extended, extended);
using bits = std::uint64_t;

extended as_extended(const scalar& s) {
  return tb::is_floating(s.type()) ? extended(s.to_double()) : extended(s.to_int64());
}
bits bits_of(extended x) { return static_cast<bits>(static_cast<std::int64_t>(x)); }
extended number_of(bits x) { return extended(static_cast<std::int64_t>(x)); }

// The type in which a tensor with dimensions and a number meet.
dtype met(dtype t, const scalar& n) {
  const int category = oracle::category(n.type());
  return category <= oracle::category(t) ? t : category == 2 ? dtype::float32 : n.type();
}

struct comparison {
  std::string name;
  truth f;
  bool of_numbers;  // has a form with a number, and its out form is named for tensors
};
const comparison comparisons[] = {
    {"eq", [](extended a, extended b) { return a == b; }, true},
    {"ne", [](extended a, extended b) { return a != b; }, true},
    {"lt", [](extended a, extended b) { return a < b; }, true},
    {"le", [](extended a, extended b) { return a <= b; }, true},
    {"gt", [](extended a, extended b) { return a > b; }, true},
    {"ge", [](extended a, extended b) { return a >= b; }, true},
    {"logical_and", [](extended a, extended b) { return a != 0 && b != 0; }, false},
    {"logical_or", [](extended a, extended b) { return a != 0 || b != 0; }, false},
    {"logical_xor", [](extended a, extended b) { return (a != 0) != (b != 0); }, false},
};

forms tensor_forms(const std::string& name, bool named) {
  const std::string base = "aten::" + name;
  return named ? forms{base + ".Tensor", base + "_.Tensor", base + ".Tensor_out"}
               : forms{base, base + "_", base + ".out"};
}
forms scalar_overloads(const std::string& name, const std::string& overload) {
  return {"aten::" + name + overload, "aten::" + name + "_" + overload, ""};
}

using bit_function = extended (*)(extended, extended, int width);
struct bit_operation {
  std::string name, with_number;
  bit_function f;
  bool of_bools;
};
const bit_operation bit_operations[] = {
    {"bitwise_and", ".Scalar", [](extended a, extended b, int) { return number_of(bits_of(a) & bits_of(b)); }, true},
    {"bitwise_or", ".Scalar", [](extended a, extended b, int) { return number_of(bits_of(a) | bits_of(b)); }, true},
    {"bitwise_xor", ".Scalar", [](extended a, extended b, int) { return number_of(bits_of(a) ^ bits_of(b)); }, true},
    {"bitwise_left_shift", ".Tensor_Scalar",
     [](extended a, extended b, int width) {
       return b < 0 || b >= width ? 0 : number_of(bits_of(a) << static_cast<int>(b));
     },
     false},
    {"bitwise_right_shift", ".Tensor_Scalar",
     [](extended a, extended b, int width) {
       if (b < 0 || b >= width) return a < 0 ? extended(-1) : 0;
       return std::floor(std::ldexp(a, -static_cast<int>(b)));
     },
     false},
};

}  // namespace

TEST_CASE("comparison: of every pair of dtypes, in the type they promote to", "[ops][property]") {
  support::edge_numbers source(51);
  for (const comparison& o : comparisons) {
    for (dtype first : tb::all_dtypes) {
      for (dtype second : tb::all_dtypes) {
        const tb::shape sizes = source.any_shape();
        const tensor a = source.operand(sizes, first, -3, 3), b = source.operand(source.narrowed(sizes), second, -3, 3);
        support::check_forms(tensor_forms(o.name, o.of_numbers), {tb::value(a), tb::value(b)},
                             oracle::naive_promoted(a, b), dtype::boolean, 0, source,
                             [&](const extended* v) { return extended(o.f(v[0], v[1])); });
      }
    }
  }
}

TEST_CASE("comparison: with a number, which keeps its value", "[ops][property]") {
  support::edge_numbers source(52);
  for (const comparison& o : comparisons) {
    if (!o.of_numbers) continue;
    for (dtype t : tb::all_dtypes) {
      for (const scalar& n : {scalar(1), scalar(-1), scalar(255), scalar(256), scalar(INT64_MAX), scalar(INT64_MIN),
                              scalar(true), scalar(0.1), scalar(-0.0), scalar(NAN), scalar(INFINITY)}) {
        const tensor x = source.operand({source.whole(0, 3), source.whole(1, 70)}, t, -3, 3);
        const dtype type = met(t, n);
        const extended number = oracle::stored(support::computed_in(type), as_extended(n));
        support::check_forms(scalar_overloads(o.name, ".Scalar"), {tb::value(x), tb::value(n)}, type, dtype::boolean, 0,
                             source, [&](const extended* v) { return extended(o.f(v[0], number)); });
      }
    }
  }
}

TEST_CASE("comparison: isnan, isinf and related predicates", "[ops][property]") {
  support::edge_numbers source(53);
  for (dtype t : tb::all_dtypes) {
    for (int round = 0; round < 8; ++round) {
      const support::arguments given{tb::value(source.operand(source.any_shape(), t))};
      const auto check = [&](const forms& names, auto wanted) {
        support::check_forms(names, given, t, dtype::boolean, 0, source,
                             [&](const extended* v) { return extended(wanted(v[0])); });
      };
      check({"aten::isnan", "", ""}, [](extended x) { return std::isnan(x); });
      check({"aten::isinf", "", ""}, [](extended x) { return std::isinf(x); });
      check({"aten::isposinf", "", "aten::isposinf.out"}, [](extended x) { return std::isinf(x) && x > 0; });
      check({"aten::isneginf", "", "aten::isneginf.out"}, [](extended x) { return std::isinf(x) && x < 0; });
      check({"aten::signbit", "", "aten::signbit.out"}, [](extended x) { return std::signbit(x); });
      check({"aten::isfinite", "", ""}, [](extended x) { return std::isfinite(x); });
      check({"aten::logical_not", "aten::logical_not_", "aten::logical_not.out"}, [](extended x) { return x == 0; });
    }
  }
}

TEST_CASE("comparison: isclose, allclose and equal, of one dtype", "[ops][property]") {
  support::edge_numbers source(54);
  for (dtype t : tb::all_dtypes) {
    for (int round = 0; round < 12; ++round) {
      const tb::shape sizes = source.any_shape();
      const tensor a = source.operand(sizes, t);
      const tensor b = source.flip() ? support::twin(a, tb::cpu) : source.operand(source.narrowed(sizes), t);
      const double rtol = source.flip() ? 0.25 : 0, atol = source.flip() ? 1.5 : 0;
      const bool equal_nan = source.flip();
      const dtype in = tb::is_floating(t) ? support::computed_in(t) : dtype::float64;
      bool all = true, same = a.sizes() == b.sizes();
      const auto close = [&](extended x, extended y) {
        if (x == y) return true;
        if (std::isnan(x) || std::isnan(y)) return equal_nan && std::isnan(x) && std::isnan(y);
        const dtype of = tb::is_floating(t) ? t : in;
        const extended far = oracle::stored(of, std::abs(oracle::stored(of, x - y)));
        const extended allowed = oracle::stored(of, std::abs(oracle::stored(of, y * extended(rtol))) + extended(atol));
        return std::isfinite(far) && far <= allowed;
      };
      support::each_index(sizes, [&](const tb::shape& i) {
        const extended x = support::exact(a, i), y = support::exact(b, support::broadcast_index(i, b.sizes()));
        all = all && close(x, y);
        same = same && x == y;
      });
      const support::arguments given{tb::value(a), tb::value(b), tb::value(rtol), tb::value(atol),
                                     tb::value(equal_nan)};
      support::check_forms({"aten::isclose", "", ""}, given, t, dtype::boolean, 0, source,
                           [&](const extended* v) { return extended(close(v[0], v[1])); });
      CHECK(aten::allclose(a, b, rtol, atol, equal_nan) == all);
      CHECK(aten::equal(a, b) == same);
    }
  }
}

TEST_CASE("comparison: bits and shifts of every pair of integer dtypes and bool", "[ops][property]") {
  support::edge_numbers source(55);
  for (const bit_operation& o : bit_operations) {
    for (dtype first : tb::all_dtypes) {
      for (dtype second : tb::all_dtypes) {
        const tb::shape sizes = source.any_shape();
        const tensor a = source.operand(sizes, first), b = source.operand(source.narrowed(sizes), second, -2, 70);
        const dtype type = oracle::naive_promoted(a, b);
        const forms names = tensor_forms(o.name, true);
        const support::arguments given{tb::value(a), tb::value(b)};
        if (tb::is_floating(type) || (type == dtype::boolean && !o.of_bools)) {
          CHECK_THROWS_AS(support::call_form(names.functional, given), tb::dtype_error);
          continue;
        }
        const int width = 8 * static_cast<int>(tb::size_of(type));
        support::check_forms(names, given, type, type, 0, source,
                             [&](const extended* v) { return o.f(v[0], v[1], width); });
      }
    }
    for (dtype t : {dtype::uint8, dtype::int8, dtype::int16, dtype::int32, dtype::int64}) {
      for (const std::int64_t n : {0, 1, 7, 8, 31, 63, 64, -1, 100000}) {
        const tensor x = source.operand({source.whole(0, 3), source.whole(1, 70)}, t);
        support::check_forms(
            scalar_overloads(o.name, o.with_number), {tb::value(x), tb::value(scalar(n))}, t, t, 0, source,
            [&](const extended* v) { return o.f(v[0], extended(n), 8 * static_cast<int>(tb::size_of(t))); });
      }
    }
  }
  for (dtype t : {dtype::boolean, dtype::uint8, dtype::int8, dtype::int16, dtype::int32, dtype::int64}) {
    support::check_forms({"aten::bitwise_not", "aten::bitwise_not_", "aten::bitwise_not.out"},
                         {tb::value(source.operand(source.any_shape(), t))}, t, t, 0, source, [&](const extended* v) {
                           return t == dtype::boolean ? extended(v[0] == 0) : number_of(~bits_of(v[0]));
                         });
  }
}

TEST_CASE("arithmetic: integers wrap and floats round once, for every pair of dtypes and any factor",
          "[ops][property]") {
  support::edge_numbers source(56);
  const forms add{"aten::add.Tensor", "aten::add_.Tensor", "aten::add.out"},
      sub{"aten::sub.Tensor", "aten::sub_.Tensor", "aten::sub.out"},
      mul{"aten::mul.Tensor", "aten::mul_.Tensor", "aten::mul.out"};
  for (dtype first : tb::all_dtypes) {
    for (dtype second : tb::all_dtypes) {
      for (const std::int64_t factor : {1, -1, 3, 0}) {
        const tb::shape sizes = source.any_shape();
        const tensor a = source.operand(sizes, first), b = source.operand(source.narrowed(sizes), second);
        const dtype type = oracle::naive_promoted(a, b), in = support::computed_in(type);
        const tb::value alpha(tb::scalar{factor});
        const auto sum = [&](int sign) {
          return [=](const extended* v) -> approximately {
            if (tb::is_floating(type)) {
              // The product may be rounded by itself, or not.
              const extended product = sign * extended(factor) * v[1], sum = v[0] + oracle::stored(in, product);
              return {sum, std::abs(factor) > 1 ? product : 0};
            }
            const bits product = bits_of(v[1]) * static_cast<bits>(sign * factor);
            return number_of(bits_of(v[0]) + product);
          };
        };
        const extended units = std::abs(factor) > 1 ? 1.01L : 0.501L;
        if (type == dtype::boolean) {
          CHECK_THROWS_AS(support::call_form(sub.functional, {tb::value(a), tb::value(b), alpha}), tb::dtype_error);
          if (factor == 1) {
            support::check_forms(add, {tb::value(a), tb::value(b), alpha}, type, type, 0, source,
                                 [](const extended* v) { return extended(v[0] != 0 || v[1] != 0); });
          }
        } else {
          support::check_forms(add, {tb::value(a), tb::value(b), alpha}, type, type, units, source, sum(1));
          support::check_forms(sub, {tb::value(a), tb::value(b), alpha}, type, type, units, source, sum(-1));
        }
        support::check_forms(mul, {tb::value(a), tb::value(b)}, type, type, 0.501L, source, [&](const extended* v) {
          return tb::is_floating(type) ? v[0] * v[1] : number_of(bits_of(v[0]) * bits_of(v[1]));
        });
      }
    }
  }
}

TEST_CASE("arithmetic: a sum with a product or a quotient, of three tensors", "[ops][property]") {
  support::edge_numbers source(57);
  const forms product{"aten::addcmul", "aten::addcmul_", "aten::addcmul.out"},
      quotient{"aten::addcdiv", "aten::addcdiv_", "aten::addcdiv.out"};
  for (dtype t : tb::all_dtypes) {
    const dtype in = support::computed_in(t);
    for (const std::int64_t factor : {1, -2, 3, 0}) {
      for (int round = 0; round < 4; ++round) {
        const tb::shape sizes = source.any_shape();
        const tensor a = source.operand(sizes, t), b = source.operand(source.narrowed(sizes), t),
                     c = source.operand(source.narrowed(sizes), t);
        const support::arguments given{tb::value(a), tb::value(b), tb::value(c), tb::value(tb::scalar{factor})};
        if (t == dtype::boolean) {
          CHECK_THROWS_AS(support::call_form(product.functional, given), tb::dtype_error);
        } else {
          support::check_forms(product, given, t, t, 2, source, [&](const extended* v) -> approximately {
            if (!tb::is_floating(t)) {
              return number_of(bits_of(v[0]) + static_cast<bits>(factor) * bits_of(v[1]) * bits_of(v[2]));
            }
            const extended p = oracle::stored(in, oracle::stored(in, extended(factor) * v[1]) * v[2]);
            return {v[0] + p, std::max(std::abs(v[0]), std::abs(p))};
          });
        }
        if (!tb::is_floating(t)) {
          CHECK_THROWS_AS(support::call_form(quotient.functional, given), tb::dtype_error);
          continue;
        }
        support::check_forms(quotient, given, t, t, 2, source, [&](const extended* v) -> approximately {
          const extended q = oracle::stored(in, oracle::stored(in, extended(factor) * v[1]) / v[2]);
          return {v[0] + q, std::max(std::abs(v[0]), std::abs(q))};
        });
      }
    }
  }
}

TEST_CASE("arithmetic: a tensor subtracted from a tensor or from a number", "[ops][property]") {
  support::edge_numbers source(58);
  for (dtype t : tb::all_dtypes) {
    if (t == dtype::boolean) continue;
    const tb::shape sizes{source.whole(0, 3), source.whole(1, 70)};
    const tensor a = source.operand(sizes, t), b = source.operand(sizes, t);
    const auto from = [t](extended x, extended y) -> approximately {
      return tb::is_floating(t) ? y - x : number_of(bits_of(y) - bits_of(x));
    };
    const tb::value one(scalar(1));
    support::check_forms({"aten::rsub.Tensor", "", ""}, {tb::value(a), tb::value(b), one}, t, t, 0.501L, source,
                         [&](const extended* v) { return from(v[0], v[1]); });
    support::check_forms({"aten::rsub.Scalar", "", ""}, {tb::value(a), tb::value(scalar(100)), one}, t, t, 0.501L,
                         source, [&](const extended* v) { return from(v[0], 100); });
    for (const auto& [name, sign] : {std::pair("add", 1), std::pair("sub", -1)}) {
      support::check_forms(scalar_overloads(name, ".Scalar"), {tb::value(a), tb::value(scalar(100)), one}, t, t, 0.501L,
                           source, [&, by = sign](const extended* v) -> approximately {
                             return tb::is_floating(t) ? v[0] + by * 100
                                                       : number_of(bits_of(v[0]) + static_cast<bits>(by * 100));
                           });
    }
    support::check_forms(scalar_overloads("mul", ".Scalar"), {tb::value(a), tb::value(scalar(100))}, t, t, 0.501L,
                         source, [&](const extended* v) -> approximately {
                           return tb::is_floating(t) ? v[0] * 100 : number_of(bits_of(v[0]) * 100);
                         });
  }
}
