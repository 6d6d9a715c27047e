// Quotients, rests and powers of any two dtypes against arithmetic in 128 bits and in long double.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/exact_values.h"
#include "support/operator_forms.h"
import topbit;

namespace tb = topbit;
using support::extended;
using support::forms;
using tb::dtype;
using tb::tensor;

namespace {

__extension__ using wide = __int128;

extended wrapped(wide x) { return static_cast<extended>(static_cast<std::int64_t>(x)); }
wide whole(extended x) { return static_cast<wide>(x); }
wide floored(wide a, wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// One rounding, in the type of the computation.
extended quotient(dtype t, extended a, extended b) {
  return t == dtype::float64 ? static_cast<extended>(static_cast<double>(a) / static_cast<double>(b))
                             : static_cast<extended>(static_cast<float>(a) / static_cast<float>(b));
}

bool rest_turns(extended rest, extended b) { return rest != 0 && (rest < 0) != (b < 0); }

extended float_remainder(extended a, extended b) {
  const extended rest = std::fmod(a, b);
  return rest_turns(rest, b) ? rest + b : rest;
}

// Python's: the quotient of what is left without the rest, a whole number.
extended float_floor(dtype t, extended a, extended b) {
  if (b == 0) return quotient(t, a, b);
  const extended rest = std::fmod(a, b);
  if (std::isnan(rest)) return rest;
  extended q = std::isinf(b) ? 0 : std::nearbyint((a - rest) / b);
  if (rest_turns(rest, b)) q -= 1;
  return q == 0 ? std::copysign(q, quotient(t, a, b)) : q;
}

extended integer_power(wide a, wide b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
  std::uint64_t result = 1;
  // As many factors as change anything: what is even is 0 after 64 of them, what is odd has a power of 2 as period.
  for (int bit = 62; bit >= 0; --bit) {
    result *= result;
    if ((b >> bit & 1) != 0) result *= static_cast<std::uint64_t>(a);
  }
  return wrapped(static_cast<wide>(static_cast<std::int64_t>(result)));
}

enum class division { rest_of_floor, rest_of_trunc, floor, trunc };

struct operation {
  forms names;
  division kind;
  std::vector<tb::value> mode{};
  forms with_number;
};

std::vector<tb::value> mode(std::string_view text) { return {tb::value(text)}; }

const std::vector<operation>& operations() {
  using enum division;
  static const std::vector<operation> all{
      {{"aten::remainder.Tensor", "aten::remainder_.Tensor", "aten::remainder.Tensor_out"},
       rest_of_floor,
       {},
       {"aten::remainder.Scalar", "aten::remainder_.Scalar", ""}},
      {{"aten::fmod.Tensor", "aten::fmod_.Tensor", "aten::fmod.Tensor_out"},
       rest_of_trunc,
       {},
       {"aten::fmod.Scalar", "aten::fmod_.Scalar", ""}},
      {{"aten::floor_divide", "aten::floor_divide_.Tensor", "aten::floor_divide.out"},
       floor,
       {},
       {"aten::floor_divide.Scalar", "aten::floor_divide_.Scalar", ""}},
      {{"aten::div.Tensor_mode", "aten::div_.Tensor_mode", "aten::div.out_mode"},
       floor,
       mode("floor"),
       {"aten::div.Scalar_mode", "aten::div_.Scalar_mode", ""}},
      {{"aten::div.Tensor_mode", "aten::div_.Tensor_mode", "aten::div.out_mode"},
       trunc,
       mode("trunc"),
       {"aten::div.Scalar_mode", "aten::div_.Scalar_mode", ""}}};
  return all;
}

extended of_integers(division kind, wide a, wide b) {
  switch (kind) {
    case division::rest_of_floor: return wrapped(a - floored(a, b) * b);
    case division::rest_of_trunc: return wrapped(a % b);
    case division::floor: return wrapped(floored(a, b));
    case division::trunc: break;
  }
  return wrapped(a / b);
}
extended of_floats(division kind, dtype t, extended a, extended b) {
  switch (kind) {
    case division::rest_of_floor: return float_remainder(a, b);
    case division::rest_of_trunc: return std::fmod(a, b);
    case division::floor: return float_floor(t, a, b);
    case division::trunc: break;
  }
  return std::trunc(quotient(t, a, b));
}
// Rests are exact but for one sum, which long double rounds before; a floor is that of a quotient with two roundings.
extended units_of(division kind) {
  return kind == division::rest_of_trunc ? 0 : kind == division::floor ? 1.5L : 0.51L;
}

void avoid_zeros(const tensor& t) {
  support::each_index(t.sizes(), [&](const tb::shape& i) {
    if (support::exact(t, i) == 0) support::put(t, i, 1);
  });
}

dtype with_number(dtype t, const tb::scalar& number) {
  if (tb::is_floating(number.type())) return tb::is_floating(t) ? t : dtype::float32;
  return t == dtype::boolean ? dtype::int64 : t;
}

}  // namespace

TEST_CASE("division: floor division, remainder and rounding modes of every pair of dtypes, in every form",
          "[ops][property]") {
  support::edge_numbers source(21);
  for (const operation& o : operations()) {
    for (dtype first : tb::all_dtypes) {
      for (dtype second : tb::all_dtypes) {
        for (int round = 0; round < 2; ++round) {
          const tb::shape sizes = source.any_shape();
          const tensor a = source.operand(sizes, first, -40, 40);
          const tensor b = source.operand(source.narrowed(sizes), second);
          const dtype type = oracle::naive_promoted(a, b);
          support::arguments given{tb::value(a), tb::value(b)};
          for (const tb::value& v : o.mode) given.push_back(v);
          if (type == dtype::boolean) {
            CHECK_THROWS_AS(support::call_form(o.names.functional, given), tb::dtype_error);
            continue;
          }
          const bool floating = tb::is_floating(type);
          if (!floating) avoid_zeros(b);
          support::check_forms(
              o.names, given, type, type, floating ? units_of(o.kind) : 0, source, [&](const extended* x) {
                return floating ? of_floats(o.kind, type, x[0], x[1]) : of_integers(o.kind, whole(x[0]), whole(x[1]));
              });
        }
      }
    }
  }
}

TEST_CASE("division: by a number, which promotes by category only and is not rounded to half precision",
          "[ops][property]") {
  support::edge_numbers source(22);
  const tb::scalar divisors[] = {3,   -7,   1,        -1,        300, INT64_MIN, INT64_MAX,
                                 2.5, -0.1, INFINITY, -INFINITY, NAN, 0.0,       -0.0};
  for (const operation& o : operations()) {
    for (dtype t : tb::all_dtypes) {
      for (const tb::scalar& n : divisors) {
        const dtype type = with_number(t, n);
        const tensor a = source.operand({source.whole(0, 3), source.whole(1, 70)}, t, -40, 40);
        support::arguments given{tb::value(a), tb::value(n)};
        for (const tb::value& v : o.mode) given.push_back(v);
        const bool floating = tb::is_floating(type);
        const extended by =
            tb::is_floating(n.type()) ? static_cast<extended>(n.to_double()) : static_cast<extended>(n.to_int64());
        const extended b = oracle::stored(support::computed_in(type), by);
        support::check_forms(
            o.with_number, given, type, type, floating ? units_of(o.kind) : 0, source, [&](const extended* x) {
              return floating ? of_floats(o.kind, type, x[0], b) : of_integers(o.kind, whole(x[0]), whole(b));
            });
      }
    }
  }
}

TEST_CASE("division: a number modulo a tensor", "[ops][property]") {
  support::edge_numbers source(23);
  for (dtype t : tb::all_dtypes) {
    for (const tb::scalar& n : {tb::scalar(17), tb::scalar(-17), tb::scalar(2.5), tb::scalar(-0.0)}) {
      const dtype type = with_number(t, n);
      const tensor b = source.operand({3, source.whole(1, 40)}, t);
      const bool floating = tb::is_floating(type);
      if (!floating) avoid_zeros(b);
      support::check_forms({"aten::remainder.Scalar_Tensor", "", ""}, {tb::value(n), tb::value(b)}, type, type,
                           floating ? 0.51L : 0, source, [&](const extended* x) {
                             const extended a = tb::is_floating(n.type()) ? static_cast<extended>(n.to_double())
                                                                          : static_cast<extended>(n.to_int64());
                             return floating ? float_remainder(a, x[0])
                                             : of_integers(division::rest_of_floor, whole(a), whole(x[0]));
                           });
    }
  }
}

TEST_CASE("division: a zero integer divisor at any position is refused, and nothing is written", "[ops][property]") {
  support::edge_numbers source(24);
  for (const operation& o : operations()) {
    for (dtype t : {dtype::uint8, dtype::int8, dtype::int16, dtype::int32, dtype::int64}) {
      const tb::shape sizes{source.whole(1, 3), source.whole(1, 600)};
      const tensor a = source.operand(sizes, t), b = source.operand(sizes, t, -9, 9, true);
      avoid_zeros(b);
      support::put(b, {source.whole(0, sizes[0] - 1), source.whole(0, sizes[1] - 1)}, 0);
      support::arguments given{tb::value(a), tb::value(b)};
      for (const tb::value& v : o.mode) given.push_back(v);
      tensor out = source.memory(sizes, t, true);
      const auto before = support::bytes(out);
      CHECK_THROWS_AS(support::call_form(o.names.out, given, nullptr, &out), tb::error);
      CHECK(support::bytes(out) == before);
    }
  }
}

// kernels/common/accuracy.h says 1.2 for float64.
constexpr extended power_units = 1.25L;

TEST_CASE("power: of every pair of dtypes, wrapping for integers", "[ops][property]") {
  support::edge_numbers source(25);
  const forms names{"aten::pow.Tensor_Tensor", "aten::pow_.Tensor", "aten::pow.Tensor_Tensor_out"};
  for (dtype first : tb::all_dtypes) {
    for (dtype second : tb::all_dtypes) {
      for (int round = 0; round < 4; ++round) {
        const tb::shape sizes = source.any_shape();
        const tensor a = source.operand(sizes, first, -5, 5), b = source.operand(source.narrowed(sizes), second);
        const dtype type = oracle::naive_promoted(a, b);
        const support::arguments given{tb::value(a), tb::value(b)};
        if (type == dtype::boolean) {
          CHECK_THROWS_AS(support::call_form(names.functional, given), tb::dtype_error);
          continue;
        }
        support::check_forms(names, given, type, type, power_units, source, [&](const extended* x) {
          return tb::is_floating(type) ? std::pow(x[0], x[1]) : integer_power(whole(x[0]), whole(x[1]));
        });
      }
    }
  }
}

TEST_CASE("power: to a number, and of a number", "[ops][property]") {
  support::edge_numbers source(26);
  for (dtype t : tb::all_dtypes) {
    for (const tb::scalar& n : {tb::scalar(0), tb::scalar(2), tb::scalar(3), tb::scalar(63), tb::scalar(-2),
                                tb::scalar(0.5), tb::scalar(-1.5), tb::scalar(NAN), tb::scalar(-INFINITY)}) {
      const dtype type = with_number(t, n);
      const bool floating = tb::is_floating(type);
      const tensor a = source.operand({source.whole(0, 3), source.whole(1, 70)}, t, -5, 5);
      const extended number =
          tb::is_floating(n.type()) ? static_cast<extended>(n.to_double()) : static_cast<extended>(n.to_int64());
      const extended k = oracle::stored(support::computed_in(type), number);
      const forms powers{"aten::pow.Tensor_Scalar", "aten::pow_.Scalar", ""};
      const support::arguments given{tb::value(a), tb::value(n)};
      if (!floating && number < 0) {
        CHECK_THROWS_AS(support::call_form(powers.functional, given), tb::error);
      } else {
        support::check_forms(powers, given, type, type, power_units, source, [&](const extended* x) {
          return floating ? std::pow(x[0], k) : integer_power(whole(x[0]), whole(k));
        });
      }
      support::check_forms(
          {"aten::pow.Scalar", "", ""}, {tb::value(n), tb::value(a)}, type, type, power_units, source,
          [&](const extended* x) { return floating ? std::pow(k, x[0]) : integer_power(whole(k), whole(x[0])); });
    }
  }
}
