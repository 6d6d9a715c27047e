// Losses of two tensors, element by element, reduced in every way, against long double.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/exact_values.h"
#include "support/operator_forms.h"
#include "support/reduced_loss.h"
import topbit;

namespace tb = topbit;
using support::approximately;
using support::extended;
using support::losses;
using support::reduction;
using tb::dtype;
using tb::tensor;

namespace {

constexpr dtype floating[] = {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64};

using of_element = std::function<approximately(const extended*)>;

// Calls with each reduction and compares; the elements are those the operands broadcast to.
void check(const std::string& name, const std::vector<tensor>& in, const support::arguments& before,
           const support::arguments& after, dtype type, extended units, const of_element& f) {
  losses wanted;
  wanted.sizes = support::broadcast_sizes(in);
  support::each_index(wanted.sizes, [&](const tb::shape& i) {
    extended x[4] = {};
    for (std::size_t k = 0; k < in.size(); ++k) {
      x[k] = support::exact(in[k], support::broadcast_index(i, in[k].sizes()));
    }
    wanted.add(f(x));
  });
  for (const reduction how : support::reductions) {
    support::arguments given = before;
    given.push_back(tb::value(static_cast<std::int64_t>(how)));
    for (const tb::value& v : after) given.push_back(v);
    INFO(name << " of " << tb::name_of(in[0].dtype()) << tb::to_string(in[0].sizes()) << " and "
              << tb::name_of(in[1].dtype()) << tb::to_string(in[1].sizes()) << ", reduction " << int(how));
    const tensor y = support::call_form(name, given);
    REQUIRE(y.dtype() == type);
    REQUIRE(support::loss_disagreement(y, wanted, how, units) == "");
    support::check_meta({name, "", ""}, given, y);
  }
}

// Numbers from low to high, in some arrangement.
tensor between(support::edge_numbers& source, const tb::shape& sizes, dtype t, double low, double high) {
  const tensor x = source.memory(sizes, t, false);
  support::each_index(
      sizes, [&](const tb::shape& i) { support::put(x, i, oracle::stored(t, extended(source.real(low, high)))); });
  return x;
}

}  // namespace

TEST_CASE("pair loss: of differences, which broadcast and promote", "[ops][property]") {
  support::edge_numbers source(71);
  for (dtype first : floating) {
    for (dtype second : floating) {
      for (int round = 0; round < 4; ++round) {
        const tb::shape sizes = source.any_shape();
        const tensor a = between(source, sizes, first, -5, 5),
                     b = between(source, source.narrowed(sizes), second, -5, 5);
        const dtype type = oracle::naive_promoted(a, b);
        const support::arguments given{tb::value(a), tb::value(b)};
        const double bend = double(source.whole(1, 24)) / 8;
        const extended e = extended(bend);
        const auto run = [&](const char* name, const support::arguments& after, auto f) {
          check(name, {a, b}, given, after, type, 6, [f](const extended* x) -> approximately {
            // A rounded difference is off by a unit of what is subtracted; the loss by as much times its slope.
            const extended d = std::abs(support::extended(x[0]) - x[1]), size = std::abs(x[0]) + std::abs(x[1]);
            return {f(d), f(d) + size * (1 + d)};
          });
        };
        run("aten::mse_loss", {}, [](extended d) { return d * d; });
        run("aten::l1_loss", {}, [](extended d) { return d; });
        run("aten::smooth_l1_loss", {tb::value(bend)}, [e](extended d) { return d < e ? d * d / (2 * e) : d - e / 2; });
        run("aten::smooth_l1_loss", {tb::value(0.0)}, [](extended d) { return d; });
        run("aten::huber_loss", {tb::value(bend)}, [e](extended d) { return d <= e ? d * d / 2 : e * (d - e / 2); });
      }
    }
  }
}

TEST_CASE("pair loss: differences that are not finite", "[ops][property]") {
  const tensor a = support::tensor_of({INFINITY, NAN, 1, -INFINITY, 2}, {5}, dtype::float32),
               b = support::tensor_of({1, 1, NAN, -INFINITY, 2}, {5}, dtype::float32);
  const auto of = [&](const char* name, const support::arguments& after) {
    support::arguments given{tb::value(a), tb::value(b), tb::value(std::int64_t{0})};
    for (const tb::value& v : after) given.push_back(v);
    return support::values(support::call_form(name, given));
  };
  const std::vector<double> wanted{INFINITY, NAN, NAN, NAN, 0};
  CHECK(support::difference(of("aten::mse_loss", {}), wanted, 0) == "");
  CHECK(support::difference(of("aten::l1_loss", {}), wanted, 0) == "");
  CHECK(support::difference(of("aten::smooth_l1_loss", {tb::value(1.0)}), wanted, 0) == "");
  CHECK(support::difference(of("aten::huber_loss", {tb::value(1.0)}), wanted, 0) == "");
}

TEST_CASE("pair loss: binary_cross_entropy, 0 and 1 among the probabilities, with weights", "[ops][property]") {
  support::edge_numbers source(72);
  for (dtype t : floating) {
    for (int round = 0; round < 24; ++round) {
      const tb::shape sizes = source.any_shape();
      const tensor p = between(source, sizes, t, 0, 1), target = between(source, sizes, t, 0, 1);
      for (const tensor& x : {p, target}) {
        if (!tb::author::has_distinct_elements(x)) continue;
        support::each_index(sizes, [&](const tb::shape& i) {
          if (source.whole(0, 3) == 0) support::put(x, i, source.whole(0, 1));
        });
      }
      const bool weighted = source.flip();
      const tensor weight = between(source, source.narrowed(sizes), t, 0, 2);
      std::vector<tensor> in{p, target};
      if (weighted) in.push_back(weight);
      const support::arguments given{tb::value(p), tb::value(target), weighted ? tb::value(weight) : tb::value()};
      check("aten::binary_cross_entropy", in, given, {}, t, 6, [&](const extended* x) -> approximately {
        const extended yes = std::max(std::log(x[0]), -100.0L), no = std::max(std::log1p(-x[0]), -100.0L);
        const extended w = weighted ? x[2] : 1;
        return {-w * (x[1] * yes + (1 - x[1]) * no), w * (x[1] * std::abs(yes) + (1 - x[1]) * std::abs(no))};
      });
    }
    const tensor wrong = support::tensor_of({0.5, 1.5}, {2}, t), none = support::tensor_of({0.5, NAN}, {2}, t);
    for (const tensor& x : {wrong, none}) {
      CHECK_THROWS_AS(support::call_form("aten::binary_cross_entropy",
                                         {tb::value(x), tb::value(x), tb::value(), tb::value(std::int64_t{1})}),
                      tb::error);
    }
  }
}

TEST_CASE("pair loss: binary_cross_entropy_with_logits, large ones too, with weights of both kinds",
          "[ops][property]") {
  support::edge_numbers source(73);
  for (dtype t : floating) {
    for (int round = 0; round < 40; ++round) {
      const tb::shape sizes = source.any_shape();
      const double size = source.flip() ? 4 : 1000;
      const tensor x = between(source, sizes, t, -size, size), target = between(source, sizes, t, 0, 1);
      const bool weighted = source.flip(), positive = source.flip();
      const tensor weight = between(source, source.narrowed(sizes), t, 0, 2),
                   pos_weight = between(source, source.narrowed(sizes), t, 0, 3);
      std::vector<tensor> in{x, target};
      if (weighted) in.push_back(weight);
      if (positive) in.push_back(pos_weight);
      const support::arguments given{tb::value(x), tb::value(target), weighted ? tb::value(weight) : tb::value(),
                                     positive ? tb::value(pos_weight) : tb::value()};
      check("aten::binary_cross_entropy_with_logits", in, given, {}, t, 8, [&](const extended* v) -> approximately {
        const extended w = weighted ? v[2] : 1, pos = positive ? v[weighted ? 3 : 2] : 1;
        const extended softplus = std::max(-v[0], extended(0)) + std::log1p(std::exp(-std::abs(v[0])));
        // -log(1 - sigmoid(x)) is x more than -log(sigmoid(x)).
        const extended loss = pos * v[1] * softplus + (1 - v[1]) * (softplus + v[0]);
        return {w * loss, w * (1 + pos) * (std::abs(v[0]) + softplus)};
      });
    }
  }
}
