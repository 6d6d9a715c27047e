#include "expected.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "problems.h"
#include "tests/oracle/attention.h"
#include "tests/oracle/convolution.h"
#include "tests/oracle/functions.h"
#include "tests/oracle/products.h"
#include "tests/oracle/rows.h"

namespace bench {

namespace {

// `scale` is the size of what was added up, of which rounding is a part.
struct number {
  double value, scale;
  number(long double v, long double s) : value(static_cast<double>(v)), scale(static_cast<double>(s)) {}
  number(const oracle::sum<>& s) : number(s.value, s.magnitude) {}
};
number plain(long double value) { return {value, std::abs(value)}; }

double at(const array& a, std::int64_t place) { return value_at(a, place); }

// An element of a batch of matrices, `transposed` or not.
double at(const array& a, std::int64_t batch, std::int64_t i, std::int64_t j) {
  const std::int64_t rows = a.sizes[a.sizes.size() - 2], columns = a.sizes.back();
  return value_at(a, batch * rows * columns + (a.transposed ? j * rows + i : i * columns + j));
}

number reduction(const std::string& operation, const array& a) {
  const std::int64_t n = a.count();
  const auto element = [&](std::int64_t i) { return at(a, i); };
  if (operation == "max") {
    double greatest = at(a, 0);
    for (std::int64_t i = 0; i < n; ++i) greatest = std::max(greatest, at(a, i));
    return plain(greatest);
  }
  if (operation == "var") {
    const long double variance = oracle::moments(n, element).variance(1);
    return {variance, 10 * variance};  // some add ten million squares to one float32
  }
  const oracle::sum<> sum = oracle::sum_of(n, element);
  const auto divisor = static_cast<long double>(operation == "mean" ? n : 1);
  return {sum.value / divisor, sum.magnitude / divisor};
}

auto row_of(const array& a, std::int64_t row) {
  return [&a, first = row * a.sizes.back()](std::int64_t i) { return at(a, first + i); };
}

number row_element(const problem& p, std::int64_t place) {
  const array& a = p.inputs[0];
  const std::int64_t length = a.sizes.back(), row = place / length;
  const double x = at(a, place);
  if (p.operation == "softmax") return plain(oracle::exponentials(length, row_of(a, row)).softmax(x));
  if (p.operation == "log_softmax") return {oracle::exponentials(length, row_of(a, row)).log_softmax(x), 10};
  const oracle::moments of_row(length, row_of(a, row));
  const long double scaled = of_row.deviation(x) / std::sqrt(of_row.variance() + 1e-5);
  return {scaled * at(p.inputs[1], place % length) + at(p.inputs[2], place % length), 10};
}

number cross_entropy(const problem& p) {
  const array& a = p.inputs[0];
  const std::int64_t rows = a.sizes[0], classes = a.sizes[1];
  const oracle::sum<> sum = oracle::sum_of(rows, [&](std::int64_t r) {
    const auto label = static_cast<std::int64_t>(at(p.inputs[1], r));
    return -oracle::exponentials(classes, row_of(a, r)).log_softmax(at(a, r * classes + label));
  });
  return plain(sum.value / static_cast<long double>(rows));
}

number product(const problem& p, std::int64_t place) {
  const array &a = p.inputs[0], &b = p.inputs[1];
  const std::int64_t m = p.result.sizes[p.result.sizes.size() - 2], n = p.result.sizes.back(), k = a.sizes.back();
  return oracle::sum_of(k, [&](std::int64_t i) {
    return at(a, place / (m * n), place / n % m, i) * at(b, place / (m * n), i, place % n);
  });
}

number convolution(const problem& p, std::int64_t place) {
  const std::vector<std::int64_t>&x = p.inputs[0].sizes, &w = p.inputs[1].sizes, &to = p.result.sizes;
  const std::int64_t stride = p.options[0], padding = p.options[1];
  const oracle::convolution of{.images = x[0],
                               .channels = x[1],
                               .outputs = w[0],
                               .groups = 1,
                               .size = {1, x[2], x[3]},
                               .kernel = {1, w[2], w[3]},
                               .stride = {1, stride, stride},
                               .padding = {0, padding, padding}};
  const auto operand = [&](std::size_t which) { return [&a = p.inputs[which]](std::int64_t i) { return at(a, i); }; };
  return of.element(place, {1, to[2], to[3]}, operand(0), operand(1), operand(2));
}

number attention(const problem& p, std::int64_t place) {
  const std::int64_t length = p.result.sizes[2], depth = p.result.sizes[3];
  const std::int64_t column = place % depth, line = place / depth % length, batch = place / (depth * length);
  const oracle::attention of_query(length, [&](std::int64_t s) {
    const auto term = [&](std::int64_t e) { return at(p.inputs[0], batch, line, e) * at(p.inputs[1], batch, s, e); };
    return oracle::sum_of(depth, term).value / std::sqrt(static_cast<long double>(depth));
  });
  return {of_query.mean_of([&](std::int64_t s) { return at(p.inputs[2], batch, s, column); }), 10};
}

// A thousand factors have been rounded as often.
number recorded(const problem& p, std::int64_t place) {
  const std::string& o = p.operation;
  if (o == "step") return plain(losses_of_steps(p)[static_cast<std::size_t>(place)]);
  if (o == "one_node") return plain(1);
  if (o == "record_add" || o == "one_node_forward") {
    const double a = at(p.inputs[0], place), b = at(p.inputs[1], place);
    return {a + b, std::abs(a) + std::abs(b)};
  }
  const double gradient = gradient_of_chain(p, place);
  return {gradient, 5 * gradient};
}

number element_of(const problem& p, std::int64_t place) {
  const std::string& o = p.operation;
  if (p.family == "autograd") return recorded(p, place);
  if (p.family == "rows") return o == "cross_entropy" ? cross_entropy(p) : row_element(p, place);
  if (o.starts_with("matmul")) return product(p, place);
  if (o == "conv2d") return convolution(p, place);
  if (o == "attention") return attention(p, place);
  if (o == "sum" || o == "mean" || o == "max" || o == "var" || o == "read") return reduction(o, p.inputs[0]);
  const double a = at(p.inputs[0], o == "embedding" ? 0 : place);
  if (o == "embedding") {
    const std::int64_t width = p.result.sizes[1];
    const auto row = static_cast<std::int64_t>(at(p.inputs[1], place / width));
    return plain(at(p.inputs[0], row * width + place % width));
  }
  if (o == "relu") return plain(std::max(a, 0.0));
  if (o == "copy") return plain(a);
  const double b = p.inputs.size() > 1 ? at(p.inputs[1], place) : 0;
  if (o == "add" || o == "triad") return {a + b, std::abs(a) + std::abs(b)};
  if (o == "mul") return plain(a * b);
  return {exact(o, a, b), std::abs(exact(o, a, b)) + 0.1};  // how exact a function is, another part measures
}

// Rounding of the result's type, so many times, and what adding up in float32 in any order may lose.
bool near(double found, number wanted, element type, int roundings = 1) {
  const double part = type == element::bfloat16 ? roundings * 0x1p-8 : 0;
  const double rounding = type == element::float64 ? 1e-13 : 2e-5;
  return std::abs(found - wanted.value) <= part * std::abs(wanted.value) + rounding * wanted.scale;
}

std::string sentence(std::int64_t place, double found, double wanted) {
  return "found " + std::to_string(found) + " at " + std::to_string(place) + ", wanted " + std::to_string(wanted);
}

}  // namespace

double exact(const std::string& function, double x, double y) {
  if (function == "exp") return std::exp(x);
  if (function == "log") return std::log(x);
  if (function == "tanh") return std::tanh(x);
  if (function == "sigmoid") return oracle::sigmoid(x);
  if (function == "erf") return std::erf(x);
  if (function == "gelu") return oracle::gelu(x);
  if (function == "sin") return std::sin(x);
  if (function == "cos") return std::cos(x);
  if (function == "pow") return std::pow(x, y);
  return std::nan("");
}

double ulps(float found, double exact) {
  if (std::isnan(exact)) return std::isnan(found) ? 0 : std::numeric_limits<double>::infinity();
  if (std::isnan(found)) return std::numeric_limits<double>::infinity();
  constexpr double beyond = 0x1p128;
  const double wanted = std::clamp(exact, -beyond, beyond);
  const double got = std::clamp(static_cast<double>(found), -beyond, beyond);
  const int exponent = wanted == 0 ? -126 : std::max(std::ilogb(wanted), -126);
  return std::abs(got - wanted) / std::ldexp(1.0, std::min(exponent, 127) - 23);
}

std::string wrong_with(const problem& p, const array& found) {
  if (p.operation == "empty" || p.operation == "fma") return "";
  if (found.count() != p.result.count()) {
    return "found " + std::to_string(found.count()) + " elements, wanted " + std::to_string(p.result.count());
  }
  const std::int64_t n = p.result.count();
  std::set<std::int64_t> places{0, n - 1, n / 2};
  for (std::int64_t i = 0; i < 70; ++i)
    places.insert({std::min(i, n - 1), std::max(n - 1 - i, std::int64_t{0}), i * 7919 * 104729 % n});
  for (const std::int64_t place : places) {
    const number wanted = element_of(p, place);
    if (!near(value_at(found, place), wanted, found.type)) return sentence(place, value_at(found, place), wanted.value);
    if (n == 1) break;
  }
  return "";
}

std::string difference(const array& one, const array& other) {
  double scale = 0;
  for (std::int64_t i = 0; i < one.count(); ++i) scale = std::max(scale, std::abs(value_at(other, i)));
  for (std::int64_t i = 0; i < one.count(); ++i) {
    const double wanted = value_at(other, i);
    if (!near(value_at(one, i), {wanted, scale}, one.type, 2)) return sentence(i, value_at(one, i), wanted);
  }
  return "";
}

}  // namespace bench
