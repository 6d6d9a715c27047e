#include "compare.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace bench::operators {

namespace {

struct moments {
  double mean = 0, variance = 0;
};

moments moments_of(const result_view& r) {
  moments m;
  const auto count = static_cast<double>(r.count);
  for (std::int64_t i = 0; i < r.count; ++i) m.mean += r.values[i] / count;
  for (std::int64_t i = 0; i < r.count; ++i) m.variance += (r.values[i] - m.mean) * (r.values[i] - m.mean) / count;
  return m;
}

std::string different_moments(const result_view& a, const result_view& b) {
  const moments x = moments_of(a), y = moments_of(b);
  // Six standard deviations of a mean, and of a variance as far as that is one of few large numbers.
  const double apart = 6 * std::sqrt(2 * std::max(x.variance, y.variance) / static_cast<double>(a.count));
  const double spread = 12 * std::max(x.variance, y.variance) / std::sqrt(static_cast<double>(a.count));
  if (std::abs(x.mean - y.mean) <= apart && std::abs(x.variance - y.variance) <= spread) return {};
  std::ostringstream text;
  text << "mean " << x.mean << " beside " << y.mean << ", variance " << x.variance << " beside " << y.variance;
  return text.str();
}

std::string different_elements(const result_view& a, const result_view& b, double slack) {
  double square = 0;
  std::int64_t finite = 0;
  for (std::int64_t i = 0; i < b.count; ++i) {
    if (!std::isfinite(b.values[i])) continue;
    square += b.values[i] * b.values[i];
    ++finite;
  }
  const double size = finite == 0 ? 0 : std::sqrt(square / static_cast<double>(finite));
  const double precision = std::max(a.precision, b.precision) * slack;
  for (std::int64_t i = 0; i < a.count; ++i) {
    const double x = a.values[i], y = b.values[i];
    if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= precision * (std::abs(y) + size)) continue;
    std::ostringstream text;
    text.precision(9);
    text << "element " << i << " of " << a.count << ": " << x << " beside " << y;
    return text.str();
  }
  return {};
}

}  // namespace

std::string difference(library& first, library& second, const operation& of) {
  std::ostringstream text;
  if (first.results() != second.results()) {
    text << first.results() << " results beside " << second.results();
    return text.str();
  }
  const std::size_t count = of.how == check::first ? 1 : first.results();
  for (std::size_t i = 0; i < count; ++i) {
    const result_view a = first.result(i), b = second.result(i);
    std::string what;
    if (a.count != b.count)
      what = std::to_string(a.count) + " elements beside " + std::to_string(b.count);
    else if (of.how == check::moments)
      what = different_moments(a, b);
    else if (of.how != check::sizes)
      what = different_elements(a, b, of.slack);
    if (what.empty()) continue;
    text << "result " << i << ", " << what;
    return text.str();
  }
  return {};
}

}  // namespace bench::operators
