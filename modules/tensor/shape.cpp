module;

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/concat.hpp>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/repeat_n.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip.hpp>

module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

void shape::raise_bad_count(std::int64_t count) {
  throw shape_error("found " + std::to_string(count) + " dimensions, wanted at most " + std::to_string(max_dims));
}

shape broadcast(std::string_view op, const shape& a, const shape& b) {
  if (a == b) return a;
  namespace views = ranges::views;
  const std::size_t n = std::max(a.size(), b.size());
  const auto aligned = [n](const shape& d) {
    return views::concat(views::repeat_n(std::int64_t{1}, static_cast<std::ptrdiff_t>(n - d.size())),
                         std::span<const std::int64_t>(d));
  };
  shape out;
  for (const auto [i, sizes] : views::enumerate(views::zip(aligned(a), aligned(b)))) {
    const auto [x, y] = sizes;
    if (x != y && x != 1 && y != 1) {
      throw shape_error(std::string(op) + ": the shapes " + to_string(a) + " and " + to_string(b) +
                            " do not broadcast: dimension " + std::to_string(i) + " is " + std::to_string(x) + " and " +
                            std::to_string(y) + ", wanted equal sizes or 1",
                        std::string(op));
    }
    out.push_back(x == 1 ? y : x);
  }
  return out;
}

std::int64_t wrap_dim(std::string_view op, std::int64_t dim, std::int64_t n) {
  if (dim < -n || dim >= n) {
    throw shape_error(std::string(op) + ": found dimension " + std::to_string(dim) + ", wanted " +
                          (n == 0 ? std::string("none, the tensor is a scalar")
                                  : std::to_string(-n) + " to " + std::to_string(n - 1)),
                      std::string(op));
  }
  return dim < 0 ? dim + n : dim;
}

std::string to_string(const shape& d) {
  namespace views = ranges::views;
  const auto sizes = std::span(d) | views::transform([](std::int64_t n) { return std::to_string(n); });
  return "[" + (sizes | views::join(std::string(", ")) | ranges::to<std::string>()) + "]";
}

}  // namespace topbit
