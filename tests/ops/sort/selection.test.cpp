// Operators that choose among numbers or put others in their place: clamp, where, extremes, nan_to_num. What comes out
// is one of the numbers that went in, so nothing but that one will do.
#include <algorithm>
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
using support::extended;
using support::forms;
using tb::dtype;
using tb::scalar;
using tb::tensor;

namespace {

using bound = std::optional<scalar>;

extended as_extended(const scalar& s) {
  return tb::is_floating(s.type()) ? extended(s.to_double()) : extended(s.to_int64());
}

// Of equal numbers, which may be zeros of either sign, the second one.
extended upper(extended a, extended b) { return std::isnan(a) ? a : std::isnan(b) ? b : a > b ? a : b; }
extended lower(extended a, extended b) { return std::isnan(a) ? a : std::isnan(b) ? b : a < b ? a : b; }

// The type a number beside a tensor makes of it.
dtype raised(dtype t, const bound& b) {
  if (!b) return t;
  if (tb::is_floating(b->type())) return tb::is_floating(t) ? t : dtype::float32;
  return t == dtype::boolean && b->type() != dtype::boolean ? dtype::int64 : t;
}

tb::value optional_value(const bound& b) { return b ? tb::value(*b) : tb::value(); }

// Bounds of the kinds there are, all of which leave something of each dtype.
bound any_bound(support::edge_numbers& source, dtype t) {
  const auto [least, greatest] = support::range_of(t);
  switch (source.whole(0, 7)) {
    case 0: return scalar(source.real(-5, 5));
    case 1: return scalar(tb::is_floating(t) ? NAN : 2.5);
    case 2: return scalar(source.flip() ? INFINITY : -INFINITY);
    case 3: return scalar(tb::is_floating(t) ? std::int64_t{7} : static_cast<std::int64_t>(least));
    case 4: return scalar(tb::is_floating(t) ? std::int64_t{-7} : static_cast<std::int64_t>(greatest));
    case 5: return scalar(-0.0);
    default: return scalar(source.whole(0, 9));
  }
}

}  // namespace

TEST_CASE("selection: clamp to numbers, any of which may be missing, NaN, or in the wrong order", "[ops][property]") {
  support::edge_numbers source(31);
  const forms names{"aten::clamp", "aten::clamp_", "aten::clamp.out"};
  for (dtype t : tb::all_dtypes) {
    for (int round = 0; round < 40; ++round) {
      bound low = any_bound(source, t), high = any_bound(source, t);
      const std::int64_t which = source.whole(0, 4);
      if (which == 0) low.reset();
      if (which == 1) high.reset();
      const tensor x = source.operand(source.any_shape(), t);
      const dtype type = raised(raised(t, low), high);
      const support::arguments given{tb::value(x), optional_value(low), optional_value(high)};
      if (type == dtype::boolean) {
        CHECK_THROWS_AS(support::call_form(names.functional, given), tb::dtype_error);
        continue;
      }
      const dtype in = support::computed_in(type);
      support::check_forms(names, given, type, type, 0, source, [&](const extended* v) {
        const extended above = low ? upper(oracle::stored(in, as_extended(*low)), v[0]) : v[0];
        return high ? lower(oracle::stored(in, as_extended(*high)), above) : above;
      });
      if (low && !high) {
        support::check_forms({"aten::clamp_min", "aten::clamp_min_", ""}, {given[0], given[1]}, type, type, 0, source,
                             [&](const extended* v) { return upper(oracle::stored(in, as_extended(*low)), v[0]); });
      }
      if (high && !low) {
        support::check_forms({"aten::clamp_max", "aten::clamp_max_", ""}, {given[0], given[2]}, type, type, 0, source,
                             [&](const extended* v) { return lower(oracle::stored(in, as_extended(*high)), v[0]); });
      }
      if (t == dtype::boolean) {
        CHECK_THROWS_AS(support::call_form("aten::relu6", {given[0]}), tb::dtype_error);
        continue;  // and so does hardtanh
      }
      if (low && high) {
        support::check_forms(
            {"aten::hardtanh", "aten::hardtanh_", ""}, given, type, type, 0, source, [&](const extended* v) {
              return lower(oracle::stored(in, as_extended(*high)), upper(oracle::stored(in, as_extended(*low)), v[0]));
            });
      }
      support::check_forms({"aten::relu6", "aten::relu6_", ""}, {given[0]}, t, t, 0, source,
                           [](const extended* v) { return lower(6, upper(0, v[0])); });
    }
  }
}

TEST_CASE("selection: integer bounds keep their value, also outside the dtype", "[ops][property]") {
  support::edge_numbers source(32);
  for (dtype t : {dtype::uint8, dtype::int8, dtype::int16, dtype::int32}) {
    const auto [least, greatest] = support::range_of(t);
    const auto below = static_cast<std::int64_t>(least) - 1, above = static_cast<std::int64_t>(greatest) + 1;
    for (int round = 0; round < 8; ++round) {
      const tensor x = source.operand(source.any_shape(), t);
      const scalar low(below - source.whole(0, 300)), high(above + source.whole(0, 300));
      support::check_forms({"aten::clamp", "aten::clamp_", "aten::clamp.out"},
                           {tb::value(x), tb::value(low), tb::value(high)}, t, t, 0, source,
                           [](const extended* v) { return v[0]; });
      // No number of the dtype is within these.
      tensor self = source.operand({3}, t, -9, 9, true);
      const auto before = support::bytes(self);
      for (const support::arguments& none : {support::arguments{tb::value(self), tb::value(high), tb::value()},
                                             support::arguments{tb::value(self), tb::value(), tb::value(low)},
                                             support::arguments{tb::value(self), tb::value(low), tb::value(low)}}) {
        CHECK_THROWS_AS(support::call_form("aten::clamp", none), tb::error);
        CHECK_THROWS_AS(support::call_form("aten::clamp_", none, &self), tb::error);
        CHECK_THROWS_AS(support::call_form("aten::clamp", support::twins_of(none, tb::meta)), tb::error);
      }
      CHECK(support::bytes(self) == before);
    }
  }
}

TEST_CASE("selection: clamp to tensors of other dtypes and shapes", "[ops][property]") {
  support::edge_numbers source(33);
  for (dtype first : tb::all_dtypes) {
    for (dtype second : tb::all_dtypes) {
      for (const std::int64_t which : {0, 1, 2}) {
        const tb::shape sizes = source.any_shape();
        const tensor x = source.operand(sizes, first), low = source.operand(source.narrowed(sizes), second),
                     high = source.operand(source.narrowed(sizes), second);
        dtype type = oracle::naive_promoted(x, which == 1 ? high : low);
        if (which == 2) {
          // First with the lower bound, then with the upper one.
          const tensor between = tb::author::make_tensor(sizes, type, tb::meta);
          type = oracle::naive_promoted(between, high);
        }
        // A composite of two steps: each computes in its own type, so the first may round what the second would not.
        if (which == 2 && oracle::naive_promoted(x, low) != type) continue;
        const support::arguments given{tb::value(x), which == 1 ? tb::value() : tb::value(low),
                                       which == 0 ? tb::value() : tb::value(high)};
        support::check_forms({"aten::clamp.Tensor", "aten::clamp_.Tensor", ""}, given, type, type, 0, source,
                             [&](const extended* v) {
                               const extended above = which == 1 ? v[0] : upper(v[0], v[1]);
                               return which == 0 ? above : lower(above, v[which]);
                             });
        if (which == 0) {
          support::check_forms({"aten::clamp_min.Tensor", "aten::clamp_min_.Tensor", ""}, {given[0], given[1]}, type,
                               type, 0, source, [](const extended* v) { return upper(v[0], v[1]); });
        }
        if (which == 1) {
          support::check_forms({"aten::clamp_max.Tensor", "aten::clamp_max_.Tensor", ""}, {given[0], given[2]}, type,
                               type, 0, source, [](const extended* v) { return lower(v[0], v[1]); });
        }
      }
    }
  }
}

TEST_CASE("selection: maximum and minimum, with NaN, infinities and both zeros", "[ops][property]") {
  support::edge_numbers source(34);
  const auto number_wins = [](auto choose) {
    return [choose](const extended* v) {
      return std::isnan(v[0]) ? v[1] : std::isnan(v[1]) ? v[0] : choose(v[0], v[1]);
    };
  };
  for (dtype first : tb::all_dtypes) {
    for (dtype second : tb::all_dtypes) {
      const tb::shape sizes = source.any_shape();
      const tensor a = source.operand(sizes, first), b = source.operand(source.narrowed(sizes), second);
      const dtype type = oracle::naive_promoted(a, b);
      const support::arguments given{tb::value(a), tb::value(b)};
      const auto check = [&](const forms& names, auto wanted) {
        support::check_forms(names, given, type, type, 0, source, wanted);
      };
      check({"aten::maximum", "", "aten::maximum.out"}, [](const extended* v) { return upper(v[0], v[1]); });
      check({"aten::minimum", "", "aten::minimum.out"}, [](const extended* v) { return lower(v[0], v[1]); });
      check({"aten::max.other", "", "aten::max.out"}, [](const extended* v) { return upper(v[0], v[1]); });
      check({"aten::min.other", "", "aten::min.out"}, [](const extended* v) { return lower(v[0], v[1]); });
      check({"aten::fmax", "", "aten::fmax.out"}, number_wins(upper));
      check({"aten::fmin", "", "aten::fmin.out"}, number_wins(lower));
    }
  }
}

TEST_CASE("selection: where, of any two dtypes", "[ops][property]") {
  support::edge_numbers source(35);
  for (dtype first : tb::all_dtypes) {
    for (dtype second : tb::all_dtypes) {
      const tb::shape sizes = source.any_shape();
      const dtype flag = source.flip() ? dtype::boolean : dtype::uint8;
      const tensor c = source.operand(source.flip() ? sizes : source.narrowed(sizes), flag);
      const tensor a = source.operand(source.narrowed(sizes), first), b = source.operand(sizes, second);
      const dtype type = oracle::naive_promoted(a, b);
      // A condition of 200 is true in every type of computation.
      support::check_forms({"aten::where.self", "", "aten::where.self_out"}, {tb::value(c), tb::value(a), tb::value(b)},
                           type, type, 0, source, [](const extended* v) { return v[0] != 0 ? v[1] : v[2]; });
      CHECK_THROWS_AS(
          support::call_form("aten::where.self", {tb::value(tb::to(c, dtype::int8)), tb::value(a), tb::value(b)}),
          tb::dtype_error);
    }
  }
}

TEST_CASE("selection: where, with one number or two", "[ops][property]") {
  support::edge_numbers source(36);
  for (dtype t : tb::all_dtypes) {
    for (const scalar& n : {scalar(5), scalar(true), scalar(0.1), scalar(-0.0), scalar(NAN), scalar(-INFINITY)}) {
      const tb::shape sizes{source.whole(0, 3), source.whole(1, 80)};
      const tensor c = source.operand(sizes, dtype::boolean), x = source.operand(sizes, t);
      const int of_number = oracle::category(n.type());
      const dtype type = of_number <= oracle::category(t) ? t : of_number == 2 ? dtype::float32 : n.type();
      const extended number = oracle::stored(support::computed_in(type), as_extended(n));
      support::check_forms({"aten::where.ScalarOther", "", ""}, {tb::value(c), tb::value(x), tb::value(n)}, type, type,
                           0, source, [&](const extended* v) { return v[0] != 0 ? v[1] : number; });
      support::check_forms({"aten::where.ScalarSelf", "", ""}, {tb::value(c), tb::value(n), tb::value(x)}, type, type,
                           0, source, [&](const extended* v) { return v[0] != 0 ? number : v[1]; });
      const dtype alone = tb::is_floating(n.type()) ? dtype::float32 : n.type();
      support::check_forms({"aten::where.Scalar", "", ""}, {tb::value(c), tb::value(n), tb::value(scalar(false))},
                           alone, alone, 0, source,
                           [&](const extended* v) { return v[0] != 0 ? oracle::stored(alone, as_extended(n)) : 0; });
    }
  }
}

TEST_CASE("selection: nan_to_num replaces NaN and infinities", "[ops][property]") {
  support::edge_numbers source(37);
  const forms names{"aten::nan_to_num", "aten::nan_to_num_", "aten::nan_to_num.out"};
  for (dtype t : tb::all_dtypes) {
    for (int round = 0; round < 20; ++round) {
      std::optional<double> given[3];
      for (auto& g : given) {
        if (source.flip()) g = source.flip() ? source.real(-3, 3) : source.flip() ? INFINITY : NAN;
      }
      const tensor x = source.operand(source.any_shape(), t);
      const auto [least, greatest] = support::range_of(t);
      const extended instead[] = {given[0].value_or(0), given[1] ? extended(*given[1]) : greatest,
                                  given[2] ? extended(*given[2]) : least};
      support::check_forms(names, {tb::value(x), tb::value(given[0]), tb::value(given[1]), tb::value(given[2])}, t, t,
                           0, source, [&](const extended* v) {
                             if (std::isnan(v[0])) return instead[0];
                             return std::isinf(v[0]) ? instead[v[0] > 0 ? 1 : 2] : v[0];
                           });
    }
  }
}

TEST_CASE("selection: heaviside, of one dtype", "[ops][property]") {
  support::edge_numbers source(38);
  const forms names{"aten::heaviside", "aten::heaviside_", "aten::heaviside.out"};
  for (dtype first : tb::all_dtypes) {
    for (dtype second : tb::all_dtypes) {
      for (int round = 0; round < (first == second ? 12 : 1); ++round) {
        const tb::shape sizes = source.any_shape();
        const tensor a = source.operand(sizes, first, -1, 1), b = source.operand(source.narrowed(sizes), second);
        const support::arguments given{tb::value(a), tb::value(b)};
        if (first != second) {
          CHECK_THROWS_AS(support::call_form(names.functional, given), tb::dtype_error);
          continue;
        }
        support::check_forms(names, given, first, first, 0, source, [](const extended* v) {
          return v[0] == 0 ? v[1] : v[0] > 0 ? 1 : extended(0);
        });
      }
    }
  }
}

TEST_CASE("selection: copysign", "[ops][property]") {
  support::edge_numbers source(39);
  for (dtype first : tb::all_dtypes) {
    for (dtype second : tb::all_dtypes) {
      const tb::shape sizes = source.any_shape();
      const tensor a = source.operand(sizes, first), b = source.operand(source.narrowed(sizes), second);
      const dtype promoted = oracle::naive_promoted(a, b);
      const dtype type = tb::is_floating(promoted) ? promoted : dtype::float32;
      support::check_forms({"aten::copysign.Tensor", "aten::copysign_.Tensor", "aten::copysign.out"},
                           {tb::value(a), tb::value(b)}, type, type, 0, source,
                           [](const extended* v) { return std::copysign(v[0], v[1]); });
    }
    for (const scalar& n : {scalar(-2), scalar(0.5), scalar(-0.0), scalar(-INFINITY)}) {
      const dtype type = tb::is_floating(first) ? first : dtype::float32;
      const tensor a = source.operand({source.whole(0, 2), 33}, first);
      support::check_forms({"aten::copysign.Scalar", "aten::copysign_.Scalar", ""}, {tb::value(a), tb::value(n)}, type,
                           type, 0, source, [&](const extended* v) { return std::copysign(v[0], as_extended(n)); });
    }
  }
}
