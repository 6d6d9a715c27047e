// Softmax, its logarithm and their gradients along any dimension, against rows of long double.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/rows.h"
#include "support/exact_values.h"
#include "support/operator_forms.h"
import topbit;

namespace tb = topbit;
using support::approximately;
using support::extended;
using tb::dtype;
using tb::tensor;

namespace {

using row = std::vector<extended>;
using answers = std::vector<approximately>;

// The rows of tensors of one shape along a dimension become rows of answers, row-major.
template <class Row>
answers along(const std::vector<tensor>& in, std::size_t dim, Row of_row) {
  const tb::shape& sizes = in[0].sizes();
  const tb::shape strides = tb::dense_strides(sizes);
  answers all(static_cast<std::size_t>(tb::numel(sizes)), extended(0));
  support::each_index(sizes, [&](const tb::shape& index) {
    if (!index.empty() && index[dim] != 0) return;
    std::vector<row> rows(in.size());
    std::vector<std::size_t> places;
    tb::shape at = index;
    for (std::int64_t i = 0; i < (index.empty() ? 1 : sizes[dim]); ++i) {
      if (!at.empty()) at[dim] = i;
      std::int64_t place = 0;
      for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * strides[d];
      places.push_back(static_cast<std::size_t>(place));
      for (std::size_t k = 0; k < in.size(); ++k) rows[k].push_back(support::exact(in[k], at));
    }
    const answers found = of_row(rows);
    for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = found[i];
  });
  return all;
}

// Where exp underflows on the way.
extended least_of(dtype t) { return t == dtype::float64 ? 0x1p-969L : 0x1p-102L; }

// The exponent of e was rounded, and so the result is off by as many units as the exponent is large.
answers softmax(const row& x, dtype t) {
  const oracle::exponentials shifted(x);
  answers all;
  for (extended v : x) {
    const extended y = shifted.softmax(v);
    all.emplace_back(y, std::max(y * (1 + std::abs(v - shifted.greatest)), least_of(t)));
  }
  return all;
}
answers log_softmax(const row& x, dtype) {
  const oracle::exponentials shifted(x);
  answers all;
  for (extended v : x) all.emplace_back(shifted.log_softmax(v), 1 + std::log(shifted.sum));
  return all;
}
answers softmax_backward(const row& g, const row& y) {
  const auto [sum, size] = oracle::sum_of(g.size(), [&](std::size_t i) { return g[i] * y[i]; });
  answers all;
  for (std::size_t i = 0; i < g.size(); ++i) {
    all.emplace_back((g[i] - sum) * y[i], std::abs(y[i]) * (std::abs(g[i]) + size));
  }
  return all;
}
answers log_softmax_backward(const row& g, const row& y) {
  const auto [sum, size] = oracle::sum_of(g.size(), [&](std::size_t i) { return g[i]; });
  answers all;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const extended p = std::exp(y[i]);
    all.emplace_back(g[i] - p * sum, std::abs(g[i]) + p * size * (1 + std::abs(y[i])));
  }
  return all;
}

tb::shape shape_of(support::edge_numbers& source) {
  return source.whole(0, 5) == 0 ? tb::shape{source.whole(1, 3), source.whole(60, 1100)} : source.any_shape();
}

// Of moderate size, so that the order of a sum is of no account; some not finite.
tensor moderate(support::edge_numbers& source, const tb::shape& sizes, dtype t) {
  const tensor x = source.memory(sizes, t, false);
  const bool odd = source.whole(0, 3) == 0;
  support::each_index(sizes, [&](const tb::shape& i) {
    const std::int64_t pick = odd ? source.whole(0, 99) : 99;
    support::put(x, i, pick == 0 ? INFINITY : pick == 1 ? NAN : oracle::stored(t, extended(source.real(-4, 4))));
  });
  return x;
}

constexpr dtype floating[] = {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64};
// A sum is off by half a unit for each of its elements at most.
extended units_of(const tensor& x, std::size_t dim) { return 12 + (x.dim() == 0 ? 0 : extended(x.sizes()[dim]) / 2); }

}  // namespace

TEST_CASE("softmax: forward over any dimension, in every form", "[ops][property]") {
  support::edge_numbers source(61);
  const struct {
    support::forms names;
    answers (*f)(const row&, dtype);
  } all[] = {{{"aten::_softmax", "", "aten::_softmax.out"}, softmax},
             {{"aten::_log_softmax", "", "aten::_log_softmax.out"}, log_softmax}};
  for (const auto& o : all) {
    for (dtype t : floating) {
      for (int round = 0; round < 40; ++round) {
        const tensor x = source.flip() ? source.operand(shape_of(source), t) : moderate(source, shape_of(source), t);
        const auto rank = std::max<std::int64_t>(1, x.dim());
        const std::int64_t dim = source.whole(-rank, rank - 1);
        const auto place = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
        INFO(o.names.functional << " of " << tb::name_of(t) << tb::to_string(x.sizes()) << " over " << dim);
        const support::arguments given{tb::value(x), tb::value(dim), tb::value(false)};
        const tensor y = support::call_form(o.names.functional, given);
        REQUIRE((y.dtype() == t && y.sizes() == x.sizes()));
        const answers wanted =
            along({x}, place, [&](const std::vector<row>& rows) { return o.f(rows[0], support::computed_in(t)); });
        REQUIRE(support::disagreement(y, wanted, units_of(x, place)) == "");
        support::check_out(o.names, given, y, source);
        support::check_aliases(o.names, given, y);
        support::check_meta(o.names, given, y);
      }
    }
  }
}

TEST_CASE("softmax: converts to a dtype before it computes", "[ops][property]") {
  support::edge_numbers source(62);
  for (const auto& [name, f] :
       {std::pair("aten::softmax.int", &softmax), std::pair("aten::log_softmax.int", &log_softmax)}) {
    for (dtype from : tb::all_dtypes) {
      const tensor x = source.operand(shape_of(source), from, -5, 5);
      const auto last = static_cast<std::size_t>(std::max<std::int64_t>(0, x.dim() - 1));
      for (const std::optional<dtype>& to :
           {std::optional<dtype>(), std::optional(dtype::int32), std::optional(dtype::bfloat16),
            std::optional(dtype::float32), std::optional(dtype::float64)}) {
        const support::arguments given{tb::value(x), tb::value(std::int64_t{-1}), tb::value(to)};
        const dtype t = to.value_or(from);
        INFO(name << " of " << tb::name_of(from) << tb::to_string(x.sizes()) << " in " << tb::name_of(t));
        if (!tb::is_floating(t)) {
          CHECK_THROWS_AS(support::call_form(name, given), tb::dtype_error);
          continue;
        }
        const tensor y = support::call_form(name, given);
        REQUIRE((y.dtype() == t && y.sizes() == x.sizes()));
        const answers wanted = along({x}, last, [&, of = f](std::vector<row> rows) {
          for (extended& v : rows[0]) v = oracle::stored(t, v);
          return of(rows[0], support::computed_in(t));
        });
        REQUIRE(support::disagreement(y, wanted, units_of(x, last)) == "");
        support::check_meta({name, "", ""}, given, y);
      }
    }
  }
}

TEST_CASE("softmax: backward over any dimension, in every form", "[ops][property]") {
  support::edge_numbers source(63);
  const struct {
    support::forms names;
    answers (*f)(const row&, const row&);
    extended low, high;
  } all[] = {
      {{"aten::_softmax_backward_data", "", "aten::_softmax_backward_data.out"}, softmax_backward, 0, 1},
      {{"aten::_log_softmax_backward_data", "", "aten::_log_softmax_backward_data.out"}, log_softmax_backward, -9, 0}};
  for (const auto& o : all) {
    for (dtype t : floating) {
      for (int round = 0; round < 40; ++round) {
        const tb::shape sizes = shape_of(source);
        const tensor g = moderate(source, sizes, t), y = source.memory(sizes, t, false);
        support::each_index(sizes, [&](const tb::shape& i) {
          support::put(y, i, oracle::stored(t, extended(source.real(double(o.low), double(o.high)))));
        });
        const auto rank = std::max<std::int64_t>(1, static_cast<std::int64_t>(sizes.size()));
        const std::int64_t dim = source.whole(-rank, rank - 1);
        const auto place = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
        INFO(o.names.functional << " of " << tb::name_of(t) << tb::to_string(sizes) << " over " << dim);
        const support::arguments given{tb::value(g), tb::value(y), tb::value(dim), tb::value(t)};
        const tensor found = support::call_form(o.names.functional, given);
        REQUIRE((found.dtype() == t && found.sizes() == sizes));
        const answers wanted =
            along({g, y}, place, [&](const std::vector<row>& rows) { return o.f(rows[0], rows[1]); });
        REQUIRE(support::disagreement(found, wanted, units_of(found, place)) == "");
        support::check_out(o.names, given, found, source);
        support::check_aliases(o.names, given, found);
        support::check_meta(o.names, given, found);
      }
    }
  }
}
