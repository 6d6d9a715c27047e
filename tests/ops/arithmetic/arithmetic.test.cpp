// Elementwise operators against one loop over double, for all dtypes, arrangements of memory and broadcast shapes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "oracle/dtype_rules.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using oracle::category;
using oracle::naive_promoted;
using oracle::stored;
using support::arrangement;
using support::arrangements;
using support::dtypes;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;

namespace {

const std::vector<std::pair<tb::shape, tb::shape>> shape_pairs{
    {{2, 3}, {2, 3}},  {{2, 3}, {3}},    {{3}, {2, 3}},
    {{2, 1}, {1, 4}},  {{}, {}},         {{}, {2, 2}},
    {{2, 2}, {}},      {{0, 3}, {3}},    {{2, 1, 3}, {4, 1}},
    {{1}, {1, 1}},     {{3, 0}, {1, 1}}, {{2, 1, 2, 1, 2, 3}, {1, 3, 1, 1, 1, 1}},
    {{5, 17}, {5, 17}}};

// Element by element over the broadcast shape: both inputs converted to `type`, the result to `result_type`.
template <class F>
std::vector<double> naive_binary(const tensor& a, const tensor& b, const tb::shape& sizes, dtype type,
                                 dtype result_type, F f) {
  std::vector<double> out;
  support::each_index(sizes, [&](const tb::shape& i) {
    const double x = stored(type, support::get(a, support::broadcast_index(i, a.sizes())));
    const double y = stored(type, support::get(b, support::broadcast_index(i, b.sizes())));
    out.push_back(stored(result_type, f(x, y)));
  });
  return out;
}

// Integers are compared as they are, a number beyond the other operand's dtype too.
dtype compared_in(const tensor& a, const tensor& b) {
  const dtype t = naive_promoted(a, b);
  return tb::is_integer(t) ? dtype::int64 : t == dtype::float16 || t == dtype::bfloat16 ? dtype::float32 : t;
}

struct binary_operator {
  std::string name;
  std::function<tensor(const tensor&, const tensor&)> call;
  std::function<tensor&(tensor&, const tensor&)> in_place;
  std::function<tensor&(const tensor&, const tensor&, tensor&)> out;
  std::function<double(dtype, double, double)> element;
  bool for_bool = true;
  bool divides = false;
};

const std::vector<binary_operator>& binary_operators() {
  using ct = const tensor&;
  static const std::vector<binary_operator> all{
      {"add", [](ct a, ct b) { return a + b; }, [](tensor& a, ct b) -> tensor& { return a += b; },
       [](ct a, ct b, tensor& out) -> tensor& { return aten::add_out(a, b, 1, out); },
       [](dtype t, double x, double y) { return t == dtype::boolean ? x || y : x + y; }},
      {"add alpha", [](ct a, ct b) { return aten::add_Tensor(a, b, arg<"alpha"> = 3); },
       [](tensor& a, ct b) -> tensor& { return aten::add_Tensor_(a, b, 3); },
       [](ct a, ct b, tensor& out) -> tensor& { return aten::add_out(a, b, 3, out); },
       [](dtype, double x, double y) { return x + 3 * y; }, false},
      {"sub", [](ct a, ct b) { return a - b; }, [](tensor& a, ct b) -> tensor& { return a -= b; },
       [](ct a, ct b, tensor& out) -> tensor& { return aten::sub_out(a, b, 1, out); },
       [](dtype, double x, double y) { return x - y; }, false},
      {"sub alpha", [](ct a, ct b) { return aten::sub_Tensor(a, b, arg<"alpha"> = -2); },
       [](tensor& a, ct b) -> tensor& { return aten::sub_Tensor_(a, b, -2); },
       [](ct a, ct b, tensor& out) -> tensor& { return aten::sub_out(a, b, -2, out); },
       [](dtype, double x, double y) { return x + 2 * y; }, false},
      {"mul", [](ct a, ct b) { return a * b; }, [](tensor& a, ct b) -> tensor& { return a *= b; },
       [](ct a, ct b, tensor& out) -> tensor& { return aten::mul_out(a, b, out); },
       [](dtype, double x, double y) { return x * y; }},
      {"div", [](ct a, ct b) { return a / b; }, [](tensor& a, ct b) -> tensor& { return a /= b; },
       [](ct a, ct b, tensor& out) -> tensor& { return aten::div_out(a, b, out); },
       [](dtype, double x, double y) { return x / y; }, true, true}};
  return all;
}

dtype result_dtype(const binary_operator& o, const tensor& a, const tensor& b) {
  const dtype t = naive_promoted(a, b);
  return o.divides && !tb::is_floating(t) ? dtype::float32 : t;
}

}  // namespace

TEST_CASE("elementwise: binary operators broadcast and promote", "[ops][elementwise][property]") {
  const arrangement how_a =
      GENERATE(arrangement::dense, arrangement::transposed, arrangement::sliced, arrangement::expanded);
  support::numbers source(1);
  for (arrangement how_b : arrangements) {
    for (dtype ta : dtypes) {
      for (dtype tb_ : dtypes) {
        for (const auto& [sa, sb] : shape_pairs) {
          const tensor a = source.tensor(sa, ta, how_a), b = source.tensor(sb, tb_, how_b);
          const tb::shape sizes = tb::broadcast("test", sa, sb);
          for (const binary_operator& o : binary_operators()) {
            const dtype t = result_dtype(o, a, b);
            if (t == dtype::boolean && !o.for_bool) continue;
            const tensor c = o.call(a, b);
            INFO(o.name << " " << tb::name_of(ta) << tb::to_string(sa) << support::name_of(how_a) << " "
                        << tb::name_of(tb_) << tb::to_string(sb) << support::name_of(how_b));
            REQUIRE(c.sizes() == sizes);
            REQUIRE(c.dtype() == t);
            const auto wanted = naive_binary(a, b, sizes, t, t, [&](double x, double y) { return o.element(t, x, y); });
            REQUIRE(support::difference(values(c), wanted, support::tolerance_of(t)) == "");
          }
        }
      }
    }
  }
}

TEST_CASE("elementwise: in-place operators keep the storage, sizes and dtype of self", "[ops][elementwise][property]") {
  const arrangement how = GENERATE(arrangement::dense, arrangement::transposed, arrangement::sliced);
  support::numbers source(2);
  for (dtype ta : dtypes) {
    for (dtype tb_ : dtypes) {
      for (const auto& [sa, sb] : shape_pairs) {
        if (tb::broadcast("test", sa, sb) != sa) continue;
        for (const binary_operator& o : binary_operators()) {
          tensor a = source.tensor(sa, ta, how);
          const tensor b = source.tensor(sb, tb_, arrangement::expanded);
          const dtype t = result_dtype(o, a, b);
          if ((t == dtype::boolean && !o.for_bool) || category(t) > category(ta)) continue;
          INFO(o.name << " " << tb::name_of(ta) << tb::to_string(sa) << support::name_of(how) << " " << tb::name_of(tb_)
                      << tb::to_string(sb));
          const auto wanted = naive_binary(a, b, sa, t, ta, [&](double x, double y) { return o.element(t, x, y); });
          const void* const data = a.data();
          const tb::shape strides = a.strides();
          const tensor& result = o.in_place(a, b);
          REQUIRE(&result == &a);
          REQUIRE(a.data() == data);
          REQUIRE(a.strides() == strides);
          REQUIRE(a.dtype() == ta);
          REQUIRE(a.version() == 1);
          REQUIRE(support::difference(values(a), wanted,
                                      std::max(support::tolerance_of(dtype::float32), 2 * support::tolerance_of(t))) ==
                  "");
        }
      }
    }
  }
}

TEST_CASE("elementwise: out forms write into any memory layout, and nothing else", "[ops][elementwise][property]") {
  support::numbers source(3);
  for (arrangement how : {arrangement::dense, arrangement::transposed, arrangement::sliced}) {
    for (dtype type : {dtype::float32, dtype::float64}) {
      for (const auto& [sa, sb] : shape_pairs) {
        const tensor a = source.tensor(sa, dtype::float32), b = source.tensor(sb, dtype::float64);
        const tb::shape sizes = tb::broadcast("test", sa, sb);
        for (const binary_operator& o : binary_operators()) {
          tensor out = source.tensor(sizes, type, how);
          const auto before = support::bytes(out);
          const dtype t = result_dtype(o, a, b);
          const auto wanted =
              naive_binary(a, b, sizes, t, type, [&](double x, double y) { return o.element(t, x, y); });
          REQUIRE(&o.out(a, b, out) == &out);
          REQUIRE(support::difference(values(out), wanted, support::tolerance_of(dtype::float32)) == "");
          // Put the old bytes back where the tensor is, element by element: then nothing else may differ.
          const tensor old = support::arranged(sizes, type, how);
          if (!before.empty()) std::memcpy(tb::author::record_of(old).data->data, before.data(), before.size());
          support::each_index(sizes, [&](const tb::shape& i) { support::set(out, i, support::get(old, i)); });
          REQUIRE(support::bytes(out) == before);
        }
      }
    }
  }
}

TEST_CASE("elementwise: a result cannot be written to a lower category", "[ops][elementwise][dtype]") {
  tensor flags = tensor_of({1, 0}, {2}, dtype::boolean), whole = tensor_of({1, 2}, {2}, dtype::int64);
  const tensor real = tensor_of({0.5, 2}, {2}, dtype::float32);
  const auto text = [](auto f) { return toy::text_of<tb::dtype_error>(f); };
  CHECK(text([&] { whole += real; }) == "aten::add_.Tensor: the result is float32 and cannot be written to int64");
  CHECK(text([&] { whole /= whole; }) == "aten::div_.Tensor: the result is float32 and cannot be written to int64");
  CHECK(text([&] { flags += whole; }) == "aten::add_.Tensor: the result is int64 and cannot be written to bool");
  CHECK(text([&] { aten::mul_out(real, real, whole); }) ==
        "aten::mul.out: the result is float32 and cannot be written to int64");
  CHECK(values(flags) == std::vector<double>{1, 0});
  CHECK(values(whole) == std::vector<double>{1, 2});
  tensor wide = tensor_of({1, 2}, {2}, dtype::float32);
  wide += tensor_of({1, 1}, {2}, dtype::float64);  // within the category it may
  CHECK(values(wide) == std::vector<double>{2, 3});
}

TEST_CASE("elementwise: operands that share memory are read before they are written",
          "[ops][elementwise][overlap][property]") {
  support::numbers source(4);
  for (dtype t : {dtype::int64, dtype::float32, dtype::float64}) {
    for (const binary_operator& o : binary_operators()) {
      if (o.divides && t == dtype::int64) continue;
      const auto holds = [&](tensor out, const tensor& a, const tensor& b, bool in_place) {
        const auto wanted =
            naive_binary(a, b, out.sizes(), t, t, [&](double x, double y) { return o.element(t, x, y); });
        if (in_place)
          o.in_place(out, b);
        else
          o.out(a, b, out);
        INFO(o.name << " " << tb::name_of(t));
        CHECK(support::difference(values(out), wanted, support::tolerance_of(dtype::float32)) == "");
      };
      const auto square = [&] { return source.positive({7, 7}, t); };
      tensor x = square();
      holds(x, x, aten::transpose_int(x, 0, 1), true);
      x = square();
      holds(x, x, x, true);
      x = square();
      holds(x, x, aten::slice_Tensor(x, 0, 3, 4, 1), true);  // a row of itself, broadcast
      x = square();
      holds(x, x, aten::slice_Tensor(x, 1, 6, 7, 1), true);
      x = square();
      holds(aten::slice_Tensor(x, 0, 1, 7, 1), aten::slice_Tensor(x, 0, 0, 6, 1), aten::slice_Tensor(x, 0, 1, 7, 1),
            false);
      x = square();
      holds(aten::slice_Tensor(x, 0, 0, 6, 1), aten::slice_Tensor(x, 0, 1, 7, 1), aten::slice_Tensor(x, 0, 0, 6, 1),
            false);
      x = square();
      holds(aten::transpose_int(x, 0, 1), x, x, false);
      x = square();
      holds(aten::slice_Tensor(aten::view(x, std::vector<std::int64_t>{49}), 0, 0, 48, 2),
            aten::slice_Tensor(aten::view(x, std::vector<std::int64_t>{49}), 0, 0, 24, 1),
            aten::slice_Tensor(aten::view(x, std::vector<std::int64_t>{49}), 0, 24, 48, 1), false);
    }
  }
}

TEST_CASE("elementwise: a number promotes by category only", "[ops][elementwise][promotion][property]") {
  struct row {
    dtype self;
    tb::scalar number;
    dtype sum, quotient;
  };
  const row rows[] = {
      {dtype::boolean, true, dtype::boolean, dtype::float32}, {dtype::boolean, 2, dtype::int64, dtype::float32},
      {dtype::boolean, 2.5, dtype::float32, dtype::float32},  {dtype::int64, true, dtype::int64, dtype::float32},
      {dtype::int64, 2, dtype::int64, dtype::float32},        {dtype::int64, 2.5, dtype::float32, dtype::float32},
      {dtype::float32, true, dtype::float32, dtype::float32}, {dtype::float32, 2, dtype::float32, dtype::float32},
      {dtype::float32, 2.5, dtype::float32, dtype::float32},  {dtype::float64, true, dtype::float64, dtype::float64},
      {dtype::float64, 2, dtype::float64, dtype::float64},    {dtype::float64, 2.5, dtype::float64, dtype::float64}};
  for (const row& r : rows) {
    for (const tb::shape& sizes : {tb::shape{3}, tb::shape{}}) {
      INFO(tb::name_of(r.self) << " with " << tb::to_string(r.number) << ", sizes " << tb::to_string(sizes));
      const tensor x = tensor_of({1, 0, 1}, sizes, r.self);
      const double n = r.number.to_double();
      const auto all = [&](auto f) {
        std::vector<double> out;
        for (double v : values(x)) out.push_back(f(v));
        return out;
      };
      const tensor sum = x + r.number, product = x * r.number, quotient = x / r.number;
      CHECK(sum.dtype() == r.sum);
      CHECK(product.dtype() == r.sum);
      CHECK((r.number * x).dtype() == r.sum);
      CHECK(quotient.dtype() == r.quotient);
      CHECK(values(sum) == all([&](double v) { return r.sum == dtype::boolean ? (v != 0 || n != 0) : v + n; }));
      CHECK(values(product) == all([&](double v) { return v * n; }));
      CHECK(support::difference(values(quotient), all([&](double v) { return v / n; }), 1e-7) == "");
      if (r.sum == dtype::boolean) continue;
      CHECK((x - r.number).dtype() == r.sum);
      CHECK(values(x - r.number) == all([&](double v) { return v - n; }));
    }
  }
}

TEST_CASE("elementwise: alpha must be representable in the category of the result", "[ops][elementwise][dtype]") {
  const tensor whole = tensor_of({1, 2}, {2}, dtype::int64), flags = tensor_of({1, 0}, {2}, dtype::boolean);
  const auto text = [](auto f) { return toy::text_of<tb::dtype_error>(f); };
  CHECK(text([&] { aten::add_Tensor(whole, whole, arg<"alpha"> = 0.5); }) ==
        "aten::add.Tensor: found the number 0.5 for int64 tensors, wanted an integer");
  CHECK(text([&] { aten::add_Tensor(flags, flags, arg<"alpha"> = 0); }) ==
        "aten::add.Tensor: found alpha 0 for bool tensors, wanted 1");
  CHECK(text([&] { aten::sub_Tensor(flags, flags); }) == "aten::sub.Tensor: found bool and bool, wanted numbers");
  CHECK(values(aten::add_Tensor(whole, whole, arg<"alpha"> = true)) == std::vector<double>{2, 4});
  CHECK(values(aten::add_Tensor(flags, flags, arg<"alpha"> = true)) == std::vector<double>{1, 0});
}

TEST_CASE("elementwise: division by zero follows IEEE 754, for integers as well", "[ops][elementwise][property]") {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const tensor a = tensor_of({1, -1, 0}, {3}, dtype::int64), zero = tensor_of({0, 0, 0}, {3}, dtype::int64);
  CHECK(support::difference(values(a / zero), {inf, -inf, nan}, 0) == "");
}

TEST_CASE("elementwise: int64 arithmetic wraps", "[ops][elementwise][property]") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min();
  const tensor a = tb::from_values<std::int64_t>({most, least}, {2}), one = tb::from_values<std::int64_t>({1, -1}, {2});
  const tensor sum = a + one, negated = -a;
  CHECK(sum.data_ptr<std::int64_t>()[0] == least);
  CHECK(sum.data_ptr<std::int64_t>()[1] == most);
  CHECK(negated.data_ptr<std::int64_t>()[1] == least);
}

TEST_CASE("elementwise: unary operators", "[ops][elementwise][property]") {
  support::numbers source(5);
  const auto check = [&](const std::string& name, auto call, double (*element)(double), bool floats, bool positive) {
    for (dtype t : dtypes) {
      for (arrangement how : arrangements) {
        for (const tb::shape& sizes : {tb::shape{2, 3}, tb::shape{}, tb::shape{0, 2}, tb::shape{3, 1, 37}}) {
          INFO(name << " " << tb::name_of(t) << " " << tb::to_string(sizes) << " " << support::name_of(how));
          const tensor x = positive ? source.positive(sizes, t, how) : source.tensor(sizes, t, how);
          if (t == dtype::boolean && !floats) {
            CHECK(toy::text_of<tb::dtype_error>([&] { call(x); }) == name + ": found bool, wanted numbers");
            continue;
          }
          const dtype wanted_type = floats && !tb::is_floating(t) ? dtype::float32 : t;
          const tensor y = call(x);
          REQUIRE(y.dtype() == wanted_type);
          REQUIRE(y.sizes() == sizes);
          std::vector<double> wanted;
          for (double v : values(x)) wanted.push_back(stored(wanted_type, element(v)));
          REQUIRE(support::difference(values(y), wanted, support::tolerance_of(wanted_type)) == "");
        }
      }
    }
  };
  check("aten::neg", [](const tensor& x) { return -x; }, [](double v) { return -v; }, false, false);
  check(
      "aten::relu", [](const tensor& x) { return aten::relu(x); }, [](double v) { return v > 0 ? v : 0; }, false,
      false);
  check("aten::exp", [](const tensor& x) { return aten::exp(x); }, [](double v) { return std::exp(v); }, true, false);
  check("aten::log", [](const tensor& x) { return aten::log(x); }, [](double v) { return std::log(v); }, true, true);
}

TEST_CASE("elementwise: relu keeps NaN, log of a negative number is NaN, of zero minus infinity",
          "[ops][elementwise][property]") {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (dtype t : {dtype::float32, dtype::float64}) {
    const tensor x = tensor_of({nan, -inf, inf, 0, -1}, {5}, t);
    CHECK(support::difference(values(aten::relu(x)), {nan, 0, inf, 0, 0}, 0) == "");
    CHECK(support::difference(values(aten::log(x)), {nan, nan, inf, -inf, nan}, 0) == "");
    CHECK(support::difference(values(aten::exp(x)), {nan, 0, inf, 1, std::exp(-1)}, 1e-6) == "");
  }
}

TEST_CASE("elementwise: threshold_backward passes the gradient where the result is above the threshold",
          "[ops][elementwise][property]") {
  support::numbers source(6);
  for (dtype t : {dtype::int64, dtype::float32, dtype::float64}) {
    for (arrangement how : arrangements) {
      const tensor g = source.tensor({4, 5}, t, how), y = source.tensor({4, 5}, t);
      std::vector<double> wanted;
      for (std::size_t i = 0; i < 20; ++i) wanted.push_back(values(y)[i] > 0 ? values(g)[i] : 0);
      CHECK(values(aten::threshold_backward(g, y, 0)) == wanted);
    }
  }
  const tensor flags = tensor_of({1}, {1}, dtype::boolean);
  CHECK(toy::text_of<tb::dtype_error>([&] { aten::threshold_backward(flags, flags, 0); }) ==
        "aten::threshold_backward: found bool and bool, wanted numbers");
}

TEST_CASE("elementwise: comparisons promote, broadcast and return bool", "[ops][elementwise][property]") {
  support::numbers source(7);
  const auto check = [&](const std::string& name, auto call, bool (*element)(double, double)) {
    for (arrangement how : arrangements) {
      for (dtype ta : dtypes) {
        for (dtype tb_ : dtypes) {
          for (const auto& [sa, sb] : shape_pairs) {
            INFO(name << " " << tb::name_of(ta) << tb::to_string(sa) << support::name_of(how) << tb::name_of(tb_)
                      << tb::to_string(sb));
            const tensor a = source.tensor(sa, ta, how), b = source.tensor(sb, tb_);
            const tb::shape sizes = tb::broadcast("test", sa, sb);
            const tensor c = call(a, b);
            REQUIRE(c.dtype() == dtype::boolean);
            REQUIRE(c.sizes() == sizes);
            REQUIRE(values(c) == naive_binary(a, b, sizes, compared_in(a, b), dtype::boolean,
                                              [&](double x, double y) { return static_cast<double>(element(x, y)); }));
          }
        }
      }
    }
  };
  check(
      "eq", [](const tensor& a, const tensor& b) { return aten::eq_Tensor(a, b); },
      [](double x, double y) { return x == y; });
  check(
      "ne", [](const tensor& a, const tensor& b) { return aten::ne_Tensor(a, b); },
      [](double x, double y) { return x != y; });
  check(
      "lt", [](const tensor& a, const tensor& b) { return aten::lt_Tensor(a, b); },
      [](double x, double y) { return x < y; });
  check(
      "le", [](const tensor& a, const tensor& b) { return aten::le_Tensor(a, b); },
      [](double x, double y) { return x <= y; });
  check(
      "gt", [](const tensor& a, const tensor& b) { return aten::gt_Tensor(a, b); },
      [](double x, double y) { return x > y; });
  check(
      "ge", [](const tensor& a, const tensor& b) { return aten::ge_Tensor(a, b); },
      [](double x, double y) { return x >= y; });
}

TEST_CASE("elementwise: a NaN is unequal and unordered to everything", "[ops][elementwise][property]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (dtype t : {dtype::float32, dtype::float64}) {
    const tensor a = tensor_of({nan, nan, 1}, {3}, t), b = tensor_of({nan, 1, nan}, {3}, t);
    CHECK(values(aten::eq_Tensor(a, b)) == std::vector<double>{0, 0, 0});
    CHECK(values(aten::ne_Tensor(a, b)) == std::vector<double>{1, 1, 1});
    CHECK(values(aten::le_Tensor(a, b)) == std::vector<double>{0, 0, 0});
    CHECK(values(aten::ge_Tensor(a, b)) == std::vector<double>{0, 0, 0});
  }
}
