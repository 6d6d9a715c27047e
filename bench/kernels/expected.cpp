#include "expected.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "problems.h"

namespace bench {

namespace {

// `scale` is the size of what was added up: rounding is a part of that, and not of a sum that nearly cancels.
struct number {
  double value, scale;
};
number plain(double value) { return {value, std::abs(value)}; }

double at(const array& a, std::int64_t place) { return value_at(a, place); }

// An element of a batch of matrices, `transposed` or not.
double at(const array& a, std::int64_t batch, std::int64_t i, std::int64_t j) {
  const std::int64_t rows = a.sizes[a.sizes.size() - 2], columns = a.sizes.back();
  return value_at(a, batch * rows * columns + (a.transposed ? j * rows + i : i * columns + j));
}

number reduction(const std::string& operation, const array& a) {
  const std::int64_t n = a.count();
  double sum = 0, scale = 0, greatest = at(a, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    sum += at(a, i);
    scale += std::abs(at(a, i));
    greatest = std::max(greatest, at(a, i));
  }
  if (operation == "max") return plain(greatest);
  const double mean = sum / static_cast<double>(n);
  if (operation == "mean") return {mean, scale / static_cast<double>(n)};
  if (operation != "var") return {sum, scale};
  double squares = 0;
  for (std::int64_t i = 0; i < n; ++i) squares += (at(a, i) - mean) * (at(a, i) - mean);
  const double variance = squares / static_cast<double>(n - 1);
  return {variance, 10 * variance};  // some add ten million squares to one float32
}

// The logarithm of the sum of a row's exponentials.
double log_sum(const array& a, std::int64_t row, std::int64_t length) {
  double sum = 0;
  for (std::int64_t i = 0; i < length; ++i) sum += std::exp(at(a, row * length + i));
  return std::log(sum);
}

number row_element(const problem& p, std::int64_t place) {
  const array& a = p.inputs[0];
  const std::int64_t length = a.sizes.back(), row = place / length;
  if (p.operation == "softmax") return plain(std::exp(at(a, place) - log_sum(a, row, length)));
  if (p.operation == "log_softmax") return {at(a, place) - log_sum(a, row, length), 10};
  double mean = 0, variance = 0;
  for (std::int64_t i = 0; i < length; ++i) mean += at(a, row * length + i) / static_cast<double>(length);
  for (std::int64_t i = 0; i < length; ++i) {
    variance += std::pow(at(a, row * length + i) - mean, 2) / static_cast<double>(length);
  }
  const double scaled = (at(a, place) - mean) / std::sqrt(variance + 1e-5);
  return {scaled * at(p.inputs[1], place % length) + at(p.inputs[2], place % length), 10};
}

number cross_entropy(const problem& p) {
  const std::int64_t rows = p.inputs[0].sizes[0], classes = p.inputs[0].sizes[1];
  double sum = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto label = static_cast<std::int64_t>(at(p.inputs[1], r));
    sum += log_sum(p.inputs[0], r, classes) - at(p.inputs[0], r * classes + label);
  }
  return plain(sum / static_cast<double>(rows));
}

number product(const problem& p, std::int64_t place) {
  const array &a = p.inputs[0], &b = p.inputs[1];
  const std::int64_t m = p.result.sizes[p.result.sizes.size() - 2], n = p.result.sizes.back(), k = a.sizes.back();
  number sum{};
  for (std::int64_t i = 0; i < k; ++i) {
    const double term = at(a, place / (m * n), place / n % m, i) * at(b, place / (m * n), i, place % n);
    sum.value += term;
    sum.scale += std::abs(term);
  }
  return sum;
}

number convolution(const problem& p, std::int64_t place) {
  const array &x = p.inputs[0], &w = p.inputs[1];
  const std::vector<std::int64_t>& to = p.result.sizes;
  const std::int64_t column = place % to[3], line = place / to[3] % to[2], out = place / (to[3] * to[2]) % to[1],
                     n = place / (to[3] * to[2] * to[1]);
  const std::int64_t in = x.sizes[1], height = x.sizes[2], width = x.sizes[3], window = w.sizes[2];
  number sum{at(p.inputs[2], out), std::abs(at(p.inputs[2], out))};
  for (std::int64_t c = 0; c < in; ++c) {
    for (std::int64_t i = 0; i < window; ++i) {
      for (std::int64_t j = 0; j < window; ++j) {
        const std::int64_t y = line * p.options[0] - p.options[1] + i, z = column * p.options[0] - p.options[1] + j;
        if (y < 0 || y >= height || z < 0 || z >= width) continue;
        const double term =
            at(x, ((n * in + c) * height + y) * width + z) * at(w, ((out * in + c) * window + i) * window + j);
        sum.value += term;
        sum.scale += std::abs(term);
      }
    }
  }
  return sum;
}

number attention(const problem& p, std::int64_t place) {
  const std::int64_t length = p.result.sizes[2], depth = p.result.sizes[3];
  const std::int64_t column = place % depth, line = place / depth % length, batch = place / (depth * length);
  std::vector<double> scores;
  for (std::int64_t s = 0; s < length; ++s) {
    double dot = 0;
    for (std::int64_t e = 0; e < depth; ++e) dot += at(p.inputs[0], batch, line, e) * at(p.inputs[1], batch, s, e);
    scores.push_back(dot / std::sqrt(static_cast<double>(depth)));
  }
  const double greatest = *std::ranges::max_element(scores);
  double total = 0;
  number sum{};
  for (std::int64_t s = 0; s < length; ++s) {
    const double weight = std::exp(scores[static_cast<std::size_t>(s)] - greatest);
    total += weight;
    sum.value += weight * at(p.inputs[2], batch, s, column);
  }
  return {sum.value / total, 10};
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
  if (function == "sigmoid") return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  if (function == "erf") return std::erf(x);
  // By erfc, since 1 + erf cancels for negative numbers.
  if (function == "gelu") return x * std::erfc(-x * std::numbers::sqrt2 / 2) / 2;
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
