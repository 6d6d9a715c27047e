// Losses of labels and of probabilities over classes, with weights, ignored labels, smoothing and every reduction,
// against long double.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "oracle/rows.h"
#include "support/exact_values.h"
#include "support/operator_forms.h"
#include "support/reduced_loss.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::approximately;
using support::extended;
using support::losses;
using support::reduction;
using tb::dtype;
using tb::tensor;

namespace {

constexpr dtype floating[] = {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64};
constexpr std::int64_t no_label = -100;

// Scores of classes and a label for each place. Classes are dimension 1, or the only one.
struct problem {
  tensor scores, labels;
  std::optional<tensor> weight;
  std::int64_t ignored = no_label, classes = 0;

  problem(support::edge_numbers& source, dtype t, tb::shape sizes) {
    const std::size_t at = class_dim(sizes);
    classes = sizes[at];
    scores = source.memory(sizes, t, false);
    support::each_index(
        sizes, [&](const tb::shape& i) { support::put(scores, i, oracle::stored(t, extended(source.real(-6, 1)))); });
    tb::shape places = sizes;
    places.erase(at);
    labels = source.memory(places, dtype::int64, true);
    if (source.flip()) ignored = source.flip() ? source.whole(0, classes - 1) : -1;
    support::each_index(places, [&](const tb::shape& i) {
      support::put(labels, i, extended(source.whole(0, 4) == 0 ? ignored : source.whole(0, classes - 1)));
      if (ignored == no_label && support::exact(labels, i) < 0 && source.flip()) support::put(labels, i, 0);
    });
    if (source.flip()) {
      weight = source.memory({classes}, t, false);
      support::each_index(weight->sizes(), [&](const tb::shape& i) {
        support::put(*weight, i, oracle::stored(t, extended(source.real(0.1, 2))));
      });
    }
  }

  static std::size_t class_dim(const tb::shape& sizes) { return sizes.size() == 1 ? 0 : 1; }
  std::size_t class_dim() const { return class_dim(scores.sizes()); }
  extended weight_of(std::int64_t label) const { return weight ? support::exact(*weight, {label}) : 1; }
  tb::value weights() const { return weight ? tb::value(*weight) : tb::value(); }
  tb::shape at(const tb::shape& place, std::int64_t label) const {
    tb::shape out;
    for (std::size_t d = 0; d <= place.size(); ++d) {
      if (d == class_dim()) out.push_back(label);
      if (d < place.size()) out.push_back(place[d]);
    }
    return out;
  }
  std::vector<extended> row(const tensor& t, const tb::shape& place) const {
    std::vector<extended> all;
    for (std::int64_t c = 0; c < classes; ++c) all.push_back(support::exact(t, at(place, c)));
    return all;
  }
  std::string text() const {
    return std::string(tb::name_of(scores.dtype())) + tb::to_string(scores.sizes()) + (weight ? " weighted" : "") +
           ", ignoring " + std::to_string(ignored);
  }
};

// The loss of log-probabilities by label; total is what the mean is divided by.
losses nll(const problem& p, const std::function<approximately(const tb::shape&, std::int64_t)>& of) {
  losses all;
  all.sizes = p.labels.sizes();
  support::each_index(all.sizes, [&](const tb::shape& place) {
    const auto label = static_cast<std::int64_t>(support::exact(p.labels, place));
    if (label == p.ignored) return all.all.emplace_back(0), void();
    const extended w = p.weight_of(label);
    const approximately x = of(place, label);
    all.all.emplace_back(-w * x.value, w * std::max(std::abs(x.value), x.scale));
    all.divisor += w;
  });
  return all;
}
losses nll(const problem& p) {
  return nll(p, [&](const tb::shape& place, std::int64_t label) {
    return approximately(support::exact(p.scores, p.at(place, label)));
  });
}

tb::shape any_sizes(support::edge_numbers& source) {
  const std::int64_t classes = source.whole(1, 12);
  switch (source.whole(0, 6)) {
    case 0: return {classes};
    case 1: return {0, classes};
    case 2: return {source.whole(100, 700), classes};
    case 3: return {source.whole(1, 3), classes, source.whole(0, 4)};
    case 4: return {source.whole(0, 3), classes, source.whole(1, 4), source.whole(1, 4)};
    default: return {source.whole(1, 9), classes};
  }
}

std::vector<approximately> log_softmax(const std::vector<extended>& x) {
  const oracle::exponentials row(x);
  std::vector<approximately> all;
  for (extended v : x) all.emplace_back(row.log_softmax(v), 1 + std::abs(v - row.greatest));
  return all;
}

}  // namespace

TEST_CASE("label loss: nll_loss of any number of dimensions, in every reduction", "[ops][property]") {
  support::edge_numbers source(81);
  for (dtype t : floating) {
    for (int round = 0; round < 60; ++round) {
      const problem p(source, t, any_sizes(source));
      const losses wanted = nll(p);
      const std::size_t rank = p.scores.dim();
      for (const reduction how : support::reductions) {
        INFO(p.text() << ", reduction " << int(how));
        const support::arguments given{tb::value(p.scores), tb::value(p.labels), p.weights(),
                                       tb::value(static_cast<std::int64_t>(how)), tb::value(p.ignored)};
        for (const char* name : {"aten::nll_loss_nd", "aten::nll_loss2d", "aten::nll_loss"}) {
          const std::string_view op = name;
          if (op == "aten::nll_loss2d" && rank != 4) continue;
          if (op == "aten::nll_loss" && rank > 2) continue;
          const tensor y = support::call_form(name, given);
          CHECK(y.dtype() == t);
          CHECK(support::loss_disagreement(y, wanted, how, 2) == "");
          support::check_meta({name, "", ""}, given, y);
        }
        if (rank > 2) continue;
        const auto [loss, total] =
            aten::nll_loss_forward(p.scores, p.labels, p.weight, static_cast<std::int64_t>(how), p.ignored);
        CHECK(support::loss_disagreement(loss, wanted, how, 2) == "");
        const extended weights = how == reduction::none ? 0 : wanted.divisor;
        const extended units = t == dtype::float64 ? 2 + extended(wanted.all.size()) / 2 : 2;
        CHECK(support::disagreement(total, std::vector<extended>{weights}, units) == "");
        tensor out = source.memory(loss.sizes(), t, true), out_total = source.memory({}, t, true);
        aten::nll_loss_forward_output(p.scores, p.labels, p.weight, static_cast<std::int64_t>(how), p.ignored, out,
                                      out_total);
        CHECK(support::disagreement(out, support::exact_values(loss), 0) == "");
        CHECK(support::disagreement(out_total, support::exact_values(total), 0) == "");
      }
    }
  }
}

TEST_CASE("label loss: the gradient of nll_loss, in every reduction", "[ops][property]") {
  support::edge_numbers source(82);
  for (dtype t : floating) {
    for (int round = 0; round < 40; ++round) {
      tb::shape sizes = any_sizes(source);
      if (sizes.size() > 2) sizes = {sizes[0], sizes[1]};
      const problem p(source, t, sizes);
      for (const reduction how : support::reductions) {
        INFO(p.text() << ", reduction " << int(how));
        const auto by = static_cast<std::int64_t>(how);
        const tensor total = std::get<1>(aten::nll_loss_forward(p.scores, p.labels, p.weight, by, p.ignored));
        const tensor g = source.operand(how == reduction::none ? p.labels.sizes() : tb::shape{}, t, -2, 2);
        std::vector<approximately> wanted;
        support::each_index(sizes, [&](const tb::shape& i) {
          const tb::shape place = sizes.size() == 1 ? tb::shape{} : tb::shape{i[0]};
          const auto label = static_cast<std::int64_t>(support::exact(p.labels, place));
          const bool chosen = label == i[i.size() - 1] && label != p.ignored;
          const extended slope = support::exact(g, how == reduction::none ? place : tb::shape{}),
                         divisor = how == reduction::mean ? support::exact(total, {}) : 1;
          const extended each = oracle::stored(support::computed_in(t), slope / divisor);
          wanted.emplace_back(chosen ? -each * p.weight_of(label) : extended(0));
        });
        const support::forms names{"aten::nll_loss_backward", "", "aten::nll_loss_backward.grad_input"};
        const support::arguments given{tb::value(g),  tb::value(p.scores),  tb::value(p.labels), p.weights(),
                                       tb::value(by), tb::value(p.ignored), tb::value(total)};
        const tensor y = support::call_form(names.functional, given);
        REQUIRE((y.dtype() == t && y.sizes() == sizes));
        CHECK(support::disagreement(y, wanted, 2) == "");
        support::check_out(names, given, y, source);
        support::check_meta(names, given, y);
      }
    }
  }
}

TEST_CASE("label loss: cross_entropy_loss of labels, with smoothing", "[ops][property]") {
  support::edge_numbers source(83);
  for (dtype t : floating) {
    for (int round = 0; round < 40; ++round) {
      const problem p(source, t, any_sizes(source));
      const double smoothing = round % 3 == 0 ? 0 : source.real(0.05, 1);
      const auto share = extended(smoothing) / extended(p.classes);
      losses wanted;
      wanted.sizes = p.labels.sizes();
      support::each_index(wanted.sizes, [&](const tb::shape& place) {
        const auto label = static_cast<std::int64_t>(support::exact(p.labels, place));
        if (label == p.ignored) return wanted.all.emplace_back(0), void();
        const auto logs = log_softmax(p.row(p.scores, place));
        extended loss = 0, size = 0;
        for (std::int64_t c = 0; c < p.classes; ++c) {
          const approximately& x = logs[static_cast<std::size_t>(c)];
          const extended part = share + (c == label ? 1 - extended(smoothing) : 0);
          loss -= part * p.weight_of(c) * x.value;
          size += part * p.weight_of(c) * std::max(std::abs(x.value), x.scale);
        }
        wanted.all.emplace_back(loss, size);
        wanted.divisor += p.weight_of(label);
      });
      for (const reduction how : support::reductions) {
        INFO(p.text() << ", reduction " << int(how) << ", smoothing " << smoothing);
        const support::arguments given{tb::value(p.scores),  tb::value(p.labels),
                                       p.weights(),          tb::value(static_cast<std::int64_t>(how)),
                                       tb::value(p.ignored), tb::value(smoothing)};
        const tensor y = support::call_form("aten::cross_entropy_loss", given);
        CHECK(y.dtype() == t);
        CHECK(support::loss_disagreement(y, wanted, how, 8) == "");
        support::check_meta({"aten::cross_entropy_loss", "", ""}, given, y);
      }
    }
  }
}

TEST_CASE("label loss: cross_entropy_loss of probabilities, with smoothing", "[ops][property]") {
  support::edge_numbers source(84);
  for (dtype t : floating) {
    for (int round = 0; round < 40; ++round) {
      const problem p(source, t, any_sizes(source));
      const tensor target = source.memory(p.scores.sizes(), t, false);
      support::each_index(target.sizes(), [&](const tb::shape& i) {
        support::put(target, i, oracle::stored(t, extended(source.real(0, 1))));
      });
      const double smoothing = round % 3 == 0 ? 0 : source.real(0.05, 1);
      losses wanted;
      wanted.sizes = p.labels.sizes();
      support::each_index(wanted.sizes, [&](const tb::shape& place) {
        const auto logs = log_softmax(p.row(p.scores, place));
        const auto parts = p.row(target, place);
        extended loss = 0, size = 0;
        for (std::size_t c = 0; c < logs.size(); ++c) {
          const extended w = p.weight_of(static_cast<std::int64_t>(c));
          const extended part = parts[c] * (1 - extended(smoothing)) + extended(smoothing) / extended(p.classes);
          loss -= part * w * logs[c].value;
          size += part * w * std::max(std::abs(logs[c].value), logs[c].scale);
        }
        wanted.add({loss, size});
      });
      for (const reduction how : support::reductions) {
        INFO(p.text() << ", reduction " << int(how) << ", smoothing " << smoothing);
        const support::arguments given{tb::value(p.scores),  tb::value(target),
                                       p.weights(),          tb::value(static_cast<std::int64_t>(how)),
                                       tb::value(p.ignored), tb::value(smoothing)};
        const tensor y = support::call_form("aten::cross_entropy_loss", given);
        CHECK(y.dtype() == t);
        CHECK(support::loss_disagreement(y, wanted, how, 8) == "");
        support::check_meta({"aten::cross_entropy_loss", "", ""}, given, y);
      }
    }
  }
}
