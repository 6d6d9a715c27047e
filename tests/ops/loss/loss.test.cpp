#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "oracle/rows.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

// Over rows of the last dimension.
list naive_log_softmax(const tensor& t) {
  list x = values(t);
  const auto n = static_cast<std::size_t>(t.dim() == 0 ? 1 : t.sizes()[t.dim() - 1]);
  for (std::size_t r = 0; n != 0 && r < x.size(); r += n) {
    const oracle::exponentials row(n, [&](std::size_t i) { return x[r + i]; });
    for (std::size_t i = r; i < r + n; ++i) x[i] = row.log_softmax(x[i]);
  }
  return x;
}

}  // namespace

TEST_CASE("loss: log_softmax of the last dimension in any memory layout", "[ops][loss][property]") {
  support::numbers source(1);
  for (dtype t : {dtype::float32, dtype::float64}) {
    for (support::arrangement how : support::arrangements) {
      for (const tb::shape& s :
           {tb::shape{3, 10}, tb::shape{1}, tb::shape{}, tb::shape{2, 3, 37}, tb::shape{0, 4}, tb::shape{4, 0}}) {
        const tensor x = source.tensor(s, t, how);
        const tensor y = aten::log_softmax_int(x, -1);
        CHECK(y.dtype() == t);
        CHECK(y.sizes() == s);
        CHECK(support::difference(values(y), naive_log_softmax(x), 4 * support::tolerance_of(t)) == "");
        const tensor g = source.tensor(s, t, how);
        const list p = values(y), gv = values(g);
        list wanted;
        const auto n = static_cast<std::size_t>(s.empty() ? 1 : s[s.size() - 1]);
        for (std::size_t i = 0; i < p.size(); ++i) {
          const auto sum = oracle::sum_of(n, [&](std::size_t j) { return gv[i / n * n + j]; });
          wanted.push_back(gv[i] - std::exp(p[i]) * sum.value);
        }
        CHECK(support::difference(values(aten::_log_softmax_backward_data(g, y, -1, t)), wanted,
                                  10 * support::tolerance_of(t)) == "");
      }
    }
  }
}

TEST_CASE("loss: log_softmax does not overflow", "[ops][loss][property]") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (dtype t : {dtype::float32, dtype::float64}) {
    CHECK(support::difference(values(aten::log_softmax_int(tensor_of({1e4, 1e4 - 1, -1e4}, {3}, t), 0)),
                              {-0.31326168, -1.31326168, -20000.3133}, 1e-6) == "");
    CHECK(support::difference(values(aten::log_softmax_int(tensor_of({-inf, 0}, {2}, t), 0)), {-inf, 0}, 1e-7) == "");
    CHECK(std::isnan(values(aten::log_softmax_int(tensor_of({std::nan(""), 0}, {2}, t), 0))[1]));
  }
}

TEST_CASE("loss: log_softmax converts first where a dtype is given", "[ops][loss]") {
  const tensor x = tensor_of({1, 2, 3}, {3}, dtype::int64);
  CHECK(aten::log_softmax_int(x, 0, arg<"dtype"> = dtype::float64).dtype() == dtype::float64);
  CHECK(text_of<tb::dtype_error>([&] { aten::log_softmax_int(x, 0); }) ==
        "aten::log_softmax.int: in aten::_log_softmax: found int64, wanted a floating type");
}

TEST_CASE("loss: softmax over any dimension equals that of its rows", "[ops][loss][property]") {
  support::numbers source(3);
  for (support::arrangement how : support::arrangements) {
    const tensor x = source.tensor({2, 3, 4}, dtype::float64, how);
    for (std::int64_t dim = 0; dim < 3; ++dim) {
      const tensor transposed = aten::clone(aten::transpose_int(x, dim, 2));
      const tensor wanted = aten::transpose_int(aten::log_softmax_int(transposed, 2), dim, 2);
      CHECK(support::difference(values(aten::log_softmax_int(x, dim)), values(wanted), 1e-13) == "");
      CHECK(support::difference(values(aten::softmax_int(x, dim)), values(aten::exp(wanted)), 1e-13) == "");
      const tensor y = aten::softmax_int(x, dim), g = source.tensor({2, 3, 4}, dtype::float64, how);
      const tensor along = y * (g - tb::sum(g * y, {dim}, true));
      CHECK(support::difference(values(aten::_softmax_backward_data(g, y, dim, y.dtype())), values(along), 1e-13) ==
            "");
    }
  }
}

TEST_CASE("loss: softmax refuses a dimension out of range, and a dtype conversion", "[ops][loss]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const tensor x = tb::author::make_tensor({2, 3}, dtype::float32, where),
                 point = tb::author::make_tensor({}, dtype::float32, where);
    CHECK(text_of<tb::shape_error>([&] { aten::log_softmax_int(x, 2); }) ==
          "aten::log_softmax.int: in aten::_log_softmax: found dimension 2, wanted -2 to 1");
    CHECK_THROWS_AS(aten::softmax_int(point, 1), tb::shape_error);
    CHECK(aten::log_softmax_int(point, -1).sizes() == tb::shape{});
    CHECK(text_of<tb::dtype_error>([&] { aten::_softmax(x, 1, true); }) ==
          "aten::_softmax: found half_to_float=True for float32 [2, 3], wanted float16 or bfloat16");
  }
}

TEST_CASE("loss: the backward of log_softmax refuses a gradient of another dtype or shape", "[ops][loss]") {
  const tensor y = tensor_of({1, 2}, {1, 2}, dtype::float32);
  CHECK(text_of<tb::shape_error>([&] {
          aten::_log_softmax_backward_data(tensor_of({1, 2}, {2}, dtype::float32), y, 1, dtype::float32);
        }) == "aten::_log_softmax_backward_data: found a gradient float32 [2] for a result float32 [1, 2]");
  CHECK_THROWS_AS(aten::_log_softmax_backward_data(tensor_of({1, 2}, {1, 2}), y, 1, dtype::float32), tb::dtype_error);
}

TEST_CASE("loss: nll_loss is the mean of the chosen log-probabilities, negated", "[ops][loss][property]") {
  support::numbers source(2);
  for (dtype t : {dtype::float32, dtype::float64}) {
    for (support::arrangement how : support::arrangements) {
      const tensor x = source.tensor({5, 3}, t, how);
      const tensor labels = support::arranged({5}, dtype::int64, support::arrangement::sliced);
      double wanted = 0;
      list gradient(15, 0);
      for (std::int64_t r = 0; r < 5; ++r) {
        const std::int64_t label = source.whole(0, 2);
        support::set(labels, {r}, static_cast<double>(label));
        wanted -= support::get(x, {r, label}) / 5;
        gradient[static_cast<std::size_t>(r * 3 + label)] = -0.5 / 5;
      }
      const tensor loss = aten::nll_loss(x, labels);
      CHECK(loss.sizes() == tb::shape{});
      CHECK(loss.dtype() == t);
      CHECK(support::difference(values(loss), {wanted}, support::tolerance_of(t)) == "");
      const tensor g = tensor_of({0.5}, {}, t);
      CHECK(support::difference(
                values(aten::nll_loss_backward(g, x, labels, std::nullopt, 1, -100, tensor_of({5}, {}, t))), gradient,
                support::tolerance_of(t)) == "");
    }
  }
}

TEST_CASE("loss: a label out of range is refused at any position", "[ops][loss][property]") {
  const tensor x = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, dtype::float32);
  for (list labels : {list{0, 3}, list{3, 0}, list{-1, 0}, list{0, -100}, list{1e15, 0}}) {
    const tensor target = tensor_of(labels, {2}, dtype::int64);
    const double bad = labels[0] < 0 || labels[0] > 2 ? labels[0] : labels[1];
    CHECK(text_of<tb::shape_error>([&] { aten::nll_loss(x, target, std::nullopt, 1, 7); }) ==
          "aten::nll_loss: in aten::nll_loss_forward: found the index " +
              std::to_string(static_cast<std::int64_t>(bad)) + ", wanted 0 to 2");
    const tensor one = tensor_of({1}, {}, dtype::float32);
    CHECK_THROWS_AS(aten::nll_loss_backward(one, x, target, std::nullopt, 1, 7, one), tb::shape_error);
  }
  CHECK_THROWS_AS(aten::nll_loss(tensor_of({}, {2, 0}, dtype::float32), tensor_of({0, 0}, {2}, dtype::int64)),
                  tb::shape_error);
}

TEST_CASE("loss: nll_loss over no rows is NaN", "[ops][loss]") {
  CHECK(std::isnan(tb::item(aten::nll_loss(tensor_of({}, {0, 3}), tensor_of({}, {0}, dtype::int64)))));
}

TEST_CASE("loss: nll_loss accepts rows of log-probabilities and int64 labels", "[ops][loss]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto make = [&](const tb::shape& s, dtype t) { return tb::author::make_tensor(s, t, where); };
    const tensor x = make({2, 3}, dtype::float32), labels = make({2}, dtype::int64);
    const auto text = [](auto f) { return text_of<tb::error>(f); };
    CHECK(text([&] { aten::nll_loss(x, make({2}, dtype::float32)); }) ==
          "aten::nll_loss: found float32 [2, 3] and labels of float32, wanted floating log-probabilities and "
          "int64 labels");
    CHECK(text([&] { aten::nll_loss(make({2, 3}, dtype::int64), labels); }) ==
          "aten::nll_loss: found int64 [2, 3] and labels of int64, wanted floating log-probabilities and int64 "
          "labels");
    CHECK(text([&] { aten::nll_loss(x, make({3}, dtype::int64)); }) ==
          "aten::nll_loss: found [2, 3] and labels [3], wanted [n, classes] and [n], or [classes] and []");
    CHECK(text([&] { aten::nll_loss(make({3}, dtype::float32), labels); }) ==
          "aten::nll_loss: found [3] and labels [2], wanted [n, classes] and [n], or [classes] and []");
    const tensor one = make({}, dtype::float32);
    CHECK(text([&] { aten::nll_loss_backward(x, x, labels, std::nullopt, 1, -100, one); }) ==
          "aten::nll_loss_backward: found a gradient float32 [2, 3], wanted float32 []");
    CHECK(text([&] { aten::nll_loss(x, labels, arg<"weight"> = std::optional(x)); }) ==
          "aten::nll_loss: found weights [2, 3], wanted [3]");
    CHECK(text([&] { aten::nll_loss(x, labels, arg<"reduction"> = 3); }) ==
          "aten::nll_loss: found reduction 3, wanted None (0), Mean (1) or Sum (2)");
  }
}

TEST_CASE("loss: arguments that a part of a loss refuses are refused by the loss", "[ops][loss]") {
  const tensor n = tensor_of({0, 1}, {2}, dtype::int64), b = tensor_of({0, 1}, {2}, dtype::boolean);
  const tensor byte = tensor_of({0, 1}, {2}, dtype::uint8), x = tensor_of({0.5, 1}, {2}, dtype::float32);
  const auto type = [](auto f) { return text_of<tb::dtype_error>(f); };
  CHECK(type([&] { aten::mse_loss(n, n); }) ==
        "aten::mse_loss: found int64 and targets of int64, wanted a floating dtype; convert one with to()");
  CHECK(type([&] { aten::huber_loss(b, b); }) ==
        "aten::huber_loss: found bool and targets of bool, wanted a floating dtype; convert one with to()");
  CHECK(type([&] { aten::l1_loss(b, b); }) ==
        "aten::l1_loss: found bool and bool, wanted numbers; convert one with to()");
  CHECK(type([&] { aten::cross_entropy_loss(n, n); }) ==
        "aten::cross_entropy_loss: found int64, wanted a floating type");
  CHECK(type([&] { aten::binary_cross_entropy(byte, x); }) ==
        "aten::binary_cross_entropy: found uint8, wanted a floating dtype; convert it with to()");
  CHECK(type([&] { aten::binary_cross_entropy_with_logits(byte, x); }) ==
        "aten::binary_cross_entropy_with_logits: found uint8, wanted a floating dtype; convert it with to()");
}

TEST_CASE("loss: an out tensor is unchanged if a label is refused", "[ops][loss]") {
  const tensor x = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}), target = tensor_of({0, 3}, {2}, dtype::int64);
  tensor out = tensor_of({7, 8}, {2}), total = tensor_of({9}, {});
  CHECK_THROWS_AS(aten::nll_loss_forward_output(x, target, std::nullopt, 0, -100, out, total), tb::shape_error);
  CHECK(values(out) == list{7, 8});
  CHECK(values(total) == list{9});
}
