// Sequences, the identity and triangles, by their definitions.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "oracle/dtype_rules.h"
#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

// A sliced or reversed place for a result of n elements.
tensor spaced(std::int64_t n, dtype t) { return support::arranged({n}, t, support::arrangement::sliced); }

void check_meta(const tensor& cpu, const tensor& meta) {
  CHECK(meta.device() == tb::meta);
  CHECK(meta.dtype() == cpu.dtype());
  CHECK(meta.sizes() == cpu.sizes());
  CHECK(meta.strides() == cpu.strides());
}

}  // namespace

TEST_CASE("sequence: arange and range are start + i * step up to the end, for every dtype",
          "[ops][sequence][property]") {
  for (dtype t : tb::all_dtypes) {
    if (t == dtype::boolean) continue;
    for (std::int64_t start : {0, 3, 20}) {
      for (std::int64_t end : {0, 3, 17, 21}) {
        for (std::int64_t step : {-7, -2, -1, 1, 2, 5}) {
          list half_open, closed;
          for (std::int64_t x = start; step > 0 ? x < end : x > end; x += step) half_open.push_back(double(x));
          for (std::int64_t x = start; step > 0 ? x <= end : x >= end; x += step) closed.push_back(double(x));
          if (t == dtype::uint8 && step < 0 && end < 0) continue;
          if (step > 0 ? start > end : start < end) {
            CHECK_THROWS_AS(aten::arange_start_step(start, end, step, arg<"dtype"> = t), tb::error);
            CHECK_THROWS_AS(aten::range_step(start, end, step, arg<"dtype"> = t), tb::error);
            continue;
          }
          const tensor x = aten::arange_start_step(start, end, step, arg<"dtype"> = t);
          CHECK(values(x) == half_open);
          CHECK(x.dtype() == t);
          check_meta(x, aten::arange_start_step(start, end, step, arg<"dtype"> = t, arg<"device"> = tb::meta));
          const tensor y = aten::range_step(start, end, step, arg<"dtype"> = t);
          CHECK(values(y) == closed);
          check_meta(y, aten::range_step(start, end, step, arg<"dtype"> = t, arg<"device"> = tb::meta));
          tensor out = spaced(x.numel(), t);
          CHECK(values(aten::arange_start_out(start, end, step, out)) == half_open);
          tensor all = spaced(y.numel(), t);
          CHECK(values(aten::range_out(start, end, step, all)) == closed);
          if (step == 1) CHECK(values(aten::range_out_(start, end, all)) == closed);
          if (step == 1 && start == 0) CHECK(values(aten::arange_out(end, out)) == half_open);
        }
      }
    }
  }
}

TEST_CASE("sequence: integers at the limits of int64 are computed exactly", "[ops][sequence][property]") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  const auto first = [](const tensor& t) { return *t.data_ptr<std::int64_t>(); };
  CHECK(aten::arange_start(most - 3, most).numel() == 3);
  CHECK(first(aten::arange_start(most - 3, most)) == most - 3);
  CHECK(aten::arange_start_step(least, most, most).numel() == 3);
  CHECK(aten::range_step(least, least + 1, 1, arg<"dtype"> = dtype::int64).numel() == 2);
  CHECK(
      text_of<tb::error>([&] { aten::arange_start(least, most, arg<"device"> = tb::meta); }) ==
      "aten::arange.start: found start -9223372036854775808, end 9223372036854775807 and step 1, more elements than 64 "
      "bits can count");
  CHECK(text_of<tb::shape_error>([&] { aten::arange(most, arg<"device"> = tb::meta); }) ==
        "aten::arange: found sizes [9223372036854775807], more elements than 64 bits can count");
}

TEST_CASE("sequence: invalid arguments are refused by the operator that was called", "[ops][sequence]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto text = [](auto f) { return text_of<tb::error>(f); };
    const auto step = [&](double s) {
      return text([&] { aten::arange_start_step(0, 3.5, s, arg<"device"> = where); });
    };
    CHECK(step(0) == "aten::arange.start_step: found start 0, end 3.5 and step 0, wanted a step other than 0");
    CHECK(step(-1) ==
          "aten::arange.start_step: found start 0, end 3.5 and step -1, wanted a step that leads to the end");
    CHECK(step(1e-300) ==
          "aten::arange.start_step: found start 0, end 3.5 and step 1e-300, more elements than 64 bits can count");
    CHECK(text([&] { aten::range(4, 1, arg<"device"> = where); }) ==
          "aten::range: found start 4, end 1 and step 1, wanted a step that leads to the end");
    CHECK(text([&] { aten::linspace(0, 1, -2, arg<"device"> = where); }) ==
          "aten::linspace: found -2 steps, wanted 0 or more");
    CHECK(text([&] { aten::logspace(0, INFINITY, 2, arg<"device"> = where); }) ==
          "aten::logspace: found start 0 and end inf, wanted finite numbers");
    CHECK(text([&] { aten::eye_m(2, -1, arg<"device"> = where); }) ==
          "aten::eye.m: found 2 rows and -1 columns, wanted 0 or more of each");
    CHECK(text([&] { aten::tril_indices(-2, 1, arg<"device"> = where); }) ==
          "aten::tril_indices: found -2 rows and 1 columns, wanted 0 or more of each");
    const auto refused = [](auto f) { return text_of<tb::dtype_error>(f); };
    CHECK(refused([&] { aten::linspace(0, 1, 2, arg<"dtype"> = dtype::boolean, arg<"device"> = where); }) ==
          "aten::linspace: found dtype bool, wanted a number");
    tensor out = tb::author::make_tensor({2}, dtype::int64, where);
    CHECK(text_of<tb::shape_error>([&] { aten::arange_out(3, out); }) ==
          "aten::arange.out: in aten::arange.start_out: the result has sizes [3], the tensor to write [2]");
    CHECK(text_of<tb::shape_error>([&] { aten::eye_out(2, out); }) ==
          "aten::eye.out: the result has sizes [2, 2], the tensor to write [2]");
  }
}

TEST_CASE("sequence: linspace reaches both ends, and is symmetric", "[ops][sequence][property]") {
  for (dtype t : tb::all_dtypes) {
    if (t == dtype::boolean) continue;
    for (std::int64_t steps : {0, 1, 2, 3, 8, 101}) {
      const tensor x = aten::linspace(1, 50, steps, arg<"dtype"> = t),
                   back = aten::linspace(50, 1, steps, arg<"dtype"> = t);
      check_meta(x, aten::linspace(1, 50, steps, arg<"dtype"> = t, arg<"device"> = tb::meta));
      tensor out = spaced(steps, t);
      CHECK(values(aten::linspace_out(1, 50, steps, out)) == values(x));
      const list v = values(x);
      if (steps > 0) CHECK(v.front() == 1);
      if (steps > 1) CHECK(v.back() == 50);
      for (std::size_t i = 0; i < v.size() && steps > 1; ++i) {
        CHECK(v[i] == values(back)[v.size() - 1 - i]);
        const double exact = 1 + 49.0 * double(i) / double(steps - 1);
        const double wanted = tb::is_floating(t) ? exact : std::floor(exact + 1e-12);
        CHECK(std::abs(v[i] - wanted) <= support::tolerance_of(t) * (1 + wanted));
      }
    }
  }
  const tensor powers = aten::logspace(-2, 3, 6, arg<"dtype"> = dtype::float64);
  CHECK(support::difference(values(powers), {0.01, 0.1, 1, 10, 100, 1000}, 1e-15).empty());
  CHECK(values(aten::logspace(0, 4, 5, 2.0, arg<"dtype"> = dtype::int64)) == list{1, 2, 4, 8, 16});
}

TEST_CASE("sequence: logspace is the base to the power of linspace, for every dtype", "[ops][sequence][property]") {
  support::for_every_dtype(1, 20, [](support::numbers& source, dtype t) {
    if (t == dtype::boolean) return;
    // Whole powers, so that an integer is not next to the number that it drops the fraction of.
    const std::int64_t steps = source.whole(0, 5), start = source.whole(0, 2), step = source.whole(0, 1),
                       end = start + std::max<std::int64_t>(steps - 1, 0) * step;
    const double base = source.whole(0, 1) == 0 ? 2 : 0.5;
    list wanted;
    for (std::int64_t i = 0; i < steps; ++i) {
      wanted.push_back(oracle::stored(t, std::pow(base, static_cast<double>(start + i * step))));
    }
    const tensor x = aten::logspace(start, end, steps, base, arg<"dtype"> = t);
    support::check_tensor(x, {steps}, t, wanted);
    check_meta(x, aten::logspace(start, end, steps, base, arg<"dtype"> = t, arg<"device"> = tb::meta));
    support::check_out(source, aten::logspace_out, x, tb::scalar(start), tb::scalar(end), steps, base);
  });
}

TEST_CASE("sequence: eye, tril_indices and triu_indices", "[ops][sequence][property]") {
  for (std::int64_t rows : {0, 1, 3, 5}) {
    for (std::int64_t columns : {0, 1, 4}) {
      list identity;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) identity.push_back(r == c);
      }
      for (dtype t : tb::all_dtypes) {
        const tensor x = aten::eye_m(rows, columns, arg<"dtype"> = t);
        CHECK(values(x) == identity);
        check_meta(x, aten::eye_m(rows, columns, arg<"dtype"> = t, arg<"device"> = tb::meta));
        tensor out = support::arranged({rows, columns}, t, support::arrangement::transposed);
        CHECK(values(aten::eye_m_out(rows, columns, out)) == identity);
      }
      for (std::int64_t offset : {-9, -3, -1, 0, 1, 2, 4, 9}) {
        list below[2], above[2];
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) {
            if (c <= r + offset) below[0].push_back(double(r)), below[1].push_back(double(c));
            if (c >= r + offset) above[0].push_back(double(r)), above[1].push_back(double(c));
          }
        }
        const auto check = [&](const tensor& x, const tensor& given_shape, const list(&wanted)[2]) {
          list all = wanted[0];
          all.insert(all.end(), wanted[1].begin(), wanted[1].end());
          INFO(rows << " " << columns << " " << offset);
          CHECK(values(x) == all);
          check_meta(x, given_shape);
        };
        check(aten::tril_indices(rows, columns, offset),
              aten::tril_indices(rows, columns, offset, arg<"device"> = tb::meta), below);
        check(aten::triu_indices(rows, columns, offset),
              aten::triu_indices(rows, columns, offset, arg<"device"> = tb::meta), above);
      }
    }
  }
  CHECK(aten::tril_indices(2, 2, std::numeric_limits<std::int64_t>::max()).sizes() == tb::shape{2, 4});
  CHECK(aten::triu_indices(2, 2, std::numeric_limits<std::int64_t>::min()).sizes() == tb::shape{2, 4});
}

TEST_CASE("sequence: the distance between bounds may exceed the largest number", "[ops][sequence]") {
  constexpr dtype f64 = dtype::float64;
  CHECK(values(aten::linspace(-1e308, 1e308, 5, arg<"dtype"> = f64)) == list{-1e308, -5e307, 0, 5e307, 1e308});
  CHECK(values(aten::linspace(1.7e308, -1.7e308, 3, arg<"dtype"> = f64)) == list{1.7e308, 0, -1.7e308});
  CHECK(values(aten::linspace(-1.7e308, 1.7e308, 2, arg<"dtype"> = f64)) == list{-1.7e308, 1.7e308});
  CHECK(values(aten::logspace(-1e308, 1e308, 3, 10.0, arg<"dtype"> = f64)) ==
        list{0, 1, std::numeric_limits<double>::infinity()});
  CHECK(values(aten::logspace(-1e308, 1e308, 3, 1.0, arg<"dtype"> = f64)) == list{1, 1, 1});
  CHECK(values(aten::arange_start_step(-1e308, 1e308, 1e308, arg<"dtype"> = f64)) == list{-1e308, 0});
  CHECK(aten::arange_start_step(1e308, -1e308, -5e307, arg<"dtype"> = f64).numel() == 4);
  CHECK(aten::range_step(-1e308, 1e308, 1e308, arg<"dtype"> = f64).numel() == 3);
}
